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
  var isOnMainThread: Bool
}

private final class Map: CATiledLayer {
  let drawn = Lock<[DrawnTile]>([])

  override func draw(in ctx: CGContext) {
    let area = ctx.boundingBoxOfClipPath
    let tile = DrawnTile(
      area: area, scale: ctx.ctm.a,
      isOnMainThread: Thread.current.name != "lamina tiles")
    drawn.withLock { $0.append(tile) }
    drawCells(area, in: ctx)
  }

  var count: Int { drawn.withLock { $0.count } }
  var areas: [CGRect] {
    drawn.withLock { $0.map(\.area) }.sorted { ($0.minY, $0.minX) < ($1.minY, $1.minX) }
  }
  func forget() { drawn.withLock { $0 = [] } }
}

/// The same drawing in an ordinary layer.
private final class Sheet: CALayer {
  override func draw(in ctx: CGContext) { drawCells(bounds, in: ctx) }
}

@Suite("Tiled layers") struct TiledLayerTests {
  private static let platforms: [RenderPlatform] = [.surfaceless, .software]

  private func renderer(
    _ root: CALayer, width: CGFloat = 240, height: CGFloat = 160,
    on platform: RenderPlatform = .software, clock: MediaClock = .manual()
  ) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: width, height: height), clock: clock, server: .inProcess.on(platform))
    renderer.layer = root
    return renderer
  }

  private func map(_ frame: CGRect, tile: CGFloat = 64) -> Map {
    let map = Map()
    map.frame = frame
    map.tileSize = CGSize(width: tile, height: tile)
    return map
  }

  private func sheet(_ frame: CGRect, scale: CGFloat = 1) -> Sheet {
    let sheet = Sheet()
    sheet.frame = frame
    sheet.contentsScale = scale
    sheet.setNeedsDisplay()
    return sheet
  }

  private func frame(of layer: CALayer, on platform: RenderPlatform) throws -> CGImage {
    let root = CALayer()
    root.addSublayer(layer)
    return try renderer(root, on: platform).image(at: 0)
  }

  private func expectSame(
    _ a: CGImage, _ b: CGImage, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let differing = zip(a.unpremultipliedRGBA, b.unpremultipliedRGBA).count { $0 != $1 }
    #expect(differing == 0, sourceLocation: sourceLocation)
    #expect(!a.ink.isNull, sourceLocation: sourceLocation)
  }

  @Test("A tiled layer has one level of detail and tiles of 256 pixels at first")
  func defaults() {
    let layer = CATiledLayer()
    #expect(layer.levelsOfDetail == 1 && layer.levelsOfDetailBias == 0)
    #expect(layer.tileSize == CGSize(width: 256, height: 256))
    #expect(CATiledLayer.fadeDuration() == 0.25)
    #expect(layer.value(forKey: "levelsOfDetail") as? Int == 1)
  }

  @Test("Tiles look like one drawing of the whole", arguments: platforms)
  func whole(platform: RenderPlatform) throws {
    let place = CGRect(x: 10, y: 7, width: 200, height: 140)
    let tiled = map(place)
    let picture = try frame(of: tiled, on: platform)
    #expect(tiled.count == 12)
    expectSame(picture, try frame(of: sheet(place), on: platform))
  }
}
