import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("Path masks that are kept")
struct PathMaskTests {
  private static let triangle = Path([
    .move(.zero), .line(CGPoint(x: 30, y: 0)), .line(CGPoint(x: 0, y: 30)), .close,
  ])

  /// A shape in a layer that scrolls, on a surface of 100 x 100 pixels.
  private struct Stage {
    var scene: TestTree
    var planner = FramePlanner.software
    let view: LayerID
    let shape: LayerID
    private var time = 0.0

    init(_ path: Path = triangle, scale: Double = 1) throws {
      scene = try TestTree(width: 100, height: 100, scale: scale)
      view = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
      shape = scene.layer(
        .shape, frame: CGRect(x: 10.5, y: 10.25, width: 30, height: 30), in: view
      ) {
        $0.shape.path = path
      }
    }

    mutating func plan() throws -> FramePlan {
      time += 1
      return try scene.plan(at: time, with: &planner)
    }

    /// How many masks the next frame draws.
    mutating func masksDrawn() throws -> Int {
      try plan().uploads.count { $0.format == .a8 }
    }
  }

  @Test("A shape that moves by whole pixels is drawn once, also where it leaves the surface")
  func moves() throws {
    var stage = try Stage()
    var drawn = try stage.masksDrawn()
    for x in [1.0, 20, 57, 76, 84, -5, -25, -29, 0] {
      stage.scene.change(stage.shape) { $0.position = CGPoint(x: 25.5 + x, y: 25.25 - 2 * x) }
      drawn += try stage.masksDrawn()
    }
    #expect(drawn == 1)
  }

  @Test("A shape that scrolls is drawn once")
  func scrolls() throws {
    var stage = try Stage()
    var drawn = try stage.masksDrawn()
    for y in stride(from: -60.0, through: 60, by: 7) {
      stage.scene.change(stage.view) { $0.bounds.origin.y = y }
      drawn += try stage.masksDrawn()
    }
    #expect(drawn == 1)
  }

  @Test(
    "A shape at another fraction of a pixel, or another size, is drawn anew, the old mask let go")
  func fractions() throws {
    var stage = try Stage()
    let changes: [(inout LayerValues) -> Void] = [
      { $0.position.x += 0.25 }, { $0.transform = CATransform3D(scaleX: 1.5, y: 1) },
      { $0.shape.fillRule = .evenOdd }, { $0.shape.path?.elements.removeLast() },
    ]
    var mask = try #require(try stage.plan().uploads.first?.texture)
    for (index, change) in changes.enumerated() {
      stage.scene.change(stage.shape, change)
      let plan = try stage.plan()
      #expect(plan.releases == [mask], "change \(index)")
      mask = try #require(plan.uploads.first?.texture, "change \(index)")
    }
  }

  @Test("Shapes that look alike share a mask, until the last of them is gone")
  func shared() throws {
    var stage = try Stage()
    let twin = stage.scene.layer(
      .shape, frame: CGRect(x: 50.5, y: 60.25, width: 30, height: 30), in: stage.view
    ) { $0.shape.path = Self.triangle }
    let mask = try #require(try stage.plan().uploads.first?.texture)
    stage.scene.commit.destroyed = [stage.shape]
    #expect(try stage.plan().releases.isEmpty)
    stage.scene.commit.destroyed = [twin]
    #expect(try stage.plan().releases == [mask])
  }

  @Test("A hidden shape keeps its mask")
  func hidden() throws {
    var stage = try Stage()
    _ = try stage.plan()
    stage.scene.change(stage.shape) { $0.isHidden = true }
    #expect(try stage.plan().releases.isEmpty)
    stage.scene.change(stage.shape) { $0.isHidden = false }
    #expect(try stage.masksDrawn() == 0)
  }

  @Test("Of a huge shape, the tiles that come into view are drawn, each once")
  func tiles() throws {
    let huge = Path([
      .move(.zero), .line(CGPoint(x: 9000, y: 0)), .line(CGPoint(x: 0, y: 9000)), .close,
    ])
    var stage = try Stage(huge)
    #expect(try stage.masksDrawn() == 1)
    stage.scene.change(stage.view) { $0.bounds.origin = CGPoint(x: 970, y: 10) }
    #expect(try stage.masksDrawn() == 1)
    stage.scene.change(stage.view) { $0.bounds.origin = CGPoint(x: 1010, y: 970) }
    #expect(try stage.masksDrawn() == 2)
    stage.scene.change(stage.view) { $0.bounds.origin = CGPoint(x: 985, y: 1000) }
    #expect(try stage.masksDrawn() == 0)
  }

