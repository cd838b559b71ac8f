import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues
import Testing
import TreeSupport

@testable import LaminaRenderTree

@Suite("What a commit does to the render tree")
struct RenderTreeTests {
  private static let whole = CGRect(x: 0, y: 0, width: 100, height: 100)

  @Test(
    "A commit that names what is not there is refused whole",
    arguments: [
      { (commit: inout Commit, ghost: LayerID) in
        commit.edits.append(
          .insert(child: ghost, parent: LayerID(index: 0, generation: 0), index: 0))
      },
      { (commit: inout Commit, ghost: LayerID) in
        var change = commit.changes[0]
        change.layer = ghost
        commit.changes.append(change)
      },
      { (commit: inout Commit, ghost: LayerID) in commit.destroyed.append(ghost) },
      { (commit: inout Commit, ghost: LayerID) in
        commit.animations.append(.remove(layer: ghost, key: "a"))
      },
    ] as [@Sendable (inout Commit, LayerID) -> Void])
  func unknownLayer(_ damage: @Sendable (inout Commit, LayerID) -> Void) throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole)
    try scene.apply()
    for ghost in [LayerID(index: 9, generation: 0), LayerID(index: 0, generation: 1)] {
      let before = try scene.tree.describe(session: TestTree.session, at: 0)
      var commit = Commit(sequence: 2)
      var values = LayerValues()
      values.opacity = 0.25
      var opacity = StoredPropertySet()
      opacity.insert(.opacity)
      commit.changes = [Commit.LayerChange(layer: root, properties: opacity, values: values)]
      damage(&commit, ghost)
      #expect(throws: CommitError.unknownLayer(ghost)) { try scene.tree.apply(commit) }
      #expect(try scene.tree.describe(session: TestTree.session, at: 0) == before)
    }
  }

  @Test("A layer cannot become its own ancestor, be it through an edit or a mask")
  func cycles() throws {
    var scene = try TestTree()
    let a = scene.layer(frame: Self.whole)
    let b = scene.layer(frame: Self.whole, in: a)
    let c = scene.layer(frame: Self.whole, in: b)
    try scene.apply()
    for edit in [
      Commit.TreeEdit.insert(child: a, parent: c, index: 0),
      .insert(child: b, parent: b, index: 0), .setMask(mask: a, layer: c),
    ] {
      var commit = Commit(sequence: 2)
      commit.edits = [edit]
      #expect(throws: CommitError.self) { try scene.tree.apply(commit) }
    }
    // Layers that an earlier edit of the same commit separates may be joined the other way round.
    var commit = Commit(sequence: 2)
    commit.edits = [.remove(child: c), .insert(child: a, parent: c, index: 0)]
    try scene.tree.apply(commit)
  }

  @Test("A slot's next layer has another generation, and old IDs name nothing")
  func generations() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole)
    let old = scene.layer(frame: Self.whole, in: root)
    try scene.apply()
    scene.commit.destroyed = [old]
    try scene.apply()
    scene.commit.created = [
      Commit.Creation(layer: LayerID(index: old.index, generation: 1), kind: .layer)
    ]
    try scene.apply()
    scene.commit.destroyed = [old]
    #expect(throws: CommitError.unknownLayer(old)) { try scene.apply() }
  }

  @Test("Sublayers lie by zPosition, and in tree order where it is equal")
  func order() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole)
    let depths = [0.0, 5, -1, 0, 5]
    for depth in depths { scene.layer(frame: Self.whole, in: root) { $0.zPosition = depth } }
    try scene.apply()
    let evaluated = try scene.tree.evaluate(session: TestTree.session, at: 0)
    #expect(evaluated.rows.dropFirst().map(\.slot) == [3, 1, 4, 2, 5])
  }

  @Test("A hidden layer takes its sublayers with it")
  func hidden() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole)
    let hidden = scene.layer(frame: Self.whole, in: root) { $0.isHidden = true }
    scene.layer(frame: Self.whole, in: hidden)
    scene.layer(frame: Self.whole, in: root)
    try scene.apply()
    #expect(try scene.tree.evaluate(session: TestTree.session, at: 0).rows.count == 2)
  }
}

@Suite("Where layers lie")
struct LayerGeometryTests {
  private func corner(
    _ row: Int, _ point: CGPoint, of scene: TestTree
  ) throws -> CGPoint {
    var scene = scene
    if !scene.commit.isEmpty { try scene.apply() }
    let evaluated = try scene.tree.evaluate(session: TestTree.session, at: 0)
    return Projection(evaluated.toPixels[row])(point).pixel
  }

  @Test("The anchor point goes to the position, whatever the bounds' origin is")
  func anchor() throws {
    var scene = try TestTree(scale: 2)
    scene.layer(frame: .zero) {
      $0.bounds = CGRect(x: 5, y: 5, width: 20, height: 10)
      $0.position = CGPoint(x: 30, y: 40)
      $0.anchorPoint = CGPoint(x: 0, y: 1)
      $0.transform = CATransform3D(scaleX: 3, y: 3)
    }
    #expect(try corner(0, CGPoint(x: 5, y: 15), of: scene) == CGPoint(x: 60, y: 80))
    #expect(try corner(0, CGPoint(x: 6, y: 15), of: scene) == CGPoint(x: 66, y: 80))
  }

  @Test("geometryFlipped mirrors the layer's space about the middle of its bounds")
  func flip() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 80)) {
      $0.isGeometryFlipped = true
    }
    scene.layer(frame: CGRect(x: 10, y: 5, width: 20, height: 10), in: root)
    #expect(try corner(1, CGPoint(x: 0, y: 0), of: scene) == CGPoint(x: 10, y: 75))
    #expect(try corner(1, CGPoint(x: 0, y: 10), of: scene) == CGPoint(x: 10, y: 65))
  }

  @Test("A sublayer transform's perspective sees the sublayers' zPosition; a transform's does not")
  func perspective() throws {
    var perspective = CATransform3D.identity
    perspective.m34 = -1.0 / 100
    for isSublayerTransform in [true, false] {
      var scene = try TestTree()
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
        if isSublayerTransform {
          $0.sublayerTransform = perspective
        } else {
          $0.transform = perspective
        }
      }
      scene.layer(frame: CGRect(x: 40, y: 40, width: 20, height: 20), in: root) {
        $0.zPosition = 50
      }
      let expected = isSublayerTransform ? CGPoint(x: 30, y: 30) : CGPoint(x: 40, y: 40)
      #expect(try corner(1, .zero, of: scene) == expected)
    }
  }

  @Test("A layer presses its sublayers onto its own plane before it is turned itself")
  func flattening() throws {
    var scene = try TestTree()
    let quarter = CATransform3D(rotationAngle: .pi / 2, x: 0, y: 1, z: 0)
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let turned = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100), in: root) {
      $0.transform = CATransform3D(rotationAngle: .pi / 4, x: 0, y: 1, z: 0)
    }
    scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100), in: turned) {
      $0.transform = quarter
    }
    // Flattened, a quarter turn leaves a line at x = 50; in three dimensions it would not.
    let left = try corner(2, .zero, of: scene)
    #expect(abs(left.x - 50) < 1e-9)
  }
}
