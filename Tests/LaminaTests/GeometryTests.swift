import Lamina
import TestSupport
import Testing

// The numbers are what Apple's QuartzCore gives for the same steps.
@Suite("Geometry") struct GeometryTests {
  private func expect(
    _ rect: CGRect, equals other: CGRect, _ location: SourceLocation = #_sourceLocation
  ) {
    expectClose(
      [rect.minX, rect.minY, rect.width, rect.height],
      [other.minX, other.minY, other.width, other.height], 1e-9, sourceLocation: location)
  }

  @Test("The frame follows anchor point, bounds and transform, and setting it undoes the scale")
  func frameUnderTransforms() {
    let layer = CALayer()
    layer.frame = CGRect(x: 10, y: 20, width: 100, height: 50)
    #expect(layer.bounds == CGRect(x: 0, y: 0, width: 100, height: 50))
    #expect(layer.position == CGPoint(x: 60, y: 45))

    layer.anchorPoint = .zero
    #expect(layer.frame == CGRect(x: 60, y: 45, width: 100, height: 50))

    layer.bounds = CGRect(x: 5, y: 5, width: 200, height: 100)
    layer.transform = CATransform3DMakeScale(2, 3, 1)
    #expect(layer.frame == CGRect(x: 60, y: 45, width: 400, height: 300))

    layer.frame = CGRect(x: 0, y: 0, width: 10, height: 10)
    #expect(layer.position == .zero)
    expect(layer.bounds, equals: CGRect(x: 5, y: 5, width: 5, height: 10.0 / 3))

    layer.transform = CATransform3DMakeRotation(0.5, 0, 0, 1)
    expect(
      layer.frame,
      equals: CGRect(
        x: -1.598085128680676, y: 0, width: 5.98599793813254, height: 5.322402899322256))
  }

  @Test("Negative sizes of frame and bounds are standardised")
  func negativeSizes() {
    let layer = CALayer()
    layer.frame = CGRect(x: 10, y: 10, width: -20, height: -30)
    #expect(layer.bounds == CGRect(x: 0, y: 0, width: 20, height: 30))
    #expect(layer.position == CGPoint(x: 0, y: -5))
    #expect(layer.frame == CGRect(x: -10, y: -20, width: 20, height: 30))
    layer.bounds = CGRect(x: 5, y: 5, width: -10, height: -20)
    #expect(layer.bounds == CGRect(x: -5, y: -15, width: 10, height: 20))
  }

  @Test("A frame set under a scale divides the size, and a translation moves the position")
  func frameUnderScaleAndTranslation() {
    let layer = CALayer()
    layer.transform = CATransform3DMakeScale(2, 4, 1)
    layer.frame = CGRect(x: 0, y: 0, width: 100, height: 50)
    #expect(layer.bounds.size == CGSize(width: 50, height: 12.5))
    layer.transform = CATransform3DMakeTranslation(30, 40, 0)
    layer.frame = CGRect(x: 0, y: 0, width: 100, height: 50)
    #expect(layer.position == CGPoint(x: 20, y: -15))
    #expect(layer.frame == CGRect(x: 0, y: 0, width: 100, height: 50))
  }

  @Test("A frame set under a transform without an inverse keeps the size")
  func singularTransform() {
    let layer = CALayer()
    layer.bounds.size = CGSize(width: 7, height: 8)
    layer.transform = CATransform3DMakeScale(0, 1, 1)
    layer.frame = CGRect(x: 0, y: 0, width: 100, height: 50)
    #expect(layer.bounds.size == CGSize(width: 7, height: 8))
  }

  @Test("Setting one part of a transform keeps the others")
  func rotationOnScale() throws {
    let layer = CALayer()
    layer.transform = CATransform3DMakeScale(2, 2, 1)
    layer.setValue(0.5, forKeyPath: "transform.rotation.z")
    #expect(abs(layer.transform.m11 - 1.7551651237807455) < 1e-6)
    #expect(abs(layer.transform.m12 - 0.958851077208406) < 1e-6)
    let angle = try #require(layer.value(forKeyPath: "transform.rotation") as? Double)
    #expect(abs(angle - 0.5) < 1e-9)
  }

  @Test("The affine transform of a layer in perspective is the identity")
  func affineTransform() {
    let layer = CALayer()
    layer.setAffineTransform(CGAffineTransform(rotationAngle: 1))
    #expect(layer.affineTransform() == CGAffineTransform(rotationAngle: 1))
    layer.transform.m34 = -0.01
    #expect(layer.affineTransform() == .identity)
  }

  @Test("Names that are unknown count as the default's, and masks keep four bits")
  func unknownNames() {
    let layer = CALayer()
    layer.contentsGravity = CALayerContentsGravity(rawValue: "bogus")
    #expect(layer.contentsGravity == .center)
    layer.cornerCurve = .continuous
    layer.cornerCurve = CALayerCornerCurve(rawValue: "bogus")
    #expect(layer.cornerCurve == .circular)
    layer.maskedCorners = CACornerMask(rawValue: 0xff)
    #expect(layer.maskedCorners.rawValue == 15)
    layer.toneMapMode = .never
    layer.toneMapMode = CAToneMapMode(rawValue: "bogus")
    #expect(layer.toneMapMode == .automatic)
    layer.preferredDynamicRange = .high
    #expect(layer.value(forKey: "preferredDynamicRange") as? String == "high")
    layer.preferredDynamicRange = CADynamicRange(rawValue: "bogus")
    #expect(layer.preferredDynamicRange == .standard)
    layer.setValue("bogus", forKey: "contentsGravity")
    #expect(layer.contentsGravity == .center)
    #expect(CALayer.cornerCurveExpansionFactor(.continuous) == 1.528665)
    #expect(CALayer.cornerCurveExpansionFactor(.circular) == 1)
  }

  // Measured on Apple's QuartzCore by others.
  @Test("The bounds' origin does not move the frame, and anchor points outside the unit are kept")
  func originAndAnchor() {
    let layer = CALayer()
    layer.bounds = CGRect(x: 30, y: 40, width: 10, height: 20)
    #expect(layer.frame == CGRect(x: -5, y: -10, width: 10, height: 20))
    layer.frame = CGRect(x: 1, y: 2, width: 4, height: 6)
    #expect(layer.bounds == CGRect(x: 30, y: 40, width: 4, height: 6))
    layer.anchorPoint = CGPoint(x: 2, y: -1)
    #expect(layer.anchorPoint == CGPoint(x: 2, y: -1))
    #expect(layer.frame.origin == CGPoint(x: layer.position.x - 8, y: layer.position.y + 6))
    layer.contentsCenter = CGRect(x: 2, y: -1, width: 3, height: 4)
    #expect(layer.contentsCenter == CGRect(x: 2, y: -1, width: 3, height: 4))
  }

  @Test("Values that are no numbers are refused")
  func nonFiniteValues() {
    let layer = CALayer()
    layer.position = CGPoint(x: CGFloat.nan, y: 1)
    layer.opacity = .nan
    layer.transform = CATransform3DMakeScale(.infinity, 1, 1)
    #expect(layer.position == .zero)
    #expect(layer.opacity == 1)
    #expect(CATransform3DIsIdentity(layer.transform))
  }
}
