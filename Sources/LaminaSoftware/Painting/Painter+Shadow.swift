import LaminaFramePlan

/// A rounded rectangle under a Gaussian.
///
/// It is cut into strips across y. Along x a strip's blur is exact: a difference of two error
/// functions. Along y a strip's weight is the Gaussian's integral over it. The only approximation
/// is that a strip's ends are straight even at round corners.
extension Painter {
  /// Makes the coverage that of the blurred rectangle. `x` and `y` get the points.
  func coverShadow(_ span: Span) {
    let brush = span.brush
    findDepth(span)
    writeOfLayer(brush.pointee.pointX, to: x, span)
    writeOfLayer(brush.pointee.pointY, to: y, span)
    switch brush.pointee.program {
    case .shadowEdge: coverShadowEdge(brush, span.count)
    case .shadowCorner: coverShadowCorner(brush, span.count)
    default:
      if brush.pointee.isUpright {
        coverUprightShadow(brush, span.count)
      } else {
        coverShadow(brush, span.count)
      }
    }
  }

  // MARK: Upright layers

  /// Paints a part that sees an edge, in rows that have their columns in common: the shadow is a
  /// product of one number for the column and one for the row.
  func paintShadowEdge(_ row: BrushRow, _ columns: Range<Int>, _ rows: Range<Int>) {
    let brush = row.brush
    let scale = 0.707_106_78 / brush.pointee.numbers.x
    let (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
    let (x, coverage, pixels) = (x, coverage, pixels)
    forEachSpan(row, columns, rows.lowerBound) { span in
      write(brush.pointee.pointX, to: x, span)
      for i in 0..<span.count { coverage[i] = 0.5 + 0.5 * erf((halfWidth - abs(x[i])) * scale) }
      for y in rows {
        let point = brush.pointee.pointY.row(Float(y &- Int(brush.pointee.y)))
        let down = 0.5 + 0.5 * erf((halfHeight - abs(point)) * scale)
        for i in 0..<span.count { pixels[i] = Pixel.byte(coverage[i] * down) }
        self.rows.mask(row.target.bytes(y) + span.x, pixels, span.count, brush.pointee.pixel)
      }
    }
  }

  /// Paints a part that sees one round corner, from its table.
  func paintShadowCorner(_ row: BrushRow, _ columns: Range<Int>, _ rows: Range<Int>) {
    let brush = row.brush
    let table = ShadowLookUp(brush, row.tables.shadows[Int(brush.pointee.shadow)])
    let (x, places, pixels) = (x, places, pixels)
    let mixed = more.0
    forEachSpan(row, columns, rows.lowerBound) { span in
      write(brush.pointee.pointX, to: x, span)
      var (least, last) = (Int32.max, Int32.min)
      for i in 0..<span.count {
        let place = table.place(x[i] * table.corner.mirrorX + table.corner.halfWidth)
        places[i] = place.index
        x[i] = place.weight
        least = min(least, place.index)
        last = max(last, place.index)
      }
      for y in rows {
        let point = brush.pointee.pointY.row(Float(y &- Int(brush.pointee.y)))
        let place = table.place(point * table.corner.mirrorY + table.corner.halfHeight)
        let upper = table.numbers + Int(place.index) &* table.count
        let lower = upper + table.count
        // A table has room for no more places than a span with its next one.
        for i in Int(least)...Int(last) &+ 1 {
          mixed[i &- Int(least)] = upper[i] + (lower[i] - upper[i]) * place.weight
        }
        for i in 0..<span.count {
          let at = Int(places[i] &- least)
          let coverage = mixed[at] + (mixed[at &+ 1] - mixed[at]) * x[i]
          pixels[i] = Pixel.byte(coverage)
        }
        self.rows.mask(row.target.bytes(y) + span.x, pixels, span.count, brush.pointee.pixel)
      }
    }
  }

  // MARK: Any layer

  /// Of a rectangle that is large beside the Gaussian, a part that sees an edge, or two that meet
  /// in a square corner.
  private func coverShadowEdge(_ brush: UnsafePointer<Brush>, _ count: Int) {
    let (x, y, coverage) = (x, y, coverage)
    let scale = 0.707_106_78 / brush.pointee.numbers.x
    let (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
    for i in 0..<count {
      let across = 0.5 + 0.5 * erf((halfWidth - abs(x[i])) * scale)
      let down = 0.5 + 0.5 * erf((halfHeight - abs(y[i])) * scale)
      coverage[i] = across * down
    }
  }

  /// A part that sees one round corner, the one that has a radius. Only its rows are cut into
  /// strips.
  private func coverShadowCorner(_ brush: UnsafePointer<Brush>, _ count: Int) {
    let (x, y, coverage) = (x, y, coverage)
    let sigma = brush.pointee.numbers.x
    let corner = ShadowCorner(brush)
    let radius = brush.pointee.radii.max()
    for i in 0..<count {
      coverage[i] = shadowOfCorner(
        x[i] * corner.mirrorX + corner.halfWidth, y[i] * corner.mirrorY + corner.halfHeight,
        radius, sigma)
    }
  }

  private func coverShadow(_ brush: UnsafePointer<Brush>, _ count: Int) {
    let (x, y, coverage) = (x, y, coverage)
    for i in 0..<count {
      var strips = ShadowStrips(brush, y: y[i])
      var sum: Float = 0
      for _ in 0..<ShadowStrips.count {
        let strip = strips.next()
        sum += strip.weight * strips.across(strip, x[i])
      }
      coverage[i] = sum
    }
  }

  /// Of a layer whose rows are the surface's: the pixels of a span have their strips in common.
  private func coverUprightShadow(_ brush: UnsafePointer<Brush>, _ count: Int) {
    let (x, across, coverage) = (x, more.0, coverage)
    var strips = ShadowStrips(brush, y: y[0])
    var last: ShadowStrips.Strip?
    for i in 0..<count { coverage[i] = 0 }
    for _ in 0..<ShadowStrips.count {
      let strip = strips.next()
      // Away from round corners, strips have the same ends.
      if last.map({ $0.start != strip.start || $0.end != strip.end }) ?? true {
        for i in 0..<count { across[i] = strips.across(strip, x[i]) }
      }
      for i in 0..<count { coverage[i] += strip.weight * across[i] }
      last = strip
    }
  }
}

/// The strips of a shadow that are near enough to `y` to show there, from the least y on.
private struct ShadowStrips {
  static let count = 12

  struct Strip {
    /// What the strip adds where it has no ends nearby, halved.
    var weight: Float
    var start: Float
    var end: Float
  }

  private let y: Float
  private let scale: Float
  private let halfWidth: Float
  private let halfHeight: Float
  private let radii: SIMD4<Float>
  private let low: Float
  private let height: Float
  private var number: Float = 0
  private var below: Float

  @inline(__always)
  init(_ brush: UnsafePointer<Brush>, y: Float) {
    let sigma = brush.pointee.numbers.x
    self.y = y
    scale = 0.707_106_78 / sigma
    (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
    radii = brush.pointee.radii
    // Three sigmas hold all but 1/370 of the Gaussian; past four nothing shows.
    low = most(y - 4 * sigma, -halfHeight)
    height = most(least(y + 4 * sigma, halfHeight) - low, 0) / Float(Self.count)
    below = erf((low - y) * scale)
  }

  @inline(__always)
  mutating func next() -> Strip {
    number += 1
    let top = low + height * number
    let above = erf((top - y) * scale)
    let middle = top - 0.5 * height
    let left = middle < 0 ? radii.x : radii.w
    let right = middle < 0 ? radii.y : radii.z
    defer { below = above }
    return Strip(
      weight: 0.25 * (above - below), start: -halfWidth + inset(left, middle, halfHeight),
      end: halfWidth - inset(right, middle, halfHeight))
  }

  /// How much of a strip is seen from `x`, doubled.
  @inline(__always)
  func across(_ strip: Strip, _ x: Float) -> Float {
    erf((strip.end - x) * scale) - erf((strip.start - x) * scale)
  }
}

/// Where the one round corner of a shadow is: its points are mirrored so that the corner is the one
/// of the least x and y, and count from there.
private struct ShadowCorner {
  let mirrorX: Float
  let mirrorY: Float
  let halfWidth: Float
  let halfHeight: Float

  init(_ brush: UnsafePointer<Brush>) {
    let radii = brush.pointee.radii
    mirrorX = radii.x + radii.w > 0 ? 1 : -1
    mirrorY = radii.x + radii.y > 0 ? 1 : -1
    (halfWidth, halfHeight) = (brush.pointee.halfWidth, brush.pointee.halfHeight)
  }
}

/// A corner's table, and where its places are.
private struct ShadowLookUp {
  let numbers: UnsafePointer<Float>
  let count: Int
  let corner: ShadowCorner
  private let outside: Float
  private let density: Float

  init(_ brush: UnsafePointer<Brush>, _ table: ShadowTable) {
    numbers = UnsafePointer(table.numbers)
    count = table.count
    outside = table.outside
    density = ShadowTable.density / brush.pointee.numbers.x
    corner = ShadowCorner(brush)
  }

  /// The number before a place from the corner, and the weight of the next one.
  @inline(__always)
  func place(_ coordinate: Float) -> (index: Int32, weight: Float) {
    let place = least(most((coordinate + outside) * density, 0), Float(count &- 1))
    // Rounded down: a place is not negative.
    let index = least(Float(count &- 2), place)
    let whole = Int32(index)
    return (whole, place - Float(whole))
  }
}

/// The shadow at a place from the one corner that it sees, toward the inside of both edges: of what
/// has that corner and goes on without end.
func shadowOfCorner(_ x: Float, _ y: Float, _ radius: Float, _ sigma: Float) -> Float {
  let scale = 0.707_106_78 / sigma
  let low = most(y - 4 * sigma, 0)
  let high = most(radius, low)
  let height = (high - low) / 4
  var below = erf((low - y) * scale)
  var sum: Float = 0
  for strip in 0..<4 {
    let top = low + height * Float(strip + 1)
    let over = least(most(radius - top + 0.5 * height, 0), radius)
    let end = radius - most(radius * radius - over * over, 0).squareRoot()
    let above = erf((top - y) * scale)
    sum += 0.25 * (above - below) * (1 - erf((end - x) * scale))
    below = above
  }
  return sum + 0.25 * (1 - below) * (1 - erf(-x * scale))
}

/// How far a corner moves the outline inward at `y`.
@inline(__always)
private func inset(_ radius: Float, _ y: Float, _ halfHeight: Float) -> Float {
  let over = least(most(y.magnitude - (halfHeight - radius), 0), radius)
  return radius - most(radius * radius - over * over, 0).squareRoot()
}

/// The error function, to 5e-4 (Abramowitz and Stegun 7.1.27).
@inline(__always)
func erf(_ x: Float) -> Float {
  let a = x.magnitude
  let d = 1 + (0.278393 + (0.230389 + (0.000972 + 0.078108 * a) * a) * a) * a
  let square = d * d
  let result = 1 - 1 / (square * square)
  return x < 0 ? -result : result
}
