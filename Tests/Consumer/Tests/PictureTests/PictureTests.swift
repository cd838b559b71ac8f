import Lamina
import LaminaCAML
import LaminaSnapshotTesting
import Pictures
import Testing

@Suite(.snapshots()) struct PictureTests {
  @Test func card() { assertSnapshot(of: Pictures.card(), as: .image(scale: 2)) }

  @Test func cardAsText() {
    assertSnapshot(of: Pictures.card(), as: .recursiveDescription)
    assertSnapshot(of: Pictures.card(), as: .caml)
  }

  @Test("A similar colour passes under a stated perceptual precision") func similarCard() {
    assertSnapshot(of: Pictures.card(), as: .image(perceptualPrecision: 0.97))
  }

  @Test func gradient() { assertSnapshot(of: Pictures.gradient(), as: .image) }

  @Test func shape() {
    assertSnapshot(of: Pictures.shape(), as: .image(scale: 2))
    assertSnapshot(of: Pictures.star, as: .image(drawingMode: .stroke))
    assertSnapshot(of: Pictures.star, as: .elementsDescription)
  }

  // Versions of FreeType draw letters a little differently.
  @Test func text() {
    assertSnapshot(
      of: Pictures.text(), as: .image(scale: 2, precision: 0.98, perceptualPrecision: 0.9))
  }

  @Test func particles() { assertSnapshot(of: Pictures.particles(), as: .image, at: [0.5, 3]) }

  @Test func cube() { assertSnapshot(of: Pictures.cube(), as: .image(scale: 2)) }

  @Test func slide() {
    assertSnapshot(of: Pictures.slide(), as: .filmstrip(times: [0, 0.3, 0.5, 1], columns: 1))
    assertSnapshot(of: Pictures.slide(), as: .recursiveDescription, at: [0, 0.5])
  }

  @Test func ring() { assertSnapshot(of: Pictures.ring(), as: .image, at: [0, 1.5]) }

  @Test func mask() { assertSnapshot(of: Pictures.mask(), as: .image, named: "disc") }

  @Test func drawing() {
    assertSnapshot(as: .image(scale: 2)) {
      let drawing = Pictures.drawing()
      drawing.position.x += 100
      return drawing
    }
  }

  @Test(.snapshots(everyPlatform: true)) func everyPlatform() {
    assertSnapshot(of: Pictures.slide(), as: .image(scale: 2), at: [0, 0.5, 2])
    assertSnapshot(of: Pictures.cube(), as: .image)
  }
}
