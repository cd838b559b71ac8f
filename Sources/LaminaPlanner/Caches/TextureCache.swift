import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// The maker of a texture: one part of the drawing of a layer, or of a node in a frozen subtree.
struct TextureOwner: Hashable {
  enum Layer: Hashable {
    case living(LayerID)
    /// A node of a frozen subtree, which lasts as long as its transition.
    case frozen(ObjectIdentifier, Int)
  }

  enum Part: Hashable {
    case fill, stroke, shadow, gradient, bitmap, group, mask
  }

  var session: SessionID
  var layer: Layer
  /// As in the layer's row: tells the copies of a layer apart, which may draw different textures.
  var path: UInt64 = 0
  var part: Part
}

/// Textures that the planner made. A key contains everything that the texture's pixels depend on,
/// so that a cache hit and a miss give the same pixels.
///
/// An entry lives as long as an owner claims it, drawn or not. When an owner is drawn, it gives up
/// its earlier claims that it does not repeat in this frame. If the cache exceeds its budget, it
/// removes the least recently drawn textures first, but none that the frame draws.
struct TextureCache<Key: Hashable, Value> {
  struct Entry {
    var texture: TextureID
    var value: Value
    /// On the device.
    let byteCount: Int
    /// The session that drew it last, whose budget it counts for.
    fileprivate var session: SessionID
    fileprivate var claims = 0
    /// The last frame, of any session, that drew the texture.
    fileprivate(set) var lastFrame: UInt64
  }

  private struct Claim {
    var key: Key
    /// The claimed texture. The key may have another entry by now.
    var texture: TextureID
  }

  /// The claims of an owner.
  private struct Record {
    /// The last frame that drew the owner, and the owner's claims in it.
    var frame: UInt64
    var claims: [Claim] = []
    /// Claims from the frame before that the owner has not repeated.
    var earlier: [Claim] = []
  }

  private var entries: [Key: Entry] = [:]
  private var records: [TextureOwner: Record] = [:]
  /// The owners that the frame being planned has drawn.
  private var drawn: [TextureOwner] = []
  /// Owners in frozen subtrees, of all sessions.
  private var frozen: Set<TextureOwner> = []
  private var frame: UInt64 = 0
  /// Number of textures that this frame removed for the budget.
  private(set) var evictions = 0
  /// The owners of each living layer.
  private var owners: [LayerID: [TextureOwner]] = [:]
  /// On the device, by session.
  private var byteCounts: [SessionID: Int] = [:]

  /// On the device.
  var byteCount: Int { byteCounts.values.reduce(0, +) }
  /// The entries that the frame does not draw.
  var idle: [(key: Key, value: Entry)] { entries.filter { $0.value.lastFrame != frame } }

  func byteCount(of session: SessionID) -> Int { byteCounts[session] ?? 0 }

  /// The entry of a key, without claiming it.
  subscript(key: Key) -> Entry? { entries[key] }

  mutating func beginFrame() {
    frame += 1
    evictions = 0
    drawn.removeAll(keepingCapacity: true)
  }

  /// The texture of a key, which the owner draws in this frame; nil if there is none.
  mutating func take(_ key: Key, for owner: TextureOwner) -> TextureID? {
    guard let texture = entries[key]?.texture else { return nil }
    claim(key, texture, for: owner)
    return texture
  }

  /// Keeps a new texture, which the owner draws in this frame.
  mutating func keep(
    _ texture: TextureID, _ value: Value, byteCount: Int, for key: Key, of owner: TextureOwner
  ) {
    entries[key] = Entry(
      texture: texture, value: value, byteCount: byteCount, session: owner.session,
      lastFrame: frame)
    count(byteCount, for: owner.session)
    claim(key, texture, for: owner)
  }

