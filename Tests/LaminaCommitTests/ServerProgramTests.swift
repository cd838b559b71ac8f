import Foundation
import LaminaCommit
import Testing

/// Where the server's program is looked for, in a folder of files that stand for it.
@Suite("Where the render server's program is found")
struct ServerProgramTests {
  @Test("It is found under its name and under the one that SwiftPM gives to tools")
  func names() throws {
    for name in ["lamina-render-server", "lamina-render-server-tool"] {
      try inFolder { folder in
        let program = try makeProgram("bin/" + name, in: folder)
        #expect(try find(in: folder) == program)
      }
    }
  }

  @Test("Of two builds in one folder the newer is taken, whichever name it has")
  func newer() throws {
    let names = ["bin/lamina-render-server", "bin/lamina-render-server-tool"]
    for (newer, older) in [(names[0], names[1]), (names[1], names[0])] {
      try inFolder { folder in
        try makeProgram(older, in: folder, modified: 1000)
        let program = try makeProgram(newer, in: folder, modified: 1000.5)
        #expect(try find(in: folder) == program)
      }
    }
  }

  @Test("It is found in ../libexec/lamina, after the folder itself")
  func libexec() throws {
    try inFolder { folder in
      try makeProgram("libexec/lamina/lamina-render-server", in: folder, modified: 2000)
      #expect(try find(in: folder) == folder + "/bin/../libexec/lamina/lamina-render-server")
      let program = try makeProgram("bin/lamina-render-server-tool", in: folder, modified: 1000)
      #expect(try find(in: folder) == program)
    }
  }

  @Test("A file that cannot be run is not it, and the error names every place")
  func notThere() throws {
    try inFolder { folder in
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644],
        ofItemAtPath: makeProgram("bin/lamina-render-server", in: folder))
      let places = ["/bin", "/bin/../libexec/lamina"].flatMap { place in
        ["lamina-render-server", "lamina-render-server-tool"].map { folder + place + "/" + $0 }
      }
      #expect(throws: ServerFailure.notFound(lookedAt: places)) { try find(in: folder) }
    }
  }

  private func find(in folder: String) throws -> String {
    try RenderServerLauncher.findProgram(besides: [{ folder + "/bin" }])
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("ServerProgramTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["bin", "libexec/lamina"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    try body(folder.path)
  }

  /// Makes a file that can be run, last written so many seconds after 1970, and returns its path.
  @discardableResult
  private func makeProgram(
    _ name: String, in folder: String, modified: Double = 1000
  ) throws -> String {
    let path = folder + "/" + name
    try Data().write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755, .modificationDate: Date(timeIntervalSince1970: modified)],
      ofItemAtPath: path)
    return path
  }
}
