import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import Testing

@Suite("Linked programs in a folder")
struct ProgramStoreTests {
  /// Calls `body` with the path of a folder that does not exist yet, and removes it.
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder =
      FileManager.default.temporaryDirectory.path(percentEncoded: false)
      + "/lamina-programs-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  /// Draws two programs with a new renderer. Returns the bytes and the numbers of programs that it
  /// has, and of those that it took from the folder.
  private func draw(_ folder: String) throws -> (bytes: [UInt8], count: Int, stored: Int) {
    var plan = FramePlan(16, 16)
    plan.add(Item(.solid, color: ItemColor(0.2, 0.6, 0, 0.5)), Box(1, 2, 9.6, 12))
    plan.add(
      Item(.solidEdges, color: ItemColor(0.9, 0.3, 0.2, 1)), Box(4, 3, 15, 14), edges: 4.3...12.8)
    let renderer = try GLESRenderer(platform: testPlatform, programs: folder)
    defer { renderer.close() }
    let bytes = try renderer.draw(plan).bytes
    return (bytes, renderer.programCount, renderer.storedProgramCount)
  }

  private func files(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { folder + "/" + $0 }
  }

  @Test("are taken by the next renderer, which draws the same")
  func taken() throws {
    try withFolder { folder in
      let first = try draw(folder)
      #expect(first.count == 2 && first.stored == 0)
      #expect(try files(folder).count == 2)
      let second = try draw(folder)
      #expect(second.count == 2 && second.stored == 2)
      #expect(second.bytes == first.bytes)
      #expect(Set(first.bytes).count > 4)
    }
  }

  @Test(
    "are compiled and stored again if a file is damaged",
    arguments: ["emptied", "cut", "key", "format", "header", "middle", "end"])
  func damaged(how: String) throws {
    try withFolder { folder in
      let bytes = try draw(folder).bytes
      for file in try files(folder) {
        var content = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let binary = try #require(content.lastIndex(of: UInt8(ascii: "}"))) + 2
        switch how {
        case "emptied": content = []
        case "cut": content.removeLast(content.count / 3)
        case "key": content[40] ^= 1
        case "format": content[0] ^= 0x55
        case "header": content[binary] ^= 0xff
        case "middle": content[(binary + content.count) / 2] ^= 0x10
        default: content[content.count - 1] ^= 0x80
        }
        try Data(content).write(to: URL(filePath: file))
      }
      let after = try draw(folder)
      #expect(after.bytes == bytes)
      #expect(after.stored == 0)
      #expect(try draw(folder).stored == 2)
    }
  }

  @Test("are none where there can be no folder")
  func noFolder() throws {
    try withFolder { file in
      try Data("a file".utf8).write(to: URL(filePath: file))
      let drawn = try draw(file)
      #expect(drawn.stored == 0 && drawn.count == 2)
      #expect(try draw(file).bytes == drawn.bytes)
    }
  }

  @Test("are removed, all of them, if they have become too many")
  func tooMany() throws {
    try withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for number in 0..<600 {
        try Data().write(to: URL(filePath: "\(folder)/\(number).program"))
      }
      _ = try draw(folder)
      #expect(try files(folder).count == 2)
    }
  }

  @Test("lie in the user's folder of caches")
  func place() {
    #expect(GLESRenderer.programFolder([:]) == nil)
    #expect(GLESRenderer.programFolder(["HOME": "/home/me"]) == "/home/me/.cache/lamina/programs")
    #expect(
      GLESRenderer.programFolder(["HOME": "/home/me", "XDG_CACHE_HOME": "/caches"])
        == "/caches/lamina/programs")
  }
}
