import Foundation
import Lamina
import Testing

@Suite("lamina compare, of folders")
struct FolderComparisonTests {
  private let folder: PictureFolders

  init() throws { folder = try PictureFolders() }

  @Test("Folders of equal pictures, however deep, are identical, and nothing is listed")
  func equal() throws {
    for name in ["x.png", "deep/down/y.PNG", "deep/z.png"] {
      try folder.draw("a/\(name)", gray: 7)
      try folder.draw("b/\(name)", gray: 7)
    }
    try Data("no picture".utf8).write(to: URL(fileURLWithPath: folder.path("b/notes.txt")))
    let run = try folder.compare()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == "3 identical, 0 different\n")
  }

  @Test("Pairs that differ have a line each, sorted by their paths, and a last line has the totals")
  func different() throws {
    for (name, gray) in [("b.png", 10), ("a/z.png", 30), ("c.png", 0)] as [(String, UInt8)] {
      try folder.draw("a/\(name)", gray: 0)
      try folder.draw("b/\(name)", gray: gray)
    }
    let run = try folder.compare()
    #expect(run.status == 1)
    let rest = "of 12 pixels (100 %) differ by more than 0; the largest difference is"
    #expect(
      run.text.split(separator: "\n").map { $0.prefix { $0 != "," } } == [
        "a/z.png: different: 12 \(rest) 30", "b.png: different: 12 \(rest) 10", "1 identical",
      ])
    #expect(run.errors.isEmpty)
  }

  @Test("The options of two files hold for each pair")
  func options() throws {
    for name in ["x.png", "y.png"] {
      try folder.draw("a/\(name)", gray: 100)
      try folder.draw("b/\(name)", gray: name == "x.png" ? 104 : 110)
    }
    #expect(
      try folder.compare("--tolerance", "10").text == "0 identical, 0 different, 2 close enough\n")
    let run = try folder.compare("--tolerance", "4")
    #expect(run.status == 1)
    #expect(run.text.hasSuffix("0 identical, 1 different, 1 close enough\n"))
    #expect(try folder.compare("--perceptual", "9").status == 0)
  }

  @Test("What only one folder has is a difference, unless the results may lack it")
  func onlyInOne() throws {
    try folder.draw("a/old.png", gray: 1)
    try folder.draw("a/both.png", gray: 1)
    try folder.draw("b/both.png", gray: 1)
    let missing = try folder.compare()
    #expect(missing.status == 1)
    #expect(
      missing.text == """
        old.png: only in \(folder.path("a"))
        1 identical, 0 different, 1 only in \(folder.path("a"))

        """)
    let ignored = try folder.compare("--ignore-missing")
    #expect(ignored.status == 0)
    #expect(ignored.text == "1 identical, 0 different\n")
    try folder.draw("b/new.png", gray: 1)
    let new = try folder.compare("--ignore-missing")
    #expect(new.status == 1)
    #expect(new.text.hasPrefix("new.png: only in \(folder.path("b"))\n"))
  }

  @Test("Pictures of two sizes differ, which is no error")
  func sizes() throws {
    try folder.draw("a/x.png", gray: 1, width: 4)
    try folder.draw("b/x.png", gray: 1, width: 5)
    let run = try folder.compare()
    #expect(run.status == 1)
    #expect(run.text == "x.png: sizes differ: 4x3 and 5x3\n0 identical, 1 different\n")
    #expect(run.errors.isEmpty)
  }

  @Test("A file that cannot be read is named after all others are compared, and the status is 2")
  func unreadable() throws {
    for name in ["a.png", "z.png"] {
      try folder.draw("a/\(name)", gray: 0)
      try folder.draw("b/\(name)", gray: 0)
    }
    try folder.draw("b/z.png", gray: 9)
    try Data("no PNG".utf8).write(to: URL(fileURLWithPath: folder.path("b/a.png")))
    let run = try folder.compare()
    #expect(run.status == 2)
    #expect(run.text.hasPrefix("z.png: different: 12 of 12 pixels"))
    #expect(run.text.hasSuffix("0 identical, 1 different, 1 not compared\n"))
    #expect(run.errors.hasPrefix("lamina: \(folder.path("b/a.png")): "))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test("The differences are drawn into a folder that is made, under the names of the pairs")
  func drawings() throws {
    for name in ["same.png", "deep/other.png"] {
      try folder.draw("a/\(name)", gray: 0)
      try folder.draw("b/\(name)", gray: name == "same.png" ? 0 : 50)
    }
    #expect(try folder.compare("--diff", folder.path("new/d")).status == 1)
    let found = FileManager.default.enumerator(atPath: folder.path("new/d"))?.allObjects
    #expect((found as? [String])?.sorted() == ["deep", "deep/other.png"])
    let drawing = try CGImage(contentsOfFile: folder.path("new/d/deep/other.png"))
    #expect(drawing.unpremultipliedRGBA.prefix(4) == [255, 0, 0, 255])
  }

  @Test("Links to pictures are read, and links to folders are not followed")
  func links() throws {
    try folder.draw("a/x.png", gray: 0)
    try folder.draw("elsewhere/x.png", gray: 0)
    try folder.makeFolder("b")
    for (link, target) in [("b/x.png", "elsewhere/x.png"), ("b/all", "elsewhere"), ("b/up", "b")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(link), withDestinationPath: folder.path(target))
    }
    let run = try folder.compare()
    #expect(run.status == 0)
    #expect(run.text == "1 identical, 0 different\n")
  }

  @Test("A folder and a file, what is not there and a flag for folders are bad usage of one line")
  func badUsage() throws {
    try folder.draw("a/x.png", gray: 0)
    let (a, x) = (folder.path("a"), folder.path("a/x.png"))
    for arguments in [
      [a, x], [x, a], [a, folder.path("none")], [x, x, "--ignore-missing"], [a, a, "--diff", x],
      [a, a, "--html", a], [x, x, "--html", folder.path("none/page.html")],
    ] {
      let run = try ToolRun(["compare"] + arguments)
      #expect(run.status == 2, "\(arguments)")
      #expect(run.errors.hasPrefix("lamina: ") && run.errors.filter { $0 == "\n" }.count == 1)
      #expect(run.output.isEmpty)
    }
  }
}

/// Two folders of pictures, `a` and `b`.
final class PictureFolders {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  func path(_ name: String) -> String { folder.path(name) }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
  }

  /// Writes an opaque gray picture, as a PNG.
  func draw(_ name: String, gray: UInt8, width: Int = 4) throws {
    let url = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let pixels = [[UInt8]](repeating: [gray, gray, gray, 255], count: width * 3).flatMap(\.self)
    try CGImage(width: width, height: 3, unpremultipliedRGBA: pixels).writePNG(to: url)
  }

  func compare(_ options: String...) throws -> ToolRun {
    try ToolRun(["compare", path("a"), path("b")] + options)
  }
}
