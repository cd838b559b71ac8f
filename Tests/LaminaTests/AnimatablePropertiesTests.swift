import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

/// A layer with the stored properties of a class.
private class TextProperties: CALayer {
  override class var kind: LayerKind { .text }
}

/// Two values of a type, the value a quarter of the way from the first to the second, and that
/// value added to the first.
private struct Sample {
  var from: AnimationValue
  var to: AnimationValue
  var quarter: AnimationValue
  var sum: AnimationValue

  static let number = Sample(
    from: .number(0.2), to: .number(1), quarter: .number(0.4), sum: .number(0.6))
  static let count = Sample(from: .number(1), to: .number(9), quarter: .number(3), sum: .number(4))
  static let point = Sample(
    from: .point(CGPoint(x: 1, y: 2)), to: .point(CGPoint(x: 5, y: 10)),
    quarter: .point(CGPoint(x: 2, y: 4)), sum: .point(CGPoint(x: 3, y: 6)))
  static let size = Sample(
    from: .size(CGSize(width: 1, height: 2)), to: .size(CGSize(width: 5, height: 10)),
    quarter: .size(CGSize(width: 2, height: 4)), sum: .size(CGSize(width: 3, height: 6)))
  static let rect = Sample(
    from: .rect(CGRect(x: 0, y: 4, width: 1, height: 2)),
    to: .rect(CGRect(x: 4, y: 0, width: 5, height: 10)),
    quarter: .rect(CGRect(x: 1, y: 3, width: 2, height: 4)),
    sum: .rect(CGRect(x: 1, y: 7, width: 3, height: 6)))
  static let transform = Sample(
    from: .transform(CATransform3DMakeTranslation(4, 0, 0)),
    to: .transform(CATransform3DMakeTranslation(8, 4, 16)),
    quarter: .transform(CATransform3DMakeTranslation(5, 1, 4)),
    sum: .transform(CATransform3DMakeTranslation(9, 1, 4)))
  static let color = Sample(
    from: .color(CGColor(red: 0, green: 0.2, blue: 0, alpha: 0.2)),
    to: .color(CGColor(red: 0.4, green: 0.2, blue: 1, alpha: 0.6)),
    quarter: .color(CGColor(red: 0.1, green: 0.2, blue: 0.25, alpha: 0.3)),
    sum: .color(CGColor(red: 0.1, green: 0.4, blue: 0.25, alpha: 0.5)))
  static let numbers = Sample(
    from: .array([.number(0), .number(1)]), to: .array([.number(0.4), .number(0.2)]),
    quarter: .array([.number(0.1), .number(0.8)]), sum: .array([.number(0.1), .number(1.8)]))
  static let colors = Sample(
    from: .array([color.from, color.to]), to: .array([color.to, color.to]),
    quarter: .array([color.quarter, color.to]),
    sum: .array([
      color.sum, .color(CGColor(red: 0.8, green: 0.4, blue: 2, alpha: 1)),
    ]))
  static let path = Sample(
    from: path(0, 8), to: path(4, 4), quarter: path(1, 7), sum: path(1, 15))

  private static func path(_ x: CGFloat, _ y: CGFloat) -> AnimationValue {
    .path(
      Path([
        .move(.zero), .line(CGPoint(x: x, y: y)),
        .cubic(
          control1: CGPoint(x: y, y: 0), control2: CGPoint(x: 0, y: x), end: CGPoint(x: y, y: x)),
        .close,
      ]))
  }

  /// nil for types that are not interpolated.
  init?(of type: any LayerField.Type) {
    if type == Double.self {
      self = .number
    } else if type == UInt32.self {
      self = .count
    } else if type == CGPoint.self {
      self = .point
    } else if type == CGSize.self {
      self = .size
    } else if type == CGRect.self {
      self = .rect
    } else if type == CATransform3D.self {
      self = .transform
    } else if type == CGColor?.self {
      self = .color
    } else if type == [Double]?.self {
      self = .numbers
    } else if type == [CGColor]?.self {
      self = .colors
    } else if type == Path?.self {
      self = .path
    } else {
      return nil
    }
  }

  init(
    from: AnimationValue, to: AnimationValue, quarter: AnimationValue, sum: AnimationValue
  ) {
    (self.from, self.to, self.quarter, self.sum) = (from, to, quarter, sum)
  }
}

private struct TypeReader: LayerFieldVisitor {
  var type: (any LayerField.Type)?
  mutating func visit<Field: LayerField>(_ field: inout Field) { type = Field.self }
}

extension AnimationValue {
  fileprivate var object: Any? { publicValue { _ in nil } }

