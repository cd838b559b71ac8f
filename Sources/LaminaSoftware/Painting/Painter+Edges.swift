import LaminaFramePlan

/// The part of each pixel that lies between a rectangle's edges.
extension Painter {
  /// Makes it the coverage.
  func coverEdges(_ span: Span) {
    let edges = RowOfEdges(span)
    let coverage = UnsafeMutableRawPointer(coverage)
    // Spans' memory ends with whole vectors.
    for i in stride(from: 0, to: span.count, by: 4) {
      coverage.storeBytes(
        of: edges.coverage(from: i), toByteOffset: i &* 4, as: SIMD4<Float>.self)
    }
  }
}

/// A rectangle's edges in a row of pixels. The distance of pixel i from one of them, positive
/// inside, is start + across · (first + i).
struct RowOfEdges {
  let first: Float
  let start: SIMD4<Float>
  let across: SIMD4<Float>

  @inline(__always)
  init(_ span: Span) {
    let edges = span.brush.pointee.edges
    first = span.fromReferenceX
    (start, across) = (edges.row(span.fromReferenceY), edges.across)
  }

  init(first: Float, start: SIMD4<Float>, across: SIMD4<Float>) {
    (self.first, self.start, self.across) = (first, start, across)
  }

  /// The coverage of four pixels. A span thinner than a pixel covers its own width, not one minus
  /// two halves.
  @inline(__always)
  func coverage(from i: Int) -> SIMD4<Float> {
    let column = SIMD4(0, 1, 2, 3) + (first + Float(Int32(truncatingIfNeeded: i)))
    @inline(__always)
    func distance(_ edge: Int) -> SIMD4<Float> {
      least(start[edge] + across[edge] * column, SIMD4(repeating: 0.5))
    }
    return unit(distance(0) + distance(1)) * unit(distance(2) + distance(3))
  }

  /// Multiplies pixels by their coverage, from either end up to some that are covered wholly: so
  /// are all that lie between these. The pixels' memory must go on for a whole vector.
  func multiply(_ pixels: UnsafeMutablePointer<UInt32>, _ count: Int) {
    let pixels = UnsafeMutableRawPointer(pixels)
    var left = 0
    while left < count, multiply(pixels, from: left)[3] < 1 { left &+= 4 }
    var right = (count &- 1) & ~3
    while right > left, multiply(pixels, from: right)[0] < 1 { right &-= 4 }
  }

  /// Multiplies four pixels by their coverage, and returns it.
  @inline(__always)
  private func multiply(_ pixels: UnsafeMutableRawPointer, from i: Int) -> SIMD4<Float> {
    let coverage = coverage(from: i)
    let place = pixels + i &* 4
    let product = Pixel.scaled(
      place.loadUnaligned(as: SIMD4<UInt32>.self), by: Pixel.bytes(coverage))
    place.storeBytes(of: product, as: SIMD4<UInt32>.self)
    return coverage
  }
}
