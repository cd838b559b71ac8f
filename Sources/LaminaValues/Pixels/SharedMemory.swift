import CLinux
import Foundation

/// Why memory could not be shared or was refused.
package enum SharedMemoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A system call failed.
  case system(call: String, code: Int32)
  case badSize(Int)
  /// The descriptor is not a memory file, or the file can still shrink or grow while it is mapped.
  case notSealed
  /// The file's pages are huge ones, of which a machine may run out while the memory is read.
  case hugePages
  case tooSmall(needed: Int, actual: Int)
  /// The file has no page at this byte. The system would have to find one while the memory is read,
  /// and ends the process that reads if it cannot.
  case hole(at: Int)
  case outOfRange(offset: UInt64, count: UInt64, size: Int)

  package var description: String {
    switch self {
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    case .badSize(let size): "\(size) bytes cannot be mapped"
    case .notSealed: "it is not a memory file sealed against shrinking and growing"
    case .hugePages: "it is a memory file of huge pages (hugetlbfs)"
    case .tooSmall(let needed, let actual): "it has \(actual) bytes, and \(needed) are needed"
    case .hole(let offset): "it has a hole at byte \(offset)"
    case .outOfRange(let offset, let count, let size):
      "\(count) bytes at \(offset) do not lie in \(size) bytes"
    }
  }
}

