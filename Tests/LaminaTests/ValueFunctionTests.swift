import Foundation
import LaminaInProcess
import LaminaValues
import Testing

@testable import Lamina

@Suite("Value functions") struct ValueFunctionTests {
  private static let names: [CAValueFunctionName] = [
    .rotateX, .rotateY, .rotateZ, .scale, .scaleX, .scaleY, .scaleZ, .translate, .translateX,
    .translateY, .translateZ,
  ]

  @Test("Each name has one object, and other names have none")
  func objects() throws {
    for name in Self.names {
      let function = try #require(CAValueFunction(name: name))
      #expect(function === CAValueFunction(name: CAValueFunctionName(rawValue: name.rawValue)))
      #expect(function.name == name)
    }
    #expect(CAValueFunction(name: .rotateX) !== CAValueFunction(name: .rotateY))
    #expect(CAValueFunction(name: CAValueFunctionName(rawValue: "spin")) == nil)
    #expect(CAValueFunctionName.rotateZ.rawValue == "rotateZ")
  }

  private func animation(
    _ name: CAValueFunctionName, from: Any? = nil, to: Any? = nil, by: Any? = nil
  ) -> CABasicAnimation {
    let animation = CABasicAnimation("transform", from: from, to: to, by: by)
    animation.valueFunction = CAValueFunction(name: name)
    return animation
  }

  private func transform(_ layer: CALayer, at time: Double) throws -> CATransform3D {
    try Evaluation(layer).shown(at: time).transform
  }

  private func isClose(_ a: CATransform3D, _ b: CATransform3D) -> Bool {
    zip(a.rows.joined(), b.rows.joined()).allSatisfy { abs($0 - $1) < 1e-12 }
  }

  private typealias Row = (CAValueFunctionName, any Sendable, any Sendable, CATransform3D)
  private static let quarterRows: [Row] = [
    (.rotateX, 0, 2, CATransform3DMakeRotation(0.5, 1, 0, 0)),
    (.rotateY, 0, 2, CATransform3DMakeRotation(0.5, 0, 1, 0)),
    (.rotateZ, 0, 2, CATransform3DMakeRotation(0.5, 0, 0, 1)),
    (.scale, [1, 1, 1], [5, 9, 1], CATransform3DMakeScale(2, 3, 1)),
    (.scaleX, 1, 3, CATransform3DMakeScale(1.5, 1, 1)),
    (.scaleY, 1, [3], CATransform3DMakeScale(1, 1.5, 1)),
    (.scaleZ, 1, 3, CATransform3DMakeScale(1, 1, 1.5)),
    (.translate, [0, 4, 8], [4, 4, 0], CATransform3DMakeTranslation(1, 4, 6)),
    (.translateX, 0, 8, CATransform3DMakeTranslation(2, 0, 0)),
    (.translateY, 0, 8, CATransform3DMakeTranslation(0, 2, 0)),
    (.translateZ, 0, 8, CATransform3DMakeTranslation(0, 0, 2)),
  ]

  @Test("Numbers are interpolated, then made into a transform")
  func quarters() throws {
    for (name, from, to, expected) in Self.quarterRows {
      let layer = CALayer(animating: animation(name, from: from, to: to))
      #expect(isClose(try transform(layer, at: 0.25), expected), "\(name.rawValue)")
    }
  }

  @Test("A rotation to 2π goes all the way round", arguments: 0...8)
  func wholeTurn(eighth: Int) throws {
    let layer = CALayer(animating: animation(.rotateZ, from: 0, to: 2 * Double.pi))
    let expected = CATransform3DMakeRotation(.pi / 4 * CGFloat(eighth), 0, 0, 1)
    #expect(isClose(try transform(layer, at: Double(eighth) / 8), expected))
  }

  @Test("Cycles of a cumulative animation add numbers")
  func cumulative() throws {
    let turn = animation(.rotateZ, from: 0, to: Double.pi / 2)
    turn.isCumulative = true
    turn.repeatCount = 3
    let layer = CALayer(animating: turn)
    let angle = CGFloat.pi / 2 * 2.5
    #expect(isClose(try transform(layer, at: 2.5), CATransform3DMakeRotation(angle, 0, 0, 1)))
  }

  @Test("An additive animation concatenates its transform, which starts from the identity")
  func additive() throws {
    let move = CATransform3DMakeTranslation(4, 0, 0)
    let turn = animation(.rotateZ, to: Double.pi)
    let grow = animation(.scaleX, to: 3)
    turn.isAdditive = true
    grow.isAdditive = true
    let layer = CALayer(animating: turn, grow)
    layer.transform = move
    let expected = move.concatenating(CATransform3DMakeRotation(.pi / 2, 0, 0, 1))
      .concatenating(CATransform3DMakeScale(2, 1, 1))
    #expect(isClose(try transform(layer, at: 0.5), expected))
  }

