import Foundation
import Lamina
import Testing

@testable import LaminaSnapshotTesting

/// A folder for the references of assertions that are tested, which is removed with it.
final class Recorder {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("lamina-snapshots-\(UUID().uuidString)")
  var configuration = SnapshotTestingConfiguration()

  init(_ record: SnapshotTestingConfiguration.Record = .missing) {
    configuration.record = record
    configuration.platform = .software
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The folder of the references of `PictureTests.swift`.
  var references: URL { folder.appendingPathComponent("__Snapshots__/PictureTests") }

  /// Where the references and the result, the reference, and the difference of a failure are.
  func files(_ name: String, test: String = #function) -> SnapshotFiles {
    SnapshotFiles(place: place(test), name: name)
  }

  private func place(_ test: String) -> AssertionPlace {
    AssertionPlace(
      fileID: "PictureTests/PictureTests.swift", filePath: #filePath, testName: test, line: 1,
      column: 1, source: folder.appendingPathComponent("PictureTests.swift"))
  }

  /// Makes an assertion, and returns what it reports.
  func failures<Value, Format>(
    of value: @autoclosure () throws -> Value, as snapshotting: Snapshotting<Value, Format>,
    named name: String? = nil, at times: [Double] = [0], test: String = #function
  ) -> [String] {
    let assertion = SnapshotAssertion(
      place: place(test), name: name, times: times, configuration: configuration)
    return assertion.failures(of: value, as: snapshotting).map(\.message)
  }

  /// The names of all references.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: references.path)) ?? []).sorted()
  }
}

/// A square of `side` points in one colour.
func square(_ color: CGColor, side: CGFloat = 8) -> CALayer {
  let layer = CALayer()
  layer.bounds = CGRect(x: 0, y: 0, width: side, height: side)
  layer.backgroundColor = color
  return layer
}

extension CGColor {
  static let red = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
  static let nearlyRed = CGColor(red: 251 / 255, green: 3 / 255, blue: 2 / 255, alpha: 1)
  static let blue = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
}
