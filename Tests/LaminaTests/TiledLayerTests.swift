import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

/// Draws cells of many colours, each with a disc, so that no part of it looks like another.
private func drawCells(_ rect: CGRect, in context: CGContext) {
  let side: CGFloat = 20
  for row in Int((rect.minY / side).rounded(.down))..<Int((rect.maxY / side).rounded(.up)) {
    for column in Int((rect.minX / side).rounded(.down))..<Int((rect.maxX / side).rounded(.up)) {
      let hash = UInt64(bitPattern: Int64(row &* 7919 &+ column)) &* 0x9e37_79b9_7f4a_7c15 >> 40
      let cell = CGRect(
        x: CGFloat(column) * side, y: CGFloat(row) * side, width: side, height: side)
      func part(_ shift: UInt64) -> CGFloat { CGFloat(hash >> shift & 255) / 255 }
      context.setFillColor(CGColor(red: part(0), green: part(8), blue: part(16), alpha: 1))
      context.fill(cell)
      context.setFillColor(CGColor(red: part(16), green: part(0), blue: part(8), alpha: 1))
      context.fillEllipse(in: cell.insetBy(dx: 3.3, dy: 2.7))
    }
  }
}

/// A tile as its drawing finds it.
private struct DrawnTile: Hashable {
  var area: CGRect
  var scale: CGFloat
}

/// A tiled layer that records its tiles.
private final class Map: CATiledLayer {
  let drawn = Lock<[DrawnTile]>([])
  let threads = Lock<Set<String>>([])
  /// False for areas of so many cells that drawing them takes long.
  var drawsCells = true
  /// Is called while a tile is drawn, on the drawing thread.
  let whileDrawing = Lock<(@Sendable () -> Void)?>(nil)

  override func draw(in ctx: CGContext) {
    let area = ctx.boundingBoxOfClipPath
    let tile = DrawnTile(area: area, scale: ctx.ctm.a)
    let thread = Thread.current.name ?? ""
    drawn.withLock { $0.append(tile) }
    threads.withLock { _ = $0.insert(thread) }
    whileDrawing.withLock { $0 }?()
    if drawsCells { return drawCells(area, in: ctx) }
    ctx.setFillColor(.red)
    ctx.fill(area)
  }

  var tiles: [DrawnTile] {
    drawn.withLock { $0 }.sorted {
      ($0.scale, $0.area.minY, $0.area.minX) < ($1.scale, $1.area.minY, $1.area.minX)
    }
  }
  var count: Int { drawn.withLock { $0.count } }
  func forget() { drawn.withLock { $0 = [] } }
}

/// The same drawing in an ordinary layer.
private final class Sheet: CALayer {
  override func draw(in ctx: CGContext) { drawCells(bounds, in: ctx) }
}

private final class CellDelegate: NSObject, CALayerDelegate {
  func draw(_ layer: CALayer, in ctx: CGContext) { drawCells(ctx.boundingBoxOfClipPath, in: ctx) }
}

private final class SilentDelegate: NSObject, CALayerDelegate {}

@Suite("Tiled layers") struct TiledLayerTests {
  private static let platforms: [RenderPlatform] = [.surfaceless, .software]
  private static let place = CGRect(x: 10, y: 7, width: 200, height: 140)

