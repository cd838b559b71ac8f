import Foundation
import Lamina
import LaminaCAML
import LaminaInspector

/// `lamina inspect`.
struct InspectCommand {
  let document: DocumentArguments
  let times: InspectedTimes
  let output: String

  init(_ arguments: ParsedArguments) throws(UsageError) {
    document = try DocumentArguments(arguments)
    times = try InspectedTimes(arguments)
    guard let output = arguments.value("--output") else {
      throw UsageError("inspect: -o OUT.html is missing")
    }
    guard output.lowercased().hasSuffix(".html") else {
      throw UsageError("--output: \"\(output)\" does not end in .html")
    }
    self.output = output
  }

  func run() throws -> ExitStatus {
    let file = try OutputFile(path: output)
    let page = try InspectorPage(of: document, times)
    try file.write(Data(page.html().utf8))
    return .success
  }
}

extension InspectorPage {
  /// The page of a document.
  init(of document: DocumentArguments, _ times: InspectedTimes) throws {
    let stage = try DocumentStage(document, background: .none, keepsWide: false)
    var frameCount: Int?
    if case .moment = times { frameCount = InspectedTimes.usualCount }
    let times = try times.times(of: stage)
    self.init(
      title: URL(fileURLWithPath: document.path).lastPathComponent,
      frameCount: frameCount ?? times.count)
    let progress = ProgressBar(total: times.count)
    defer { progress.finish() }
    for (index, time) in times.enumerated() {
      try stage.changeStates(until: time)
      try addFrame(of: stage.renderer, at: time)
      progress.update(index + 1)
    }
  }
}

/// The times that the inspector's page has.
enum InspectedTimes: Equatable {
  /// Frames spread over the document.
  case usual
  /// What the flags say.
  case stated(FrameTimesArguments)
  /// One frame, as large as one of many.
  case moment(Double)

  /// How many frames there are if no flag says so, and how many there may be.
  static let usualCount = 40
  static let maximumCount = 2000

  init(_ arguments: ParsedArguments) throws(UsageError) {
    let isStated = ["--at", "--from", "--to", "--fps", "--count"].contains(where: arguments.has)
    self = isStated ? .stated(try FrameTimesArguments(arguments, form: .raw)) : .usual
  }

  /// The times of a document's frames, in order.
  func times(of stage: DocumentStage) throws(UsageError) -> [Double] {
    switch self {
    case .usual:
      guard let last = stage.lastMotion, last.end > 0 else { return [0] }
      let count = Self.usualCount
      return FrameTimes(start: 0, count: count, perSecond: Double(count) / last.end).all
    case .moment(let time): return [time]
    case .stated(let stated):
      let times =
        stated.needsLength
        ? try stated.times(of: stage.lastMotion) : try stated.times(until: stated.start)
      guard times.count <= Self.maximumCount else {
        throw UsageError(
          "a page has at most \(Self.maximumCount) frames, not \(times.count): --fps or --count says"
            + " how many there are, --to where they end")
      }
      return times.all
    }
  }
}
