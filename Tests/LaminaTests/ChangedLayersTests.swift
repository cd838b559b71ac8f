import Foundation
import LaminaCommit
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina
@testable import LaminaRenderTree

/// Counts how often it is asked for an action, and how often it is drawn.
private final class CountingLayer: CALayer {
  var askedKeys: [String] = []
  var drawCount = 0
  var whileDrawing: (() -> Void)?
  var whileLayingOut: (() -> Void)?

  static func small() -> CountingLayer {
    let layer = CountingLayer()
    layer.bounds.size = CGSize(width: 2, height: 2)
    return layer
  }

  override class func needsDisplay(forKey key: String) -> Bool { key == "progress" }

  @LayerProperty("progress") var progress: CGFloat

  override func action(forKey event: String) -> (any CAAction)? {
    askedKeys.append(event)
    return super.action(forKey: event)
  }

  override func draw(in ctx: CGContext) {
    drawCount += 1
    whileDrawing?()
  }

  override func layoutSublayers() { whileLayingOut?() }
}

/// Every way in which a layer comes to be among those that the next commit visits, or is no longer
/// among them.
@Suite("Changed layers") struct ChangedLayersTests {
  private let receiver: CommitReceiver
  private let context: LayerContext
  private let trees = OwnTrees()
  private let root = CALayer()
  private let layer = CALayer()

  init() throws {
    receiver = try CommitReceiver(sessions: 2)
    context = receiver.context()
    root.addSublayer(layer)
  }

  private func tree(showing root: CALayer, session: UInt32 = 0) throws -> LayerTree {
    let tree = trees.add(
      LayerTree(context: context, session: SessionID(rawValue: session), clock: .manual()))
    tree.root = root
    try tree.commit()
    return tree
  }

