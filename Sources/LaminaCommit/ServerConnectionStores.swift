import LaminaValues

/// Which backing stores the render process may still read, and their memory, held until it may not.
///
/// The server answers in the order of its work. What it says to have consumed is therefore what
/// commits up to the last applied one named, and never a later store of the same image.
struct StoreLedger {
  private struct Entry {
    var sequence: UInt64
    var buffer: PixelBuffer
    var isConsumed = false
  }

  /// By image, in the order of the commits; all but the last are superseded.
  private var entries: [ImageID: [Entry]] = [:]
  private var updates: [(sequence: UInt64, image: ImageID)] = []
  private var releases: [(sequence: UInt64, image: ImageID)] = []
  private var applied: UInt64 = 0

  /// How many buffers are held.
  var count: Int { entries.values.reduce(0) { $0 + $1.count } }

  mutating func add(_ commit: Commit, _ buffers: [PixelBuffer]) {
    for (update, buffer) in zip(commit.stores, buffers) {
      entries[update.image, default: []].append(Entry(sequence: commit.sequence, buffer: buffer))
      updates.append((commit.sequence, update.image))
    }
    for image in commit.releasedStores { releases.append((commit.sequence, image)) }
  }

  /// Lets go of what the commits up to `sequence` superseded and released.
  mutating func commitApplied(_ sequence: UInt64) {
    applied = max(applied, sequence)
    let updated = updates.prefix { $0.sequence <= applied }
    updates.removeFirst(updated.count)
    for (sequence, image) in updated {
      guard let all = entries[image], let last = all.lastIndex(where: { $0.sequence <= sequence })
      else { continue }
      entries[image]?.removeFirst(last)
    }
    let released = releases.prefix { $0.sequence <= applied }
    releases.removeFirst(released.count)
    for (sequence, image) in released {
      entries[image]?.removeAll { $0.sequence <= sequence }
      if entries[image]?.isEmpty == true { entries[image] = nil }
    }
  }

  mutating func consumed(_ images: [ImageID]) {
    for image in images {
      guard let all = entries[image], let last = all.lastIndex(where: { $0.sequence <= applied })
      else { continue }
      entries[image]?[last].isConsumed = true
    }
  }

  /// Whether the last store of an image that a commit named may be written again; true also for an
  /// image that none named.
  func isConsumed(_ image: ImageID) -> Bool { entries[image]?.last?.isConsumed ?? true }

  mutating func removeAll() { self = StoreLedger() }
}
