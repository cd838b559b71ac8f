import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The client's record of a layer in the render process. It exists from the commit that creates the
/// layer there until the commit that destroys it.
final class RenderedLayer {
  // What every setter and every commit uses comes first: see `CALayer`.

  let id: LayerID
  /// The tree that commits the layer. A closed tree has no layers.
  var tree: LayerTree
  /// Whether the layer is in its tree's list of changed ones.
  var isListed = false
  /// True during the commit that creates the layer.
  var isNew = true
  /// Whether the layer's backing store was drawn since the last commit.
  var storeChanged = false
  var hierarchyChanged = true
  var animationsChanged = true
  /// True during a commit that changes the layer's sublayers or mask.
  var isReshaped = false
  /// True during the commit that destroys the layer.
  var isDoomed = false
  /// The committed values that were overwritten since the last commit. Exclusive access is not
  /// checked, to save time, as for everything that setters use.
  @exclusivity(unchecked) var overwritten = CommittedOverrides()

  /// The context of the layer's IDs.
  let context: LayerContext
  /// The parent in the render process; nil if there is none.
  var parent: LayerID?
  /// The layer's depth there, 1 for a root; a placement's container is not counted.
  var level: Int
  /// The sublayers and the mask as committed.
  var sublayers: [CALayer] = []
  var mask: CALayer?
  /// Images that the layer and its animations use, each counted in the context.
  var images: [ImageID] = []
  /// The animations that were sent of what an emitter's particles are born with.
  var emissionAnimations: [AnimationDescription] = []
  /// Keys of animations that the layer no longer has but the render process still does.
  var removedAnimations: [String] = []

  init(id: LayerID, context: LayerContext, tree: LayerTree, level: Int) {
    self.id = id
    self.context = context
    self.tree = tree
    self.level = level
  }

  @inline(__always)
  func noteChange(of layer: CALayer) {
    guard !isListed else { return }
    isListed = true
    borrowing(tree) { $0.noteChange(of: layer) }
  }

  /// Records a change that is not visible. It goes with the next commit instead of causing one.
  func noteQuietChange(of layer: CALayer) {
    guard !isListed else { return }
    tree.quietlyChanged.append(layer)
  }

  /// Notes that the layer or a descendant has something to do before the next commit.
  func notePendingWork(of layer: CALayer) {
    if tree.root === layer { tree.noteWork() }
  }

  /// Notes that the layer may have to be drawn before the next commit.
  func noteInvalid(_ layer: CALayer) {
    tree.mayNeedDisplay = true
    noteChange(of: layer)
  }

  func noteDetached(_ layer: CALayer) { tree.noteDetached(layer) }

  /// Must be called before the layer becomes another tree's, or no tree's: the list of its tree
  /// does not keep it.
  func leaveList(_ layer: CALayer) {
    if isListed { tree.noteDetached(layer) }
    isListed = false
  }
}
