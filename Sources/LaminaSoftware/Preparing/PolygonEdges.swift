import LaminaFramePlan
import LaminaValues

/// The pixels of a convex polygon: those whose middles lie within all of its edges.
///
/// As on devices, corners are first moved to the nearest 1/256 of a pixel, and a middle on an edge
/// belongs to the polygon if the edge is a left or an upper one. So neighbours that share corners
/// have no pixel in common and leave none out.
struct PolygonEdges {
  /// A line; the inside is where x · across + y · down + start ≥ 0, in 1/256 of a pixel.
  struct Edge {
    var across: Int64
    var down: Int64
    var start: Int64
  }

  /// Corners farther away than this, in pixels, are cut off first. No target reaches so far, and
  /// the products of an edge's numbers fit into 64 bits.
  static let reach = 65536.0

  /// In the round's list.
  var edges: Range<Int32>
}

/// A corner in 1/256 of a pixel.
struct SnappedCorner: Equatable {
  var x: Int64
  var y: Int64

  /// The nearest one. The point must lie within `PolygonEdges.reach`.
  @inline(__always)
  init(_ x: Double, _ y: Double) {
    self.x = Int64(Int(floor: x * 256 + 0.5))
    self.y = Int64(Int(floor: y * 256 + 0.5))
  }

  /// The first whole pixel whose middle is not before the coordinate.
  @inline(__always)
  static func pixel(_ coordinate: Int64) -> Int { Int((coordinate + 127) >> 8) }
}

extension PolygonEdges.Edge {
  /// The edge from a corner to the next one, of a polygon that lies to the right of its edges as
  /// they are seen on the screen.
  init(from a: SnappedCorner, to b: SnappedCorner) {
    across = a.y - b.y
    down = b.x - a.x
    start = -(across * a.x + down * a.y)
    // A middle on a right or a lower edge is outside.
    if across < 0 || across == 0 && down < 0 { start -= 1 }
  }
}

/// Where an edge crosses the middles of rows, from one row to the next.
struct EdgeCrossing {
  private enum Side { case left, right, level }

  private let side: Side
  /// What the edge's number at the middle of the row's first pixel is divided by, rounded down; and
  /// the quotient and the rest of what is added to that number from row to row.
  private let divisor: Int64
  private let quotientStep: Int64
  private let restStep: Int64
  private var quotient: Int64
  private var rest: Int64

  /// Begins at a row.
  init(of edge: PolygonEdges.Edge, row y: Int) {
    side = edge.across > 0 ? .left : edge.across < 0 ? .right : .level
    divisor = side == .level ? 1 : abs(edge.across) &* 256
    let number = edge.down &* Int64(y &* 256 &+ 128) &+ edge.start &+ edge.across &* 128
    (quotient, rest) = floorDivided(number, by: divisor)
    (quotientStep, restStep) = floorDivided(edge.down &* 256, by: divisor)
  }

  /// Limits the row's pixels to those on the inside, and goes on to the next row.
  @inline(__always)
  mutating func limit(_ minX: inout Int, _ maxX: inout Int) {
    switch side {
    // The first x with x · 256 · across ≥ −number.
    case .left: minX = max(minX, Int(-quotient))
    case .right: maxX = min(maxX, Int(quotient) + 1)
    case .level: if quotient < 0 { maxX = minX }
    }
    quotient &+= quotientStep
    rest &+= restStep
    if rest >= divisor {
      rest &-= divisor
      quotient &+= 1
    }
  }
}

/// The quotient of a number and a positive one, rounded down, and what is left.
@inline(__always)
private func floorDivided(_ number: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
  let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
  return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
}
