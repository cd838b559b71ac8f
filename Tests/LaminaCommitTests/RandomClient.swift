import LaminaAnimation
import LaminaValues
import TestSupport

@testable import LaminaCommit

/// Makes valid commits for its current tree, and applies them to it.
struct RandomClient {
  var random: SeededGenerator
  private(set) var tree = ModelTree()
  /// The contents of memory, by offset.
  private(set) var pixels: [UInt64: [UInt64]] = [:]
  private var nextIndex: UInt32 = 0
  private var nextOffset: UInt64 = 0
  private var sequence: UInt64 = 0
  private var current: [ImageID: Commit.StoreUpdate] = [:]

  /// The images that the server has, each with all of its pixels.
  var stores: [Commit.StoreUpdate] {
    current.keys.sorted().compactMap { image in
      var store = current[image]
      store?.dirty = nil
      return store
    }
  }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Sorted, since the order of hashing differs from run to run.
  private var layers: [LayerID] { tree.layers.keys.sorted() }

  mutating func commit() throws -> Commit {
    sequence += 1
    var commit = Commit(sequence: sequence)
    for _ in 0..<random.below(3) { storeSomething(in: &commit) }
    var working = tree
    for _ in 0..<random.below(4) {
      let id = LayerID(index: nextIndex, generation: 0)
      nextIndex += 1
      commit.created.append(Commit.Creation(layer: id, kind: .layer))
      working.layers[id] = ModelTree.Layer(kind: .layer)
    }
    for _ in 0..<random.below(7) {
      guard let edit = edit(of: working) else { continue }
      try working.apply(edit)
      commit.edits.append(edit)
    }
    var destroyed: Set<LayerID> = []
    for _ in 0..<random.below(4) {
      guard let victim = working.layers.keys.sorted().randomElement(using: &random),
        !destroyed.contains(victim)
      else { continue }
      if let parent = working.layers[victim]?.parent, !destroyed.contains(parent) {
        let edit = Commit.TreeEdit.remove(child: victim)
        try working.apply(edit)
        commit.edits.append(edit)
      }
      destroyed.insert(victim)
      commit.destroyed.append(victim)
    }
    changeSomething(of: working.layers.keys.sorted(), in: &commit)
    try tree.apply(commit) { [pixels] in pixels[$0.offset] ?? [] }
    return commit
  }

  private mutating func edit(of working: ModelTree) -> Commit.TreeEdit? {
    let layers = working.layers.keys.sorted()
    guard let child = layers.randomElement(using: &random),
      let parent = layers.randomElement(using: &random)
    else { return nil }
    if random.chance(0.2) { return .remove(child: child) }
    if working.isAncestor(child, of: parent) { return nil }
    if random.chance(0.15) { return .setMask(mask: child, layer: parent) }
    let others = working.layers[parent]?.sublayers.filter { $0 != child } ?? []
    return .insert(child: child, parent: parent, index: UInt32(random.below(others.count + 1)))
  }

  private mutating func changeSomething(of layers: [LayerID], in commit: inout Commit) {
    guard !layers.isEmpty else { return }
    for layer in Set(random.many { layers.randomElement(using: &$0)! }).sorted() {
      commit.changes.append(.arbitrary(of: layer, &random))
    }
    commit.animations = random.many {
      .arbitrary(of: layers.randomElement(using: &$0)!, &$0)
    }
    if random.chance(0.3) {
      commit.roots = [
        Commit.RootChange(
          session: SessionID(rawValue: UInt32(random.below(2))),
          layer: random.chance(0.8) ? layers.randomElement(using: &random) : nil)
      ]
    }
  }

  /// Draws an image or a part of it, or releases it.
  private mutating func storeSomething(in commit: inout Commit) {
    let image = ImageID(rawValue: UInt64(random.below(3)))
    guard !commit.stores.contains(where: { $0.image == image }),
      !commit.releasedStores.contains(image)
    else { return }
    if let old = current[image], random.chance(0.25) {
      commit.releasedStores.append(old.image)
      current[image] = nil
      return
    }
    let side = 4 + 4 * random.below(2)
    let layout = PixelLayout(width: side, height: side, format: .a8)!
    nextOffset += 4096
    var store = Commit.StoreUpdate(
      image: image,
      memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: nextOffset, count: 4096),
      layout: layout)
    var drawing = [UInt64](repeating: nextOffset, count: side * side)
    if let old = current[image], old.layout == layout, let place = old.place.memory,
      let before = pixels[place.offset]
    {
      let dirty = random.many(upTo: 2) { PixelRect.arbitrary(within: layout.size, &$0) }
      drawing = before
      for rect in dirty {
        for y in rect.minY..<rect.maxY {
          for x in rect.minX..<rect.maxX { drawing[y * side + x] = nextOffset }
        }
      }
      store.dirty = dirty
    }
    pixels[nextOffset] = drawing
    current[image] = store
    commit.stores.append(store)
  }
}
