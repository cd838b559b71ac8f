import Foundation
import LaminaCAML

/// A document with its files in one file, which is named by their digest and the document's name.
struct PackedDocument {
  /// Of the file.
  let path: String
  /// The folder that the document lies in.
  private let parent: String
  /// The document's files, by their paths in that folder.
  private let names: [String]

  /// `path` is the one that the document was read from.
  init(_ document: CAMLDocument, path: String, digest: String, folder: String) {
    let url = URL(fileURLWithPath: path)
    self.path = "\(folder)/\(digest)-\(url.lastPathComponent).tar"
    let parent = url.deletingLastPathComponent().path
    let start = CAMLDocument.folder(ofDocument: path).dropFirst(parent.count + 1)
    self.parent = parent
    names = document.namedFiles(path: path).map { "\(start)\($0.name)" }
  }

  /// Packs the document, unless the file is there.
  func write() throws {
    guard access(path, F_OK) != 0 else { return }
    let output = try OutputFile(path: path)
    let list = try TemporaryFolder()
    try OutputFile.write(
      Data(names.map { $0 + "\0" }.joined().utf8), to: "\(list.path)/files")
    let run = try ProgramRun(
      "/usr/bin/env",
      [
        "tar", "--create", "--file", output.temporaryPath, "--dereference", "--mtime=@0",
        "--owner=0", "--group=0", "--numeric-owner", "--no-recursion", "-C", parent, "--null",
        "--verbatim-files-from", "--files-from", "\(list.path)/files",
      ])
    guard run.status == 0 else {
      throw OutputError("\(path): cannot be written: \(run.firstComplaint ?? "tar failed")")
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
