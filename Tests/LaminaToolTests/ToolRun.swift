import Foundation

/// The built `lamina`, run as a person runs it.
struct ToolRun {
  let status: Int32
  let output: Data
  let errors: String

  /// `lamina` lies beside the program that runs the tests.
  static var executable: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("lamina")
  }

  /// Runs `lamina` with `arguments`. `environment` changes single variables, nil removing them.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // Files, since a pipe that nobody reads would stop the tool.
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("LaminaToolTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appendingPathComponent("out")
    let errors = folder.appendingPathComponent("err")
    for url in [output, errors] { try Data().write(to: url) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    self.output = try Data(contentsOf: output)
    self.errors = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
  }

  var text: String { String(decoding: output, as: UTF8.self) }
}

/// A folder of documents and what is rendered from them, that goes with the test.
final class ToolFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("LaminaToolTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  /// Writes a bare document around `layer`.
  func document(_ layer: String, name: String = "a.caml") throws -> String {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <caml xmlns="http://www.apple.com/CoreAnimation/1.0">
      \(layer)
      </caml>
      """
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
    return path(name)
  }
}
