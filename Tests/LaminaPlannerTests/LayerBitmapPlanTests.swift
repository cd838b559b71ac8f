import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("Plans of rasterized layers")
struct RasterPlanTests {
  /// A rasterized card of 20 × 10 points with a sublayer, on a surface of 100 × 100.
  private struct Card {
    var scene: TestTree
    let root: LayerID
    let card: LayerID
    let sublayer: LayerID
    var planner = FramePlanner.software

    init(_ set: (inout LayerValues) -> Void = { _ in }) throws {
      scene = try TestTree()
      root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
      card = scene.layer(frame: CGRect(x: 40, y: 40, width: 20, height: 10), in: root) {
        $0.effects.shouldRasterize = true
        set(&$0)
      }
      sublayer = scene.layer(frame: CGRect(x: 2, y: 2, width: 4, height: 4), in: card) {
        $0.backgroundColor = .red
      }
    }

    mutating func plan(at time: Double = 0) throws -> FramePlan {
      try scene.plan(at: time, with: &planner)
    }
  }

  private func paints(_ plan: FramePlan) -> Bool {
    plan.passes.contains { if case .canvas = $0.target { true } else { false } }
  }

  @Test("The picture is painted once, and drawn as one image from then on")
  func kept() throws {
    var card = try Card()
    let first = try card.plan()
    // There is an empty pixel around the bounds.
    #expect(first.canvases.map(\.size) == [PixelSize(width: 22, height: 12)])
    #expect(first.passes.count == 2)
    for time in [0.5, 1] {
      let next = try card.plan(at: time)
      #expect(next.canvases.isEmpty && next.passes.count == 1)
      #expect(next.passes[0].batches.map(\.program) == [.plainImage])
      #expect(next.passes[0].batches[0].sources[0].texture == .canvas(first.canvases[0].texture))
      #expect(next.releases.isEmpty)
    }
  }

