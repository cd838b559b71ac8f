import Lamina
import LaminaSnapshotTesting
import Testing

@Suite struct CardTests {
  @Test func card() {
    let whole = CGRect(x: 0, y: 0, width: 200, height: 140)
    assertSnapshot(of: makeCard(), as: .image(in: whole, scale: 2), at: [0.1, 0.4])
  }
}
