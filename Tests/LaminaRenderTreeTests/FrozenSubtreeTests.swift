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

@Suite("What the render tree keeps for transitions")
struct OldPictureTests {
  private static let whole = CGRect(x: 0, y: 0, width: 100, height: 100)

  private func transition(
    _ style: AnimationDescription.TransitionStyle = .fade, begin: Double = 0
  ) -> AnimationDescription {
    AnimationDescription(
      timing: MediaTiming(beginTime: begin, duration: 1, fillMode: .both),
      content: .transition(.init(style: style)))
  }

  private func set(
    _ layer: LayerID, _ property: StoredProperty, _ change: (inout LayerValues) -> Void
  ) -> Commit.LayerChange {
    var values = LayerValues()
    change(&values)
    var properties = StoredPropertySet()
    properties.insert(property)
    return Commit.LayerChange(layer: layer, properties: properties, values: values)
  }

  @Test("The tree as text says which rows are old")
  func description() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole)
    let card = scene.layer(frame: CGRect(x: 0, y: 0, width: 10, height: 10), in: root)
    let part = scene.layer(frame: CGRect(x: 0, y: 0, width: 5, height: 5), in: card)
    try scene.apply()
    scene.commit.edits = [.remove(child: part)]
    scene.commit.destroyed = [part]
    scene.commit.animations = [
      .add(layer: card, key: "transition", animation: transition(.push))
    ]
    try scene.apply()
    let text = try scene.tree.describe(session: TestTree.session, at: 0.25)
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines[0].hasSuffix("5 rows"))
    #expect(lines[2] == "transition of #1 push fromLeft at 0.25")
    #expect(lines[3].hasPrefix("layer #1 (old) "))
    #expect(lines[4].hasPrefix("layer #2 (old) "))
    #expect(lines[5].hasPrefix("layer #1 bounds"))
    #expect(try scene.tree.describe(session: TestTree.session, at: 2).contains("2 rows"))
  }

  @Test("Only pixels that an old picture draws are kept, and no longer than it lasts")
  func keptPixels() throws {
    var scene = try TestTree()
    let image = scene.image(4, 4, id: 1)
    let other = scene.image(4, 4, id: 2)
    let root = scene.layer(frame: Self.whole)
    let card = scene.layer(frame: CGRect(x: 0, y: 0, width: 10, height: 10), in: root) {
      $0.contents = image
    }
    var planner = FramePlanner.software
    let before = try scene.plan(with: &planner)
    let texture = try #require(before.uploads.first?.texture)
    scene.commit.animations = [.add(layer: card, key: "transition", animation: transition())]
    try scene.apply()
    #expect(scene.tree.keptImages.isEmpty)

    _ = scene.image(4, 4, id: 1)
    _ = scene.image(4, 4, id: 2)
    var asked: [ImageID] = []
    try scene.apply { id, image in
      asked.append(id)
      return planner.holds(id, image) ? nil : []
    }
    #expect(asked == [image])
    #expect(scene.tree.keptImages.count == 1)
    let half = try scene.plan(at: 0.5, with: &planner)
    #expect(half.releases.isEmpty)
    #expect(half.uploads.map(\.texture).contains { $0 != texture })
    let sampled = half.passes.flatMap(\.batches).flatMap(\.sources).map(\.texture)
    #expect(sampled.contains(.texture(texture)))

    scene.commit.animations = [.remove(layer: card, key: "transition")]
    scene.commit.releasedStores = [other]
    try scene.apply()
    #expect(scene.tree.keptImages.isEmpty && scene.tree.frozenSubtrees.isEmpty)
    #expect(scene.tree.keptByteCount == 0)
    #expect(try scene.plan(at: 0.5, with: &planner).releases == [texture])
  }

  @Test("Pixels that were never uploaded are uploaded from the copy")
  func copiedPixels() throws {
    var scene = try TestTree()
    let image = scene.image(2, 1, id: 1)
    let root = scene.layer(frame: Self.whole) { $0.contents = image }
    try scene.apply()
    scene.commit.changes = [set(root, .contents) { $0.contents = nil }]
    scene.commit.animations = [.add(layer: root, key: "transition", animation: transition())]
    scene.commit.releasedStores = [image]
    let pixels: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let commit = scene.commit
    try scene.tree.apply(commit) { _, _ in pixels }
    scene.commit = Commit(sequence: commit.sequence + 1)
    var planner = FramePlanner(
      profile: DeviceProfile(maxTextureSize: 8192, hasBGRA: true))
    let plan = try scene.plan(at: 0.5, with: &planner)
    #expect(plan.uploads.map(\.source) == [.bytes(pixels)])
    #expect(try scene.plan(at: 0.6, with: &planner).uploads.isEmpty)
  }

  @Test("Transitions that interrupt each other go back a number of times, and no more")
  func depth() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole) { $0.backgroundColor = .red }
    try scene.apply()
    for step in 1...40 {
      scene.commit.animations = [
        .add(
          layer: root, key: "transition",
          animation: transition([.fade, .push, .reveal][step % 3], begin: Double(step) * 0.01))
      ]
      try scene.apply()
    }
    let depths = scene.tree.frozenSubtrees.map(\.depth)
    #expect(depths.sorted() == Array(1...TreeLimit.frozenDepth))
    #expect(try scene.plan(at: 0.5).passes.count > 2)
    scene.commit.edits = [.remove(child: root)]
    scene.commit.destroyed = [root]
    try scene.apply()
    #expect(scene.tree.frozenSubtrees.isEmpty)
  }

  @Test("A transition of more layers than may be kept jumps to its end")
  func layerLimit() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole) { $0.backgroundColor = .red }
    try scene.apply()
    // As many as fit, each of one layer, then one more.
    scene.commit.animations = (0...TreeLimit.frozenLayers).map { number in
      .add(layer: root, key: "\(number)", animation: transition())
    }
    let origins = scene.tree.freeze(for: scene.commit)
    guard case .subtree? = origins[TreeLimit.frozenLayers - 1],
      case .lost? = origins[TreeLimit.frozenLayers]
    else {
      Issue.record("the limit is elsewhere")
      return
    }
    scene.commit.animations = []
    var copy = scene.tree
    copy.nodes[0].animations = [
      RenderTree.KeyedAnimation(
        key: "transition", description: transition(), kind: .layer)
    ]
    copy.nodes[0].animations[0].origin = .lost
    let evaluated = try copy.evaluate(session: TestTree.session, at: 0.5)
    #expect(evaluated.rows.count == 1 && evaluated.transitions.isEmpty)
    #expect(evaluated.nextChange == 0.5)
  }

  @Test("Pictures within pictures count as often as they are shown")
  func nestedLayers() throws {
    var scene = try TestTree()
    var chain = [scene.layer(frame: Self.whole)]
    for _ in 1..<60 { chain.append(scene.layer(frame: Self.whole, in: chain[chain.count - 1])) }
    try scene.apply()
    for step in 0..<8 {
      scene.commit.animations = chain.map {
        .add(
          layer: $0, key: "transition",
          animation: transition(.push, begin: Double(step) * 0.01))
      }
      try scene.apply()
      let shown = scene.tree.frozenSubtrees.reduce(0) { $0 + $1.layerCount }
      #expect(shown <= 2 * TreeLimit.frozenLayers)
      let rows = try scene.tree.evaluate(session: TestTree.session, at: 0.5).rows.count
      #expect(rows <= 3 * TreeLimit.frozenLayers)
    }
  }

  @Test("Layers of an old picture have the time of its begin, and their clocks")
  func time() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole)
    let part = scene.layer(frame: CGRect(x: 0, y: 0, width: 5, height: 5), in: root) {
      $0.timing.speed = 2
    }
    let slide = AnimationDescription(
      timing: MediaTiming(duration: 10),
      content: .basic(
        .init(keyPath: "opacity"), .init(from: .number(0), to: .number(1))))
    scene.commit.animations = [.add(layer: part, key: "slide", animation: slide)]
    try scene.apply()
    scene.commit.animations = [
      .add(layer: root, key: "transition", animation: transition(begin: 2))
    ]
    try scene.apply()
    let evaluated = try scene.tree.evaluate(session: TestTree.session, at: 2.5)
    let old = try #require(evaluated.rows.first { $0.frozen >= 0 && $0.place == 1 })
    #expect(evaluated.time(of: old) == 4)
    #expect(evaluated.animatedValues[old.animated].opacity == 0.4)
    let new = try #require(evaluated.rows.first { $0.slot == Int(part.index) })
    #expect(evaluated.time(of: new) == 5)
    // The animation of the sublayer continues; its time counts each clock once.
    #expect(evaluated.nextChange == 2.5)
    #expect(try scene.tree.evaluate(session: TestTree.session, at: 6).nextChange == .infinity)
  }
}
