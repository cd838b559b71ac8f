import Foundation
import Lamina
import Testing

@testable import LaminaSnapshotTesting

@Suite("Record modes") struct RecordModeTests {
  @Test("Without a reference, the modes but never write one; all of them fail")
  func missing() throws {
    for mode in SnapshotTestingConfiguration.Record.allCases {
      let recorder = Recorder(mode)
      let failures = recorder.failures(of: square(.red), as: .image, named: "square")
      #expect(failures.count == 1)
      #expect(recorder.names == (mode == .never ? [] : ["missing.square.png"]))
      let word =
        [.all: "recorded", .never: "there is no reference"][mode] ?? "there was no reference"
      #expect(failures.first?.hasPrefix(word) == true)
    }
  }

  @Test("Where the result is as the reference, only the mode all fails, and writes it again")
  func equal() throws {
    for mode in SnapshotTestingConfiguration.Record.allCases {
      let recorder = Recorder()
      _ = recorder.failures(of: square(.red), as: .image, named: "square")
      recorder.configuration.record = mode
      let failures = recorder.failures(of: square(.red), as: .image, named: "square")
      #expect(failures.count == (mode == .all ? 1 : 0))
    }
  }

  @Test("Where the result differs, all fail, and the modes all and failed write it")
  func different() throws {
    for mode in SnapshotTestingConfiguration.Record.allCases {
      let recorder = Recorder()
      _ = recorder.failures(of: square(.red), as: .image, named: "square")
      recorder.configuration.record = mode
      #expect(recorder.failures(of: square(.blue), as: .image, named: "square").count == 1)
      recorder.configuration.record = .never
      let isNew = recorder.failures(of: square(.blue), as: .image, named: "square").isEmpty
      #expect(isNew == [.all, .failed].contains(mode))
    }
  }

  @Test("An argument goes before withSnapshotTesting, and what that leaves out stays")
  func precedence() {
    withSnapshotTesting(record: .never, platform: .surfaceless, tolerance: 5) {
      withSnapshotTesting(record: .all) {
        let current = SnapshotTestingConfiguration.current
        #expect(current.record == .all)
        #expect(current.platform == .surfaceless)
        #expect(current.tolerance == 5)
        #expect(!current.everyPlatform)
        let given = current.with(
          record: .failed, platform: nil, everyPlatform: nil, tolerance: nil)
        #expect(given.record == .failed)
        #expect(given.platform == .surfaceless)
      }
      #expect(SnapshotTestingConfiguration.current.record == .never)
    }
  }

  @Test(
    "The trait sets the configuration and the clock of its test",
    .snapshots(record: .never, everyPlatform: true))
  func trait() async {
    #expect(SnapshotTestingConfiguration.current.record == .never)
    #expect(SnapshotTestingConfiguration.current.everyPlatform)
    #expect(CACurrentMediaTime() == 0)
    await withSnapshotTesting(everyPlatform: false) {
      await Task.yield()
      #expect(SnapshotTestingConfiguration.current.record == .never)
      #expect(!SnapshotTestingConfiguration.current.everyPlatform)
      #expect(CACurrentMediaTime() == 0)
    }
  }

  @Test("A reference that is no picture is named in the failure")
  func damaged() throws {
    let recorder = Recorder()
    let files = recorder.files("damaged.square.png")
    try files.record(Data("no picture".utf8))
    let failures = recorder.failures(of: square(.red), as: .image, named: "square")
    #expect(failures.count == 1)
    #expect(failures.first?.contains("damaged.square.png cannot be read") == true)
  }
}
