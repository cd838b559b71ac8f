import Foundation
import Lamina
import Testing

@testable import LaminaTool

@Suite("Sheets and lengths")
struct SheetTests {
  private let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  /// A translucent square that crosses a row of 20 points in two seconds, again and again.
  private static func row(_ attributes: String = "") -> String {
    """
    <CALayer bounds="0 0 20 10" \(attributes)><sublayers><CALayer bounds="0 0 9 9" name="square" \
    position="5 5" cornerRadius="3" opacity="0.6" backgroundColor="0.2 1 0.4"><animations>
    <animation type="CABasicAnimation" keyPath="position.x" duration="2" repeatCount="inf">
    <fromValue type="real" value="5"/><toValue type="real" value="15"/></animation></animations>
    </CALayer></sublayers></CALayer>
    """
  }

  @discardableResult
  private func render(_ arguments: [String]) throws -> ToolRun {
    let run = try ToolRun(["render"] + arguments)
    try #require(run.status == 0, "\(run.errors)")
    return run
  }

  private func image(_ name: String, wants16Bits: Bool = false) throws -> CGImage {
    try CGImage(contentsOfFile: folder.path(name), wants16Bits: wants16Bits)
  }

  /// The pixels of one of a sheet's cells, in the size of `frame`.
  private func cell(_ place: Int, of sheet: CGImage, columns: Int, like frame: CGImage) -> CGImage?
  {
    let origin = CGPoint(
      x: place % columns * frame.width, y: place / columns * frame.height)
    return sheet.cropping(
      to: CGRect(origin: origin, size: CGSize(width: frame.width, height: frame.height)))
  }

