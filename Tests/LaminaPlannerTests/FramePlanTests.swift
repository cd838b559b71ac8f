import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("What a frame's plan says")
struct FramePlanTests {
  @Test("An empty tree clears the surface and draws nothing")
  func emptyTree() throws {
    var scene = try TestTree()
    #expect(
      try scene.plan().description == """
        frame 100x100 damage (0,0 100x100)
        pass surface clear (0,0 100x100)
        """)
  }

  @Test("An opaque layer on whole pixels is copied, without blending or coverage")
  func opaqueLayer() throws {
    var scene = try TestTree()
    scene.layer(frame: CGRect(x: 10, y: 20, width: 30, height: 40)) { $0.backgroundColor = .red }
    #expect(
      try scene.plan().description == """
        frame 100x100 damage (0,0 100x100)
        pass surface clear (0,0 100x100)
          solid, 2 triangles, copy, scissor (0,0 100x100) box (10,20 30x40)
        """)
  }

  @Test("Edges between pixels are moved out by a pixel and shaded, unless the layer forbids it")
  func fractionalEdges() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let frame = CGRect(x: 10.5, y: 20, width: 30, height: 40)
    scene.layer(frame: frame, in: root) { $0.backgroundColor = .red }
    scene.layer(frame: frame, in: root) {
      $0.backgroundColor = .red
      $0.allowsEdgeAntialiasing = false
    }
    let lines = try scene.plan().description.split(separator: "\n").suffix(2)
    #expect(
      Array(lines) == [
        "  solidEdges, 2 triangles, scissor (0,0 100x100) box (9.5,20 32x40)",
        "  solid, 2 triangles, copy, scissor (0,0 100x100) box (10.5,20 30x40)",
      ])
  }

  @Test("Layers of one kind make one batch")
  func batching() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    for i in 0..<50 {
      scene.layer(frame: CGRect(x: i, y: i, width: 10, height: 10), in: root) {
        $0.backgroundColor = .red
      }
    }
    let plan = try scene.plan()
    #expect(plan.passes.count == 1)
    #expect(plan.passes[0].batches.map(\.vertexCount) == [300])
  }

  @Test("A batch has as many quads as there are of its state")
  func longBatch() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    for i in 0..<400 {
      scene.layer(frame: CGRect(x: i % 50, y: 0, width: 10, height: 10), in: root) {
        $0.backgroundColor = .red
      }
    }
    #expect(try scene.plan().passes[0].batches.map(\.vertexCount) == [2400])
  }

  @Test("A half-opaque layer with sublayers is composited once, not per child")
  func groupOpacity() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) { $0.opacity = 0.5 }
    scene.layer(frame: CGRect(x: 0, y: 0, width: 20, height: 20), in: root) {
      $0.backgroundColor = .red
    }
    scene.layer(frame: CGRect(x: 10, y: 10, width: 20, height: 20), in: root) {
      $0.backgroundColor = .green
    }
    let plan = try scene.plan()
    #expect(plan.passes.map(\.target) == [.offscreen(0), .surface])
    #expect(plan.passes[1].batches.map(\.program) == [.group])
    #expect(plan.paintedItems.last?.color == .bytes(0x8080_8080))
  }

  @Test("Without allowsGroupOpacity every sublayer is faded by itself, and no target is needed")
  func ungroupedOpacity() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.opacity = 0.5
      $0.allowsGroupOpacity = false
    }
    for _ in 0..<2 {
      scene.layer(frame: CGRect(x: 0, y: 0, width: 20, height: 20), in: root) {
        $0.backgroundColor = .red
        $0.opacity = 0.5
      }
    }
    let plan = try scene.plan()
    #expect(plan.offscreens.isEmpty)
    #expect(plan.paintedItems.map(\.color) == [.bytes(0x4000_0040), .bytes(0x4000_0040)])
  }

  @Test("A layer that draws one thing needs no group to be faded")
  func singlePieceOpacity() throws {
    var scene = try TestTree()
    scene.layer(frame: CGRect(x: 0, y: 0, width: 20, height: 20)) {
      $0.backgroundColor = .red
      $0.opacity = 0.5
    }
    let plan = try scene.plan()
    #expect(plan.offscreens.isEmpty)
    #expect(plan.passes[0].batches.map(\.blend) == [.sourceOver])
  }

  @Test("masksToBounds on whole pixels is a scissor; under rotation, a group with soft edges")
  func clipping() throws {
    func plan(_ set: (inout LayerValues) -> Void) throws -> FramePlan {
      var scene = try TestTree()
      let root = scene.layer(frame: CGRect(x: 10, y: 10, width: 50, height: 50)) {
        $0.masksToBounds = true
        set(&$0)
      }
      scene.layer(frame: CGRect(x: -100, y: -100, width: 300, height: 300), in: root) {
        $0.backgroundColor = .red
      }
      return try scene.plan()
    }
    let straight = try plan { _ in }
    #expect(straight.passes.count == 1)
    #expect(
      straight.passes[0].batches[0].scissor == PixelRect(minX: 10, minY: 10, maxX: 60, maxY: 60))
    let turned = try plan {
      $0.transform = CATransform3D(rotationAngle: 0.5, x: 0, y: 0, z: 1)
    }
    #expect(turned.passes.last?.batches.map(\.program) == [.groupEdges])
    let round = try plan { $0.cornerRadius = 8 }
    #expect(round.passes.last?.batches.map(\.program) == [.groupRounded])
  }

  @Test("A mask takes two targets: the layer, and what its alpha comes from")
  func mask() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.backgroundColor = .red
    }
    let mask = scene.looseLayer(frame: CGRect(x: 10, y: 10, width: 20, height: 20)) {
      $0.backgroundColor = .green
    }
    scene.commit.edits.append(.setMask(mask: mask, layer: root))
    let plan = try scene.plan()
    #expect(plan.passes.map(\.target) == [.offscreen(0), .offscreen(1), .surface])
    #expect(plan.passes[2].batches.map(\.program) == [.groupMasked])
  }

  @Test("An image is uploaded once, and only its dirty rectangles after that")
  func uploads() throws {
    var scene = try TestTree()
    let image = scene.image(64, 32, id: 7)
    scene.layer(frame: CGRect(x: 0, y: 0, width: 64, height: 32)) { $0.contents = image }
    var planner = FramePlanner.software
    let first = try scene.plan(with: &planner)
    #expect(first.uploads.map(\.region) == [PixelRect(PixelSize(width: 64, height: 32))])
    #expect(try scene.plan(at: 1, with: &planner).uploads.isEmpty)
    let dirty = PixelRect(minX: 4, minY: 5, maxX: 14, maxY: 15)
    _ = scene.image(64, 32, id: 7)
    scene.commit.stores[0].dirty = [dirty]
    let next = try scene.plan(at: 2, with: &planner)
    #expect(next.uploads.map(\.region) == [dirty])
    #expect(next.uploads.map(\.source) == [.store(image, originX: 4, originY: 5)])
    // Two updates between two frames: both of their rectangles must be uploaded.
    let others = [
      PixelRect(minX: 0, minY: 0, maxX: 2, maxY: 2),
      PixelRect(minX: 60, minY: 0, maxX: 62, maxY: 9),
    ]
    for other in others {
      _ = scene.image(64, 32, id: 7)
      scene.commit.stores[0].dirty = [other]
      try scene.apply()
    }
    let both = try scene.plan(at: 2.5, with: &planner)
    #expect(both.uploads.map(\.region) == others)
    scene.commit.releasedStores = [image]
    let last = try scene.plan(at: 3, with: &planner)
    #expect(last.releases == [first.uploads[0].texture])
    #expect(last.passes[0].batches.isEmpty)
  }

  @Test(
    "A picture in a dma-buf has a texture there, of its own, which each new picture names again")
  func dmaBufs() throws {
    var scene = try TestTree()
    let image = scene.image(64, 32, id: 7, in: 3)
    scene.layer(frame: CGRect(x: 0, y: 0, width: 64, height: 32)) { $0.contents = image }
    var planner = FramePlanner(
      profile: DeviceProfile(maxTextureSize: 4096, hasBGRA: true, sharesTextures: true))
    let first = try scene.plan(with: &planner)
    let upload = try #require(first.uploads.first)
    let whole = PixelRect(PixelSize(width: 64, height: 32))
    #expect(first.uploads.count == 1)
    #expect(
      upload
        == FramePlan.Upload(
          texture: upload.texture, size: whole.size, format: .bgra8, region: whole,
          source: .dmaBuf(DMABufID(rawValue: 3)), sharesStore: true))
    #expect(first.description.contains("region (0,0 64x32): dma-buf 3"))
    #expect(try scene.plan(at: 1, with: &planner).uploads.isEmpty)
    _ = scene.image(64, 32, id: 7, in: 4)
    let second = try scene.plan(at: 2, with: &planner)
    #expect(second.uploads.map(\.source) == [.dmaBuf(DMABufID(rawValue: 4))])
    #expect(second.uploads.map(\.texture) == [upload.texture])
    #expect(second.damage.contains { $0.contains(whole) })
    // Memory is another texture, which is written.
    _ = scene.image(64, 32, id: 7)
    let third = try scene.plan(at: 3, with: &planner)
    #expect(third.releases == [upload.texture])
    #expect(third.uploads.map(\.sharesStore) == [false])
  }

  @Test("A plan is refused that draws from a dma-buf which is not there, or as if it were memory")
  func dmaBufChecks() throws {
    var scene = try TestTree()
    let image = scene.image(64, 32, id: 7, in: 3)
    scene.layer(frame: CGRect(x: 0, y: 0, width: 64, height: 32)) { $0.contents = image }
    let good = try scene.plan()
    func check(_ plan: FramePlan, has id: UInt32) throws {
      try plan.check(
        for: plan.size, hasTexture: { _ in false }, hasCanvas: { _ in false },
        hasDMABuf: { $0.rawValue == id })
    }
    #expect(throws: Never.self) { try check(good, has: 3) }
    #expect(throws: ExecutorError.badUpload(good.uploads[0].texture, "there is no dma-buf 3")) {
      try check(good, has: 4)
    }
    var bad = [good, good, good, good]
    bad[0].uploads[0].sharesStore = false
    bad[1].uploads[0].sharesTexture = true
    bad[2].uploads[0].region.maxX = 63
    bad[3].uploads[0].format = .a8
    for plan in bad { #expect(throws: ExecutorError.self) { try check(plan, has: 3) } }
  }

  @Test("An image larger than the texture limit is cut into tiles that overlap by their seams")
  func tiles() throws {
    var scene = try TestTree()
    let image = scene.image(200, 50, id: 1)
    scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 25)) { $0.contents = image }
    var planner = FramePlanner(
      profile: DeviceProfile(maxTextureSize: 128, hasBGRA: true))
    let plan = try scene.plan(with: &planner)
    #expect(
      plan.uploads.map(\.source) == [
        .store(image, originX: 0, originY: 0), .store(image, originX: 32, originY: 0),
        .store(image, originX: 96, originY: 0), .store(image, originX: 160, originY: 0),
      ])
    #expect(plan.uploads.map(\.size.width) == [96, 128, 104, 40])
    let boxes = plan.description.split(separator: "\n").suffix(4).map { $0.suffix(13) }
    #expect(boxes == ["x (0,0 32x25)", " (32,0 32x25)", " (64,0 32x25)", "x (96,0 4x25)"])
  }

  @Test("A path's coverage is drawn once while nothing of it changes")
  func maskCache() throws {
    var scene = try TestTree()
    scene.layer(.shape, frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.shape.path = Path([.move(.zero), .line(CGPoint(x: 50, y: 0)), .line(CGPoint(x: 0, y: 50))])
    }
    var planner = FramePlanner.software
    let first = try scene.plan(with: &planner)
    #expect(first.uploads.count == 1)
    #expect(try scene.plan(at: 1, with: &planner).uploads.isEmpty)
    var moved = LayerValues()
    moved.position = CGPoint(x: 60.25, y: 50)
    var position = StoredPropertySet()
    position.insert(.position)
    scene.commit.changes.append(
      Commit.LayerChange(
        layer: LayerID(index: 0, generation: 0), properties: position, values: moved))
    let second = try scene.plan(at: 2, with: &planner)
    #expect(second.uploads.count == 1)
    #expect(second.releases == [first.uploads[0].texture])
  }

  @Test("What lies outside the surface or behind the eye makes no batch")
  func culling() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
      $0.sublayerTransform.m34 = -1.0 / 100
    }
    scene.layer(frame: CGRect(x: 200, y: 0, width: 10, height: 10), in: root) {
      $0.backgroundColor = .red
    }
    scene.layer(frame: CGRect(x: 0, y: 0, width: 10, height: 10), in: root) {
      $0.backgroundColor = .red
      $0.zPosition = 150
    }
    #expect(try scene.plan().passes[0].batches.isEmpty)
  }

  @Test("A layer that shows its back is drawn unless it is single-sided; mirroring turns no back")
  func doubleSided() throws {
    func batches(_ transform: CATransform3D) throws -> Int {
      var scene = try TestTree()
      scene.layer(frame: CGRect(x: 20, y: 20, width: 40, height: 40)) {
        $0.backgroundColor = .red
        $0.isDoubleSided = false
        $0.transform = transform
      }
      return try scene.plan().passes[0].batches.count
    }
    #expect(try batches(.identity) == 1)
    #expect(try batches(CATransform3D(rotationAngle: .pi, x: 0, y: 1, z: 0)) == 0)
    #expect(try batches(CATransform3D(scaleX: -1, y: 1)) == 1)
  }

  @Test("Mipmaps are made once for an image, and only where it is drawn smaller and trilinear")
  func mipmaps() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let (large, small) = (scene.image(80, 40, id: 1), scene.image(4, 4, id: 2))
    for (image, filter) in [
      (large, ContentsFilter.trilinear), (large, .trilinear), (small, .trilinear),
    ] {
      scene.layer(frame: CGRect(x: 0, y: 0, width: 20, height: 10), in: root) {
        $0.contents = image
        $0.contentsDetail.minificationFilter = filter
        $0.contentsDetail.minificationFilterBias = 0.5
      }
    }
    var planner = FramePlanner.software
    let first = try scene.plan(with: &planner)
    #expect(first.mipmaps == [FramePlan.Mipmaps(texture: TextureID(rawValue: 1), count: 6)])
    let batches = first.passes[0].batches
    #expect(batches.map(\.program) == [.mipmappedImage, .plainImage])
    #expect(batches.flatMap(\.sources).map(\.filter) == [.trilinear(bias: 0.5), .linear])
    #expect(try scene.plan(with: &planner).mipmaps.isEmpty)
  }

  @Test("Tiles of a large image begin and end where their mipmaps' pixels do")
  func mipmappedTiles() throws {
    var scene = try TestTree()
    let image = scene.image(150, 20, id: 1)
    scene.layer(frame: CGRect(x: 0, y: 0, width: 30, height: 4)) {
      $0.contents = image
      $0.contentsDetail.minificationFilter = .trilinear
    }
    var planner = FramePlanner(
      profile: DeviceProfile(maxTextureSize: 64, hasBGRA: true))
    let plan = try scene.plan(with: &planner)
    // 16 of 64 pixels on each side belong to the neighbour, which is enough for 4 halvings.
    #expect(plan.mipmaps.map(\.count) == [4, 4, 4, 4, 4])
    let tiles = plan.uploads.compactMap { upload -> [Int]? in
      guard case .store(_, let x, _) = upload.source else { return nil }
      return [x, upload.size.width]
    }
    #expect(tiles == [[0, 48], [16, 64], [48, 64], [80, 64], [112, 38]])
  }

  @Test("Equal trees make equal plans, whatever was planned before")
  func determinism() throws {
    func scene() throws -> TestTree {
      var scene = try TestTree()
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
      for i in 0..<20 {
        scene.layer(.shape, frame: CGRect(x: i * 3, y: i, width: 30, height: 30), in: root) {
          $0.shape.path = Path([
            .move(.zero), .line(CGPoint(x: 30, y: i)), .line(CGPoint(x: 0, y: 30)),
          ])
          $0.opacity = 0.5
          $0.cornerRadius = 3
        }
      }
      return scene
    }
    var (a, b) = (try scene(), try scene())
    #expect(try a.plan() == b.plan())
  }
}
