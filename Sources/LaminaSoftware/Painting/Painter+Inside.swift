import LaminaFramePlan
import LaminaValues

/// The pixels of a row that need no computation, since an item covers them wholly or not at all.
extension Painter {
  /// Where a row is covered: not at all outside of `outer`, wholly in `inner`, which lies within.
  /// For borders it is the other way round: not at all in `inner`.
  struct Covered {
    var outer: Range<Int>
    var inner: Range<Int>
  }

  /// Finds the columns of a row that the brush's edges or outline cover. `inner` may be smaller and
  /// `outer` larger than they could be.
  func covered(_ brush: UnsafePointer<Brush>, _ columns: Range<Int>, _ y: Int) -> Covered {
    // Which columns these are may not depend on the part that is painted.
    var outer = ColumnRange.all
    var inner = ColumnRange.none
    let row = Float(y &- Int(brush.pointee.y))
    let first = Int(brush.pointee.x)
    switch brush.pointee.program.basic {
    case .solidEdges, .imageEdges, .groupEdges:
      inner = .between(brush.pointee.edges, row, from: 0.51, first)
    case .rounded, .roundedImage, .groupRounded:
      let outline = Outline(brush)
      outer = outside(outline, brush, row)
      inner = inside(outline, brush, row)
    case .roundedBorder:
      let outline = Outline(brush)
      outer = outside(outline, brush, row)
      if let hole = outline.hole(brush) { inner = inside(hole, brush, row) }
    default: break
    }
    let wide = outer.range(within: columns)
    return Covered(outer: wide, inner: inner.range(within: wide))
  }

  /// The columns that an outline covers wholly.
  private func inside(
    _ outline: Outline, _ brush: UnsafePointer<Brush>, _ row: Float
  ) -> ColumnRange {
    guard brush.pointee.perspective == nil else { return .none }
    let (x, y) = (brush.pointee.pointX, brush.pointee.pointY)
    let first = Int(brush.pointee.x)
    // Half of what the distance changes from pixel to pixel.
    let marginX = 0.51 * (x.across * x.across + x.down * x.down).squareRoot()
    let marginY = 0.51 * (y.across * y.across + y.down * y.down).squareRoot()
    let isContinuous = brush.pointee.program.hasContinuousCorners
    if brush.isUpright, !isContinuous {
      return columns(outline, brush, row, inset: most(marginX, marginY))
    }
    // Of two rectangles between the corners, the longer piece.
    let radius = outline.radii.max() * (isContinuous ? 1.53 : 1)
    func rectangle(_ halfWidth: Float, _ halfHeight: Float) -> ColumnRange {
      var result = ColumnRange.all
      result.limit(x.row(row) + halfWidth, x.across, from: 0, first)
      result.limit(halfWidth - x.row(row), -x.across, from: 0, first)
      result.limit(y.row(row) + halfHeight, y.across, from: 0, first)
      result.limit(halfHeight - y.row(row), -y.across, from: 0, first)
      return result
    }
    let wide = rectangle(outline.halfWidth - marginX, outline.halfHeight - most(radius, marginY))
    let high = rectangle(outline.halfWidth - most(radius, marginX), outline.halfHeight - marginY)
    return wide.upper - wide.lower > high.upper - high.lower ? wide : high
  }

  /// All but columns that an outline does not cover at all.
  private func outside(
    _ outline: Outline, _ brush: UnsafePointer<Brush>, _ row: Float
  ) -> ColumnRange {
    let (x, y) = (brush.pointee.pointX, brush.pointee.pointY)
    guard brush.isUpright, !brush.pointee.program.hasContinuousCorners else { return .all }
    return columns(outline, brush, row, inset: -0.51 * most(abs(x.across), abs(y.down)))
  }

  /// The columns of an upright layer's row inside an outline with circular corners that lies this
  /// far inside, or outside if it is negative.
  private func columns(
    _ outline: Outline, _ brush: UnsafePointer<Brush>, _ row: Float, inset: Float
  ) -> ColumnRange {
    let point = brush.pointee.pointY.row(row)
    /// How far from the middle the outline is, on the side of a corner with that radius.
    func reach(_ radius: Float) -> Float {
      let over = abs(point) - (outline.halfHeight - radius)
      let round = radius - inset
      if over > round { return -1 }
      if !(over > 0) { return outline.halfWidth - inset }
      return outline.halfWidth - radius + (round * round - over * over).squareRoot()
    }
    let left = reach(point < 0 ? outline.radii.x : outline.radii.w)
    let right = reach(point < 0 ? outline.radii.y : outline.radii.z)
    guard left >= 0, right >= 0 else { return .none }
    var result = ColumnRange.all
    let x = brush.pointee.pointX
    let first = Int(brush.pointee.x)
    result.limit(x.row(row) + left, x.across, from: 0, first)
    result.limit(right - x.row(row), -x.across, from: 0, first)
    return result
  }

  /// Neighbouring columns; none if `upper` is not greater.
  private struct ColumnRange {
    var lower: Int
    var upper: Int

    static let none = ColumnRange(lower: 0, upper: 0)
    /// More than any target has.
    static let all = ColumnRange(lower: -1 << 20, upper: 1 << 20)

    /// The columns in which all four distances are at least a number.
    @inline(__always)
    static func between(
      _ edges: EdgePlanes, _ row: Float, from number: Float, _ first: Int
    ) -> ColumnRange {
      let (start, across) = (edges.row(row), edges.across)
      let exact = (number - start) / across
      // A distance that does not vary is enough everywhere, or nowhere.
      let isLevel = across .== 0
      guard Swift.all((isLevel .| (exact .== exact)) .& (.!isLevel .| (start .>= number))) else {
        return .none
      }
      let lowers = exact.replacing(with: -Self.limit, where: .!(across .> 0))
      let uppers = exact.replacing(with: Self.limit, where: .!(across .< 0))
      return ColumnRange(
        lower: first + up(most(most(lowers.x, lowers.y), most(lowers.z, lowers.w))),
        upper: first + down(least(least(uppers.x, uppers.y), least(uppers.z, uppers.w))) + 1)
    }

    /// Keeps the columns where start + across · (column − first) is at least a number.
    @inline(__always)
    mutating func limit(_ start: Float, _ across: Float, from number: Float, _ first: Int) {
      guard across != 0 else {
        if !(start >= number) { upper = lower }
        return
      }
      let exact = (number - start) / across
      guard !exact.isNaN else {
        upper = lower
        return
      }
      if across > 0 {
        lower = max(lower, first + Self.up(exact))
      } else {
        upper = min(upper, first + Self.down(exact) + 1)
      }
    }

    /// Nothing is drawn so far away.
    private static let limit: Float = 1e6

    /// The first whole number from a place on.
    @inline(__always)
    private static func up(_ place: Float) -> Int { -down(-place) }

    /// The last whole number up to a place.
    @inline(__always)
    private static func down(_ place: Float) -> Int {
      Int(floor: Double(least(most(place, -limit), limit)))
    }

    func range(within columns: Range<Int>) -> Range<Int> {
      let lower = max(lower, columns.lowerBound)
      let upper = min(upper, columns.upperBound)
      return lower < upper ? lower..<upper : columns.lowerBound..<columns.lowerBound
    }
  }
}
