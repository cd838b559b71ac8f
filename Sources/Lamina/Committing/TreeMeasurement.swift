import LaminaCommit

/// The layers that a commit would add to a tree or move in it, counted before any of it is sent.
///
/// It visits only layers that are new or whose level changed since the last commit. A layer at the
/// same level is skipped, with its unchanged descendants.
struct TreeMeasurement {
  private let tree: LayerTree
  /// The number of layers that the render process would have to create.
  private(set) var newCount = 0
  /// The deepest level found.
  private(set) var levels = 0
  /// The first layer found that lies too deep.
  private(set) var tooDeep: CALayer?
  /// The levels before the measurement, in order of change.
  private var old: [(layer: RenderedLayer, level: Int)] = []

  init(_ tree: LayerTree) {
    self.tree = tree
    guard let root = tree.root else { return }
    measure(root, at: tree.rootLevel)
    for layer in tree.changed.lazy.map({ $0.takeUnretainedValue() }) {
      guard let rendered = layer.rendered, rendered.tree === tree, rendered.hierarchyChanged,
        let level = level(of: layer)
      else { continue }
      set(level, of: rendered)
      if let mask = layer.maskStorage { measure(mask, at: level + 1) }
      for sublayer in layer.committedSublayers { measure(sublayer, at: level + 1) }
    }
  }

  /// Restores the previous levels, if the commit is not made.
  func undo() { for (layer, level) in old.reversed() { layer.level = level } }

  private mutating func measure(_ top: CALayer, at level: Int) {
    // The common case: only the layer's siblings changed.
    if let rendered = top.rendered, rendered.tree === tree, rendered.level == level { return }
    var pending = [(layer: top, level: level)]
    while let (layer, level) = pending.popLast() {
      guard enter(layer, at: level) else { continue }
      if let mask = layer.maskStorage { pending.append((mask, level + 1)) }
      for sublayer in layer.committedSublayers.reversed() { pending.append((sublayer, level + 1)) }
    }
  }

  /// Returns whether the layer's descendants have to be measured with it.
  private mutating func enter(_ layer: CALayer, at level: Int) -> Bool {
    levels = max(levels, level)
    if level > TreeLimit.levels, tooDeep == nil { tooDeep = layer }
    guard let rendered = layer.rendered, rendered.context === tree.context else {
      newCount += 1
      return true
    }
    guard rendered.tree === tree else {
      set(level, of: rendered)
      return true
    }
    guard rendered.level != level else { return false }
    set(level, of: rendered)
    // A layer whose sublayers changed is in the list of changed layers and is measured from there.
    return !rendered.hierarchyChanged
  }

  private mutating func set(_ level: Int, of rendered: RenderedLayer) {
    guard rendered.level != level else { return }
    old.append((rendered, rendered.level))
    rendered.level = level
  }

  /// The layer's level; nil for a layer outside the tree and for one that lies too deep, which the
  /// walk from above finds.
  private func level(of layer: CALayer) -> Int? {
    var (level, next) = (tree.rootLevel, layer)
    while next !== tree.root {
      guard let above = next.superlayerStorage, level <= TreeLimit.levels else { return nil }
      level += 1
      next = above
    }
    return level
  }
}

extension LayerTree {
  /// The root's level: 1, or deeper if the root is a sublayer in another tree on the connection.
  var rootLevel: Int {
    guard placement == nil, let above = root?.superlayerStorage?.rendered, above.tree !== self,
      above.context === context
    else { return 1 }
    return above.level + 1
  }

  /// Throws if the render process would refuse the next commit. The caller holds the context's
  /// lock.
  func measure() throws(RenderServerError) {
    isRefused = true
    if isReshaped {
      let measurement = TreeMeasurement(self)
      if let layer = measurement.tooDeep {
        measurement.undo()
        throw RenderServerError(
          .tooDeep(layer: layer.debugName, levels: measurement.levels, limit: TreeLimit.levels))
      }
      newCount = measurement.newCount
      isReshaped = false
    }
    do throws(ServerFailure) {
      // A placement needs one more layer, its container.
      let needsContainer = placement != nil && container == nil
      try context.require(newCount + (needsContainer ? 1 : 0))
    } catch {
      throw RenderServerError(error)
    }
    isRefused = false
  }
}
