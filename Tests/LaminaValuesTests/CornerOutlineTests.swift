import Foundation
import Testing

@testable import LaminaValues

@Suite("Corner outlines")
struct CornerOutlineTests {
  private let rect = CGRect(x: 10, y: 20, width: 40, height: 30)

  @Test("Bits are corners, and a corner without its bit is square")
  func corners() {
    let all = CornerOutline(rect: rect, radius: 4, corners: 15, curve: .circular)
    #expect(all.radii == [4, 4, 4, 4])
    // minX maxY is the third bit and the last radius.
    let two = CornerOutline(rect: rect, radius: 4, corners: 5, curve: .circular)
    #expect(two.radii == [4, 0, 0, 4])
    #expect(!two.path.encloses(CGPoint(x: 10.1, y: 20.1)))
    #expect(two.path.encloses(CGPoint(x: 49.9, y: 20.1)))
    #expect(two.path.encloses(CGPoint(x: 49.9, y: 49.9)))
    #expect(!two.path.encloses(CGPoint(x: 10.1, y: 49.9)))
    #expect(CornerOutline(rect: rect, radius: 4, corners: 0, curve: .circular).isRectangle)
    #expect(CornerOutline(rect: rect, radius: -4, corners: 15, curve: .circular).isRectangle)
  }

  @Test("The radius is capped where two corners' curves meet", arguments: [15.0, 40, 1e9])
  func cap(radius: Double) {
    let circular = CornerOutline(rect: rect, radius: radius, corners: 15, curve: .circular)
    #expect(circular.radii.max() == 15)
    let continuous = CornerOutline(rect: rect, radius: radius, corners: 15, curve: .continuous)
    #expect(abs(continuous.radii.max() * 1.528_664_83 - 15) < 1e-12)
  }

  @Test(
    "A path lies in its rectangle, touches its sides, and is its own mirror image",
    arguments: [CornerOutline.Curve.circular, .continuous])
  func path(curve: CornerOutline.Curve) throws {
    let outline = CornerOutline(rect: rect, radius: 8, corners: 15, curve: curve)
    let box = outline.path.controlPointBounds
    #expect(abs(box.minX - 10) < 1e-9 && abs(box.maxX - 50) < 1e-9)
    #expect(abs(box.minY - 20) < 1e-9 && abs(box.maxY - 50) < 1e-9)
    for step in 0..<200 {
      let p = CGPoint(x: 10.07 + Double(step % 20), y: 20 + Double(step / 20) * 1.5 + 0.05)
      let isIn = outline.path.encloses(p)
      #expect(isIn == outline.path.encloses(CGPoint(x: 60 - p.x, y: p.y)))
      #expect(isIn == outline.path.encloses(CGPoint(x: p.x, y: 70 - p.y)))
    }
  }

  @Test("A circular corner is a quarter of a circle, a continuous one lies 0.2915 radii in")
  func diagonal() {
    let far = CGRect(x: 0, y: 0, width: 1000, height: 1000)
    for (curve, depth) in [(CornerOutline.Curve.circular, 0.29289), (.continuous, 0.29151)] {
      let path = CornerOutline(rect: far, radius: 100, corners: 15, curve: curve).path
      let (out, inside) = (100 * depth - 0.05, 100 * depth + 0.05)
      #expect(!path.encloses(CGPoint(x: out, y: out)), "\(curve)")
      #expect(path.encloses(CGPoint(x: inside, y: inside)), "\(curve)")
    }
  }

  @Test("Insetting takes the same off every side and off every radius that there is")
  func inset() {
    let outline = CornerOutline(
      rect: rect, radii: [8, 0, 2, 5], curve: .continuous
    ).inset(by: 3)
    #expect(outline.rect == CGRect(x: 13, y: 23, width: 34, height: 24))
    #expect(outline.radii == [5, 0, 0, 2])
    #expect(outline.inset(by: 15).path.isEmpty)
    #expect(CornerOutline(rect: rect).inset(by: -2).rect.maxX == 52)
  }
}

extension Path {
  fileprivate func encloses(_ point: CGPoint) -> Bool { winding(around: point) != 0 }
}