  @Test("A sheet's tiles are the frames of the film", arguments: ["RGBA8", "RGBAh"])
  func tiles(format: String) throws {
    let document = try folder.document(Self.row("contentsFormat=\"\(format)\""))
    let isWide = format == "RGBAh"
    let scale = ["--scale", "1.5"]
    let run = try render([document, "--tile", "3x2", "-o", folder.path("x.png")] + scale)
    #expect(
      run.errors
        == "lamina: the document lasts 2 s (one cycle of position.x of CALayer \"square\"):"
        + " 6 frames, one every 0.333 s\n")
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("x.png")))
    #expect(data[24] == (isWide ? 16 : 8))
    let sheet = try image("x.png", wants16Bits: isWide)
    #expect((sheet.width, sheet.height) == (90, 30))
    for place in 0..<6 {
      let time = "\(Double(place) / 3)"
      try render([document, "--at", time, "-o", folder.path("f.png")] + scale)
      let frame = try image("f.png", wants16Bits: isWide)
      let tile = try #require(cell(place, of: sheet, columns: 3, like: frame))
      #expect(try tile.pngData() == frame.pngData(), "tile \(place)")
    }
  }

  @Test("Cells without a frame show the background", arguments: ["none", "#8040c080", "0.3,1,0"])
  func emptyCells(background: String) throws {
    let document = try folder.document(Self.row())
    let colors = ["--background", background]
    let run = try render(
      [document, "--tile", "2x2", "--count", "3", "--to", "1", "-o", folder.path("x.png")] + colors)
    #expect(run.errors.isEmpty)
    let still = try folder.document(#"<CALayer bounds="0 0 20 10"/>"#, name: "still.caml")
    try render([still, "-o", folder.path("empty.png")] + colors)
    try render([document, "--at", "0.6666666666666666", "-o", folder.path("last.png")] + colors)
    for (place, name) in [(2, "last.png"), (3, "empty.png")] {
      let expected = try image(name)
      let tile = try #require(cell(place, of: image("x.png"), columns: 2, like: expected))
      #expect(try tile.pngData() == expected.pngData(), "\(name)")
    }
  }

  @Test("A film without an end lasts as long as the document, and a note says why")
  func lengths() throws {
    let document = try folder.document(Self.row())
    let frame = 20 * 10 * 4
    let film = try render([document, "--fps", "4", "-o", "-"])
    #expect(film.output.count == 8 * frame)
    #expect(
      film.errors
        == "lamina: the document lasts 2 s (one cycle of position.x of CALayer \"square\"):"
        + " 8 frames at 4 a second\n")
    #expect(
      try render([document, "--from", "1.5", "--count", "4", "-o", "-"]).output.count == 4 * frame)
    #expect(try render([document, "-o", "-"]).output.count == frame)
    try render([document, "-o", folder.path("f-%02d.png")])
    #expect(folder.names.filter { $0.hasPrefix("f-") }.count == 60)
    let late = try ToolRun(["render", document, "--from", "2", "-o", folder.path("x.y4m")])
    #expect(late.status == 2)
    #expect(late.errors.hasPrefix("lamina: --from 2: the document ends at 2 s ("))
  }

  @Test("Of a document that stands still a film has one frame, unless it is told how many")
  func still() throws {
    let document = try folder.document(#"<CALayer bounds="0 0 20 10" backgroundColor="1 0 0"/>"#)
    let frame = 20 * 10 * 4
    let film = try render([document, "--fps", "30", "-o", "-"])
    #expect(film.output.count == frame)
    #expect(film.errors == "lamina: nothing moves in the document: 1 frame\n")
    let counted = try render([document, "--count", "3", "-o", "-"])
    #expect(counted.output == film.output + film.output + film.output)
    #expect(counted.errors == "lamina: nothing moves in the document: 3 frames\n")
    try render([document, "--tile", "2x1", "-o", folder.path("x.png")])
    let sheet = try image("x.png").unpremultipliedRGBA
    #expect(Array(sheet[20 * 4 - 4..<20 * 4 + 4]) == [255, 0, 0, 255, 0, 0, 0, 0])
  }

  @Test("A state that is set at a time counts for the length")
  func states() throws {
    let document = try folder.document(
      """
      <CALayer bounds="0 0 20 10"><states><LKState name="A"/></states></CALayer>
      """)
    let run = try render([document, "--state", "A@2", "--fps", "2", "-o", "-"])
    #expect(run.errors == "lamina: the document lasts 3 s (state A): 6 frames at 2 a second\n")
  }

  @Test("A sheet or a frame that is too large is refused before anything is drawn")
  func sizes() throws {
    let document = try folder.document(Self.row())
    let run = try ToolRun(["render", document, "--tile", "2000x1", "-o", folder.path("x.png")])
    #expect(run.status == 2)
    #expect(
      run.errors.hasPrefix("lamina: --tile: a sheet of 2000x1 frames of 20x10 pixels is larger"))
    let frame = try ToolRun([
      "render", document, "--at", "0", "--size", "16385x8", "-o", folder.path("x.png"),
    ])
    #expect(frame.status == 2)
    #expect(
      frame.errors == "lamina: a frame of 16385.0x8.0 points at scale 1.0 is empty or larger than"
        + " 16384 pixels a side\n")
    #expect(folder.names == ["a.caml"])
  }

  @Test("A film that has no transparency is asked for none", arguments: ["x.mp4", "x.y4m"])
  func opaqueFilms(name: String) throws {
    let run = try ToolRun(
      ["render", "a.caml", "--to", "1", "--background", "none", "-o", folder.path(name)])
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("lamina: --background none: \(name.dropFirst()) has no"))
  }
}

@Suite("Times of frames")
struct FrameTimesTests {
  private func arguments(_ flags: String, _ output: String) throws -> FrameTimesArguments {
    let parsed = try Commands.render.parse(
      ["d"] + flags.split(separator: " ").map(String.init))
    let sheet = try parsed.value("--tile").map { try SheetGrid($0) }
    return try FrameTimesArguments(parsed, form: OutputForm(output), sheet: sheet)
  }

  /// The times, for a document of 4 seconds.
  private func times(_ flags: String, _ output: String = "x.mp4") throws -> [Double] {
    let arguments = try arguments(flags, output)
    return try arguments.times(until: arguments.needsLength ? 4 : 0).all
  }

  @Test("A film's last frame ends where the film does")
  func films() throws {
    let film = try times("--from 1 --to 2 --fps 30")
    #expect(film.count == 30)
    #expect(film[0] == 1)
    #expect(film[29] < 2)
    #expect(try times("--to 0.1 --fps 10").count == 1)
    #expect(try times("").count == 120)
    #expect(try times("--from 3").count == 30)
    #expect(try times("--at 3") == [3])
  }

