import LaminaValues

/// A point from which particles are emitted, and the direction that a cell's angles count from.
struct EmissionPoint {
  /// Relative to the middle of the shape.
  var offset: SIMD3<Double>
  var direction: SIMD3<Double>
}

extension EmitterValues {
  /// A random point of the shape. It always takes three random numbers.
  ///
  /// Lines, rectangles and boxes have the emitter's size, and depth; circles and spheres have its
  /// width as their radius. Angles count from the x axis, except on outlines and on the surfaces of
  /// boxes, circles and spheres, where they count from the direction that leads out. A line's
  /// outside is that of lesser y: this is what sources for Apple's systems rely on, whose snow
  /// falls from a line with an emissionLongitude of π, and so in every mode.
  func emissionPoint(_ random: inout ParticleRandom) -> EmissionPoint {
    let u = SIMD3(random.unit(), random.unit(), random.unit())
    let (width, height) = (Double(size.width).bounded, Double(size.height).bounded)
    let box = SIMD3(width, height, depth.bounded)
    switch shape {
    case .point: return EmissionPoint(offset: .zero, direction: [1, 0, 0])
    case .line:
      let x = mode == .points ? (u.x < 0.5 ? -0.5 : 0.5) : u.x - 0.5
      return EmissionPoint(offset: [x * width, 0, 0], direction: [0, -1, 0])
    case .rectangle: return rectanglePoint(box, u)
    case .cuboid: return boxPoint(box, u)
    case .circle: return circlePoint(width, u)
    case .sphere: return spherePoint(width, u)
    }
  }

  private func rectanglePoint(_ box: SIMD3<Double>, _ u: SIMD3<Double>) -> EmissionPoint {
    let (width, height) = (abs(box.x), abs(box.y))
    switch mode {
    case .volume, .surface:
      return EmissionPoint(
        offset: [(u.x - 0.5) * box.x, (u.y - 0.5) * box.y, 0], direction: [1, 0, 0])
    case .points:
      return EmissionPoint(
        offset: [u.x < 0.5 ? -width / 2 : width / 2, u.y < 0.5 ? -height / 2 : height / 2, 0],
        direction: [1, 0, 0])
    case .outline:
      let isAcross = u.x * (width + height) < width
      let side = u.z < 0.5 ? -1.0 : 1.0
      return isAcross
        ? EmissionPoint(
          offset: [(u.y - 0.5) * width, side * height / 2, 0], direction: [0, side, 0])
        : EmissionPoint(
          offset: [side * width / 2, (u.y - 0.5) * height, 0], direction: [side, 0, 0])
    }
  }

  private func boxPoint(_ box: SIMD3<Double>, _ u: SIMD3<Double>) -> EmissionPoint {
    let size = SIMD3(abs(box.x), abs(box.y), abs(box.z))
    let inside = (u - 0.5) * size
    func side(_ v: Double) -> Double { v < 0.5 ? -1 : 1 }
    let sides = SIMD3(side(u.x), side(u.y), side(u.z))
    switch mode {
    case .volume: return EmissionPoint(offset: inside, direction: [1, 0, 0])
    case .points: return EmissionPoint(offset: sides * size / 2, direction: [1, 0, 0])
    case .outline:
      // An edge runs along an axis, chosen by its length; the third number says where on it, and
      // its halves and quarters say which of the four edges it is.
      let total = size.x + size.y + size.z
      let at = u.x * total
      let axis = at < size.x ? 0 : at < size.x + size.y ? 1 : 2
      let corner = min(Int(u.y * 4), 3)
      let (a, b) = (corner & 1 == 0 ? -1.0 : 1.0, corner & 2 == 0 ? -1.0 : 1.0)
      var out = SIMD3<Double>.zero
      (out[(axis + 1) % 3], out[(axis + 2) % 3]) = (a, b)
      var offset = out * size / 2
      offset[axis] = (u.z - 0.5) * size[axis]
      return EmissionPoint(offset: offset, direction: out / 2.0.squareRoot())
    case .surface:
      let areas = SIMD3(size.y * size.z, size.x * size.z, size.x * size.y)
      let at = u.x * (areas.x + areas.y + areas.z)
      let axis = at < areas.x ? 0 : at < areas.x + areas.y ? 1 : 2
      // What the first number says beyond the face is which of the two sides it is.
      let before = axis == 0 ? 0 : axis == 1 ? areas.x : areas.x + areas.y
      let out = at - before < areas[axis] / 2 ? -1.0 : 1.0
      var (offset, direction) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
      offset[axis] = out * size[axis] / 2
      offset[(axis + 1) % 3] = (u.y - 0.5) * size[(axis + 1) % 3]
      offset[(axis + 2) % 3] = (u.z - 0.5) * size[(axis + 2) % 3]
      direction[axis] = out
      return EmissionPoint(offset: offset, direction: direction)
    }
  }

  private func circlePoint(_ radius: Double, _ u: SIMD3<Double>) -> EmissionPoint {
    let turn = mode == .points ? Double(min(Int(u.x * 4), 3)) / 4 : u.x
    let (sine, cosine) = PortableMath.sineAndCosine(turn * 2 * .pi)
    let out = SIMD3(cosine, sine, 0)
    switch mode {
    case .volume:
      return EmissionPoint(offset: out * (radius * u.y.squareRoot()), direction: [1, 0, 0])
    case .points, .outline: return EmissionPoint(offset: out * radius, direction: out)
    case .surface: return EmissionPoint(offset: out * (radius * u.y.squareRoot()), direction: out)
    }
  }

  private func spherePoint(_ radius: Double, _ u: SIMD3<Double>) -> EmissionPoint {
    if mode == .points {
      let face = min(Int(u.x * 6), 5)
      var out = SIMD3<Double>.zero
      out[face / 2] = face & 1 == 0 ? -1 : 1
      return EmissionPoint(offset: out * radius, direction: out)
    }
    // Archimedes: heights of random points of a sphere are even.
    let height = mode == .outline ? 0 : u.y * 2 - 1
    let across = max(1 - height * height, 0).squareRoot()
    let (sine, cosine) = PortableMath.sineAndCosine(u.x * 2 * .pi)
    let out = SIMD3(cosine * across, sine * across, height)
    guard mode == .volume else { return EmissionPoint(offset: out * radius, direction: out) }
    // Of random points in a ball, the cube of the distance is even, as is that of the largest of
    // three even numbers. The second and the third are what the first has beyond 18 and 36 bits.
    let first = u.z
    let second = (u.z * 0x1p18).fraction
    let third = (u.z * 0x1p36).fraction
    return EmissionPoint(offset: out * (radius * max(first, second, third)), direction: [1, 0, 0])
  }
}

extension Double {
  /// The number, in a range in which nothing that is computed from it overflows; 0 for NaN.
  var bounded: Double { isNaN ? 0 : Swift.min(Swift.max(self, -1e9), 1e9) }

  fileprivate var fraction: Double { self - rounded(.down) }
}
