import Foundation
import Testing

@testable import LaminaCAML

@Suite("What a document's src may name")
struct BundleFilesTests {
  private let documents: TemporaryDocuments
  private let files: BundleFiles

  init() throws {
    documents = try TemporaryDocuments()
    try documents.write("inside", to: "a.ca/assets/Some Name (1).png")
    try documents.write("inside", to: "a.ca/assets/100%.png")
    try documents.write("outside", to: "secret.png")
    try documents.write("outside", to: "a.ca2/secret.png")
    files = BundleFiles(folder: documents.folder.appendingPathComponent("a.ca"))
  }

  private func file(_ src: String) throws -> String? {
    guard case .file(let url) = try files.source(src) else { return nil }
    return url.lastPathComponent
  }

  @Test("Percent-encoding is undone, and a name that only looks encoded is found too")
  func decoding() throws {
    #expect(try file("assets/Some%20Name%20(1).png") == "Some Name (1).png")
    #expect(try file("assets/Some Name (1).png") == "Some Name (1).png")
    #expect(try file("assets/100%.png") == "100%.png")
  }

  @Test(
    "Of a path on the device only the asset's name counts",
    arguments: ["/var/mobile/Some%20Name%20(1).png", "file:///x/Some%20Name%20(1).png"])
  func devicePaths(src: String) throws {
    #expect(try file(src) == "Some Name (1).png")
  }

  @Test(
    "Nothing outside the bundle can be named",
    arguments: [
      "../secret.png", "assets/../../secret.png", "%2e%2e/secret.png", "..%2Fsecret.png",
      "../a.ca2/secret.png", "/etc/passwd", "file:///etc/passwd", "assets/..", ".", "..", "",
      "assets/a%00.png", "/..", "//", "/../../secret.png",
    ])
  func escapes(src: String) {
    #expect(throws: BundleFiles.Refusal.self) { try files.source(src) }
  }

  @Test("A link may lead only to where the path itself may lead")
  func links() throws {
    let assets = documents.folder.appendingPathComponent("a.ca/assets")
    try FileManager.default.createSymbolicLink(
      at: assets.appendingPathComponent("out.png"),
      withDestinationURL: documents.folder.appendingPathComponent("secret.png"))
    try FileManager.default.createSymbolicLink(
      at: assets.appendingPathComponent("in.png"),
      withDestinationURL: assets.appendingPathComponent("100%.png"))
    try FileManager.default.createSymbolicLink(
      at: assets.appendingPathComponent("up"), withDestinationURL: documents.folder)
    #expect(throws: BundleFiles.Refusal.self) { try files.source("assets/out.png") }
    #expect(throws: BundleFiles.Refusal.self) { try files.source("assets/up/secret.png") }
    #expect(try file("assets/in.png") == "in.png")
  }

  @Test("Folders and pipes are no files")
  func specialFiles() throws {
    let pipe = documents.folder.appendingPathComponent("a.ca/assets/pipe.png")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(throws: BundleFiles.Refusal.self) { try files.source("assets/pipe.png") }
    #expect(throws: BundleFiles.Refusal.self) { try files.source("assets") }
  }

  @Test("A data: URI is its data")
  func dataURIs() throws {
    #expect(try files.source("data:text/plain;base64,aGk=") == .data(Data("hi".utf8)))
    #expect(try files.source("data:,a%20b") == .data(Data("a b".utf8)))
    #expect(throws: BundleFiles.Refusal.self) { try files.source("data:;base64") }
    #expect(throws: BundleFiles.Refusal.self) { try files.source("data:;base64,a") }
  }
}
