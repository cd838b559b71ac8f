import Foundation

/// A run of another program, to its end.
struct ProgramRun {
  /// The exit status, or 128 and the number of the signal that ended it.
  let status: Int32
  let output: Data

  var text: String { String(decoding: output, as: UTF8.self) }

  /// The begin of what it wrote to standard error.
  let errors: String

  /// The first line that it wrote to standard error.
  var firstComplaint: String? { LaminaTool.firstComplaint(in: errors) }

  /// Runs the program at `path`. Throws if it cannot be started.
  init(_ path: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    // Errors go to an unnamed file, so that one pipe can be read to its end.
    guard let errors = tmpfile() else { throw OutputError.system("a temporary file") }
    defer { fclose(errors) }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle(fileDescriptor: fileno(errors), closeOnDealloc: false)
    try Unfinished.work.withLock { [process] work in try work.run(process) }
    try? pipe.fileHandleForWriting.close()
    output = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    Unfinished.work.withLock { [process] work in work.noteEnd(of: process) }
    status =
      process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus
    self.errors = beginning(of: errors)
  }
}

/// The first 4 KiB of a file.
func beginning(of file: UnsafeMutablePointer<FILE>) -> String {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = max(0, pread(fileno(file), &bytes, bytes.count, 0))
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}

/// The first line of what a program wrote; nil if there is none. Without the address in memory with
/// which ffmpeg begins lines, such as `[ffv1 @ 0x5571]`.
func firstComplaint(in text: String) -> String? {
  guard let line = text.split(whereSeparator: \.isNewline).first else { return nil }
  guard line.hasPrefix("["), let end = line.firstIndex(of: "]"), line[..<end].contains(" @ 0x")
  else { return String(line) }
  return line[end...].dropFirst().trimmingCharacters(in: .whitespaces)
}
