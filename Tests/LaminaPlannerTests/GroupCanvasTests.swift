import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("Groups that are kept")
struct GroupCanvasTests {
  /// A half-opaque group of 40 × 30 points with two squares, on a surface of 100 × 100.
  private struct Stage {
    var scene: TestTree
    let root: LayerID
    let group: LayerID
    let square: LayerID
    let other: LayerID
    var planner = FramePlanner(
      profile: DeviceProfile(maxTextureSize: 8192, hasBGRA: true, drawsPartsExactly: true))
    private var time = 0.0

    init(_ set: (inout LayerValues) -> Void = { _ in }) throws {
      scene = try TestTree()
      root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
      group = scene.layer(frame: CGRect(x: 20, y: 20, width: 40, height: 30), in: root) {
        $0.backgroundColor = .blue
        $0.opacity = 0.5
        set(&$0)
      }
      square = scene.layer(frame: CGRect(x: 2, y: 2, width: 10, height: 10), in: group) {
        $0.backgroundColor = .red
      }
      other = scene.layer(frame: CGRect(x: 8, y: 8, width: 10, height: 10), in: group) {
        $0.backgroundColor = .red
      }
      try scene.apply()
    }

    mutating func plan() throws -> FramePlan {
      time += 0.1
      return try scene.plan(at: time, with: &planner)
    }

    /// The plan of a frame in which the group has another opacity.
    mutating func fade(_ opacity: Double) throws -> FramePlan {
      scene.change(group) { $0.opacity = opacity }
      return try plan()
    }

    /// Fades the group until it is kept, and returns its canvas.
    mutating func fadeUntilKept() throws -> FramePlan.Canvas {
      _ = try plan()
      _ = try fade(0.45)
      let plan = try fade(0.4)
      return try #require(plan.canvases.first)
    }
  }

  private func drawn(_ plan: FramePlan) -> [FramePlan.TextureSource.Texture] {
    plan.passes.flatMap(\.batches).compactMap { $0.sources.first?.texture }
  }

  @Test("One that fades is painted in the third frame for the last time")
  func fading() throws {
    var stage = try Stage()
    let first = try stage.plan()
    #expect(first.canvases.isEmpty && first.passes.count == 2)
    let second = try stage.fade(0.4)
    #expect(second.canvases.isEmpty && second.passes.count == 2)
    let third = try stage.fade(0.3)
    // There are two empty pixels around the bounds.
    #expect(third.canvases.map(\.size) == [PixelSize(width: 44, height: 34)])
    #expect(third.passes.map(\.target) == [.canvas(third.canvases[0].texture), .surface])
    for opacity in [0.2, 0.1, 0.6] {
      let next = try stage.fade(opacity)
      #expect(next.canvases.isEmpty && next.passes.count == 1 && next.releases.isEmpty)
      #expect(drawn(next) == [.canvas(third.canvases[0].texture)])
    }
  }

  @Test("One that moves, or in which something changes in each frame, has no canvas")
  func moving() throws {
    var stage = try Stage()
    for step in 0..<6 {
      stage.scene.change(stage.group) { $0.position.x = 40 + Double(step) }
      #expect(try stage.plan().canvases.isEmpty)
    }
    for step in 0..<6 {
      stage.scene.change(stage.square) { $0.position.x = 8 + Double(step) }
      let plan = try stage.plan()
      #expect(plan.canvases.isEmpty && plan.passes.count == 2)
    }
  }

  @Test("A change in one ends its canvas, whose memory is free at once")
  func changing() throws {
    typealias Change = (inout Stage) -> Void
    let changes: [(String, Change)] = [
      ("colour of a sublayer", { $0.scene.change($0.square) { $0.backgroundColor = .white } }),
      (
        "order",
        { stage in
          stage.scene.commit.edits.append(
            .insert(child: stage.square, parent: stage.group, index: 1))
        }
      ),
      ("colour", { $0.scene.change($0.group) { $0.backgroundColor = .white } }),
      ("size", { $0.scene.change($0.group) { $0.bounds.size.width = 39 } }),
      ("place", { $0.scene.change($0.group) { $0.position.x += 0.25 } }),
      (
        "new sublayer",
        { stage in
          _ = stage.scene.layer(
            frame: CGRect(x: 1, y: 1, width: 2, height: 2), in: stage.group
          ) { $0.backgroundColor = .white }
        }
      ),
    ]
    for (name, change) in changes {
      var stage = try Stage()
      let canvas = try stage.fadeUntilKept()
      change(&stage)
      let plan = try stage.plan()
      #expect(plan.releases == [canvas.texture], "\(name)")
      #expect(plan.passes.count == 2 && plan.canvases.isEmpty, "\(name)")
      // It is kept anew once it stays as it is, and all of it was painted again.
      let later = try [0.2, 0.15, 0.1, 0.05].map { try stage.fade($0).canvases.count }
      #expect(later.reduce(0, +) == 1, "\(name): \(later)")
    }
  }

  @Test("Something small that moves over one has it kept when all of it was painted in parts")
  func mover() throws {
    var stage = try Stage()
    let mover = stage.scene.layer(
      frame: CGRect(x: 30, y: 30, width: 8, height: 8), in: stage.root
    ) { $0.backgroundColor = .white }
    _ = try stage.plan()
    stage.scene.change(stage.square) { $0.backgroundColor = .white }
    _ = try stage.plan()
    var frames = 0
    var plan: FramePlan
    repeat {
      stage.scene.change(mover) { $0.position.x = 34 + Double(frames % 8) }
      plan = try stage.plan()
      frames += 1
    } while plan.canvases.isEmpty && frames < 100
    // A frame paints 11 × 10 pixels or a few more, all are 44 × 34.
    #expect((8...16).contains(frames))
    stage.scene.change(mover) { $0.position.x = 50 }
    plan = try stage.plan()
    #expect(plan.passes.count == 1 && plan.canvases.isEmpty)
  }