  @Test("One PNG and raw frames are one frame at 0, unless flags say otherwise")
  func single() throws {
    #expect(try times("", "x.png") == [0])
    #expect(try times("--at 3", "x.png") == [3])
    #expect(try times("--from 3 --count 1", "x.png") == [3])
    #expect(try times("", "-") == [0])
    #expect(try times("--from 3 --fps 1", "-") == [3])
  }

  @Test("A number of frames is at the rate, or spread evenly without one at the end")
  func counts() throws {
    #expect(try times("--count 3 --fps 2 --from 1") == [1, 1.5, 2])
    #expect(try times("--count 4 --to 2 --from 1") == [1, 1.25, 1.5, 1.75])
    #expect(try times("--count 4") == [0, 1, 2, 3])
    #expect(try times("--count 2 --from 2") == [2, 3])
    #expect(try times("--count 3 --from 1 --to 1") == [1, 1, 1])
    #expect(try !arguments("--count 3 --fps 2", "x.mp4").needsLength)
  }

  @Test("A film of spread frames plays in their own time")
  func spreadRate() throws {
    func rate(_ flags: String) throws -> FrameRate {
      try arguments(flags, "x.mp4").times(until: 4).rate
    }
    #expect(try rate("--count 48") == FrameRate(12))
    #expect(try rate("--count 30 --to 1") == FrameRate(30))
    #expect(try rate("--count 1 --to 1e9") == FrameRate(0.001))
    #expect(try rate("--count 9 --to 0") == FrameRate(30))
  }

  @Test("A sheet has a frame for each cell, or as many as flags say")
  func sheets() throws {
    #expect(try times("--tile 2x2", "x.png") == [0, 1, 2, 3])
    #expect(try times("--tile 2X1 --from 1 --to 2", "x.png") == [1, 1.5])
    #expect(try times("--tile 2x2 --count 2", "x.png") == [0, 2])
    #expect(try times("--tile 2x2 --fps 2 --from 1", "x.png") == [1, 1.5, 2, 2.5])
    #expect(try times("--tile 2x2 --fps 1 --to 3", "x.png") == [0, 1, 2])
  }

  @Test(
    "Times that contradict each other are refused",
    arguments: [
      "--at 1 --to 2", "--at 1 --count 2", "--from 2 --to 1", "--to 1 --fps 0", "--at inf",
      "--to 1e9 --fps 1000", "--count 0", "--count 1000001", "--count 2 --fps 2 --to 1",
      "--count x", "--at 0 --tile 2x2", "--tile 2x2 --count 5", "--tile 2x2 --fps 10 --to 1",
    ])
  func contradictions(flags: String) {
    let output = flags.contains("--tile") ? "x.png" : "x.mp4"
    #expect(throws: UsageError.self) { try arguments(flags, output) }
  }

  @Test(
    "One PNG holds one frame", arguments: ["--to 1", "--fps 30", "--from 1", "--count 2"])
  func onePNG(flags: String) throws {
    let error = try #require(throws: UsageError.self) { try arguments(flags, "x.png") }
    #expect(error.message.hasPrefix("--output: one PNG holds one frame"))
  }

  @Test(
    "Columns and rows are two whole numbers",
    arguments: ["", "5", "5x", "x2", "0x2", "5x-2", "1x2x3", "1.5x2", "32769x1", "9999x9999"])
  func grids(text: String) throws {
    #expect(throws: UsageError.self) { try SheetGrid(text) }
    #expect(try SheetGrid("5x2").cellCount == 10)
  }

  @Test("Frame rates are the fractions that films use")
  func rates() {
    #expect((FrameRate(30).numerator, FrameRate(30).denominator) == (30, 1))
    #expect((FrameRate(29.97).numerator, FrameRate(29.97).denominator) == (30000, 1001))
    #expect((FrameRate(12.5).numerator, FrameRate(12.5).denominator) == (12500, 1000))
    #expect(FrameRate(0.001).value == 0.001)
  }
}
