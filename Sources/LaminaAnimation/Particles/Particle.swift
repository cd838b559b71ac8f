import Foundation
import LaminaValues

/// A particle at a time, in the space of its emitter's layer.
package struct Particle: Equatable, Sendable {
  package var position: SIMD3<Double>
  /// The image's axes, to the right and down from its middle in a layer whose y points down. Their
  /// length is the particle's scale.
  package var xAxis: SIMD3<Double>
  package var yAxis: SIMD3<Double>
  /// Straight red, green, blue and alpha, 0…1.
  package var color: SIMD4<Double>
  /// Index of its look in the cloud.
  package var look: Int32
  /// The layer's time at which it was born.
  package var birth: Double
}

/// All particles of an emitter at a time, in the order in which they are drawn.
package struct ParticleCloud: Equatable, Sendable {
  /// What the particles of one cell show.
  package struct Look: Equatable, Sendable {
    package var contents: ImageID
    package var contentsRect: CGRect
    package var contentsScale: Double
    package var minificationFilter: ContentsFilter
    package var magnificationFilter: ContentsFilter
    package var minificationFilterBias: Double
    /// The least and the greatest coordinates of its particles' positions, and their largest scale.
    package var least = SIMD3<Double>(repeating: .infinity)
    package var greatest = SIMD3<Double>(repeating: -.infinity)
    package var largestScale = 0.0

    init?(_ cell: EmitterCellValues) {
      guard let contents = cell.contents else { return nil }
      self.contents = contents
      contentsRect = cell.contentsRect
      contentsScale = cell.contentsScale
      minificationFilter = cell.minificationFilter
      magnificationFilter = cell.magnificationFilter
      minificationFilterBias = cell.minificationFilterBias
    }

    mutating func include(_ particle: Particle, scale: Double) {
      least = pointwiseMin(least, particle.position)
      greatest = pointwiseMax(greatest, particle.position)
      largestScale = max(largestScale, scale)
    }
  }

  package var looks: [Look] = []
  package var particles: [Particle] = []
  /// Whether particles were left out because there would be more than `limit`.
  package var isIncomplete = false
  /// The number of births that were looked at: those of the particles, of those that have died
  /// lately, and of those that show nothing but emit others.
  package internal(set) var birthCount = 0

  package init() {}

  /// The most particles that an emitter shows at a time. Of more, those born last are shown.
  package static let limit = 1 << 16
}

/// What a particle is from birth on; with its age, this is all that there is to know of it.
struct ParticleCourse {
  /// Seconds, in its cell's time.
  var lifetime: Double
  var origin: SIMD3<Double>
  var velocity: SIMD3<Double>
  var acceleration: SIMD3<Double>
  /// The direction in which the cell emitted it, of length 1.
  var direction: SIMD3<Double>
  var scale: Double
  var scaleSpeed: Double
  /// Radians, and radians a second.
  var angle: Double
  var spin: Double
  var color: SIMD4<Double>
  var colorSpeed: SIMD4<Double>
  /// The image's axes before it is turned by the angle.
  var xAxis: SIMD3<Double>
  var yAxis: SIMD3<Double>

  func position(at age: Double) -> SIMD3<Double> {
    origin + velocity * age + acceleration * (0.5 * age * age)
  }

  /// The direction in which it moves, of length 1.
  func direction(at age: Double) -> SIMD3<Double> {
    (velocity + acceleration * age).normalized ?? direction
  }

  /// A particle that shrinks to nothing stays nothing.
  func scale(at age: Double) -> Double { max(scale + scaleSpeed * age, 0) }

  func color(at age: Double) -> SIMD4<Double> {
    (color + colorSpeed * age).clamped(
      lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1))
  }

  /// The two axes, turned and scaled.
  func axes(at age: Double, scale: Double) -> (x: SIMD3<Double>, y: SIMD3<Double>) {
    let angle = angle + spin * age
    guard angle != 0 else { return (xAxis * scale, yAxis * scale) }
    let (sine, cosine) = PortableMath.sineAndCosine(angle)
    let (s, c) = (sine * scale, cosine * scale)
    return (xAxis * c + yAxis * s, yAxis * c - xAxis * s)
  }
}

extension SIMD3<Double> {
  /// The vector of the same direction and length 1; nil if it has no direction.
  var normalized: SIMD3<Double>? {
    let square = dot(self)
    guard square > 1e-24, square.isFinite else { return nil }
    return self / square.squareRoot()
  }
}

/// Three directions at right angles, in which a cell's angles are measured: longitude turns from x
/// to y, latitude from there to z.
struct EmissionFrame {
  var x: SIMD3<Double>
  var y: SIMD3<Double>
  var z: SIMD3<Double>

  static let layer = EmissionFrame(x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1])

  init(x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// The frame whose x axis is `direction`, of length 1, and whose y axis lies in the layer's
  /// plane.
  init(along direction: SIMD3<Double>) {
    x = direction
    y = SIMD3(-direction.y, direction.x, 0).normalized ?? SIMD3(0, 1, 0)
    z = x.cross(y)
  }

  /// The direction of a longitude and a latitude.
  func direction(longitude: Double, latitude: Double) -> SIMD3<Double> {
    let (sinLon, cosLon) = PortableMath.sineAndCosine(longitude)
    let (sinLat, cosLat) = PortableMath.sineAndCosine(latitude)
    return x * (cosLat * cosLon) + y * (cosLat * sinLon) + z * sinLat
  }
}