/// Memory that several processes map: a memory file of sealed size, so that no holder can take
/// pages away from another.
package final class SharedMemory: Sendable {
  package enum Access: Sendable { case read, readWrite }

  /// Written only as the protocol between the processes allows. This class itself never reads it.
  package nonisolated(unsafe) let base: UnsafeMutableRawPointer
  package let byteCount: Int
  private let file: FileDescriptor
  private let isWritable: Bool

  /// The descriptor, which this object still owns.
  package var descriptor: Int32 { file.rawValue }

  /// Maps new memory, all zeros and without pages: another process takes none of it until they
  /// are there.
  package static func create(byteCount: Int) throws(SharedMemoryError) -> SharedMemory {
    try SharedMemory(mapping: createFile(byteCount), byteCount: byteCount, access: .readWrite)
  }

  /// Creates a file of these bytes for another process to map. Writes it instead of mapping it
  /// here, which would clear each page first and cost a fault.
  package static func createFile(
    of bytes: UnsafeRawBufferPointer
  ) throws(SharedMemoryError) -> FileDescriptor {
    let file = try createFile(bytes.count)
    var rest = bytes
    while !rest.isEmpty {
      let count = write(file.rawValue, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(call: "write", code: errno) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return file
  }

  private static func createFile(_ byteCount: Int) throws(SharedMemoryError) -> FileDescriptor {
    guard byteCount > 0 else { throw .badSize(byteCount) }
    let file = FileDescriptor(
      rawValue: try checked("memfd_create", lamina_create_memory_file("lamina")))
    guard ftruncate(file.rawValue, byteCount) == 0 else {
      throw .system(call: "ftruncate", code: errno)
    }
    let seals = lamina_seal_shrink | lamina_seal_grow | lamina_seal_seal
    _ = try checked("F_ADD_SEALS", lamina_add_seals(file.rawValue, Int32(seals)))
    return file
  }

  /// Maps another process's memory without trusting it: `descriptor` must be a memory file that can
  /// neither shrink nor grow and has at least `byteCount` bytes.
  package static func open(
    descriptor: consuming FileDescriptor, byteCount: Int, access: Access
  ) throws(SharedMemoryError) -> SharedMemory {
    try check(descriptor, holds: byteCount)
    return try SharedMemory(mapping: descriptor, byteCount: byteCount, access: access)
  }

  /// Copies the first bytes of another process's memory, of which the same is demanded, and that it
  /// has no hole in them. Reads it instead of mapping it, which would cost a fault a page. Calls
  /// `room` for where to, once the bytes are known to be there.
  package static func read(
    _ byteCount: Int, from descriptor: borrowing FileDescriptor,
    into room: () -> UnsafeMutableRawPointer
  ) throws(SharedMemoryError) {
    try check(descriptor, holds: byteCount)
    let hole = firstHole(of: descriptor, from: 0)
    guard hole >= byteCount else { throw .hole(at: hole) }
    let target = room()
    var count = 0
    while count < byteCount {
      let part = pread(descriptor.rawValue, target + count, byteCount - count, off_t(count))
      if part < 0, errno == EINTR { continue }
      guard part > 0 else { throw .system(call: "pread", code: part < 0 ? errno : EIO) }
      count += part
    }
  }

  private static func check(
    _ descriptor: borrowing FileDescriptor, holds byteCount: Int
  ) throws(SharedMemoryError) {
    guard byteCount > 0 else { throw .badSize(byteCount) }
    let seals = lamina_get_seals(descriptor.rawValue)
    let needed = Int32(lamina_seal_shrink | lamina_seal_grow)
    guard seals >= 0, seals & needed == needed else { throw .notSealed }
    guard try checked("fstatfs", lamina_has_huge_pages(descriptor.rawValue)) == 0 else {
      throw .hugePages
    }
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else {
      throw .system(call: "fstat", code: errno)
    }
    guard Int(status.st_size) >= byteCount else {
      throw .tooSmall(needed: byteCount, actual: Int(status.st_size))
    }
  }

  private init(
    mapping file: consuming FileDescriptor, byteCount: Int, access: Access
  ) throws(SharedMemoryError) {
    let protection = access == .read ? PROT_READ : PROT_READ | PROT_WRITE
    let base = mmap(nil, byteCount, protection, MAP_SHARED, file.rawValue, 0)
    guard let base, base != MAP_FAILED else { throw .system(call: "mmap", code: errno) }
    self.base = base
    self.byteCount = byteCount
    self.file = file
    isWritable = access == .readWrite
  }

  deinit { munmap(base, byteCount) }

  /// The bytes of a range named by another process, valid as long as this object. Writable only if
  /// the memory was opened with write access.
  package func bytes(
    offset: UInt64, count: UInt64
  ) throws(SharedMemoryError) -> UnsafeMutableRawBufferPointer {
    let size = UInt64(byteCount)
    guard offset <= size, count <= size - offset else {
      throw .outOfRange(offset: offset, count: count, size: byteCount)
    }
    return UnsafeMutableRawBufferPointer(start: base + Int(offset), count: Int(count))
  }

  /// Gets pages for a range, whose bytes stay as they are. Throws if there are none. A page that
  /// was only reserved, by `fallocate`, is a hole to the system until it is touched.
  package func populate(_ range: Range<Int>) throws(SharedMemoryError) {
    guard !range.isEmpty else { return }
    let page = Int(getpagesize())
    let first = range.lowerBound / page * page
    _ = try Self.checked(
      "madvise", lamina_populate(base + first, range.upperBound - first, isWritable))
  }

  /// Throws unless all of a range has pages. Returns where the next hole after it is.
  @discardableResult
  package func checkHoles(in range: Range<Int>) throws(SharedMemoryError) -> Int {
    let hole = firstHole(from: range.lowerBound)
    guard hole >= range.upperBound else { throw .hole(at: hole) }
    return hole
  }

  /// The first byte at or after this one that has no page; the size if all have.
  package func firstHole(from offset: Int) -> Int {
    guard offset < byteCount else { return byteCount }
    return min(Self.firstHole(of: file, from: offset), byteCount)
  }

  private static func firstHole(
    of descriptor: borrowing FileDescriptor, from offset: Int
  ) -> Int {
    let hole = lamina_first_hole(descriptor.rawValue, Int64(offset))
    return hole < 0 ? offset : Int(hole)
  }

  /// Returns the whole pages in a range to the system; they then read as zeros. If the system
  /// refuses, the memory stays.
  package func discard(_ range: Range<Int>) {
    let page = Int(getpagesize())
    let first = (range.lowerBound + page - 1) / page * page
    let end = range.upperBound / page * page
    guard first >= 0, end <= byteCount, first < end else { return }
    _ = lamina_punch_hole(file.rawValue, Int64(first), Int64(end - first))
  }

  private static func checked(
    _ call: String, _ result: Int32
  ) throws(SharedMemoryError) -> Int32 {
    guard result >= 0 else { throw .system(call: call, code: -result) }
    return result
  }
}
