import Foundation
import Synchronization
import Testing

/// The files of one snapshot: its reference, and what a failure leaves.
struct SnapshotFiles {
  /// The reference's name, such as `card.1.png`.
  let name: String
  /// The reference, in `__Snapshots__/FILE` beside the test's file.
  let reference: URL
  /// The folder of the references of all files beside the test's.
  private let references: URL
  /// The test's file without its ending.
  private let file: String
  /// The folder of what the module's failures leave.
  private let artifacts: URL

  /// What a failure leaves, a folder each.
  private enum Artifact: String, CaseIterable {
    case reference, result, difference
  }

  init(place: AssertionPlace, name: String) {
    self.name = name
    let source = place.source
    file = source.deletingPathExtension().lastPathComponent
    references = source.deletingLastPathComponent().appendingPathComponent("__Snapshots__")
    reference = references.appendingPathComponent(file).appendingPathComponent(name)
    artifacts = Self.artifacts.appendingPathComponent(place.module)
  }

  /// The folder of what failures leave.
  private static let artifacts: URL = {
    if let path = ProcessInfo.processInfo.environment["SNAPSHOT_ARTIFACTS"], !path.isEmpty {
      return URL(fileURLWithPath: path)
    }
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return executable.deletingLastPathComponent().appendingPathComponent("snapshot-artifacts")
  }()

  /// Writes the reference.
  func record(_ data: Data) throws { try Self.write(data, to: reference) }

  /// Writes what a failure leaves.
  func write(reference: Data, result: Data, difference: Data?) throws {
    try Self.write(reference, to: url(of: .reference))
    try Self.write(result, to: url(of: .result))
    if let difference { try Self.write(difference, to: url(of: .difference)) }
  }

  /// Removes what an earlier run's failure left.
  func removeArtifacts() {
    for artifact in Artifact.allCases { unlink(url(of: artifact).path) }
  }

  /// The files that a failure left, and the command that makes a report of all the module's
  /// failures.
  func descriptionOfArtifacts(hasPicture: Bool) -> [String] {
    let kinds = Artifact.allCases.filter { hasPicture || $0 != .difference }
    let report = artifacts.appendingPathComponent("report.html").path
    let folder = artifacts.appendingPathComponent(Artifact.result.rawValue).path
    return kinds.map { "\($0): \(url(of: $0).path)" } + [
      "report: lamina compare --ignore-missing \(Self.quoted(references.path))"
        + " \(Self.quoted(folder)) --html \(Self.quoted(report))"
    ]
  }

  /// The name of an attachment, such as `card.1.result.png`.
  func attachmentName(_ kind: String) -> String {
    let url = URL(fileURLWithPath: name)
    return "\(url.deletingPathExtension().lastPathComponent).\(kind).\(url.pathExtension)"
  }

  private func url(of artifact: Artifact) -> URL {
    artifacts.appendingPathComponent(artifact.rawValue).appendingPathComponent(file)
      .appendingPathComponent(name)
  }

  /// Writes a file, and the folders that it lies in. It is never there in part.
  private static func write(_ data: Data, to url: URL) throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url, options: .atomic)
  }

  /// A word for a shell.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+@".contains($0))
    }
    return isPlain ? word : "'\(word.replacingOccurrences(of: "'", with: "'\\''"))'"
  }
}

/// The names of references, which are counted in each test.
enum SnapshotNames {
  private struct Owner: Hashable {
    let file: String
    let test: String
  }

  private struct Count {
    /// The test that the names are given to.
    let test: Test.ID?
    var number = 0
  }

  private static let counts = Mutex<[Owner: Count]>([:])

  /// A reference's name up to the time and the ending, such as `card.1` or `card.wide`.
  static func base(at place: AssertionPlace, name: String?) throws -> String {
    let test = fileName(place.testName)
    if name == nil, Test.Case.current?.isParameterized == true {
      throw SnapshotError("a test with arguments must give its snapshots names, by named:")
    }
    let owner = Owner(file: place.source.path, test: test)
    let current = Test.current?.id
    let number = try counts.withLock { counts in
      var count = counts[owner] ?? Count(test: current)
      guard count.test == current || name != nil else {
        throw SnapshotError(
          "two tests of this file are named \(test), and so their references: rename one, or give"
            + " named:")
      }
      if name == nil { count.number += 1 }
      counts[owner] = count
      return count.number
    }
    return "\(test).\(name.map(fileName) ?? "\(number)")"
  }

  /// A time as a part of a file's name: 1 and 0.5, not 1.0.
  static func text(_ time: Double) -> String {
    let text = "\(time)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A text as a part of a file's name: what are no letters, digits and underscores become single
  /// dashes, which do not begin or end it.
  static func fileName(_ text: String) -> String {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.joined(separator: "-")
  }
}
