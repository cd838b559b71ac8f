/// A thread's memory for offscreens of which a band needs only its own rows: it stays in the core's
/// cache, and nothing of it is ever written back.
final class ScratchMemory {
  private var memory: UnsafeMutableRawPointer?
  private var byteCount = 0
  /// A round's targets and sources, of which those in this memory are moved from band to band.
  private var targets: [Preparation.Target] = []
  private var sources: [Texels] = []

  deinit { memory?.deallocate() }

  /// Makes room for a round.
  func start(_ preparation: Preparation, _ tables: PreparationPointers) {
    guard !preparation.scratch.isEmpty else { return }
    if byteCount < preparation.scratchByteCount {
      memory?.deallocate()
      byteCount = preparation.scratchByteCount
      memory = .allocate(byteCount: byteCount, alignment: 64)
    }
    targets = preparation.targets
    sources = preparation.sources
  }

  /// Passes the round's tables for the band that starts in a row of the round's space.
  func withTables(
    top: Int, _ preparation: Preparation, _ tables: PreparationPointers,
    _ body: (PreparationPointers) -> Void
  ) {
    guard let memory, !preparation.scratch.isEmpty else { return body(tables) }
    for scratch in preparation.scratch {
      // The band's first row is the first one in memory.
      func moved(_ texels: Texels) -> Texels {
        var texels = texels
        texels.base = memory + scratch.offset - (top - scratch.originY) * texels.stride
        return texels
      }
      switch scratch.use {
      case .target(let index): targets[index].texels = moved(targets[index].texels)
      case .source(let index): sources[index] = moved(sources[index])
      }
    }
    targets.withUnsafeBufferPointer { targets in
      sources.withUnsafeBufferPointer { sources in
        var moved = tables
        moved.targets = targets.baseAddress ?? moved.targets
        moved.sources = sources.baseAddress ?? moved.sources
        body(moved)
      }
    }
  }
}
