import Foundation
import LaminaCommit
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina
@testable import LaminaRenderTree

/// Fills the layer with a colour.
private final class Painter: NSObject, CALayerDelegate {
  var color = CGColor.red
  func draw(_ layer: CALayer, in ctx: CGContext) {
    ctx.setFillColor(color)
    ctx.fill(layer.bounds)
  }
}

/// Does something once, when it is asked for an action.
private final class Meddler: NSObject, CALayerDelegate {
  var meddle = {}
  func action(for layer: CALayer, forKey event: String) -> (any CAAction)? {
    let meddle = meddle
    self.meddle = {}
    meddle()
    return NSNull()
  }
}

@Suite("Building commits") struct CommitBuilderTests {
  private let receiver: CommitReceiver
  private let context: LayerContext
  private let trees = OwnTrees()

  init() throws {
    receiver = try CommitReceiver(sessions: 2)
    context = receiver.context()
  }

  private func tree(_ session: UInt32 = 0) -> LayerTree {
    trees.add(
      LayerTree(context: context, session: SessionID(rawValue: session), clock: .manual()))
  }

  private func id(_ layer: CALayer) throws -> LayerID { try #require(layer.rendered?.id) }

  @Test("The first commit creates the tree, with what was set and nothing else")
  func firstCommit() throws {
    let tree = tree()
    let (root, child) = (CALayer(), CAShapeLayer())
    root.addSublayer(child)
    root.opacity = 0.5
    child.lineWidth = 4
    tree.root = root
    let commit = try #require(try tree.commit())
    #expect(
      commit.description == """
        commit 1
          create #0 layer
          create #1 shape
          insert #1 into #0 at 0
          set #0 opacity = 0.5
          set #1 lineWidth = 4
          root of session 0: #0
        """)
    #expect(try tree.commit() == nil)
    #expect(receiver.failure == nil)
  }

  @Test("Only what changed is committed, in the order of the changes")
  func changesAlone() throws {
    let tree = tree()
    let root = CALayer()
    let children = (0..<4).map { _ in CALayer() }
    root.sublayers = children
    tree.root = root
    try tree.commit()
    children[3].opacity = 0.25
    children[1].cornerRadius = 2
    children[3].opacity = 0.5
    children[2].opacity = 1
    let commit = try #require(try tree.commit())
    #expect(commit.changes.map(\.layer) == [try id(children[3]), try id(children[1])])
    #expect(commit.created.isEmpty && commit.edits.isEmpty && commit.roots.isEmpty)
    #expect(receiver.failure == nil)
  }

  @Test("Until a commit, what is committed stays known")
  func committedValues() throws {
    let tree = tree()
    let layer = CALayer()
    layer.opacity = 0.5
    tree.root = layer
    #expect(layer.presentation() == nil)
    try tree.commit()
    withoutActions { layer.opacity = 0.25 }
    #expect(layer.presentation()?.opacity == 0.5)
    try tree.commit()
    #expect(layer.presentation()?.opacity == 0.25)
    #expect(layer.rendered?.overwritten.properties.isEmpty == true)
  }

  @Test("Of several changes, and of several to one property, the committed values stay known")
  func severalCommittedValues() throws {
    let tree = tree()
    let layer = CALayer()
    layer.opacity = 0.5
    layer.speed = 2
    tree.root = layer
    try tree.commit()
    withoutActions {
      layer.opacity = 0.25
      layer.position.x = 7
      layer.opacity = 0
      layer.speed = 3
      layer.shadowRadius = 1
    }
    let presentation = try #require(layer.presentation())
    #expect(presentation.opacity == 0.5 && presentation.position == .zero)
    #expect(presentation.speed == 2 && presentation.shadowRadius == 3)
    #expect(layer.opacity == 0 && layer.position.x == 7 && layer.speed == 3)
  }

