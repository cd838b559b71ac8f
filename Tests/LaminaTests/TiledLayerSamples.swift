import Foundation
import Lamina
import LaminaGraphics
import LaminaValues

/// Draws cells of many colours, each with a disc, so that no part of it looks like another.
func drawCells(_ rect: CGRect, in context: CGContext) {
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
struct DrawnTile: Hashable {
  var area: CGRect
  var scale: CGFloat
}

/// A tiled layer that records its tiles.
final class TiledMap: CATiledLayer {
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
final class PlainSheet: CALayer {
  override func draw(in ctx: CGContext) { drawCells(bounds, in: ctx) }
}

final class CellDelegate: NSObject, CALayerDelegate {
  func draw(_ layer: CALayer, in ctx: CGContext) { drawCells(ctx.boundingBoxOfClipPath, in: ctx) }
}

final class SilentTileDelegate: NSObject, CALayerDelegate {}
