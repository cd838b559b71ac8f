import Foundation
import LaminaCAML

/// `lamina convert`.
struct ConvertCommand {
  enum Form: Equatable {
    case bundle, file
  }

  let input: String
  let output: String
  let form: Form

  init(_ arguments: ParsedArguments) throws(UsageError) {
    input = arguments.positionals[0]
    output = arguments.positionals[1]
    switch URL(fileURLWithPath: output).pathExtension.lowercased() {
    case "ca": form = .bundle
    case "caml": form = .file
    default: throw UsageError("convert: \"\(output)\" ends in neither .ca nor .caml")
    }
  }

  func run() throws -> ExitStatus {
    let writer = CAMLWriter(try CAMLDocument(path: input))
    switch form {
    case .file:
      let text = try writer.fileText(warnings: Report.warning)
      try OutputFile.write(Data(text.utf8), to: output)
    case .bundle:
      let folder = try OutputBundle(path: output)
      try writer.writeBundle(to: folder.temporaryURL, warnings: Report.warning)
      try folder.keep()
    }
    return .success
  }
}

/// A bundle that gets its name only when it is complete.
final class OutputBundle {
  let path: String
  private let unfinished: UnfinishedOutput

  init(path: String) throws(OutputError) {
    self.path = path
    try Self.requireReplaceable(path)
    unfinished = try UnfinishedOutput(beside: path, isFolder: true)
  }

  /// Throws if anything but a bundle or an empty folder is at `path`.
  private static func requireReplaceable(_ path: String) throws(OutputError) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
    guard isFolder.boolValue else { throw OutputError("\(path): is a file, not a bundle") }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [""]
    guard names.isEmpty || names.contains("main.caml") || names.contains("index.xml") else {
      throw OutputError("\(path): is a folder with other files, not a bundle")
    }
  }

  /// Where to create the bundle.
  var temporaryURL: URL {
    // The last part of the name is the one that messages have.
    URL(fileURLWithPath: unfinished.path)
      .appendingPathComponent(URL(fileURLWithPath: path).lastPathComponent)
  }

  /// Gives the complete bundle its name, in place of the bundle that has it.
  func keep() throws(OutputError) { try unfinished.replace(path, with: temporaryURL.path) }
}
