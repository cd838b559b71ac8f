import LaminaCommit

/// What a commit would add to a tree and move in it, measured before anything of it is sent.
///
/// It goes through layers that are new and those that lie at another level than at the last commit.
/// Whatever has kept its level is left alone, with all below it that did not change.
struct TreeMeasurement {
  private let tree: LayerTree
  /// How many layers the render process would have to make.
  private(set) var newCount = 0
  /// How many levels were found.
  private(set) var levels = 0
  /// The first layer that was found to lie too deep.
  private(set) var tooDeep: CALayer?
  /// What levels were before.
  private var old: [(layer: RenderedLayer, level: Int)] = []

  init(_ tree: LayerTree) {
    self.tree = tree
    guard let root = tree.root else { return }
    measure(root, at: tree.rootLevel)
    for layer in tree.changed {
      guard let rendered = layer.rendered, rendered.tree === tree, rendered.hierarchyChanged,
        let level = level(of: layer)
      else { continue }
      set(level, of: rendered)
      if let mask = layer.maskStorage { measure(mask, at: level + 1) }
      for sublayer in layer.sublayerStorage { measure(sublayer, at: level + 1) }
    }
  }

  /// Forgets the levels, for a commit that is not made.
  func undo() { for (layer, level) in old.reversed() { layer.level = level } }

  private mutating func measure(_ top: CALayer, at level: Int) {
    // Most often a layer whose siblings changed, and nothing else.
    if let rendered = top.rendered, rendered.tree === tree, rendered.level == level { return }
    var pending = [(layer: top, level: level)]
    while let (layer, level) = pending.popLast() {
      guard enter(layer, at: level) else { continue }
      if let mask = layer.maskStorage { pending.append((mask, level + 1)) }
      for sublayer in layer.sublayerStorage.reversed() { pending.append((sublayer, level + 1)) }
    }
  }

  /// Returns whether what is below the layer has to be measured with it.
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
    // Those whose sublayers changed are gone through one by one.
    return !rendered.hierarchyChanged
  }

  private mutating func set(_ level: Int, of rendered: RenderedLayer) {
    guard rendered.level != level else { return }
    old.append((rendered, rendered.level))
    rendered.level = level
  }

  /// nil for a layer outside the tree, and for one that lies too deep: that is found from above.
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
  /// The root may be a layer that another tree on the connection shows.
  var rootLevel: Int {
    guard placement == nil, let above = root?.superlayerStorage?.rendered, above.tree !== self,
      above.context === context
    else { return 1 }
    return above.level + 1
  }

  /// Throws if the render process would not take what is to be committed. The caller holds the
  /// context's lock.
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
    do throws(LaminaCommit.RenderServerError) {
      // One more stands for a placement.
      let needsContainer = placement != nil && container == nil
      try context.require(newCount + (needsContainer ? 1 : 0))
    } catch {
      throw RenderServerError(error)
    }
    isRefused = false
  }
}
