import LaminaFramePlan

/// The pixels of a row that need no coverage, since an item covers them wholly.
extension Painter {
  /// A range of the columns whose coverage by the brush's edges or outline is 1; of a border, those
  /// of the hole, whose coverage is 0. It may be smaller than it could be.
  func inside(
    _ brush: UnsafePointer<Brush>, _ columns: Range<Int>, _ y: Int
  ) -> Range<Int> {
    // Which columns these are may not depend on the part that is painted.
    var result = ColumnRange.all
    let row = Float(y &- Int(brush.pointee.y))
    let first = Int(brush.pointee.x)
    switch brush.pointee.program.basic {
    case .solidEdges, .imageEdges, .groupEdges:
      let edges = brush.pointee.edges
      for plane in [edges.0, edges.1, edges.2, edges.3] {
        result.limit(plane.row(row), plane.across, from: 0.51, first)
      }
    case .rounded, .roundedImage, .groupRounded:
      result = inside(Outline(brush), brush, row)
    case .roundedBorder:
      guard let hole = Outline(brush).hole(brush) else {
        return columns.lowerBound..<columns.lowerBound
      }
      result = inside(hole, brush, row)
    default: return columns.lowerBound..<columns.lowerBound
    }
    let lower = max(result.lower, columns.lowerBound)
    let upper = min(result.upper, columns.upperBound)
    return lower < upper ? lower..<upper : columns.lowerBound..<columns.lowerBound
  }

  /// The part inside an outline: of two rectangles between its corners, the longer piece.
  private func inside(
    _ outline: Outline, _ brush: UnsafePointer<Brush>, _ row: Float
  ) -> ColumnRange {
    guard brush.pointee.perspective == nil else { return .none }
    let (x, y) = (brush.pointee.pointX, brush.pointee.pointY)
    let first = Int(brush.pointee.x)
    // Half of what the distance changes from pixel to pixel.
    let marginX = 0.51 * (x.across * x.across + x.down * x.down).squareRoot()
    let marginY = 0.51 * (y.across * y.across + y.down * y.down).squareRoot()
    let length = brush.pointee.program.hasContinuousCorners ? 1.53 : 1 as Float
    let radius = outline.radii.max() * length
    func columns(_ halfWidth: Float, _ halfHeight: Float) -> ColumnRange {
      var result = ColumnRange.all
      result.limit(x.row(row) + halfWidth, x.across, from: 0, first)
      result.limit(halfWidth - x.row(row), -x.across, from: 0, first)
      result.limit(y.row(row) + halfHeight, y.across, from: 0, first)
      result.limit(halfHeight - y.row(row), -y.across, from: 0, first)
      return result
    }
    let wide = columns(outline.halfWidth - marginX, outline.halfHeight - most(radius, marginY))
    let high = columns(outline.halfWidth - most(radius, marginX), outline.halfHeight - marginY)
    return wide.upper - wide.lower > high.upper - high.lower ? wide : high
  }

  /// Neighbouring columns; none if `upper` is not greater.
  private struct ColumnRange {
    var lower: Int
    var upper: Int

    static let none = ColumnRange(lower: 0, upper: 0)
    /// More than any target has.
    static let all = ColumnRange(lower: -1 << 20, upper: 1 << 20)

    /// Keeps the columns where start + across · (column − first) is at least a number.
    mutating func limit(_ start: Float, _ across: Float, from least: Float, _ first: Int) {
      guard across != 0 else {
        if !(start >= least) { upper = lower }
        return
      }
      // Nothing is drawn so far away.
      let place = min(max((least - start) / across, -1e6), 1e6)
      if across > 0 {
        lower = max(lower, first + Int(place.rounded(.up)))
      } else {
        upper = min(upper, first + Int(place.rounded(.down)) + 1)
      }
    }
  }
}
