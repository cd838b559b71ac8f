import Foundation
import LaminaValues

/// The number of a tile: its level of detail, and its place among those of the level.
struct TileID: Hashable, Comparable {
  /// Each level has twice the scale of the one below. At level 0, a point has `contentsScale`
  /// pixels.
  var level: Int
  var row: Int
  var column: Int

  /// Coarse levels first, then row by row.
  static func < (a: TileID, b: TileID) -> Bool {
    (a.level, a.row, a.column) < (b.level, b.row, b.column)
  }
}

/// How a layer's space is divided into tiles. The corner of four tiles lies at the space's origin
/// at every level, so that tiles stay what they are when the bounds move.
struct TileGrid: Equatable {
  /// The size of a tile, in its pixels.
  let tileSize: PixelSize
  /// Pixels per point at level 0.
  let scale: CGFloat

  /// The sides that tiles may have, in pixels. Others count as the nearest of these.
  static let sides: ClosedRange<CGFloat> = 16...4096
  /// The largest number of tiles of a layer that a frame shows.
  static let countLimit = 4096
  /// The largest number of pixels in them, the same as in an ordinary layer.
  static let pixelLimit = CGFloat(BackingStore.maximumPixelCount)
  /// The levels that exist, whatever a layer asks for: coarser and finer ones have scales that no
  /// frame can use.
  static let levels = -64...64
  /// Beyond this number of tiles from the origin, a Double no longer tells pixels apart.
  private static let reach = CGFloat(1 << 40)

  /// `tileSize` is in pixels. A scale that is not positive and finite counts as 1.
  init(tileSize: CGSize, scale: CGFloat) {
    func side(_ side: CGFloat) -> Int {
      Int(min(max(side, Self.sides.lowerBound), Self.sides.upperBound).rounded(.up))
    }
    self.tileSize = PixelSize(width: side(tileSize.width), height: side(tileSize.height))
    self.scale = scale > 0 && scale.isFinite ? scale : 1
  }

  /// Pixels per point at a level.
  func scale(of level: Int) -> CGFloat {
    scale * CGFloat(sign: .plus, exponent: level, significand: 1)
  }

  /// The size of a tile at a level, in points.
  private func size(at level: Int) -> CGSize {
    let scale = scale(of: level)
    return CGSize(
      width: CGFloat(tileSize.width) / scale, height: CGFloat(tileSize.height) / scale)
  }

  /// The part of the layer's space that a tile covers.
  func area(of tile: TileID) -> CGRect {
    let size = size(at: tile.level)
    return CGRect(
      x: CGFloat(tile.column) * size.width, y: CGFloat(tile.row) * size.height,
      width: size.width, height: size.height)
  }

  /// The part of a tile that is drawn if the layer has these bounds: the pixels of the tile that
  /// the bounds touch. nil if there are none.
  func subject(of tile: TileID, in bounds: CGRect) -> (area: CGRect, size: PixelSize)? {
    let (area, scale) = (area(of: tile), scale(of: tile.level))
    let shared = area.overlap(with: bounds)
    guard !shared.isEmpty else { return nil }
    let pixels = CGRect(
      x: (shared.minX - area.minX) * scale, y: (shared.minY - area.minY) * scale,
      width: shared.width * scale, height: shared.height * scale)
    let drawn = PixelRect(
      covering: pixels.insetBy(dx: Self.slack, dy: Self.slack), within: PixelRect(tileSize))
    guard !drawn.isEmpty else { return nil }
    return (
      CGRect(
        x: area.minX + CGFloat(drawn.minX) / scale, y: area.minY + CGFloat(drawn.minY) / scale,
        width: CGFloat(drawn.width) / scale, height: CGFloat(drawn.height) / scale),
      PixelSize(width: drawn.width, height: drawn.height)
    )
  }

  /// The part of a pixel that rounding errors may add to a rectangle.
  private static let slack: CGFloat = 1e-4

  // MARK: Choosing tiles

  /// The level whose pixels are shown at a scale of frame pixels per point: the coarsest level that
  /// is not magnified, among the `count` levels of which `finest` is the last.
  func level(for shown: CGFloat, finest: Int, count: Int) -> Int {
    let finest = min(max(finest, Self.levels.lowerBound), Self.levels.upperBound)
    let (coarsest, overflows) = finest.subtractingReportingOverflow(max(count, 1) - 1)
    let lower = overflows ? Self.levels.lowerBound : max(coarsest, Self.levels.lowerBound)
    // One per cent of magnification is a rounding error of an animation's, and no reason to draw
    // four times the pixels.
    let wanted = log2(shown / scale / 1.01).rounded(.up)
    guard !wanted.isNaN else { return lower }
    return Int(min(max(wanted, CGFloat(lower)), CGFloat(finest)))
  }

  /// The tiles that a frame shows of a layer, row by row. They are of the given level, or of the
  /// finest one below it at which they are few enough.
  func tiles(in visible: VisibleArea, level: Int) -> [TileID] {
    let bounds = visible.values.bounds
    var level = level
    while level > Self.levels.lowerBound, !fits(visible.box, bounds, at: level) { level -= 1 }
    guard let places = places(in: visible.box, at: level), fits(visible.box, bounds, at: level)
    else { return [] }
    var tiles: [TileID] = []
    for row in places.rows {
      for column in places.columns {
        let tile = TileID(level: level, row: row, column: column)
        if visible.meets(area(of: tile)) { tiles.append(tile) }
      }
    }
    return tiles
  }

  private func fits(_ box: CGRect, _ bounds: CGRect, at level: Int) -> Bool {
    guard let (rows, columns) = places(in: box, at: level) else { return false }
    let (count, overflows) = rows.count.multipliedReportingOverflow(by: columns.count)
    guard !overflows, count <= Self.countLimit else { return false }
    let scale = scale(of: level)
    let width = min(CGFloat(tileSize.width), (bounds.width * scale).rounded(.up))
    let height = min(CGFloat(tileSize.height), (bounds.height * scale).rounded(.up))
    return CGFloat(count) * width * height <= Self.pixelLimit
  }

  /// The rows and columns of tiles that a rectangle touches; nil if they are too far from the
  /// origin.
  private func places(
    in box: CGRect, at level: Int
  ) -> (rows: Range<Int>, columns: Range<Int>)? {
    let size = size(at: level)
    func range(_ low: CGFloat, _ high: CGFloat, _ side: CGFloat) -> Range<Int>? {
      let (first, end) = ((low / side).rounded(.down), (high / side).rounded(.up))
      guard abs(first) <= Self.reach, abs(end) <= Self.reach, first <= end else { return nil }
      return Int(first)..<Int(end)
    }
    guard let rows = range(box.minY, box.maxY, size.height),
      let columns = range(box.minX, box.maxX, size.width)
    else { return nil }
    return (rows, columns)
  }
}
