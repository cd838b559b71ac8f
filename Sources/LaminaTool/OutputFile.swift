import Foundation
import LaminaValues

/// An error in writing output.
struct OutputError: Error, Equatable {
  var message: String
  init(_ message: String) { self.message = message }

  static func system(_ path: String, code: Int32 = errno) -> OutputError {
    OutputError("\(path): cannot be written: \(FileError.reason(code))")
  }
}

/// A file that gets its name only when it is complete. What is there and no plain file, such as
/// `/dev/null` or a named pipe, is written to as it is.
final class OutputFile {
  let path: String
  /// nil for what is no plain file.
  private let unfinished: UnfinishedOutput?

  init(path: String) throws(OutputError) {
    self.path = path
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw .system(path, code: EISDIR)
    }
    var status = stat()
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    unfinished = isSpecial ? nil : try UnfinishedOutput(beside: path)
  }

  /// The file's path until it is complete.
  var temporaryPath: String { unfinished?.path ?? path }

  /// Creates the file, empty, unless an interruption has begun to remove it.
  func open() throws(OutputError) -> ByteStream {
    try Unfinished.work.withLock { _ throws(OutputError) in
      try ByteStream(creating: temporaryPath, name: path)
    }
  }

  /// Throws if the disk has no room for the first 64 KiB, before anything is drawn for the file. A
  /// film's encoder may hold back seconds of it before it writes.
  func checkRoom() throws(OutputError) {
    if unfinished == nil { return }
    let stream = try open()
    try stream.write([UInt8](repeating: 0, count: 1 << 16))
    try stream.close()
    // Empty again.
    try open().close()
  }

  /// Gives the complete file its name.
  func keep() throws(OutputError) { try unfinished?.move(to: path) }

  /// Writes `data` as the file's contents and gives it its name.
  func write(_ data: Data) throws(OutputError) {
    let stream = try open()
    try stream.write(Array(data))
    try stream.close()
    try keep()
  }

  /// Writes `data` as the contents of the file at `path`.
  static func write(_ data: Data, to path: String) throws(OutputError) {
    try OutputFile(path: path).write(data)
  }
}

/// A stream of bytes to a file, a pipe or standard output.
final class ByteStream {
  private var descriptor: Int32
  private let name: String

  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Creates a file. Errors call it `name`.
  init(creating path: String, name: String) throws(OutputError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    self.name = name
    guard descriptor >= 0 else { throw .system(name) }
  }

  func write(_ bytes: [UInt8]) throws(OutputError) {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress! + start, bytes.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(name) }
      start += count
    }
  }

  func close() throws(OutputError) {
    guard descriptor >= 0 else { return }
    let result = Glibc.close(descriptor)
    descriptor = -1
    guard result == 0 else { throw .system(name) }
  }

  deinit {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
  }
}
