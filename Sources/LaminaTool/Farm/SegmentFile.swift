import Foundation
import Lamina

/// A part of a film: a segment, which has frames as they were drawn, without loss; or a piece,
/// which is encoded as films are, and has its digest in a file beside it.
struct SegmentFile {
  let path: String
  let label: SegmentLabel
  /// In pixels.
  let width: Int
  let height: Int

  /// The number of frames that the label says there are.
  var count: Int { label.frames.count }
  private var bytesPerFrame: Int { width * height * 4 }

  /// Reads the label of a file and counts its frames, without decoding them. Throws unless it is a
  /// segment that has as many as it says.
  init(path: String, tools: FilmTools) throws(InputError) {
    self.path = path
    let found = try SegmentProbe.read(path, tools: tools)
    guard let label = found.format?.tags.flatMap({ SegmentLabel(tags: $0) }),
      let stream = found.streams?.first, found.streams?.count == 1,
      (stream.codec_name == "ffv1") == (label.pieceLength == nil),
      let width = stream.width, let height = stream.height,
      (1...DocumentStage.maximumSide) ~= width, (1...DocumentStage.maximumSide) ~= height
    else { throw InputError("\(path): not a segment that lamina render wrote") }
    (self.label, self.width, self.height) = (label, width, height)
    let packets = stream.nb_read_packets.flatMap { Int($0) } ?? 0
    guard packets == count else {
      throw InputError("\(path): has \(packets) frames of \(count): it is not whole")
    }
  }

  /// Decodes the frames and calls `body` with each one's bytes: RGBA, unpremultiplied. Throws an
  /// `InputError` if a checksum in the file is wrong, or if there are not as many as there should
  /// be.
  func decode(tools: FilmTools, _ body: ([UInt8]) throws -> Void) throws {
    let decoder = try FFmpegDecoder(
      ffmpeg: tools.ffmpeg,
      arguments: ["-err_detect", "crccheck+explode", "-i", "file:" + path, "-map", "0:v:0"],
      name: path)
    var bytes = [UInt8](repeating: 0, count: bytesPerFrame)
    for _ in 0..<count {
      guard try decoder.read(into: &bytes) else { throw decoder.failure }
      try body(bytes)
    }
    try decoder.finish()
  }

  /// Throws unless every frame can be decoded, or if a piece's bytes are not those that were
  /// written.
  func verify(tools: FilmTools) throws {
    guard label.pieceLength != nil else { return try decode(tools: tools) { _ in } }
    let noted = FileManager.default.contents(atPath: Self.digestFile(of: path)) ?? Data()
    guard let digest = try? Digest.text(ofFile: path),
      String(decoding: noted, as: UTF8.self).hasPrefix(digest)
    else {
      throw InputError(
        "\(path): is damaged: its digest is not that in \(Self.digestFile(of: path))")
    }
  }

  /// The file with a piece's digest, which `sha256sum --check` takes.
  static func digestFile(of path: String) -> String { path + ".sha256" }

  /// Whether the file at `path` is a whole segment with this label.
  static func isWhole(_ path: String, label: SegmentLabel, tools: FilmTools) -> Bool {
    guard access(path, F_OK) == 0, let file = try? SegmentFile(path: path, tools: tools),
      file.label == label
    else { return false }
    return (try? file.verify(tools: tools)) != nil
  }

  /// The arguments with which ffmpeg writes a segment. The same frames give the same bytes.
  static func arguments(width: Int, height: Int, label: SegmentLabel) -> [String] {
    // Decoders work on slices at once. Small frames cannot have many.
    let slices = min(width, height) >= 64 ? "16" : "1"
    return [
      "-pix_fmt", "bgra", "-c:v", "ffv1", "-level", "3", "-g", "1", "-coder", "0", "-context", "0",
      "-slices", slices, "-slicecrc", "1", "-threads", "1",
    ] + FilmEncoding.exact + label.arguments + ["-f", "matroska"]
  }
}

/// What ffprobe says of a file.
private struct SegmentProbe: Decodable {
  struct Stream: Decodable {
    var codec_name: String?
    var width: Int?
    var height: Int?
    var nb_read_packets: String?
  }
  struct Format: Decodable { var tags: [String: String]? }
  var streams: [Stream]?
  var format: Format?

  static func read(_ path: String, tools: FilmTools) throws(InputError) -> SegmentProbe {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw InputError(errno == ENOENT ? "\(path): is missing" : "\(path): cannot be read")
    }
    let run: ProgramRun
    do throws(OutputError) {
      run = try ProgramRun(
        tools.ffprobe,
        [
          "-v", "error", "-count_packets", "-show_entries",
          "format_tags:stream=codec_name,width,height,nb_read_packets", "-of", "json",
          "file:" + path,
        ])
    } catch {
      throw InputError(error.message)
    }
    guard run.status == 0,
      let found = try? JSONDecoder().decode(SegmentProbe.self, from: run.output)
    else { throw InputError("\(path): is damaged: \(run.firstComplaint ?? "it cannot be read")") }
    return found
  }
}
