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
  /// The first value applies before the begin, and the last one remains after the end.
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

  /// The same pace throughout.
  public static let linear = Self(rawValue: "linear")
  /// Slow at the beginning: the Bézier curve (0.42, 0), (1, 1).
  public static let easeIn = Self(rawValue: "easeIn")
  /// Slow at the end: the Bézier curve (0, 0), (0.58, 1).
  public static let easeOut = Self(rawValue: "easeOut")
  /// Slow at both ends: the Bézier curve (0.42, 0), (0.58, 1).
  public static let easeInEaseOut = Self(rawValue: "easeInEaseOut")
  /// Quick at first, slow at the end: the Bézier curve (0.25, 0.1), (0.25, 1).
  public static let `default` = Self(rawValue: "default")
}