  @Test("Committed points, rectangles, colours and transforms stay known as they were")
  func committedValuesOfSeveralTypes() throws {
    let tree = tree()
    let layer = CALayer()
    let turned = CATransform3DMakeRotation(1, 0, 0, 1)
    layer.position = CGPoint(x: 3, y: 4)
    layer.bounds = CGRect(x: 1, y: 2, width: 30, height: 40)
    layer.backgroundColor = .red
    layer.transform = turned
    tree.root = layer
    try tree.commit()
    withoutActions {
      layer.position.x = 7
      layer.bounds.size.width = 8
      layer.backgroundColor = nil
      layer.shadowColor = .red
      layer.transform = CATransform3DIdentity
      layer.position.y = 5
    }
    let presentation = try #require(layer.presentation())
    #expect(presentation.position == CGPoint(x: 3, y: 4))
    #expect(presentation.bounds == CGRect(x: 1, y: 2, width: 30, height: 40))
    #expect(presentation.backgroundColor == .red)
    #expect(presentation.shadowColor == CALayer().shadowColor)
    #expect(presentation.transform == turned)
    #expect(layer.position == CGPoint(x: 7, y: 5) && layer.backgroundColor == nil)
  }

  @Test("What is set and committed while a program is asked for an action is what is committed")
  func committedWhileAsked() throws {
    let tree = tree()
    let (layer, meddler) = (CALayer(), Meddler())
    layer.position = CGPoint(x: 3, y: 4)
    layer.delegate = meddler
    tree.root = layer
    try tree.commit()
    meddler.meddle = {
      withoutActions { layer.position = CGPoint(x: 5, y: 6) }
      _ = try? tree.commit()
    }
    layer.position = CGPoint(x: 7, y: 8)
    #expect(layer.presentation()?.position == CGPoint(x: 5, y: 6))
    #expect(layer.position == CGPoint(x: 7, y: 8))
  }

  @Test("What was committed is not changed by what comes after it")
  func commitsKeepTheirValues() throws {
    let tree = tree()
    let layer = CALayer()
    tree.root = layer
    layer.position.x = 1
    let first = try #require(try tree.commit())
    withoutActions { layer.position.x = 2 }
    let second = try #require(try tree.commit())
    withoutActions { layer.position.x = 3 }
    #expect(first.changes.first?.values.position.x == 1)
    #expect(second.changes.first?.values.position.x == 2)
    #expect(layer.position.x == 3)
  }

  @Test("A layer that moves keeps its ID; one that leaves is destroyed, and comes back as another")
  func movingAndLeaving() throws {
    let tree = tree()
    let (root, a, b, child) = (CALayer(), CALayer(), CALayer(), CALayer())
    root.sublayers = [a, b]
    a.addSublayer(child)
    tree.root = root
    try tree.commit()
    let before = try id(child)
    b.addSublayer(child)
    try tree.commit()
    #expect(try id(child) == before)
    b.removeFromSuperlayer()
    let commit = try #require(try tree.commit())
    #expect(commit.destroyed.count == 2)
    #expect(child.rendered == nil)
    #expect(child.presentation() == nil)
    context.noteFrame()
    root.addSublayer(b)
    try tree.commit()
    #expect(try id(child).generation == 1)
    #expect(receiver.failure == nil)
  }

