import Lamina
import LaminaSnapshotTesting
import Pictures
import XCTest

final class PictureXCTests: XCTestCase {
  func testCard() { assertSnapshot(of: Pictures.card(), as: .image(scale: 2)) }

  func testSimilarCard() {
    assertSnapshot(of: Pictures.card(), as: .image(perceptualPrecision: 0.97))
  }

  func testGradient() { assertSnapshot(of: Pictures.gradient(), as: .image) }

  func testShape() { assertSnapshot(of: Pictures.shape(), as: .image(scale: 2)) }

  // Versions of FreeType draw letters a little differently.
  func testText() {
    assertSnapshot(
      of: Pictures.text(), as: .image(scale: 2, precision: 0.98, perceptualPrecision: 0.9))
  }

  func testParticles() { assertSnapshot(of: Pictures.particles(), as: .image, at: [0.5, 3]) }

  func testCube() { assertSnapshot(of: Pictures.cube(), as: .image(scale: 2)) }

  func testSlide() {
    assertSnapshot(of: Pictures.slide(), as: .filmstrip(times: [0, 0.3, 0.5, 1], columns: 1))
    assertSnapshot(of: Pictures.slide(), as: .recursiveDescription, at: [0, 0.5])
  }

  func testRing() { assertSnapshot(of: Pictures.ring(), as: .image, at: [0, 1.5]) }

  func testMask() { assertSnapshot(of: Pictures.mask(), as: .image, named: "disc") }

  func testDrawing() { assertSnapshot(of: Pictures.drawing(), as: .image(scale: 2)) }

  func testEveryPlatform() {
    withSnapshotTesting(everyPlatform: true) {
      assertSnapshot(of: Pictures.cube(), as: .image)
    }
  }
}
