/// The keys of a layer's animations, cached if there are many: otherwise the search for a key would
/// take most of the time of adding an animation.
struct AnimationKeys {
  /// nil if they have to be collected again.
  private var keys: Set<String>?

  /// Smallest number of animations for which keys are cached.
  private static let leastCount = 32

  /// Whether one of the layer's `animations` has that key.
  mutating func contains(_ key: String, among animations: [AttachedAnimation]) -> Bool {
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
