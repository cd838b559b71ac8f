import Lamina
import Testing

// The rules were measured on Apple's QuartzCore by others; Apple's guide defines what a constraint
// is.
@Suite("Constraints") struct ConstraintTests {
  /// Lays out layers with the frame (10, 20, 30, 40), named a, b and so on, in a superlayer of 200
  /// × 100 at (7, 9).
  private func frames(
    _ constraints: [[CAConstraint]], order: [Int]? = nil
  ) -> [CGRect] {
    let superlayer = CALayer()
    superlayer.bounds = CGRect(x: 7, y: 9, width: 200, height: 100)
    superlayer.layoutManager = CAConstraintLayoutManager()
    let layers = constraints.enumerated().map { place, constraints in
      let layer = CALayer()
      layer.name = String(UnicodeScalar(UInt8(97 + place)))
      layer.frame = CGRect(x: 10, y: 20, width: 30, height: 40)
      layer.constraints = constraints
      return layer
    }
    superlayer.sublayers = (order ?? Array(layers.indices)).map { layers[$0] }
    superlayer.layoutIfNeeded()
    return layers.map(\.frame)
  }

  private func rule(
    _ attribute: CAConstraintAttribute, _ source: String,
    _ sourceAttribute: CAConstraintAttribute, scale: CGFloat = 1, _ offset: CGFloat = 0
  ) -> CAConstraint {
    CAConstraint(
      attribute: attribute, relativeTo: source, attribute: sourceAttribute, scale: scale,
      offset: offset)
  }

  private func rule(
    _ attribute: CAConstraintAttribute, _ sourceAttribute: CAConstraintAttribute,
    scale: CGFloat = 1, _ offset: CGFloat = 0
  ) -> CAConstraint {
    rule(attribute, "superlayer", sourceAttribute, scale: scale, offset)
  }

  private let untouched = CGRect(x: 10, y: 20, width: 30, height: 40)

  @Test("One constraint moves a layer: by its edge, its middle or its other edge")
  func one() {
    #expect(frames([[rule(.minX, .minX, 5)]])[0].minX == 12)
    #expect(frames([[rule(.midX, .midX)]])[0].minX == 92)
    #expect(frames([[rule(.maxX, .maxX, -5)]])[0].minX == 172)
    #expect(frames([[rule(.maxY, .maxY)]])[0] == CGRect(x: 10, y: 69, width: 30, height: 40))
    #expect(frames([[rule(.minY, .height, scale: 0.5, 1)]])[0].minY == 51)
  }

  @Test("Two constraints on an axis also set the length")
  func two() {
    let edges = frames([[rule(.minX, .minX, 10), rule(.maxX, .maxX, -10)]])[0]
    #expect(edges == CGRect(x: 17, y: 20, width: 180, height: 40))
    let half = frames([[rule(.width, .width, scale: 0.5), rule(.midX, .midX)]])[0]
    #expect(half == CGRect(x: 57, y: 20, width: 100, height: 40))
    let middle = frames([[rule(.minX, .minX), rule(.midX, .midX, -50)]])[0]
    #expect(middle == CGRect(x: 7, y: 20, width: 100, height: 40))
    let right = frames([[rule(.maxX, .maxX), rule(.width, .width, scale: 0.25)]])[0]
    #expect(right == CGRect(x: 157, y: 20, width: 50, height: 40))
  }

  @Test("Of three the last counts, with the lowest of the others")
  func three() {
    let frame = frames([
      [rule(.width, .width), rule(.minX, .minX, 1), rule(.midX, .midX), rule(.maxX, .minX, 61)]
    ])[0]
    #expect(frame == CGRect(x: 8, y: 20, width: 60, height: 40))
  }

  @Test("A length alone, an attribute given twice, and sources that cannot be, change nothing")
  func impossible() {
    #expect(frames([[rule(.width, .width)]])[0] == untouched)
    #expect(frames([[rule(.minX, .minX), rule(.minX, .minX, 9)]])[0] == untouched)
    #expect(frames([[rule(.minX, "nobody", .minX)]])[0] == untouched)
    #expect(frames([[rule(.minX, "a", .maxX)]])[0] == untouched)
    // The other axis is still laid out.
    let frame = frames([[rule(.width, .width), rule(.minY, .minY)]])[0]
    #expect(frame == CGRect(x: 10, y: 9, width: 30, height: 40))
  }

  @Test("A source that was not laid out leaves its dependents as they are, and so does a cycle")
  func unlaid() {
    #expect(frames([[rule(.minX, "b", .minX)], [rule(.width, .width)]]) == [untouched, untouched])
    #expect(
      frames([[rule(.minX, "b", .maxX)], [rule(.minX, "a", .maxX)]]) == [untouched, untouched])
  }

  @Test("A row that hangs together comes out the same in every order of the layers")
  func order() {
    let rules = [
      [rule(.minX, "c", .maxX, 5)], [rule(.minX, .minX)], [rule(.minX, "b", .maxX, 5)],
    ]
    let expected: [CGFloat] = [77, 7, 42]
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
      #expect(frames(rules, order: order).map(\.minX) == expected)
    }
  }

  @Test("A sibling that nothing lays out along an axis is no source there")
  func free() {
    let dependent = [rule(.minX, "a", .maxX, 1)]
    #expect(frames([[], dependent]) == [untouched, untouched])
    #expect(frames([[rule(.minY, .minY)], dependent])[1] == untouched)
    #expect(frames([[rule(.minX, .minX)], dependent])[1].minX == 38)
  }

  @Test("A source may be measured across axes")
  func acrossAxes() {
    let frame = frames([
      [rule(.minX, .minX, 3), rule(.minY, .minY), rule(.maxY, .minY, 60)],
      [rule(.minX, "a", .maxX, 1), rule(.width, "a", .height)],
    ])[1]
    #expect(frame == CGRect(x: 41, y: 20, width: 60, height: 40))
  }

  @Test("A row of ten thousand layers is laid out")
  func longRow() {
    let superlayer = CALayer()
    superlayer.layoutManager = CAConstraintLayoutManager()
    superlayer.sublayers = (0..<10_000).map { place in
      let layer = CALayer()
      layer.name = "\(place)"
      layer.bounds.size.width = 1
      let next = CAConstraint(
        attribute: .minX, relativeTo: place == 9_999 ? "superlayer" : "\(place + 1)",
        attribute: .minX, offset: 1)
      layer.addConstraint(next)
      return layer
    }
    superlayer.layoutIfNeeded()
    #expect(superlayer.sublayers?.first?.frame.minX == 10_000)
  }

  @Test("Constraints that are set have the superlayer laid out")
  func invalidation() {
    let (superlayer, layer) = (CALayer(), CALayer())
    superlayer.addSublayer(layer)
    superlayer.layoutIfNeeded()
    #expect(layer.constraints == nil)
    layer.addConstraint(rule(.minX, .minX))
    #expect(superlayer.needsLayout() && layer.constraints?.count == 1)
  }
}
