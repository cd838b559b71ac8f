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

  /// Multiplies a span's pixels by it, from either end up to pixels that are covered wholly: so are
  /// all that lie between these.
  func multiplyByEdges(_ span: Span) {
    let edges = RowOfEdges(span)
    let pixels = UnsafeMutableRawPointer(pixels)
    var left = 0
    while left < span.count, edges.multiply(pixels, from: left)[3] < 1 { left &+= 4 }
    var right = (span.count &- 1) & ~3
    while right > left, edges.multiply(pixels, from: right)[0] < 1 { right &-= 4 }
  }
}

/// The edges in a row, from a span's first pixel.
private struct RowOfEdges {
  private let first: SIMD4<Float>
  private let start: SIMD4<Float>
  private let across: SIMD4<Float>

  @inline(__always)
  init(_ span: Span) {
    let edges = span.brush.pointee.edges
    first = span.fromReferenceX + SIMD4(0, 1, 2, 3)
    (start, across) = (edges.row(span.fromReferenceY), edges.across)
  }

  /// The coverage of four pixels. A span thinner than a pixel covers its own width, not one minus
  /// two halves.
  @inline(__always)
  func coverage(from i: Int) -> SIMD4<Float> {
    let column = first + Float(Int32(truncatingIfNeeded: i))
    @inline(__always)
    func distance(_ edge: Int) -> SIMD4<Float> {
      least(start[edge] + across[edge] * column, SIMD4(repeating: 0.5))
    }
    return unit(distance(0) + distance(1)) * unit(distance(2) + distance(3))
  }
  /// Multiplies four pixels by their coverage, and returns it.
  @inline(__always)
  func multiply(_ pixels: UnsafeMutableRawPointer, from i: Int) -> SIMD4<Float> {
    let coverage = coverage(from: i)
    let place = pixels + i &* 4
    let product = Pixel.scaled(
      place.loadUnaligned(as: SIMD4<UInt32>.self), by: Pixel.bytes(coverage))
    place.storeBytes(of: product, as: SIMD4<UInt32>.self)
    return coverage
  }
}
