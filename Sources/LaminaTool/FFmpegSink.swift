import Foundation
import Lamina

/// Writes a film through ffmpeg, which reads raw frames from its standard input.
final class FFmpegSink: FrameSink {
  private let file: OutputFile
  private let process = Process()
  private let input: ByteStream
  /// ffmpeg's messages, in an unnamed file: a pipe that is not read would block ffmpeg once full.
  private let complaints: UnsafeMutablePointer<FILE>

  /// `arguments` say how the frames are encoded.
  init(
    ffmpeg: String, path: String, width: Int, height: Int, framesPerSecond: FrameRate,
    arguments: [String]
  ) throws(OutputError) {
    file = try OutputFile(path: path)
    try file.checkRoom()
    guard let complaints = tmpfile() else { throw .system("a temporary file") }
    self.complaints = complaints
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: ffmpeg)
    process.arguments =
      [
        "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s",
        "\(width)x\(height)", "-framerate",
        "\(framesPerSecond.numerator)/\(framesPerSecond.denominator)", "-i", "pipe:0",
      ] + arguments
      // Reports a full disk at once instead of at the end of the film.
      + ["-flush_packets", "1", file.temporaryPath]
    process.standardInput = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(fileDescriptor: fileno(complaints), closeOnDealloc: false)
    do {
      try Unfinished.work.withLock { [process] work in try work.run(process) }
    } catch {
      throw OutputError("ffmpeg cannot be started: \(error.localizedDescription)")
    }
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
      process.waitUntilExit()
      throw failure
    }
    // ffmpeg would continue after its first error until the end of the film.
    if hasComplained {
      endProcess()
      throw failure
    }
  }

  func finish() throws {
    try input.close()
    process.waitUntilExit()
    // If it cannot write the end of the file, ffmpeg prints an error but still exits with status 0.
    guard process.terminationReason == .exit, process.terminationStatus == 0, complaint == nil
    else { throw failure }
    try file.keep()
  }

  private var failure: OutputError {
    OutputError("ffmpeg: \(complaint ?? "ended with status \(process.terminationStatus)")")
  }

  private var hasComplained: Bool {
    var status = stat()
    return fstat(fileno(complaints), &status) == 0 && status.st_size > 0
  }

  /// The first line that ffmpeg wrote; nil if there is none.
  private var complaint: String? {
    firstComplaint(in: beginning(of: complaints))
  }

  /// Kills ffmpeg, which gentler signals do not end while its input is open. Its output so far is
  /// not needed.
  private func endProcess() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit {
    endProcess()
    Unfinished.work.withLock { $0.noteEnd(of: process) }
    fclose(complaints)
  }
}
