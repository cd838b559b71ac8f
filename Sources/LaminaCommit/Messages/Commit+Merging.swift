import LaminaAnimation
import LaminaValues

extension Commit {
  /// Merges `later` into this commit, which must not have been sent. The effect is that of both in
  /// order: the value in `later` wins, and tree edits keep their order. A layer created in one and
  /// destroyed in the other is left out, if that is possible without knowing the tree.
  ///
  /// The index of a destroyed layer must not be given to another layer while the commit that
  /// destroys it may still be merged with the next one.
  package mutating func merge(_ later: Commit) {
    sequence = later.sequence
    mergeStores(later)
    created += later.created
    edits += later.edits
    changes.merge(later.changes)
    mergeAnimations(later.animations)
    mergeRoots(later.roots)
    destroyed += later.destroyed
    dropDestroyedLayers()
  }

  /// Returns the result of merging `later` into this commit.
  package func merged(_ later: Commit) -> Commit {
    var both = self
    both.merge(later)
    return both
  }

  private mutating func mergeStores(_ later: Commit) {
    var places: [ImageID: Int] = [:]
    for (place, store) in stores.enumerated() { places[store.image] = place }
    let released = Set(releasedStores)
    for var store in later.stores {
      // The image was released in between, so all of it is new.
      if released.contains(store.image) { store.dirty = nil }
      guard let place = places[store.image] else {
        places[store.image] = stores.count
        stores.append(store)
        continue
      }
      let earlier = stores[place]
      if let dirty = store.dirty {
        let isSameShape =
          earlier.layout.size == store.layout.size && earlier.layout.format == store.layout.format
          && earlier.layout.coding == store.layout.coding
        store.dirty = isSameShape ? earlier.dirty.map { $0 + dirty } : nil
      }
      stores[place] = store
    }
    let updated = Set(later.stores.map(\.image))
    releasedStores.removeAll { updated.contains($0) }
    releasedStores += later.releasedStores
  }

  private struct AnimationPlace: Hashable {
    var layer: LayerID
    var key: String
  }

  /// Keeps the last edit of each key. The others do not matter: an edit of a key undoes those
  /// before it, and an animation that replaces another comes last in its layer's order.
  private mutating func mergeAnimations(_ later: [AnimationEdit]) {
    guard !later.isEmpty else { return }
    animations += later
    var seen: Set<AnimationPlace> = []
    let kept = animations.reversed().filter { edit in
      switch edit {
      case .add(let layer, let key, _), .remove(let layer, let key):
        seen.insert(AnimationPlace(layer: layer, key: key)).inserted
      }
    }
    animations = kept.reversed()
  }

  private mutating func mergeRoots(_ later: [RootChange]) {
    for root in later {
      if let place = roots.firstIndex(where: { $0.session == root.session }) {
        roots[place] = root
      } else {
        roots.append(root)
      }
    }
  }

  /// Drops the changes and animations of layers that this commit destroys. If it also creates the
  /// layer, drops the layer altogether, unless the places of other layers depend on it.
  private mutating func dropDestroyedLayers() {
    guard !destroyed.isEmpty else { return }
    let gone = Set(destroyed)
    changes.removeAll(of: gone)
    animations.removeAll { edit in
      switch edit {
      case .add(let layer, _, _), .remove(let layer, _): gone.contains(layer)
      }
    }
    var transients = gone.intersection(created.map(\.layer))
    for root in roots { if let layer = root.layer { transients.remove(layer) } }
    guard !transients.isEmpty else { return }
    var thinning = EditThinning(created: Set(created.map(\.layer)), transients: transients)
    edits = thinning.thin(edits)
    created.removeAll { thinning.transients.contains($0.layer) }
    destroyed.removeAll { thinning.transients.contains($0) }
  }
}
