import Foundation
import Testing

/// A block, with the file and line where it begins.
struct Block: CustomTestStringConvertible {
  let place: String
  var lines: [String] = []
  var source: String { lines.joined(separator: "\n") }
  var testDescription: String { place }
}

/// The blocks of Swift in the README and the articles.
@Suite("Articles") struct ArticleTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func lines(_ file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  static let manifests: [Block] = blocks.filter {
    $0.lines.first?.hasPrefix("// swift-tools-version") == true
  }
  static let programs: [Block] = blocks.filter {
    $0.lines.first?.hasPrefix("// swift-tools-version") != true
  }

  private static let blocks: [Block] = {
    let articles = package.appendingPathComponent("Sources/Lamina/Lamina.docc")
    let files =
      (try? FileManager.default.contentsOfDirectory(at: articles, includingPropertiesForKeys: nil))
      ?? []
    let pages =
      [package.appendingPathComponent("README.md")] + files.filter { $0.pathExtension == "md" }
    var blocks: [Block] = []
    for page in pages.sorted(by: { $0.path < $1.path }) {
      var block: Block?
      for (number, line) in ((try? lines(page)) ?? []).enumerated() {
        if line == "```swift" {
          block = Block(place: "\(page.lastPathComponent):\(number + 1)")
        } else if line == "```", let whole = block {
          blocks.append(whole)
          block = nil
        } else {
          block?.lines.append(line)
        }
      }
    }
    return blocks
  }()

  /// What the blocks are held against: code that is built and run.
  private static let code: [[String]] = {
    ["ArticlePrograms.swift", "FirstProgram/main.swift", "CardTests.swift", "XCTestProgram.swift"]
      .compactMap {
        try? lines(package.appendingPathComponent("Tests/ArticleTests/" + $0))
      }
  }()

  @Test(
    "Code in the README and the articles stands in a program that is built and run",
    arguments: ArticleTests.programs)
  func isRun(block: Block) {
    let isImport = { (line: String) in line.hasPrefix("import ") }
    let body = block.lines.drop { isImport($0) || $0.isEmpty }
    let found = Self.code.contains { file in
      block.lines.filter(isImport).allSatisfy { file.contains($0) || $0 == "import Cards" }
        && file.firstRange(of: body) != nil
    }
    #expect(found, "\(block.place): no program has this block:\n\(body.joined(separator: "\n"))")
  }

  @Test("There are programs and manifests to look at")
  func count() {
    #expect(Self.programs.count >= 10, "\(Self.programs.count)")
    #expect(Self.manifests.count >= 2, "\(Self.manifests.count)")
  }

  @Test(
    "A manifest in the README and the articles names products that Lamina has",
    arguments: ArticleTests.manifests
  )
  func isManifest(block: Block) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("Manifest-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data((block.source + "\n").utf8).write(to: folder.appendingPathComponent("Package.swift"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "package", "--package-path", folder.path, "dump-package"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let dump = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(block.place)")
    let own = try String(
      contentsOf: Self.package.appendingPathComponent("Package.swift"), encoding: .utf8)
    let products = String(decoding: dump, as: UTF8.self).matches(
      of: /"product"\s*:\s*\[\s*"([A-Za-z]+)"/
    ).map { String($0.1) }
    #expect(!products.isEmpty)
    for product in products { #expect(own.contains(".library(name: \"\(product)\"")) }
  }

  @Test("The first program writes its picture, and says when the disc is blue")
  func firstProgram() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("FirstProgram-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("first-program")
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(
      FileManager.default.fileExists(atPath: folder.appendingPathComponent("half-way.png").path))
    let lines = said.split(separator: "\n")
    #expect(lines.filter { $0 == "the disc is blue" }.count == 1, "\(said)")
    #expect(lines.count == 31, "\(said)")
  }
}
