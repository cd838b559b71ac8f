import LaminaAnimation
import LaminaValues

@testable import LaminaCommit

/// The meaning of commits, as plainly as possible: a render process's state after them.
struct ModelTree: Equatable {
  struct Layer: Equatable {
    var kind: LayerKind
    var values = LayerValues()
    var parent: LayerID?
    var sublayers: [LayerID] = []
    var mask: LayerID?
    var animations: [KeyedAnimation] = []
  }

  struct KeyedAnimation: Equatable {
    var key: String
    var animation: AnimationDescription
  }

  struct Image: Equatable {
    var layout: PixelLayout
    var pixels: [UInt64]
  }

  enum Violation: Error {
    case unknownLayer(LayerID)
    case duplicate(LayerID)
    case index(UInt32)
    case cycle
  }

  var layers: [LayerID: Layer] = [:]
  var roots: [SessionID: LayerID] = [:]
  var images: [ImageID: Image] = [:]

  /// `pixels` returns the contents of a range of memory.
  mutating func apply(
    _ commit: Commit, pixels: (MemoryRange) -> [UInt64]
  ) throws {
    for store in commit.stores {
      if let memory = store.place.memory { apply(store, pixels(memory)) }
    }
    for creation in commit.created {
      guard layers[creation.layer] == nil else { throw Violation.duplicate(creation.layer) }
      layers[creation.layer] = Layer(kind: creation.kind)
    }
    for edit in commit.edits { try apply(edit) }
    for change in commit.changes {
      try require(change.layer)
      for property in change.properties {
        layers[change.layer]?.values.copy(property, from: change.values)
      }
    }
    for edit in commit.animations { try apply(edit) }
    for root in commit.roots {
      if let layer = root.layer { try require(layer) }
      roots[root.session] = root.layer
    }
    for layer in commit.destroyed { try destroy(layer) }
    for image in commit.releasedStores { images[image] = nil }
  }

  func require(_ layer: LayerID) throws {
    guard layers[layer] != nil else { throw Violation.unknownLayer(layer) }
  }

  private mutating func apply(_ store: Commit.StoreUpdate, _ pixels: [UInt64]) {
    guard let old = images[store.image], old.layout == store.layout, let dirty = store.dirty else {
      images[store.image] = Image(layout: store.layout, pixels: pixels)
      return
    }
    for rect in dirty {
      for y in rect.minY..<rect.maxY {
        for x in rect.minX..<rect.maxX {
          let place = y * store.layout.width + x
          images[store.image]?.pixels[place] = pixels[place]
        }
      }
    }
  }

  mutating func apply(_ edit: Commit.TreeEdit) throws {
    switch edit {
    case .insert(let child, let parent, let index):
      try require(child)
      try require(parent)
      guard !isAncestor(child, of: parent) else { throw Violation.cycle }
      detach(child)
      let count = layers[parent]?.sublayers.count ?? 0
      guard Int(index) <= count else { throw Violation.index(index) }
      layers[parent]?.sublayers.insert(child, at: Int(index))
      layers[child]?.parent = parent
    case .remove(let child):
      try require(child)
      detach(child)
    case .setMask(let mask, let layer):
      try require(mask)
      try require(layer)
      guard !isAncestor(mask, of: layer) else { throw Violation.cycle }
      detach(mask)
      if let old = layers[layer]?.mask { detach(old) }
      layers[layer]?.mask = mask
      layers[mask]?.parent = layer
    }
  }

  private mutating func apply(_ edit: Commit.AnimationEdit) throws {
    switch edit {
    case .add(let layer, let key, let animation):
      try require(layer)
      layers[layer]?.animations.removeAll { $0.key == key }
      layers[layer]?.animations.append(KeyedAnimation(key: key, animation: animation))
    case .remove(let layer, let key):
      try require(layer)
      layers[layer]?.animations.removeAll { $0.key == key }
    }
  }

  /// Whether `layer` is `descendant` or one of its ancestors.
  func isAncestor(_ layer: LayerID, of descendant: LayerID) -> Bool {
    var current: LayerID? = descendant
    while let here = current {
      if here == layer { return true }
      current = layers[here]?.parent
    }
    return false
  }

  private mutating func detach(_ child: LayerID) {
    guard let parent = layers[child]?.parent else { return }
    layers[parent]?.sublayers.removeAll { $0 == child }
    if layers[parent]?.mask == child { layers[parent]?.mask = nil }
    layers[child]?.parent = nil
  }

  private mutating func destroy(_ layer: LayerID) throws {
    try require(layer)
    detach(layer)
    for child in layers[layer]?.sublayers ?? [] { layers[child]?.parent = nil }
    if let mask = layers[layer]?.mask { layers[mask]?.parent = nil }
    layers[layer] = nil
    for (session, root) in roots where root == layer { roots[session] = nil }
  }
}
