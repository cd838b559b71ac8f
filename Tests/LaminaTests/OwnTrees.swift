@testable import Lamina

/// The trees that a test makes without renderers. They are closed with this object, as a renderer
/// closes its own; otherwise they would disturb the next test on the same thread.
final class OwnTrees {
  private var trees: [LayerTree] = []

  func add(_ tree: LayerTree) -> LayerTree {
    trees.append(tree)
    return tree
  }

  deinit { for tree in trees { tree.close() } }
}
