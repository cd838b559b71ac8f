import Foundation
import Lamina

/// How snapshots are recorded and drawn. `withSnapshotTesting` and the trait `.snapshots` set it.
public struct SnapshotTestingConfiguration: Sendable {
  /// When references are written.
  public enum Record: String, Sendable, CaseIterable {
    /// Always, without comparing. Every assertion fails, so that this mode is not left on.
    case all
    /// If the result differs from the reference, or there is none. Such assertions fail.
    case failed
    /// If there is no reference. Such assertions fail.
    case missing
    /// Never: an assertion without a reference fails.
    case never
  }

  /// When references are written. Default: as the environment's `SNAPSHOT_TESTING_RECORD` says,
  /// else `missing`.
  public var record: Record
  /// What draws the layers. Default: as the environment's `SNAPSHOT_TESTING_PLATFORM` says, else
  /// `software`, whose pictures have the same bytes on every machine.
  public var platform: RenderPlatform
  /// Whether layers are drawn on all other platforms of the machine too, each of which must agree
  /// with `platform` within `tolerance` and the assertion's precision. Default: false.
  public var everyPlatform: Bool
  /// How far a channel may be, of 255, from what `software` draws, if another platform drew it.
  /// Default: 2.
  public var tolerance: Int

  /// The configuration of the current task.
  @TaskLocal public static var current = SnapshotTestingConfiguration()

  /// The defaults, with what `SNAPSHOT_TESTING_RECORD` and `SNAPSHOT_TESTING_PLATFORM` say.
  public init() {
    let environment = ProcessInfo.processInfo.environment
    record = Self.value(.missing, in: environment, under: "SNAPSHOT_TESTING_RECORD")
    platform = Self.value(.software, in: environment, under: "SNAPSHOT_TESTING_PLATFORM")
    (everyPlatform, tolerance) = (false, 2)
  }

  /// A word that means nothing ends the run: tests that look well must not hide it.
  private static func value<Value: RawRepresentable<String> & CaseIterable>(
    _ usual: Value, in environment: [String: String], under name: String
  ) -> Value {
    guard let word = environment[name], !word.isEmpty else { return usual }
    guard let value = Value(rawValue: word) else {
      let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
      programmerError("\(name) is \"\(word)\", which is none of \(words)")
    }
    return value
  }

  /// A copy with what is given in place of its own.
  func with(
    record: Record?, platform: RenderPlatform?, everyPlatform: Bool?, tolerance: Int?
  ) -> SnapshotTestingConfiguration {
    var copy = self
    copy.record = record ?? self.record
    copy.platform = platform ?? self.platform
    copy.everyPlatform = everyPlatform ?? self.everyPlatform
    copy.tolerance = tolerance ?? self.tolerance
    return copy
  }
}

/// Calls `body` with another configuration for the assertions in it. What is nil stays as it is.
/// Under it `CACurrentMediaTime()` is 0: the time at which snapshots begin.
public func withSnapshotTesting<Result>(
  record: SnapshotTestingConfiguration.Record? = nil, platform: RenderPlatform? = nil,
  everyPlatform: Bool? = nil, tolerance: Int? = nil, _ body: () throws -> Result
) rethrows -> Result {
  let configuration = SnapshotTestingConfiguration.current.with(
    record: record, platform: platform, everyPlatform: everyPlatform, tolerance: tolerance)
  return try SnapshotTestingConfiguration.$current.withValue(configuration) {
    try MediaClock.$current.withValue(.manual()) { try body() }
  }
}

/// The same for a `body` that waits.
public func withSnapshotTesting<Result>(
  record: SnapshotTestingConfiguration.Record? = nil, platform: RenderPlatform? = nil,
  everyPlatform: Bool? = nil, tolerance: Int? = nil,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
  let configuration = SnapshotTestingConfiguration.current.with(
    record: record, platform: platform, everyPlatform: everyPlatform, tolerance: tolerance)
  return try await SnapshotTestingConfiguration.$current.withValue(configuration) {
    try await MediaClock.$current.withValue(.manual()) { try await body() }
  }
}