  @Test("More layers than a connection may have are refused by their number")
  func tooManyLayers() throws {
    let ids = (0..<3).map { _ in context.takeID() }
    let limit = TreeLimit.layers
    try context.require(limit - 3)
    #expect(throws: ServerFailure.tooManyLayers(limit + 1, limit: limit)) {
      try context.require(limit - 2)
    }
    // An ID that was given back may be taken again, and a commit without new layers goes on.
    context.giveBack(ids[1])
    try context.require(limit - 2)
    #expect(context.takeID() == LayerID(index: 1, generation: 1))
    try context.require(0)
  }

  @Test("Bringing a layer to the front is one edit, however many it passes")
  func toFront() throws {
    let tree = tree()
    let root = CALayer()
    let children = (0..<50).map { _ in CALayer() }
    root.sublayers = children
    tree.root = root
    try tree.commit()
    root.addSublayer(children[10])
    #expect(try tree.commit()?.edits.count == 1)
    root.insertSublayer(children[30], at: 0)
    #expect(try tree.commit()?.edits.count == 1)
    try expectEqual(root)
  }

  @Test("A parent and its child can change places in one commit")
  func swappingParentAndChild() throws {
    let tree = tree()
    let (root, a, b) = (CALayer(), CALayer(), CALayer())
    root.addSublayer(a)
    a.addSublayer(b)
    tree.root = root
    try tree.commit()
    b.opacity = 0.5  // So that b comes first among the changed layers.
    root.addSublayer(b)
    b.addSublayer(a)
    try tree.commit()
    try expectEqual(root)
    a.mask = CALayer()
    try tree.commit()
    let mask = try #require(a.mask)
    mask.removeFromSuperlayer()
    a.addSublayer(mask)
    try tree.commit()
    try expectEqual(root)
  }

  @Test("An index is not used again before a frame was asked for")
  func restingIndices() throws {
    let tree = tree()
    let (root, a, b, c) = (CALayer(), CALayer(), CALayer(), CALayer())
    root.addSublayer(a)
    tree.root = root
    try tree.commit()
    let old = try id(a)
    a.removeFromSuperlayer()
    try tree.commit()
    root.addSublayer(b)
    try tree.commit()
    #expect(try id(b).index != old.index)
    context.noteFrame()
    root.addSublayer(c)
    try tree.commit()
    #expect(try id(c) == LayerID(index: old.index, generation: old.generation + 1))
    #expect(receiver.failure == nil)
  }

  @Test("Giving a renderer no layer destroys everything")
  func emptied() throws {
    let tree = tree()
    let root = CALayer()
    root.sublayers = [CALayer(), CALayer()]
    tree.root = root
    try tree.commit()
    tree.close()
    #expect(receiver.tree.nodes.allSatisfy { !$0.isAlive })
    #expect(receiver.failure == nil)
    #expect(root.rendered == nil)
  }

  @Test("A layer goes to another tree of the same connection with its ID")
  func otherTree() throws {
    let (first, second) = (tree(0), tree(1))
    let (a, b, child) = (CALayer(), CALayer(), CALayer())
    a.addSublayer(child)
    (first.root, second.root) = (a, b)
    try first.commit()
    try second.commit()
    let before = try id(child)
    child.opacity = 0.5
    b.addSublayer(child)
    let commit = try #require(try second.commit())
    #expect(commit.created.isEmpty)
    #expect(commit.changes.map(\.layer) == [before])
    try first.commit()
    #expect(try id(child) == before)
    try expectEqual(a)
    try expectEqual(b)
    first.close()
    try expectEqual(b)
  }

  @Test("On another connection a layer is new, and the first forgets it")
  func otherConnection() throws {
    let first = tree()
    let otherReceiver = try CommitReceiver()
    let second = trees.add(
      LayerTree(
        context: otherReceiver.context(), session: SessionID(rawValue: 0), clock: .manual()))
    let (a, b, child, stays) = (CALayer(), CALayer(), CALayer(), CALayer())
    child.opacity = 0.5
    a.sublayers = [child, stays]
    (first.root, second.root) = (a, b)
    try first.commit()
    try second.commit()
    b.addSublayer(child)
    let commit = try #require(try second.commit())
    #expect(commit.created.count == 1 && commit.changes.count == 1)
    a.addSublayer(CALayer())
    #expect(try first.commit()?.destroyed.count == 1)
    try expectEqual(a)
    #expect(otherReceiver.failure == nil)
  }

  @Test("An image says whether every pixel has full alpha", arguments: [1, 2, 31, 33, 70])
  func opaqueImages(width: Int) throws {
    let tree = tree()
    let root = CALayer()
    tree.root = root
    func isOpaque(_ format: PixelFormat, transparentByte: (x: Int, y: Int)?) throws -> Bool? {
      let buffer = try PixelBuffer(width: width, height: 3, format: format, use: .store)
      buffer.withUnsafeMutableBytes { bytes in
        // Whatever lies between rows is no pixel.
        for place in bytes.indices { bytes[place] = 0 }
        for y in 0..<3 {
          for x in 0..<width * format.bytesPerPixel {
            bytes[y * buffer.layout.stride + x] = x % 4 == 3 ? 255 : 9
          }
        }
        if let (x, y) = transparentByte { bytes[y * buffer.layout.stride + x * 4 + 3] = 254 }
      }
      withoutActions { root.contents = CGImage(buffer) }
      return try tree.commit()?.stores.first?.isOpaque
    }
    #expect(try isOpaque(.bgra8, transparentByte: nil) == true)
    for x in 0..<width {
      #expect(try isOpaque(.bgra8, transparentByte: (x, x % 3)) == false, "\(x)")
    }
    #expect(try isOpaque(.rgba16f, transparentByte: nil) == false)
    #expect(receiver.failure == nil)
  }

  @Test("A layer's drawing says whether every pixel has full alpha, each time that it is drawn")
  func opaqueDrawing() throws {
    let drawer = Painter()
    let layer = CALayer()
    layer.bounds.size = CGSize(width: 20, height: 4)
    layer.delegate = drawer
    let tree = tree()
    tree.root = layer
    func draw(_ color: CGColor, in rect: CGRect? = nil) throws -> Bool? {
      drawer.color = color
      layer.setNeedsDisplay(rect ?? layer.bounds)
      return try tree.commit()?.stores.first?.isOpaque
    }
    let (half, part) = (CGColor.red.copy(alpha: 0.5)!, CGRect(x: 18, y: 3, width: 2, height: 1))
    #expect(try draw(.red) == true)
    #expect(try draw(half, in: part) == false)
    #expect(try draw(.red, in: CGRect(x: 0, y: 0, width: 2, height: 1)) == false)
    #expect(try draw(.red, in: part) == true)
    #expect(try draw(half) == false)
    layer.isOpaque = true
    #expect(try draw(half) == true)
    #expect(receiver.failure == nil)
  }

  @Test("Images are sent once, and released with the last layer that shows them")
  func images() throws {
    let image = CGImage(
      try PixelBuffer(width: 2, height: 2, format: .bgra8, use: .store))
    let tree = tree()
    let (root, a, b) = (CALayer(), CALayer(), CALayer())
    root.sublayers = [a, b]
    a.contents = image
    b.contents = image
    tree.root = root
    #expect(try tree.commit()?.stores.count == 1)
    withoutActions { a.contents = nil }
    #expect(try tree.commit()?.releasedStores == [])
    let flip = CABasicAnimation(keyPath: "contents")
    flip.fromValue = image
    b.add(flip, forKey: nil)
    withoutActions { b.contents = nil }
    #expect(try tree.commit()?.releasedStores == [])
    withoutActions { b.removeFromSuperlayer() }
    #expect(try tree.commit()?.releasedStores == [image.id])
    withoutActions { root.contents = image }
    #expect(try tree.commit()?.stores.count == 1)
    root.contents = "no image"
    #expect(root.contents as? CGImage == image)
    #expect(receiver.failure == nil)
  }

  @Test("A filter's image is sent with it, and released with the last filter that has it")
  func filterImages() throws {
    let image = CGImage(
      try PixelBuffer(width: 2, height: 2, format: .bgra8, use: .store))
    func filters() -> [CAFilter] {
      let filter = CAFilter(type: "variableBlur")
      filter.setValue(image, forKey: "inputMaskImage")
      return [filter]
    }
    let tree = tree()
    let root = CALayer()
    root.filters = filters()
    tree.root = root
    #expect(try tree.commit()?.stores.map(\.image) == [image.id])
    withoutActions { root.backgroundFilters = filters() }
    #expect(try tree.commit()?.stores.isEmpty == true)
    withoutActions { root.filters = nil }
    #expect(try tree.commit()?.releasedStores == [])
    withoutActions { root.setValue(2, forKeyPath: "backgroundFilters.variableBlur.inputRadius") }
    #expect(try tree.commit()?.releasedStores == [])
    withoutActions { root.backgroundFilters = [CAFilter(type: "gaussianBlur")] }
    #expect(try tree.commit()?.releasedStores == [image.id])
    #expect(receiver.failure == nil)
  }

  @Test("Bounds other than the size's are shown through a layer of their own")
  func placement() throws {
    let tree = tree()
    let root = CALayer()
    tree.root = root
    try tree.commit()
    tree.placement = CATransform3DMakeScale(2, 2, 1)
    let commit = try #require(try tree.commit())
    #expect(commit.created.count == 1 && commit.edits.count == 1 && commit.roots.count == 1)
    let other = CALayer()
    tree.root = other
    try tree.commit()
    tree.placement = nil
    try tree.commit()
    #expect(receiver.tree.nodes.filter(\.isAlive).count == 1)
    #expect(receiver.failure == nil)
    #expect(receiver.tree.sessions[SessionID(rawValue: 0)]?.root == (try id(other)))
  }

  @Test("Frames within a transaction show what was committed before it")
  func transactions() throws {
    let tree = tree()
    let layer = CALayer()
    tree.root = layer
    try tree.commit()
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    CATransaction.begin()
    layer.opacity = 0.5
    CATransaction.commit()
    #expect(layer.presentation()?.opacity == 1)
    CATransaction.flush()
    #expect(layer.presentation()?.opacity == 1)
    CATransaction.commit()
    #expect(layer.presentation()?.opacity == 0.5)
    withoutActions { layer.opacity = 0.25 }
    CATransaction.flush()
    #expect(layer.presentation()?.opacity == 0.25)
    CATransaction.commit()
  }

  @Test("After any changes the render tree equals the layers", arguments: 0..<40)
  func randomChanges(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let trees = [tree(0), tree(1)]
    let roots = [CALayer(), CALayer()]
    for (tree, root) in zip(trees, roots) { tree.root = root }
    let layers = (0..<24).map { $0 % 3 == 0 ? CAShapeLayer() : CALayer() }
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        change(layers.randomElement(using: &random)!, among: layers + roots, &random)
      }
      for tree in trees.shuffled(using: &random) where Bool.random(using: &random) {
        try tree.commit()
      }
      if Bool.random(using: &random) { context.noteFrame() }
      try #require(receiver.failure == nil)
    }
    for tree in trees { try tree.commit() }
    for tree in trees { try tree.commit() }
    try #require(receiver.failure == nil)
    for root in roots { try expectEqual(root) }
    var alive = 0
    for root in roots { root.forEachInSubtree { _ in alive += 1 } }
    #expect(receiver.tree.nodes.filter(\.isAlive).count == alive)
  }

  private func change(
    _ layer: CALayer, among layers: [CALayer], _ random: inout SeededGenerator
  ) {
    let other = layers.randomElement(using: &random)!
    var ancestor: CALayer? = other
    while let current = ancestor, current !== layer { ancestor = current.superlayer }
    let isPossible = ancestor == nil
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2 where isPossible:
      other.insertSublayer(layer, at: UInt32.random(in: 0..<5, using: &random))
    case 3 where isPossible: other.mask = layer
    case 4: layer.removeFromSuperlayer()
    case 5: layer.sublayers = layer.sublayers?.shuffled(using: &random)
    case 6: layer.opacity = Float.random(in: 0...1, using: &random)
    default: layer.position.x = CGFloat.random(in: 0...100, using: &random)
    }
  }

  /// Compares a committed layer and its sublayers with the render tree.
  private func expectEqual(_ top: CALayer) throws {
    try #require(receiver.failure == nil)
    let tree = receiver.tree
    var pending = [top]
    while let layer = pending.popLast() {
      let id = try id(layer)
      let slot = try #require(tree.slot(of: id))
      let node = tree.nodes[slot]
      #expect(node.values == layer.modelValues)
      #expect(node.kind == type(of: layer).kind)
      #expect(node.children == (try layer.sublayerStorage.map { try self.id($0).index }))
      #expect(node.mask == (try layer.maskStorage.map { try self.id($0).index }))
      pending += layer.sublayerStorage
      if let mask = layer.maskStorage { pending.append(mask) }
    }
  }
}
