import LaminaCommit
import LaminaValues

/// Checks a whole commit for errors before any of it is applied.
///
/// It keeps the commit's changes so far beside the tree, with no more entries than the commit has
/// edits. The tree itself is not copied.
struct CommitCheck {
  let tree: RenderTree
  /// Generations of the layers that the commit has created so far, by index. The layers that it
  /// destroys come last and need no entry.
  private var created: [UInt32: UInt32] = [:]
  /// Parents after the edits so far, by index; nil for none.
  private var parents: [UInt32: UInt32?] = [:]
  private var childCounts: [UInt32: Int] = [:]
  /// Whether a layer is its parent's mask after the edits so far.
  private var masks: [UInt32: Bool] = [:]
  private var maskOf: [UInt32: UInt32?] = [:]
  private var stores: Set<ImageID> = []

  init(tree: RenderTree) { self.tree = tree }

  mutating func run(_ commit: Commit) throws(CommitError) {
    guard commit.sequence > tree.sequence else {
      throw .outOfRange("commit sequence", value: "\(commit.sequence) after \(tree.sequence)")
    }
    for store in commit.stores { try check(store) }
    for creation in commit.created { try check(creation) }
    for edit in commit.edits { try check(edit) }
    var shape = ShapeCheck(check: self, destroyed: commit.destroyed)
    try shape.run(commit.edits)
    try check(commit.changes)
    for animation in commit.animations { try require(animation.layer) }
    for root in commit.roots {
      guard tree.sessions[root.session] != nil else { throw .unknownSession(root.session) }
      if let layer = root.layer { try require(layer) }
    }
    for id in commit.destroyed { try require(id) }
    for id in commit.releasedStores where tree.images[id] == nil && !stores.contains(id) {
      throw .unknownStore(id)
    }
  }

  @inline(__always)
  private func require(_ id: LayerID) throws(CommitError) {
    let created = created[id.index]
    guard created == id.generation || created == nil && tree.slot(of: id) != nil else {
      throw .unknownLayer(id)
    }
  }

  private mutating func check(_ store: Commit.StoreUpdate) throws(CommitError) {
    guard let count = store.layout.byteCount,
      store.place.memory.map({ UInt64(count) <= $0.count }) != false
    else {
      throw .badMemory("\(store.image) of \(store.layout.size) does not fit its range")
    }
    stores.insert(store.image)
  }

  private mutating func check(_ creation: Commit.Creation) throws(CommitError) {
    let id = creation.layer
    guard id.index < UInt32(TreeLimit.layers) else {
      throw .tooMany("layers", count: Int(id.index) + 1, limit: TreeLimit.layers)
    }
    let slot = Int(id.index)
    // Clients count up; merged commits may leave out layers that came and went unseen.
    guard slot < tree.nodes.count + created.count + TreeLimit.indexGap else {
      throw .outOfRange("index of a new layer", value: "\(slot) of \(tree.nodes.count)")
    }
    let isTaken = slot < tree.nodes.count && tree.nodes[slot].isAlive
    guard !isTaken, created[id.index] == nil else { throw .duplicateLayer(id) }
    created[id.index] = id.generation
    parents[id.index] = .some(nil)
    childCounts[id.index] = 0
  }

  private mutating func check(_ edit: Commit.TreeEdit) throws(CommitError) {
    switch edit {
    case .insert(let child, let parent, let index):
      try require(child)
      try require(parent)
      detach(child.index)
      let count = childCount(of: parent.index)
      guard Int(index) <= count else {
        throw .outOfRange("sublayer index", value: "\(index) of \(count)")
      }
      parents[child.index] = parent.index
      masks[child.index] = false
      childCounts[parent.index] = count + 1
    case .remove(let child):
      try require(child)
      detach(child.index)
    case .setMask(let mask, let layer):
      try require(mask)
      try require(layer)
      detach(mask.index)
      if let old = currentMask(of: layer.index) { detach(old) }
      parents[mask.index] = layer.index
      masks[mask.index] = true
      maskOf[layer.index] = mask.index
    }
  }

  private mutating func detach(_ child: UInt32) {
    guard let parent = parent(of: child) else { return }
    if isMask(child) {
      maskOf[parent] = .some(nil)
    } else {
      childCounts[parent] = childCount(of: parent) - 1
    }
    parents[child] = .some(nil)
  }

  /// The parent after the edits so far.
  func parent(of layer: UInt32) -> UInt32? {
    if let edited = parents[layer] { return edited }
    let parent = tree.nodes[Int(layer)].parent
    return parent < 0 ? nil : UInt32(parent)
  }

  func creates(_ layer: UInt32) -> Bool { created[layer] != nil }

  /// The ID of a layer that exists or that the commit creates.
  func id(of layer: UInt32) -> LayerID {
    created[layer].map { LayerID(index: layer, generation: $0) } ?? tree.id(of: Int(layer))
  }

  private func childCount(of layer: UInt32) -> Int {
    childCounts[layer] ?? tree.nodes[Int(layer)].children.count
  }

  private func isMask(_ layer: UInt32) -> Bool { masks[layer] ?? tree.nodes[Int(layer)].isMask }

  private func currentMask(of layer: UInt32) -> UInt32? {
    if let edited = maskOf[layer] { return edited }
    return created[layer] == nil ? tree.nodes[Int(layer)].mask : nil
  }

  private func check(_ changes: LayerChanges) throws(CommitError) {
    try changes.check()
    for place in changes.indices {
      try require(changes.layer(at: place))
      if !changes.properties(at: place).intersection(checked).isEmpty {
        try check(changes, at: place)
      }
    }
  }

  /// Makes the checks that decoding does not make: no unknown filter, no dash length that is
  /// negative or not finite.
  private func check(_ changes: LayerChanges, at place: Int) throws(CommitError) {
    let (properties, values) = (changes.properties(at: place), changes[place].values)
    if !properties.intersection(.filters).isEmpty, let type = values.effects.unknownFilter {
      throw .unknownFilter(type, changes.layer(at: place))
    }
    if properties.contains(.emitterCells), let error = values.emitter.cellsError { throw error }
    guard properties.contains(.lineDashPattern) else { return }
    for length in values.shape.lineDashPattern ?? [] where !(length >= 0 && length.isFinite) {
      throw .outOfRange("lineDashPattern", value: "\(length)")
    }
  }

  /// The properties whose values are checked.
  private let checked = StoredPropertySet.filters.union([.emitterCells, .lineDashPattern])
}
