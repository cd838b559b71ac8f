import CGLib
import Foundation
import Lamina
import LaminaCAML
import LaminaValues

/// A SHA-256 of bytes that are added part by part. Calls GLib's `g_checksum_update`.
final class Digest {
  private let checksum = g_checksum_new(Int32(LAMINA_CHECKSUM_SHA256))

  func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { g_checksum_update(checksum, $0.baseAddress, $0.count) }
  }

  /// Adds a line of text. Lines cannot run into each other.
  func add(line: String) { add(Array(line.utf8) + [0]) }

  /// Adds the bytes of a file.
  private func add(file path: String) throws(InputError) {
    func unreadable() -> InputError {
      InputError("\(path): cannot be read: \(FileError.system(errno))")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable() }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      if count == 0 { return }
      bytes.withUnsafeBufferPointer { g_checksum_update(checksum, $0.baseAddress, count) }
    }
  }

  /// The digest in hexadecimal. Nothing can be added afterwards.
  var text: String { String(cString: g_checksum_get_string(checksum)) }

  deinit { g_checksum_free(checksum) }
}

extension Digest {
  /// The digest of a file.
  static func text(ofFile path: String) throws(InputError) -> String {
    let digest = Digest()
    try digest.add(file: path)
    return digest.text
  }
}

extension CAMLDocument {
  /// The digest of the document's files and of their paths in its folder. `path` is the one that
  /// the document was read from.
  func digest(path: String) throws(InputError) -> String {
    let digest = Digest()
    for file in namedFiles(path: path) {
      digest.add(line: file.name)
      digest.add(line: try Digest.text(ofFile: file.path))
    }
    return digest.text
  }

  /// The document's files, named by their paths in its folder, and sorted by these.
  func namedFiles(path: String) -> [(name: String, path: String)] {
    let folder = Self.folder(ofDocument: path)
    return files.map { file in
      let name = file.path.hasPrefix(folder) ? file.path.dropFirst(folder.count) : file.path[...]
      return (String(name), file.path)
    }.sorted { $0.name < $1.name }
  }

  /// The folder in which a document's files lie, with a slash at its end: the document itself or
  /// the folder around it.
  static func folder(ofDocument path: String) -> String {
    let url = URL(fileURLWithPath: path)
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    let folder = exists && isFolder.boolValue ? url.path : url.deletingLastPathComponent().path
    return folder.hasSuffix("/") ? folder : folder + "/"
  }
}
