import Foundation
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Core Graphics' functions of geometry")
struct GeometryNamesTests {
  private let t = CGAffineTransform(a: 2, b: 1, c: -1, d: 3, tx: 5, ty: 7)

  @Test("Functions of transforms are the methods")
  func transforms() {
    #expect(CGAffineTransformMake(2, 1, -1, 3, 5, 7) == t)
    #expect(CGAffineTransformIsIdentity(CGAffineTransformIdentity))
    #expect(CGAffineTransformMakeTranslation(3, 4) == CGAffineTransform(translationX: 3, y: 4))
    #expect(CGAffineTransformMakeScale(3, 4) == CGAffineTransform(scaleX: 3, y: 4))
    #expect(CGAffineTransformMakeRotation(1) == CGAffineTransform(rotationAngle: 1))
    #expect(CGAffineTransformTranslate(t, 3, 4) == t.translatedBy(x: 3, y: 4))
    #expect(CGAffineTransformScale(t, 3, 4) == t.scaledBy(x: 3, y: 4))
    #expect(CGAffineTransformRotate(t, 1) == t.rotated(by: 1))
    let other = CGAffineTransform(scaleX: 2, y: 3)
    #expect(CGAffineTransformConcat(t, other) == t.concatenating(other))
    #expect(CGAffineTransformInvert(t) == t.inverted())
    #expect(CGAffineTransformEqualToTransform(t, t) && t != other)
    let point = CGPoint(x: 1, y: 2)
    #expect(CGPointApplyAffineTransform(point, t) == CGPoint(x: 5, y: 14))
    #expect(
      CGSizeApplyAffineTransform(CGSize(width: 1, height: 2), t) == CGSize(width: 0, height: 7))
    #expect(
      CGRectApplyAffineTransform(CGRectMake(0, 0, 1, 1), t)
        == CGRect(x: 4, y: 7, width: 3, height: 4))
  }

  @Test(
    "A transform is its components one after another: scale, shear, rotation, translation",
    arguments: [
      CGAffineTransformComponents(),
      CGAffineTransformComponents(scale: CGSize(width: 2, height: 3)),
      CGAffineTransformComponents(
        scale: CGSize(width: 2, height: -3), horizontalShear: 0.5, rotation: 1.25,
        translation: CGVector(dx: 4, dy: -5)),
      CGAffineTransformComponents(horizontalShear: -2, rotation: -3),
    ])
  func components(_ components: CGAffineTransformComponents) {
    let scale = CGAffineTransform(scaleX: components.scale.width, y: components.scale.height)
    let shear = CGAffineTransform(a: 1, b: 0, c: components.horizontalShear, d: 1, tx: 0, ty: 0)
    let turn = CGAffineTransform(rotationAngle: components.rotation)
    let move = CGAffineTransform(
      translationX: components.translation.dx, y: components.translation.dy)
    let product = scale.concatenating(shear).concatenating(turn).concatenating(move)
    let made = CGAffineTransform(components)
    let found = product.decomposed()
    for (a, b) in [
      (made.a, product.a), (made.b, product.b), (made.c, product.c), (made.d, product.d),
      (made.tx, product.tx), (made.ty, product.ty), (found.scale.width, components.scale.width),
      (found.scale.height, components.scale.height), (found.rotation, components.rotation),
      (found.horizontalShear, components.horizontalShear),
    ] {
      #expect(abs(a - b) < 1e-12, "\(found)")
    }
    #expect(found.translation == components.translation)
    let again = CGAffineTransformMakeWithComponents(CGAffineTransformDecompose(made))
    #expect(abs(again.a - made.a) < 1e-12 && abs(again.d - made.d) < 1e-12)
  }

  @Test("Transforms without an inverse have finite components")
  func singular() {
    for t in [
      CGAffineTransform(a: 0, b: 0, c: 0, d: 0, tx: 1, ty: 2),
      CGAffineTransform(a: 0, b: 0, c: -3, d: 4, tx: 0, ty: 0),
      CGAffineTransform(a: 1, b: 2, c: 2, d: 4, tx: 0, ty: 0),
    ] {
      let components = t.decomposed()
      #expect(components.horizontalShear.isFinite && components.rotation.isFinite)
      #expect(components.scale.width.isFinite && components.scale.height.isFinite)
    }
    let column = CGAffineTransform(a: 0, b: 0, c: -3, d: 4, tx: 0, ty: 0)
    let again = CGAffineTransform(column.decomposed())
    #expect(abs(again.c + 3) < 1e-12 && abs(again.d - 4) < 1e-12)
  }

  @Test("Functions of points, sizes and rectangles are the methods")
  func rectangles() {
    let rect = CGRectMake(1, 2, 3, 4)
    #expect(rect == CGRect(x: 1, y: 2, width: 3, height: 4))
    #expect(CGPointMake(1, 2) == rect.origin && CGSizeMake(3, 4) == rect.size)
    #expect(CGVectorMake(1, 2) == CGVector(dx: 1, dy: 2))
    #expect(rect.equalTo(rect) && !rect.equalTo(.zero))
    #expect(rect.origin.equalTo(CGPoint(x: 1, y: 2)) && !rect.origin.equalTo(CGPointZero))
    #expect(rect.size.equalTo(CGSize(width: 3, height: 4)) && !rect.size.equalTo(CGSizeZero))
    #expect(CGRectEqualToRect(rect, rect) && CGPointEqualToPoint(CGPointZero, .zero))
    #expect(CGSizeEqualToSize(CGSizeZero, .zero) && CGRectZero == .zero)
    #expect(
      [CGRectGetMinX(rect), CGRectGetMidX(rect), CGRectGetMaxX(rect)] == [1, 2.5, 4])
    #expect([CGRectGetMinY(rect), CGRectGetMidY(rect), CGRectGetMaxY(rect)] == [2, 4, 6])
    #expect(CGRectGetWidth(CGRectMake(0, 0, -3, -4)) == 3)
    #expect(CGRectGetHeight(CGRectMake(0, 0, -3, -4)) == 4)
    #expect(CGRectStandardize(CGRectMake(0, 0, -3, -4)) == CGRectMake(-3, -4, 3, 4))
    #expect(CGRectIntegral(CGRectMake(0.5, 0.5, 1, 1)) == CGRectMake(0, 0, 2, 2))
    #expect(CGRectIsEmpty(CGRectZero) && CGRectIsNull(CGRectNull) && !CGRectIsEmpty(rect))
    #expect(CGRectIsInfinite(CGRectInfinite) && !CGRectIsInfinite(rect))
    #expect(CGRectInset(rect, 1, -1) == CGRectMake(2, 1, 1, 6))
    #expect(CGRectOffset(rect, 1, -1) == CGRectMake(2, 1, 3, 4))
    let other = CGRectMake(2, 2, 10, 1)
    #expect(CGRectUnion(rect, other) == CGRectMake(1, 2, 11, 4))
    #expect(CGRectIntersection(rect, other) == CGRectMake(2, 2, 2, 1))
    #expect(CGRectIntersectsRect(rect, other) && !CGRectContainsRect(rect, other))
    #expect(CGRectContainsPoint(rect, CGPointMake(1, 2)))
    #expect(!CGRectContainsPoint(rect, CGPointMake(4, 6)))
  }

  @Test("Colour spaces say what their components are")
  func models() {
    #expect(CGColorSpaceCreateDeviceRGB().model == .rgb)
    #expect(CGColorSpaceCreateDeviceGray().model == .monochrome)
    let p3 = CGColorSpace(name: CGColorSpace.displayP3)
    #expect(p3?.model == .rgb && p3?.isWideGamutRGB == true)
    #expect(CGColorSpaceCreateDeviceRGB().isWideGamutRGB == false)
  }

  @Test("Ranges are their location and length, and new data is empty")
  func coreFoundation() throws {
    #expect(CFRangeMake(2, 3) == CFRange(location: 2, length: 3))
    #expect(CFRange() == CFRangeMake(0, 0))
    #expect(try #require(CFDataCreateMutable(nil, 0)).length == 0)
  }
}
