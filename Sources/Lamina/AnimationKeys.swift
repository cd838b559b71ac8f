/// The keys of a layer's animations, kept if these are many: looking at each of them would take
/// most of the time of adding one.
struct AnimationKeys {
  /// nil if they have to be collected anew.
  private var keys: Set<String>?

  /// The fewest animations for which keys are kept.
  private static let leastCount = 32

  /// Whether one of the layer's `animations` has that key.
  mutating func contains(_ key: String, among animations: [KeyedAnimation]) -> Bool {
    guard animations.count >= Self.leastCount else {
      keys = nil
      return animations.contains { $0.key == key }
    }
    let known = keys ?? Set(animations.map(\.key))
    keys = known
    return known.contains(key)
  }

  mutating func insert(_ key: String) { keys?.insert(key) }
  mutating func remove(_ key: String) { keys?.remove(key) }
  mutating func removeAll() { keys = nil }
}
