import Foundation
import LaminaValues
import TestSupport
import Testing

@testable import LaminaAnimation

@Suite("What behaviours do to particles")
struct ParticleBehaviorTests {
  @Test("Drag, waves and ramps over life do what their equations say")
  func behaviors() throws {
    func particle(_ behaviors: [FilterValues], at time: Double) throws -> Particle {
      var emitter = EmitterValues.emitting {
        $0.birthRate = 0.001
        $0.lifetime = 4
        $0.velocity = 10
        $0.yAcceleration = 6
      }
      emitter.behaviors = behaviors
      return try #require(emitter.particles(at: time).particles.first)
    }
    var drag = FilterValues(type: "drag")
    drag["drag"] = .number(0.5)
    var wave = FilterValues(type: "wave")
    wave["force"] = .numbers([0, 20, 0])
    wave["frequency"] = .number(0.75)
    // Small steps of v′ = a + F cos ωt − k v.
    var (position, speed) = (SIMD3<Double>.zero, SIMD3(10.0, 0, 0))
    let steps = 200_000
    for step in 0..<steps {
      let h = 2 / Double(steps)
      let force = 20 * cos(2 * .pi * 0.75 * (Double(step) + 0.5) * h)
      let middle = speed + (SIMD3(0, 6 + force, 0) - speed * 0.5) * (h / 2)
      speed += (SIMD3(0, 6 + force, 0) - middle * 0.5) * h
      position += middle * h
    }
    let both = try particle([drag, wave], at: 2).position
    expectClose([both.x, both.y], [position.x, position.y], 1e-6)
    let swinging = try particle([wave], at: 4 / 3.0).position
    // After a whole turn of the wave, only the acceleration has moved it.
    expectClose([swinging.y], [6 * 16 / 9.0 / 2], 1e-9)
    var ramp = FilterValues(type: "colorOverLife")
    ramp["colors"] = .numbers([1, 1, 1, 1, 0, 0, 1, 0])
    var growth = FilterValues(type: "valueOverLife")
    growth["keyPath"] = .string("scale")
    growth["values"] = .numbers([0, 2, 2])
    growth["locations"] = .numbers([0, 0.5, 1])
    let middle = try particle([ramp, growth], at: 1)
    expectClose([middle.color.x, middle.color.z, middle.color.w], [0.75, 1, 0.75], 1e-12)
    expectClose([middle.xAxis.x], [1], 1e-12)
    ramp.isEnabled = false
    #expect(try particle([ramp], at: 1).color.x == 1)
    var aligned = FilterValues(type: "alignToMotion")
    // The velocity is (10, 12), then with drag and wave what differences of places say.
    let falling = try particle([aligned], at: 2)
    expectClose(
      [falling.xAxis.x, falling.xAxis.y], [10 / 244.0.squareRoot(), 12 / 244.0.squareRoot()])
    aligned["rotation"] = .number(.pi / 2)
    let turned = try particle([aligned, drag, wave], at: 2)
    let step =
      try particle([drag, wave], at: 2.0001).position - particle([drag, wave], at: 1.9999).position
    let direction = step / step.dot(step).squareRoot()
    expectClose([turned.xAxis.x, turned.xAxis.y], [-direction.y, direction.x], 1e-6)
  }

