import Foundation
import Lamina

/// Writes a film through ffmpeg, which reads raw frames from its standard input.
final class FFmpegSink: FrameSink {
  private let file: OutputFile
  private let program: RunningProgram
  private let input: ByteStream

  /// `arguments` say how the frames are encoded.
  init(
    ffmpeg: String, path: String, width: Int, height: Int, framesPerSecond: FrameRate,
    arguments: [String]
  ) throws(OutputError) {
    file = try OutputFile(path: path)
    try file.checkRoom()
    let pipe = Pipe()
    program = try RunningProgram(
      ffmpeg,
      [
        "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s",
        "\(width)x\(height)", "-framerate",
        "\(framesPerSecond.numerator)/\(framesPerSecond.denominator)", "-i", "pipe:0",
      ] + arguments
        // Reports a full disk at once instead of at the end of the film.
        + ["-flush_packets", "1", file.temporaryPath],
      input: pipe)
    try? pipe.fileHandleForReading.close()
    let descriptor = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    try? pipe.fileHandleForWriting.close()
    input = ByteStream(descriptor: descriptor, name: "ffmpeg")
  }

  func write(_ frame: CGImage) throws { try write(frame.unpremultipliedRGBA) }

  /// Writes a frame's bytes.
  func write(_ bytes: [UInt8]) throws {
    do {
      try input.write(bytes)
    } catch {
      try? input.close()
      throw failure
    }
    // ffmpeg would continue after its first error until the end of the film.
    if program.hasComplained {
      program.end()
      throw failure
    }
  }

  func finish() throws {
    try input.close()
    // If it cannot write the end of the file, ffmpeg prints an error but still exits with status 0.
    guard program.waitForEnd() == 0, !program.hasComplained else { throw failure }
    try file.keep()
  }

  private var failure: OutputError {
    let status = program.waitForEnd()
    return OutputError("ffmpeg: \(program.firstComplaint ?? "ended with status \(status)")")
  }
}
