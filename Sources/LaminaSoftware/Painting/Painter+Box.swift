import LaminaFramePlan
import LaminaValues

extension Painter {
  /// Paints the part of a box that lies within some columns and rows.
  func paint(_ box: SoftBox, _ columns: Range<Int>, _ rows: Range<Int>, _ target: Texels) {
    var rows = rows
    if rows.lowerBound == box.rect.minY {
      paint(box, columns, rows.lowerBound..<rows.lowerBound + 1, box.top, target)
      rows = rows.lowerBound + 1..<rows.upperBound
    }
    guard !rows.isEmpty else { return }
    let hasLast = rows.upperBound == box.rect.maxY
    let between = rows.lowerBound..<rows.upperBound - (hasLast ? 1 : 0)
    if !between.isEmpty { paint(box, columns, between, 1, target) }
    if hasLast { paint(box, columns, between.upperBound..<rows.upperBound, box.bottom, target) }
  }

  /// Paints rows of which all have the same part covered.
  private func paint(
    _ box: SoftBox, _ columns: Range<Int>, _ rows: Range<Int>, _ down: Float, _ target: Texels
  ) {
    func color(_ coverage: Float) -> UInt32 {
      Pixel.scaled(box.color, by: Pixel.byte(coverage * down))
    }
    let hasLeft = columns.lowerBound == box.rect.minX
    let hasRight = columns.upperBound == box.rect.maxX && columns.count > (hasLeft ? 1 : 0)
    let inner =
      columns.lowerBound + (hasLeft ? 1 : 0)..<columns.upperBound - (hasRight ? 1 : 0)
    let pixels = straightPixels
    pixels[0] = color(box.left)
    // A row of pixels is put together once and painted over all rows, unless it is long.
    guard columns.count > Self.spanLimit else {
      (pixels + (hasLeft ? 1 : 0)).update(repeating: color(1), count: inner.count)
      if hasRight { pixels[columns.count - 1] = color(box.right) }
      self.rows.over(
        target.bytes(rows.lowerBound) + columns.lowerBound, pixels, columns.count,
        rows: rows.count, stride: target.stride / 4)
      return
    }
    if hasRight { pixels[hasLeft ? 1 : 0] = color(box.right) }
    paint(
      columns.lowerBound..<inner.lowerBound, inner.upperBound..<columns.upperBound, of: pixels,
      around: color(1), rows, target)
  }
}
