import Foundation
import LaminaAnimation
import LaminaValues

/// Seconds.
public typealias CFTimeInterval = Double

/// An object with a local time derived from its parent's: a layer or an animation.
///
/// The local time is `(parentTime - beginTime) * speed + timeOffset`.
public protocol CAMediaTiming: AnyObject {
  /// When the object begins, in seconds of its parent's time. For an animation on a layer, 0 stands
  /// for the time of the commit.
  var beginTime: CFTimeInterval { get set }
  /// The length of one run, in the object's own seconds.
  var duration: CFTimeInterval { get set }
  /// Seconds of local time per second of the parent's time.
  var speed: Float { get set }
  /// Seconds added to the local time.
  var timeOffset: CFTimeInterval { get set }
  /// The number of runs. May be fractional; 0 counts as 1.
  var repeatCount: Float { get set }
  /// How long to repeat, in seconds. Unless it is 0, it replaces `repeatCount`.
  var repeatDuration: CFTimeInterval { get set }
  /// Whether each run is followed by a run backwards.
  var autoreverses: Bool { get set }
  /// Whether the object has an effect before it begins and after it ends.
  var fillMode: CAMediaTimingFillMode { get set }
}

/// Whether a timed object has an effect before and after its active time.
public struct CAMediaTimingFillMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The last value remains after the end.
  public static let forwards = Self(rawValue: "forwards")
  /// The first value applies before the begin.
  public static let backwards = Self(rawValue: "backwards")
  public static let both = Self(rawValue: "both")
  /// No effect outside the active time.
  public static let removed = Self(rawValue: "removed")

  init(_ name: FillMode) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `removed`.
  var name: FillMode { FillMode(rawValue: rawValue) ?? .removed }
}

/// The name of a predefined timing function.
public struct CAMediaTimingFunctionName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let linear = Self(rawValue: "linear")
  public static let easeIn = Self(rawValue: "easeIn")
  public static let easeOut = Self(rawValue: "easeOut")
  public static let easeInEaseOut = Self(rawValue: "easeInEaseOut")
  public static let `default` = Self(rawValue: "default")
}

/// A cubic Bézier curve from (0, 0) to (1, 1) that maps the time of an animation's run to its
/// progress.
public final class CAMediaTimingFunction: NSObject, NSSecureCoding, Sendable {
  package let curve: TimingCurve

  package init(_ curve: TimingCurve) { self.curve = curve }

  /// One of the named functions; an unknown name gives `linear`.
  public convenience init(name: CAMediaTimingFunctionName) {
    switch name {
    case .easeIn: self.init(.easeIn)
    case .easeOut: self.init(.easeOut)
    case .easeInEaseOut: self.init(.easeInEaseOut)
    case .default: self.init(.default)
    default: self.init(.linear)
    }
  }

  /// The curve whose two inner control points are (c1x, c1y) and (c2x, c2y). Each x is clamped to
  /// 0...1, since time does not run backwards.
  public convenience init(
    controlPoints c1x: Float, _ c1y: Float, _ c2x: Float, _ c2y: Float
  ) {
    func unit(_ v: Float) -> Double { Double(min(max(v, 0), 1)) }
    self.init(TimingCurve(unit(c1x), Double(c1y), unit(c2x), Double(c2y)))
  }

  public static var supportsSecureCoding: Bool { true }

  /// Archives the inner control points.
  public func encode(with coder: NSCoder) {
    coder.encode(curve.c1x, forKey: "c1x")
    coder.encode(curve.c1y, forKey: "c1y")
    coder.encode(curve.c2x, forKey: "c2x")
    coder.encode(curve.c2y, forKey: "c2y")
  }

  /// Decodes a curve; nil if one of its numbers is missing or not finite.
  public convenience init?(coder: NSCoder) {
    let keys = ["c1x", "c1y", "c2x", "c2y"]
    let points = keys.compactMap { coder.archivedNumber(forKey: $0) }
    guard points.count == keys.count else { return nil }
    func unit(_ v: Double) -> Double { min(max(v, 0), 1) }
    self.init(TimingCurve(unit(points[0]), points[1], unit(points[2]), points[3]))
  }

  /// Writes the x and y of the control point at `index`, 0 to 3, to `point`.
  public func getControlPoint(at index: Int, values point: UnsafeMutablePointer<Float>) {
    guard (0...3).contains(index) else {
      programmerError("a timing function has control points 0 to 3, not \(index)")
    }
    let points = [(0, 0), (curve.c1x, curve.c1y), (curve.c2x, curve.c2y), (1, 1)]
    point[0] = Float(points[index].0)
    point[1] = Float(points[index].1)
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CAMediaTimingFunction)?.curve == curve
  }

  public override var hash: Int { curve.hashValue }
}