  @Test(
    "Copies that show the same share one bitmap, and those that show something else have theirs")
  func copies() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let replicator = scene.layer(
      .replicator, frame: CGRect(x: 0, y: 0, width: 100, height: 100), in: root
    ) {
      $0.replicator.instanceCount = 3
      $0.replicator.instanceTransform = CATransform3D(translationX: 30, y: 0)
      $0.replicator.redOffset = -0.25
    }
    let card = scene.layer(frame: CGRect(x: 4, y: 40, width: 20, height: 10), in: replicator) {
      $0.effects.shouldRasterize = true
    }
    let sublayer = scene.layer(frame: CGRect(x: 2, y: 2, width: 4, height: 4), in: card) {
      $0.backgroundColor = .red
    }
    var planner = FramePlanner.software
    let first = try scene.plan(at: 0, with: &planner)
    #expect(first.canvases.count == 1 && first.paintedItems.count == 4)
    let colors = first.paintedItems.suffix(3).map(\.color)
    #expect(Set(colors).count == 3)
    #expect(try scene.plan(at: 1, with: &planner).canvases.isEmpty)
    // At 4.2 the first copy is after this animation, and the others are at two times in it.
    scene.change(replicator) { $0.replicator.instanceDelay = 0.5 }
    let fade = AnimationDescription(
      timing: MediaTiming(beginTime: 2, duration: 2),
      content: .basic(.init(keyPath: "opacity"), .init(from: .number(0), to: .number(1))))
    scene.commit.animations = [.add(layer: sublayer, key: "a", animation: fade)]
    try scene.apply()
    let second = try scene.plan(at: 4.2, with: &planner)
    #expect(second.canvases.count == 3 && Set(second.canvases.map(\.texture)).count == 3)
    let third = try scene.plan(at: 9, with: &planner)
    #expect(third.canvases.isEmpty && third.releases.count == 2)
  }

  @Test("rasterizationScale says how many pixels a point has, whatever the surface's scale")
  func scale() throws {
    for scale in [0.5, 3] {
      var card = try Card { $0.effects.rasterizationScale = scale }
      let size = try card.plan().canvases[0].size
      #expect(size == PixelSize(width: Int(20 * scale) + 2, height: Int(10 * scale) + 2))
    }
  }

  @Test("There is no bitmap of no pixels a point, nor of more than a texture has")
  func impossible() throws {
    for scale in [0.0, -1, 1000] {
      var card = try Card { $0.effects.rasterizationScale = scale }
      let plan = try card.plan()
      #expect(!paints(plan) && plan.passes[0].batches.map(\.program) == [.solid], "\(scale)")
    }
  }

  @Test("Where the layer lies and how it comes to what is behind it change nothing in its picture")
  func outside() throws {
    let changes: [(inout LayerValues) -> Void] = [
      { $0.position.x += 10.5 },
      { $0.transform = CATransform3D(rotationAngle: 1, x: 0, y: 0, z: 1) },
      { $0.opacity = 0.5 }, { $0.zPosition = 3 },
      { $0.effects.compositingFilter = FilterValues(type: "multiplyBlendMode") },
      { $0.effects.backgroundFilters = [FilterValues(type: "colorInvert")] },
    ]
    for (index, set) in changes.enumerated() {
      var card = try Card()
      _ = try card.plan()
      card.scene.change(card.card, set)
      #expect(!paints(try card.plan()), "change \(index)")
      card.scene.change(card.root) { $0.backgroundColor = .green }
      #expect(!paints(try card.plan()), "change \(index)")
    }
  }

  @Test("What changes in the layer or below it is painted anew, and the old picture let go")
  func inside() throws {
    let own: [(inout LayerValues) -> Void] = [
      { $0.backgroundColor = .green }, { $0.bounds.size.width = 30 }, { $0.masksToBounds = true },
      { $0.effects.rasterizationScale = 2 }, { $0.effects.shadowOpacity = 1 },
      { $0.effects.filters = [FilterValues(type: "colorInvert")] },
      {
        $0.anchorPoint = .zero; $0.sublayerTransform = CATransform3D(scaleX: 2, y: 2)
      },
    ]
    for (index, set) in own.enumerated() {
      var card = try Card()
      let first = try card.plan()
      card.scene.change(card.card, set)
      let next = try card.plan()
      #expect(paints(next) && next.releases == first.canvases.map(\.texture), "own \(index)")
    }
    let below: [(inout LayerValues) -> Void] = [
      { $0.backgroundColor = .green }, { $0.position.x += 1 }, { $0.isHidden = true },
      { $0.opacity = 0.5 },
    ]
    for (index, set) in below.enumerated() {
      var card = try Card()
      _ = try card.plan()
      card.scene.change(card.sublayer, set)
      #expect(paints(try card.plan()), "below \(index)")
      #expect(!paints(try card.plan()), "below \(index)")
    }
  }

  @Test("A layer moves, turns and fades with its bitmap, whatever is in it")
  func movedAsOne() throws {
    var card = try Card()
    for _ in 0..<1000 {
      card.scene.layer(frame: CGRect(x: 1, y: 1, width: 2, height: 2), in: card.card)
    }
    #expect(try card.plan().instances > 1000)
    let changes: [(inout LayerValues) -> Void] = [
      { $0.position.x += 10 },
      { $0.transform = CATransform3D(rotationAngle: 1, x: 0, y: 0, z: 1) }, { $0.opacity = 0.5 },
    ]
    for (index, set) in changes.enumerated() {
      card.scene.change(card.card, set)
      let plan = try card.plan()
      #expect(!paints(plan) && plan.instances <= 3, "change \(index): \(plan.instances)")
    }
  }

  @Test("A layer that has become too large for a bitmap is drawn without one until it fits again")
  func outgrown() throws {
    var card = try Card { $0.opacity = 0.5 }
    #expect(paints(try card.plan()))
    for _ in 0..<2 {
      card.scene.change(card.sublayer) { $0.position.x = 50_000 }
      let large = try card.plan()
      #expect(!paints(large) && large.passes.flatMap(\.batches).map(\.program) == [])
      card.scene.change(card.sublayer) { $0.position.x = 6 }
      #expect(try card.plan().passes.last?.batches.map(\.program) == [.image])
    }
  }

  @Test("A sublayer that comes, goes or changes its place is seen")
  func structure() throws {
    var card = try Card()
    _ = try card.plan()
    let other = card.scene.layer(
      frame: CGRect(x: 4, y: 4, width: 4, height: 4), in: card.card
    ) { $0.backgroundColor = .green }
    #expect(paints(try card.plan()))
    card.scene.commit.edits.append(.insert(child: other, parent: card.card, index: 0))
    #expect(paints(try card.plan()))
    card.scene.commit.edits.append(.setMask(mask: other, layer: card.card))
    #expect(paints(try card.plan()))
    card.scene.commit.edits.append(.remove(child: other))
    #expect(paints(try card.plan()))
    #expect(!paints(try card.plan()))
  }

  @Test("An image that is drawn anew is rasterized anew")
  func images() throws {
    var card = try Card()
    let image = card.scene.image(8, 8, id: 1)
    card.scene.layer(frame: CGRect(x: 0, y: 0, width: 8, height: 8), in: card.card) {
      $0.contents = image
    }
    _ = try card.plan()
    #expect(!paints(try card.plan()))
    _ = card.scene.image(8, 8, id: 1)
    #expect(paints(try card.plan()))
  }

  @Test("A layer whose own image is drawn anew, or that of a filter, is rasterized anew")
  func ownImages() throws {
    for isOfFilter in [false, true] {
      var card = try Card()
      let image = card.scene.image(8, 8, id: 1)
      _ = try card.plan()
      card.scene.change(card.card) { values in
        guard isOfFilter else {
          values.contents = image
          return
        }
        var blur = FilterValues(type: "variableBlur")
        blur["inputRadius"] = .number(2)
        blur["inputMaskImage"] = .image(image)
        values.effects.filters = [blur]
      }
      _ = try card.plan()
      #expect(!paints(try card.plan()))
      _ = card.scene.image(8, 8, id: 1)
      #expect(paints(try card.plan()), "of a filter: \(isOfFilter)")
      #expect(!paints(try card.plan()))
    }
  }

  @Test("An animation below is painted in every frame while it runs, and then no more")
  func animations() throws {
    var card = try Card()
    card.scene.commit.animations.append(
      .add(
        layer: card.sublayer, key: "move",
        animation: AnimationDescription(
          timing: MediaTiming(duration: 1),
          content: .basic(
            AnimationDescription.PropertyTarget(keyPath: "position.x"),
            AnimationDescription.BasicValues(from: .number(4), to: .number(10))))))
    var painted: [Bool] = []
    for time in [0, 0.25, 0.5, 0.5, 2, 3] { painted.append(paints(try card.plan(at: time))) }
    #expect(painted == [true, true, true, false, true, false])
  }

  @Test("A bitmap is kept while its layer is hidden, and let go with the layer")
  func releases() throws {
    var card = try Card()
    let first = try card.plan().canvases.map(\.texture)
    card.scene.change(card.card) { $0.isHidden = true }
    #expect(try card.plan().releases.isEmpty)
    card.scene.change(card.card) { $0.isHidden = false }
    #expect(!paints(try card.plan()))
    card.scene.commit.destroyed = [card.card]
    #expect(try card.plan().releases == first)
  }

  @Test("Past two and a half surfaces and four million pixels, pictures are made for each frame")
  func budget() throws {
    var card = try Card()
    for _ in 0..<3 {
      card.scene.layer(frame: CGRect(x: 0, y: 0, width: 1500, height: 1500), in: card.root) {
        $0.effects.shouldRasterize = true
        $0.backgroundColor = .red
      }
    }
    let first = try card.plan()
    #expect(first.canvases.count == 2 && first.offscreens.count == 2)
    let second = try card.plan()
    #expect(second.canvases.isEmpty && second.offscreens.count == 2)
  }

  @Test("Rasterized layers nested without end are painted")
  func nested() throws {
    var card = try Card()
    var parent = card.sublayer
    for _ in 0..<200 {
      parent = card.scene.layer(frame: CGRect(x: 1, y: 1, width: 10, height: 10), in: parent) {
        $0.effects.shouldRasterize = true
        $0.backgroundColor = .green
        $0.opacity = 0.9
      }
    }
    #expect(try card.plan().canvases.count == 8)
    #expect(try card.plan().passes.count == 1)
  }
}
