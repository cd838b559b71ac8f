import LaminaFramePlan

/// Rows between the corners of an upright layer, whose sides run down through the same columns: what
/// covers one of them covers all.
extension Painter {
  /// The coverage of such rows, from 0 to 255 at both sides.
  struct StraightRows {
    var covered: Covered
    /// At the columns of `covered.outer` before `inner`, and those after.
    var left: UnsafeMutablePointer<UInt32>
    var right: UnsafeMutablePointer<UInt32>
    /// The colour times the coverage at all columns of `covered.outer`; nil if the brush has no
    /// colour, the row is long, or it has a hole.
    var pixels: UnsafeMutablePointer<UInt32>?

    var leftColumns: Range<Int> { covered.outer.lowerBound..<covered.inner.lowerBound }
    var rightColumns: Range<Int> { covered.inner.upperBound..<covered.outer.upperBound }
  }

  /// The most columns of a side.
  static let sideLimit = 64

  /// Whether a row's coverage is that of all straight rows.
  func isStraight(_ brush: UnsafePointer<Brush>, _ y: Int) -> Bool {
    guard brush.pointee.isUpright else { return false }
    let row = Float(y &- Int(brush.pointee.y))
    switch brush.pointee.program.basic {
    case .solidEdges, .imageEdges, .groupEdges:
      let edges = brush.pointee.edges
      return edges.0.down == 0 && edges.1.down == 0 && edges.2.across == 0 && edges.3.across == 0
        && edges.2.row(row) >= 0.51 && edges.3.row(row) >= 0.51
    case .rounded, .roundedImage, .groupRounded, .roundedBorder:
      let length: Float = brush.pointee.program.hasContinuousCorners ? 1.53 : 1
      let margin = 0.51 * abs(brush.pointee.pointY.down)
      let width = brush.pointee.isBorder ? brush.pointee.numbers.x : 0
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
        Span(
          brush: row.brush, target: row.target, tables: row.tables, x: columns.lowerBound, y: y,
          count: columns.count), row.brush.pointee.program.basic)
      for i in 0..<columns.count { side[i] = Pixel.byte(coverage[i]) }
    }
    if row.brush.pointee.interior == .color, covered.outer.count <= Self.spanLimit {
      rows.pixels = straightPixels
      setPixels(of: rows, row.brush.pointee.pixel)
    }
    return rows
  }

  private func setPixels(of rows: StraightRows, _ color: UInt32) {
    let (left, inner) = (rows.leftColumns.count, rows.covered.inner.count)
    for i in 0..<left { straightPixels[i] = Pixel.scaled(color, by: rows.left[i]) }
    (straightPixels + left).update(repeating: color, count: inner)
    let right = straightPixels + left + inner
    for i in 0..<rows.rightColumns.count { right[i] = Pixel.scaled(color, by: rows.right[i]) }
  }

  /// Paints straight rows.
  func paint(_ row: BrushRow, _ straight: StraightRows, _ rows: Range<Int>) {
    guard let pixels = straight.pixels else {
      for y in rows { paint(row, straight, y) }
      return
    }
    let outer = straight.covered.outer
    self.rows.over(
      row.target.bytes(rows.lowerBound) + outer.lowerBound, pixels, outer.count, rows: rows.count,
      stride: row.target.stride / 4)
  }

  private func paint(_ row: BrushRow, _ straight: StraightRows, _ y: Int) {
    let brush = row.brush
    let (left, right) = (straight.leftColumns, straight.rightColumns)
    if let interior = brush.pointee.interior, interior != .color {
      forEachSpan(row, straight.covered.outer, y) { span in
        paintCovered(span, interior, straight)
      }
      return
    }
    let target = row.target.bytes(y)
    let color = brush.pointee.pixel
    if !left.isEmpty { rows.mask(target + left.lowerBound, straight.left, left.count, color) }
    if brush.pointee.interior != nil {
      let inner = straight.covered.inner
      rows.tint(target + inner.lowerBound, inner.count, color)
    }
    if !right.isEmpty { rows.mask(target + right.lowerBound, straight.right, right.count, color) }
  }
}
