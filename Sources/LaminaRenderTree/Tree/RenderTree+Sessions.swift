import LaminaCommit
import LaminaValues

extension RenderTree {
  /// The sessions whose frames a commit may change. Frames of the others are the same to the byte
  /// with the commit and without it.
  ///
  /// Looks at each layer around the changed ones once. The commit need not have been checked.
  package func sessions(changedBy commit: Commit) -> Set<SessionID> {
    var walk = WalkToSessions(tree: self)
    for edit in commit.edits {
      switch edit {
      case .insert(let child, let parent, _):
        walk.visit(child)
        walk.visit(parent)
      case .remove(let child): walk.visit(child)
      case .setMask(let mask, let layer):
        walk.visit(mask)
        walk.visit(layer)
      }
    }
    for place in commit.changes.indices { walk.visit(commit.changes.layer(at: place)) }
    for animation in commit.animations { walk.visit(animation.layer) }
    for layer in commit.destroyed { walk.visit(layer) }
    let images = commit.stores.map(\.image) + commit.releasedStores
    for image in images {
      for slot in imageUsers[image] ?? [] { walk.visit(Int(slot)) }
    }
    if !images.isEmpty {
      for slot in pictureAnimated { walk.visit(Int(slot)) }
    }
    for root in commit.roots { walk.found.insert(root.session) }
    return walk.found
  }
}

/// Goes from layers up to the sessions that show them.
private struct WalkToSessions {
  let tree: RenderTree
  var found: Set<SessionID> = []
  /// The sessions that show each root, which may be below another layer.
  private var sessions: [Int: [SessionID]] = [:]
  private var visited: Set<Int> = []

  init(tree: RenderTree) {
    self.tree = tree
    for (id, session) in tree.sessions {
      guard let slot = session.root.flatMap({ tree.slot(of: $0) }) else { continue }
      sessions[slot, default: []].append(id)
    }
  }

  /// A layer that does not exist yet is in no session. What it is inserted into is visited too.
  mutating func visit(_ layer: LayerID) {
    if let slot = tree.slot(of: layer) { visit(slot) }
  }

  mutating func visit(_ slot: Int) {
    var next = slot
    while next >= 0, visited.insert(next).inserted {
      if let here = sessions[next] { found.formUnion(here) }
      next = Int(tree.nodes[next].parent)
    }
  }
}
