@testable import Lamina

/// The trees that a test makes without renderers. They are closed with it, as a renderer's is: else
/// they would be in the way of whatever runs on the same thread next.
final class OwnTrees {
  private var trees: [LayerTree] = []

  func add(_ tree: LayerTree) -> LayerTree {
    trees.append(tree)
    return tree
  }

  deinit { for tree in trees { tree.close() } }
}
