import Glibc
import Synchronization

/// Pixels in memory that the render process can map. The last reference returns the memory to its
/// arena, or tells whose memory it is, so code that tells the render process of a buffer must hold
/// the buffer until the answer that another took its place.
package final class PixelBuffer: Sendable {
  /// The use of the memory: one process writes it, the other reads.
  package enum Use: Sendable, CaseIterable {
    /// Images and layers' drawing, written by the client.
    case store
    /// Frames, written by the render process.
    case surface
  }

  package let layout: PixelLayout
  package let arenaID: ArenaID
  /// Bytes from the arena's start; a multiple of 64.
  package let offset: Int
  package let byteCount: Int
  package let arena: SharedMemory
  package let use: Use
  /// Whether the memory is somebody else's.
  package let isImported: Bool
  /// Called when the last reference is gone.
  private let release: @Sendable () -> Void

  /// Takes memory from `arenas`. Its contents are arbitrary, since memory is reused without
  /// clearing. `whenFree` is called when neither process reads it any more.
  package init(
    width: Int, height: Int, format: PixelFormat, coding: YCbCrCoding? = nil, use: Use,
    arenas: SharedArenas = .shared, whenFree: (@Sendable () -> Void)? = nil
  ) throws(SharedMemoryError) {
    guard
      let layout = PixelLayout(width: width, height: height, format: format, coding: coding),
      let byteCount = layout.byteCount
    else { throw .badSize(0) }
    let place = try arenas.allocate(byteCount, for: use)
    self.layout = layout
    self.byteCount = byteCount
    self.use = use
    isImported = false
    (arenaID, arena, offset) = (place.arenaID, place.memory, place.offset)
    release = {
      arenas.free(place, byteCount: byteCount, use: use)
      whenFree?()
    }
  }

  /// Pixels in memory that came from elsewhere, which the client only reads. `whenFree` is called
  /// when neither process reads them any more. Throws if the pixels do not lie in the memory, or if
  /// it has holes there and the system no pages for them.
  package init(
    _ layout: PixelLayout, in memory: ImportedMemory, at offset: Int,
    whenFree: @escaping @Sendable () -> Void
  ) throws(SharedMemoryError) {
    guard let byteCount = layout.byteCount else { throw .badSize(0) }
    guard offset >= 0 else {
      throw .outOfRange(offset: 0, count: UInt64(byteCount), size: memory.memory.byteCount)
    }
    _ = try memory.memory.bytes(offset: UInt64(offset), count: UInt64(byteCount))
    try memory.memory.populate(offset..<offset + byteCount)
    self.layout = layout
    self.byteCount = byteCount
    use = .store
    isImported = true
    (arenaID, arena, self.offset) = (memory.id, memory.memory, offset)
    release = whenFree
  }

  deinit { release() }

  package var size: PixelSize { layout.size }

  package func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: arena.base + offset, count: byteCount))
  }

  /// The caller must ensure that no other code reads or writes the pixels meanwhile. A store may be
  /// written until a commit names it; a surface belongs to the render process from the request to
  /// the frame.
  package func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeMutableRawBufferPointer(start: arena.base + offset, count: byteCount))
  }

  /// Copies all pixels of a buffer of the same format to a place in this one, which must have room
  /// for them there.
  package func copyPixels(of other: PixelBuffer, toX x: Int, y: Int) {
    let (source, target) = (other.layout, layout)
    guard source.format == target.format, x >= 0, y >= 0, source.width <= target.width - x,
      source.height <= target.height - y
    else {
      programmerError("no room for \(source.size) pixels at (\(x), \(y)) in \(target.size)")
    }
    let byteCount = source.width * source.format.bytesPerPixel
    let start = y * target.stride + x * target.format.bytesPerPixel
    other.withUnsafeBytes { from in
      withUnsafeMutableBytes { to in
        for row in 0..<source.height {
          to[(start + row * target.stride)...].prefix(byteCount).copyBytes(
            from: from[(row * source.stride)...].prefix(byteCount))
        }
      }
    }
  }

  /// Whether both have the same format, size and bytes in their pixels.
  package func hasPixels(of other: PixelBuffer) -> Bool {
    guard layout.format == other.layout.format, layout.size == other.layout.size else {
      return false
    }
    let byteCount = layout.width * layout.format.bytesPerPixel
    return withUnsafeBytes { bytes in
      other.withUnsafeBytes { otherBytes in
        guard let a = bytes.baseAddress, let b = otherBytes.baseAddress else { return false }
        for y in 0..<layout.height {
          let (row, otherRow) = (a + y * layout.stride, b + y * other.layout.stride)
          if memcmp(row, otherRow, byteCount) != 0 { return false }
        }
        return true
      }
    }
  }

  /// Makes every pixel transparent. The rule for writing applies.
  package func clear() {
    withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
  }

  /// Whether every pixel has full alpha. Bytes are looked at up to the first pixel that has not;
  /// half floats count as not opaque without a look.
  package var isOpaque: Bool {
    guard layout.format == .bgra8 else { return false }
    if layout.coding != nil { return true }
    return withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      for y in 0..<layout.height {
        let row = UnsafeRawBufferPointer(start: base + y * layout.stride, count: layout.width * 4)
        if !row.isOpaque { return false }
      }
      return true
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether each of these BGRA8 pixels has full alpha.
  fileprivate var isOpaque: Bool {
    let alphas = (0xff00_0000_ff00_0000 as UInt64).littleEndian
    var place = 0
    // In blocks, so that a processor's wide registers can be used.
    while place + 128 <= count {
      var common = UInt64.max
      for offset in 0..<16 {
        common &= loadUnaligned(fromByteOffset: place + offset * 8, as: UInt64.self)
      }
      if common & alphas != alphas { return false }
      place += 128
    }
    while place < count {
      if self[place + 3] != 255 { return false }
      place += 4
    }
    return true
  }
}

