import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("How items nest into groups")
struct CompositingTests {
  @Test("A faded layer of two pieces is a group, which its superlayer's items sample")
  func group() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.backgroundColor = .white
    }
    scene.layer(frame: CGRect(x: 10, y: 10, width: 20, height: 20), in: root) {
      $0.opacity = 0.5
      $0.backgroundColor = .red
      ($0.borderWidth, $0.borderColor) = (1, .green)
    }
    #expect(
      try scene.describeItems() == """
        group 0, the surface, (0,0 100x100)
          solid, box (0,0 100x100), copy, #ffffffff
          group, box (8,8 24x24), #80808080, group 1 nearest
        group 1, (8,8 24x24)
          solid, box (10,10 20x20), copy, #ff0000ff
          solid, box (10,10 20x1), copy, #00ff00ff
          solid, box (10,11 1x18), copy, #00ff00ff
          solid, box (29,11 1x18), copy, #00ff00ff
          solid, box (10,29 20x1), copy, #00ff00ff
        """)
  }

  @Test("What a background filter reads is a step of the group behind the layer")
  func backdrop() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.backgroundColor = .white
    }
    scene.layer(frame: CGRect(x: 40, y: 40, width: 20, height: 20), in: root) {
      $0.effects.backgroundFilters = [FilterValues(type: "colorInvert")]
    }
    let lines = try scene.describeItems().split(separator: "\n")
    let read = try #require(lines.firstIndex(of: "  read by group 1"))
    #expect(lines[read - 1].hasPrefix("  solid, box (0,0 100x100)"))
    #expect(lines[read + 1].contains("destinationOut"))
    let reader = try #require(lines.firstIndex { $0.hasPrefix("group 1,") })
    #expect(lines[reader + 1].hasSuffix("backdrop in group 0 nearest"))
  }

  @Test("A group in which nothing is drawn is neither painted nor sampled")
  func emptyGroup() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) { $0.opacity = 0.5 }
    for _ in 0..<2 {
      scene.layer(frame: CGRect(x: 0, y: 0, width: 9, height: 9), in: root)
    }
    let plan = try scene.plan()
    #expect(plan.passes.map(\.target) == [.surface] && plan.offscreens.isEmpty)
    #expect(plan.passes[0].batches.isEmpty)
  }

  @Test("A layer that is drawn in pieces, and again to cast a shadow, has a group for each")
  func piecesInTwoGroups() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.effects.shadowOpacity = 1
      $0.effects.shadowOffset = CGSize(width: 0, height: 60)
      $0.effects.shadowColor = .black
    }
    scene.layer(frame: CGRect(x: 40, y: 40, width: 9, height: 9), in: root) {
      $0.effects.backgroundFilters = [FilterValues(type: "colorInvert")]
    }
    for (angle, opacity) in [(0.5, 0.5), (-0.5, 1)] {
      let card = scene.layer(frame: CGRect(x: 20, y: -60, width: 60, height: 100), in: root) {
        $0.transform = CATransform3D(rotationAngle: angle, x: 0, y: 1, z: 0)
        $0.opacity = opacity
        $0.backgroundColor = .red
      }
      scene.layer(frame: CGRect(x: 0, y: 0, width: 60, height: 50), in: card) {
        $0.backgroundColor = .green
      }
    }
    // The part of the card above the surface shows in the shadow alone.
    let groups = try scene.describeItems().split(separator: "\n").filter { $0.hasPrefix("group ") }
    let tops = groups.compactMap { line in
      line.split(separator: "(").last?.split(separator: ",").dropFirst().first
        .flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
    }
    #expect(tops.contains { $0 < 0 } && tops.filter { $0 == 0 }.count > 1, "\(groups)")
  }

  @Test(
    "A chain of 10,000 layers is composed on a small stack",
    arguments: [false, true])
  func chain(isFaded: Bool) throws {
    var scene = try TestTree()
    var layer = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.backgroundColor = .red
    }
    for _ in 0..<10_000 {
      layer = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100), in: layer) {
        $0.backgroundColor = .red
        if isFaded { $0.opacity = 0.999 }
        ($0.borderWidth, $0.borderColor) = (1, .green)
      }
    }
    let plan = try scene.plan()
    let count = plan.passes.reduce(0) { $0 + $1.batches.reduce(0) { $0 + $1.vertexCount } }
    // A background and four sides for each but the root; groups are nested up to their limit.
    #expect(plan.passes.count == (isFaded ? Compositor.groupLimit + 1 : 1))
    #expect(count >= 6 * (1 + 5 * 10_000))
  }
}