  /// Every number in the value.
  fileprivate var numbers: [Double] {
    switch self {
    case .none, .image, .string, .filter, .cell: []
    case .number(let number): [number]
    case .point(let p): [p.x, p.y]
    case .size(let s): [s.width, s.height]
    case .rect(let r): [r.origin.x, r.origin.y, r.width, r.height]
    case .transform(let t): t.rows.joined().map { Double($0) }
    case .color(let c): [c.c0, c.c1, c.c2, c.alpha]
    case .path(let path):
      path.elements.flatMap { element -> [Double] in
        switch element {
        case .move(let p), .line(let p): [p.x, p.y]
        case .quad(let c, let p): [c.x, c.y, p.x, p.y]
        case .cubic(let c, let d, let p): [c.x, c.y, d.x, d.y, p.x, p.y]
        case .close: []
        }
      }
    case .array(let values): values.flatMap(\.numbers)
    }
  }
}

private func expectClose(
  _ object: Any?, _ expected: AnimationValue, _ what: String,
  _ location: SourceLocation = #_sourceLocation
) {
  expectClose(
    AnimationValue(object)?.numbers ?? [], expected.numbers, 1e-6, what, sourceLocation: location)
}

// The properties that the headers mark as animatable.
@Suite("Everything animatable animates") struct AnimatablePropertiesTests {
  static let flagKeys = ["hidden", "doubleSided", "masksToBounds"]
  static let byClass: [LayerKind: [String]] = [
    .layer: [
      "bounds", "position", "zPosition", "anchorPointZ", "anchorPoint", "transform",
      "sublayerTransform", "contentsRect", "contentsScale", "contentsCenter",
      "minificationFilterBias", "contentsMultiplyColor", "backgroundColor", "cornerRadius",
      "borderWidth", "borderColor", "opacity", "rasterizationScale", "shadowColor",
      "shadowOpacity", "shadowOffset", "shadowRadius", "shadowPath",
    ],
    .shape: [
      "path", "fillColor", "strokeColor", "strokeStart", "strokeEnd", "lineWidth", "miterLimit",
      "lineDashPhase",
    ],
    .text: ["fontSize", "foregroundColor"],
    .gradient: ["colors", "locations", "startPoint", "endPoint"],
    .replicator: [
      "instanceCount", "instanceDelay", "instanceTransform", "instanceColor", "instanceRedOffset",
      "instanceGreenOffset", "instanceBlueOffset", "instanceAlphaOffset",
    ],
    .emitter: [
      "birthRate", "lifetime", "velocity", "scale", "spin", "emitterPosition", "emitterZPosition",
      "emitterSize", "emitterDepth",
    ],
  ]

  private static let all: [(kind: LayerKind, key: String)] = LayerKind.allCases.flatMap { kind in
    (byClass[kind] ?? []).map { (kind, $0) }
  }

  private static func layer(_ kind: LayerKind) -> CALayer {
    switch kind {
    case .shape: CAShapeLayer()
    case .text: TextProperties()
    case .gradient: CAGradientLayer()
    case .replicator: CAReplicatorLayer()
    case .emitter: CAEmitterLayer()
    default: CALayer()
    }
  }

  private static func type(of key: String) throws -> any LayerField.Type {
    let property = try #require(StoredProperty(key: key), "no property \(key)")
    var reader = TypeReader()
    var values = LayerValues()
    try values.visit(property, with: &reader)
    return try #require(reader.type)
  }

  private func shown(
    _ kind: LayerKind, at time: Double, model: AnimationValue? = nil, _ key: String,
    _ animation: CAAnimation
  ) throws -> CALayer {
    let layer = Self.layer(kind)
    if let model { layer.setValue(model.object, forKey: key) }
    animation.duration = 1
    animation.isRemovedOnCompletion = false
    layer.add(animation, forKey: nil)
    return try Evaluation(layer).shown(at: time)
  }

  @Test("What has an implicit animation is among them")
  func table() {
    let keys = Set(Self.all.map(\.key))
    for row in StoredProperty.table where row.action == .animate && row.key != "contents" {
      #expect(keys.contains(row.key), "\(row.key)")
    }
  }

  @Test("From one value to another", arguments: all)
  func basic(row: (kind: LayerKind, key: String)) throws {
    let (kind, key) = row
    let sample = try #require(Sample(of: try Self.type(of: key)))
    let basic = CABasicAnimation(key, from: sample.from.object, to: sample.to.object)
    expectClose(try shown(kind, at: 0.25, key, basic).value(forKey: key), sample.quarter, key)
    let back = CABasicAnimation(key, to: sample.to.object)
    expectClose(
      try shown(kind, at: 0.25, model: sample.from, key, back).value(forKey: key), sample.quarter,
      "\(key) from the model")
  }

