import LaminaValues

/// Numbers that vary over a target.
extension Painter {
  /// Writes a plane's numbers at a span's pixels.
  @inline(__always)
  func write(_ plane: Plane, to numbers: Numbers, _ span: Span) {
    let start = plane.row(span.fromReferenceY)
    let (across, first) = (plane.across, span.fromReferenceX)
    let counting = counting
    for i in 0..<span.count { numbers[i] = start + across * (first + counting[i]) }
  }

  /// Writes w, if it varies, which other numbers are then multiplied by.
  func findDepth(_ span: Span) {
    guard let perspective = span.brush.pointee.perspective else { return }
    write(perspective, to: depth, span)
    for i in 0..<span.count { depth[i] = 1 / depth[i] }
  }

  /// Writes the numbers of a plane of the layer. `findDepth` must have been called.
  func writeOfLayer(_ plane: Plane, to numbers: Numbers, _ span: Span) {
    write(plane, to: numbers, span)
    guard span.brush.pointee.perspective != nil else { return }
    let depth = depth
    for i in 0..<span.count { numbers[i] *= depth[i] }
  }

  /// Writes the places in the source into `sourceX` and `sourceY`.
  func findSourcePlaces(_ span: Span) {
    findDepth(span)
    writeOfLayer(span.brush.pointee.sourceX, to: sourceX, span)
    writeOfLayer(span.brush.pointee.sourceY, to: sourceY, span)
  }

  /// How two numbers of the layer change from a pixel to the next one, across and down.
  struct Slopes {
    var xAcross: Float
    var yAcross: Float
    var xDown: Float
    var yDown: Float
  }

  /// The slopes of two planes if they are the same at all pixels; otherwise nil, and the slopes are
  /// in `slopes`, in the order of the type's. `x` and `y` have the numbers themselves.
  func findSlopes(
    _ planeX: Plane, _ planeY: Plane, x: Numbers, y: Numbers, _ span: Span
  ) -> Slopes? {
    guard let perspective = span.brush.pointee.perspective else {
      return Slopes(
        xAcross: planeX.across, yAcross: planeY.across, xDown: planeX.down, yDown: planeY.down)
    }
    // The derivative of a quotient: what the numerator changes by, less what the denominator does.
    let (a, b, c, d) = slopes
    let depth = depth
    for i in 0..<span.count {
      a[i] = (planeX.across - x[i] * perspective.across) * depth[i]
      b[i] = (planeY.across - y[i] * perspective.across) * depth[i]
      c[i] = (planeX.down - x[i] * perspective.down) * depth[i]
      d[i] = (planeY.down - y[i] * perspective.down) * depth[i]
    }
    return nil
  }
}
