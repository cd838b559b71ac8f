import Foundation
import Lamina
import Testing

@Suite("Videos on the command line") struct VideoTests {
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
    try makeFilm("film.mp4", of: "testsrc2=s=64x48:r=20:d=2")
  }

  /// Has ffmpeg make a film without losses.
  private func makeFilm(_ name: String, of source: String) throws {
    let run = try ToolRun(
      [
        "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", source, "-c:v", "libx264", "-qp",
        "0", "-bf", "2", folder.path(name),
      ], executable: URL(fileURLWithPath: "/usr/bin/env"))
    try #require(run.status == 0, "\(run.errors)")
  }

  /// The raw frames of a document.
  private func frames(_ document: String, _ arguments: String...) throws -> Data {
    let run = try ToolRun(
      ["render", folder.path(document), "--platform", "software", "-o", "-"] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    return run.output
  }

  @Test("A film is rendered as a document: as long and as large as it is, frame by frame")
  func film() throws {
    let all = try frames("film.mp4", "--to", "2", "--fps", "20")
    #expect(all.count == 40 * 64 * 48 * 4)
    let byItself = try ToolRun(["render", folder.path("film.mp4"), "-o", folder.path("all.y4m")])
    #expect(byItself.status == 0)
    #expect(byItself.errors.contains("lasts 2 s"))
    // Alone, backwards and in a film, a frame is the same.
    for number in [39, 7, 0, 23] {
      let frame = try frames("film.mp4", "--at", "\(Double(number) / 20)")
      #expect(frame == all[number * frame.count..<(number + 1) * frame.count], "\(number)")
    }
    let exact = try ToolRun(
      [
        "ffmpeg", "-v", "error", "-nostdin", "-i", folder.path("film.mp4"), "-sws_flags",
        "bicubic+accurate_rnd+full_chroma_int+bitexact", "-pix_fmt", "rgba", "-f", "rawvideo", "-",
      ], executable: URL(fileURLWithPath: "/usr/bin/env"))
    #expect(exact.output.count == all.count)
    #expect(zip(exact.output, all).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test("Videos in documents move with their layers, and are kept when these are written")
  func documents() throws {
    _ = try folder.document(
      """
      <CALayer bounds="0 0 64 48">
        <sublayers>
          <CAVideoLayer src="film.mp4" position="32 24" bounds="0 0 64 48" speed="2"/>
          <CAVideoLayer src="film.mp4" position="16 12" bounds="0 0 32 24" rate="0.5" loops="1"/>
        </sublayers>
      </CALayer>
      """, name: "two.caml")
    let read = try frames("two.caml", "--at", "0.6")
    // The first is where the film is after 1.2 seconds, but for where the second lies.
    let alone = try frames("film.mp4", "--at", "1.2")
    let row = 64 * 4
    #expect(read.suffix(24 * row) == alone.suffix(24 * row))
    #expect(read != alone)

    let written = try ToolRun(["convert", folder.path("two.caml"), folder.path("two.ca")])
    #expect(written.status == 0, "\(written.errors)")
    #expect(try frames("two.ca", "--at", "0.6") == read)
    let assets = try FileManager.default.contentsOfDirectory(atPath: folder.path("two.ca/assets"))
    #expect(assets == ["film.mp4"])
    let film = try ToolRun(["convert", folder.path("film.mp4"), folder.path("film.ca")])
    #expect(film.status == 0, "\(film.errors)")
    #expect(try frames("film.ca", "--at", "1.2") == alone)
    let single = try ToolRun(["convert", folder.path("two.caml"), folder.path("single.caml")])
    #expect(single.errors.contains("film.mp4 is left out: a single file cannot contain it"))
  }

  @Test("What is no video of the document's own is left out, with the line and the reason")
  func refusals() throws {
    try Data("no film".utf8).write(to: URL(fileURLWithPath: folder.path("bad.mp4")))
    try FileManager.default.createDirectory(
      atPath: folder.path("in"), withIntermediateDirectories: false)
    _ = try folder.document(
      """
      <CALayer bounds="0 0 8 8"><sublayers>
      <CAVideoLayer src="../film.mp4"/>
      <CAVideoLayer src="bad.mp4"/>
      <CAVideoLayer/>
      <CAVideoLayer src="data:video/mp4;base64,AAAA"/>
      <CAVideoLayer src="film.mp4" rate="fast"/>
      </sublayers></CALayer>
      """, name: "in/refused.caml")
    for name in ["bad", "film"] {
      try FileManager.default.copyItem(
        atPath: folder.path("\(name).mp4"), toPath: folder.path("in/\(name).mp4"))
    }
    let run = try ToolRun(
      ["render", folder.path("in/refused.caml"), "-o", folder.path("x.png")])
    #expect(run.status == 0)
    for (line, reason) in [
      (4, "lies outside the bundle"), (5, "is no video file of a known format"),
      (6, "a video without src"), (7, "not a data: URI"), (8, "rate=\"fast\" is not a number"),
    ] {
      let warning = run.errors.split(separator: "\n").first { $0.contains("caml:\(line):") }
      #expect(warning?.contains(reason) == true, "\(line): \(warning ?? "nothing")")
    }
    let bad = try ToolRun(["render", folder.path("bad.mp4"), "-o", folder.path("y.png")])
    #expect(bad.status == 2)
    #expect(bad.errors.contains("bad.mp4") && bad.errors.contains("no video file"))
  }

  @Test("A document has at most 64 videos")
  func limit() throws {
    let video = "<CAVideoLayer src=\"film.mp4\" bounds=\"0 0 8 8\"/>\n"
    _ = try folder.document(
      "<CALayer bounds=\"0 0 8 8\"><sublayers>\n"
        + String(repeating: video, count: 70) + "</sublayers></CALayer>", name: "many.caml")
    let run = try ToolRun(["render", folder.path("many.caml"), "-o", folder.path("x.png")])
    #expect(run.status == 0)
    #expect(run.errors.contains("more than 64 videos"))
  }
}
