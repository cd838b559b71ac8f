import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// The client's memory that this process has mapped, and the use allowed for each range.
struct ClientMemory {
  private struct Arena {
    var memory: SharedMemory
    var use: ArenaUse
    /// A range that was seen to have no holes.
    var filled = 0..<0
  }

  private var arenas: [ArenaID: Arena] = [:]
  private var byteCount: UInt64 = 0

  mutating func map(
    _ id: ArenaID, byteCount: UInt64, use: ArenaUse, _ file: consuming FileDescriptor
  ) throws(CommitError) {
    guard arenas[id] == nil else { throw .protocolViolation("\(id) is known already") }
    guard arenas.count < ServerLimit.arenas else {
      throw .tooMany("arenas", count: arenas.count + 1, limit: ServerLimit.arenas)
    }
    guard byteCount <= ServerLimit.mappedBytes - self.byteCount else {
      throw .outOfRange("size of \(id)", value: "\(byteCount) bytes")
    }
    do throws(SharedMemoryError) {
      let memory = try SharedMemory.open(
        descriptor: file, byteCount: Int(byteCount), access: use == .surfaces ? .readWrite : .read)
      arenas[id] = Arena(memory: memory, use: use)
      self.byteCount += byteCount
    } catch {
      throw .badMemory("\(id): \(error)")
    }
  }

  /// Gives an arena back. Throws if one of the images lies in it.
  mutating func unmap(
    _ id: ArenaID, besides images: some Sequence<RenderTree.Image>
  ) throws(CommitError) {
    guard let arena = arenas[id] else { throw .unknownArena(id) }
    guard !images.contains(where: { $0.place.memory?.arena == id }) else {
      throw .badMemory("\(id) is given back while an image lies in it")
    }
    byteCount -= UInt64(arena.memory.byteCount)
    arenas[id] = nil
  }

  /// Throws unless every store of a commit that is not in a dma-buf lies in mapped memory without
  /// holes.
  mutating func check(_ stores: [Commit.StoreUpdate]) throws(CommitError) {
    for store in stores {
      guard case .memory(let range) = store.place else { continue }
      guard let needed = store.layout.byteCount, UInt64(needed) <= range.count else {
        throw .badMemory("\(store.image) does not fit its range")
      }
      _ = try bytes(range)
      try checkHoles(in: range)
    }
  }

  /// Throws if memory that was found to be mapped has a hole. A client can make holes later: what
  /// that costs, and ends, is its own render process.
  private mutating func checkHoles(in range: MemoryRange) throws(CommitError) {
    guard range.count > 0, let arena = arenas[range.arena] else { return }
    let (first, end) = (Int(range.offset), Int(range.offset + range.count))
    if arena.filled.lowerBound <= first, end <= arena.filled.upperBound { return }
    do throws(SharedMemoryError) {
      arenas[range.arena]?.filled = first..<(try arena.memory.checkHoles(in: first..<end))
    } catch {
      throw .badMemory("\(range.arena): \(error)")
    }
  }

  /// Returns the memory into which a session's frame is read back.
  mutating func surface(
    _ surface: FrameRequest.Surface, _ options: SessionOptions
  ) throws(CommitError) -> UnsafeMutableRawBufferPointer {
    let layout = PixelLayout(
      width: options.size.width, height: options.size.height, stride: Int(surface.stride),
      format: options.format)
    guard let needed = layout.byteCount, UInt64(needed) <= surface.memory.count else {
      throw .badMemory(
        "a surface of \(surface.memory.count) bytes, \(surface.stride) a row, is too small for"
          + " \(options.size) pixels")
    }
    guard surface.memory.offset.isMultiple(of: UInt64(layout.format.bytesPerPixel)) else {
      throw .badMemory("a surface that starts within a pixel")
    }
    guard arenas[surface.memory.arena]?.use != .stores else {
      throw .badMemory("\(surface.memory.arena) is not for surfaces")
    }
    let bytes = try bytes(surface.memory)
    try checkHoles(in: surface.memory)
    return bytes
  }

  /// Copies an image's pixels, decoded, row after row without gaps; nil if there is no such memory.
  func pixels(of image: RenderTree.Image) -> [UInt8]? {
    guard let range = image.place.memory, let bytes = try? bytes(range),
      let needed = image.layout.byteCount, needed <= bytes.count
    else { return nil }
    if let coding = image.layout.coding { return decoded(image.layout, coding, in: bytes) }
    let length = image.layout.width * image.layout.format.bytesPerPixel
    var copy: [UInt8] = []
    copy.reserveCapacity(length * image.layout.height)
    for row in 0..<image.layout.height {
      let start = row * image.layout.stride
      copy += bytes[start..<start + length]
    }
    return copy
  }

  private func decoded(
    _ layout: PixelLayout, _ coding: YCbCrCoding, in bytes: UnsafeMutableRawBufferPointer
  ) -> [UInt8] {
    let count = layout.width * layout.height
    return [UInt8](unsafeUninitializedCapacity: count * 4) { copy, filled in
      copy.withMemoryRebound(to: UInt32.self) { pixels in
        YCbCrCoding.decode(
          PixelRect(layout.size), of: UnsafeRawBufferPointer(bytes), layout, by: coding,
          into: pixels.baseAddress!, stride: layout.width)
      }
      filled = count * 4
    }
  }

  /// The memory is writable only in an arena of surfaces.
  func bytes(_ range: MemoryRange) throws(CommitError) -> UnsafeMutableRawBufferPointer {
    guard let arena = arenas[range.arena] else { throw .unknownArena(range.arena) }
    do throws(SharedMemoryError) {
      return try arena.memory.bytes(offset: range.offset, count: range.count)
    } catch {
      throw .badMemory("\(range.arena): \(error)")
    }
  }
}
