import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaFramePlan
import LaminaPlanner
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaRenderTree

@Suite("What shapes of trees a commit may leave")
struct ShapeTests {
  private static let whole = CGRect(x: 0, y: 0, width: 100, height: 100)
  /// Includes the layer that stands for a renderer's bounds.
  private static let limit = TreeLimit.levels + 1

  /// A root and below it a chain of layers, one in the other. The innermost is red.
  private func chain(_ levels: Int, _ set: (inout LayerValues) -> Void = { _ in }) throws
    -> (scene: TestTree, layers: [LayerID])
  {
    var scene = try TestTree()
    var layers = [scene.layer(frame: Self.whole)]
    for level in stride(from: 2, through: levels, by: 1) {
      layers.append(
        scene.layer(frame: Self.whole, in: layers.last) {
          if level == levels { $0.backgroundColor = .red } else { set(&$0) }
        })
    }
    return (scene, layers)
  }

  @Test("The deepest tree that is taken is evaluated and planned")
  func deepestTree() throws {
    let (scene, _) = try chain(Self.limit)
    var tree = scene
    try tree.apply()
    #expect(
      try tree.tree.evaluate(session: TestTree.session, at: 0).rows.count == Self.limit)
    let plan = try tree.plan()
    #expect(plan.passes.last?.batches.reduce(0) { $0 + $1.vertexCount } == 6)
  }

  @Test("One level more is refused, as sublayer or mask, made or moved, and changes nothing")
  func tooDeep() throws {
    let (deep, _) = try chain(Self.limit + 1)
    var scene = deep
    let refusal = CommitError.tooDeep(
      "layer \(LayerID(index: UInt32(Self.limit), generation: 0))", limit: Self.limit)
    #expect(throws: refusal) { try scene.apply() }
    var (moved, layers) = try chain(Self.limit)
    let loose = moved.looseLayer(frame: Self.whole)
    try moved.apply()
    for edit in [
      Commit.TreeEdit.insert(child: loose, parent: layers[Self.limit - 1], index: 0),
      .setMask(mask: loose, layer: layers[Self.limit - 1]),
    ] {
      var commit = Commit(sequence: 2)
      commit.edits = [edit]
      #expect(throws: CommitError.tooDeep("layer \(loose)", limit: Self.limit)) {
        try moved.tree.apply(commit)
      }
    }
    // The whole chain moves one level down, so its innermost layer is the one too deep.
    var commit = Commit(sequence: 2)
    commit.edits = [.insert(child: layers[0], parent: loose, index: 0)]
    #expect(throws: CommitError.tooDeep("layer \(layers[Self.limit - 1])", limit: Self.limit)) {
      try moved.tree.apply(commit)
    }
    // Without its innermost layer the chain fits, whatever the order of the edits.
    commit.edits.append(.remove(child: layers[Self.limit - 1]))
    try moved.tree.apply(commit)
  }

  @Test("What a commit destroys counts for nothing")
  func destroyed() throws {
    var (scene, layers) = try chain(Self.limit)
    let loose = scene.looseLayer(frame: Self.whole)
    try scene.apply()
    scene.commit.edits = [.insert(child: loose, parent: layers[Self.limit - 1], index: 0)]
    scene.commit.destroyed = [layers[10]]
    try scene.apply()
    #expect(scene.tree.nodes[Int(loose.index)].parent == Int32(layers[Self.limit - 1].index))
  }

  @Test("Commits are taken if they leave no layer inside itself, and only then", arguments: 0..<100)
  func randomEdits(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var scene = try TestTree()
    var layers: [LayerID] = []
    for _ in 0..<6 {
      layers.append(scene.looseLayer(frame: Self.whole))
    }
    try scene.apply()
    for _ in 0..<20 {
      var parents = Dictionary(
        uniqueKeysWithValues: layers.map { ($0.index, scene.tree.nodes[Int($0.index)].parent) })
      var masks: [UInt32: UInt32] = [:]
      for layer in layers {
        if let mask = scene.tree.nodes[Int(layer.index)].mask { masks[layer.index] = mask }
      }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let child = layers.randomElement(using: &random)!
        let parent = layers.randomElement(using: &random)!
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          scene.commit.edits.append(.remove(child: child))
          parents[child.index] = -1
          masks = masks.filter { $0.value != child.index }
        case 1:
          scene.commit.edits.append(.setMask(mask: child, layer: parent))
          masks = masks.filter { $0.value != child.index }
          if let old = masks[parent.index] { parents[old] = -1 }
          masks[parent.index] = child.index
          parents[child.index] = Int32(parent.index)
        default:
          scene.commit.edits.append(.insert(child: child, parent: parent, index: 0))
          masks = masks.filter { $0.value != child.index }
          parents[child.index] = Int32(parent.index)
        }
      }
      let hasCycle = layers.contains { layer in
        var next = Int32(layer.index)
        for _ in layers where next >= 0 { next = parents[UInt32(next)]! }
        return next >= 0
      }
      do throws(CommitError) {
        try scene.tree.apply(scene.commit)
        #expect(!hasCycle, "seed \(seed)")
        for layer in layers {
          #expect(scene.tree.nodes[Int(layer.index)].parent == parents[layer.index])
        }
        scene.commit = Commit(sequence: scene.commit.sequence + 1)
      } catch {
        guard case .cycle = error else {
          Issue.record("seed \(seed): \(error)")
          return
        }
        #expect(hasCycle, "seed \(seed)")
        scene.commit.edits = []
      }
    }
  }

  @Test("A chain of 30,000 is refused at once, in whatever order its edits come", arguments: 0..<3)
  func longChains(order: Int) throws {
    var random = SeededGenerator(seed: 5)
    let count: UInt32 = 30_000
    var scene = try TestTree()
    let layers = (0..<count).map { LayerID(index: $0, generation: 0) }
    scene.commit.created = layers.map { Commit.Creation(layer: $0, kind: .layer) }
    var edits = layers.dropFirst().map {
      Commit.TreeEdit.insert(
        child: $0, parent: LayerID(index: $0.index - 1, generation: 0), index: 0)
    }
    if order == 1 { edits.reverse() }
    if order == 2 { edits.shuffle(using: &random) }
    scene.commit.edits = edits
    let start = ContinuousClock.now
    #expect(throws: CommitError.self) { try scene.apply() }
    #expect(ContinuousClock.now - start < .seconds(10))
    scene.commit.edits.append(
      .insert(child: layers[0], parent: layers[Int(count) - 1], index: 0))
    #expect(throws: CommitError.self) { try scene.apply() }
  }

  @Test("A transition whose old picture would reach too deep jumps to its end")
  func deepOldPicture() throws {
    let (length, other) = (Self.limit * 6 / 10, Self.limit / 2)
    var (scene, layers) = try chain(length)
    let loose = scene.looseLayer(frame: Self.whole)
    try scene.apply()
    scene.commit.animations = [
      .add(
        layer: layers[0], key: "transition",
        animation: AnimationDescription(
          timing: MediaTiming(beginTime: 0, duration: 1, fillMode: .both),
          content: .transition(.init(style: .fade))))
    ]
    try scene.apply()
    let rows = { try scene.tree.evaluate(session: TestTree.session, at: 0.5).rows }
    // The transition's own row, and those of both sides.
    #expect(try rows().count == 2 * length + 1)
    // The same layer at the end of another chain, now with nothing below it.
    var last = loose
    for _ in 0..<other {
      let next = scene.looseLayer(frame: Self.whole)
      scene.commit.edits.append(.insert(child: next, parent: last, index: 0))
      last = next
    }
    scene.commit.edits += [
      .remove(child: layers[1]), .insert(child: layers[0], parent: last, index: 0),
    ]
    scene.commit.roots = [Commit.RootChange(session: TestTree.session, layer: loose)]
    try scene.apply()
    #expect(try rows().count == other + 2)
  }

  @Test("Many edits of a layer's animations leave what each in turn would", arguments: 0..<50)
  func animationEdits(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var together = try TestTree()
    let layers = [together.layer(frame: Self.whole), together.looseLayer(frame: Self.whole)]
    try together.apply()
    var alone = together
    for _ in 0..<5 {
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let layer = layers.randomElement(using: &random)!
        let key = ["a", "b", "c", "d"].randomElement(using: &random)!
        let edit: Commit.AnimationEdit
        if Int.random(in: 0..<3, using: &random) == 0 {
          edit = .remove(layer: layer, key: key)
        } else {
          let duration = Double.random(in: 1...9, using: &random)
          edit = .add(
            layer: layer, key: key,
            animation: AnimationDescription(
              timing: MediaTiming(duration: duration),
              content: .basic(.init(keyPath: "opacity"), .init(to: .number(duration)))))
        }
        together.commit.animations.append(edit)
        alone.commit.animations = [edit]
        try alone.apply()
      }
      try together.apply()
    }
    for layer in layers {
      let slot = Int(layer.index)
      let (one, other) = (together.tree.nodes[slot].animations, alone.tree.nodes[slot].animations)
      #expect(one.map(\.key) == other.map(\.key))
      #expect(one.map(\.description) == other.map(\.description))
    }
  }
}
