import Foundation
import LaminaInspector

/// A page that shows what differs, in one file that needs nothing else.
struct ComparisonReport {
  let first: String
  let second: String
  let limits: ComparisonLimits
  let compared: [ComparedPair]

  func page() throws -> Data {
    let page = SelfContainedPage(
      title: "Comparison", body: PackageResources.body_html, style: PackageResources.page_css,
      script: PackageResources.page_js)
    let contents = Contents(
      first: first, second: second, limit: limits.text, allowedPercent: limits.allowedPercent,
      totals: ComparisonTotals(compared), pairs: worstFirst.map(Entry.init))
    return Data(try page.html(data: contents).utf8)
  }

  /// The pairs that differ: those that were not compared, those with one picture, those of two
  /// sizes, then the others by their mean ΔE.
  var worstFirst: [ComparedPair] {
    func rank(_ pair: ComparedPair) -> (Int, Double)? {
      switch pair.outcome {
      case .identical, .closeEnough: nil
      case .failed: (0, 0)
      case .referenceOnly: (1, 0)
      case .resultOnly: (2, 0)
      case .sizesDiffer: (3, 0)
      case .different(let figures): (4, -(figures.perceived?.mean ?? figures.percent))
      }
    }
    return
      compared.compactMap { pair in rank(pair).map { (rank: $0, pair: pair) } }
      .sorted {
        ($0.rank.0, $0.rank.1, $0.pair.pair.name) < ($1.rank.0, $1.rank.1, $1.pair.pair.name)
      }
      .map(\.pair)
  }

  /// All that the page's script knows.
  private struct Contents: Encodable {
    let first: String
    let second: String
    let limit: String
    let allowedPercent: Double
    let totals: ComparisonTotals
    let pairs: [Entry]
  }

  /// A pair on the page.
  private struct Entry: Encodable {
    let name: String
    let kind: Kind
    /// What there is to say of a pair without figures.
    var message: String?
    var figures: Figures?
    var reference: String?
    var result: String?
    var drawing: String?
    /// The lines of shell that make the result the reference.
    let commands: [String]

    enum Kind: String, Encodable {
      case failed, removed, new, size, different
    }

    struct Figures: Encodable {
      let pixelCount: Int
      let differingCount: Int
      let percent: Double
      let greatest: Int
      let mean: Double
      let perceived: DifferenceFigures.Perceived?
      let box: DifferenceFigures.Box?
    }

    init(_ compared: ComparedPair) {
      name = compared.pair.name
      switch compared.outcome {
      case .failed(let message):
        (kind, self.message) = (.failed, message)
        commands = []
        return
      case .referenceOnly: kind = .removed
      case .resultOnly: kind = .new
      case .sizesDiffer(let sizes): (kind, message) = (.size, sizes)
      case .identical, .closeEnough: kind = .different
      case .different(let figures):
        kind = .different
        self.figures = Figures(
          pixelCount: figures.pixelCount, differingCount: figures.differingCount,
          percent: figures.percent, greatest: figures.greatest, mean: figures.mean,
          perceived: figures.perceived, box: figures.box)
      }
      commands = compared.pair.acceptingCommands
      if kind != .new { reference = Self.address(ofFile: compared.pair.reference) }
      if kind != .removed { result = Self.address(ofFile: compared.pair.result) }
      drawing = compared.drawing.flatMap(Self.address)
    }

    private static func address(ofFile path: String) -> String? {
      (try? Data(contentsOf: URL(fileURLWithPath: path))).flatMap(address)
    }

    /// A picture's bytes as the address of an image; nil if they are of no known format.
    private static func address(_ bytes: Data) -> String? {
      let formats: [(start: [UInt8], name: String)] = [
        ([0x89, 0x50, 0x4e, 0x47], "png"), ([0xff, 0xd8, 0xff], "jpeg"),
        (Array("RIFF".utf8), "webp"),
      ]
      guard let format = formats.first(where: { bytes.starts(with: $0.start) }) else { return nil }
      return "data:image/\(format.name);base64," + bytes.base64EncodedString()
    }
  }
}

extension PicturePair {
  /// The lines of shell that make the result the reference: they copy it or, if there is none,
  /// remove the reference.
  var acceptingCommands: [String] {
    let target = Self.absolute(reference)
    guard presence != .referenceOnly else { return ["rm -- \(Self.quoted(target))"] }
    let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
    let copy = "cp -- \(Self.quoted(Self.absolute(result))) \(Self.quoted(target))"
    let isThere = FileManager.default.fileExists(atPath: folder)
    return isThere ? [copy] : ["mkdir -p -- \(Self.quoted(folder))", copy]
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
  }

  /// The text as one word of a shell: nothing but a single quote has a meaning in single quotes.
  static func quoted(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }
}
