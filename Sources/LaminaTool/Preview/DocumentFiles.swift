import Foundation

/// The files of a document as they are on disk: those in its bundle, or, of a single file, those
/// beside it. Equal if none was written, added, removed or renamed.
struct DocumentFiles: Equatable {
  private struct File: Equatable {
    var path: String
    var inode: UInt64
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
  }

  private var files: [File] = []

  /// More files than this are not looked at.
  private static let limit = 4096

  init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      note(path)
      let folder = (path as NSString).deletingLastPathComponent
      noteFiles(in: folder.isEmpty ? "." : folder, depth: 0)
      return
    }
    noteFiles(in: path, depth: 4)
  }

  private mutating func noteFiles(in folder: String, depth: Int) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where !name.hasPrefix(".") && files.count < Self.limit {
      let path = folder + "/" + name
      if !note(path), depth > 0 { noteFiles(in: path, depth: depth - 1) }
    }
  }

  /// Notes a plain file, and returns whether it is none that holds others.
  @discardableResult
  private mutating func note(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return true }
    guard status.st_mode & S_IFMT != S_IFDIR else { return false }
    files.append(
      File(
        path: path, inode: UInt64(status.st_ino), size: Int64(status.st_size),
        seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec))
    return true
  }
}
