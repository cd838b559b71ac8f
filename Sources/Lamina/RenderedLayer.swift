import LaminaCommit
import LaminaValues

/// What the render process knows of one layer. A layer has it from the first commit that reached
/// it until the commit that destroys it there.
final class RenderedLayer {
  let id: LayerID
  /// Whose IDs these are.
  let context: LayerContext
  /// The tree that commits the layer. A tree that is closed has no layers.
  var tree: LayerTree
  /// The layer that the render process has it under; nil for none.
  var parent: LayerID?
  /// How many layers it lies in there, itself included, without one that stands for a placement.
  var level: Int
  /// The sublayers and the mask as committed.
  var sublayers: [CALayer] = []
  var mask: CALayer?
  /// Images that the layer and its animations name, each counted in the context.
  var images: [ImageID] = []
  /// What the render process does not know yet. Not checked, as what setters use of a layer is not.
  @exclusivity(unchecked) var overwritten = OverwrittenValues()

  /// Whether the layer is in its tree's list of changed ones.
  var isListed = false
  var hierarchyChanged = true
  var animationsChanged = true
  /// Keys of animations that the render process has and the layer has no more.
  var removedAnimations: [String] = []

  /// True during the commit that creates the layer.
  var isNew = true
  /// True during a commit that has the layer among what it goes through.
  var isVisited = false
  /// True during the commit that destroys the layer.
  var isDoomed = false

  init(id: LayerID, context: LayerContext, tree: LayerTree, level: Int) {
    self.id = id
    self.context = context
    self.tree = tree
    self.level = level
  }

  func noteChange(of layer: CALayer) {
    guard !isListed else { return }
    isListed = true
    tree.noteChange(of: layer)
  }

  /// What changed shows nowhere: it goes with the next commit that there is for another reason.
  func noteQuietChange(of layer: CALayer) {
    guard !isListed else { return }
    tree.quietlyChanged.append(layer)
  }

  /// The layer, or one below it, has something to do before the next commit.
  func notePendingWork(of layer: CALayer) {
    if tree.root === layer { tree.noteWork() }
  }

  func noteDetached(_ layer: CALayer) { tree.noteDetached(layer) }
}
