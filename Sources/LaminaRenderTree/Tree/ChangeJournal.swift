import LaminaCommit

/// What commits changed of layers, oldest first. Each session reads it from where it stopped.
struct ChangeJournal {
  struct Entry {
    let slot: UInt32
    /// `structure` includes that the layer has another superlayer, or none.
    let invalidates: StoredProperty.Invalidation
  }

  private var entries: [Entry] = []
  /// Number of entries that have been forgotten.
  private var start = 0

  /// Largest number of entries for a number of layers. Who missed more looks at all layers, which
  /// costs about as much.
  private static func limit(layers: Int) -> Int { max(4096, 4 * layers) }

  /// Where the next entry goes.
  var end: Int { start + entries.count }

  /// `layers` is the largest number of layers that there have been at once.
  mutating func note(_ slot: Int, _ invalidates: StoredProperty.Invalidation, layers: Int) {
    if entries.count >= Self.limit(layers: layers) {
      let count = entries.count / 2
      start += count
      entries.removeFirst(count)
    }
    entries.append(Entry(slot: UInt32(slot), invalidates: invalidates))
  }

  /// The entries from `place` on; nil if some of them have been forgotten.
  func entries(since place: Int) -> ArraySlice<Entry>? {
    place < start ? nil : entries[(place - start)...]
  }
}
