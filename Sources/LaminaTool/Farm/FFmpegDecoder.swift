import Foundation

/// An ffmpeg that decodes a file into raw RGBA frames, which are read from a pipe.
final class FFmpegDecoder {
  private let process = Process()
  private let output: Int32
  /// The file's name, for messages.
  private let name: String
  private let complaints: UnsafeMutablePointer<FILE>

  /// `arguments` name the input.
  init(ffmpeg: String, arguments: [String], name: String) throws(OutputError) {
    self.name = name
    guard let complaints = tmpfile() else { throw .system("a temporary file") }
    self.complaints = complaints
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: ffmpeg)
    process.arguments =
      ["-hide_banner", "-nostdin", "-loglevel", "error", "-xerror"] + arguments
      + ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = FileHandle(fileDescriptor: fileno(complaints), closeOnDealloc: false)
    do {
      try Unfinished.work.withLock { [process] work in try work.run(process) }
    } catch {
      throw OutputError("ffmpeg cannot be started: \(error.localizedDescription)")
    }
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
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0, complaint == nil
    else { throw failure }
  }

  /// Why fewer frames came than should have.
  var failure: InputError {
    process.waitUntilExit()
    return InputError("\(name): is damaged: \(complaint ?? "it ends too early")")
  }

  private var complaint: String? {
    firstComplaint(in: beginning(of: complaints))
  }

  deinit {
    close(output)
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    Unfinished.work.withLock { $0.noteEnd(of: process) }
    fclose(complaints)
  }
}
