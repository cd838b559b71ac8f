import Foundation
import LaminaValues
import TestSupport
import Testing

@testable import LaminaAnimation

/// The mean and the extremes of some numbers.
private struct Spread {
  var mean = 0.0
  var least = Double.infinity
  var most = -Double.infinity

  init(_ numbers: [Double]) {
    for number in numbers { (least, most) = (min(least, number), max(most, number)) }
    mean = numbers.reduce(0, +) / Double(max(numbers.count, 1))
  }

  /// Whether the numbers are spread evenly over `range`, of 10,000 or so.
  func isEven(over range: ClosedRange<Double>) -> Bool {
    let length = range.upperBound - range.lowerBound
    let middle = (range.lowerBound + range.upperBound) / 2
    return least >= range.lowerBound && most <= range.upperBound
      && abs(mean - middle) < length * 0.02 && least < range.lowerBound + length * 0.01
      && most > range.upperBound - length * 0.01
  }
}

@Suite("Particles")
struct ParticleTests {
  /// 10,000 particles at birth, one second apart.
  private static func newborns(
    _ set: (inout EmitterCellValues) -> Void, _ layer: (inout EmitterValues) -> Void = { _ in }
  ) -> [Particle] {
    var emitter = EmitterValues.emitting {
      set(&$0)
      $0.birthRate = 1e9
      $0.lifetime = 1e-5
      $0.lifetimeRange = 0
    }
    layer(&emitter)
    return emitter.particles(at: 1).particles
  }

  @Test("As many particles live as the rate and the lifetime say, and no more than are born")
  func counts() {
    let emitter = EmitterValues.emitting { $0.lifetime = 10 }
    #expect(emitter.particles(at: -1).particles.isEmpty)
    #expect(emitter.particles(at: 0).particles.count == 1)
    #expect(emitter.particles(at: 2.5).particles.count == 2501)
    #expect(emitter.particles(at: 9.9995).particles.count == 10_000)
    #expect(emitter.particles(at: 1e6).particles.count == 10_000)
  }

  @Test("Lifetimes are spread evenly over their range: a line falls from all to none")
  func lifetimes() {
    let emitter = EmitterValues.emitting {
      $0.lifetime = 8
      $0.lifetimeRange = 4
    }
    let ages = emitter.particles(at: 50).particles.map { 50 - $0.birth }
    #expect(abs(ages.count - 8000) < 160)
    #expect(abs(ages.count { $0 < 6 } - 6000) <= 1)
    // Of those between 6 and 10 seconds old, half live; of those over 8, a quarter of that half.
    #expect(abs(ages.count { $0 > 8 } - 500) < 60)
    #expect(ages.allSatisfy { $0 <= 10 })
  }

  @Test("Speeds, scales, colours and spins are spread evenly over their ranges")
  func ranges() throws {
    let particles = EmitterValues.emitting {
      $0.lifetime = 10
      $0.velocity = 100
      $0.velocityRange = 40
      $0.scale = 2
      $0.scaleRange = 1
      $0.color = CGColor(red: 0.5, green: 0.6, blue: 0.5, alpha: 0.8)
      $0.redRange = 0.4
      $0.alphaRange = 0.2
    }.particles(at: 20).particles
    #expect(particles.count == 10_000)
    let old = particles.filter { 20 - $0.birth > 0.5 }
    #expect(Spread(old.map { $0.position.x / (20 - $0.birth) }).isEven(over: 80...120))
    #expect(old.allSatisfy { $0.position.y == 0 && $0.position.z == 0 })
    #expect(Spread(particles.map(\.xAxis.x)).isEven(over: 1.5...2.5))
    #expect(Spread(particles.map(\.color.x)).isEven(over: 0.3...0.7))
    #expect(Spread(particles.map(\.color.w)).isEven(over: 0.7...0.9))
    #expect(particles.allSatisfy { abs($0.color.y - 0.6) < 1e-12 })
  }

  @Test("Directions are spread evenly over the cone around longitude and latitude")
  func directions() {
    let particles = EmitterValues.emitting {
      $0.lifetime = 10
      $0.velocity = 1
      $0.emissionLongitude = 0.7
      $0.emissionLatitude = 0.4
      $0.emissionRange = 1.2
    }.particles(at: 20).particles.filter { 20 - $0.birth > 0.1 }
    let axis = SIMD3(cos(0.4) * cos(0.7), cos(0.4) * sin(0.7), sin(0.4))
    let cosines = particles.map { $0.position.dot(axis) / (20 - $0.birth) }
    #expect(Spread(cosines).isEven(over: cos(0.6)...1 + 1e-12))
    var mean = SIMD3<Double>.zero
    for particle in particles { mean += particle.position / (20 - particle.birth) }
    mean /= Double(particles.count)
    let expected = axis * ((1 + cos(0.6)) / 2)
    expectClose([mean.x, mean.y, mean.z], [expected.x, expected.y, expected.z], 0.015)
    let all = EmitterValues.emitting {
      $0.velocity = 1
      $0.emissionRange = 2 * .pi
    }.particles(at: 10).particles.filter { 10 - $0.birth > 0.1 }
    for axis in 0..<3 {
      #expect(Spread(all.map { $0.position[axis] / (10 - $0.birth) }).isEven(over: -1...1))
    }
  }

