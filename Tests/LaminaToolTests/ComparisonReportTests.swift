import Foundation
import Testing

@testable import LaminaTool

@Suite("The page of a comparison")
struct ComparisonReportTests {
  private let folder: PictureFolders

  init() throws { folder = try PictureFolders() }

  /// Compares the folders and returns the page.
  private func page(_ options: String...) throws -> (status: Int32, text: String) {
    let path = folder.path("page.html")
    let run = try ToolRun(
      ["compare", folder.path("a"), folder.path("b"), "--html", path] + options)
    return (run.status, try String(contentsOfFile: path, encoding: .utf8))
  }

  /// The page's data, as its script gets it.
  private func data(_ page: String) throws -> [String: Any] {
    let start = try #require(page.range(of: #"<script id="data" type="application/json">"#))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let json = Data(page[start.upperBound..<end.lowerBound].utf8)
    return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
  }

  private func pairs(_ page: String) throws -> [[String: Any]] {
    try #require(try data(page)["pairs"] as? [[String: Any]])
  }

  @Test("It holds its pictures, style and script, and forbids itself to load anything")
  func selfContained() throws {
    try folder.draw("a/x.png", gray: 0)
    try folder.draw("b/x.png", gray: 9)
    let (status, page) = try page()
    #expect(status == 1)
    #expect(!page.contains("http:") && !page.contains("https:"))
    #expect(page.contains(#"content="default-src 'none'; img-src data:;"#))
    for part in ["page.css", "page.js", "/* data */"] { #expect(!page.contains(part)) }
    #expect(page.contains(":root {") && page.contains("'use strict'"))
    let pair = try #require(try pairs(page).first)
    for (key, file) in [("reference", "a/x.png"), ("result", "b/x.png")] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(file)))
      #expect(pair[key] as? String == "data:image/png;base64," + bytes.base64EncodedString())
    }
    #expect((pair["drawing"] as? String)?.hasPrefix("data:image/png;base64,") == true)
    let figures = try #require(pair["figures"] as? [String: Any])
    #expect(figures["differingCount"] as? Int == 12 && figures["greatest"] as? Int == 9)
    #expect((figures["perceived"] as? [String: Double])?["mean"] ?? 0 > 1)
  }

  @Test("Names cannot end the data's element, and come out as they went in")
  func hostileNames() throws {
    let names = [
      "</script><script>alert(1)</script>.png", "<!--.png", "a&amp;b.png", "\u{2028}\"\\.png",
      "{/* data */}.png",
    ]
    for name in names { try folder.draw("b/\(name)", gray: 0) }
    try folder.makeFolder("a")
    let (_, page) = try page()
    #expect(!page.contains("alert(1)</") && !page.contains("<!--") && !page.contains("&amp;"))
    #expect(Set(try pairs(page).compactMap { $0["name"] as? String }) == Set(names))
  }

  @Test("Pairs that were not compared, that lack a picture and of two sizes precede those by ΔE")
  func sorted() throws {
    for (name, gray) in [("slight", 2), ("strong", 200), ("middle", 40), ("broken", 0)]
      as [(String, UInt8)]
    {
      try folder.draw("a/\(name).png", gray: 0)
      try folder.draw("b/\(name).png", gray: gray)
    }
    try Data().write(to: URL(fileURLWithPath: folder.path("b/broken.png")))
    try folder.draw("a/size.png", gray: 0)
    try folder.draw("b/size.png", gray: 0, width: 9)
    try folder.draw("a/gone.png", gray: 0)
    try folder.draw("b/new.png", gray: 0)
    let (status, page) = try page()
    #expect(status == 2)
    let pairs = try pairs(page)
    #expect(
      pairs.compactMap { $0["name"] as? String } == [
        "broken.png", "gone.png", "new.png", "size.png", "strong.png", "middle.png", "slight.png",
      ])
    #expect(
      pairs.prefix(5).compactMap { $0["kind"] as? String } == [
        "failed", "removed", "new", "size", "different",
      ])
  }

  @Test("Pairs that are identical or close enough are counted, not shown, and the page says so")
  func equal() throws {
    for name in ["same", "close"] {
      try folder.draw("a/\(name).png", gray: 0)
      try folder.draw("b/\(name).png", gray: name == "same" ? 0 : 3)
    }
    let (status, page) = try page("--tolerance", "3")
    #expect(status == 0)
    #expect(page.contains("Nothing differs."))
    #expect(try pairs(page).isEmpty)
    let totals = try #require(try data(page)["totals"] as? [String: Int])
    #expect(totals["identical"] == 1 && totals["closeEnough"] == 1 && totals["different"] == 0)
  }

  @Test("Two files have a page of one pair, and their names are its name")
  func files() throws {
    try folder.draw("a/x.png", gray: 0)
    try folder.draw("b/y.png", gray: 8)
    let page = folder.path("page.html")
    let run = try ToolRun(
      ["compare", folder.path("a/x.png"), folder.path("b/y.png"), "--html", page])
    #expect(run.status == 1)
    let pairs = try pairs(try String(contentsOfFile: page, encoding: .utf8))
    #expect(pairs.compactMap { $0["name"] as? String } == ["x.png → y.png"])
  }

  @Test("The commands of a page make its results the references, whatever the files are called")
  func commands() throws {
    let names = [
      "it's.png", "a b/$(touch x) `y`.png", "-rf.png", "new/\"q\"\\.png", "line\nbreak.png",
    ]
    for name in names {
      try folder.draw("b/\(name)", gray: 77)
      if !name.hasPrefix("new/") { try folder.draw("a/\(name)", gray: 1) }
    }
    try folder.draw("a/gone it's.png", gray: 1)
    let commands = try pairs(try page().text).flatMap { $0["commands"] as? [String] ?? [] }
    #expect(commands.contains("rm -- '\(folder.path("a"))/gone it'\\''s.png'"))
    #expect(commands.contains("mkdir -p -- '\(folder.path("a"))/new'"))
    let shell = try ToolRun(
      ["-euc", commands.joined(separator: "\n")], executable: URL(fileURLWithPath: "/bin/sh"))
    #expect(shell.status == 0, "\(shell.errors)")
    #expect(try folder.compare().text == "5 identical, 0 different\n")
  }

  @Test("A word in quotes is one word of a shell", arguments: ["", "a b", "'", "a'b''c", "$x\\\n"])
  func quoting(text: String) throws {
    let run = try ToolRun(
      ["-c", "printf %s \(PicturePair.quoted(text))x"], executable: URL(fileURLWithPath: "/bin/sh"))
    #expect(run.text == text + "x")
  }
}
