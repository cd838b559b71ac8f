import LaminaFramePlan
import LaminaValues

/// A colour in a rectangle along the pixels whose sides may lie between them: nine boxes, in each
/// of which the same part of all pixels is covered.
struct SoftBox {
  /// The pixels that it covers at least in part, in the target.
  private(set) var rect: PixelRect
  /// The colour in BGRA8.
  let color: UInt32
  /// The covered part of the first column, the last one, the first row and the last one: 1 of those
  /// that are covered from side to side, as all in between are. Of a single column or row, both are
  /// the same.
  let left: Float
  let right: Float
  let top: Float
  let bottom: Float

  var isHard: Bool { left == 1 && right == 1 && top == 1 && bottom == 1 }

  /// Nil if the item is none. `rectangle` is what pixels it covers at most, `edges` are its
  /// corners' distances.
  init?(
    _ shape: ItemShape, _ edges: UnsafePointer<SIMD4<Double>>, in rectangle: PixelRect,
    _ color: UInt32
  ) {
    let corners = shape.corners
    guard shape.count == 4, shape.isFan, corners[0].x == corners[3].x,
      corners[1].x == corners[2].x, corners[0].y == corners[1].y, corners[2].y == corners[3].y,
      corners[0].w == 1, corners[1].w == 1, corners[2].w == 1, corners[3].w == 1
    else { return nil }
    let across = Axis(
      rectangle.minX..<rectangle.maxX, from: shape.x(0), to: shape.x(1),
      (edges[0].x, edges[0].y), (edges[1].x, edges[1].y))
    let down = Axis(
      rectangle.minY..<rectangle.maxY, from: shape.y(0), to: shape.y(3),
      (edges[0].z, edges[0].w), (edges[3].z, edges[3].w))
    guard let across, let down else { return nil }
    (left, right) = (across.first, across.last)
    (top, bottom) = (down.first, down.last)
    self.color = color
    rect = PixelRect(
      minX: across.pixels.lowerBound, minY: down.pixels.lowerBound,
      maxX: across.pixels.upperBound, maxY: down.pixels.upperBound)
  }

  /// What it covers along one axis.
  private struct Axis {
    var pixels: Range<Int>
    var first: Float
    var last: Float

    /// Nil if more than one pixel at either end is covered in part. The distances from the two
    /// edges are given at two places.
    init?(
      _ most: Range<Int>, from start: Double, to end: Double,
      _ atStart: (Double, Double), _ atEnd: (Double, Double)
    ) {
      let (near, far) = (
        (atEnd.0 - atStart.0) / (end - start), (atEnd.1 - atStart.1) / (end - start)
      )
      /// The covered part of a pixel. One thinner than a pixel covers its own width.
      func coverage(_ pixel: Int) -> Float {
        let place = Double(pixel) + 0.5 - start
        return unit(
          least(Float(atStart.0 + near * place), 0.5) + least(Float(atStart.1 + far * place), 0.5))
      }
      var (lower, upper) = (most.lowerBound, most.upperBound)
      (first, last) = (0, 0)
      // An item reaches a pixel beyond what it covers.
      for _ in 0..<3 where lower < upper {
        first = coverage(lower)
        if first > 0 { break }
        lower += 1
      }
      for _ in 0..<3 where lower < upper {
        last = coverage(upper - 1)
        if last > 0 { break }
        upper -= 1
      }
      pixels = lower..<upper
      guard pixels.isEmpty || first > 0 && last > 0,
        pixels.count < 3 || coverage(lower + 1) == 1 && coverage(upper - 2) == 1
      else {
        return nil
      }
    }
  }
}
