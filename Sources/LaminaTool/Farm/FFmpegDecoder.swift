import Foundation

/// An ffmpeg that decodes a file into raw RGBA frames, which are read from a pipe.
final class FFmpegDecoder {
  private let program: RunningProgram
  private let output: Int32
  /// The file's name, for messages.
  private let name: String

  /// `arguments` name the input.
  init(ffmpeg: String, arguments: [String], name: String) throws(OutputError) {
    self.name = name
    let pipe = Pipe()
    program = try RunningProgram(
      ffmpeg,
      ["-hide_banner", "-nostdin", "-loglevel", "error", "-xerror"] + arguments
        + ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1"],
      output: pipe)
    try? pipe.fileHandleForWriting.close()
    output = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    try? pipe.fileHandleForReading.close()
  }

  /// Fills `bytes`, a frame. Returns false if the output ends before.
  func read(into bytes: inout [UInt8]) throws(InputError) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(output, $0.baseAddress! + start, $0.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      start += count
    }
    return true
  }

  /// Throws if ffmpeg has anything more to give, or complained.
  func finish() throws(InputError) {
    var more = [UInt8](repeating: 0, count: 1)
    guard try !read(into: &more) else {
      throw InputError("\(name): has more frames than it says")
    }
    guard program.waitForEnd() == 0, !program.hasComplained else { throw failure }
  }

  /// Why fewer frames came than should have.
  var failure: InputError {
    program.waitForEnd()
    return InputError("\(name): is damaged: \(program.firstComplaint ?? "it ends too early")")
  }

  deinit { close(output) }
}
