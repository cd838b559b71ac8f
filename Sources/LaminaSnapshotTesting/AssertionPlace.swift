import Foundation
import Testing
import XCTest

/// Where an assertion stands in the sources.
struct AssertionPlace {
  let fileID: StaticString
  let filePath: StaticString
  let testName: String
  let line: UInt
  let column: UInt
  /// The test's file, beside which its references are.
  let source: URL

  init(
    fileID: StaticString, filePath: StaticString, testName: String, line: UInt, column: UInt,
    source: URL? = nil
  ) {
    (self.fileID, self.filePath, self.testName) = (fileID, filePath, testName)
    (self.line, self.column) = (line, column)
    self.source = source ?? URL(fileURLWithPath: "\(filePath)")
  }

  /// The test's module.
  var module: String { String("\(fileID)".prefix { $0 != "/" }) }

  /// Has the running test fail.
  func report(_ failure: SnapshotFailure) {
    guard Self.isSwiftTesting else {
      XCTFail(failure.message, file: filePath, line: line)
      return
    }
    let location = SourceLocation(
      fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
    Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
    for (name, bytes) in failure.attachments {
      Attachment.record(Array(bytes), named: name, sourceLocation: location)
    }
  }

  /// Whether Swift Testing runs the tests. A task that a test detached has no current test.
  private static var isSwiftTesting: Bool {
    Test.current != nil || CommandLine.arguments.contains("swift-testing")
  }
}
