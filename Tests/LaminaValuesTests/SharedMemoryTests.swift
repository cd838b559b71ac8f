import CLinux
import Foundation
import TestSupport
import Testing

@testable import LaminaValues

@Suite("Shared memory")
struct SharedMemoryTests {
  private func duplicate(_ memory: SharedMemory) -> FileDescriptor {
    FileDescriptor(rawValue: dup(memory.descriptor))
  }

  private func memoryFile(byteCount: Int, seals: Int) -> FileDescriptor {
    let file = FileDescriptor(rawValue: lamina_create_memory_file("test"))
    #expect(ftruncate(file.rawValue, byteCount) == 0)
    #expect(lamina_add_seals(file.rawValue, Int32(seals)) == 0)
    return file
  }

  @Test("What one mapping writes the other reads")
  func shared() throws {
    let mine = try SharedMemory.create(byteCount: 8192)
    let theirs = try SharedMemory.open(descriptor: duplicate(mine), byteCount: 8192, access: .read)
    mine.base.storeBytes(of: 42, toByteOffset: 8000, as: UInt32.self)
    #expect(theirs.base.load(fromByteOffset: 8000, as: UInt32.self) == 42)
  }

  @Test("Its size cannot change any more")
  func sealed() throws {
    let memory = try SharedMemory.create(byteCount: 8192)
    #expect(ftruncate(memory.descriptor, 0) == -1)
    #expect(ftruncate(memory.descriptor, 16384) == -1)
    #expect(lamina_add_seals(memory.descriptor, 0x10) < 0)
  }

  @Test(
    "A memory file without both seals is refused",
    arguments: [0, lamina_seal_shrink, lamina_seal_grow])
  func unsealed(seals: Int) {
    #expect(throws: SharedMemoryError.notSealed) {
      try SharedMemory.open(
        descriptor: memoryFile(byteCount: 8192, seals: seals), byteCount: 8192, access: .read)
    }
  }

  @Test("A memory file of huge pages is refused, sealed or not")
  func hugePages() throws {
    // Swift's Glibc module lacks it.
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    let create = unsafeBitCast(try #require(dlsym(nil, "memfd_create")), to: Create.self)
    // MFD_CLOEXEC, MFD_ALLOW_SEALING, MFD_HUGETLB
    let file = FileDescriptor(rawValue: create("test", 1 | 2 | 4))
    try #require(file.rawValue >= 0)
    #expect(ftruncate(file.rawValue, 2 << 20) == 0)
    let seals = Int32(lamina_seal_shrink | lamina_seal_grow)
    #expect(lamina_add_seals(file.rawValue, seals) == 0)
    #expect(throws: SharedMemoryError.hugePages) {
      try SharedMemory.open(
        descriptor: FileDescriptor(rawValue: dup(file.rawValue)), byteCount: 8192, access: .read)
    }
  }

  @Test("It has no pages until they are asked for, and keeps its bytes then")
  func holes() throws {
    let memory = try SharedMemory.create(byteCount: 16384)
    #expect(memory.firstHole(from: 0) == 0)
    try memory.populate(4100..<8000)
    #expect(memory.firstHole(from: 4096) == 8192)
    try memory.checkHoles(in: 4096..<8192)
    #expect(throws: SharedMemoryError.hole(at: 8192)) { try memory.checkHoles(in: 5000..<8193) }
    memory.base.storeBytes(of: 42, toByteOffset: 5000, as: UInt32.self)
    try memory.populate(0..<16384)
    #expect(memory.firstHole(from: 0) == 16384)
    #expect(memory.base.load(fromByteOffset: 5000, as: UInt32.self) == 42)
    memory.discard(0..<4096)
    #expect(throws: SharedMemoryError.hole(at: 0)) { try memory.checkHoles(in: 0..<1) }
  }

  @Test("Its first bytes are read without mapping it, if it has all of them")
  func reading() throws {
    func read(_ byteCount: Int, from file: borrowing FileDescriptor) throws -> [UInt8] {
      try Array(unsafeUninitializedCapacity: byteCount) { room, count in
        try SharedMemory.read(byteCount, from: file) { UnsafeMutableRawPointer(room.baseAddress!) }
        count = byteCount
      }
    }
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    try bytes.withUnsafeBytes { all in
      let file = try SharedMemory.createFile(of: all)
      #expect(try read(300_000, from: file) == bytes)
      #expect(try read(5000, from: file) == bytes[..<5000].map(\.self))
      #expect(throws: SharedMemoryError.tooSmall(needed: 300_001, actual: 300_000)) {
        try read(300_001, from: file)
      }
    }
    let memory = try SharedMemory.create(byteCount: 8192)
    try memory.populate(0..<4096)
    #expect(throws: SharedMemoryError.hole(at: 4096)) {
      try read(4097, from: duplicate(memory))
    }
    #expect(throws: SharedMemoryError.notSealed) {
      try read(1, from: memoryFile(byteCount: 8192, seals: 0))
    }
  }

  @Test("Pages of imported pixels that are not there are got, by a descriptor for reading too")
  func importedHoles() throws {
    let memory = try SharedMemory.create(byteCount: 16384)
    let file = FileDescriptor(
      rawValue: open("/proc/self/fd/\(memory.descriptor)", O_RDONLY | O_CLOEXEC))
    let imported = try ImportedMemory(descriptor: file, byteCount: 16384)
    let layout = try #require(PixelLayout(width: 32, height: 32, format: .bgra8))
    let buffer = try PixelBuffer(layout, in: imported, at: 8192) {}
    try memory.checkHoles(in: 8192..<8192 + buffer.byteCount)
    #expect(memory.firstHole(from: 0) == 0)
  }

  @Test("A smaller one than announced is refused")
  func tooSmall() throws {
    let memory = try SharedMemory.create(byteCount: 4096)
    #expect(throws: SharedMemoryError.tooSmall(needed: 4097, actual: 4096)) {
      try SharedMemory.open(descriptor: duplicate(memory), byteCount: 4097, access: .read)
    }
  }

  @Test("A plain file is refused")
  func plainFile() throws {
    let path = NSTemporaryDirectory() + "lamina-\(UUID().uuidString)"
    #expect(FileManager.default.createFile(atPath: path, contents: Data(count: 8192)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: SharedMemoryError.notSealed) {
      try SharedMemory.open(
        descriptor: FileDescriptor(rawValue: open(path, O_RDWR | O_CLOEXEC)), byteCount: 8192,
        access: .read)
    }
  }

  @Test("A socket, and what is not open at all, are refused")
  func noFile() {
    #expect(throws: SharedMemoryError.notSealed) {
      try SharedMemory.open(
        descriptor: FileDescriptor(rawValue: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)),
        byteCount: 1, access: .read)
    }
    #expect(throws: SharedMemoryError.notSealed) {
      try SharedMemory.open(
        descriptor: FileDescriptor(rawValue: -1), byteCount: 1, access: .read)
    }
  }

  @Test("A range is given out only where all of it lies inside")
  func ranges() throws {
    let memory = try SharedMemory.create(byteCount: 4096)
    #expect(try memory.bytes(offset: 96, count: 4000).count == 4000)
    #expect(try memory.bytes(offset: 4096, count: 0).count == 0)
    for (offset, count) in [(97, 4000), (4097, 0), (.max, 1), (1, .max)] as [(UInt64, UInt64)] {
      #expect(throws: SharedMemoryError.self) { try memory.bytes(offset: offset, count: count) }
    }
  }
}

