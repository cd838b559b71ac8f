import LaminaCommit
import LaminaValues

/// Finds layers inside themselves, and layers that are too deep, in the tree that a commit's edits
/// leave. The states between two edits do not matter, since applying edits follows no parents.
///
/// Only the layers that the edits move, and those below them, are visited, each once.
struct ShapeCheck {
  /// The check that has gone through the edits.
  let check: CommitCheck
  /// Layers that the commit destroys, after its edits.
  private let destroyed: Set<UInt32>
  /// Each layer's level, which is the number of layers that enclose it, itself included; 0 while
  /// being computed.
  private var levels: [UInt32: Int] = [:]

  /// One more than the client's limit, for the layer that stands for a renderer's bounds.
  static let levelLimit = TreeLimit.levels + 1

  init(check: CommitCheck, destroyed: [LayerID]) {
    self.check = check
    self.destroyed = Set(destroyed.map(\.index))
  }

  mutating func run(_ edits: [Commit.TreeEdit]) throws(CommitError) {
    var moved: Set<UInt32> = []
    for edit in edits {
      switch edit {
      case .insert(let child, _, _), .setMask(let child, _):
        guard isElsewhere(child.index), moved.insert(child.index).inserted else { continue }
        let level = try level(of: child.index)
        try measure(child.index, at: level)
      case .remove: break
      }
    }
  }

  /// Whether a layer has another parent than before the commit.
  private func isElsewhere(_ layer: UInt32) -> Bool {
    guard let parent = parent(of: layer) else { return false }
    return check.oldParent(of: layer) != parent
  }

  private func parent(of layer: UInt32) -> UInt32? {
    guard let parent = check.parent(of: layer), !destroyed.contains(parent) else { return nil }
    return parent
  }

  private mutating func level(of layer: UInt32) throws(CommitError) -> Int {
    var path: [UInt32] = []
    var level = 0
    var next: UInt32? = layer
    while let current = next {
      if let known = levels[current] {
        guard known > 0 else { throw .cycle(check.id(of: current)) }
        level = known
        break
      }
      levels[current] = 0
      path.append(current)
      next = parent(of: current)
    }
    for current in path.reversed() {
      level += 1
      levels[current] = level
      try refuse(current, at: level)
    }
    return level
  }

  /// Checks the depth of everything below a moved layer.
  private func measure(_ top: UInt32, at level: Int) throws(CommitError) {
    var pending = check.layersLeft(in: top).map { (layer: $0, level: level + 1) }
    while let (layer, level) = pending.popLast() {
      guard !destroyed.contains(layer) else { continue }
      try refuse(layer, at: level)
      for below in check.layersLeft(in: layer) { pending.append((below, level + 1)) }
    }
  }

  private func refuse(_ layer: UInt32, at level: Int) throws(CommitError) {
    guard level > Self.levelLimit else { return }
    throw .tooDeep("layer \(check.id(of: layer))", limit: Self.levelLimit)
  }
}

extension CommitCheck {
  /// The parent before the commit; nil for a layer that had none or that the commit creates.
  fileprivate func oldParent(of layer: UInt32) -> UInt32? {
    guard !creates(layer) else { return nil }
    let parent = tree.nodes[Int(layer)].parent
    return parent < 0 ? nil : UInt32(parent)
  }

  /// The sublayers and the mask that a layer keeps through the commit.
  fileprivate func layersLeft(in layer: UInt32) -> [UInt32] {
    guard !creates(layer) else { return [] }
    let left = tree.nodes[Int(layer)].children.filter { parent(of: $0) == layer }
    guard let mask = tree.nodes[Int(layer)].mask, parent(of: mask) == layer else { return left }
    return left + [mask]
  }
}