  @Test("Attractors pull in proportion to the distance, with drag, waves and an acceleration")
  func attractors() throws {
    // Weakly, strongly and critically damped, repelling, and a wave of the attractor's frequency.
    let cases: [(stiffness: [Double], drag: Double, frequency: Double)] = [
      ([9], 0, 0.75), ([9, 16], 0.4, 0.75), ([2], 7, 1.25), ([4], 4, 0.5), ([-1.5], 0.3, 0.75),
      ([4 * .pi * .pi], 0, 1), ([3, -1], 0, 0.75),
    ]
    for (stiffness, dragging, frequency) in cases {
      let attractors = stiffness.enumerated().map { place, stiffness in
        var attractor = FilterValues(type: "attractor")
        attractor["stiffness"] = .number(stiffness)
        attractor["position"] = .numbers([3, Double(-4 + 9 * place)])
        attractor["zPosition"] = .number(2)
        return attractor
      }
      var (drag, wave) = (FilterValues(type: "drag"), FilterValues(type: "wave"))
      drag["drag"] = .number(dragging)
      wave["force"] = .numbers([0, 20, 0])
      wave["frequency"] = .number(frequency)
      var emitter = EmitterValues.emitting {
        ($0.birthRate, $0.lifetime, $0.velocity, $0.yAcceleration) = (0.01, 100, 10, 6)
      }
      emitter.behaviors = attractors + [drag, wave]
      func force(_ p: SIMD3<Double>, _ v: SIMD3<Double>, _ t: Double) -> SIMD3<Double> {
        var sum = SIMD3(0, 6 + 20 * cos(2 * .pi * frequency * t), 0) - v * dragging
        for (place, stiffness) in stiffness.enumerated() {
          sum += (SIMD3(3, Double(-4 + 9 * place), 2) - p) * stiffness
        }
        return sum
      }
      // Runge and Kutta's steps.
      var (p, v) = (SIMD3<Double>.zero, SIMD3(10.0, 0, 0))
      let steps = 4000
      let h = 1.7 / Double(steps)
      for step in 0..<steps {
        let t = Double(step) * h
        let (v1, a1) = (v, force(p, v, t))
        let (v2, a2) = (v + a1 * (h / 2), force(p + v1 * (h / 2), v + a1 * (h / 2), t + h / 2))
        let (v3, a3) = (v + a2 * (h / 2), force(p + v2 * (h / 2), v + a2 * (h / 2), t + h / 2))
        let (v4, a4) = (v + a3 * h, force(p + v3 * h, v + a3 * h, t + h))
        p += (v1 + (v2 + v3) * 2 + v4) * (h / 6)
        v += (a1 + (a2 + a3) * 2 + a4) * (h / 6)
      }
      let found = try #require(emitter.particles(at: 1.7).particles.first).position
      for axis in 0..<3 {
        #expect(abs(found[axis] - p[axis]) < 1e-7, "\(stiffness): \(found), \(p)")
      }
      var aligned = FilterValues(type: "alignToMotion")
      aligned["rotation"] = .number(0)
      emitter.behaviors?.append(aligned)
      let particle = try #require(emitter.particles(at: 1.7).particles.first)
      let speed = SIMD3(v.x, v.y, 0)
      let direction = speed / (speed.x * speed.x + speed.y * speed.y).squareRoot()
      #expect(abs(particle.xAxis.x - direction.x) < 1e-7, "\(stiffness)")
      #expect(abs(particle.xAxis.y - direction.y) < 1e-7, "\(stiffness)")
    }
  }

  @Test("An attractor with a radius or a falloff, or for a plane, has no effect")
  func limitedAttractors() throws {
    var attractor = FilterValues(type: "attractor")
    #expect(!ParticleBehaviors.hasEffect(attractor))
    attractor["stiffness"] = .number(3)
    attractor["radius"] = .number(.infinity)
    #expect(ParticleBehaviors.hasEffect(attractor))
    for (key, value) in [
      ("radius", FilterInput.number(200)), ("falloff", .number(-9)),
      ("attractorType", .string("planar")),
    ] {
      var limited = attractor
      limited[key] = value
      #expect(!ParticleBehaviors.hasEffect(limited))
      var emitter = EmitterValues.emitting { $0.velocity = 10 }
      let plain = emitter.particles(at: 2)
      emitter.behaviors = [limited]
      #expect(emitter.particles(at: 2) == plain)
    }
  }

  @Test("Attractors of any strength leave positions finite")
  func strangeAttractors() {
    for stiffness in [-Double.infinity, -1e300, -1e6, 1e-300, 1e6, .infinity] {
      var attractor = FilterValues(type: "attractor")
      attractor["stiffness"] = .number(stiffness)
      attractor["position"] = .numbers([.infinity, -1e300])
      var emitter = EmitterValues.emitting { $0.velocity = 10 }
      emitter.behaviors = [attractor, attractor]
      let particles = emitter.particles(at: 50).particles
      #expect(!particles.isEmpty)
      #expect(particles.allSatisfy { $0.position.x.isFinite && $0.position.y.isFinite })
    }
  }
}
