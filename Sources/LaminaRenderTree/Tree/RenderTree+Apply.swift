import LaminaAnimation
import LaminaCommit
import LaminaValues

extension RenderTree {
  /// What a commit did that concerns whoever keeps pixels.
  package enum Event: Hashable, Sendable {
    /// The image is about to change, but its pixels with that stamp are still drawn.
    case kept(ImageID, stamp: UInt64)
    case released(ImageID)
    /// The layer is gone, and its ID with it.
    case destroyed(LayerID)
    /// The kept pixels are no longer drawn.
    case dropped(stamp: UInt64)
  }

  /// Applies a commit that has been checked; it cannot fail.
  mutating func perform(
    _ commit: Commit, pixels: (ImageID, Image) -> [UInt8]?
  ) -> [Event] {
    var events: [Event] = []
    let origins = freeze(for: commit)
    let drawn =
      commit.stores.isEmpty && commit.releasedStores.isEmpty
      ? [] : stamps(of: frozenSubtrees + origins.values.compactMap(\.subtree))
    for store in commit.stores {
      keep(store.image, ifIn: drawn, &events, pixels)
      perform(store)
    }
    for creation in commit.created { perform(creation) }
    for edit in commit.edits { perform(edit) }
    perform(commit.changes)
    perform(commit.animations, origins)
    for root in commit.roots { sessions[root.session]?.root = root.layer }
    for id in commit.destroyed {
      destroy(id)
      events.append(.destroyed(id))
    }
    for id in commit.releasedStores {
      keep(id, ifIn: drawn, &events, pixels)
      images[id] = nil
      noteChange(of: id)
      events.append(.released(id))
    }
    forgetKeptImages(&events)
    return events
  }

  private mutating func perform(_ store: Commit.StoreUpdate) {
    let old = images[store.image]
    // If the size or format changed, all pixels are new, whatever the dirty rectangles say.
    let isSameShape =
      old?.layout.size == store.layout.size
      && old?.layout.format == store.layout.format && old?.layout.coding == store.layout.coding
    var dirt: [[PixelRect]] = []
    if isSameShape, let dirty = store.dirty {
      dirt = (old?.recentDirt ?? []).suffix(Image.memory - 1) + [dirty]
    }
    storeCount += 1
    images[store.image] = Image(
      place: store.place, layout: store.layout, isOpaque: store.isOpaque,
      version: (old?.version ?? 0) &+ 1, stamp: storeCount, recentDirt: dirt)
    noteChange(of: store.image)
  }

  private mutating func perform(_ creation: Commit.Creation) {
    let slot = Int(creation.layer.index)
    while nodes.count <= slot { nodes.append(.vacant(generation: 0)) }
    nodes[slot] = Node(
      generation: creation.layer.generation, isAlive: true, kind: creation.kind,
      values: LayerValues(kind: creation.kind))
    noteChange(of: slot, .structure)
  }

  private mutating func perform(_ edit: Commit.TreeEdit) {
    switch edit {
    case .insert(let child, let parent, let index):
      let slot = Int(child.index)
      detach(slot)
      nodes[Int(parent.index)].children.insert(child.index, at: Int(index))
      nodes[slot].parent = Int32(parent.index)
      nodes[slot].isMask = false
      noteMove(of: slot)
    case .remove(let child): detach(Int(child.index))
    case .setMask(let mask, let layer):
      let slot = Int(mask.index)
      detach(slot)
      if let old = nodes[Int(layer.index)].mask { detach(Int(old)) }
      nodes[Int(layer.index)].mask = mask.index
      nodes[slot].parent = Int32(layer.index)
      nodes[slot].isMask = true
      noteMove(of: slot)
    }
  }

  private mutating func detach(_ slot: Int) {
    let parent = Int(nodes[slot].parent)
    guard parent >= 0 else { return }
    if nodes[slot].isMask {
      nodes[parent].mask = nil
    } else if let place = nodes[parent].children.lastIndex(of: UInt32(slot)) {
      nodes[parent].children.remove(at: place)
    }
    nodes[slot].parent = -1
    nodes[slot].isMask = false
    noteMove(of: slot)
  }

  private mutating func perform(_ changes: LayerChanges) {
    // A copy: reaching the static variable takes longer than using it.
    let pictured = StoredPropertySet.pictured
    for place in changes.indices {
      let slot = Int(changes.layer(at: place).index)
      let properties = changes.properties(at: place)
      let showsOther = !properties.intersection(pictured).isEmpty
      if showsOther { forgetImages(of: slot) }
      // They were checked, so that this does not throw.
      try? changes.apply(at: place, to: &nodes[slot].values)
      if showsOther {
        for image in nodes[slot].ownImages { imageUsers[image, default: []].insert(UInt32(slot)) }
      }
      noteChange(of: slot, properties.invalidates)
    }
  }

  /// Removes a layer from the users of the images that it shows.
  private mutating func forgetImages(of slot: Int) {
    for image in nodes[slot].ownImages {
      imageUsers[image]?.remove(UInt32(slot))
      if imageUsers[image]?.isEmpty == true { imageUsers[image] = nil }
    }
  }

  /// Applies consecutive edits of one layer together, so that many edits do not each go through all
  /// of its animations.
  private mutating func perform(
    _ edits: [Commit.AnimationEdit], _ origins: [Int: TransitionOrigin]
  ) {
    var first = 0
    while first < edits.count {
      let layer = edits[first].layer
      let end = edits[first...].firstIndex { $0.layer != layer } ?? edits.count
      let slot = Int(layer.index)
      let before = nodes[slot].animationsChange
      nodes[slot].animations = animations(
        nodes[slot].animations, after: first..<end, of: edits, origins, kind: nodes[slot].kind)
      if nodes[slot].animatesPictures {
        pictureAnimated.insert(UInt32(slot))
      } else {
        pictureAnimated.remove(UInt32(slot))
      }
      noteChange(of: slot, before.union(nodes[slot].animationsChange))
      first = end
    }
  }

  private func animations(
    _ old: [KeyedAnimation], after places: Range<Int>, of edits: [Commit.AnimationEdit],
    _ origins: [Int: TransitionOrigin], kind: LayerKind
  ) -> [KeyedAnimation] {
    // Only the last edit of each key counts.
    var last: [String: Int] = [:]
    for place in places { last[edits[place].key] = place }
    var animations = old.filter { last[$0.key] == nil }
    for place in places {
      guard case .add(_, let key, let animation) = edits[place], last[key] == place else {
        continue
      }
      var keyed = KeyedAnimation(key: key, description: animation, kind: kind)
      keyed.origin = origins[place] ?? .nothing
      animations.append(keyed)
    }
    return animations
  }

  /// Removes a layer from the tree. Its sublayers and mask stand alone until they are destroyed
  /// too.
  private mutating func destroy(_ id: LayerID) {
    guard let slot = slot(of: id) else { return }
    detach(slot)
    for child in nodes[slot].children { nodes[Int(child)].parent = -1 }
    if let mask = nodes[slot].mask {
      nodes[Int(mask)].parent = -1
      nodes[Int(mask)].isMask = false
    }
    forgetImages(of: slot)
    pictureAnimated.remove(UInt32(slot))
    nodes[slot] = .vacant(generation: id.generation &+ 1)
    noteMove(of: slot)
    for (session, state) in sessions where state.root == id { sessions[session]?.root = nil }
  }
}