  @Test("A particle's course: acceleration, scale, colour and spin by its age")
  func course() throws {
    let emitter = EmitterValues.emitting {
      $0.birthRate = 0.001
      $0.velocity = 10
      ($0.xAcceleration, $0.yAcceleration, $0.zAcceleration) = (2, -3, 4)
      ($0.scale, $0.scaleSpeed) = (1, 0.5)
      $0.spin = .pi / 4
      $0.color = CGColor(red: 0.9, green: 0.5, blue: 0.1, alpha: 1)
      ($0.redSpeed, $0.greenSpeed, $0.blueSpeed, $0.alphaSpeed) = (0.1, 0.1, -0.1, -0.25)
    }
    let particle = try #require(emitter.particles(at: 2).particles.first)
    expectClose(
      [particle.position.x, particle.position.y, particle.position.z], [24, -6, 8], 1e-12)
    expectClose([particle.xAxis.x, particle.xAxis.y], [0, 2], 1e-12)
    expectClose([particle.yAxis.x, particle.yAxis.y], [-2, 0], 1e-12)
    expectClose(
      [particle.color.x, particle.color.y, particle.color.z, particle.color.w], [1, 0.7, 0, 0.5],
      1e-12)
  }

  @Test("The layer's factors multiply rate, lifetime, velocity, scale and spin")
  func factors() throws {
    var emitter = EmitterValues.emitting {
      ($0.birthRate, $0.lifetime, $0.velocity, $0.scale, $0.spin) = (10, 2, 5, 3, .pi / 8)
    }
    (emitter.birthRate, emitter.lifetime, emitter.velocity) = (3, 2, 4)
    (emitter.scale, emitter.spin) = (0.5, 2)
    let particles = emitter.particles(at: 10).particles
    #expect(particles.count == 120)
    let oldest = try #require(particles.min { $0.birth < $1.birth })
    let age = 10 - oldest.birth
    expectClose([oldest.position.x], [20 * age], 1e-9)
    expectClose([(oldest.xAxis * oldest.xAxis).sum().squareRoot()], [1.5], 1e-12)
    expectClose([oldest.xAxis.x], [1.5 * cos(.pi / 4 * age)], 1e-9)
  }

  // MARK: Shapes

