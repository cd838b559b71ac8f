import Foundation
import LaminaValues
import TestSupport
import Testing

@testable import LaminaAnimation

@Suite("Functions that are the same on every processor")
struct PortableMathTests {
  @Test("Sines and cosines of angles up to 1e8 are within 3e-16 of the C library's")
  func sines() {
    var random = SeededGenerator(seed: 1)
    var angles = (0..<20_000).map { _ in Double.random(in: -20...20, using: &random) }
    angles += (0..<20_000).map { _ in Double.random(in: -1e8...1e8, using: &random) }
    angles += (-64...64).map { Double($0) * .pi / 4 }
    var worst = 0.0
    for angle in angles {
      let (sine, cosine) = PortableMath.sineAndCosine(angle)
      worst = max(worst, abs(sine - sin(angle)), abs(cosine - cos(angle)))
    }
    #expect(worst < 3e-16)
  }

  @Test("Angles without a meaning count as 0")
  func senselessAngles() {
    for angle in [Double.nan, .infinity, -.infinity, 1e15, -1e300] {
      #expect(PortableMath.sineAndCosine(angle) == (0, 1))
    }
    let (sine, cosine) = PortableMath.sineAndCosine(9e14)
    #expect(abs(sine * sine + cosine * cosine - 1) < 1e-15)
  }

  @Test("Quarter turns are exact but for what π itself lacks")
  func quarterTurns() {
    #expect(PortableMath.sineAndCosine(0) == (0, 1))
    #expect(PortableMath.sineAndCosine(.pi / 2).sine == 1)
    #expect(PortableMath.sineAndCosine(.pi).cosine == -1)
    #expect(PortableMath.sineAndCosine(-.pi / 2).sine == -1)
    #expect(abs(PortableMath.sineAndCosine(.pi).sine - sin(Double.pi)) < 1e-25)
  }

  @Test("The exponential is within 4e-16 of the C library's, relatively")
  func exponentials() {
    var random = SeededGenerator(seed: 2)
    var worst = 0.0
    for _ in 0..<20_000 {
      let x = Double.random(in: random.one(in: 2) ? -1...1 : -700...700, using: &random)
      worst = max(worst, abs(PortableMath.exponential(x) / exp(x) - 1))
    }
    #expect(worst < 4e-16)
    #expect(PortableMath.exponential(0) == 1)
    #expect(PortableMath.exponential(-1000) == 0)
    #expect(PortableMath.exponential(1000) == PortableMath.exponential(708))
    #expect(PortableMath.exponential(.nan) == 1)
  }
}
