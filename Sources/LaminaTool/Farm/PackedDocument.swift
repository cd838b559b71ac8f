import Foundation
import LaminaCAML

/// A document with its files in one file, which is named by their digest and the document's name.
enum PackedDocument {
  static func path(ofDocument path: String, digest: String, folder: String) -> String {
    "\(folder)/\(digest)-\(URL(fileURLWithPath: path).lastPathComponent).tar"
  }

  /// Packs a document into a file in `folder`.
  static func pack(
    _ document: CAMLDocument, path: String, digest: String, folder: String
  ) throws {
    let pack = Self.path(ofDocument: path, digest: digest, folder: folder)
    guard access(pack, F_OK) != 0 else { return }
    let output = try OutputFile(path: pack)
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let start = CAMLDocument.folder(ofDocument: path).dropFirst(parent.count + 1)
    let list = try TemporaryFolder()
    let names = document.namedFiles(path: path).map { "\(start)\($0.name)\0" }
    try OutputFile.write(Data(names.joined().utf8), to: "\(list.path)/files")
    let run = try ProgramRun(
      "/usr/bin/env",
      [
        "tar", "--create", "--file", output.temporaryPath, "--dereference", "--mtime=@0",
        "--owner=0", "--group=0", "--numeric-owner", "--no-recursion", "-C", parent, "--null",
        "--verbatim-files-from", "--files-from", "\(list.path)/files",
      ])
    guard run.status == 0 else {
      throw OutputError("\(pack): cannot be written: \(run.firstComplaint ?? "tar failed")")
    }
    try output.keep()
  }

  /// Unpacks a document into `folder`. Returns its path there. `name` is that of the document.
  static func unpack(_ pack: String, name: String, to folder: TemporaryFolder) throws -> String {
    let run = try ProgramRun(
      "/usr/bin/env", ["tar", "--extract", "--file", pack, "-C", folder.path])
    guard run.status == 0 else {
      throw InputError("\(pack): cannot be unpacked: \(run.firstComplaint ?? "tar failed")")
    }
    return "\(folder.path)/\(name)"
  }
}

/// A folder that is removed with the last reference.
final class TemporaryFolder {
  let path: String

  init() throws(OutputError) {
    var template = Array((NSTemporaryDirectory() + "lamina-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw .system(NSTemporaryDirectory()) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    Unfinished.work.withLock { [path] in $0.note(path) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    Unfinished.work.withLock { [path] in $0.forget(path) }
  }
}
