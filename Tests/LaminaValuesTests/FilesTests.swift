import Foundation
import LaminaValues
import Testing

@Suite("Files")
struct FilesTests {
  @Test(
    "Why a file cannot be read or written is said in words that continue a sentence",
    arguments: [
      (EACCES, "permission denied"), (EPERM, "permission denied"), (ENOENT, "no such file"),
      (EISDIR, "is a folder"), (ENOTDIR, "a part of its path is no folder"),
      (ELOOP, "too many levels of symbolic links"), (ENOSPC, "no space left on device"),
      (EROFS, "read-only file system"),
    ])
  func reasons(code: Int32, words: String) { #expect(FileError.reason(code) == words) }

  @Test("Files are read whole, up to a limit, and written over what is there")
  func bytes() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("LaminaValuesTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let long = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    for data in [long, Data([1, 2, 3]), Data()] {
      try writeFile(url.path, data)
      #expect(try readFile(url.path, limit: data.count) == Array(data))
    }
    try writeFile(url.path, long)
    #expect(throws: FileError.tooLarge(limit: 5)) { try readFile(url.path, limit: 5) }
    #expect(throws: FileError.system(ENOTDIR)) { try readFile("\(url.path)/x", limit: 5) }
    #expect(throws: FileError.system(EISDIR)) { try readFile("/", limit: 5) }
    #expect(throws: FileError.system(EISDIR)) { try writeFile("/", Data()) }
    #expect(throws: FileError.system(ENOSPC)) { try writeFile("/dev/full", long) }
  }
}
