import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues
import Testing
import TreeSupport

@testable import LaminaRenderTree

@Suite("The rows of emitters")
struct EmitterRowTests {
  private static let frame = CGRect(x: 0, y: 0, width: 10, height: 10)

  /// A replicator of `count` copies of an emitter with `births` particles a second.
  private func scene(
    copies count: Int, births: Double, _ set: (inout LayerValues) -> Void = { _ in }
  ) throws -> (scene: TestTree, replicator: LayerID, emitter: LayerID) {
    var scene = try TestTree()
    let replicator = scene.layer(.replicator, frame: Self.frame) {
      $0.replicator.instanceCount = UInt32(count)
    }
    var cell = EmitterCellValues()
    cell.contents = ImageID(rawValue: 1)
    (cell.birthRate, cell.lifetime) = (births, 1)
    let emitter = scene.layer(.emitter, frame: Self.frame, in: replicator) {
      $0.emitter.cells = [cell]
      set(&$0)
    }
    try scene.apply()
    return (scene, replicator, emitter)
  }

  private func evaluate(_ scene: TestTree, at time: Double = 2) throws -> EvaluatedTree {
    try scene.tree.evaluate(session: TestTree.session, at: time)
  }

  private func refuses(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch CommitError.tooMany("particles of all emitters", let count, let limit) {
      return limit == TreeLimit.particles && count > limit
    } catch {
      return false
    }
  }

  @Test("More particles of all emitters than the limit are refused by name, however many there are")
  func limit() throws {
    let most = TreeLimit.particles / ParticleCloud.limit
    let full = try scene(copies: most, births: 1e9)
    let count = try evaluate(full.scene).animatedValues.birthCount
    #expect(count <= TreeLimit.particles && count > TreeLimit.particles - 9 * most)
    for count in [most + 1, TreeLimit.copiedLayers / 4] {
      let crowded = try scene(copies: count, births: 1e9)
      #expect(refuses { _ = try evaluate(crowded.scene) })
    }
  }

  @Test("Between two frames only the new particles count, and rows that go take theirs along")
  func update() throws {
    let most = TreeLimit.particles / ParticleCloud.limit
    var (scene, replicator, _) = try scene(copies: most, births: 1e9)
    var tree = try evaluate(scene)
    try scene.tree.update(&tree, to: 2.5)
    let one = tree.animatedValues.birthCount / most
    scene.change(replicator) { $0.replicator.instanceCount = 2 }
    try scene.apply()
    try scene.tree.update(&tree, to: 2.5)
    #expect(tree.animatedValues.birthCount == 2 * one)
    scene.change(replicator) { $0.replicator.instanceCount = UInt32(most + 1) }
    try scene.apply()
    #expect(refuses { try scene.tree.update(&tree, to: 3) })
  }

  @Test("A rasterized emitter's particles are evaluated once, and at each time")
  func rasterized() throws {
    let (scene, _, _) = try scene(copies: 1, births: 100) { $0.effects.shouldRasterize = true }
    var tree = try evaluate(scene, at: 0.5)
    #expect(tree.animatedValues.birthCount < 60)
    #expect(tree.nextChange == 0.5)
    try scene.tree.update(&tree, to: 1)
    #expect(tree.difference(from: try evaluate(scene, at: 1), of: scene.tree) == nil)
    let inside = try #require(tree.rowsInOrder.first { tree.isInside($0) })
    let cloud = try #require(tree.animatedValues.cloud(tree.rows[inside].animated))
    #expect(cloud.particles.count == 100)
    let outer = tree.rows[inside].parent
    #expect(tree.animatedValues.cloud(tree.rows[outer].animated) == nil)
  }
}
