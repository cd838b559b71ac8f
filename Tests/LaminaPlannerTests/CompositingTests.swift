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
    let root = scene.whiteRoot()
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
    let root = scene.whiteRoot()
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

  @Test("Of the sum of two images, one of which is empty, the other is painted with its weight")
  func sumOfOne() {
    let area = PixelRect(PixelSize(width: 8, height: 8))
    var graph = CompositingGraph()
    for target in [CompositingGraph.Target.surface, .offscreen, .offscreen] {
      _ = graph.add(
        CompositingGraph.Group(region: area, target: target, isKept: target == .surface))
    }
    graph.drawn.list.add(Item(.solid), area, within: area)
    graph.addItems(from: 0, to: 2, scissor: area)
    let sources = [1, 2].map { graph.drawn.source(.group($0), .nearest) }
    let weights = graph.drawn.list.color([0.25, 0.75, 0, 0])
    graph.drawn.list.add(
      Item(.groupMix, color: weights, sources: [sources[0], sources[1]]), area, within: area)
    graph.addItems(from: 1, to: 0, scissor: area)
    let profile = DeviceProfile(maxTextureSize: 64, hasBGRA: true)
    var builder = PassBuilder(
      graph, graph.drawn.list, size: area.size,
      format: TargetFormat(isEightBit: true, maxTextureSize: 64),
      ledger: TextureLedger(profile: profile, budget: .max))
    builder.build()
    #expect(builder.plan.passes.map(\.target) == [.offscreen(0), .surface])
    #expect(builder.plan.passes[1].batches.map(\.program) == [.group])
    guard case .floats(let color)? = builder.plan.items.items.last?.color else {
      Issue.record("no weight")
      return
    }
    #expect(builder.plan.items.colors[Int(color)] == [0.75, 0.75, 0.75, 0.75])
  }

  @Test("Shadows in shadows over something that reads the backdrop end, however deep they are")
  func repeatedShadows() throws {
    var scene = try TestTree()
    var layer = scene.whiteRoot()
    for _ in 0..<40 {
      layer = scene.layer(frame: CGRect(x: 1, y: 1, width: 90, height: 90), in: layer) {
        $0.effects.shadowOpacity = 0.5
        $0.effects.shadowColor = .black
      }
    }
    scene.layer(frame: CGRect(x: 1, y: 1, width: 20, height: 20), in: layer) {
      $0.effects.backgroundFilters = [FilterValues(type: "colorInvert")]
    }
    let items = try scene.describeItems().split(separator: "\n")
    // Each shadow takes a few groups; the innermost layer is composed once for each set of shadows.
    let readers = items.filter { $0.hasSuffix("destinationOut, #ffffffff") }.count
    #expect(readers == 1 << Compositor.repeatLimit)
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
      // None covers all of those below it.
      layer = scene.layer(frame: CGRect(x: 0, y: 0, width: 99, height: 100), in: layer) {
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

extension TestTree {
  /// Adds the root, white all over.
  fileprivate mutating func whiteRoot() -> LayerID {
    layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) { $0.backgroundColor = .white }
  }
}
