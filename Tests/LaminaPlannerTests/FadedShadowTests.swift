import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("The shadow of a faded layer")
struct FadedShadowTests {
  private static let profile = DeviceProfile(
    maxTextureSize: 8192, hasBGRA: true, drawsPartsExactly: false, sharesTargets: true)

  private var scene: TestTree
  private let root: LayerID
  private let card: LayerID

  init() throws {
    scene = try TestTree(width: 200, height: 160)
    root = scene.layer(frame: CGRect(x: 0, y: 0, width: 200, height: 160))
    card = scene.layer(frame: CGRect(x: 40, y: 30, width: 100, height: 80), in: root) {
      $0.backgroundColor = .blue
      $0.cornerRadius = 8
      $0.borderWidth = 2
      $0.borderColor = .white
      $0.opacity = 0.5
      $0.effects.shadowColor = .black
      $0.effects.shadowOpacity = 1
      $0.effects.shadowOffset = .zero
      $0.effects.shadowRadius = 4
    }
    try scene.apply()
  }

  private mutating func plan() throws -> FramePlan {
    var planner = FramePlanner(profile: Self.profile)
    return try scene.plan(with: &planner)
  }

  /// The pixels of the card's group, and the shadow's items on the surface.
  private mutating func drawn() throws -> (group: PixelRect, beside: [Item]) {
    let plan = try plan()
    let surface = plan.passes.last!.batches.flatMap { plan.items.items[$0.items] }
    return (plan.passes[0].parts[0], surface.filter(\.program.isShadow))
  }

  @Test("is drawn beside the group, which shows the layer's body alone")
  mutating func beside() throws {
    let (group, beside) = try drawn()
    #expect(group.width <= 104 && group.height <= 84, "\(group)")
    let body = PixelRect(minX: 40, minY: 30, maxX: 140, maxY: 110)
    #expect(beside.count == 12 && !beside.contains { $0.box.meets(body) })
    #expect(beside.allSatisfy { $0.color == .bytes(0x80_00_00_00) })
    // Of what the group paints, none is cut off at its edges.
    let plan = try plan()
    for batch in plan.passes[0].batches {
      let boxes = plan.items.items[batch.items].filter(\.program.isShadow).map(\.box)
      #expect(boxes.allSatisfy(group.contains))
    }
  }

  @Test("is drawn around all that its sublayers draw")
  mutating func sublayers() throws {
    scene.layer(frame: CGRect(x: 80, y: 60, width: 60, height: 40), in: card) {
      $0.backgroundColor = .red
    }
    let (group, beside) = try drawn()
    #expect(group.width >= 140 && group.height >= 100, "\(group)")
    #expect(!beside.contains { $0.box.maxX > 140 && $0.box.maxY > 110 })
  }

  @Test("is in the group if that is turned, masked or blended, or reads what lies behind it")
  mutating func inGroup() throws {
    let changes: [(inout TestTree, LayerID) -> Void] = [
      { scene, card in
        scene.change(card) { $0.transform = CATransform3DMakeRotation(0.2, 0, 0, 1) }
      },
      { scene, card in
        let mask = scene.looseLayer(frame: CGRect(x: 3, y: 2, width: 80, height: 70)) {
          $0.backgroundColor = .red
        }
        scene.commit.edits.append(.setMask(mask: mask, layer: card))
      },
      { scene, card in
        scene.change(card) {
          $0.effects.compositingFilter = FilterValues(type: "multiplyBlendMode")
        }
      },
      { scene, card in
        scene.change(card) { $0.effects.backgroundFilters = [FilterValues(type: "gaussianBlur")] }
      },
    ]
    for (number, change) in changes.enumerated() {
      var test = try FadedShadowTests()
      change(&test.scene, test.card)
      let beside = try test.drawn().beside
      #expect(beside.isEmpty, "\(number)")
    }
  }
}
