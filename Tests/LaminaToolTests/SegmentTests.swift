import Foundation
import Lamina
import TestSupport
import Testing

@testable import LaminaTool

/// Films that are rendered in parts.
@Suite("Segments") struct SegmentTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private static let film = ["--to", "1", "--fps", "12"]

  /// A picture that does not compress, half of it transparent, on the move.
  private func document() throws -> String {
    var random = SeededGenerator(seed: 7)
    let bytes = (0..<40 * 30 * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
    let image = try CGImage(width: 40, height: 30, unpremultipliedRGBA: bytes)
    try image.writePNG(to: folder.url.appendingPathComponent("noise.png"))
    return try folder.document(
      """
      <CALayer bounds="0 0 71 33"><sublayers>
      <CALayer bounds="0 0 40 30" position="20 16"><contents type="CGImage" src="noise.png"/>
      <animations><animation type="CABasicAnimation" keyPath="position.x" fromValue="20"
      toValue="60" duration="1"/></animations></CALayer></sublayers></CALayer>
      """)
  }

  private func render(_ document: String, _ arguments: [String]) throws -> ToolRun {
    try ToolRun(["render", document, "--platform", "software"] + Self.film + arguments)
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
  }

  /// Renders segments with these frames, named by them, and writes a list of them.
  private func segments(
    _ document: String, _ ranges: [String], flags: [String] = []
  ) throws {
    for range in ranges {
      let run = try render(
        document, ["--frames", range, "-o", folder.path("\(range).mkv")] + flags)
      #expect(run.status == 0, "\(run.errors)")
    }
    let list = "# A film\n\n" + ranges.map { "\($0).mkv\n" }.joined()
    try Data(list.utf8).write(to: URL(fileURLWithPath: folder.path("list")))
  }

  private func join(_ output: String = "joined.mp4", list: String = "list") throws -> ToolRun {
    try ToolRun(["join", folder.path(list), "-o", folder.path(output)])
  }

  @Test(
    "A film has the same bytes rendered at once and joined, however it is cut",
    arguments: [
      ("x.mp4", ["0-11"]), ("x.mp4", ["0-6", "7", "8-11"]), ("x.webm", ["6-11", "0-5"]),
      ("x.gif", ["0-3", "4-11"]), ("x.apng", ["0-3", "4-11"]),
    ])
  func cuts(name: String, ranges: [String]) throws {
    let document = try document()
    #expect(try render(document, ["-o", folder.path(name)]).status == 0)
    try segments(document, ranges)
    let run = try join("joined-\(name)")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bytes("joined-\(name)") == bytes(name))
  }

  @Test(
    "A film in pieces has the same bytes rendered at once and joined, and its frames in their time",
    arguments: ["mp4", "webm"])
  func pieces(format: String) throws {
    let document = try document()
    let flags = ["--pieces", "5"]
    let name = "x.\(format)"
    #expect(try render(document, ["-o", folder.path(name)] + flags).status == 0)
    let ranges = ["10-11", "0-4", "5-9"]
    for range in ranges {
      let run = try render(
        document, ["--frames", range, "-o", folder.path("\(range).\(format)")] + flags)
      #expect(run.status == 0, "\(run.errors)")
    }
    let list = ranges.map { "\($0).\(format)\n" }.joined()
    try Data(list.utf8).write(to: URL(fileURLWithPath: folder.path("list")))
    let run = try join("joined.\(format)")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bytes("joined.\(format)") == bytes(name))
    let tools = try FilmTools()
    let times = try ProgramRun(
      tools.ffprobe,
      ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", folder.path(name)])
    let seconds = times.text.split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
      .sorted()
    #expect(seconds.count == 12)
    for (frame, time) in seconds.enumerated() { #expect(abs(time - Double(frame) / 12) < 0.001) }
    // A piece's bytes are checked, since films have no checksums.
    let piece = try bytes("5-9.\(format)")
    try flipped(piece, at: piece.count / 2)
      .write(to: URL(fileURLWithPath: folder.path("5-9.\(format)")))
    let damaged = try join("joined.\(format)")
    #expect(damaged.status == 2)
    #expect(damaged.errors.contains("5-9.\(format): is damaged"), "\(damaged.errors)")
  }

  @Test("What lasts in a list of pieces is rounded, and the rounding does not add up")
  func durations() {
    let pieces = (0..<3000).map { (path: "/a b/it's \($0)", frameCount: 7) }
    let lines = FilmPieces.list(pieces, rate: FrameRate(29.97)).split(separator: "\n")
    #expect(lines[1] == #"file 'file:/a b/it'\''s 0'"#)
    let sum = lines.compactMap { line in
      line.hasPrefix("duration ") ? Double(line.dropFirst("duration ".count)) : nil
    }.reduce(0, +)
    #expect(abs(sum - 3000 * 7 * 1001 / 30000) < 1e-5)
  }

  @Test("Transparency goes through segments into formats that have it, and others are refused")
  func transparency() throws {
    let document = try document()
    let flags = ["--background", "none"]
    #expect(try render(document, ["-o", folder.path("x.webm")] + flags).status == 0)
    try segments(document, ["0-4", "5-11"], flags: flags)
    #expect(try join("joined.webm").status == 0)
    #expect(try bytes("joined.webm") == bytes("x.webm"))
    let refused = try join("joined.mp4")
    #expect(refused.status == 2)
    #expect(refused.errors.contains("no transparency"))
  }

  @Test("A segment that is there and whole is left alone; one of another document is replaced")
  func again() throws {
    let document = try document()
    try segments(document, ["0-3"])
    let first = try FileManager.default.attributesOfItem(atPath: folder.path("0-3.mkv"))
    let whole = try bytes("0-3.mkv")
    let again = try render(document, ["--frames", "0-3", "-o", folder.path("0-3.mkv")])
    #expect(again.errors.hasSuffix("0-3.mkv is there and whole: nothing to do\n"))
    let second = try FileManager.default.attributesOfItem(atPath: folder.path("0-3.mkv"))
    #expect(
      first[.systemFileNumber] as? NSNumber == second[.systemFileNumber] as? NSNumber)
    // Another picture beside the same markup is another document.
    try CGImage(width: 1, height: 1, unpremultipliedRGBA: [1, 2, 3, 255])
      .writePNG(to: folder.url.appendingPathComponent("noise.png"))
    #expect(try render(document, ["--frames", "0-3", "-o", folder.path("0-3.mkv")]).errors == "")
    #expect(try bytes("0-3.mkv") != whole)
  }

  @Test(
    "Any damage of a segment is noticed: the join fails and leaves no film, and render mends it")
  func damage() throws {
    let document = try document()
    try segments(document, ["0-5", "6-11"])
    let whole = try bytes("6-11.mkv")
    #expect(try join().status == 0)
    let film = try bytes("joined.mp4")
    for (name, damaged) in [
      ("a byte in the middle", flipped(whole, at: whole.count / 2)),
      ("a byte near the end", flipped(whole, at: whole.count - 200)),
      ("cut", whole.prefix(whole.count / 2)), ("empty", Data()),
    ] {
      try damaged.write(to: URL(fileURLWithPath: folder.path("6-11.mkv")))
      try FileManager.default.removeItem(atPath: folder.path("joined.mp4"))
      let run = try join()
      #expect(run.status == 2, "\(name)")
      #expect(run.errors.contains("6-11.mkv: "), "\(name): \(run.errors)")
      #expect(!folder.names.contains { $0.contains("joined") }, "\(name)")
      #expect(
        try render(document, ["--frames", "6-11", "-o", folder.path("6-11.mkv")]).errors == "")
      #expect(try bytes("6-11.mkv") == whole, "\(name)")
      #expect(try join().status == 0)
      #expect(try bytes("joined.mp4") == film, "\(name)")
    }
  }

  private func flipped(_ data: Data, at index: Int) -> Data {
    var data = data
    data[index] ^= 0x55
    return data
  }

  @Test("Segments that are missing, overlap or are of another film are named")
  func incomplete() throws {
    let document = try document()
    try segments(document, ["0-3", "8-11"])
    #expect(try join().errors == "lamina: no segment has frames 4 to 7\n")
    try segments(document, ["0-3", "2-7", "8-11"])
    #expect(
      try join().errors.hasSuffix(
        "2-7.mkv: begins with frame 2, which \(folder.path("0-3.mkv")) has too\n"))
    try segments(document, ["0-3"])
    #expect(try join().errors == "lamina: no segment has frames 4 to 11\n")
    try segments(document, ["0-3"])
    try segments(document, ["4-11"], flags: ["--scale", "2"])
    let other = try join(list: "both")
    #expect(other.errors.hasSuffix("both: the list of segments cannot be read\n"))
    try Data("0-3.mkv\n4-11.mkv\n".utf8).write(to: URL(fileURLWithPath: folder.path("both")))
    let mixed = try join(list: "both")
    #expect(mixed.status == 2)
    #expect(mixed.errors.contains("is of another film than"))
    try Data("0-3.mkv\nnone.mkv\n".utf8).write(to: URL(fileURLWithPath: folder.path("both")))
    #expect(try join(list: "both").errors.hasSuffix("none.mkv: is missing\n"))
  }

  @Test(
    "Frames that the film does not have, or that no segment can hold, are refused",
    arguments: [
      (["--frames", "0-12", "-o", "x.mkv"], "the film has 12 frames, from 0 to 11"),
      (["--frames", "5-4", "-o", "x.mkv"], "is not a range of frames"),
      (["--frames", "-1-4", "-o", "x.mkv"], "is not a range of frames"),
      (["--frames", "0-99999999999999999999", "-o", "x.mkv"], "is not a range of frames"),
      (["--frames", "0-4", "-o", "x.mp4"], "a part of a film is a segment"),
      (["--frames", "1-4", "--pieces", "5", "-o", "x.mp4"], "does not begin with 1"),
      (["--frames", "0-3", "--pieces", "5", "-o", "x.mp4"], "the piece is of frames 0-4"),
      (["--frames", "0-4", "--pieces", "5", "-o", "x.mkv"], "only .mp4 and .webm"),
      (["--frames", "0-4", "--debug", "updates", "-o", "x.mkv"], "depends on the frames before"),
    ])
  func refusals(arguments: [String], message: String) throws {
    let run = try render(try document(), arguments)
    #expect(run.status == 2)
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test("Two copies of one segment may be rendered at once")
  func copies() throws {
    let document = try document()
    let path = folder.path("0-11.mkv")
    let arguments =
      ["render", document] + Self.film + ["--frames", "0-11", "-o", path]
    let both = (0..<2).map { _ in
      let process = Process()
      process.executableURL = ToolRun.executable
      process.arguments = arguments
      return process
    }
    for process in both { try process.run() }
    for process in both {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    #expect(folder.names == ["0-11.mkv", "a.caml", "noise.png"])
    #expect(try join(list: ".").status == 0)
  }
}
