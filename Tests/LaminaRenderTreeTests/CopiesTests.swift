import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues
import Testing
import TreeSupport

@testable import LaminaRenderTree

@Suite("Rows of layers that replicators copy")
struct CopiesTests {
  private static let frame = CGRect(x: 0, y: 0, width: 100, height: 100)

  /// A replicator in the root, with one layer.
  private func scene(
    _ set: (inout ReplicatorValues) -> Void
  ) throws -> (scene: TestTree, replicator: LayerID, leaf: LayerID) {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.frame)
    let replicator = scene.layer(.replicator, frame: Self.frame, in: root) { set(&$0.replicator) }
    let leaf = scene.layer(frame: CGRect(x: 0, y: 0, width: 10, height: 10), in: replicator)
    try scene.apply()
    return (scene, replicator, leaf)
  }

  private func evaluate(_ scene: TestTree, at time: Double = 0) throws -> EvaluatedTree {
    try scene.tree.evaluate(session: TestTree.session, at: time)
  }

  @Test("When the count changes, the copies that stay keep their rows and their transforms")
  func count() throws {
    var (scene, replicator, _) = try scene {
      ($0.instanceCount, $0.instanceTransform) = (3, CATransform3D(translationX: 20, y: 0))
    }
    var tree = try evaluate(scene)
    func rows() -> [Int] { tree.rowsInOrder.filter { tree.rows[$0].copy >= 0 } }
    let before = rows()
    #expect(before.count == 3)
    for (count, kept) in [(5, 3), (2, 2), (2, 2), (0, 0), (1, 0)] as [(UInt32, Int)] {
      scene.change(replicator) { $0.replicator.instanceCount = count }
      try scene.apply()
      try scene.tree.update(&tree, to: 0)
      #expect(rows().count == count)
      #expect(rows().prefix(kept) == before.prefix(kept))
      let difference = tree.difference(from: try evaluate(scene), of: scene.tree)
      #expect(difference == nil, "count \(count)")
    }
  }

  @Test("Another transform or colour re-places the copies in place, and removes no row")
  func transform() throws {
    var (scene, replicator, _) = try scene { $0.instanceCount = 100 }
    var tree = try evaluate(scene)
    let before = tree.rowsInOrder
    scene.change(replicator) {
      $0.replicator.instanceTransform = CATransform3D(translationX: 1, y: 0)
      $0.replicator.redOffset = -0.01
    }
    try scene.apply()
    try scene.tree.update(&tree, to: 0)
    #expect(tree.rowsInOrder == before && tree.changes.allRemoved.isEmpty)
    #expect(tree.toPixels[before[before.count - 1]].m41 == 99)
    #expect(tree.difference(from: try evaluate(scene), of: scene.tree) == nil)
  }

  @Test("A change of a copied layer reaches the layer in every copy, and only it")
  func change() throws {
    var (scene, _, leaf) = try scene { $0.instanceCount = 4 }
    var tree = try evaluate(scene)
    scene.change(leaf) { $0.opacity = 0.5 }
    try scene.apply()
    try scene.tree.update(&tree, to: 0)
    #expect(tree.changes.touched.count == 4 && Set(tree.changes.changed).count == 4)
    #expect(tree.changes.changed.allSatisfy { tree.rows[$0].slot == Int(leaf.index) })
  }

  @Test("The local time of copy k is that of the replicator less k delays")
  func delays() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.frame)
    let replicator = scene.layer(.replicator, frame: Self.frame, in: root) {
      $0.timing.speed = 2
      ($0.replicator.instanceCount, $0.replicator.instanceDelay) = (3, 0.25)
    }
    let leaf = scene.layer(frame: Self.frame, in: replicator) { $0.timing.timeOffset = 10 }
    try scene.apply()
    var tree = try evaluate(scene, at: 1)
    func times() -> [Double] {
      tree.rowsInOrder.filter { tree.rows[$0].slot == Int(leaf.index) }
        .map { tree.time(of: tree.rows[$0]) }
    }
    #expect(times() == [12, 11.75, 11.5])
    try scene.tree.update(&tree, to: 3)
    #expect(times() == [16, 15.75, 15.5])
  }

  @Test("Nested copies are told apart, and have the clocks and transforms of both")
  func nested() throws {
    var scene = try TestTree()
    let outer = scene.layer(.replicator, frame: Self.frame) {
      ($0.replicator.instanceCount, $0.replicator.instanceDelay) = (3, 1)
      $0.replicator.instanceTransform = CATransform3D(translationX: 0, y: 30)
    }
    let inner = scene.layer(.replicator, frame: Self.frame, in: outer) {
      ($0.replicator.instanceCount, $0.replicator.instanceDelay) = (4, 0.1)
      $0.replicator.instanceTransform = CATransform3D(translationX: 20, y: 0)
    }
    let leaf = scene.layer(frame: Self.frame, in: inner)
    try scene.apply()
    let tree = try evaluate(scene, at: 7)
    let rows = tree.rowsInOrder.filter { tree.rows[$0].slot == Int(leaf.index) }
    #expect(rows.count == 12 && Set(rows.map { tree.rows[$0].path }).count == 12)
    for (place, row) in rows.enumerated() {
      let (x, y) = (Double(place % 4), Double(place / 4))
      #expect(
        tree.toPixels[row].m41 == 20 * x && tree.toPixels[row].m42 == 30 * y)
      #expect(abs(tree.time(of: tree.rows[row]) - (7 - y - 0.1 * x)) < 1e-12)
    }
  }

  @Test("Copies lie in their replicator's plane unless they, or a layer in them, leave it")
  func depth() throws {
    var (scene, replicator, leaf) = try scene { $0.instanceCount = 3 }
    var tree = try evaluate(scene)
    func isSpace() throws -> Bool {
      try scene.apply()
      try scene.tree.update(&tree, to: 0)
      #expect(tree.difference(from: try evaluate(scene), of: scene.tree) == nil)
      return tree.isSpace(tree.rowsInOrder[1])
    }
    #expect(try !isSpace())
    scene.change(leaf) { $0.zPosition = 1 }
    #expect(try isSpace())
    scene.change(leaf) { $0.zPosition = 0 }
    #expect(try !isSpace())
    scene.change(replicator) {
      $0.replicator.instanceTransform = CATransform3D(rotationAngle: 1, x: 0, y: 1, z: 0)
    }
    #expect(try isSpace())
  }

  @Test(
    "More copied layers than the limit are refused by name, at once",
    arguments: [[1_000_000_000], [1000, 1000, 1000], [.max, .max], [TreeLimit.copiedLayers]])
  func limit(_ counts: [Int]) throws {
    var scene = try TestTree()
    var parent = scene.layer(frame: Self.frame)
    for count in counts {
      parent = scene.layer(.replicator, frame: Self.frame, in: parent) {
        $0.replicator.instanceCount = UInt32(clamping: count)
      }
    }
    scene.layer(frame: Self.frame, in: parent)
    try scene.apply()
    #expect {
      _ = try evaluate(scene)
    } throws: { error in
      guard
        case CommitError.tooMany("layers in copies of replicators", let count, let limit) = error
      else { return false }
      return limit == TreeLimit.copiedLayers && count > limit
    }
  }

  @Test("Replicators nested in the first copies of each other cannot make more rows wait either")
  func waiting() throws {
    var scene = try TestTree()
    var parent = scene.layer(frame: Self.frame)
    for _ in 0..<1000 {
      parent = scene.layer(.replicator, frame: Self.frame, in: parent) {
        $0.replicator.instanceCount = UInt32(TreeLimit.copiedLayers / 2)
      }
    }
    try scene.apply()
    #expect {
      _ = try evaluate(scene)
    } throws: {
      $0 as? CommitError
        == .tooMany(
          "layers in copies of replicators", count: TreeLimit.copiedLayers + 1,
          limit: TreeLimit.copiedLayers)
    }
  }

  @Test("A count that grows beyond the limit between two frames is refused, and one below is not")
  func growing() throws {
    var (scene, replicator, _) = try scene { $0.instanceCount = 1 }
    var tree = try evaluate(scene)
    scene.change(replicator) { $0.replicator.instanceCount = UInt32(TreeLimit.copiedLayers / 2) }
    try scene.apply()
    try scene.tree.update(&tree, to: 0)
    #expect(tree.rowsInOrder.count == TreeLimit.copiedLayers + 2)
    scene.change(replicator) { $0.replicator.instanceCount += 1 }
    try scene.apply()
    #expect(throws: CommitError.self) { try scene.tree.update(&tree, to: 0) }
  }

  @Test("Copies, and particles, take half of a budget of memory")
  func budget() throws {
    let limit = 1000
    var (scene, replicator, _) = try scene { $0.instanceCount = UInt32(limit / 2) }
    scene.tree.keepToBudget(2 * limit * TreeLimit.bytesOfCopiedLayer)
    #expect(scene.tree.particleLimit == limit * 4)
    var tree = try evaluate(scene)
    scene.change(replicator) { $0.replicator.instanceCount += 1 }
    try scene.apply()
    let error = CommitError.tooMany(
      "layers in copies of replicators", count: limit + 1, limit: limit)
    #expect(throws: error) { try scene.tree.update(&tree, to: 0) }
    #expect(throws: error) { try evaluate(scene) }
    scene.tree.keepToBudget(2 * limit * TreeLimit.bytesOfCopiedLayer, besides: [tree])
    #expect(scene.tree.copiedLayerLimit == 0)
    scene.tree.keepToBudget(.max, besides: [tree])
    #expect(scene.tree.copiedLayerLimit == TreeLimit.copiedLayers)
  }

  @Test("Colours are multiplied premultiplied, stay between 0 and 1, and nil is white")
  func tints() throws {
    func tints(_ set: (inout ReplicatorValues) -> Void) throws -> [SIMD4<Double>] {
      let (scene, _, _) = try scene {
        $0.instanceCount = 3
        set(&$0)
      }
      let tree = try evaluate(scene)
      return tree.rowsInOrder.map { tree.rows[$0].copy }.filter { $0 >= 0 }
        .map { tree.copies[$0].tint }
    }
    let white = SIMD4<Double>(repeating: 1)
    #expect(try tints { $0.instanceColor = nil } == [white, white, white])
    #expect(try tints { $0.greenOffset = 1 } == [white, white, white])
    #expect(
      try tints {
        $0.instanceColor = CGColor(red: 1, green: 0.5, blue: 0, alpha: 1)
        ($0.redOffset, $0.alphaOffset, $0.blueOffset) = (-0.75, -0.5, .infinity)
      } == [[1, 0.5, 0, 1], [0.125, 0.25, 0.5, 0.5], [0, 0, 0, 0]])
  }
}
