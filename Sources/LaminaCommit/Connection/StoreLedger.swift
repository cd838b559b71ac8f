import LaminaValues

/// The backing stores that the render process may still read, and their memory, which is held until
/// then.
///
/// The server answers in the order of its work. When it reports an image as consumed, it therefore
/// means a store from a commit up to the last applied one, never a later store of the same image.
struct StoreLedger {
  private struct Entry {
    var sequence: UInt64
    var buffer: PixelBuffer
    var isConsumed = false
  }

  /// The stores of each image, in the order of the commits; all but the last are superseded.
  private var entries: [ImageID: [Entry]] = [:]
  private var updates: [(sequence: UInt64, image: ImageID)] = []
  private var releases: [(sequence: UInt64, image: ImageID)] = []
  private var applied: UInt64 = 0

  /// Number of buffers held.
  var count: Int { entries.values.reduce(0) { $0 + $1.count } }

  mutating func add(_ commit: Commit, _ buffers: [PixelBuffer]) {
    for (update, buffer) in zip(commit.stores, buffers) {
      entries[update.image, default: []].append(Entry(sequence: commit.sequence, buffer: buffer))
      updates.append((commit.sequence, update.image))
    }
    for image in commit.releasedStores { releases.append((commit.sequence, image)) }
  }

  /// Releases the stores that the commits up to `sequence` superseded or released.
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

  /// Whether the image's last store may be written again; true if no commit named one.
  func isConsumed(_ image: ImageID) -> Bool { entries[image]?.last?.isConsumed ?? true }

  mutating func removeAll() { self = StoreLedger() }
}