/// A client's long-lived memory for pixel buffers. Arenas are few and large because each costs a
/// descriptor in both processes, and reused because warm pages are thirty times as fast as fresh
/// ones.
package final class SharedArenas: Sendable {
  /// The process's shared instance.
  package static let shared = SharedArenas()

  package struct Place {
    package let arenaID: ArenaID
    package let memory: SharedMemory
    package let offset: Int
  }

  private struct Arena {
    let id: ArenaID
    let use: PixelBuffer.Use
    let memory: SharedMemory
    var ranges: FreeRanges
    /// What has no pages.
    var holes: RangeSet<Int>

    init(_ id: ArenaID, _ memory: SharedMemory, for use: PixelBuffer.Use) {
      (self.id, self.use, self.memory) = (id, use, memory)
      ranges = FreeRanges(byteCount: memory.byteCount)
      holes = RangeSet(0..<memory.byteCount)
    }

    /// A free range of that many bytes, with pages; nil if there is none.
    mutating func take(_ byteCount: Int) throws(SharedMemoryError) -> SharedArenas.Place? {
      guard let offset = ranges.take(byteCount) else { return nil }
      let range = offset..<offset + byteCount
      do throws(SharedMemoryError) {
        for hole in holes.intersection(RangeSet(range)).ranges { try memory.populate(hole) }
      } catch {
        ranges.giveBack(range)
        throw error
      }
      holes.remove(contentsOf: range)
      return Place(arenaID: id, memory: memory, offset: offset)
    }

    /// Gives the pages of a range back to the system.
    mutating func discard(_ range: Range<Int>) {
      memory.discard(range)
      holes.insert(contentsOf: range)
    }
  }

  private struct State {
    var arenas: [Arena] = []
    var freeWarmBytes: [PixelBuffer.Use: Int] = [:]
  }

  private static let nextID = Atomic<UInt32>(1)

  /// An ID that is unique in the process, across all instances.
  fileprivate static func uniqueID() -> ArenaID {
    ArenaID(rawValue: nextID.wrappingAdd(1, ordering: .relaxed).oldValue)
  }

  private let arenaByteCount: Int
  private let keptByteCount: Int
  private let state = Lock(State())

  /// Each arena holds `arenaByteCount` bytes, or one buffer if that is larger. Per use, about
  /// `keptByteCount` freed bytes stay warm; the pages of further ones return to the system.
  package init(arenaByteCount: Int = 64 << 20, keptByteCount: Int = 128 << 20) {
    self.arenaByteCount = arenaByteCount
    self.keptByteCount = keptByteCount
  }

  /// Number of arenas, of either use.
  package var count: Int { state.withLock { $0.arenas.count } }

  fileprivate func allocate(
    _ byteCount: Int, for use: PixelBuffer.Use
  ) throws(SharedMemoryError) -> Place {
    let rounded = FreeRanges.rounded(byteCount)
    return try state.withLock { state throws(SharedMemoryError) in
      state.freeWarmBytes[use] = max(0, state.freeWarmBytes[use, default: 0] - rounded)
      for i in state.arenas.indices where state.arenas[i].use == use {
        if let place = try state.arenas[i].take(rounded) { return place }
      }
      let memory = try SharedMemory.create(byteCount: max(rounded, arenaByteCount))
      var arena = Arena(Self.uniqueID(), memory, for: use)
      guard let place = try arena.take(rounded) else { throw .badSize(byteCount) }
      state.arenas.append(arena)
      return place
    }
  }

  fileprivate func free(_ place: Place, byteCount: Int, use: PixelBuffer.Use) {
    let (offset, rounded) = (place.offset, FreeRanges.rounded(byteCount))
    state.withLock { state in
      guard let i = state.arenas.firstIndex(where: { $0.id == place.arenaID }) else { return }
      let warm = state.freeWarmBytes[use, default: 0] + rounded
      if warm > keptByteCount {
        state.arenas[i].discard(offset..<offset + rounded)
      } else {
        state.freeWarmBytes[use] = warm
      }
      state.arenas[i].ranges.giveBack(offset..<offset + rounded)
    }
  }
}

