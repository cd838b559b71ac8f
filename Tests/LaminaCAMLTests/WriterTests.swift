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
      let others = warnings.messages.filter { !$0.contains("CATiledLayer has no tiles") }
      #expect(others == [], "seed \(seed)")
      guard difference == nil, others.isEmpty else { return }
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

  // MARK: Images

  private func image(_ side: Int) throws -> CGImage {
    let pixels = [UInt8](repeating: 200, count: side * side * 4)
    return try CGImage(width: side, height: side, unpremultipliedRGBA: pixels)
  }

  @Test("Images keep their files' names and bytes, and those of one name are told apart")
  func imageNames() throws {
    let pngs = try (1...3).map { try image($0).pngData() }
    for (name, png) in zip(["Background", "Floating", "Foreground"], pngs) {
      try documents.write(png, to: "folder/\(name).ca/assets/a b%.png")
      try documents.write(
        TemporaryDocuments.caml(
          "<CALayer bounds=\"0 0 9 9\"><contents type=\"CGImage\" src=\"assets/a%20b%25.png\"/></CALayer>"
        ), to: "folder/\(name).ca/main.caml")
    }
    let document = try CAMLDocument(contentsOf: url("folder"), warnings: warnings.add)
    let again = try rewritten(document, as: "x.ca")
    let files = try files("x.ca")
    #expect(
      ["a b%.png", "a b%-2.png", "a b%-3.png"].map { files["assets/\($0)"] } == pngs)
    #expect(files.count == 5)
    #expect(LayerDifference(document.rootLayer, again.rootLayer).text == nil)
    #expect(warnings.messages == [])
  }

  @Test("An image in a data: URI becomes a file with its bytes, one of the program's a PNG")
  func otherImages() throws {
    let png = try image(2).pngData()
    let document = try documents.document(
      """
      <CALayer bounds="0 0 9 9"><contents type="CGImage" \
      src="data:image/png;base64,\(png.base64EncodedString())"/></CALayer>
      """)
    let own = CALayer()
    own.contents = try image(3)
    let copy = CALayer()
    copy.contents = own.contents
    document.content.root.addSublayer(own)
    document.content.root.addSublayer(copy)
    _ = try rewritten(document, as: "x.ca")
    let files = try files("x.ca")
    #expect(files["assets/image.png"] == png)
    #expect(try files["assets/image-2.png"] == image(3).pngData())
    #expect(files.count == 4)
  }

  // MARK: What is left out

  @Test("What documents cannot contain is one warning each, and the rest is written")
  func losses() throws {
    let layer = CALayer()
    layer.bounds = CGRect(x: 0, y: 0, width: 9, height: 9)
    layer.name = "a\u{1}b"
    layer.zPosition = 1e12
    layer.shadowRadius = 3
    layer.setValue(1, forKey: "wobble")
    let animation = CABasicAnimation(keyPath: "opacity")
    animation.setValue("mine", forKey: "owner")
    animation.toValue = 0.5
    layer.add(animation, forKey: "fade")
    let state = CAState(name: "A")
    state.addElement(CAStateSetValue(target: CALayer(), keyPath: "opacity", value: 1))
    state.addElement(CAStateSetValue(target: layer, keyPath: "opacity", value: { 1 }))
    layer.states = [state]
    try CAMLWriter(layer: layer).writeBundle(to: url("a.ca"), warnings: warnings.add)
    for word in ["name", "zPosition", "wobble", "owner", "not in the document", "without opacity"] {
      #expect(warnings.messages.filter { $0.contains(word) }.count == 1, "\(word)")
    }
    #expect(warnings.all.count == 6)
    let root = try CAMLDocument(contentsOf: url("a.ca")).content.root
    #expect(root.name == "a\u{fffd}b")
    #expect(root.shadowRadius == 3)
    #expect((root.animation(forKey: "fade") as? CABasicAnimation)?.toValue as? Double == 0.5)
    #expect(root.states?.map(\.name) == ["A"])
  }

  @Test("A group of animations that holds itself is written without its animations")
  func circularGroup() throws {
    let group = CAAnimationGroup()
    group.animations = [group]
    let layer = CALayer()
    layer.bounds = CGRect(x: 0, y: 0, width: 9, height: 9)
    let transition = CAStateTransition(fromState: "*", toState: "*")
    transition.elements = [
      CAStateTransitionElement(target: layer, key: "opacity", animation: group)
    ]
    layer.stateTransitions = [transition]
    try CAMLWriter(layer: layer).writeBundle(to: url("a.ca"), warnings: warnings.add)
    group.animations = nil
    #expect(warnings.messages.first?.contains("CAAnimationGroup") == true)
    #expect(warnings.all.count == 1)
  }

  @Test("What is there already stays, and is an error that names it")
  func existing() throws {
    try documents.write("mine", to: "a.ca/main.caml")
    #expect(throws: CAMLError.self) { try CAMLWriter(layer: CALayer()).fileText() }
    let error = try #require(throws: CAMLError.self) {
      try CAMLWriter(layer: CALayer(), size: CGSize(width: 1, height: 1))
        .writeBundle(to: url("a.ca"))
    }
    #expect(error.code == .unwritable)
    #expect("\(error)".contains("a.ca: there is something already"))
    #expect(try files("a.ca") == ["main.caml": Data("mine".utf8)])
  }

  @Test("A bundle that cannot be written says why")
  func unwritable() throws {
    try documents.write("a file", to: "file")
    for (name, reason) in [
      ("none/a.ca", "no such file"), ("file/a.ca", "a part of its path is no folder"),
    ] {
      let error = try #require(throws: CAMLError.self) {
        try CAMLWriter(layer: CALayer(), size: CGSize(width: 1, height: 1))
          .writeBundle(to: url(name))
      }
      #expect("\(error)".hasSuffix("\(name): cannot be written: \(reason)"))
    }
  }
}
