import LaminaValues

/// The backing stores that the render process may still read, and their memory, which is held until
/// later stores took their place.
struct StoreLedger {
  private struct Entry {
    var sequence: UInt64
    var update: Commit.StoreUpdate
    var buffer: PixelBuffer
  }

  /// The stores of each image, in the order of the commits; all but the last are superseded.
  private var entries: [ImageID: [Entry]] = [:]
  private var updates: [(sequence: UInt64, image: ImageID)] = []
  private var releases: [(sequence: UInt64, image: ImageID)] = []

  /// Number of buffers held.
  var count: Int { entries.values.reduce(0) { $0 + $1.count } }

  /// All buffers held, in no order.
  var buffers: [PixelBuffer] { entries.values.flatMap { $0.map(\.buffer) } }

  mutating func add(_ commit: Commit, _ buffers: [PixelBuffer]) {
    for (update, buffer) in zip(commit.stores, buffers) {
      entries[update.image, default: []].append(
        Entry(sequence: commit.sequence, update: update, buffer: buffer))
      updates.append((commit.sequence, update.image))
    }
    for image in commit.releasedStores { releases.append((commit.sequence, image)) }
  }

  /// Returns the stores that the commits up to `sequence` superseded or released, which the ledger
  /// no longer holds.
  mutating func commitApplied(_ sequence: UInt64) -> [PixelBuffer] {
    var free: [PixelBuffer] = []
    let updated = updates.prefix { $0.sequence <= sequence }
    updates.removeFirst(updated.count)
    for (sequence, image) in updated {
      guard let all = entries[image], let last = all.lastIndex(where: { $0.sequence <= sequence })
      else { continue }
      free += all[..<last].map(\.buffer)
      entries[image]?.removeFirst(last)
    }
    let released = releases.prefix { $0.sequence <= sequence }
    releases.removeFirst(released.count)
    for (sequence, image) in released {
      let count = entries[image]?.prefix { $0.sequence <= sequence }.count ?? 0
      free += entries[image]?.prefix(count).map(\.buffer) ?? []
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
}
