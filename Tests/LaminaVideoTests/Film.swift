import Foundation
import Testing

/// Films that the program `ffmpeg` makes, in a folder that goes away with this object.
final class FilmFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "lamina-video-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Has ffmpeg make a file, and returns its path. `arguments` come before the file's name.
  @discardableResult
  func make(_ name: String, _ arguments: [String]) throws -> String {
    _ = try Self.run("ffmpeg", ["-v", "error", "-nostdin", "-y"] + arguments + [path(name)])
    return path(name)
  }

  /// Makes a film, in as many steps as it has, each of which may read the file before it, `IN`.
  func make(_ film: Film) throws -> String {
    var path = ""
    for (number, step) in film.steps.enumerated() {
      let isLast = number == film.steps.count - 1
      let arguments = step.split(separator: " ").map { $0 == "IN" ? path : String($0) }
      path = try make((isLast ? "" : "\(number)-") + film.name, arguments)
    }
    return path
  }

  /// What a program writes. It has to be installed, and to succeed.
  static func run(_ program: String, _ arguments: [String]) throws -> Data {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw FilmError(text: "\(program) \(arguments.joined(separator: " ")) failed")
    }
    return data
  }
}

struct FilmError: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}

/// The way to make a film.
struct Film: Sendable, CustomTestStringConvertible {
  var name: String
  /// Arguments of ffmpeg for each step, with a space between two.
  var steps: [String]
  /// The decoder that ffmpeg has to be told to use.
  var decoder: String?

  var testDescription: String { name }

  init(_ name: String, decoder: String? = nil, _ steps: String...) {
    (self.name, self.decoder, self.steps) = (name, decoder, steps)
  }

  /// Arguments for so many frames, 30 a second, each of which is different.
  static func pattern(_ frames: Int, size: String = "128x72", filters: String = "") -> String {
    "-f lavfi -i testsrc2=s=\(size):r=30,trim=end_frame=\(frames)\(filters)"
  }

  static let h264 = "-c:v libx264 -preset veryfast -bf 3 -g 30"

  static let bFrames = Film("b-frames.mp4", "\(pattern(300)) \(h264)")

  /// Each kind of film in which finding the frame that is due has failed for some player.
  static let all = [
    bFrames,
    Film("open-gops.mp4", "\(pattern(120)) \(h264) -x264-params open-gop=1:keyint=20"),
    Film("open-gops.ts", "\(pattern(120)) -c:v libx265 -x265-params log-level=none:keyint=20"),
    Film("refresh.mkv", "\(pattern(120)) \(h264) -x264-params intra-refresh=1:keyint=20"),
    Film("b-pyramid.avi", "\(pattern(120)) \(h264)"),
    Film("packed.avi", "\(pattern(60)) -c:v libxvid -bf 2 -g 15 -qscale:v 4"),
    Film("reordered.avi", "\(pattern(120)) -c:v mpeg4 -bf 2 -g 15 -qscale:v 4"),
    Film(
      "jitter.mp4",
      pattern(300, filters: ",setpts=PTS+floor(random(0)*7)/(80*TB)") + " \(h264) -fps_mode vfr"),
    Film("repeated.mkv", "\(pattern(90, filters: ",setpts=PTS/50")) \(h264) -fps_mode passthrough"),
    Film("milliseconds.mkv", "\(pattern(120)) \(h264)"),
    Film("broadcast.ts", "\(pattern(120)) \(h264)"),
    Film("broadcast.mpg", "\(pattern(90)) -c:v mpeg2video -bf 2 -g 15 -qscale:v 4"),
    Film("fields.mpg", "\(pattern(60)) -c:v mpeg2video -flags +ilme+ildct -bf 2 -g 15"),
    Film("fields.mp4", "\(pattern(60)) -c:v libx264 -flags +ilme+ildct -bf 3 -g 20"),
    Film(
      "cut.ts", "\(pattern(90)) \(h264) -x264-params open-gop=1:keyint=20", "-ss 1.1 -i IN -c copy"),
    Film(
      "cut.mkv", "\(pattern(90)) \(h264) -x264-params open-gop=1:keyint=20",
      "-ss 1.1 -i IN -c copy"),
    Film("old.flv", "\(pattern(90)) -c:v flv -g 20 -qscale:v 4"),
    Film(
      "vp8.webm", "\(pattern(60)) -c:v libvpx -auto-alt-ref 1 -lag-in-frames 10 -g 20 -cpu-used 8"),
    Film("vp9.webm", "\(pattern(60)) -c:v libvpx-vp9 -g 20 -deadline realtime -cpu-used 8"),
    Film(
      "alpha.webm", decoder: "libvpx-vp9",
      pattern(40, filters: ",format=yuva420p,geq=lum=lum(X\\,Y):a=X*2")
        + " -c:v libvpx-vp9 -g 20 -deadline realtime -cpu-used 8"),
    Film(
      "animation.mov", pattern(60, filters: ",format=argb,geq=r=X:g=Y:b=N*4:a=X*2") + " -c:v qtrle"),
    Film(
      "pictures.mov", pattern(30, filters: ",format=rgba,colorchannelmixer=aa=0.5") + " -c:v png"),
    Film(
      "intra.mov",
      pattern(30, filters: ",format=yuva444p10,colorchannelmixer=aa=0.5")
        + " -c:v prores_ks -profile:v 4444"),
    Film("deep.mkv", "\(pattern(60)) -pix_fmt yuv420p10 -c:v ffv1 -g 1"),
    Film("loop.gif", "\(pattern(40))"),
    Film("trimmed.mp4", "\(pattern(150)) \(h264)", "-ss 1.5 -i IN -c copy"),
    Film("late.ts", "\(pattern(90)) \(h264) -output_ts_offset 77.7"),
    Film(
      "sound-first.mp4",
      "-itsoffset 0.4 \(pattern(90)) -f lavfi -i sine=r=48000:d=3 \(h264) -c:a aac"
        + " -fps_mode passthrough"),
    Film(
      "fragments.mov", "\(pattern(90)) \(h264) -movflags +frag_keyframe+empty_moov"),
    Film("single.mp4", "\(pattern(1)) \(h264)"),
    Film("odd-size.mkv", "\(pattern(30, size: "97x41", filters: ",format=yuv420p")) -c:v ffv1"),
  ]
}

