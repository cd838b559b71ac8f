import Foundation
import LaminaCAML

/// A document with its files in one file, whose name is their digest.
enum PackedDocument {
  /// Packs a document into a file in `folder`. Returns the file's path.
  static func pack(
    _ document: CAMLDocument, path: String, digest: String, folder: String
  ) throws -> String {
    let pack = "\(folder)/\(digest).tar"
    if access(pack, F_OK) == 0 { return pack }
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
    return pack
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
