import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("Plans of layers in space")
struct SpacePlanTests {
  private func turned(_ angle: CGFloat) -> CATransform3D {
    CATransform3D(rotationAngle: angle, x: 0, y: 1, z: 0)
  }

  private func triangles(_ plan: FramePlan) -> [Int] {
    plan.passes.flatMap { $0.batches.map { $0.vertexCount / 3 } }
  }

  @Test("Siblings that differ in zPosition alone are drawn whole, the lowest first")
  func level() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    for z in [3.0, 1, 2] {
      scene.layer(frame: CGRect(x: 10 * z, y: 0, width: 40, height: 40), in: root) {
        $0.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        // Its plane is at z − 2 anchorPointZ.
        ($0.zPosition, $0.anchorPointZ) = (z, 2 * z)
      }
    }
    let plan = try scene.plan()
    #expect(triangles(plan) == [6])
    #expect(plan.paintedItems.map(\.box.minX) == [30, 20, 10])
  }

  @Test("Of two that intersect one is drawn in two pieces, the other whole")
  func crossing() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    for (angle, height) in [(1.0, 20.0), (-1.0, 40.0)] {
      scene.layer(frame: CGRect(x: 10, y: 10, width: 80, height: height), in: root) {
        $0.backgroundColor = .red
        $0.transform = turned(angle)
        $0.allowsEdgeAntialiasing = false
      }
    }
    // A piece is a fan around its middle.
    #expect(triangles(try scene.plan()) == [4 + 2 + 4])
  }

  @Test("The group of a layer that is cut is painted once and drawn in pieces")
  func group() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let card = scene.layer(frame: CGRect(x: 20, y: 20, width: 40, height: 20), in: root) {
      $0.transform = turned(1)
      $0.opacity = 0.5
    }
    for x in [0.0, 10] {
      scene.layer(frame: CGRect(x: x, y: 0, width: 20, height: 20), in: card) {
        $0.backgroundColor = .red
      }
    }
    scene.layer(frame: CGRect(x: 0, y: 0, width: 90, height: 90), in: root) {
      $0.transform = turned(-0.5)
      $0.backgroundColor = .green
    }
    let plan = try scene.plan()
    #expect(plan.offscreens.count == 1)
    #expect(plan.passes.count == 2)
    let drawn = try #require(plan.passes.last).batches.map(\.program)
    #expect(drawn == [.group, .solidEdges, .group])
  }

  @Test("A transform layer as the root, as a mask and deep in others is drawn by its sublayers")
  func spaces() throws {
    var scene = try TestTree()
    let root = scene.layer(.transform, frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.backgroundColor = .green
      $0.opacity = 0.5
    }
    var inner = root
    for _ in 0..<10_000 {
      inner = scene.layer(.transform, frame: CGRect(x: 0, y: 0, width: 100, height: 100), in: inner)
    }
    scene.layer(frame: CGRect(x: 10, y: 10, width: 20, height: 20), in: inner) {
      $0.backgroundColor = .red
    }
    let plan = try scene.plan()
    #expect(plan.passes.count == 1 && triangles(plan) == [2])
    #expect(plan.paintedItems.map(\.color) == [.bytes(0x8000_0080)])
  }

  /// What it costs to compose a scene's layers that cut each other.
  private func cost(_ scene: inout TestTree) throws -> Compositor.CuttingCost {
    try scene.apply()
    var shown = MeasuredTree(try scene.tree.evaluate(session: TestTree.session, at: 0))
    let profile = DeviceProfile(maxTextureSize: 4096, hasBGRA: true)
    _ = shown.measure(scene.tree, maxTextureSize: profile.maxTextureSize)
    var compositor = Compositor(shown, of: scene.tree, on: profile)
    compositor.compose()
    return compositor.cutting
  }

  @Test("Each piece of a layer counts, and all in it once for each, and comparisons in all spaces")
  func cost() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    for y in [0.0, 50] {
      let space = scene.layer(frame: CGRect(x: 0, y: y, width: 100, height: 50), in: root)
      for angle in [1.0, -1.0] {
        let card = scene.layer(frame: CGRect(x: 10, y: 10, width: 80, height: 30), in: space) {
          $0.transform = turned(angle)
        }
        for x in [30.0, 40] {
          scene.layer(frame: CGRect(x: x, y: 5, width: 20, height: 20), in: card) {
            $0.backgroundColor = .red
          }
        }
      }
    }
    let cost = try cost(&scene)
    // The first card of each space is in two pieces, composed with the two layers in it.
    #expect(cost.layersInPieces == 2 * (2 + 2 * (1 + 2)))
    #expect(cost.comparisons == 2 * 2)
    try cost.refuseExcess()
  }

  @Test("Too many comparisons are refused by name")
  func comparisons() throws {
    var cost = Compositor.CuttingCost()
    cost.comparisons = TreeLimit.depthComparisons
    try cost.refuseExcess()
    cost.comparisons += 1
    do {
      try cost.refuseExcess()
      Issue.record("it was allowed")
    } catch {
      let words = "67108865 comparisons of layers in three dimensions, at most 67108864 are allowed"
      #expect("\(error)" == words)
    }
  }
}