  @Test("Through keyframes in every mode", arguments: all)
  func keyframes(row: (kind: LayerKind, key: String)) throws {
    let (kind, key) = row
    let sample = try #require(Sample(of: try Self.type(of: key)))
    func value(_ mode: CAAnimationCalculationMode, at time: Double) throws -> Any? {
      let keyframes = CAKeyframeAnimation(
        key, [sample.from, sample.to, sample.from].map { $0.object as Any })
      keyframes.calculationMode = mode
      return try shown(kind, at: time, model: sample.quarter, key, keyframes).value(forKey: key)
    }
    expectClose(try value(.linear, at: 0.125), sample.quarter, key)
    expectClose(try value(.linear, at: 0.875), sample.quarter, key)
    expectClose(try value(.discrete, at: 0.5), sample.to, "\(key), discrete")
    // Paced changes nothing here, since the way there and the way back are equally long; cubicPaced
    // leaves a transform at its model value, because a transform is not paced.
    let isTransform = if case .transform = sample.from { true } else { false }
    expectClose(try value(.paced, at: 0.125), sample.quarter, "\(key), paced")
    expectClose(
      try value(.cubic, at: 0.5), sample.to, "\(key), cubic")
    expectClose(
      try value(.cubicPaced, at: 0.5), isTransform ? sample.quarter : sample.to,
      "\(key), cubicPaced")
  }

  @Test("On top of what is there", arguments: all)
  func additive(row: (kind: LayerKind, key: String)) throws {
    let (kind, key) = row
    let sample = try #require(Sample(of: try Self.type(of: key)))
    let animation = CABasicAnimation(key, from: sample.from.object, to: sample.to.object)
    animation.isAdditive = true
    expectClose(
      try shown(kind, at: 0.25, model: sample.from, key, animation).value(forKey: key),
      sample.sum, key)
  }

  @Test("Flags are false only at 0", arguments: flagKeys)
  func flags(key: String) throws {
    func flag(from: Int, to: Int, at time: Double) throws -> Bool? {
      let animation = CABasicAnimation(key, from: from, to: to)
      return try shown(.layer, at: time, key, animation).value(forKey: key) as? Bool
    }
    #expect(try flag(from: 0, to: 1, at: 0) == false)
    #expect(try flag(from: 0, to: 1, at: 0.01) == true)
    #expect(try flag(from: 1, to: 0, at: 0.99) == true)
    #expect(try flag(from: 1, to: 0, at: 1) == false)
  }

  // MARK: Members

  private static let members: [(any LayerField.Type, [String])] = [
    (CGPoint.self, ["x", "y"]), (CGSize.self, ["width", "height"]),
    (CGRect.self, ["origin.x", "origin.y", "size.width", "size.height"]),
    (
      CATransform3D.self,
      [
        "rotation.x", "rotation.y", "rotation.z", "rotation", "scale.x", "scale.y", "scale.z",
        "scale", "scale.xy", "translation.x", "translation.y", "translation.z", "shear.x",
        "shear.y", "shear.z",
      ]
    ),
  ]

  @Test("Members of structures, which leave the other members as they are", arguments: all)
  func members(row: (kind: LayerKind, key: String)) throws {
    let (kind, key) = row
    let type = try Self.type(of: key)
    guard let members = Self.members.first(where: { $0.0 == type })?.1 else { return }
    for member in members {
      let path = "\(key).\(member)"
      func check(
        _ animation: CAPropertyAnimation, at time: Double, _ expected: Double
      ) throws {
        let layer = Self.layer(kind)
        let other = members.first { !$0.hasPrefix(member) && !member.hasPrefix($0) }
        let before = other.flatMap { layer.value(forKeyPath: "\(key).\($0)") }
        layer.add(animation, forKey: nil)
        let shown = try Evaluation(layer).shown(at: time)
        expectClose(shown.value(forKeyPath: path), .number(expected), path)
        // A scale of all axes is also a scale of each.
        guard let other, !member.hasPrefix("scale") || !other.hasPrefix("scale") else { return }
        expectClose(
          shown.value(forKeyPath: "\(key).\(other)"), AnimationValue(before) ?? .none,
          "\(other) beside \(path)")
      }
      try check(CABasicAnimation(path, from: 0.2, to: 1), at: 0.25, 0.4)
      try check(CAKeyframeAnimation(path, [1, 0.2, 1]), at: 0.875, 0.8)
      let additive = CABasicAnimation(path, from: 0.2, to: 1)
      additive.isAdditive = true
      let model = try #require(Self.layer(kind).value(forKeyPath: path) as? NSNumber)
      try check(additive, at: 0.25, model.doubleValue + 0.4)
    }
  }

