import Foundation
import LaminaValues
import Testing

@testable import LaminaAnimation

@Suite("Particles on every processor")
struct PortableParticleTests {
  @Test("10,000 particles of every kind have the same bits as when this test was written")
  func bits() {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ number: Double) { hash = (hash ^ number.bitPattern) &* 0x100_0000_01b3 }
    var count = 0
    for (index, shape) in EmitterShape.allCases.enumerated() {
      for mode in EmitterMode.allCases {
        var emitter = EmitterValues()
        (emitter.shape, emitter.mode, emitter.seed) = (shape, mode, UInt32(index))
        (emitter.size, emitter.depth) = (CGSize(width: 30, height: 20), 10)
        emitter.cells = [Self.cell(ParticleType.allCases[index % 2])]
        var (drag, wave) = (FilterValues(type: "drag"), FilterValues(type: "wave"))
        drag["drag"] = .number(0.3)
        wave["force"] = .numbers([3, 40, 5])
        wave["frequency"] = .number(0.7)
        if index % 3 > 0 { emitter.behaviors = [drag, wave] }
        for particle in emitter.particles(at: 7.3).particles {
          for axis in 0..<3 {
            add(particle.position[axis])
            add(particle.xAxis[axis])
            add(particle.yAxis[axis])
          }
          for channel in 0..<4 { add(particle.color[channel]) }
          count += 1
        }
      }
    }
    #expect(count > 10_000)
    #expect(hash == 11_798_160_789_118_043_586)
  }

  private static func cell(_ type: ParticleType) -> EmitterCellValues {
    var cell = EmitterCellValues()
    cell.contents = ImageID(rawValue: 1)
    (cell.birthRate, cell.lifetime, cell.lifetimeRange) = (130, 3, 1)
    (cell.velocity, cell.velocityRange, cell.emissionRange) = (100, 30, 2)
    (cell.emissionLatitude, cell.emissionLongitude) = (0.3, 1.7)
    (cell.xAcceleration, cell.yAcceleration, cell.zAcceleration) = (3, -7, 2)
    (cell.scaleRange, cell.scaleSpeed, cell.spin, cell.spinRange) = (0.5, -0.1, 3, 4)
    (cell.redRange, cell.alphaRange, cell.alphaSpeed, cell.blueSpeed) = (1, 0.5, -0.1, -0.2)
    (cell.particleType, cell.orientationRange, cell.orientationLatitude) = (type, 1, 0.2)
    (cell.rotation, cell.rotationRange, cell.orientationLongitude) = (0.1, 0.4, 0.6)
    var inner = cell
    (inner.birthRate, inner.lifetime) = (1, 2)
    cell.cells = [inner]
    return cell
  }
}