  @Test("A value that is not given is what the transform has of it")
  func oneValue() throws {
    let turn = CALayer(animating: animation(.rotateZ, to: 1))
    turn.transform = CATransform3DMakeRotation(0.5, 0, 0, 1)
    #expect(isClose(try transform(turn, at: 0.5), CATransform3DMakeRotation(0.75, 0, 0, 1)))
    let grow = CALayer(animating: animation(.scale, by: [2, 2, 2]))
    grow.transform = CATransform3DMakeScale(1, 2, 3)
    #expect(isClose(try transform(grow, at: 0.5), CATransform3DMakeScale(2, 3, 4)))
    let shrink = CALayer(animating: animation(.translateX, from: 8))
    #expect(isClose(try transform(shrink, at: 0.25), CATransform3DMakeTranslation(6, 0, 0)))
  }

  @Test("Keyframes and springs go through it as well, in every mode")
  func keyframesAndSprings() throws {
    let steps = CAKeyframeAnimation("transform", [[0, 0, 0], [10, 20, 0], [10, 20, 100]])
    steps.valueFunction = CAValueFunction(name: .translate)
    let layer = CALayer(animating: steps)
    #expect(
      isClose(try transform(layer, at: 0.75), CATransform3DMakeTranslation(10, 20, 50)))

    steps.values = [[0, 0, 0], [3, 4, 0], [3, 4, 15]]
    steps.calculationMode = .paced
    let paced = CALayer(animating: steps)
    #expect(isClose(try transform(paced, at: 0.5), CATransform3DMakeTranslation(3, 4, 5)))

    // The tangents at the ends are whole differences, the inner one the mean of both.
    let curve = CAKeyframeAnimation("transform", [0, 1, 1])
    curve.valueFunction = CAValueFunction(name: .rotateZ)
    curve.calculationMode = .cubic
    let smooth = CALayer(animating: curve)
    #expect(
      isClose(try transform(smooth, at: 0.25), CATransform3DMakeRotation(0.5625, 0, 0, 1)))

    let spring = CASpringAnimation("transform", from: 0, to: 100)
    spring.valueFunction = CAValueFunction(name: .translateY)
    let number = CASpringAnimation("position.y", from: 0, to: 100)
    let sprung = try Evaluation(CALayer(animating: spring, number)).shown(at: 0.3)
    #expect(sprung.transform.m42 == sprung.position.y && sprung.position.y > 100)
  }

  @Test("What a function cannot take has no effect")
  func refused() throws {
    for animation in [
      animation(.rotateZ, from: CATransform3DIdentity, to: 1),
      animation(.scale, from: 1, to: [2, 2, 2]), animation(.translate, from: [1, 1], to: [2, 2]),
    ] {
      #expect(try transform(CALayer(animating: animation), at: 0.5).isIdentity)
    }
    let member = animation(.rotateZ, from: 0, to: 1)
    member.keyPath = "transform.rotation.z"
    #expect(try transform(CALayer(animating: member), at: 0.5).isIdentity)
    let number = animation(.rotateZ, from: 0, to: 1)
    number.keyPath = "opacity"
    #expect(try Evaluation(CALayer(animating: number)).shown(at: 0.5).opacity == 1)
  }

  @Test("It is copied, and reached by its key; so is the frame rate that is wished for")
  func copies() throws {
    let turn = animation(.rotateZ, to: 1)
    #expect(turn.preferredFrameRateRange == .default)
    turn.preferredFrameRateRange = CAFrameRateRange(minimum: 30, maximum: 120, preferred: 60)
    let layer = CALayer()
    layer.add(turn, forKey: "turn")
    let kept = try #require(layer.animation(forKey: "turn") as? CABasicAnimation)
    #expect(kept.valueFunction === turn.valueFunction)
    #expect(kept.preferredFrameRateRange.preferred == 60)
    let other = CABasicAnimation()
    other.setValue(turn.value(forKey: "valueFunction"), forKey: "valueFunction")
    other.setValue(
      turn.value(forKey: "preferredFrameRateRange"), forKey: "preferredFrameRateRange")
    #expect(other.valueFunction === turn.valueFunction)
    #expect(other.preferredFrameRateRange == turn.preferredFrameRateRange)
    other.setValue(nil, forKey: "valueFunction")
    #expect(other.valueFunction == nil)
    let none = CAFrameRateRange.default
    #expect(none.minimum == 0 && none.maximum == 0 && none.preferred == nil)
  }

  @Test("A commit's text names it")
  func text() throws {
    let layer = CALayer(animating: animation(.rotateZ, from: 0, to: 1))
    let renderer = try CARenderer(
      size: CGSize(width: 4, height: 4), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    #expect(try renderer.commitDescription().contains("transform through rotateZ, from 0 to 1"))
  }
}
