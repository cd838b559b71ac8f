import Foundation
import Lamina
import Testing

@testable import LaminaCAML

@Suite("Writing documents")
struct WriterTests {
  private let documents: TemporaryDocuments
  private let warnings = Warnings()

  init() throws { documents = try TemporaryDocuments() }

  private func url(_ name: String) -> URL { documents.folder.appendingPathComponent(name) }

  /// The files of a bundle, by their paths in it.
  private func files(_ name: String) throws -> [String: Data] {
    let folder = url(name)
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where !folder.appendingPathComponent(path).hasDirectoryPath && path != "assets" {
      files[path] = try Data(contentsOf: folder.appendingPathComponent(path))
    }
    return files
  }

  /// The first file of two bundles that differs, and its first line that does.
  private func fileDifference(_ a: String, _ b: String) throws -> String? {
    let (files, others) = (try files(a), try files(b))
    guard files.keys.sorted() == others.keys.sorted() else {
      return "\(files.keys.sorted()), \(others.keys.sorted())"
    }
    for path in files.keys.sorted() where files[path] != others[path] {
      let lines = [files, others].map {
        String(decoding: $0[path] ?? Data(), as: UTF8.self).split(separator: "\n")
      }
      let line = zip(lines[0], lines[1]).first { $0 != $1 }
      return "\(path): \(line?.0 ?? ""), \(line?.1 ?? "")"
    }
    return nil
  }

  /// Reads the document, writes it as `name` and reads that.
  private func rewritten(_ document: CAMLDocument, as name: String) throws -> CAMLDocument {
    try CAMLWriter(document).writeBundle(to: url(name), warnings: warnings.add)
    return try CAMLDocument(contentsOf: url(name), warnings: warnings.add)
  }

  @Test(
    "Of 500 random trees each comes back equal in every property, and is written alike again",
    arguments: 0..<10)
  func randomTrees(part: Int) throws {
    for seed in part * 50..<part * 50 + 50 {
      let tree = try RandomDocuments.tree(seed: seed)
      try CAMLWriter(layer: tree).writeBundle(to: url("\(seed)a.ca"), warnings: warnings.add)
      let first = try CAMLDocument(contentsOf: url("\(seed)a.ca"), warnings: warnings.add)
      let difference = LayerDifference(tree, first.content.root).text
      #expect(difference == nil, "seed \(seed)")
      _ = try rewritten(first, as: "\(seed)b.ca")
      let change = try fileDifference("\(seed)a.ca", "\(seed)b.ca")
      #expect(change == nil, "seed \(seed)")
      #expect(warnings.messages == [], "seed \(seed)")
      guard difference == nil, warnings.all.isEmpty else { return }
    }
  }

  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let ownDocuments: [String] = {
    let files = FileManager.default.subpaths(atPath: repository.path) ?? []
    return files.filter { $0.hasSuffix(".caml") && !$0.hasSuffix("assetManifest.caml") }.sorted()
  }()

  @Test("The documents of this repository come back equal", arguments: ownDocuments)
  func repositoryDocuments(path: String) throws {
    let document = try CAMLDocument(contentsOf: Self.repository.appendingPathComponent(path))
    let again = try rewritten(document, as: "a.ca")
    #expect(LayerDifference(document.rootLayer, again.rootLayer).text == nil)
    #expect(document.size == again.size && document.placing == again.placing)
    #expect(document.stateNames == again.stateNames)
    _ = try rewritten(again, as: "b.ca")
    let change = try fileDifference("a.ca", "b.ca")
    #expect(change == nil)
    #expect(warnings.messages == [])
  }
}