/// Memory that somebody else made, such as another process, and that this one passes on. Each is an
/// arena of its own.
package final class ImportedMemory: Sendable {
  package let id = SharedArenas.uniqueID()
  package let memory: SharedMemory

  /// Maps a memory file, which must be sealed against shrinking and growing and have at least that
  /// many bytes.
  package init(
    descriptor: consuming FileDescriptor, byteCount: Int
  ) throws(SharedMemoryError) {
    memory = try SharedMemory.open(descriptor: descriptor, byteCount: byteCount, access: .read)
  }
}

/// The free ranges of an arena, in order and never touching; the first one that fits is taken.
struct FreeRanges {
  /// The size of a cache line, and the row alignment that SIMD code prefers.
  static let alignment = 64

  static func rounded(_ byteCount: Int) -> Int { (byteCount + alignment - 1) & ~(alignment - 1) }

  private(set) var ranges: [Range<Int>]

  init(byteCount: Int) { ranges = [0..<byteCount] }

  mutating func take(_ count: Int) -> Int? {
    guard let i = ranges.firstIndex(where: { $0.count >= count }) else { return nil }
    let offset = ranges[i].lowerBound
    if ranges[i].count == count {
      ranges.remove(at: i)
    } else {
      ranges[i] = offset + count..<ranges[i].upperBound
    }
    return offset
  }

  mutating func giveBack(_ range: Range<Int>) {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].lowerBound < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    let joinsNext = low < ranges.count && ranges[low].lowerBound == range.upperBound
    let joinsPrevious = low > 0 && ranges[low - 1].upperBound == range.lowerBound
    switch (joinsPrevious, joinsNext) {
    case (true, true):
      ranges[low - 1] = ranges[low - 1].lowerBound..<ranges[low].upperBound
      ranges.remove(at: low)
    case (true, false): ranges[low - 1] = ranges[low - 1].lowerBound..<range.upperBound
    case (false, true): ranges[low] = range.lowerBound..<ranges[low].upperBound
    case (false, false): ranges.insert(range, at: low)
    }
  }
}