  @Test("Of one with a mask, both are kept; the mask's outline and the opacity are applied to them")
  func masked() throws {
    var stage = try Stage()
    let mask = stage.scene.looseLayer(frame: CGRect(x: 0, y: 0, width: 20, height: 20)) {
      $0.backgroundColor = .white
      $0.cornerRadius = 10
    }
    stage.scene.commit.edits.append(.setMask(mask: mask, layer: stage.group))
    let canvas = try stage.fadeUntilKept()
    let plan = try stage.fade(0.2)
    #expect(plan.passes.count == 1)
    let batch = try #require(plan.passes[0].batches.last)
    #expect(batch.program == .groupMasked)
    #expect(batch.sources.first?.texture == .canvas(canvas.texture))
    stage.scene.change(mask) { $0.cornerRadius = 5 }
    #expect(try stage.plan().releases.count == 2)
  }

  @Test("A filtered layer is kept with its filters applied")
  func filtered() throws {
    var blur = FilterValues(type: "gaussianBlur")
    blur["inputRadius"] = .number(4)
    var stage = try Stage { $0.effects.filters = [blur] }
    let before = try stage.plan().passes.count
    #expect(before > 3)
    _ = try stage.fade(0.4)
    #expect(try stage.fade(0.3).canvases.count == 1)
    #expect(try stage.fade(0.2).passes.count == 1)
  }

  @Test("Nothing is kept of one in which nothing is drawn")
  func empty() throws {
    var stage = try Stage { $0.backgroundColor = nil }
    _ = try stage.plan()
    for layer in [stage.square, stage.other] {
      // A clear colour is drawn by no item; the layer is there all the same.
      stage.scene.change(layer) { $0.backgroundColor = CGColor(gray: 1, alpha: 0) }
    }
    for opacity in [0.5, 0.4, 0.3, 0.2, 0.1] {
      let plan = try stage.fade(opacity)
      #expect(plan.canvases.isEmpty && plan.releases.isEmpty)
    }
    #expect(stage.planner.textureByteCount == 0)
  }

  @Test("None is kept if half of the budget is used, or if an eighth has no room for it")
  func budget() throws {
    var stage = try Stage()
    let canvas = try stage.fadeUntilKept()
    stage.planner.budget = 2 * stage.planner.textureByteCount - 1
    #expect(try stage.fade(0.2).releases == [canvas.texture])
    for opacity in [0.4, 0.3, 0.2, 0.1, 0.2, 0.3] {
      let plan = try stage.fade(opacity)
      #expect(plan.passes.count == 2 && plan.canvases.isEmpty)
    }
    stage.planner.budget = 8 * 44 * 34 * 4
    let later = try [0.1, 0.2, 0.3, 0.4].map { try stage.fade($0).canvases.count }
    // It had been refused, and is until something changes.
    #expect(later.reduce(0, +) == 0)
    stage.scene.change(stage.square) { $0.backgroundColor = .white }
    let changed = try [0.1, 0.2, 0.3, 0.4].map { try stage.fade($0).canvases.count }
    #expect(changed.reduce(0, +) == 1)
  }

  @Test("A frame that fits into memory if none is kept keeps none, and uploads what it draws")
  func fits() throws {
    var stage = try Stage()
    // A kept group is a copy of what is painted in a target that others share.
    stage.planner = FramePlanner(
      profile: DeviceProfile(
        maxTextureSize: 8192, hasBGRA: true, drawsPartsExactly: true, sharesTargets: true,
        bytesPerVertex: 64))
    _ = try stage.plan()
    _ = try stage.fade(0.45)
    let image = stage.scene.image(8, 8, id: 1)
    _ = stage.scene.layer(frame: CGRect(x: 70, y: 70, width: 8, height: 8), in: stage.root) {
      $0.contents = image
    }
    // So many more items than in the frame before that these take most of the memory.
    for number in 0..<300 {
      let frame = CGRect(x: number % 20, y: number / 20, width: 1, height: 1)
      _ = stage.scene.layer(frame: frame, in: stage.root) { $0.backgroundColor = .white }
    }
    var needing = stage
    needing.planner.budget = 0
    let error = try #require(throws: CommitError.self) { try needing.fade(0.4) }
    guard case .tooMany(_, let needed, _) = error else { throw error }
    var plenty = stage
    #expect(try plenty.fade(0.4).canvases.count == 1)

    var tooLittle = stage
    tooLittle.planner.budget = needed - 1
    #expect(throws: CommitError.self) { try tooLittle.fade(0.4) }
    #expect(tooLittle.planner.isSpoiled)
    stage.planner.budget = needed
    let plan = try stage.fade(0.4)
    #expect(plan.canvases.isEmpty && plan.uploads.count == 1 && plan.releases.isEmpty)
    #expect(!stage.planner.isSpoiled && stage.planner.textureByteCount < needed)
    let next = try stage.plan()
    #expect(next.uploads.isEmpty && next.canvases.isEmpty && next.releases.isEmpty)
  }
}