/// What FFmpeg's programs say of a film. They and the libraries are of one version, so the bytes of
/// their frames are equal.
struct FilmReference {
  /// Of each frame its planes, in the order in which ffmpeg shows them.
  var frames: [Data]
  /// Of each frame its time, in seconds from the start of the presentation.
  var times: [Double]

  init(_ path: String, decoder: String? = nil) throws {
    let raw = try Self.decode(path, decoder: decoder)
    let lines = try Self.probe(path)
    var ticks: [Int] = []
    for line in lines where line[0] == "frame" {
      // What the decoder of an AVI held back at its end has no time, and lasts as long as the rest.
      let step = ticks.count < 2 ? 1 : ticks[ticks.count - 1] - ticks[ticks.count - 2]
      ticks.append(Int(line[1]) ?? (ticks.last ?? 0) + step)
    }
    try #require(ticks.count > 0 && raw.count % ticks.count == 0)
    let size = raw.count / ticks.count
    frames = ticks.indices.map { raw[$0 * size..<($0 + 1) * size] }
    let base = try #require(lines.first { $0[0] == "stream" })[1].split(separator: "/")
      .compactMap { Double($0) }
    // AVI has no such times, and ffprobe's are late by what the decoder holds back.
    let start = path.hasSuffix(".avi") ? nil : lines.first { $0[0] == "format" }
    let seconds = start.flatMap { Double($0[1]) }
    let first = seconds.map { ($0 * base[1] / base[0]).rounded() } ?? Double(ticks[0])
    times = ticks.map { (Double($0) - first) * base[0] / base[1] }
  }

  /// All frames of a film as ffmpeg writes them one after another.
  static func decode(
    _ path: String, decoder: String? = nil, turns: Bool = false, _ arguments: [String] = []
  ) throws -> Data {
    try FilmFolder.run(
      "ffmpeg",
      ["-v", "error", "-nostdin"] + (turns ? [] : ["-noautorotate"])
        + (decoder.map { ["-c:v", $0] } ?? [])
        + ["-i", path, "-map", "0:v:0", "-fps_mode", "passthrough"] + arguments
        + ["-f", "rawvideo", "-"])
  }

  /// The number of the frame that is due at a time.
  func due(at time: Double) -> Int { max(0, times.lastIndex { $0 <= time + 1e-9 } ?? 0) }

  /// What ffprobe says: the kind of a thing and what it has.
  private static func probe(_ path: String) throws -> [[Substring]] {
    let entries = "frame=best_effort_timestamp:stream=time_base:format=start_time"
    let text = try FilmFolder.run(
      "ffprobe",
      ["-v", "error", "-select_streams", "v:0", "-of", "csv", "-show_entries", entries, path])
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: ",") }.filter { $0.count > 1 }
  }
}
