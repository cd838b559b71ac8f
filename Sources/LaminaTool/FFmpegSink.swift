import Foundation
import Lamina

/// Writes a film through ffmpeg, which reads raw frames from its standard input.
final class FFmpegSink: FrameSink {
  private let file: OutputFile
  private let process = Process()
  private let input: ByteStream
  /// ffmpeg's messages, in an unnamed file: a pipe that is not read would block ffmpeg once full.
  private let complaints: UnsafeMutablePointer<FILE>

  /// The path of ffmpeg, found through `PATH`; nil if it is not installed.
  static func executable(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/ffmpeg" }
      .first { access($0, X_OK) == 0 }
  }

  init(
    ffmpeg: String, path: String, format: OutputForm.FilmFormat, width: Int, height: Int,
    framesPerSecond: FrameRate, keepsTransparency: Bool
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
      ] + Self.arguments(for: format, keepsTransparency: keepsTransparency)
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

  private static func arguments(
    for format: OutputForm.FilmFormat, keepsTransparency: Bool
  ) -> [String] {
    // 4:2:0 needs even sides; sRGB's primaries are BT.709's.
    let video = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv"
    let tags = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
    switch format {
    case .mp4:
      return ["-vf", video + ",format=yuv420p", "-c:v", "libx264", "-crf", "16"] + tags
        + ["-movflags", "+faststart", "-f", "mp4"]
    case .webm:
      return [
        "-vf", video + ",format=" + (keepsTransparency ? "yuva420p" : "yuv420p"), "-c:v",
        "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1",
      ] + tags + ["-cluster_time_limit", "1000", "-f", "webm"]
    case .gif:
      let transparent = keepsTransparency ? "1" : "0"
      return [
        "-vf",
        "split[a][b];[a]palettegen=reserve_transparent=\(transparent)[p];[b][p]paletteuse",
        "-loop", "0", "-f", "gif",
      ]
    case .apng:
      return ["-pix_fmt", keepsTransparency ? "rgba" : "rgb24", "-plays", "0", "-f", "apng"]
    }
  }

  func write(_ frame: CGImage) throws {
    do {
      try input.write(frame.unpremultipliedRGBA)
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
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = max(0, pread(fileno(complaints), &bytes, bytes.count, 0))
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).first.map(String.init)
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
