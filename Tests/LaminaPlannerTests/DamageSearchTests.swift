import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("What differs between two frames")
struct DamageSearchTests {
  /// A root of 100 × 100 with squares of side 10 at x = 0, 20, 40.
  private struct Squares {
    var scene: TestTree
    let root: LayerID
    var squares: [LayerID] = []

    init() throws {
      scene = try TestTree()
      root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
      for x in [0.0, 20, 40] {
        squares.append(
          scene.layer(frame: CGRect(x: x, y: 0, width: 10, height: 10), in: root) {
            $0.backgroundColor = .red
          })
      }
    }

    private var shown: MeasuredTree?

    /// What differs from the last call's frame.
    mutating func difference() throws -> Damage {
      if !scene.commit.isEmpty { try scene.apply() }
      if shown == nil {
        shown = MeasuredTree(try scene.tree.evaluate(session: TestTree.session, at: 0))
      } else {
        try shown!.update(scene.tree, to: 0)
      }
      return shown!.measure(scene.tree, known: TextureCache(), maxTextureSize: 8192)
    }

    /// The pixels of the surface that a square at `x` touches.
    func place(_ x: Int) -> PixelRect {
      PixelRect(minX: max(x - 1, 0), minY: 0, maxX: x + 11, maxY: 11)
    }
  }

  @Test("The first frame, all of it")
  func first() throws {
    var squares = try Squares()
    #expect(try squares.difference().isWhole)
  }

  @Test("Nothing, where nothing changed")
  func same() throws {
    var squares = try Squares()
    _ = try squares.difference()
    #expect(try squares.difference().isEmpty)
  }

  @Test("What moved, where it was and where it is")
  func moved() throws {
    var squares = try Squares()
    _ = try squares.difference()
    squares.scene.change(squares.squares[1]) { $0.position.x += 50 }
    #expect(try squares.difference().rects == [squares.place(20), squares.place(70)])
  }

  @Test("What went and what came")
  func structure() throws {
    var squares = try Squares()
    _ = try squares.difference()
    squares.scene.change(squares.squares[0]) { $0.isHidden = true }
    #expect(try squares.difference().rects == [squares.place(0)])
    squares.scene.change(squares.squares[0]) { $0.isHidden = false }
    #expect(try squares.difference().rects == [squares.place(0)])
  }

  @Test("What lies behind others that it lay before, or they")
  func order() throws {
    var squares = try Squares()
    _ = try squares.difference()
    squares.scene.change(squares.squares[2]) { $0.zPosition = -1 }
    #expect(try squares.difference().covers(squares.place(40)))
  }

  @Test("An image that was drawn again")
  func image() throws {
    var squares = try Squares()
    let image = squares.scene.image(4, 4, id: 9)
    squares.scene.layer(frame: CGRect(x: 60, y: 0, width: 10, height: 10), in: squares.root) {
      $0.contents = image
    }
    _ = try squares.difference()
    _ = squares.scene.image(4, 4, id: 9)
    #expect(try squares.difference().rects == [squares.place(60)])
  }
}