  @Test("Positions fill the shapes, and outlines and points lie on them")
  func shapes() {
    func points(_ shape: EmitterShape, _ mode: EmitterMode) -> [SIMD3<Double>] {
      Self.newborns({ _ in }) {
        ($0.shape, $0.mode, $0.size, $0.depth) = (shape, mode, CGSize(width: 8, height: 4), 6)
        ($0.position, $0.zPosition) = (CGPoint(x: 10, y: 20), 30)
      }.map { $0.position - SIMD3(10, 20, 30) }
    }
    func length(_ p: SIMD3<Double>) -> Double { p.dot(p).squareRoot() }
    #expect(points(.point, .volume).allSatisfy { $0 == .zero })
    for mode in EmitterMode.allCases {
      let line = points(.line, mode)
      #expect(line.count > 9000 && line.allSatisfy { abs($0.x) <= 4 && $0.y == 0 && $0.z == 0 })
      #expect(points(.rectangle, mode).allSatisfy { abs($0.x) <= 4 && abs($0.y) <= 2 && $0.z == 0 })
      #expect(points(.circle, mode).allSatisfy { length($0) <= 8 + 1e-9 && $0.z == 0 })
      #expect(points(.sphere, mode).allSatisfy { length($0) <= 8 + 1e-9 })
    }
    #expect(Spread(points(.line, .volume).map(\.x)).isEven(over: -4...4))
    #expect(points(.line, .points).allSatisfy { abs($0.x) == 4 })
    #expect(Spread(points(.rectangle, .volume).map(\.y)).isEven(over: -2...2))
    #expect(points(.rectangle, .outline).allSatisfy { abs($0.x) == 4 || abs($0.y) == 2 })
    #expect(Set(points(.rectangle, .points)).count == 4)
    #expect(Spread(points(.cuboid, .volume).map(\.z)).isEven(over: -3...3))
    #expect(Set(points(.cuboid, .points)).count == 8)
    let faces = points(.cuboid, .surface)
    #expect(faces.allSatisfy { abs($0.x) == 4 || abs($0.y) == 2 || abs($0.z) == 3 })
    // Two of the faces have 8 × 4 of 208 square units.
    #expect(abs(Double(faces.count { abs($0.z) == 3 }) / Double(faces.count) - 64 / 208) < 0.02)
    #expect(
      points(.cuboid, .outline).allSatisfy { p in
        [abs(p.x) == 4, abs(p.y) == 2, abs(p.z) == 3].count { $0 } >= 2
      })
    #expect(points(.circle, .outline).allSatisfy { abs(length($0) - 8) < 1e-9 })
    // Area and volume grow with the square and the cube of the distance.
    #expect(Spread(points(.circle, .volume).map { $0.dot($0) / 64 }).isEven(over: 0...1))
    let ball = points(.sphere, .volume).map { length($0) / 8 }
    #expect(Spread(ball.map { $0 * $0 * $0 }).isEven(over: 0...1))
    #expect(points(.sphere, .surface).allSatisfy { abs(length($0) - 8) < 1e-9 })
    #expect(points(.sphere, .outline).allSatisfy { $0.z == 0 })
  }

  @Test("Particles of outlines start outwards, those of a line towards lesser y")
  func outwards() {
    func moves(_ shape: EmitterShape, _ mode: EmitterMode) -> [(SIMD3<Double>, Double)] {
      var emitter = EmitterValues.emitting {
        $0.velocity = 1
        $0.birthRate = 1e6
        $0.lifetime = 0.01
      }
      (emitter.shape, emitter.mode, emitter.size) = (shape, mode, CGSize(width: 8, height: 4))
      return emitter.particles(at: 1).particles.map { ($0.position, 1 - $0.birth) }
    }
    for (position, age) in moves(.line, .volume) {
      #expect(abs(position.y + age) < 1e-12 && abs(position.x) <= 4)
    }
    for (position, age) in moves(.circle, .outline) {
      #expect(abs(position.dot(position).squareRoot() - 8 - age) < 1e-9)
    }
    for (position, age) in moves(.rectangle, .volume) {
      #expect(position.x >= -4 + age - 1e-12 && abs(position.y) <= 2)
    }
  }

  // MARK: Times

  @Test("A cell emits from its begin for its duration, at its own speed")
  func timing() {
    let early = EmitterValues.emitting {
      $0.timing.beginTime = -5
      $0.birthRate = 10
    }
    #expect(early.particles(at: 0).particles.count == 51)
    #expect(early.particles(at: -6).particles.isEmpty)
    let burst = EmitterValues.emitting {
      $0.timing.beginTime = 1
      $0.timing.duration = 0.5
      $0.birthRate = 10
      $0.lifetime = 3
    }
    #expect(burst.particles(at: 0.9).particles.isEmpty)
    #expect(burst.particles(at: 3).particles.count == 6)
    #expect(burst.particles(at: 4.25).particles.count == 3)
    #expect(burst.particles(at: 5).particles.isEmpty)
    let fast = EmitterValues.emitting {
      $0.timing.speed = 2
      $0.birthRate = 10
      $0.velocity = 7
    }
    let particles = fast.particles(at: 3).particles
    #expect(particles.count == 61)
    #expect(abs((particles.first?.position.x ?? 0) - 42) < 1e-9)
    let still = EmitterValues.emitting {
      $0.timing.speed = 0
      $0.timing.timeOffset = 4
      $0.birthRate = 10
    }
    #expect(still.particles(at: 3).particles.count == 41)
    #expect(
      still.particles(at: 3).particles.map(\.position)
        == still.particles(at: 9).particles.map(\.position))
  }

  @Test("Disabled cells, and those without rate, lifetime or image, show nothing")
  func nothing() {
    for emitter in [
      EmitterValues.emitting { $0.isEnabled = false }, EmitterValues.emitting { $0.birthRate = 0 },
      EmitterValues.emitting { $0.birthRate = -3 }, EmitterValues.emitting { $0.lifetime = 0 },
      EmitterValues.emitting { $0.contents = nil }, EmitterValues.emitting { $0.scale = 0 },
    ] {
      #expect(emitter.particles(at: 5).particles.isEmpty)
    }
  }

  @Test("What changes next: an emitter that is over, or has not begun, is still")
  func nextChange() {
    let burst = EmitterValues.emitting {
      $0.timing.beginTime = 2
      $0.timing.duration = 1
      $0.lifetime = 3
    }
    func next(_ time: Double) -> Double {
      burst.nextChange(after: time, cloud: burst.particles(at: time))
    }
    #expect(next(1) == 2)
    #expect(next(2.5) == 2.5)
    #expect(next(5.9) == 5.9)
    #expect(next(6.5) == .infinity)
    let none = EmitterValues()
    #expect(none.nextChange(after: 1, cloud: ParticleCloud()) == .infinity)
  }

  // MARK: Nesting

  @Test("Each particle emits from where it is, in its direction, while it lives")
  func nesting() throws {
    let emitter = EmitterValues.emitting {
      $0.birthRate = 0.001
      $0.lifetime = 2
      $0.velocity = 10
      $0.emissionLongitude = .pi / 2
      $0.contents = nil
      $0.scale = 0.5
      $0.color = CGColor(red: 1, green: 0.5, blue: 1, alpha: 1)
      var spark = EmitterCellValues()
      spark.contents = ImageID(rawValue: 2)
      (spark.birthRate, spark.lifetime, spark.velocity, spark.scale) = (1, 3, 4, 3)
      spark.emissionLongitude = .pi / 2
      spark.color = CGColor(red: 0.5, green: 0.5, blue: 0, alpha: 1)
      $0.cells = [spark]
    }
    // Sparks are born at 0 and 1, at (0, 0) and (0, 10), and move to the left; at 2 their rocket
    // dies.
    let sparks = emitter.particles(at: 2.5).particles
    expectClose(sparks.map(\.position.x), [-10, -6], 1e-9)
    expectClose(sparks.map(\.position.y), [0, 10], 1e-9)
    #expect(sparks.allSatisfy { abs($0.xAxis.x - 1.5) < 1e-12 })
    #expect(sparks.allSatisfy { abs($0.color.y - 0.25) < 1e-12 && $0.color.z == 0 })
    #expect(emitter.particles(at: 3.5).particles.count == 1)
    #expect(emitter.particles(at: 4.5).particles.isEmpty)
  }

  // MARK: Orders and behaviours

  @Test("Render modes order particles by age or by depth")
  func order() {
    var emitter = EmitterValues.emitting {
      $0.velocity = 10
      $0.velocityRange = 20
      $0.emissionRange = 6
      $0.lifetimeRange = 50
    }
    let cells = emitter.cells ?? []
    emitter.cells = cells + cells
    func particles(_ mode: EmitterRenderMode) -> [Particle] {
      emitter.renderMode = mode
      return emitter.particles(at: 3).particles
    }
    #expect(particles(.oldestFirst).map(\.birth).isSorted)
    #expect(particles(.oldestLast).map(\.birth).reversed().isSorted)
    #expect(particles(.backToFront).map(\.position.z).isSorted)
    #expect(particles(.unordered).map(\.look).isSorted)
    #expect(particles(.unordered).count == particles(.oldestFirst).count)
  }

  // MARK: Limits

  @Test("A thousand million particles a second end in the limit's number, the youngest")
  func limit() {
    var emitter = EmitterValues.emitting { $0.birthRate = 1e30 }
    var cloud = emitter.particles(at: 3)
    #expect(cloud.particles.count == ParticleCloud.limit && cloud.isIncomplete)
    #expect(cloud.particles.allSatisfy { $0.birth > 2.9 })
    let inner = emitter.cells
    emitter.cells?[0].cells = inner
    cloud = emitter.particles(at: 3)
    #expect(cloud.particles.count <= ParticleCloud.limit && cloud.isIncomplete)
    let strange = EmitterValues.emitting { cell in
      for number in EmitterCellProperty.numbers { cell[keyPath: number] = .infinity }
    }
    #expect(strange.particles(at: 3).particles.count <= ParticleCloud.limit)
    let odd = EmitterValues.emitting { cell in
      for number in EmitterCellProperty.numbers { cell[keyPath: number] = -1e300 }
    }
    #expect(odd.particles(at: 3).particles.allSatisfy { $0.position.x.isFinite })
    #expect(odd.particles(at: .infinity).particles.isEmpty)
  }

  @Test("Other seeds give other particles, and the same seed the same")
  func seeds() {
    var emitter = EmitterValues.emitting { $0.velocityRange = 10 }
    let first = emitter.particles(at: 3)
    #expect(emitter.particles(at: 3) == first)
    emitter.seed = 1
    #expect(emitter.particles(at: 3) != first)
  }
}

extension Sequence<Double> {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}

extension Sequence<Int32> {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
