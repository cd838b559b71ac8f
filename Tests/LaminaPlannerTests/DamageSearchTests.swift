import Foundation
import LaminaCommit
import LaminaSoftware
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
      root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
        $0.backgroundColor = .white
      }
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
      return shown!.measure(scene.tree, maxTextureSize: 8192)
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

  @Test("What lies behind others that it lay before")
  func order() throws {
    var squares = try Squares()
    _ = try squares.difference()
    squares.scene.change(squares.squares[2]) { $0.zPosition = -1 }
    #expect(try squares.difference().rects == [squares.place(40)])
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

  // MARK: What lies around a change

  /// A layer of 60 × 60 with a square of side 10 in its corner, and what differs if the square
  /// moves.
  private func damage(
    around set: (inout LayerValues) -> Void, movedBy distance: Double
  ) throws -> Damage {
    var squares = try Squares()
    let parent = squares.scene.layer(
      frame: CGRect(x: 10, y: 20, width: 60, height: 60), in: squares.root
    ) {
      $0.backgroundColor = .green
      set(&$0)
    }
    let square = squares.scene.layer(
      frame: CGRect(x: 0, y: 0, width: 10, height: 10), in: parent
    ) { $0.backgroundColor = .red }
    _ = try squares.difference()
    squares.scene.change(square) { $0.position.x += distance }
    return try squares.difference()
  }

  /// The pixels that the square touches where it was, where it is, and those of the layer around.
  private static let (before, after, around) = (
    PixelRect(minX: 9, minY: 19, maxX: 21, maxY: 31),
    PixelRect(minX: 39, minY: 19, maxX: 51, maxY: 31),
    PixelRect(minX: 9, minY: 19, maxX: 71, maxY: 81)
  )

  @Test("Only what moved, in a layer that is drawn by itself and in a group that stays as large")
  func inside() throws {
    for opacity in [1, 0.5] {
      let damage = try damage(around: { $0.opacity = opacity }, movedBy: 30)
      #expect(damage.rects == [Self.before, Self.after])
    }
  }

  @Test("Of a group that paints nothing itself, only where its sublayers are and were")
  func hollowGroup() throws {
    let damage = try damage(
      around: { ($0.opacity, $0.backgroundColor) = (0.5, nil) }, movedBy: 30)
    #expect(damage.rects == [Self.before, Self.after])
  }

  @Test("All of a group that gets another size, since it is painted in another target")
  func groupOfOtherSize() throws {
    let damage = try damage(around: { $0.opacity = 0.5 }, movedBy: 55)
    #expect(damage.covers(Self.around))
    #expect(try !self.damage(around: { _ in }, movedBy: 55).covers(Self.around))
  }

  @Test("All of a group in which a backdrop is read farther, since its target becomes larger")
  func groupOfOtherReach() throws {
    for opacity in [1, 0.5] {
      var squares = try Squares()
      let parent = squares.scene.layer(
        frame: CGRect(x: 10, y: 20, width: 60, height: 60), in: squares.root
      ) { ($0.backgroundColor, $0.opacity) = (.green, opacity) }
      let backdrop = squares.scene.layer(
        frame: CGRect(x: 0, y: 0, width: 10, height: 10), in: parent)
      _ = try squares.difference()
      var blur = FilterValues(type: "gaussianBlur")
      blur["inputRadius"] = .number(1)
      squares.scene.change(backdrop) { $0.effects.backgroundFilters = [blur] }
      let damage = try squares.difference()
      #expect(damage.covers(Self.around) == (opacity < 1), "opacity \(opacity)")
    }
  }

  @Test("All of a group in which something begins to read what lies behind it, painted or not")
  func readThrough() throws {
    for isClipping in [false, true] {
      var squares = try Squares()
      let parent = squares.scene.layer(
        frame: CGRect(x: 10, y: 20, width: 60, height: 60), in: squares.root
      ) {
        ($0.backgroundColor, $0.cornerRadius) = (.green, 5)
        $0.masksToBounds = isClipping
      }
      let empty = squares.scene.layer(
        frame: CGRect(x: 5, y: 5, width: 0, height: 0), in: parent)
      for mode in ["overlayBlendMode", nil] {
        _ = try squares.difference()
        squares.scene.change(empty) {
          $0.effects.compositingFilter = mode.map { FilterValues(type: $0) }
        }
        #expect(try squares.difference().covers(Self.around) == isClipping)
      }
    }
  }

  @Test("All that a layer paints, however sharp its corners, with a shadow or without")
  func extents() throws {
    let renderer = SoftwareRenderer()
    defer { renderer.close() }
    var random = SeededGenerator(seed: 5)
    var longest = 0
    for number in 0..<200 {
      func part(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
      var scene = try TestTree(format: .rgba16f)
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
      let layer = scene.layer(frame: CGRect(x: 35, y: 40, width: 30, height: 20), in: root) {
        $0.backgroundColor = .red
        if number % 3 == 2 {
          $0.effects.shadowOpacity = 1
          $0.effects.shadowRadius = random.pick([0, 0.3, 2])
          $0.effects.shadowOffset = CGSize(width: part(-3...3), height: part(-3...3))
          $0.effects.shadowPath = Path([
            .move(.zero), .line(CGPoint(x: 30, y: 0)), .line(CGPoint(x: 0, y: 20)), .close,
          ])
        }
        var skewed = CATransform3D.identity
        (skewed.m11, skewed.m12) = (part(-1...1), part(-1...1))
        (skewed.m21, skewed.m22) = (part(-1...1), part(-1...1))
        if number % 2 == 1 { (skewed.m14, skewed.m24) = (part(-0.01...0.01), part(-0.01...0.01)) }
        $0.transform = skewed
      }
      var planner = FramePlanner(profile: renderer.profile)
      let plan = try scene.plan(at: 0, with: &planner)
      let surface = try renderer.makeSurface(size: plan.size, format: .rgba16f)
      defer { renderer.releaseSurface(surface) }
      _ = try renderer.execute(plan, on: surface) { _ in nil }
      var channels = [Float16](repeating: 0, count: plan.size.width * plan.size.height * 4)
      try channels.withUnsafeMutableBytes {
        try renderer.readBack(surface, region: nil, into: $0, stride: plan.size.width * 8)
      }
      var measured = MeasuredTree(try scene.tree.evaluate(session: TestTree.session, at: 0))
      _ = measured.measure(scene.tree, maxTextureSize: 8192)
      let row = measured.evaluated.row(ofSlot: Int(layer.index))
      let box = measured.extents.box(of: row)
      for place in 0..<channels.count / 4 where channels[4 * place + 3] > 0 {
        let (x, y) = (place % plan.size.width, place / plan.size.width)
        let isInside = box.contains(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
        #expect(isInside, "\(number): \(x), \(y), \(box)")
        if !isInside { break }
      }
      longest = max(longest, box.width)
    }
    // Some are long and thin, and all are near the middle.
    #expect((50..<100).contains(longest))
  }

  @Test("All of a group that gets its first layer, since a layer alone is none")
  func firstLayerOfGroup() throws {
    var squares = try Squares()
    let parent = squares.scene.layer(
      frame: CGRect(x: 10, y: 20, width: 60, height: 60), in: squares.root
    ) { ($0.backgroundColor, $0.opacity) = (.green, 0.5) }
    _ = try squares.difference()
    squares.scene.layer(frame: CGRect(x: 0, y: 0, width: 10, height: 10), in: parent) {
      $0.backgroundColor = .red
    }
    #expect(try squares.difference().covers(Self.around))
  }

  @Test("All that a filter or a shadow around may spread it to")
  func spread() throws {
    var blur = FilterValues(type: "gaussianBlur")
    blur["inputRadius"] = .number(4)
    let blurred = try damage(around: { $0.effects.filters = [blur] }, movedBy: 30)
    #expect(blurred.covers(Self.around.outset(by: 8)))
    let shadowed = try damage(
      around: { ($0.effects.shadowOpacity, $0.effects.shadowRadius) = (1, 3) }, movedBy: 30)
    #expect(shadowed.covers(Self.around))
  }

  @Test("All of a layer whose mask changed")
  func mask() throws {
    var squares = try Squares()
    let mask = squares.scene.looseLayer(frame: CGRect(x: 0, y: 0, width: 5, height: 5)) {
      $0.backgroundColor = .red
    }
    squares.scene.commit.edits.append(.setMask(mask: mask, layer: squares.squares[1]))
    _ = try squares.difference()
    squares.scene.change(mask) { $0.position.x += 5 }
    #expect(try squares.difference().rects == [squares.place(20)])
  }

  @Test("Only what moved in depth, where all siblings lie in parallel planes")
  func depth() throws {
    var squares = try Squares()
    _ = try squares.difference()
    squares.scene.change(squares.squares[0]) { $0.zPosition = 3 }
    #expect(try squares.difference().rects == [squares.place(0)])
    squares.scene.change(squares.squares[2]) {
      $0.transform = CATransform3D(translationX: 0, y: 0, z: 5)
    }
    #expect(try squares.difference().rects == [squares.place(40)])
  }

  @Test("All of the siblings in three dimensions, which may be cut or sorted in another way")
  func space() throws {
    var squares = try Squares()
    _ = try squares.difference()
    squares.scene.change(squares.squares[0]) {
      $0.transform = CATransform3D(rotationAngle: 0.5, x: 0, y: 1, z: 0)
    }
    _ = try squares.difference()
    squares.scene.change(squares.squares[2]) { $0.position.x += 1 }
    #expect(try squares.difference().isWhole)
  }

  @Test("All that a backdrop's blur reads, if something of it changed")
  func backdrop() throws {
    var squares = try Squares()
    var blur = FilterValues(type: "gaussianBlur")
    blur["inputRadius"] = .number(2)
    squares.scene.layer(frame: CGRect(x: 55, y: 0, width: 20, height: 20), in: squares.root) {
      $0.effects.backgroundFilters = [blur]
    }
    _ = try squares.difference()
    squares.scene.change(squares.squares[2]) { $0.position.x += 5 }
    let read = PixelRect(minX: 54, minY: 0, maxX: 76, maxY: 21).outset(by: 4)
    #expect(try squares.difference().covers(read))
  }
}
