import Lamina
import LaminaSnapshotTesting
import XCTest

final class CardXCTests: XCTestCase {
  func testCard() {
    withSnapshotTesting(record: .never) { assertSnapshot(of: makeCard(), as: .image(scale: 2)) }
  }
}
