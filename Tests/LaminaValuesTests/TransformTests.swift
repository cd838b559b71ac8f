import Foundation
import LaminaValues
import Testing

@Suite("Transforms")
struct TransformTests {
  static let transforms: [CATransform3D] = [
    CATransform3DIdentity, CATransform3DMakeTranslation(3, -4, 5), CATransform3DMakeScale(2, 3, -4),
    CATransform3DMakeRotation(1, 1, 2, 3),
    CATransform3DTranslate(CATransform3DMakeRotation(0.5, 0, 1, 0), 10, 20, 30),
    perspective,
  ]

  private static var perspective: CATransform3D {
    var t = CATransform3DMakeRotation(0.7, 1, 1, 0)
    t.m34 = -1 / 500
    return CATransform3DConcat(t, CATransform3DMakeTranslation(100, 50, 0))
  }

  @Test("A transform times its inverse is the identity", arguments: transforms)
  func inverse(_ t: CATransform3D) {
    for product in [
      CATransform3DConcat(t, CATransform3DInvert(t)),
      CATransform3DConcat(CATransform3DInvert(t), t),
    ] {
      for (row, expected) in zip(product.rows, CATransform3DIdentity.rows) {
        for (a, b) in zip(row, expected) { #expect(abs(a - b) < 1e-9) }
      }
    }
  }

  @Test("A singular transform is its own inverse")
  func singular() {
    let flat = CATransform3DMakeScale(1, 0, 1)
    #expect(CATransform3DInvert(flat) == flat)
    let line = CGAffineTransform(a: 1, b: 2, c: 2, d: 4, tx: 1, ty: 1)
    #expect(line.inverted() == line)
  }

  @Test("Concatenation applies the first, then the second")
  func order() {
    let t = CATransform3DConcat(
      CATransform3DMakeTranslation(1, 0, 0), CATransform3DMakeScale(10, 1, 1))
    #expect(t.map(CGPoint(x: 2, y: 0)).x == 30)
    let affine = CGAffineTransform(translationX: 1, y: 0)
      .concatenating(CGAffineTransform(scaleX: 10, y: 1))
    #expect(CGPoint(x: 2, y: 0).applying(affine).x == 30)
    #expect(CATransform3DMakeAffineTransform(affine) == t)
    // The C functions that change a transform act before it.
    #expect(CATransform3DTranslate(CATransform3DMakeScale(10, 1, 1), 1, 0, 0) == t)
  }

  @Test("Rotation turns +x toward +y, in 2D and about z")
  func rotation() {
    let point = CGPoint(x: 1, y: 0).applying(CGAffineTransform(rotationAngle: .pi / 2))
    #expect(abs(point.x) < 1e-15 && point.y == 1)
    let mapped = CATransform3DMakeRotation(.pi / 2, 0, 0, 5).map(CGPoint(x: 1, y: 0))
    #expect(abs(mapped.x) < 1e-15 && mapped.y == 1)
    #expect(CATransform3DIsIdentity(CATransform3DMakeRotation(1, 0, 0, 0)))
  }

  @Test("Only transforms that leave z and w alone are affine")
  func affine() {
    #expect(CATransform3DIsAffine(CATransform3DMakeRotation(1, 0, 0, 1)))
    #expect(!CATransform3DIsAffine(CATransform3DMakeRotation(1, 0, 1, 0)))
    #expect(!CATransform3DIsAffine(Self.perspective))
  }
}
