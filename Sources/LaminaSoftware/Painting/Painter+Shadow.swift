import LaminaFramePlan

extension Painter {
  /// Makes the coverage that of a blurred rectangle. `x` and `y` get the points.
  func coverShadow(_ span: Span) {
    let brush = span.brush
    findDepth(span)
    writeOfLayer(brush.pointee.pointX, to: x, span)
    writeOfLayer(brush.pointee.pointY, to: y, span)
    let (x, y, coverage, count) = (x, y, coverage, span.count)
    let shape = ShadowShape(brush)
    let (halfWidth, halfHeight) = (shape.halfWidth, shape.halfHeight)
    for i in 0..<count { coverage[i] = shape.across(x[i]) * shape.down(y[i]) }
    shape.forEachCorner { corners in
      guard shape.isShort(corners) else { return takeOffNearPart(of: corners, shape, count) }
      let (mirrorX, mirrorY) = (corners.mirrorX, corners.mirrorY)
      var near = Distances()
      for i in 0..<count { near.add(shape.distance(y[i], from: corners)) }
      guard let near = near.range else { return }
      shape.forEachPiece(of: corners, near: near) { points in
        for point in 0..<4 {
          let (curveX, curveY, weight) = (points.x[point], points.y[point], points.weights[point])
          if corners.areFour {
            for i in 0..<count {
              let missing =
                shape.missing(halfWidth + x[i], at: curveX)
                + shape.missing(halfWidth - x[i], at: curveX)
              let bell =
                shape.bell(halfHeight + y[i], at: curveY)
                + shape.bell(halfHeight - y[i], at: curveY)
              coverage[i] -= missing * bell * weight
            }
          } else {
            for i in 0..<count {
              let missing = shape.missing(halfWidth + x[i] * mirrorX, at: curveX)
              coverage[i] -= missing * shape.bell(halfHeight + y[i] * mirrorY, at: curveY) * weight
            }
          }
        }
      }
    }
  }

  /// Takes from the coverage what round corners lack whose curves are long. Each pixel has points
  /// of its own: they lie where the curve is near.
  private func takeOffNearPart(
    of corners: ShadowShape.Corners, _ shape: ShadowShape, _ count: Int
  ) {
    let (x, y, coverage) = (x, y, coverage)
    let (fromX, fromY, first, length) = more
    let (radius, areFour) = (corners.radius, corners.areFour)
    let (width, height) = (2 * shape.halfWidth, 2 * shape.halfHeight)
    for i in 0..<count {
      // Of four corners, the nearest.
      fromX[i] = shape.halfWidth + (areFour ? -x[i].magnitude : x[i] * corners.mirrorX)
      fromY[i] = shape.distance(y[i], from: corners)
      let part = shape.partOfCurve(near: fromX[i], fromY[i], radius: radius)
      (first[i], length[i]) = (part.first, part.length)
      coverage[i] -= shape.missing(fromX[i], fromY[i], before: part.beyond)
      if areFour {
        coverage[i] -= shape.missing(fromX[i], height - fromY[i], before: part.beyond)
      }
    }
    for point in ShadowShape.eightPoints {
      let weight = point.weight * shape.unitWeight(radius)
      for i in 0..<count {
        let tangent = first[i] + length[i] * point.place
        let d = 1 / (1 + tangent * tangent)
        let sine = 2 * tangent * d
        let (curveX, curveY) = (radius - radius * sine, radius * sine * tangent)
        var missing = shape.missing(fromX[i], at: curveX)
        var bell = shape.bell(fromY[i], at: curveY)
        if areFour {
          missing += shape.missing(width - fromX[i], at: curveX)
          bell += shape.bell(height - fromY[i], at: curveY)
        }
        coverage[i] -= missing * bell * length[i] * weight * d * sine
      }
    }
  }

  /// Paints rows that have their columns in common: the numbers of the columns are computed once.
  func paintShadow(_ row: BrushRow, _ columns: Range<Int>, _ rows: Range<Int>) {
    let brush = row.brush
    let shape = ShadowShape(brush)
    let (x, across, sums, pixels) = (x, coverage, shadowRows, pixels)
    let limit = Self.spanLimit
    /// The row's y in the layer, from the outline's middle.
    func place(_ row: Int) -> Float {
      brush.pointee.pointY.row(Float(row &- Int(brush.pointee.y)))
    }
    forEachSpan(row, columns, rows.lowerBound) { span in
      let count = span.count
      write(brush.pointee.pointX, to: x, span)
      for i in 0..<count { across[i] = shape.across(x[i]) }
      for y in rows {
        let (down, sums) = (shape.down(place(y)), sums + (y &- rows.lowerBound) &* limit)
        for i in 0..<count { sums[i] = across[i] * down }
      }
      shape.forEachCorner { corners in
        var near = Distances()
        for y in rows { near.add(shape.distance(place(y), from: corners)) }
        guard let near = near.range else { return }
        shape.forEachPiece(of: corners, near: near) { points in
          write(points, of: corners, shape, count)
          for y in rows {
            let down = shape.bells(place(y), of: corners, at: points.y) * points.weights
            if down == .zero { continue }
            let (first, second, third, fourth) = more
            let sums = sums + (y &- rows.lowerBound) &* limit
            for i in 0..<count {
              sums[i] -=
                first[i] * down.x + second[i] * down.y + third[i] * down.z + fourth[i] * down.w
            }
          }
        }
      }
      for y in rows {
        let sums = sums + (y &- rows.lowerBound) &* limit
        for i in 0..<count { pixels[i] = Pixel.byte(sums[i]) }
        self.rows.mask(row.target.bytes(y) + span.x, pixels, count, brush.pointee.pixel)
      }
    }
  }

  /// Writes what is missing along x at four points of a curve into `more`, for the columns in `x`.
  private func write(
    _ points: ShadowShape.CurvePoints, of corners: ShadowShape.Corners, _ shape: ShadowShape,
    _ count: Int
  ) {
    let (x, halfWidth, mirror) = (x, shape.halfWidth, corners.mirrorX)
    for (point, missing) in [more.0, more.1, more.2, more.3].enumerated() {
      let curve = points.x[point]
      if corners.areFour {
        for i in 0..<count {
          missing[i] =
            shape.missing(halfWidth + x[i], at: curve) + shape.missing(halfWidth - x[i], at: curve)
        }
      } else {
        for i in 0..<count { missing[i] = shape.missing(halfWidth + x[i] * mirror, at: curve) }
      }
    }
  }
}

extension ShadowShape {
  /// The distance inward of a place from the edge of corners; of four corners, from the nearer one.
  @inline(__always)
  fileprivate func distance(_ y: Float, from corners: Corners) -> Float {
    corners.areFour ? halfHeight - y.magnitude : halfHeight + y * corners.mirrorY
  }

  /// The Gaussians of four points of a curve at a place.
  fileprivate func bells(
    _ y: Float, of corners: Corners, at curve: SIMD4<Float>
  ) -> SIMD4<Float> {
    var bells = SIMD4<Float>.zero
    for point in 0..<4 {
      bells[point] = bell(halfHeight + y * corners.mirrorY, at: curve[point])
      if corners.areFour { bells[point] += bell(halfHeight - y, at: curve[point]) }
    }
    return bells
  }
}

/// The range of some numbers, without those that are not.
private struct Distances {
  private(set) var range: ClosedRange<Float>?

  mutating func add(_ number: Float) {
    if let range {
      self.range = least(number, range.lowerBound)...most(number, range.upperBound)
    } else if !number.isNaN {
      range = number...number
    }
  }
}
