import Foundation
import Lamina
import Testing

@testable import LaminaGraphics

@Suite("Contents in slices")
struct SlicedContentsTests {
  /// A layer of one translucent colour, off the pixel grid, on white.
  private func image(_ change: (CALayer) -> Void) throws -> CGImage {
    let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 60, height: 50), [1, 1, 1, 1])
    let layer = FilterStage.card(CGRect(x: 5.3, y: 4.6, width: 46.4, height: 38.7))
    layer.contents = FilterStage.picture(12, 12) { _, _ in SIMD4(20, 60, 100, 128) }
    change(layer)
    return try FilterStage.image(60, 50, [ground, layer])
  }

  @Test(
    "Slices of one colour are one piece: nothing shows where they meet",
    arguments: [0.0, 9], [false, true])
  func seams(_ cornerRadius: Double, isContinuous: Bool) throws {
    func image(_ center: CGRect?) throws -> CGImage {
      try self.image {
        $0.masksToBounds = true
        $0.cornerRadius = CGFloat(cornerRadius)
        $0.cornerCurve = isContinuous ? .continuous : .circular
        if let center { $0.contentsCenter = center }
      }
    }
    let center = CGRect(x: 0.31, y: 0.27, width: 0.4, height: 0.33)
    try expectEqual(try image(center), try image(nil), difference: 1, "sliced")
  }

  @Test("Slices in a box that is smaller than the bounds have its soft edges, as one piece has")
  func box() throws {
    func image(_ center: CGRect?) throws -> CGImage {
      try self.image {
        $0.contentsGravity = .resizeAspect
        if let center { $0.contentsCenter = center }
      }
    }
    let center = CGRect(x: 0.31, y: 0.27, width: 0.4, height: 0.33)
    try expectEqual(try image(center), try image(nil), difference: 1, "sliced")
  }
}
