import Foundation

/// The reason why a file could not be read or written.
package enum FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A system call failed with this errno.
  case system(Int32)
  case tooLarge(limit: Int)

  /// The end of a message such as "x.png: cannot be read: …".
  package var description: String {
    switch self {
    case .system(let code): Self.reason(code)
    case .tooLarge(let limit): "the file is larger than \(limit) bytes"
    }
  }

  /// Whether an errno says that there is no memory or no descriptor left.
  package static func isOfResources(_ code: Int32) -> Bool {
    [ENOMEM, EMFILE, ENFILE].contains(code)
  }

  /// What an errno says of a file, in words that continue a sentence.
  package static func reason(_ code: Int32) -> String {
    switch code {
    case ENOENT: return "no such file"
    case EISDIR: return "is a folder"
    case ENOTDIR: return "a part of its path is no folder"
    case EPERM: return "permission denied"
    default:
      let words = String(cString: strerror(code))
      return words.prefix(1).lowercased() + words.dropFirst()
    }
  }
}

/// Returns the bytes of the file at `path`, unless it has more than `limit`.
package func readFile(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .system(errno) }
  let file = FileDescriptor(rawValue: descriptor)
  var status = stat()
  guard fstat(file.rawValue, &status) == 0 else { throw .system(errno) }
  var bytes: [UInt8] = []
  // A regular file is read at once; others, such as pipes, report a size of 0 and are read in
  // pieces.
  var room = max(1 << 16, min(Int(status.st_size), limit) + 1)
  while true {
    var (count, code) = (0, Int32(0))
    let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, initializedCount in
      count = read(file.rawValue, buffer.baseAddress, room)
      code = errno
      initializedCount = max(0, count)
    }
    if count < 0 && code == EINTR { continue }
    guard count >= 0 else { throw .system(code) }
    guard count > 0 else { return bytes }
    if bytes.isEmpty { bytes = piece } else { bytes += piece }
    guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    room = 1 << 16
  }
}

/// Writes a file, replacing any that is there.
package func writeFile(_ path: String, _ data: Data) throws(FileError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw .system(errno) }
  let file = FileDescriptor(rawValue: descriptor)
  var written = 0
  while written < data.count {
    let count = data.withUnsafeBytes {
      write(file.rawValue, $0.baseAddress.map { $0 + written }, data.count - written)
    }
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw .system(errno) }
    written += count
  }
  // A full disk may be reported only on closing.
  guard close(file.take()) == 0 else { throw .system(errno) }
}
