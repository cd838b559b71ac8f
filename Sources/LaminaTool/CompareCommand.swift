import Foundation
import Lamina

/// `lamina compare`.
struct CompareCommand {
  let first: String
  let second: String
  let limits: ComparisonLimits
  /// Where to draw the difference, or the folder for the differences of folders.
  let drawing: String?
  /// Where to write a page of what differs.
  let page: String?
  let ignoresMissing: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    first = arguments.positionals[0]
    second = arguments.positionals[1]
    let tolerance = try arguments.integer("--tolerance", in: 0...255) ?? 0
    let perceptual = try arguments.number("--perceptual", limit: 100)
    guard perceptual ?? 0 >= 0 else { throw UsageError("--perceptual: a ΔE is not below 0") }
    if perceptual != nil, arguments.has("--tolerance") {
      throw UsageError("--perceptual and --tolerance: pixels are counted by one of them")
    }
    let allowedPercent = try arguments.number("--allow", limit: 100) ?? 0
    guard allowedPercent >= 0 else { throw UsageError("--allow: a percentage is not below 0") }
    limits = ComparisonLimits(
      tolerance: tolerance, perceptual: perceptual, allowedPercent: allowedPercent)
    drawing = arguments.value("--diff")
    page = arguments.value("--html")
    ignoresMissing = arguments.has("--ignore-missing")
  }

  func run() throws -> ExitStatus {
    switch (try isFolder(first), try isFolder(second)) {
    case (true, true): return try compare(try folders())
    case (false, false): return try compareFiles()
    case (true, false): throw UsageError("compare: \(first) is a folder and \(second) is a file")
    case (false, true): throw UsageError("compare: \(first) is a file and \(second) is a folder")
    }
  }

  private func isFolder(_ path: String) throws(ImageError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw ImageError(name: path, problem: .unreadable(code: errno))
    }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  // MARK: Files

  private func compareFiles() throws -> ExitStatus {
    guard !ignoresMissing else { throw UsageError("--ignore-missing: these are not folders") }
    let pageFile = try page.map { path throws(OutputError) in try OutputFile(path: path) }
    let names = [first, second].map { URL(fileURLWithPath: $0).lastPathComponent }
    let pair = PicturePair(
      name: names[0] == names[1] ? names[0] : "\(names[0]) → \(names[1])",
      reference: first, result: second)
    let compared = try pair.compared(
      limits: limits, draws: drawing != nil || page != nil, measuresPerception: page != nil)
    if let drawing, let picture = compared.drawing { try OutputFile.write(picture, to: drawing) }
    try pageFile?.write(try report(of: [compared]).page())
    switch compared.outcome {
    case .identical(let size):
      print("identical, \(size)")
      return .success
    case .closeEnough(let figures):
      print("close enough: \(figures.text)")
      return .success
    case .sizesDiffer(let sizes): Report.error(sizes)
    default: print(line(compared))
    }
    return .different
  }

  // MARK: Folders

  /// The pairs of the two folders.
  func folders() throws(ImageError) -> FolderComparison {
    try FolderComparison(references: first, results: second, ignoresMissing: ignoresMissing)
  }

  /// Compares pairs of folders, and says what differs. The numbers are of pairs that were compared
  /// before.
  func compare(
    _ folders: FolderComparison, identical: Int = 0, closeEnough: Int = 0
  ) throws -> ExitStatus {
    let pageFile = try page.map { path throws(OutputError) in try OutputFile(path: path) }
    let compared = try folders.run(limits: limits, drawings: drawing, forPage: page != nil)
    var totals = ComparisonTotals(compared)
    totals.identical += identical
    totals.closeEnough += closeEnough
    for pair in compared {
      switch pair.outcome {
      case .identical, .closeEnough, .failed: break
      default: print(Report.oneLine("\(pair.pair.name): \(line(pair))"))
      }
    }
    print(Report.oneLine(totals.text(first: first, second: second)))
    try pageFile?.write(try report(of: compared).page())
    for case .failed(let message) in compared.map(\.outcome) { Report.error(message) }
    if totals.failed > 0 { return .badInput }
    return totals.hasDifferences ? .different : .success
  }

  /// What is printed of a pair that differs.
  private func line(_ compared: ComparedPair) -> String {
    switch compared.outcome {
    case .identical(let size): "identical, \(size)"
    case .closeEnough(let figures): "close enough: \(figures.text)"
    case .different(let figures): "different: \(figures.text)"
    case .sizesDiffer(let sizes): sizes
    case .referenceOnly: "only in \(first)"
    case .resultOnly: "only in \(second)"
    case .failed(let message): message
    }
  }

  private func report(of compared: [ComparedPair]) -> ComparisonReport {
    ComparisonReport(first: first, second: second, limits: limits, compared: compared)
  }
}

/// How many pairs had which outcome.
struct ComparisonTotals: Encodable, Equatable {
  var identical = 0
  var closeEnough = 0
  var different = 0
  var referenceOnly = 0
  var resultOnly = 0
  var failed = 0

  init(_ compared: [ComparedPair]) {
    for pair in compared {
      switch pair.outcome {
      case .identical: identical += 1
      case .closeEnough: closeEnough += 1
      case .different, .sizesDiffer: different += 1
      case .referenceOnly: referenceOnly += 1
      case .resultOnly: resultOnly += 1
      case .failed: failed += 1
      }
    }
  }

  var hasDifferences: Bool { different + referenceOnly + resultOnly > 0 }

  /// The last line that is printed. What is none is left out, but for these first ones.
  func text(first: String, second: String) -> String {
    let rest = [
      (closeEnough, "close enough"), (referenceOnly, "only in \(first)"),
      (resultOnly, "only in \(second)"), (failed, "not compared"),
    ]
    return
      (["\(identical) identical", "\(different) different"]
      + rest.compactMap { $0 > 0 ? "\($0) \($1)" : nil }).joined(separator: ", ")
  }
}
