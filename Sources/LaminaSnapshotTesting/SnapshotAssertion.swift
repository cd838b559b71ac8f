import Foundation
import Lamina

/// Why an assertion fails.
struct SnapshotFailure {
  let message: String
  /// Files that belong to it.
  var attachments: [(name: String, bytes: Data)] = []
}

/// One assertion: takes the snapshots and compares them with their references.
struct SnapshotAssertion {
  let place: AssertionPlace
  let name: String?
  let times: [CFTimeInterval]
  let configuration: SnapshotTestingConfiguration

  /// All that fails. Writes references as the record mode says.
  func failures<Value, Format>(
    of value: () throws -> Value, as snapshotting: Snapshotting<Value, Format>
  ) -> [SnapshotFailure] {
    var failures: [SnapshotFailure] = []
    do {
      guard !times.isEmpty, times.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
        throw SnapshotError("at: \(times) are no times from 0 on, in seconds")
      }
      let base = try SnapshotNames.base(at: place, name: name)
      let stage = SnapshotStage(times: times, configuration: configuration)
      let drawings = try MediaClock.$current.withValue(stage.clock) {
        try snapshotting.take(value(), stage)
      }
      for index in drawings[0].snapshots.indices {
        let moment =
          drawings[0].snapshots.count > 1 ? "-\(SnapshotNames.text(times[index]))s" : ""
        let check = SnapshotCheck(
          files: SnapshotFiles(
            place: place, name: "\(base)\(moment).\(snapshotting.pathExtension)"),
          diffing: snapshotting.diffing, configuration: configuration)
        if let failure = try check.failure(of: drawings[0], at: index) { failures.append(failure) }
        for other in drawings.dropFirst() {
          let failure = try check.disagreement(of: drawings[0], with: other, at: index)
          if let failure { failures.append(failure) }
        }
      }
    } catch {
      failures.append(SnapshotFailure(message: "no snapshot could be taken: \(error)"))
    }
    return failures
  }
}

/// The comparison of one snapshot with its reference.
private struct SnapshotCheck<Format> {
  let files: SnapshotFiles
  let diffing: Diffing<Format>
  let configuration: SnapshotTestingConfiguration

  func failure(of drawing: Drawing<Format>, at index: Int) throws -> SnapshotFailure? {
    let snapshot = drawing.snapshots[index]
    if let message = try recordInstead(snapshot) { return SnapshotFailure(message: message) }
    let recorded = try Data(contentsOf: files.reference)
    let reference: Format
    do {
      reference = try diffing.fromData(recorded)
    } catch {
      throw SnapshotError("\(files.reference.path) cannot be read: \(error)")
    }
    // Drawn by software, and text, is the same everywhere.
    let tolerance = [nil, .software].contains(drawing.platform) ? 0 : configuration.tolerance
    guard let difference = try diffing.difference(reference, snapshot, tolerance) else {
      files.removeArtifacts()
      return nil
    }
    let result = try diffing.toData(snapshot)
    try files.write(reference: recorded, result: result, difference: difference.picture)
    var lines = ["\(files.name) differs from its reference: \(difference.message)"]
    if let renderer = drawing.renderer { lines.append("drawn by \(renderer)") }
    lines += files.descriptionOfArtifacts(hasPicture: difference.picture != nil)
    if configuration.record == .failed {
      try files.record(result)
      lines.append("recorded anew, since the record mode is failed")
    }
    return SnapshotFailure(
      message: lines.joined(separator: "\n"),
      attachments: attachments(
        [("reference", recorded), ("result", result), ("difference", difference.picture)]))
  }

  /// Writes the reference if it is not to be compared with. Returns what to report then.
  private func recordInstead(_ snapshot: Format) throws -> String? {
    let path = files.reference.path
    let hasReference = FileManager.default.fileExists(atPath: path)
    switch configuration.record {
    case .all:
      try files.record(diffing.toData(snapshot))
      return "recorded \(path), since the record mode is all: choose another to compare"
    case .never where !hasReference:
      return "there is no reference \(path), and the record mode is never"
    case .missing where !hasReference, .failed where !hasReference:
      try files.record(diffing.toData(snapshot))
      return "there was no reference; recorded \(path): look at it, and run the test again"
    case .never, .missing, .failed: return nil
    }
  }

  /// How another platform's drawing differs from the snapshot.
  func disagreement(
    of drawing: Drawing<Format>, with other: Drawing<Format>, at index: Int
  ) throws -> SnapshotFailure? {
    let (snapshot, drawn) = (drawing.snapshots[index], other.snapshots[index])
    let tolerance = configuration.tolerance
    guard let difference = try diffing.difference(snapshot, drawn, tolerance) else { return nil }
    return SnapshotFailure(
      message: "\(files.name): \(other.renderer ?? "another platform") draws otherwise than"
        + " \(drawing.renderer ?? "the first one"): \(difference.message)",
      attachments: attachments([
        ("result", try diffing.toData(snapshot)), ("other", try diffing.toData(drawn)),
        ("difference", difference.picture),
      ]))
  }

  private func attachments(_ kinds: [(String, Data?)]) -> [(name: String, bytes: Data)] {
    kinds.compactMap { kind, data in data.map { (files.attachmentName(kind), $0) } }
  }
}
