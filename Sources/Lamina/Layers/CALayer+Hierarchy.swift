import LaminaCommit
import LaminaValues

extension CALayer {
  /// Moves `layer` from its current superlayer to the index that `place` picks among the other
  /// sublayers.
  final func insert(_ layer: CALayer, at place: (SublayerList) -> Int) {
    refuseCycle(layer)
    let action = action(on: "sublayers")
    let isReordered = hasSublayer(layer)
    if isReordered { layer.detach() } else { layer.leaveSuperlayer() }
    attach(layer, at: place(sublayerList))
    if let action { run(action, forKey: "sublayers") }
    if isCommitted, !isReordered { layer.act(on: kCAOnOrderIn) }
  }

  private func attach(_ layer: CALayer, at place: Int) {
    sublayerList.insert(layer, at: place)
    layer.superlayerStorage = self
    noteSublayersChange()
    notePendingWork(of: layer)
  }

  /// Whether the render process has the layer, as of the last commit.
  final var isCommitted: Bool { rendered != nil }

  /// Inserts `layer` at the index that `place` picks, given the number of the other sublayers and
  /// the index of `sibling`. If `sibling` is not a sublayer, `layer` goes in front of all, as on
  /// macOS.
  final func insert(
    _ layer: CALayer, beside sibling: CALayer?, at place: (Int, Int?) -> Int
  ) {
    if sibling === layer, hasSublayer(layer) { return }
    insert(layer) { others in
      guard let sibling else { return place(others.count, nil) }
      guard let index = others.index(of: sibling) else { return others.count }
      return place(others.count, index)
    }
  }

  private func hasSublayer(_ layer: CALayer) -> Bool {
    layer.superlayerStorage === self && maskStorage !== layer
  }

  final func leaveSuperlayer() {
    guard let parent = superlayerStorage else { return }
    let key = parent.maskStorage === self ? "mask" : "sublayers"
    let action = parent.action(on: key)
    detach()
    if let action { parent.run(action, forKey: key) }
    if isCommitted { act(on: kCAOnOrderOut) }
  }

  /// Leaves the superlayer without running actions.
  private func detach() {
    guard let parent = superlayerStorage else { return }
    superlayerStorage = nil
    if parent.maskStorage === self {
      parent.maskStorage = nil
      parent.noteHierarchyChange()
    } else if let place = parent.sublayerList.index(of: self) {
      parent.sublayerList.remove(at: place)
      parent.noteSublayersChange()
    }
    rendered?.noteDetached(self)
  }

  /// Replaces a sublayer. Runs one action for "sublayers", then the old layer's action for leaving
  /// the screen and the new one's for entering it; checked on macOS.
  final func replace(_ old: CALayer, with new: CALayer) {
    guard hasSublayer(old) else {
      programmerError("\(old.debugName) is no sublayer of \(debugName)")
    }
    guard old !== new else { return }
    refuseCycle(new)
    let action = action(on: "sublayers")
    let isReordered = hasSublayer(new)
    if isReordered { new.detach() } else { new.leaveSuperlayer() }
    let place = sublayerList.index(of: old) ?? sublayerList.count
    old.detach()
    attach(new, at: place)
    if let action { run(action, forKey: "sublayers") }
    if old.isCommitted { old.act(on: kCAOnOrderOut) }
    if isCommitted, !isReordered { new.act(on: kCAOnOrderIn) }
  }