  private mutating func claim(_ key: Key, _ texture: TextureID, for owner: TextureOwner) {
    let (last, byteCount) = (entries[key]!.session, entries[key]!.byteCount)
    if last != owner.session {
      count(-byteCount, for: last)
      count(byteCount, for: owner.session)
      entries[key]!.session = owner.session
    }
    entries[key]!.lastFrame = frame
    var record = records.removeValue(forKey: owner) ?? makeRecord(of: owner)
    if record.frame != frame {
      (record.earlier, record.claims) = (record.claims, [])
      record.frame = frame
      drawn.append(owner)
    }
    if !record.claims.contains(where: { $0.texture == texture }) {
      record.claims.append(Claim(key: key, texture: texture))
      if let place = record.earlier.firstIndex(where: { $0.texture == texture }) {
        record.earlier.remove(at: place)
      } else {
        entries[key]!.claims += 1
      }
    }
    records[owner] = record
  }

  private mutating func makeRecord(of owner: TextureOwner) -> Record {
    switch owner.layer {
    case .living(let layer): owners[layer, default: []].append(owner)
    case .frozen: frozen.insert(owner)
    }
    return Record(frame: 0)
  }

  /// Ends a session's frame. Removes and returns, in the order of their numbers, the textures that
  /// have no claims left and those beyond the budget.
  mutating func endFrame(of session: SessionID, budget: Int) -> [TextureID] {
    var removed: [TextureID] = []
    for owner in drawn {
      let earlier = records[owner]?.earlier ?? []
      records[owner]?.earlier.removeAll()
      for claim in earlier { drop(claim, &removed) }
    }
    let gone = frozen.filter { $0.session == session && records[$0]?.frame != frame }
    for owner in gone { removed += remove(owner) }
    if byteCount(of: session) > budget { removed += evict(of: session, downTo: budget) }
    return removed.sorted { $0.rawValue < $1.rawValue }
  }

  private mutating func evict(of session: SessionID, downTo budget: Int) -> [TextureID] {
    var removed: [TextureID] = []
    let oldest = idle.filter { $0.value.session == session }.sorted {
      ($0.value.lastFrame, $0.value.texture.rawValue)
        < ($1.value.lastFrame, $1.value.texture.rawValue)
    }
    for (key, _) in oldest where byteCount(of: session) > budget {
      remove(key).map { removed.append($0) }
    }
    evictions += removed.count
    return removed
  }

  /// Removes and returns a texture, whoever claims it.
  mutating func remove(_ key: Key) -> TextureID? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    count(-entry.byteCount, for: entry.session)
    return entry.texture
  }

  /// Removes textures that were never made.
  mutating func remove(_ textures: Set<TextureID>) {
    if textures.isEmpty { return }
    for (key, entry) in entries where textures.contains(entry.texture) { _ = remove(key) }
  }

  /// Removes and returns the textures that only a destroyed layer claimed.
  mutating func remove(_ layer: LayerID) -> [TextureID] {
    // Taken out whole: a copied layer has many.
    (owners.removeValue(forKey: layer) ?? []).flatMap { remove($0) }
  }

  /// Removes and returns the textures that only a session's layers claimed.
  mutating func removeAll(of session: SessionID) -> [TextureID] {
    let removed = records.keys.filter { $0.session == session }.flatMap { remove($0) }
    return removed.sorted { $0.rawValue < $1.rawValue }
  }

  private mutating func remove(_ owner: TextureOwner) -> [TextureID] {
    guard let record = records.removeValue(forKey: owner) else { return [] }
    switch owner.layer {
    case .living(let layer):
      owners[layer]?.removeAll { $0 == owner }
      if owners[layer]?.isEmpty == true { owners[layer] = nil }
    case .frozen: frozen.remove(owner)
    }
    var removed: [TextureID] = []
    for claim in record.claims + record.earlier { drop(claim, &removed) }
    return removed
  }

  private mutating func drop(_ claim: Claim, _ removed: inout [TextureID]) {
    guard var entry = entries[claim.key], entry.texture == claim.texture else { return }
    entry.claims -= 1
    if entry.claims > 0 {
      entries[claim.key] = entry
    } else {
      remove(claim.key).map { removed.append($0) }
    }
  }

  /// Counts bytes that a session's drawing takes, or no longer takes.
  private mutating func count(_ bytes: Int, for session: SessionID) {
    let sum = byteCounts[session, default: 0] + bytes
    byteCounts[session] = sum == 0 ? nil : sum
  }
}