  private func renderer(
    _ root: CALayer, on platform: RenderPlatform = .software, clock: MediaClock = .manual()
  ) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: 240, height: 160), clock: clock, server: .inProcess.on(platform))
    renderer.layer = root
    return renderer
  }

  /// The sides of tiles are multiples of the cells' at all levels, so that no disc is cut: Cairo
  /// rounds the edge of a shape differently by 1 or 2 of 255 where a clip cuts it.
  private func map(
    _ frame: CGRect = place, tile: CGFloat = 80, drawsCells: Bool = true
  ) -> Map {
    let map = Map()
    map.drawsCells = drawsCells
    map.frame = frame
    map.tileSize = CGSize(width: tile, height: tile)
    return map
  }

  private func sheet(_ frame: CGRect = place, scale: CGFloat = 1) -> Sheet {
    let sheet = Sheet()
    sheet.frame = frame
    sheet.contentsScale = scale
    sheet.setNeedsDisplay()
    return sheet
  }

  private func frame(
    of layer: CALayer, on platform: RenderPlatform = .software, at time: Double = 0
  ) throws -> CGImage {
    let root = CALayer()
    root.addSublayer(layer)
    return try renderer(root, on: platform).image(at: time)
  }

  private func expectSame(
    _ a: CGImage, _ b: CGImage, tolerance: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let difference = zip(a.unpremultipliedRGBA, b.unpremultipliedRGBA)
      .reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    #expect(difference <= tolerance, sourceLocation: sourceLocation)
    #expect(!a.ink.isNull, sourceLocation: sourceLocation)
  }

  @Test("A tiled layer has one level of detail and tiles of 256 pixels at first")
  func defaults() {
    let layer = CATiledLayer()
    #expect(layer.levelsOfDetail == 1 && layer.levelsOfDetailBias == 0)
    #expect(layer.tileSize == CGSize(width: 256, height: 256))
    #expect(CATiledLayer.fadeDuration() == 0.25)
    layer.setValue(3, forKey: "levelsOfDetail")
    #expect(layer.levelsOfDetail == 3)
  }

  // MARK: Pictures

  @Test("Tiles look like one drawing of the whole", arguments: platforms)
  func whole(platform: RenderPlatform) throws {
    expectSame(try frame(of: map(), on: platform), try frame(of: sheet(), on: platform))
  }

  @Test("A disc that lies in two tiles looks whole", arguments: platforms)
  func cutShapes(platform: RenderPlatform) throws {
    expectSame(
      try frame(of: map(tile: 50), on: platform), try frame(of: sheet(), on: platform),
      tolerance: 2)
  }

  @Test("Zoomed layers show the level that belongs to their scale", arguments: platforms)
  func zooms(platform: RenderPlatform) throws {
    for (zoom, scale) in [(2, 2), (0.5, 0.5), (0.25, 0.25), (0.4, 0.5), (1.5, 2), (8, 4)] {
      func zoomed(_ layer: CALayer) -> CALayer {
        layer.anchorPoint = .zero
        layer.frame = Self.place
        layer.transform = CATransform3DMakeScale(zoom, zoom, 1)
        return layer
      }
      let tiled = map()
      (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (5, 2)
      let picture = try frame(of: zoomed(tiled), on: platform)
      #expect(tiled.tiles.allSatisfy { $0.scale == scale })
      // Whether pixels of two tiles are mixed is seen at other scales than a level's.
      guard zoom == scale else { continue }
      expectSame(picture, try frame(of: zoomed(sheet(scale: scale)), on: platform))
    }
  }

  @Test("In a flipped layer tiles lie where one drawing has them", arguments: platforms)
  func flipped(platform: RenderPlatform) throws {
    func flipped(_ layer: CALayer, _ own: Bool) -> CALayer {
      let parent = CALayer()
      parent.frame = CGRect(x: 0, y: 0, width: 240, height: 160)
      parent.isGeometryFlipped = !own
      layer.isGeometryFlipped = own
      parent.addSublayer(layer)
      return parent
    }
    for own in [false, true] {
      expectSame(
        try frame(of: flipped(map(), own), on: platform),
        try frame(of: flipped(sheet(), own), on: platform))
    }
  }

  @Test("In a turned layer tiles meet without a seam", arguments: platforms)
  func turned(platform: RenderPlatform) throws {
    func turned(_ layer: CALayer) -> CALayer {
      let parent = CALayer()
      parent.frame = CGRect(x: 0, y: 0, width: 240, height: 160)
      parent.transform = CATransform3DMakeRotation(0.5, 0, 0, 1)
      parent.addSublayer(layer)
      return parent
    }
    let (tiled, root) = (map(), CALayer())
    root.addSublayer(turned(tiled))
    let a = try renderer(root, on: platform).image(at: 0)
    let b = try frame(of: turned(sheet()), on: platform)
    var unlike = 0
    for y in 0..<a.height {
      for x in 0..<a.width {
        let (p, q) = (a.pixel(x: x, y: y), b.pixel(x: x, y: y))
        #expect(p.alpha == q.alpha)
        let place = tiled.convert(CGPoint(x: CGFloat(x) + 0.5, y: CGFloat(y) + 0.5), from: root)
        // Within half a pixel of a tile's edge, only the tile's own pixels are mixed.
        let isAtEdge = [place.x, place.y].contains { abs($0 - ($0 / 80).rounded() * 80) < 0.51 }
        let difference = [(p.red, q.red), (p.green, q.green), (p.blue, q.blue)]
          .reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
        if difference > 1, !isAtEdge { unlike += 1 }
      }
    }
    #expect(unlike == 0)
  }

  @Test("Tiles lie over the background and under all sublayers", arguments: platforms)
  func order(platform: RenderPlatform) throws {
    func dressed(_ layer: CALayer) -> CALayer {
      layer.backgroundColor = .blue
      layer.cornerRadius = 30
      layer.masksToBounds = true
      layer.borderWidth = 4
      layer.shadowOpacity = 0.5
      layer.opacity = 0.7
      layer.sublayerTransform = CATransform3DMakeRotation(0.6, 0.4, 1, 0.2)
      for (place, depth) in [(20, -50), (60, 30), (110, -5)] as [(CGFloat, CGFloat)] {
        let sublayer = CALayer()
        sublayer.frame = CGRect(x: place, y: 20, width: 60, height: 90)
        sublayer.backgroundColor = .red
        sublayer.zPosition = depth
        layer.addSublayer(sublayer)
      }
      return layer
    }
    expectSame(
      try frame(of: dressed(map()), on: platform), try frame(of: dressed(sheet()), on: platform),
      tolerance: 1)
  }

  @Test("Tiles show wherever the layer does", arguments: platforms, Surroundings.allCases)
  func surroundings(platform: RenderPlatform, surroundings: Surroundings) throws {
    let tiled = map(CGRect(x: 0, y: 0, width: 400, height: 400))
    let whole = sheet(CGRect(x: 0, y: 0, width: 400, height: 400))
    expectSame(
      try frame(of: surroundings.around(tiled), on: platform),
      try frame(of: surroundings.around(whole), on: platform), tolerance: 1)
    #expect(tiled.count <= surroundings.tileCount)
  }

  enum Surroundings: CaseIterable {
    case mask, copies, rasterized, blurred, transformLayer, clipped, farAway

    func around(_ layer: CALayer) -> CALayer {
      let parent: CALayer
      switch self {
      case .mask:
        parent = CALayer()
        parent.frame = CGRect(x: 20, y: 20, width: 150, height: 100)
        parent.backgroundColor = .red
        parent.mask = layer
        return parent
      case .copies:
        let replicator = CAReplicatorLayer()
        replicator.instanceCount = 3
        replicator.instanceTransform = CATransform3DMakeTranslation(-300, 40, 0)
        parent = replicator
      case .rasterized:
        parent = CALayer()
        parent.shouldRasterize = true
      case .blurred:
        parent = CALayer()
        let blur = CAFilter(type: "gaussianBlur")
        blur.setValue(4, forKey: "inputRadius")
        parent.filters = [blur]
      case .transformLayer:
        parent = CATransformLayer()
        parent.sublayerTransform = CATransform3DMakeTranslation(30, 20, -10)
      case .clipped:
        parent = CALayer()
        parent.masksToBounds = true
        parent.bounds.origin = CGPoint(x: 130, y: 50)
      case .farAway:
        parent = CALayer()
        parent.bounds.origin = CGPoint(x: 500, y: 0)
        layer.shadowOpacity = 1
        layer.shadowOffset = CGSize(width: 150, height: 0)
      }
      parent.frame = CGRect(x: 20, y: 20, width: 150, height: 100)
      parent.addSublayer(layer)
      return parent
    }

    var tileCount: Int {
      switch self {
      case .copies: 25
      case .clipped: 9
      default: 16
      }
    }
  }

  @Test("In perspective, the tiles in front of the viewer and in the frame are drawn")
  func perspective() throws {
    let (root, floor) = (
      CALayer(), map(CGRect(x: -5000, y: -5000, width: 10_000, height: 10_000), drawsCells: false)
    )
    root.frame = CGRect(x: 0, y: 0, width: 240, height: 160)
    root.sublayerTransform.m34 = -1 / 200
    floor.levelsOfDetail = 4
    floor.transform = CATransform3DMakeRotation(1.2, 1, 0, 0)
    floor.position = CGPoint(x: 120, y: 160)
    root.addSublayer(floor)
    let picture = try renderer(root).image(at: 0)
    // Of 15,625 at the finest level.
    #expect(floor.count > 4 && floor.count < 1000)
    for x in [0, 120, 239] {
      #expect(picture.pixel(x: x, y: 0).alpha == 0)
      for y in 10..<160 { #expect(picture.pixel(x: x, y: y).alpha == 255) }
    }
  }

  @Test("render(in:) draws what a frame shows")
  func painted() throws {
    func painted(_ layer: CALayer) throws -> CGImage {
      layer.opacity = 0.5
      layer.isOpaque = true
      let root = CALayer()
      root.addSublayer(layer)
      let context = try #require(
        CGContext(
          data: nil, width: 240, height: 160, bitsPerComponent: 8, bytesPerRow: 0,
          space: CGColorSpaceCreateDeviceRGB(),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
      root.render(in: context)
      return try #require(context.makeImage())
    }
    expectSame(try painted(map()), try painted(sheet()), tolerance: 2)
  }

  @Test("A frame depends on the tree and the time, not on the frames before it")
  func history() throws {
    let (root, tiled) = (CALayer(), map(CGRect(x: 0, y: 0, width: 4000, height: 4000)))
    (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (4, 1)
    root.addSublayer(tiled)
    let kept = try renderer(root)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<12 {
      let zoom = CGFloat.random(in: 0.2...2.5, using: &random)
      let position = CGPoint(
        x: CGFloat.random(in: -3000...3000, using: &random),
        y: CGFloat.random(in: -3000...3000, using: &random))
      func move(_ layer: CALayer) {
        layer.transform = CATransform3DMakeScale(zoom, zoom, 1)
        layer.position = position
      }
      let alone = map(tiled.bounds)
      (alone.levelsOfDetail, alone.levelsOfDetailBias) = (4, 1)
      withoutActions { move(tiled) }
      move(alone)
      let (a, b) = (try kept.image(at: 0), try frame(of: alone))
      #expect(a.unpremultipliedRGBA == b.unpremultipliedRGBA)
    }
  }

  @Test("Frames of a moving layer have the tiles of their times")
  func animated() throws {
    func moving(_ layer: CALayer) throws -> CGImage {
      let (root, scroll) = (CALayer(), CAScrollLayer())
      scroll.frame = CGRect(x: 20, y: 20, width: 120, height: 100)
      layer.anchorPoint = .zero
      layer.frame = CGRect(x: 0, y: 0, width: 2000, height: 200)
      scroll.addSublayer(layer)
      root.addSublayer(scroll)
      let move = CABasicAnimation(keyPath: "bounds.origin.x")
      (move.fromValue, move.toValue, move.duration) = (0.0, 1600.0, 4)
      scroll.add(move, forKey: nil)
      return try renderer(root).image(at: 2)
    }
    let tiled = map()
    expectSame(try moving(tiled), try moving(sheet()))
    #expect(tiled.tiles.map(\.area.minX) == [800, 880, 800, 880])
  }

  // MARK: Tiles

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
    let silent = SilentDelegate()
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

  @Test("Scrolling over 100,000 points, with zooming, keeps 16 MiB besides the visible tiles")
  func bounded() throws {
    let (root, tiled) = (
      CALayer(),
      map(CGRect(x: 0, y: 0, width: 100_000, height: 100_000), tile: 256, drawsCells: false)
    )
    (tiled.levelsOfDetail, tiled.levelsOfDetailBias) = (6, 2)
    tiled.anchorPoint = .zero
    root.addSublayer(tiled)
    let renderer = try renderer(root)
    var most = 0
    for step in 0..<400 {
      let zoom = [1, 2, 0.5, 0.25][step / 100]
      withoutActions {
        tiled.transform = CATransform3DMakeScale(zoom, zoom, 1)
        tiled.position = CGPoint(
          x: -CGFloat(step) * 250 * zoom, y: -CGFloat(step) * 250 * zoom)
      }
      _ = try renderer.drawFrame(at: 0)
      most = max(most, tiled.tileUsage.bytes)
    }
    #expect(Set(tiled.tiles).count == tiled.count)
    #expect(tiled.count > 700)
    // A frame of 240x160 touches four tiles at most.
    #expect(most <= TileCache.spareByteLimit + 4 * 256 * 256 * 4)
  }

  @Test("A layer that leaves the tree forgets its tiles, and one that is gone takes them along")
  func released() throws {
    let root = CALayer()
    var tiled: Map? = map()
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
