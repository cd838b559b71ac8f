import LaminaFramePlan

/// Rows between the corners of an upright layer, whose sides run down through the same columns:
/// what covers one of them covers all.
extension Painter {
  /// The coverage of such rows, from 0 to 255 at both sides.
  struct StraightRows {
    var covered: Covered
    /// At the columns of `covered.outer` before `inner`, and those after.
    var left: UnsafeMutablePointer<UInt32>
    var right: UnsafeMutablePointer<UInt32>
    /// The colour times the coverage at the columns on the left, in between if these are painted
    /// with them, and on the right; nil if the brush paints an image.
    var pixels: UnsafeMutablePointer<UInt32>?
    /// Whether a row is painted from `pixels` as a whole.
    var isJoined = false

    var leftColumns: Range<Int> { covered.outer.lowerBound..<covered.inner.lowerBound }
    var rightColumns: Range<Int> { covered.inner.upperBound..<covered.outer.upperBound }
  }

  /// The most columns of a side.
  static let sideLimit = 64
  /// The fewest columns that are filled with an opaque colour by themselves.
  static let leastFilled = 64

  /// Whether a row's coverage is that of all straight rows.
  func isStraight(_ brush: UnsafePointer<Brush>, _ y: Int) -> Bool {
    guard brush.isUpright else { return false }
    let row = Float(y &- Int(brush.pointee.y))
    switch brush.pointee.program.basic {
    case .solidEdges, .imageEdges, .groupEdges:
      let edges = brush.pointee.edges
      let distances = edges.row(row)
      return edges.down.x == 0 && edges.down.y == 0 && edges.across.z == 0 && edges.across.w == 0
        && distances.z >= 0.51 && distances.w >= 0.51
    case .rounded, .roundedImage, .groupRounded, .roundedBorder:
      let length: Float = brush.pointee.program.hasContinuousCorners ? 1.53 : 1
      let margin = 0.51 * abs(brush.pointee.pointY.down)
      let width = brush.isBorder ? brush.pointee.numbers.x : 0
      let corner = most(brush.pointee.radii.max() * length, width + margin)
      return abs(brush.pointee.pointY.row(row)) <= brush.pointee.halfHeight - corner
    default: return false
    }
  }

  /// The coverage of all straight rows from one of them; nil if their sides are too wide.
  func straightRows(_ row: BrushRow, _ columns: Range<Int>, _ y: Int) -> StraightRows? {
    let covered = covered(row.brush, columns, y)
    guard !covered.inner.isEmpty else { return nil }
    var rows = StraightRows(covered: covered, left: sides.0, right: sides.1)
    for (columns, side) in [(rows.leftColumns, rows.left), (rows.rightColumns, rows.right)] {
      guard columns.count <= Self.sideLimit else { return nil }
      if columns.isEmpty { continue }
      findCoverage(
        Span(row: row, x: columns.lowerBound, y: y, count: columns.count),
        row.brush.pointee.program.basic)
      for i in 0..<columns.count { side[i] = Pixel.byte(coverage[i]) }
    }
    let brush = row.brush
    guard brush.pointee.interior == .color || brush.isBorder else { return rows }
    let color = brush.pointee.pixel
    rows.isJoined =
      !brush.isBorder && covered.outer.count <= Self.spanLimit
      && (color >> 24 < 255 || covered.inner.count < Self.leastFilled)
    rows.pixels = straightPixels
    var count = 0
    func append(_ coverage: UInt32) {
      straightPixels[count] = Pixel.scaled(color, by: coverage)
      count += 1
    }
    for i in 0..<rows.leftColumns.count { append(rows.left[i]) }
    if rows.isJoined {
      (straightPixels + count).update(repeating: color, count: covered.inner.count)
      count += covered.inner.count
    }
    for i in 0..<rows.rightColumns.count { append(rows.right[i]) }
    return rows
  }

  /// Paints straight rows.
  func paint(_ row: BrushRow, _ straight: StraightRows, _ rows: Range<Int>) {
    guard let pixels = straight.pixels else {
      guard let interior = row.brush.pointee.interior else { return }
      if interior == .moved, row.brush.pointee.blend == .sourceOver {
        return paintMoved(row, straight, rows)
      }
      for y in rows {
        forEachSpan(row, straight.covered.outer, y) { paintCovered($0, interior, straight) }
      }
      return
    }
    if straight.isJoined {
      let outer = straight.covered.outer
      self.rows.over(
        row.target.bytes(rows.lowerBound) + outer.lowerBound, pixels, outer.count,
        rows: rows.count, stride: row.target.stride / 4)
      return
    }
    paint(
      straight.leftColumns, straight.rightColumns, of: pixels,
      around: row.brush.isBorder ? nil : row.brush.pointee.pixel, rows, row.target)
  }

  /// Paints rows of which all have the same `pixels` at some columns on the left and on the right,
  /// and one colour in between; nothing there if it is nil.
  func paint(
    _ left: Range<Int>, _ right: Range<Int>, of pixels: UnsafePointer<UInt32>,
    around color: UInt32?, _ rows: Range<Int>, _ target: Texels
  ) {
    let (first, stride) = (target.bytes(rows.lowerBound), target.stride / 4)
    func paint(_ columns: Range<Int>, _ pixels: UnsafePointer<UInt32>) {
      if columns.isEmpty { return }
      self.rows.over(
        first + columns.lowerBound, pixels, columns.count, rows: rows.count, stride: stride)
    }
    paint(left, pixels)
    paint(right, pixels + left.count)
    guard let color else { return }
    let (inner, count) = (first + left.upperBound, right.lowerBound - left.upperBound)
    if color >> 24 == 255 {
      self.rows.fill(inner, count, rows: rows.count, stride: stride, color)
    } else {
      self.rows.tint(inner, count, rows: rows.count, stride: stride, color)
    }
  }
}