  @Test("A path far from its layer's origin is drawn where it shows")
  func far() throws {
    let far = 2e7
    let path = Path([
      .move(CGPoint(x: far, y: far)), .line(CGPoint(x: far + 30, y: far)),
      .line(CGPoint(x: far, y: far + 30)), .close,
    ])
    var stage = try Stage(path)
    #expect(try stage.masksDrawn() == 0)
    stage.scene.change(stage.shape) { $0.bounds.origin = CGPoint(x: far, y: far) }
    let plan = try stage.plan()
    #expect(plan.uploads.map(\.size) == [PixelSize(width: 33, height: 33)])
    #expect(plan.passes.last?.batches.map(\.program) == [.coverage])
  }

  @Test("A closed session's masks are let go")
  func closed() throws {
    var stage = try Stage()
    let mask = try #require(try stage.plan().uploads.first?.texture)
    stage.planner.closeSession(TestTree.session)
    stage.scene.change(stage.shape) { $0.isHidden = true }
    #expect(try stage.plan().releases == [mask])
  }
}

@Suite("The cache of textures")
struct TextureCacheTests {
  private static let session = SessionID(rawValue: 1)

  private func owner(_ index: UInt32) -> TextureOwner {
    TextureOwner(
      session: Self.session, layer: .living(LayerID(index: index, generation: 0)), part: .fill)
  }

  private func texture(_ number: Int) -> TextureID { TextureID(rawValue: UInt32(number)) }

  @Test("Beyond its budget, what was drawn longest ago goes first, and nothing that is drawn")
  func budget() {
    var cache = TextureCache<Int, Void>()
    for key in 1...4 {
      cache.beginFrame()
      cache.keep(
        texture(key), (), byteCount: 10, for: key, of: owner(UInt32(key)))
      #expect(cache.endFrame(of: Self.session, budget: 100).isEmpty)
    }
    cache.beginFrame()
    #expect(cache.take(1, for: owner(1)) == texture(1))
    #expect(cache.endFrame(of: Self.session, budget: 25) == [texture(2), texture(3)])
    #expect(cache.byteCount(of: Self.session) == 20)
    // An evicted texture's owner has nothing left to give up.
    #expect(cache.remove(LayerID(index: 2, generation: 0)).isEmpty)
    cache.beginFrame()
    #expect(cache.take(1, for: owner(1)) != nil)
    #expect(cache.take(4, for: owner(4)) != nil)
    #expect(cache.endFrame(of: Self.session, budget: 0).isEmpty)
  }

  @Test("A session's budget is for its own textures")
  func budgets() {
    var cache = TextureCache<Int, Void>()
    let other = TextureOwner(
      session: SessionID(rawValue: 2), layer: .living(LayerID(index: 9, generation: 0)),
      part: .fill)
    cache.beginFrame()
    cache.keep(texture(1), (), byteCount: 50, for: 1, of: other)
    #expect(cache.endFrame(of: other.session, budget: 60).isEmpty)
    cache.beginFrame()
    cache.keep(texture(2), (), byteCount: 10, for: 2, of: owner(2))
    #expect(cache.endFrame(of: Self.session, budget: 10).isEmpty)
    #expect(cache.byteCount(of: other.session) == 50)
    #expect(cache.removeAll(of: other.session) == [texture(1)])
  }

  @Test("Random claims leave exactly the entries that somebody claims", arguments: 0..<20)
  func claims(seed: Int) {
    var random = SeededGenerator(seed: seed)
    var cache = TextureCache<Int, Void>()
    var claimed: [UInt32: Set<Int>] = [:]
    var alive: [Int: TextureID] = [:]
    var next = 0
    for _ in 0..<200 {
      cache.beginFrame()
      var frame: [UInt32: Set<Int>] = [:]
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        let (index, key) = (
          UInt32.random(in: 0..<5, using: &random), Int.random(in: 0..<8, using: &random)
        )
        frame[index, default: []].insert(key)
        let found = cache.take(key, for: owner(index))
        #expect(found == alive[key])
        guard found == nil else { continue }
        next += 1
        alive[key] = texture(next)
        cache.keep(texture(next), (), byteCount: 1, for: key, of: owner(index))
      }
      claimed.merge(frame) { $1 }
      var removed = Set(cache.endFrame(of: Self.session, budget: 1000))
      if Int.random(in: 0..<4, using: &random) == 0 {
        let gone = UInt32.random(in: 0..<5, using: &random)
        claimed[gone] = nil
        removed.formUnion(cache.remove(LayerID(index: gone, generation: 0)))
      }
      let kept = claimed.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
      #expect(removed == Set(alive.filter { !kept.contains($0.key) }.values))
      alive = alive.filter { kept.contains($0.key) }
      #expect(cache.byteCount(of: Self.session) == alive.count)
    }
  }
}
