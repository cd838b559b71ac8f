/// The warnings about one document: at most a screen of them.
///
/// A warning is given once for each message. Those of one kind are those of one place in the
/// reader; of each kind and in all there are only so many, and then a number.
final class WarningLog {
  static let maximumOfKind = 20
  static let maximumWarnings = 30
  /// Kinds for which the number of those left out is given separately.
  static let maximumSummaries = 8
  private static let maximumMessageLength = 300

  /// The place in the source that gives a warning.
  struct Kind: Hashable {
    var file: String
    var line: UInt
  }

  private struct Shown {
    var messages: Set<String> = []
    var leftOutCount = 0
    var firstLeftOut: CAMLDiagnostic?
  }

  private let report: (CAMLDiagnostic) -> Void
  private var kinds: [Kind] = []
  private var shown: [Kind: Shown] = [:]
  private var count = 0

  init(report: @escaping (CAMLDiagnostic) -> Void) { self.report = report }

  func warn(_ message: String, at location: CAMLLocation, kind: Kind) {
    let isLong = message.utf8.count > Self.maximumMessageLength
    let text = isLong ? message.prefix(Self.maximumMessageLength) + "…" : message[...]
    let diagnostic = CAMLDiagnostic(location: location, message: String(text))
    if shown[kind] == nil { kinds.append(kind) }
    var seen = shown[kind, default: Shown()]
    if count < Self.maximumWarnings, seen.messages.count < Self.maximumOfKind,
      seen.messages.insert(diagnostic.message).inserted
    {
      count += 1
      report(diagnostic)
    } else {
      seen.leftOutCount += 1
      if seen.firstLeftOut == nil { seen.firstLeftOut = diagnostic }
    }
    shown[kind] = seen
  }

  /// Reports how many warnings were left out. Called once, at the end.
  func finish() {
    var summaries = 0
    var rest: (count: Int, first: CAMLDiagnostic)?
    for kind in kinds {
      guard let seen = shown[kind], let first = seen.firstLeftOut else { continue }
      if summaries < Self.maximumSummaries, seen.leftOutCount > 0 {
        summaries += 1
        reportMore(seen.leftOutCount, first)
      } else {
        rest = ((rest?.count ?? 0) + seen.leftOutCount, rest?.first ?? first)
      }
    }
    if let rest { reportMore(rest.count, rest.first) }
  }

  private func reportMore(_ count: Int, _ first: CAMLDiagnostic) {
    report(
      CAMLDiagnostic(
        location: first.location, message: "and \(count) more such as: \(first.message)"))
  }
}

extension CAMLDocument {
  /// Calls `body` with a log for its warnings, and then reports how many of them were left out.
  static func withLog<Result, Failure: Error>(
    _ report: @escaping (CAMLDiagnostic) -> Void, _ body: (WarningLog) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let log = WarningLog(report: report)
    defer { log.finish() }
    return try body(log)
  }
}
