import Foundation
import Lamina
import Testing

/// Asserts that a value looks as its reference on disk does, in Swift Testing and in XCTest.
///
/// The value is made on a clock of its own: while it is, `CACurrentMediaTime()` is 0, and snapshots
/// of layers are taken at `times`, in seconds after that. The reference of a test `card()` in
/// `CardTests.swift` is `__Snapshots__/CardTests/card.1.png` beside that file, the next one in the
/// same test `card.2.png`; with a name in place of the number if one is given; and with the time if
/// there is more than one: `card.1-0.5s.png`. Tests with arguments must give names.
///
/// A failure says how the two differ, what drew the result, and where both and a picture of the
/// difference are: in the folder `SNAPSHOT_ARTIFACTS` of the environment, else in
/// `snapshot-artifacts` beside the tests' executable. In Swift Testing they are attached, too.
/// `record` is by default as `SnapshotTestingConfiguration` says.
public func assertSnapshot<Value, Format>(
  of value: @autoclosure () throws -> Value, as snapshotting: Snapshotting<Value, Format>,
  named name: String? = nil, at times: [CFTimeInterval] = [0],
  record: SnapshotTestingConfiguration.Record? = nil, fileID: StaticString = #fileID,
  file filePath: StaticString = #filePath, testName: String = #function, line: UInt = #line,
  column: UInt = #column
) {
  let place = AssertionPlace(
    fileID: fileID, filePath: filePath, testName: testName, line: line, column: column)
  let assertion = SnapshotAssertion(
    place: place, name: name, times: times,
    configuration: .current.with(
      record: record, platform: nil, everyPlatform: nil, tolerance: nil))
  for failure in assertion.failures(of: value, as: snapshotting) { place.report(failure) }
}

/// Asserts that what `value` makes looks as its reference on disk does: as above, for values that
/// take more than an expression to make.
///
///     assertSnapshot(as: .image(scale: 2), at: [0, 0.5, 1]) {
///       let card = CALayer()
///       …
///       return card
///     }
public func assertSnapshot<Value, Format>(
  as snapshotting: Snapshotting<Value, Format>, named name: String? = nil,
  at times: [CFTimeInterval] = [0], record: SnapshotTestingConfiguration.Record? = nil,
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
  testName: String = #function, line: UInt = #line, column: UInt = #column,
  _ value: () throws -> Value
) {
  assertSnapshot(
    of: try value(), as: snapshotting, named: name, at: times, record: record, fileID: fileID,
    file: filePath, testName: testName, line: line, column: column)
}