  @Test("Members that are structures themselves")
  func structuredMembers() throws {
    let layer = CALayer(
      animating: CABasicAnimation("bounds.size", to: CGSize(width: 8, height: 4)),
      CABasicAnimation("bounds.origin", to: CGPoint(x: 4, y: 0)),
      CABasicAnimation("transform.translation", to: CGSize(width: 8, height: 16)),
      CABasicAnimation("shadowOffset.height", to: 5))
    layer.transform = CATransform3DMakeScale(2, 2, 2)
    let shown = try Evaluation(layer).shown(at: 0.5)
    #expect(shown.bounds == CGRect(x: 2, y: 0, width: 4, height: 2))
    #expect(shown.transform.m41 == 4 && shown.transform.m42 == 8 && shown.transform.m11 == 2)
    #expect(shown.shadowOffset == CGSize(width: 0, height: 1))
  }

  // MARK: Values other than numbers of one kind

  private func color(_ from: CGColor, _ to: CGColor, at time: Double) throws -> [Double] {
    let layer = CALayer(animating: CABasicAnimation("backgroundColor", from: from, to: to))
    let color = try #require(try Evaluation(layer).shown(at: time).backgroundColor)
    let (red, green, blue, alpha) = color.extendedSRGB
    return [red, green, blue, alpha]
  }

  @Test("Colours of any space mix by what they are in sRGB")
  func colorSpaces() throws {
    let p3 = CGColorSpace(.displayP3)
    let green = try #require(CGColor(colorSpace: p3, components: [0, 1, 0, 1]))
    let red = try #require(CGColor(colorSpace: p3, components: [1, 0, 0, 0.5]))
    let gray = CGColor(gray: 0.5, alpha: 1)
    let ink = CGColor(genericCMYKCyan: 1, magenta: 0, yellow: 0.5, black: 0.5, alpha: 1)
    let blue = CGColor(red: 0, green: 0, blue: 1, alpha: 0)
    let colors = [green, red, gray, ink, blue]
    for from in colors {
      for to in colors {
        let (a, b) = (from.extendedSRGB, to.extendedSRGB)
        let expected = zip([a.0, a.1, a.2, a.3], [b.0, b.1, b.2, b.3]).map { $0 * 0.75 + $1 * 0.25 }
        for (shown, wanted) in zip(try color(from, to, at: 0.25), expected) {
          #expect(isClose(shown, wanted, 1e-12), "\(from) to \(to)")
        }
      }
    }
    #expect(try color(ink, ink, at: 0.5) == [0, 0.5, 0.25, 1])
  }

  @Test("Images switch half way")
  func images() throws {
    let pixels = try (0..<2).map { _ in
      CGImage(try PixelBuffer(width: 1, height: 1, format: .bgra8, use: .store))
    }
    let layer = CALayer(
      animating: CABasicAnimation("contents", from: pixels[0], to: pixels[1]))
    let evaluation = try Evaluation(layer)
    for (time, image) in [(0, 0), (0.49, 0), (0.5, 1), (1, 1)] as [(Double, Int)] {
      #expect(try evaluation.shown(at: time).contents as? CGImage === pixels[image])
    }
  }

  @Test("Paths of one structure mix, lines with curves too; others switch half way")
  func paths() throws {
    func shown(_ from: Path, _ to: Path, at time: Double) throws -> Path? {
      let layer = CAShapeLayer()
      layer.add(CABasicAnimation("path", from: CGPath(from), to: CGPath(to)), forKey: nil)
      return try Evaluation(layer).shown(at: time).path?.storage
    }
    let line = Path([.move(.zero), .line(CGPoint(x: 6, y: 0))])
    let curve = Path([
      .move(CGPoint(x: 0, y: 8)),
      .cubic(
        control1: CGPoint(x: 2, y: 16), control2: CGPoint(x: 4, y: 16), end: CGPoint(x: 6, y: 8)),
    ])
    #expect(
      try shown(line, curve, at: 0.5)
        == Path([
          .move(CGPoint(x: 0, y: 4)),
          .cubic(
            control1: CGPoint(x: 2, y: 8), control2: CGPoint(x: 4, y: 8), end: CGPoint(x: 6, y: 4)),
        ]))
    let longer = Path(line.elements + [.line(.zero)])
    #expect(try shown(line, longer, at: 0.49) == line)
    #expect(try shown(line, longer, at: 0.5) == longer)
  }
}
