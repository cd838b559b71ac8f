import CGL
import Foundation
import LaminaValues

/// Linked programs in files, for processes to come.
///
/// A driver's own cache spares compiling a program, but not all that a compiler sets up before it
/// looks there: on Mesa 22.3 that is 4 ms, of about 40 until a first picture. A linked program is
/// taken as it is.
///
/// A file belongs to one driver and one source, both of which it repeats. A driver refuses what
/// another version of it wrote, or what is damaged; the program is then compiled, and the file
/// replaced. What cannot be read or written is done without.
struct ProgramStore {
  /// The most files that are kept. If there are more, as after many versions of a driver, all are
  /// removed.
  static let mostFiles = 512
  private static let mostBytes = 4 << 20

  private let folder: String
  private let driver: String

  /// Programs of a driver, whose context must be current, in a folder, which is made if it is not
  /// there. nil if the driver does not give programs away.
  init?(in folder: String, for context: RenderingContext) {
    var formatCount: GLint = 0
    glGetIntegerv(GLenum(GL_NUM_PROGRAM_BINARY_FORMATS), &formatCount)
    guard formatCount > 0 else { return nil }
    GLESRenderer.makeCacheFolder(folder)
    self.folder = folder
    driver = [context.vendor, context.renderer, context.version].joined(separator: "\n")
  }

  /// Gives a new program what was stored for these sources. Returns false if it cannot be used.
  func load(_ program: GLuint, vertex: String, fragment: String) -> Bool {
    let key = key(vertex, fragment)
    guard let file = read(path(key)), file.count > 4 + key.count,
      file.dropFirst(4).starts(with: key)
    else { return false }
    let format = file.withUnsafeBytes { $0.loadUnaligned(as: GLenum.self) }
    let binary = file.dropFirst(4 + key.count)
    binary.withUnsafeBytes {
      glProgramBinary(program, format, $0.baseAddress, GLsizei($0.count))
    }
    var status: GLint = 0
    glGetProgramiv(program, GLenum(GL_LINK_STATUS), &status)
    if status != GL_TRUE { discardErrors() }
    return status == GL_TRUE
  }

  /// Has the driver keep what `save` stores, for a program that is about to be linked.
  func prepare(_ program: GLuint) {
    glProgramParameteri(program, GLenum(GL_PROGRAM_BINARY_RETRIEVABLE_HINT), GL_TRUE)
  }

  /// Stores a linked program.
  func save(_ program: GLuint, vertex: String, fragment: String) {
    var length: GLint = 0
    glGetProgramiv(program, GLenum(GL_PROGRAM_BINARY_LENGTH), &length)
    guard length > 0, length <= Self.mostBytes else { return }
    var format: GLenum = 0
    var written: GLsizei = 0
    let key = key(vertex, fragment)
    var file = [UInt8](repeating: 0, count: 4 + key.count + Int(length))
    file.withUnsafeMutableBytes {
      glGetProgramBinary(
        program, GLsizei(length), &written, &format, $0.baseAddress! + 4 + key.count)
    }
    guard written > 0, written <= length else { return discardErrors() }
    withUnsafeBytes(of: format) { file.replaceSubrange(0..<4, with: $0) }
    file.replaceSubrange(4..<4 + key.count, with: key)
    file.removeLast(Int(length - written))
    makeRoom()
    write(file, to: path(key))
  }

  /// The driver and the sources, each of which ends with a zero byte.
  private func key(_ vertex: String, _ fragment: String) -> [UInt8] {
    [driver, vertex, fragment].flatMap { Array($0.utf8) + [0] }
  }

  private func path(_ key: [UInt8]) -> String {
    // FNV-1a. Two sources with one hash replace each other.
    let hash = key.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return folder + "/" + String(hash, radix: 16) + ".program"
  }

  private func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_size <= Self.mostBytes else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count == bytes.count ? bytes : nil
  }

  /// Writes a file whole or not at all.
  private func write(_ bytes: [UInt8], to path: String) {
    let unfinished = "\(path).\(getpid()).\(UInt(pthread_self()))"
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    let isWhole = close(descriptor) == 0 && count == bytes.count
    if !isWhole || rename(unfinished, path) != 0 { unlink(unfinished) }
  }

  private func makeRoom() {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder),
      names.count >= Self.mostFiles
    else { return }
    for name in names { unlink(folder + "/" + name) }
  }
}

extension GLESRenderer {
  /// The user's folder of caches: $XDG_CACHE_HOME, or else ~/.cache.
  package static func cacheFolder(_ environment: Environment) -> String? {
    environment["XDG_CACHE_HOME"] ?? environment["HOME"].map { $0 + "/.cache" }
  }

  /// Makes a folder of caches that only the user can read, unless it is there. What cannot be made
  /// is done without.
  package static func makeCacheFolder(_ path: String) {
    if access(path, F_OK) == 0 { return }
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// The folder of programs in there.
  package static func programFolder(_ environment: Environment = .process) -> String? {
    cacheFolder(environment).map { $0 + "/lamina/programs" }
  }
}
