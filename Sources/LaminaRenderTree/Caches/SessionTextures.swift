import LaminaCommit
import LaminaValues

/// What a texture that was made for a session's layers is known by: two equal keys have equal pixels.
protocol SessionKey: Hashable {
  var session: SessionID { get }
}

/// What is kept for such a key.
protocol SessionTexture {
  var texture: TextureID { get }
}

extension TextureID: SessionTexture {
  var texture: TextureID { self }
}

/// Textures that the planner made for sessions, each kept while every frame draws it.
struct SessionTextures<Key: SessionKey, Texture: SessionTexture> {
  private struct Entry {
    var texture: Texture
    /// Whether the frame that is being planned draws it.
    var isUsed: Bool
  }

  private var entries: [Key: Entry] = [:]

  /// The texture of a key; nil where there is none.
  subscript(key: Key) -> Texture? { entries[key]?.texture }

  /// The texture of a key, which the frame draws; nil where there is none.
  mutating func take(_ key: Key) -> Texture? {
    guard let texture = entries[key]?.texture else { return nil }
    entries[key]!.isUsed = true
    return texture
  }

  /// Keeps a new texture, which the frame draws.
  mutating func keep(_ texture: Texture, for key: Key) {
    entries[key] = Entry(texture: texture, isUsed: true)
  }

  /// At the end of a frame: forgets, and returns, what the session's frame did without.
  mutating func removeUnused(of session: SessionID) -> [TextureID] {
    var unused: [Key] = []
    for (key, entry) in entries where key.session == session {
      if entry.isUsed { entries[key]!.isUsed = false } else { unused.append(key) }
    }
    return remove(unused)
  }

  /// Forgets, and returns, all of a session's.
  mutating func removeAll(of session: SessionID) -> [TextureID] {
    remove(entries.keys.filter { $0.session == session })
  }

  private mutating func remove(_ keys: [Key]) -> [TextureID] {
    keys.map { entries.removeValue(forKey: $0)!.texture.texture }.sorted {
      $0.rawValue < $1.rawValue
    }
  }
}
