import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

@Suite("Tiled layers") struct TiledLayerTests {
  static let platforms: [RenderPlatform] = [.surfaceless, .software]
  static let place = CGRect(x: 10, y: 7, width: 200, height: 140)

  func renderer(
    _ root: CALayer, on platform: RenderPlatform = .software, clock: MediaClock = .manual()
  ) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: 240, height: 160), clock: clock, server: .inProcess.on(platform))
    renderer.layer = root
    return renderer
  }

  /// The sides of tiles are multiples of the cells' at all levels, so that no disc is cut: Cairo
  /// rounds the edge of a shape differently by 1 or 2 of 255 where a clip cuts it.
  func map(
    _ frame: CGRect = place, tile: CGFloat = 80, drawsCells: Bool = true
  ) -> TiledMap {
    let map = TiledMap()
    map.drawsCells = drawsCells
    map.frame = frame
    map.tileSize = CGSize(width: tile, height: tile)
    return map
  }

  func sheet(_ frame: CGRect = place, scale: CGFloat = 1) -> PlainSheet {
    let sheet = PlainSheet()
    sheet.frame = frame
    sheet.contentsScale = scale
    sheet.setNeedsDisplay()
    return sheet
  }

  func frame(
    of layer: CALayer, on platform: RenderPlatform = .software, at time: Double = 0
  ) throws -> CGImage {
    let root = CALayer()
    root.addSublayer(layer)
    return try renderer(root, on: platform).image(at: time)
  }

  func expectSame(
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
}
