import Lamina
import Testing

/// The configuration of a suite's or a test's snapshots, as `.snapshots(record: .failed)`.
public struct SnapshotsTrait: SuiteTrait, TestTrait, TestScoping {
  private let record: SnapshotTestingConfiguration.Record?
  private let platform: RenderPlatform?
  private let everyPlatform: Bool?
  private let tolerance: Int?

  public let isRecursive = true

  fileprivate init(
    _ record: SnapshotTestingConfiguration.Record?, _ platform: RenderPlatform?,
    _ everyPlatform: Bool?, _ tolerance: Int?
  ) {
    (self.record, self.platform) = (record, platform)
    (self.everyPlatform, self.tolerance) = (everyPlatform, tolerance)
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withSnapshotTesting(
      record: record, platform: platform, everyPlatform: everyPlatform, tolerance: tolerance
    ) { try await function() }
  }
}

extension Trait where Self == SnapshotsTrait {
  /// Has the snapshots of a suite or a test recorded and drawn as `SnapshotTestingConfiguration`
  /// says; what is not given stays as it is. Each test then has a clock of its own, so that
  /// `CACurrentMediaTime()` is 0 in it: the time at which snapshots begin.
  public static func snapshots(
    record: SnapshotTestingConfiguration.Record? = nil, platform: RenderPlatform? = nil,
    everyPlatform: Bool? = nil, tolerance: Int? = nil
  ) -> SnapshotsTrait {
    SnapshotsTrait(record, platform, everyPlatform, tolerance)
  }
}
