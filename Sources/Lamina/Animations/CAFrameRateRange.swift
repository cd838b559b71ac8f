/// A range of frame rates, in frames a second.
public struct CAFrameRateRange: Hashable, Sendable {
  /// The lowest rate, in frames a second; 0 for no limit.
  public var minimum: Float
  /// The highest rate, in frames a second; 0 for no limit.
  public var maximum: Float
  /// The preferred rate; nil for no preference within the range.
  public var preferred: Float?

  /// The default range.
  public init() { self = .default }

  /// A range of rates, in frames a second.
  public init(minimum: Float, maximum: Float, preferred: Float? = nil) {
    self.minimum = minimum
    self.maximum = maximum
    self.preferred = preferred
  }

  /// The system's choice: both limits are 0 and there is no preference.
  public static let `default` = Self(minimum: 0, maximum: 0)
}
