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
    self.x = Int64((x * 256 + 0.5).rounded(.down))
    self.y = Int64((y * 256 + 0.5).rounded(.down))
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

extension PolygonEdges.Edge {
  /// Limits a row's pixels to those on the inside.
  @inline(__always)
  func limit(_ minX: inout Int, _ maxX: inout Int, row y: Int) {
    let rest = down &* Int64(y &* 256 &+ 128) &+ start &+ across &* 128
    if across > 0 {
      // The first x with x · 256 · across ≥ −rest.
      let step = across &* 256
      minX = max(minX, Int(-floorDivided(rest, by: step)))
    } else if across < 0 {
      let step = -across &* 256
      maxX = min(maxX, Int(floorDivided(rest, by: step)) + 1)
    } else if rest < 0 {
      maxX = minX
    }
  }
}

/// The quotient of a number and a positive one, rounded down.
@inline(__always)
private func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
  let quotient = number / divisor
  return number % divisor < 0 ? quotient - 1 : quotient
}
