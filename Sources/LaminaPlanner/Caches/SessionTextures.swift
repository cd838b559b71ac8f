import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// The key of a texture made for a session's layers: equal keys mean equal pixels.
protocol SessionKey: Hashable {
  var session: SessionID { get }
}

/// The entry that is kept for such a key.
protocol SessionTexture {
  var texture: TextureID { get }
}

extension TextureID: SessionTexture {
  var texture: TextureID { self }
}

/// Textures that the planner made for sessions. Each is kept as long as every frame of its session
/// draws it.
struct SessionTextures<Key: SessionKey, Texture: SessionTexture> {
  private struct Entry {
    var texture: Texture
    /// Whether the frame being planned draws it.
    var isUsed: Bool
  }

  private var entries: [Key: Entry] = [:]

  /// The texture of a key; nil if there is none.
  subscript(key: Key) -> Texture? { entries[key]?.texture }

  /// The texture of a key, marked as drawn by this frame; nil if there is none.
  mutating func take(_ key: Key) -> Texture? {
    guard let texture = entries[key]?.texture else { return nil }
    entries[key]!.isUsed = true
    return texture
  }

  /// Keeps a new texture, marked as drawn by this frame.
  mutating func keep(_ texture: Texture, for key: Key) {
    entries[key] = Entry(texture: texture, isUsed: true)
  }

  /// Removes and returns, at the end of a frame, the textures that the session's frame did not
  /// draw.
  mutating func removeUnused(of session: SessionID) -> [TextureID] {
    var unused: [Key] = []
    for (key, entry) in entries where key.session == session {
      if entry.isUsed { entries[key]!.isUsed = false } else { unused.append(key) }
    }
    return remove(unused)
  }

  /// Removes and returns all textures of a session.
  mutating func removeAll(of session: SessionID) -> [TextureID] {
    remove(entries.keys.filter { $0.session == session })
  }

  private mutating func remove(_ keys: [Key]) -> [TextureID] {
    keys.map { entries.removeValue(forKey: $0)!.texture.texture }.sorted {
      $0.rawValue < $1.rawValue
    }
  }
}
