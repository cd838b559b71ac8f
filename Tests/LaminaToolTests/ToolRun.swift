import Foundation
import Lamina
import TestSupport

/// A run of the built `lamina`, as a person would run it.
struct ToolRun {
  let status: Int32
  let output: Data
  let errors: String

  static let executable = built("lamina")

  /// Ends a program that takes too long: `-sKILL SECONDS PROGRAM…`. Other signals are blocked in
  /// programs that tests start.
  static let timeLimit = URL(fileURLWithPath: "/usr/bin/timeout")

  /// A program in the same folder as the test program.
  static func built(_ name: String) -> URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
  }

  /// Runs `lamina`, or another program, with `arguments`. `environment` sets single variables.
  init(
    _ arguments: [String], environment: [String: String] = [:], executable: URL = executable
  ) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    // Of a program built with a sanitizer that aborts, Swift's own backtrace never ends, and holds
    // what `waitUntilExit` waits for.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      .merging(environment) { $1 }
    // Output goes to files, since a full pipe would stop the tool.
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

/// A folder for documents and the files rendered from them; deleted with the test.
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

  /// A document with a picture that does not compress.
  func noise(side: Int = 128) throws -> String {
    var random = SeededGenerator(seed: 1)
    let bytes = (0..<side * side * 4).map { i -> UInt8 in
      i % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
    }
    let image = try CGImage(width: side, height: side, unpremultipliedRGBA: bytes)
    try image.writePNG(to: url.appendingPathComponent("noise.png"))
    let (size, middle) = ("0 0 \(side) \(side)", "\(side / 2) \(side / 2)")
    return try document(
      """
      <CALayer bounds="\(size)"><sublayers><CALayer bounds="\(size)" position="\(middle)">
      <contents type="CGImage" src="noise.png"/></CALayer></sublayers></CALayer>
      """, name: "noise.caml")
  }

  /// Writes a bare document around `layer`.
  func document(_ layer: String, name: String = "a.caml") throws -> String {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <caml xmlns="http://www.apple.com/CoreAnimation/1.0">
      \(layer)
      </caml>
      """
    // At once: what watches the file sees one change.
    try Data(text.utf8).write(to: url.appendingPathComponent(name), options: .atomic)
    return path(name)
  }
}
