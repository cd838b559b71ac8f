import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

extension TiledLayerTests {
  @Test("The context of a drawing has a tile as its clip and the level as its scale")
  func contexts() throws {
    let tiled = map()
    _ = try frame(of: tiled)
    func tile(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) -> DrawnTile {
      DrawnTile(area: CGRect(x: x, y: y, width: width, height: height), scale: 1)
    }
    #expect(
      tiled.tiles == [
        tile(0, 0, 80, 80), tile(80, 0, 80, 80), tile(160, 0, 40, 80), tile(0, 80, 80, 60),
        tile(80, 80, 80, 60), tile(160, 80, 40, 60),
      ])
    #expect(tiled.threads.withLock { $0 } == ["lamina drawing"])
  }

  @Test("Only visible tiles are drawn, each once", arguments: [false, true])
  func visible(isTurned: Bool) throws {
    let (root, scroll, tiled) = (
      CALayer(), CAScrollLayer(), map(CGRect(x: 0, y: 0, width: 10_000, height: 10_000))
    )
    scroll.frame = CGRect(x: 40, y: 30, width: 100, height: 90)
    if isTurned { scroll.transform = CATransform3DMakeRotation(0.8, 0, 0, 1) }
    scroll.addSublayer(tiled)
    root.addSublayer(scroll)
    let renderer = try renderer(root)
    _ = try renderer.image(at: 0)
    #expect(tiled.count == 4)
    _ = try renderer.image(at: 1)
    #expect(tiled.count == 4)
    for x in stride(from: 0, through: 500, by: 10) {
      withoutActions { scroll.scroll(to: CGPoint(x: x, y: 0)) }
      _ = try renderer.image(at: 1)
    }
    #expect(tiled.count == 16)
    #expect(Set(tiled.tiles).count == 16)
    for hide in [{ root.isHidden = $0 }, { root.opacity = $0 ? 0 : 1 }] as [(Bool) -> Void] {
      withoutActions {
        hide(true)
        scroll.scroll(to: CGPoint(x: 5000, y: 5000))
      }
      _ = try renderer.image(at: 1)
      #expect(tiled.count == 16)
      withoutActions {
        scroll.scroll(to: CGPoint.zero)
        hide(false)
      }
    }
  }

  @Test("setNeedsDisplay redraws the tiles that it meets, if they are visible")
  func invalidation() throws {
    let (root, tiled) = (CALayer(), map(CGRect(x: 0, y: 0, width: 400, height: 160)))
    root.addSublayer(tiled)
    let renderer = try renderer(root)
    _ = try renderer.image(at: 0)
    #expect(tiled.count == 6)
    tiled.forget()
    tiled.setNeedsDisplay(CGRect(x: 70, y: 10, width: 20, height: 20))
    #expect(tiled.needsDisplay())
    _ = try renderer.image(at: 0)
    #expect(tiled.tiles.map(\.area.minX) == [0, 80])
    #expect(!tiled.needsDisplay())
    tiled.forget()
    tiled.setNeedsDisplay(CGRect(x: 300, y: 0, width: 9, height: 9))
    _ = try renderer.image(at: 0)
    #expect(tiled.count == 0)
    tiled.setNeedsDisplay()
    _ = try renderer.image(at: 0)
    #expect(tiled.count == 6)
  }

  @Test("render() draws a frame after setNeedsDisplay, and no second one")
  func updates() throws {
    let root = CALayer()
    let tiled = map()
    root.addSublayer(tiled)
    let renderer = try renderer(root)
    func update() -> Bool {
      renderer.beginFrame(atTime: 0, timeStamp: nil)
      defer { renderer.endFrame() }
      let isNew = !renderer.updateBounds().isNull
      renderer.render()
      return isNew
    }
    #expect(update())
    #expect(!update())
    tiled.setNeedsDisplay(CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(update())
    #expect(tiled.count == 7)
    #expect(!update())
    #expect(renderer.nextFrameTime() == .infinity)
  }

  @Test("Bounds that grow have the cut tiles drawn again, and those alone")
  func growing() throws {
    let (root, tiled) = (CALayer(), map(CGRect(x: 0, y: 0, width: 100, height: 80)))
    root.addSublayer(tiled)
    let renderer = try renderer(root)
    _ = try renderer.image(at: 0)
    withoutActions { tiled.frame.size.width = 140 }
    let grown = try renderer.image(at: 0)
    #expect(tiled.tiles.map(\.area.maxX) == [80, 100, 140])
    expectSame(grown, try frame(of: sheet(CGRect(x: 0, y: 0, width: 140, height: 80))))
    withoutActions { tiled.frame.size.width = 90 }
    expectSame(
      try renderer.image(at: 0), try frame(of: sheet(CGRect(x: 0, y: 0, width: 90, height: 80))))
    #expect(tiled.count == 3)
  }

  @Test("A delegate draws tiles; without a drawing one there are none")
  func delegates() throws {
    let layer = CATiledLayer()
    layer.frame = Self.place
    layer.tileSize = CGSize(width: 80, height: 80)
    let delegate = CellDelegate()
    layer.delegate = delegate
    expectSame(try frame(of: layer), try frame(of: sheet()))
    let silent = SilentTileDelegate()
    layer.delegate = silent
    layer.setNeedsDisplay()
    #expect(try frame(of: layer).ink.isNull)
    #expect(layer.tileUsage.bytes == 0)
    layer.delegate = nil
    #expect(try frame(of: layer).ink.isNull)
  }

  @Test("Contents that are set take the place of the tiles")
  func contents() throws {
    let (root, tiled) = (CALayer(), map())
    root.addSublayer(tiled)
    let renderer = try renderer(root)
    let tiles = try renderer.image(at: 0)
    withoutActions { tiled.contents = tiles }
    #expect(
      try renderer.image(at: 0).unpremultipliedRGBA != tiles.unpremultipliedRGBA)
    withoutActions { tiled.contents = nil }
    expectSame(try renderer.image(at: 0), tiles)
    #expect(tiled.count == 6)
  }

  @Test("Tiles are no sublayers: nobody finds them in the tree")
  func hidden() throws {
    let (root, tiled) = (CALayer(), CATiledLayer())
    let delegate = CellDelegate()
    tiled.delegate = delegate
    tiled.frame = Self.place
    tiled.tileSize.width = 80
    root.addSublayer(tiled)
    let renderer = try renderer(root)
    _ = try renderer.image(at: 0)
    #expect(tiled.tileUsage.tiles > 0)
    #expect(tiled.sublayers == nil)
    #expect(root.hitTest(CGPoint(x: 50, y: 50)) === tiled)
    let data = try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
    let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CALayer.self, from: data)
    let sublayer = try #require(copy?.sublayers?.first as? CATiledLayer)
    #expect(sublayer.sublayers == nil && sublayer.tileSize == tiled.tileSize)
    let presentation = try #require(tiled.presentation())
    #expect(presentation.sublayers == nil && presentation.tileSize == tiled.tileSize)
  }

  // MARK: Memory

  private func largeMap() -> (root: CALayer, map: TiledMap) {
    let (root, tiled) = (
      CALayer(),
      map(CGRect(x: 0, y: 0, width: 100_000, height: 100_000), tile: 256, drawsCells: false)
    )
    (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (6, 2)
    tiled.anchorPoint = .zero
    root.addSublayer(tiled)
    return (root, tiled)
  }

  /// Brings a point on the layer's diagonal to the frame's corner.
  private func scroll(_ tiled: TiledMap, to place: CGFloat, zoom: CGFloat) {
    withoutActions {
      tiled.transform = CATransform3DMakeScale(zoom, zoom, 1)
      tiled.position = CGPoint(x: -place * zoom, y: -place * zoom)
    }
  }

  @Test("Scrolling over 100,000 points, with zooming, keeps 16 MiB besides the visible tiles")
  func bounded() throws {
    let (root, tiled) = largeMap()
    let renderer = try renderer(root)
    var most = 0
    for step in 0..<400 {
      let zoom = [1, 2, 0.5, 0.25][step / 100]
      scroll(tiled, to: CGFloat(step) * 250, zoom: zoom)
      _ = try renderer.drawFrame(at: 0)
      most = max(most, tiled.tileUsage.bytes)
    }
    #expect(Set(tiled.tiles).count == tiled.count)
    #expect(tiled.count > 700)
    // A frame of 240x160 touches four tiles at most.
    #expect(most <= TileCache.spareByteLimit + 4 * 256 * 256 * 4)
  }

  @Test(
    "A full screen that scrolls and zooms takes less than 200 MB, the render process's included",
    arguments: platforms)
  func memory(platform: RenderPlatform) throws {
    let (root, tiled) = largeMap()
    // One of its own: renderers share the process for their options.
    var server = RenderServer.process.on(platform)
    server.options.memoryBudget = 1000 << 20
    let renderer = try CARenderer(
      size: CGSize(width: 1920, height: 1080), clock: .manual(), server: server)
    renderer.layer = root
    let process = try #require(renderer.serverProcessID)
    var most = 0
    for step in 0..<96 {
      // Just above half the scale of a level, four times the usual number of tiles show.
      let zoom = [1, 0.51, 2, 0.3][step / 24]
      scroll(tiled, to: CGFloat(step) * 1000, zoom: zoom)
      _ = try renderer.drawFrame(at: 0)
      most = max(most, ownMemory(of: process) + tiled.tileUsage.bytes)
    }
    #expect(tiled.count > 1000)
    // A sanitizer keeps memory that was given back.
    let limit = sandboxIsOff ? .max : 200 << 20
    #expect((64 << 20...limit).contains(most), "\(most >> 20) MB")
  }

  @Test("A layer that leaves the tree forgets its tiles, and one that is gone takes them along")
  func released() throws {
    let root = CALayer()
    var tiled: TiledMap? = map()
    root.addSublayer(try #require(tiled))
    let renderer = try renderer(root)
    _ = try renderer.image(at: 0)
    #expect(tiled?.tileUsage.tiles == 6)
    tiled?.removeFromSuperlayer()
    _ = try renderer.image(at: 0)
    #expect(tiled?.tileUsage.tiles == 0)
    root.addSublayer(try #require(tiled))
    _ = try renderer.image(at: 0)
    weak let gone = tiled?.contentsLayers.first
    weak let pixels = tiled?.contentsLayers.first?.contentsStorage
    #expect(gone != nil && pixels != nil)
    tiled?.removeFromSuperlayer()
    tiled = nil
    _ = try renderer.image(at: 0)
    #expect(gone == nil && pixels == nil)
  }

  @Test("Numbers that make no sense draw something or nothing, and never trap")
  func strangeNumbers() throws {
    _ = try warnings {
      let strange: [CGFloat] = [0, -1, -.infinity, .infinity, .nan, 1e300, 1e-300, 1, 7.5, 1e9]
      for number in strange {
        let tiled = map(CGRect(x: 0, y: 0, width: 1e6, height: 1e6), drawsCells: false)
        tiled.tileSize = CGSize(width: number, height: 64)
        tiled.tileSize.height = number
        (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (.max, -1)
        (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (Int(UInt32.max), Int(UInt32.max))
        let renderer = try renderer(tiled)
        _ = try renderer.image(at: 0)
        tiled.contentsScale = number
        _ = try renderer.image(at: 0)
        tiled.transform = CATransform3DMakeScale(number, 1, 1)
        _ = try renderer.image(at: 0)
        tiled.transform = CATransform3DMakeScale(number, number, 1)
        _ = try renderer.image(at: 0)
        tiled.transform.m34 = number
        tiled.transform.m14 = number
        _ = try renderer.image(at: 0)
        tiled.bounds = CGRect(x: number, y: -number, width: 1e308, height: number)
        _ = try renderer.image(at: 0)
        tiled.setNeedsDisplay(CGRect(x: number, y: number, width: number, height: 3))
        _ = try renderer.image(at: 0)
      }
    }
  }

  @Test("A frame that would show too many tiles shows a coarser level")
  func tooMany() throws {
    let tiled = map(
      CGRect(x: 0, y: 0, width: 100_000, height: 100_000), tile: 16, drawsCells: false)
    tiled.anchorPoint = .zero
    tiled.position = .zero
    tiled.transform = CATransform3DMakeScale(0.002, 0.0015, 1)
    _ = try frame(of: tiled)
    #expect(tiled.count > 100 && tiled.count <= TileGrid.countLimit)
    #expect(Set(tiled.tiles.map(\.scale)).count == 1)
  }

  // MARK: The host's clock

  @Test("On the host's clock a frame waits for no tile, and what comes later fades in")
  func fading() throws {
    let (root, tiled) = (CALayer(), map())
    root.addSublayer(tiled)
    let gate = DispatchSemaphore(value: 0)
    tiled.whileDrawing.withLock { $0 = { gate.wait() } }
    let renderer = try renderer(root, clock: .host)
    let now = MediaClock.host.time
    #expect(try renderer.image(at: now).ink.isNull)
    #expect(renderer.nextFrameTime() <= MediaClock.host.time)
    for _ in 0..<6 { gate.signal() }
    renderer.tree.drawingQueue.waitUntilIdle()
    _ = try renderer.image(at: now)
    let fades = tiled.contentsLayers.compactMap(\.attachedAnimations.first)
    #expect(fades.count == 6)
    let start = try #require(fades.first).description.timing.beginTime
    func alpha(at time: Double) throws -> Int {
      Int(try renderer.image(at: time).pixel(x: 60, y: 60).alpha)
    }
    #expect(try alpha(at: start) == 0)
    #expect(try abs(alpha(at: start + 0.125) - 128) < 3)
    #expect(try alpha(at: start + 0.25) == 255)
    expectSame(try renderer.image(at: start + 1), try frame(of: sheet()))
    #expect(!tiled.isUnsettled(at: start + 1))
    #expect(tiled.count == 6)
  }

  @Test("On the host's clock the tiles of the old level show until those of the new one do")
  func levels() throws {
    let (root, tiled) = (CALayer(), map())
    (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (2, 1)
    root.addSublayer(tiled)
    let renderer = try renderer(root, clock: .host)
    func settle() throws -> CGImage {
      _ = try renderer.image(at: MediaClock.host.time)
      renderer.tree.drawingQueue.waitUntilIdle()
      let later = MediaClock.host.time + 40
      _ = try renderer.image(at: later)
      return try renderer.image(at: later + 10)
    }
    let first = try settle()
    expectSame(first, try frame(of: sheet()))
    let gate = DispatchSemaphore(value: 0)
    tiled.whileDrawing.withLock { $0 = { gate.wait() } }
    withoutActions { tiled.transform = CATransform3DMakeScale(1.5, 1.5, 1) }
    let between = try renderer.image(at: MediaClock.host.time + 20)
    #expect(between.pixel(x: 120, y: 80).alpha == 255)
    #expect(Set(tiled.tiles.map(\.scale)).isSuperset(of: [1]))
    for _ in 0..<100 { gate.signal() }
    renderer.tree.drawingQueue.waitUntilIdle()
    // While the new tiles fade in, the old ones are behind them.
    _ = try renderer.image(at: MediaClock.host.time + 20)
    #expect(tiled.contentsLayers.first?.bounds.width == 80)
    #expect(tiled.contentsLayers.last.map { $0.bounds.width <= 40 } == true)
    let last = try settle()
    #expect(Set(tiled.contentsLayers.map(\.bounds.width)).max() ?? 0 <= 40)
    let alone = map()
    (alone.levelsOfDetail, alone.levelsOfDetailBias) = (2, 1)
    alone.transform = CATransform3DMakeScale(1.5, 1.5, 1)
    expectSame(last, try frame(of: alone))
  }

  @Test("Tiles that leave the frame before they are begun are not drawn")
  func cancelling() throws {
    let (root, tiled) = (
      CALayer(), map(CGRect(x: 0, y: 0, width: 10_000, height: 10_000), tile: 16)
    )
    root.addSublayer(tiled)
    let gate = DispatchSemaphore(value: 0)
    tiled.whileDrawing.withLock { $0 = { gate.wait() } }
    let renderer = try renderer(root, clock: .host)
    _ = try renderer.image(at: MediaClock.host.time)
    withoutActions { tiled.position.x -= 4800 }
    _ = try renderer.image(at: MediaClock.host.time)
    for _ in 0..<400 { gate.signal() }
    renderer.tree.drawingQueue.waitUntilIdle()
    let left = tiled.tiles.filter { $0.area.minX < 4000 }
    // A frame has 150 tiles. One a thread had begun.
    #expect(left.count <= 8)
    #expect(tiled.count == 150 + left.count)
  }

  // MARK: Threads

  @Test("Eight threads scroll and zoom at random, each a tree of its own")
  func threads() {
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      do {
        var random = SeededGenerator(seed: UInt64(thread))
        let clock = thread % 2 == 0 ? MediaClock.manual() : .host
        let (root, tiled) = (
          CALayer(), map(CGRect(x: 0, y: 0, width: 100_000, height: 100_000), drawsCells: false)
        )
        (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (4, 1)
        root.addSublayer(tiled)
        let renderer = try renderer(root, clock: clock)
        for _ in 0..<20 {
          let zoom = CGFloat.random(in: 0.2...2, using: &random)
          withoutActions {
            tiled.transform = CATransform3DMakeScale(zoom, zoom, 1)
            tiled.position.x = CGFloat.random(in: -40_000...40_000, using: &random) * zoom
            tiled.position.y = 80
          }
          if Bool.random(using: &random) { tiled.setNeedsDisplay() }
          let image = try renderer.image(at: clock.time)
          if clock.isManual { #expect(image.pixel(x: 120, y: 80).alpha == 255) }
        }
        renderer.tree.drawingQueue.waitUntilIdle()
      } catch {
        Issue.record(error)
      }
    }
  }
}
