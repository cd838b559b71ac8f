import Foundation
import LaminaAnimation
import LaminaValues

/// A cubic Bézier curve from (0, 0) to (1, 1) that maps the time of an animation's run to its
/// progress. There is one object for each named function; two objects are never equal.
open class CAMediaTimingFunction: NSObject, NSSecureCoding, SharedByName, @unchecked Sendable {
  // Set only by initializers.
  package private(set) final var curve: TimingCurve
  /// The name of a named function; nil for other curves.
  private final var name: CAMediaTimingFunctionName?

  /// One of the named functions; an unknown name gives `linear`. On a subclass this makes a new
  /// object with the same curve.
  public convenience init(name: CAMediaTimingFunctionName) {
    let shared = Self.named[name] ?? Self.linear
    guard let same = shared as? Self else {
      self.init(controlPoints: 0, 0, 1, 1)
      (curve, self.name) = (shared.curve, shared.name)
      return
    }
    self.init(shared: same)
  }

  /// The curve whose two inner control points are (c1x, c1y) and (c2x, c2y). Each x is clamped to
  /// 0...1, since time does not run backwards.
  public init(controlPoints c1x: Float, _ c1y: Float, _ c2x: Float, _ c2y: Float) {
    curve = TimingCurve(
      Self.unit(Double(c1x)), Double(c1y), Self.unit(Double(c2x)), Double(c2y))
  }

  /// Decodes a curve; nil if one of its numbers is missing or not finite.
  public required init?(coder: NSCoder) {
    let keys = ["c1x", "c1y", "c2x", "c2y"]
    let points = keys.compactMap { coder.archivedNumber(forKey: $0) }
    guard points.count == keys.count else { return nil }
    curve = TimingCurve(Self.unit(points[0]), points[1], Self.unit(points[2]), points[3])
    name = Self.named.first { [curve] in $1.curve == curve }?.key
  }

  open class var supportsSecureCoding: Bool { true }

  /// Archives the inner control points.
  open func encode(with coder: NSCoder) {
    coder.encode(curve.c1x, forKey: "c1x")
    coder.encode(curve.c1y, forKey: "c1y")
    coder.encode(curve.c2x, forKey: "c2x")
    coder.encode(curve.c2y, forKey: "c2y")
  }

  /// Writes the x and y of the control point at `index`, 0 to 3, to `point`.
  open func getControlPoint(at index: Int, values point: UnsafeMutablePointer<Float>) {
    guard (0...3).contains(index) else {
      programmerError("a timing function has control points 0 to 3, not \(index)")
    }
    let points = [(0, 0), (curve.c1x, curve.c1y), (curve.c2x, curve.c2y), (1, 1)]
    point[0] = Float(points[index].0)
    point[1] = Float(points[index].1)
  }

  /// The name of a named function; the inner control points of another.
  open override var description: String {
    name?.rawValue ?? "(\(curve.c1x), \(curve.c1y)), (\(curve.c2x), \(curve.c2y))"
  }

  private static func unit(_ x: Double) -> Double { min(max(x, 0), 1) }
}

extension CAMediaTimingFunction {
  private convenience init(_ curve: TimingCurve, name: CAMediaTimingFunctionName? = nil) {
    self.init(controlPoints: 0, 0, 1, 1)
    (self.curve, self.name) = (curve, name)
  }

  private static let linear = CAMediaTimingFunction(.linear, name: .linear)

  private static let named: [CAMediaTimingFunctionName: CAMediaTimingFunction] = [
    .linear: linear, .easeIn: CAMediaTimingFunction(.easeIn, name: .easeIn),
    .easeOut: CAMediaTimingFunction(.easeOut, name: .easeOut),
    .easeInEaseOut: CAMediaTimingFunction(.easeInEaseOut, name: .easeInEaseOut),
    .default: CAMediaTimingFunction(.default, name: .default),
  ]

  /// The named function with a curve, or a new object if there is none.
  static func with(_ curve: TimingCurve) -> CAMediaTimingFunction {
    named.values.first { $0.curve == curve } ?? CAMediaTimingFunction(curve)
  }
}

/// Lets a class's initializer return an existing object: only an initializer in a protocol
/// extension may assign `self`.
protocol SharedByName {}

extension SharedByName {
  init(shared: Self) { self = shared }
}
