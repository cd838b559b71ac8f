import LaminaValues

/// The backing stores that the render process may still read, and their memory, which is held until
/// later stores took their place.
struct StoreLedger {
  private struct Entry {
    var sequence: UInt64
    var update: Commit.StoreUpdate
    var pixels: StorePixels
  }

  /// The stores of each image, in the order of the commits; all but the last are superseded.
  private var entries: [ImageID: [Entry]] = [:]
  private var updates: [(sequence: UInt64, image: ImageID)] = []
  private var releases: [(sequence: UInt64, image: ImageID)] = []

  /// Number of buffers held.
  var count: Int { entries.values.reduce(0) { $0 + $1.count } }

  /// All pixels held, in no order.
  var pixels: [StorePixels] { entries.values.flatMap { $0.map(\.pixels) } }

  mutating func add(_ commit: Commit, _ stores: [StorePixels]) {
    for (update, pixels) in zip(commit.stores, stores) {
      entries[update.image, default: []].append(
        Entry(sequence: commit.sequence, update: update, pixels: pixels))
      updates.append((commit.sequence, update.image))
    }
    for image in commit.releasedStores { releases.append((commit.sequence, image)) }
  }

  /// Returns the stores that the commits up to `sequence` superseded or released, which the ledger
  /// no longer holds.
  mutating func commitApplied(_ sequence: UInt64) -> [StorePixels] {
    var free: [StorePixels] = []
    let updated = updates.prefix { $0.sequence <= sequence }
    updates.removeFirst(updated.count)
    for (sequence, image) in updated {
      guard let all = entries[image], let last = all.lastIndex(where: { $0.sequence <= sequence })
      else { continue }
      free += all[..<last].map(\.pixels)
      entries[image]?.removeFirst(last)
    }
    let released = releases.prefix { $0.sequence <= sequence }
    releases.removeFirst(released.count)
    for (sequence, image) in released {
      let count = entries[image]?.prefix { $0.sequence <= sequence }.count ?? 0
      free += entries[image]?.prefix(count).map(\.pixels) ?? []
      entries[image]?.removeFirst(count)
      if entries[image]?.isEmpty == true { entries[image] = nil }
    }
    return free
  }

  /// The images that a server has once the commits up to `sequence` are applied, each with all of
  /// its pixels, in the order of their IDs.
  func stores(upTo sequence: UInt64) -> [Commit.StoreUpdate] {
    entries.keys.sorted().compactMap { image in
      guard var update = entries[image]?.last(where: { $0.sequence <= sequence })?.update else {
        return nil
      }
      update.dirty = nil
      return update
    }
  }

  /// Puts memory in the place of dma-bufs.
  mutating func replace(_ copies: DMABufCopies) {
    for image in entries.keys {
      for place in (entries[image] ?? []).indices {
        guard case .dmaBuf(let picture)? = entries[image]?[place].pixels,
          let copy = copies[picture.buffer.id]
        else { continue }
        entries[image]?[place].pixels = .memory(copy)
        if let update = entries[image]?[place].update {
          entries[image]?[place].update = copies.replacing(update)
        }
      }
    }
  }
}