  private func id(_ layer: CALayer) throws -> LayerID { try #require(layer.rendered?.id) }

  /// Moves a layer without an animation.
  private func move(_ layer: CALayer, to x: CGFloat) { withoutActions { layer.position.x = x } }

  /// The position that the render process knows.
  private func committedX(_ layer: CALayer) throws -> CGFloat {
    try #require(receiver.failure == nil)
    let tree = receiver.tree
    let slot = try #require(tree.slot(of: id(layer)))
    return tree.nodes[slot].values.position.x
  }

  @Test("A layer that changes often is sent once, with all that changed")
  func changedOften() throws {
    let tree = try tree(showing: root)
    for x in 1...3 { move(layer, to: CGFloat(x)) }
    withoutActions { layer.opacity = 0.5 }
    move(layer, to: 4)
    let changes = try #require(try tree.commit()?.changes)
    #expect(changes.map(\.layer) == [try id(layer)])
    #expect(Array(changes[0].properties) == [.position, .opacity])
    #expect(try committedX(layer) == 4)
  }

  @Test("After each commit a change is found again")
  func changedAgain() throws {
    let tree = try tree(showing: root)
    for x in 1...3 {
      move(layer, to: CGFloat(x))
      #expect(try tree.commit()?.changes.count == 1)
      #expect(try tree.commit() == nil)
      #expect(try committedX(layer) == CGFloat(x))
    }
  }

  @Test("A layer in no tree waits; when it enters one, it is sent with all that was ever set")
  func changedOutside() throws {
    let tree = try tree(showing: root)
    let outside = CALayer()
    move(outside, to: 1)
    #expect(try tree.commit() == nil)
    outside.cornerRadius = 2
    root.addSublayer(outside)
    let change = try #require(try tree.commit()?.changes.first { $0.layer == outside.rendered?.id })
    #expect(Array(change.properties) == [.position, .cornerRadius])
  }

  @Test("Layers that enter are sent after the layer that they enter, parents first")
  func order() throws {
    let tree = try tree(showing: root)
    let (a, b, mask) = (CALayer(), CALayer(), CALayer())
    for (x, entering) in [a, b, mask].enumerated() { entering.position.x = CGFloat(x + 1) }
    a.addSublayer(b)
    b.mask = mask
    move(root, to: 4)
    root.insertSublayer(a, at: 0)
    move(layer, to: 5)
    let changes = try #require(try tree.commit()?.changes)
    #expect(changes.map(\.layer) == (try [root, a, b, mask, layer].map(id)))
  }

  @Test("A changed layer that leaves and comes back before the commit is sent once, with its ID")
  func leftAndBack() throws {
    let tree = try tree(showing: root)
    let before = try id(layer)
    move(layer, to: 1)
    withoutActions {
      layer.removeFromSuperlayer()
      layer.position.x = 2
      root.addSublayer(layer)
    }
    move(layer, to: 3)
    let commit = try #require(try tree.commit())
    #expect(commit.changes.map(\.layer) == [before] && commit.destroyed.isEmpty)
    #expect(try committedX(layer) == 3)
  }

  @Test("A changed layer that leaves is destroyed and not sent; back again, all of it is")
  func left() throws {
    let tree = try tree(showing: root)
    let before = try id(layer)
    move(layer, to: 1)
    withoutActions { layer.removeFromSuperlayer() }
    let commit = try #require(try tree.commit())
    #expect(commit.changes.isEmpty && commit.destroyed == [before])
    move(layer, to: 2)
    #expect(try tree.commit() == nil)
    withoutActions { root.addSublayer(layer) }
    #expect(try tree.commit()?.created.count == 1)
    move(layer, to: 3)
    #expect(try tree.commit()?.changes.count == 1)
    #expect(try committedX(layer) == 3)
  }

  @Test("A layer that nobody holds any more can be among the changed ones")
  func releasedWhileListed() throws {
    let tree = try tree(showing: root)
    weak var released: CALayer?
    try withoutActions {
      let child = CALayer()
      layer.addSublayer(child)
      try tree.commit()
      child.position.x = 1
      layer.position.x = 1
      layer.removeFromSuperlayer()
      child.removeFromSuperlayer()
      released = child
    }
    #expect(try tree.commit()?.destroyed.count == 2)
    #expect(released == nil)
    #expect(receiver.failure == nil)
  }

  @Test(
    "A changed layer that another tree takes over and lets go is there until its tree has looked",
    arguments: [false, true])
  func releasedByAnotherTree(onAnotherConnection: Bool) throws {
    let other = CALayer()
    let first = try tree(showing: root)
    let second = trees.add(
      LayerTree(
        context: onAnotherConnection ? try CommitReceiver().context() : context,
        session: SessionID(rawValue: onAnotherConnection ? 0 : 1), clock: .manual()))
    second.root = other
    weak var released: CALayer?
    try withoutActions {
      let child = CALayer()
      layer.addSublayer(child)
      try first.commit()
      try second.commit()
      child.position.x = 1
      other.addSublayer(layer)
      try second.commit()
      child.removeFromSuperlayer()
      try second.commit()
      released = child
    }
    #expect(released != nil)
    try first.commit()
    #expect(released == nil)
    #expect(receiver.failure == nil)
  }

  @Test(
    "A layer changed before and after it moves to another tree and back is sent once by each",
    arguments: [false, true], [false, true])
  func betweenTrees(committingFirst: Bool, committingSecond: Bool) throws {
    let other = CALayer()
    let first = try tree(showing: root)
    let second = try tree(showing: other, session: 1)
    let before = try id(layer)
    move(layer, to: 1)
    withoutActions { other.addSublayer(layer) }
    move(layer, to: 2)
    if committingSecond {
      #expect(try second.commit()?.changes.map(\.layer) == [before])
      #expect(try committedX(layer) == 2)
      move(layer, to: 3)
    }
    if committingFirst { try first.commit() }
    withoutActions { root.addSublayer(layer) }
    move(layer, to: 4)
    let commit = try #require(try first.commit())
    #expect(commit.changes.count == 1 && commit.destroyed.isEmpty)
    try second.commit()
    move(layer, to: 5)
    #expect(try second.commit() == nil)
    #expect(try first.commit()?.changes.count == 1)
    #expect(try committedX(layer) == 5)
    #expect(receiver.tree.nodes.filter(\.isAlive).count == 3)
  }

  @Test("A moved layer's sublayers change places once, whichever lists have it")
  func reshapedBetweenTrees() throws {
    let other = CALayer()
    let first = try tree(showing: root)
    let second = try tree(showing: other, session: 1)
    let children = (0..<3).map { _ in CALayer() }
    withoutActions {
      layer.sublayers = children
      other.addSublayer(layer)
      layer.addSublayer(children[0])
      root.addSublayer(layer)
      layer.insertSublayer(children[2], at: 0)
    }
    try first.commit()
    try second.commit()
    try #require(receiver.failure == nil)
    let slot = try #require(receiver.tree.slot(of: id(layer)))
    let expected = try [2, 1, 0].map { try id(children[$0]).index }
    #expect(receiver.tree.nodes[slot].children == expected)
  }

  @Test("A layer whose tree is closed is in no list; its next tree gets all of it")
  func closedTree() throws {
    let first = try tree(showing: root)
    move(layer, to: 1)
    first.close()
    move(layer, to: 2)
    let second = try tree(showing: root, session: 1)
    #expect(try committedX(layer) == 2)
    move(layer, to: 3)
    #expect(try second.commit()?.changes.count == 1)
  }

  @Test("Masks are found as sublayers are: changed, set, replaced and taken away")
  func masks() throws {
    let tree = try tree(showing: root)
    let (mask, next) = (CALayer(), CALayer())
    withoutActions { layer.mask = mask }
    #expect(try tree.commit()?.created.count == 1)
    move(mask, to: 1)
    #expect(try tree.commit()?.changes.map(\.layer) == [try id(mask)])
    withoutActions { layer.mask = next }
    move(next, to: 2)
    move(mask, to: 3)
    let commit = try #require(try tree.commit())
    #expect(commit.changes.map(\.layer) == [try id(next)] && commit.destroyed.count == 1)
    withoutActions { layer.mask = nil }
    #expect(try tree.commit()?.destroyed.count == 1)
    #expect(receiver.failure == nil)
  }

  @Test("Layout during a commit changes layers that the commit sends")
  func layout() throws {
    let top = CountingLayer()
    top.addSublayer(layer)
    let tree = try tree(showing: top)
    top.whileLayingOut = { [layer] in withoutActions { layer.position.x = 7 } }
    top.setNeedsLayout()
    #expect(try tree.commit()?.changes.map(\.layer) == [try id(layer)])
    #expect(try tree.commit() == nil)
  }

  @Test("Drawing during a commit changes layers that the commit sends, and marks others")
  func display() throws {
    let (first, second) = (CountingLayer.small(), CountingLayer.small())
    withoutActions { root.sublayers = [layer, first, second] }
    let tree = try tree(showing: root)
    first.whileDrawing = { [layer] in
      withoutActions { layer.position.x = 7 }
      second.setNeedsDisplay()
    }
    first.setNeedsDisplay()
    let commit = try #require(try tree.commit())
    #expect(first.drawCount == 1 && second.drawCount == 1)
    #expect(commit.changes.map(\.layer) == (try [first, layer, second].map(id)))
    #expect(commit.stores.count == 2)
    #expect(try tree.commit() == nil)
  }

  @Test("A layer that another one's drawing marks when its turn has passed is drawn next time")
  func markedTooLate() throws {
    let (early, late) = (CountingLayer.small(), CountingLayer.small())
    withoutActions { root.sublayers = [early, late] }
    let tree = try tree(showing: root)
    late.whileDrawing = { early.setNeedsDisplay() }
    move(early, to: 1)
    late.setNeedsDisplay()
    #expect(try tree.commit()?.stores.count == 1)
    #expect(early.drawCount == 0)
    #expect(try tree.commit()?.stores.count == 1)
    #expect(early.drawCount == 1 && late.drawCount == 1)
    #expect(try tree.commit() == nil)
  }

  @Test("A store that is drawn again is sent, though no property changed, also from a copy")
  func drawnAgain() throws {
    let drawn = CountingLayer.small()
    withoutActions { root.addSublayer(drawn) }
    let tree = try tree(showing: root)
    drawn.setNeedsDisplay()
    #expect(try tree.commit()?.stores.count == 1)
    drawn.setNeedsDisplay()
    let again = try #require(try tree.commit())
    #expect(again.stores.count == 1 && again.changes.isEmpty)
    drawn.display()
    #expect(try tree.commit()?.stores.count == 1)
    drawn.presentation()?.display()
    move(drawn, to: 1)
    #expect(try tree.commit()?.stores.count == 1)
    move(drawn, to: 2)
    #expect(try tree.commit()?.stores.isEmpty == true)
  }

  @Test("A layer marked for display in no tree or in another one is drawn when it enters")
  func markedOutside() throws {
    let other = CALayer()
    let first = try tree(showing: root)
    let second = try tree(showing: other, session: 1)
    let drawn = CountingLayer.small()
    drawn.setNeedsDisplay()
    withoutActions { layer.mask = drawn }
    try first.commit()
    #expect(drawn.drawCount == 1)
    drawn.setNeedsDisplay()
    withoutActions { other.addSublayer(layer) }
    try second.commit()
    #expect(drawn.drawCount == 2)
    try first.commit()
    try second.commit()
    #expect(drawn.drawCount == 2)
    #expect(receiver.failure == nil)
  }

  @Test("A key that the class draws for has the layer drawn; other keys leave it alone")
  func customKeys() throws {
    let drawn = CountingLayer.small()
    withoutActions { root.addSublayer(drawn) }
    let tree = try tree(showing: root)
    withoutActions {
      drawn.progress = 0.5
      drawn.setValue(1, forKey: "another")
    }
    #expect(try tree.commit()?.stores.count == 1)
    withoutActions { drawn.setValue(2, forKey: "another") }
    #expect(try tree.commit() == nil)
    #expect(drawn.drawCount == 1)
  }

  @Test("Animations are found when they are added, replaced and removed")
  func animations() throws {
    let tree = try tree(showing: root)
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.duration = 1
    layer.add(fade, forKey: "fade")
    let added = try #require(try tree.commit())
    #expect(added.animations.count == 1 && added.changes.isEmpty)
    layer.add(fade, forKey: "fade")
    #expect(try tree.commit()?.animations.count == 1)
    layer.removeAnimation(forKey: "fade")
    #expect(try tree.commit()?.animations == [.remove(layer: try id(layer), key: "fade")])
    #expect(try tree.commit() == nil)
  }

  @Test("An animation that ended needs no commit of its own, and its layer is sent once")
  func endedAnimation() throws {
    let tree = try tree(showing: root)
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.duration = 1
    layer.add(fade, forKey: "fade")
    try tree.commit()
    tree.clock.time = 2
    tree.followAnimations()
    #expect(layer.animationKeys() == nil)
    #expect(try tree.commit() == nil)
    move(layer, to: 1)
    let commit = try #require(try tree.commit())
    #expect(commit.animations == [.remove(layer: try id(layer), key: "fade")])
    #expect(commit.changes.count == 1)
    #expect(try tree.commit() == nil)
  }

  @Test("After a refused commit the changes are still found")
  func refused() throws {
    let tree = try tree(showing: root)
    let chain = Nesting.plain.chain(TreeLimit.levels)
    move(layer, to: 1)
    withoutActions { layer.addSublayer(chain.root) }
    #expect(throws: RenderServerError.self) { try tree.commit() }
    move(layer, to: 2)
    withoutActions { chain.root.removeFromSuperlayer() }
    #expect(try tree.commit()?.changes.map(\.layer) == [try id(layer)])
    #expect(try committedX(layer) == 2)
  }

  // MARK: Actions

  @Test("While actions are off, none is looked up, however a property is set")
  func noLookup() throws {
    let asking = CountingLayer()
    withoutActions { root.addSublayer(asking) }
    let tree = try tree(showing: root)
    asking.askedKeys = []
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    asking.position.x = 1
    asking.setValue(0.5, forKey: "opacity")
    asking.contents = nil
    asking.addSublayer(CALayer())
    asking.mask = CALayer()
    asking.isHidden = true
    root.layoutIfNeeded()
    #expect(asking.askedKeys == [])
    CATransaction.begin()
    asking.position.x = 2
    #expect(asking.askedKeys == [])
    CATransaction.setDisableActions(false)
    asking.position.x = 3
    #expect(asking.askedKeys == ["position"])
    CATransaction.commit()
    asking.position.x = 4
    #expect(asking.askedKeys == ["position"])
    CATransaction.commit()
    asking.position.x = 5
    #expect(asking.askedKeys == ["position", "position"])
    try tree.commit()
  }

  @Test("One thread's transaction leaves the actions of another thread's on")
  func otherThread() throws {
    CATransaction.begin()
    defer { CATransaction.commit() }
    CATransaction.setDisableActions(true)
    let answers = Lock<[Bool]>([])
    let isDone = DispatchSemaphore(value: 0)
    Thread {
      answers.withLock { $0.append(TransactionStack.disablesActions) }
      CATransaction.setDisableActions(true)
      answers.withLock { $0.append(TransactionStack.disablesActions) }
      CATransaction.flush()
      answers.withLock { $0.append(TransactionStack.disablesActions) }
      isDone.signal()
    }.start()
    isDone.wait()
    #expect(answers.withLock { $0 } == [false, true, false])
    #expect(TransactionStack.disablesActions)
  }
}
