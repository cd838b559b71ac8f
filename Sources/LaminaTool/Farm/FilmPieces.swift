import Foundation
import Lamina

/// Films of pieces that are encoded apart: each begins with a picture of its own, so they are
/// joined without being encoded again. Such a film is a little larger than one that is encoded as a
/// whole.
enum FilmPieces {
  /// Joins pieces into a film.
  static func join(
    _ pieces: [(path: String, frameCount: Int)], rate: FrameRate, to output: OutputFile,
    format: OutputForm.FilmFormat, tools: FilmTools
  ) throws {
    let folder = try TemporaryFolder()
    try OutputFile.write(Data(list(pieces, rate: rate).utf8), to: "\(folder.path)/list")
    // Nobody else may have the name meanwhile.
    try output.open().close()
    var arguments = [
      "-hide_banner", "-nostdin", "-loglevel", "error", "-y", "-f", "concat", "-safe", "0", "-i",
      "\(folder.path)/list", "-map", "0:v:0", "-c", "copy", "-map_metadata", "-1",
    ]
    arguments += FilmEncoding.exact
    if format == .mp4 { arguments += ["-movflags", "+faststart"] }
    let run = try ProgramRun(
      tools.ffmpeg, arguments + ["-f", format.rawValue, output.temporaryPath])
    guard run.status == 0, run.firstComplaint == nil else {
      throw OutputError("ffmpeg: \(run.firstComplaint ?? "ended with status \(run.status)")")
    }
    try output.keep()
  }

  /// The list for ffmpeg. Files say how long they last to a rounded number only, so the list does:
  /// in microseconds, whose rounding does not add up.
  static func list(_ pieces: [(path: String, frameCount: Int)], rate: FrameRate) -> String {
    var lines = ["ffconcat version 1.0"]
    var frames = 0
    func microseconds(_ frames: Int) -> Int {
      Int((Double(frames) * 1e6 / rate.value).rounded())
    }
    for piece in pieces {
      let path = URL(fileURLWithPath: piece.path).path.replacingOccurrences(of: "'", with: "'\\''")
      let length = microseconds(frames + piece.frameCount) - microseconds(frames)
      frames += piece.frameCount
      lines += [
        "file 'file:\(path)'",
        "duration \(length / 1_000_000).\(String(format: "%06d", length % 1_000_000))",
      ]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// A piece of a film, and its digest.
struct PieceSink: FrameSink {
  let path: String
  let encoder: FFmpegSink

  func write(_ frame: CGImage) throws { try encoder.write(frame) }

  func finish() throws {
    try encoder.finish()
    let digest = try Digest.text(ofFile: path)
    let name = URL(fileURLWithPath: path).lastPathComponent
    try OutputFile.write(
      Data("\(digest)  \(name)\n".utf8), to: SegmentFile.digestFile(of: path))
  }
}

/// A film in pieces, one after another.
final class PiecesSink: FrameSink {
  private let output: OutputFile
  private let format: OutputForm.FilmFormat
  private let pieceLength: Int
  private let size: (width: Int, height: Int)
  private let rate: FrameRate
  private let isTransparent: Bool
  private let tools: FilmTools
  /// Where the pieces are until the film is whole.
  private let folder: UnfinishedOutput
  private var pieces: [(path: String, frameCount: Int)] = []
  private var encoder: FFmpegSink?

  init(
    path: String, format: OutputForm.FilmFormat, pieceLength: Int, size: (width: Int, height: Int),
    rate: FrameRate, isTransparent: Bool
  ) throws {
    tools = try FilmTools()
    output = try OutputFile(path: path)
    folder = try UnfinishedOutput(beside: path + ".pieces", isFolder: true)
    (self.format, self.pieceLength, self.size) = (format, pieceLength, size)
    (self.rate, self.isTransparent) = (rate, isTransparent)
  }

  func write(_ frame: CGImage) throws {
    if encoder == nil {
      let path = "\(folder.path)/\(pieces.count).\(format.rawValue)"
      encoder = try FFmpegSink(
        ffmpeg: tools.ffmpeg, path: path, width: size.width, height: size.height,
        framesPerSecond: rate,
        arguments: FilmEncoding.arguments(for: format, keepsTransparency: isTransparent))
      pieces.append((path, 0))
    }
    try encoder?.write(frame)
    pieces[pieces.count - 1].frameCount += 1
    if pieces[pieces.count - 1].frameCount == pieceLength { try endPiece() }
  }

  private func endPiece() throws {
    try encoder?.finish()
    encoder = nil
  }

  func finish() throws {
    try endPiece()
    try FilmPieces.join(pieces, rate: rate, to: output, format: format, tools: tools)
  }
}