  final func replaceAllSublayers(with layers: [CALayer]) {
    guard !layers.elementsEqual(sublayerStorage, by: { $0 === $1 }) else { return }
    for layer in layers { refuseCycle(layer) }
    let action = action(on: "sublayers")
    let kept = Set(layers.map(ObjectIdentifier.init))
    let before = Set(sublayerStorage.map(ObjectIdentifier.init))
    let left = sublayerStorage.filter { !kept.contains(ObjectIdentifier($0)) }
    guard kept.count == layers.count else {
      programmerError(
        "\(layers.count - kept.count) of \(layers.count) sublayers for \(debugName) are given twice"
      )
    }
    for old in left {
      old.superlayerStorage = nil
      old.rendered?.noteDetached(old)
    }
    for layer in layers {
      // The layer leaves another superlayer, or stops being this layer's mask.
      if layer.superlayerStorage !== self || maskStorage === layer { layer.leaveSuperlayer() }
      layer.superlayerStorage = self
    }
    sublayerList = SublayerList(layers)
    noteSublayersChange()
    for layer in layers { notePendingWork(of: layer) }
    if let action { run(action, forKey: "sublayers") }
    guard isCommitted else { return }
    for layer in left where layer.isCommitted { layer.act(on: kCAOnOrderOut) }
    for layer in layers where !before.contains(ObjectIdentifier(layer)) {
      layer.act(on: kCAOnOrderIn)
    }
  }

  final func setMask(_ layer: CALayer?) {
    guard layer !== maskStorage else { return }
    guard let layer else {
      maskStorage?.leaveSuperlayer()
      return
    }
    refuseCycle(layer)
    let action = action(on: "mask")
    let old = maskStorage
    old?.detach()
    layer.leaveSuperlayer()
    maskStorage = layer
    layer.superlayerStorage = self
    noteHierarchyChange()
    notePendingWork(of: layer)
    if let action { run(action, forKey: "mask") }
    if let old, old.isCommitted { old.act(on: kCAOnOrderOut) }
    if isCommitted { layer.act(on: kCAOnOrderIn) }
  }

  /// Stops the program if `layer` would be inside itself, which is a programmer's error.
  private func refuseCycle(_ layer: CALayer) {
    guard !isInside(layer) else {
      programmerError(
        layer === self
          ? "\(debugName) cannot be inside itself"
          : "\(layer.debugName) cannot be inside \(debugName), which is inside it")
    }
  }

  /// Whether this layer is `layer` or one of its descendants.
  ///
  /// It climbs from here and descends from `layer` in turn, until either search ends, so that a
  /// chain can be built from either end in time proportional to its length.
  private func isInside(_ layer: CALayer) -> Bool {
    guard layer !== self else { return true }
    var ancestor = superlayerStorage
    var below = [layer.layersBelow.makeIterator()]
    while let current = ancestor {
      guard current !== layer else { return true }
      while let last = below.indices.last {
        guard let next = below[last].next() else {
          below.removeLast()
          continue
        }
        below.append(next.layersBelow.makeIterator())
        break
      }
      guard !below.isEmpty else { return false }
      ancestor = current.superlayerStorage
    }
    return false
  }

  /// The sublayers, then the mask.
  private var layersBelow: [CALayer] {
    maskStorage.map { sublayerStorage + [$0] } ?? sublayerStorage
  }

  private func noteSublayersChange() {
    noteHierarchyChange()
    setNeedsLayout()
  }

  final func noteHierarchyChange() {
    guard let rendered else { return }
    rendered.hierarchyChanged = true
    rendered.tree.isReshaped = true
    rendered.tree.mayNeedDisplay = true
    rendered.noteChange(of: self)
  }

  /// Marks the path to the root if `layer`, just inserted, needs layout. `setNeedsLayout()` alone
  /// would not mark it while this layer is laying out.
  private func notePendingWork(of layer: CALayer) {
    if layer.pending.contains(.layoutBelow) { noteLayoutBelow() }
  }

  /// The layers that the render process has as sublayers of this one.
  final var committedSublayers: [CALayer] {
    let parts = contentsLayers
    return parts.isEmpty ? sublayerStorage : parts + sublayerStorage
  }

  /// Calls `body` for the layer and all its descendants, masks and parts of contents included,
  /// parents first.
  final func forEachInSubtree(_ body: (CALayer) -> Void) {
    var pending = [self]
    while let layer = pending.popLast() {
      body(layer)
      if let mask = layer.maskStorage { pending.append(mask) }
      pending.append(contentsOf: layer.committedSublayers.reversed())
    }
  }
}
