import Foundation
import LaminaValues
import Testing

@testable import LaminaAnimation

@Suite("Particles of values that change")
struct EmissionSpanTests {
  /// The particles at a time of an emitter whose values are those of a function.
  private func particles(
    _ emitter: EmitterValues, at time: Double, _ values: (Double) -> EmitterValues
  ) -> ParticleCloud {
    let samples = EmissionSamples(of: emitter, alive: time, at: values)
    return ParticleCloud([EmissionSpan(emitter, samples: samples)], at: time, present: emitter)
  }

  @Test("Where the rate is animated, births follow it, and each particle keeps its birth")
  func animatedRate() {
    let emitter = EmitterValues.emitting {
      $0.birthRate = 500
      $0.lifetime = 10
    }
    func values(_ time: Double) -> EmitterValues {
      var values = emitter
      values.birthRate = max(time, 0)
      return values
    }
    let births = particles(emitter, at: 8, values).particles.map(\.birth)
    // 500 times the integral of t.
    #expect(abs(births.count - 16_000) < 300)
    #expect(abs(births.count { $0 < 4 } - 4000) < 150)
    let later = Set(particles(emitter, at: 9, values).particles.map(\.birth))
    #expect(births.allSatisfy { later.contains($0) })
  }

  @Test("Particles are born with the values of their time")
  func animatedPosition() {
    let emitter = EmitterValues.emitting { $0.lifetime = 2 }
    let cloud = particles(emitter, at: 5) { time in
      var values = emitter
      values.position.x = time * 10
      return values
    }
    #expect(abs(cloud.particles.count - 2000) < 60)
    #expect(cloud.particles.allSatisfy { abs($0.position.x - $0.birth * 10) <= 10.0 / 64 })
  }

  @Test("Spans of other values meet without a gap: particles of the old live on")
  func spans() {
    let old = EmitterValues.emitting { $0.lifetime = 3 }
    var new = old
    new.birthRate = 0
    func count(_ time: Double) -> Int {
      ParticleCloud(
        [EmissionSpan(to: 5, old), EmissionSpan(from: 5, new)], at: time, present: new
      ).particles.count
    }
    #expect(count(4) == 3000)
    #expect(count(5) == 2999)
    #expect(count(6.5) == 1499)
    #expect(count(9) == 0)
    let same = ParticleCloud(
      [EmissionSpan(to: 5, old), EmissionSpan(from: 5, old)], at: 6, present: old)
    let whole = old.particles(at: 6)
    #expect(same.particles.map(\.birth) == whole.particles.map(\.birth))
    #expect(same.particles.map(\.position) == whole.particles.map(\.position))
  }
}
