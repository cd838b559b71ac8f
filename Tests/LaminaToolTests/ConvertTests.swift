import Foundation
import Lamina
import Testing

@Suite("lamina convert")
struct ConvertTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private func convert(_ input: String, _ output: String) throws -> ToolRun {
    try ToolRun(["convert", input, folder.path(output)])
  }

  private func expectEqualPictures(_ a: String, _ b: String) throws {
    for (document, name) in [(a, "a.png"), (b, "b.png")] {
      let run = try ToolRun(["render", document, "-o", folder.path(name)])
      try #require(run.status == 0, "\(run.errors)")
    }
    let run = try ToolRun(["compare", folder.path("a.png"), folder.path("b.png")])
    #expect(run.status == 0, "\(run.text)")
  }

  @Test("A document becomes a bundle with its images' own files, which looks the same")
  func bundles() throws {
    let document = try folder.noise()
    let run = try convert(document, "x.ca")
    #expect(run.status == 0 && run.errors.isEmpty)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path("x.ca")).sorted()
    #expect(files == ["assets", "assets/noise.png", "index.xml", "main.caml"])
    let original = try Data(contentsOf: folder.url.appendingPathComponent("noise.png"))
    let copy = folder.url.appendingPathComponent("x.ca/assets/noise.png")
    #expect(try Data(contentsOf: copy) == original)
    try expectEqualPictures(document, folder.path("x.ca"))
  }

  @Test("A document becomes a file that needs no other, also if its y axis points up")
  func files() throws {
    #expect(try convert(folder.noise(), "x.ca").status == 0)
    try FileManager.default.removeItem(atPath: folder.path("noise.png"))
    let index = folder.url.appendingPathComponent("x.ca/index.xml")
    let text = try String(contentsOf: index, encoding: .utf8)
    try Data(text.replacingOccurrences(of: "<true/>", with: "<false/>").utf8).write(to: index)
    #expect(try convert(folder.path("x.ca"), "y.caml").status == 0)
    try expectEqualPictures(folder.path("x.ca"), folder.path("y.caml"))
  }

  @Test("A bundle that is there is replaced as a whole, also by itself")
  func replacing() throws {
    let square = try folder.document("<CALayer bounds=\"0 0 4 4\" name=\"new\"/>")
    #expect(try convert(folder.noise(), "x.ca").status == 0)
    #expect(try convert(square, "x.ca").status == 0)
    #expect(try convert(folder.path("x.ca"), "x.ca").status == 0)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path("x.ca")).sorted()
    #expect(files == ["index.xml", "main.caml"])
    let text = try String(contentsOfFile: folder.path("x.ca/main.caml"), encoding: .utf8)
    #expect(text.contains("name=\"new\""))
    #expect(folder.names == ["a.caml", "noise.caml", "noise.png", "x.ca"])
  }

  @Test("A file or a folder that is no bundle is not replaced")
  func refusals() throws {
    let square = try folder.document("<CALayer bounds=\"0 0 4 4\"/>")
    try Data([1]).write(to: folder.url.appendingPathComponent("x.ca"))
    let photos = folder.url.appendingPathComponent("y.ca")
    try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: false)
    try Data([2]).write(to: photos.appendingPathComponent("photo.jpg"))
    for name in ["x.ca", "y.ca", "no/z.ca"] {
      let run = try convert(square, name)
      #expect(run.status == 2)
      #expect(run.errors.filter { $0 == "\n" }.count == 1)
    }
    #expect(try Data(contentsOf: folder.url.appendingPathComponent("x.ca")) == Data([1]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: photos.path) == ["photo.jpg"])
    #expect(folder.names == ["a.caml", "x.ca", "y.ca"])
  }
}
