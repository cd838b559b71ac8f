import Foundation

/// Another program while it runs. It is killed with the last reference, and if this process is
/// interrupted.
///
/// What it writes to standard error goes to an unnamed file: a pipe that is not read would block it
/// once full.
final class RunningProgram {
  private let process = Process()
  private let errors: UnsafeMutablePointer<FILE>

  /// Starts the program at `path`. `input` and `output` are what a `Process` takes: handles of
  /// files, or pipes.
  init(
    _ path: String, _ arguments: [String], input: Any = FileHandle.nullDevice,
    output: Any = FileHandle.nullDevice
  ) throws(OutputError) {
    guard let errors = tmpfile() else { throw .system("a temporary file") }
    self.errors = errors
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle(fileDescriptor: fileno(errors), closeOnDealloc: false)
    do {
      try Unfinished.work.withLock { [process] work in try work.run(process) }
    } catch {
      let name = URL(fileURLWithPath: path).lastPathComponent
      throw OutputError("\(name) cannot be started: \(error.localizedDescription)")
    }
  }

  /// Waits for the program's end. Returns its exit status, or 128 and the number of the signal that
  /// ended it.
  @discardableResult
  func waitForEnd() -> Int32 {
    process.waitUntilExit()
    let status = process.terminationStatus
    return process.terminationReason == .exit ? status : 128 + status
  }

  /// Kills the program, which gentler signals do not always end while its input is open.
  func end() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var hasComplained: Bool {
    var status = stat()
    return fstat(fileno(errors), &status) == 0 && status.st_size > 0
  }

  /// The first 4 KiB of what it wrote to standard error.
  var complaints: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = max(0, pread(fileno(errors), &bytes, bytes.count, 0))
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// The first line of that; nil if there is none.
  var firstComplaint: String? { LaminaTool.firstComplaint(in: complaints) }

  deinit {
    end()
    Unfinished.work.withLock { $0.noteEnd(of: process) }
    fclose(errors)
  }
}

/// The first line of what a program wrote; nil if there is none. Without the address in memory with
/// which ffmpeg begins lines, such as `[ffv1 @ 0x5571]`.
func firstComplaint(in text: String) -> String? {
  guard let line = text.split(whereSeparator: \.isNewline).first else { return nil }
  guard line.hasPrefix("["), let end = line.firstIndex(of: "]"), line[..<end].contains(" @ 0x")
  else { return String(line) }
  return line[end...].dropFirst().trimmingCharacters(in: .whitespaces)
}
