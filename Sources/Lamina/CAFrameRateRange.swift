/// How often somebody wants a frame, in frames a second.
public struct CAFrameRateRange: Hashable, Sendable {
  public var minimum: Float
  public var maximum: Float
  /// nil for no preference within the range.
  public var preferred: Float?

  /// The default range.
  public init() { self = .default }

  public init(minimum: Float, maximum: Float, preferred: Float? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.preferred = preferred
  }

  /// Whatever suits the system: all zero, and no preference.
  public static let `default` = Self(minimum: 0, maximum: 0)
}