@Suite("Pixel buffers")
struct PixelBufferTests {
  private func arenas(kept: Int = 1 << 20) -> SharedArenas {
    SharedArenas(arenaByteCount: 1 << 16, keptByteCount: kept)
  }

  private func buffer(
    _ width: Int, _ height: Int, _ use: PixelBuffer.Use = .store, in arenas: SharedArenas
  ) throws -> PixelBuffer {
    try PixelBuffer(width: width, height: height, format: .bgra8, use: use, arenas: arenas)
  }

  @Test("Rows and buffers start at multiples of 64 bytes")
  func alignment() throws {
    let arenas = arenas()
    let buffers = try (1...20).map { try buffer($0, 3, in: arenas) }
    for buffer in buffers {
      #expect(buffer.layout.stride % 64 == 0)
      #expect(buffer.offset % 64 == 0)
    }
    #expect(arenas.count == 1)
  }

  @Test("Their pages are there before they are written, also where others gave theirs back")
  func pages() throws {
    let arenas = arenas(kept: 0)
    var arena: SharedMemory?
    for side in [60, 100, 32] {
      let buffer = try buffer(side, side, in: arenas)
      #expect(buffer.arena.firstHole(from: buffer.offset) >= buffer.offset + buffer.byteCount)
      arena = buffer.arena
    }
    #expect(arena?.firstHole(from: 0) == 0)
  }

  @Test("Live buffers never share a byte", arguments: 0..<8 as Range<UInt64>)
  func disjoint(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let arenas = arenas(kept: 1 << 14)
    var live: [PixelBuffer] = []
    for _ in 0..<300 {
      if Int.random(in: 0..<5, using: &random) < 3 || live.isEmpty {
        live.append(
          try buffer(
            .random(in: 1...60, using: &random), .random(in: 1...60, using: &random),
            in: arenas))
      } else {
        live.remove(at: .random(in: live.indices, using: &random))
      }
      let sorted = live.sorted {
        ($0.arenaID.rawValue, $0.offset) < ($1.arenaID.rawValue, $1.offset)
      }
      for (a, b) in zip(sorted, sorted.dropFirst()) where a.arenaID == b.arenaID {
        #expect(a.offset + a.byteCount <= b.offset)
      }
    }
    live = []
    // Everything was returned: a buffer as large as an arena fits into an existing one.
    let count = arenas.count
    let whole = try buffer(1 << 10, 1 << 4, in: arenas)
    #expect(whole.offset == 0)
    #expect(arenas.count == count)
  }

  @Test("One larger than an arena gets its own, and stores and surfaces have theirs apart")
  func arenasApart() throws {
    let arenas = arenas()
    let small = try buffer(8, 8, in: arenas)
    let large = try buffer(256, 256, in: arenas)
    let surface = try buffer(8, 8, .surface, in: arenas)
    #expect(Set([small.arenaID, large.arenaID, surface.arenaID]).count == 3)
    #expect(large.arena.byteCount == 256 * 256 * 4)
  }

  @Test("What is freed beyond what is kept goes back to the system and reads as zeros")
  func discarded() throws {
    let arenas = arenas(kept: 0)
    do {
      let first = try buffer(64, 64, in: arenas)
      first.withUnsafeMutableBytes { bytes in
        for i in bytes.indices { bytes[i] = 7 }
      }
    }
    let again = try buffer(64, 64, in: arenas)
    #expect(again.offset == 0)
    #expect(again.withUnsafeBytes { $0.allSatisfy { $0 == 0 } })
  }

  @Test("A size that is not one is refused", arguments: [(0, 1), (1, -1), (1 << 21, 1)])
  func badSizes(width: Int, height: Int) {
    #expect(throws: SharedMemoryError.self) { try buffer(width, height, in: arenas()) }
  }
}
