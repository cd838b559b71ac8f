import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import Testing

@testable import Lamina

/// A layer class of an app, at the top level and not private, so that archives can name it.
final class ArchivedDial: CALayer {
  @Lamina.LayerProperty("progress") var progress: CGFloat
  var ticks = 0

  override init() { super.init() }
  required init?(coder: NSCoder) {
    super.init(coder: coder)
    ticks = coder.decodeInteger(forKey: "ticks")
  }
  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(ticks, forKey: "ticks")
  }
}

final class ArchivedFade: CABasicAnimation {}

@Suite("Archiving") struct ArchivingTests {
  private func restored<Layer: CALayer>(_ layer: Layer) throws -> Layer {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: layer, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Layer.self, from: data))
  }

  private static let path: CGPath = {
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 1, y: 2))
    path.addLine(to: CGPoint(x: 30, y: 4))
    path.addQuadCurve(to: CGPoint(x: 5, y: 26), control: CGPoint(x: 7, y: 8))
    path.addCurve(
      to: CGPoint(x: 9, y: 10), control1: CGPoint(x: 11, y: 12), control2: CGPoint(x: 3, y: 4))
    path.closeSubpath()
    return path
  }()

  /// A 2 x 2 image with an alpha of every kind.
  private static func image() throws -> CGImage {
    let buffer = try PixelBuffer(width: 2, height: 2, format: .bgra8, use: .store)
    buffer.withUnsafeMutableBytes { bytes in
      for (x, y, pixel) in [
        (0, 0, [1, 2, 3, 3]), (1, 0, [0, 0, 0, 0]), (0, 1, [9, 127, 200, 254]),
        (1, 1, [255, 1, 128, 255]),
      ] as [(Int, Int, [UInt8])] {
        for (channel, value) in pixel.enumerated() {
          bytes[y * buffer.layout.stride + x * 4 + channel] = value
        }
      }
    }
    return CGImage(buffer)
  }

  /// A value for each property that differs from its default.
  private static func values() throws -> [String: Any] {
    let blur = CAFilter(type: "gaussianBlur")
    blur.name = "soft"
    blur.isEnabled = false
    blur.setValue(2.5, forKey: "inputRadius")
    let tint = CAFilter(type: "multiplyColor")
    tint.setValue(CGColor(red: 1, green: 0.5, blue: 0, alpha: 0.5), forKey: "inputColor")
    let variable = CAFilter(type: "variableBlur")
    variable.setValue(true, forKey: "inputNormalizeEdges")
    return [
      "bounds": CGRect(x: 1, y: -2, width: 30, height: 20), "position": CGPoint(x: 16, y: 15),
      "zPosition": 2.5, "anchorPoint": CGPoint(x: 0.25, y: 1.5), "anchorPointZ": -3,
      "transform": CATransform3DMakeRotation(0.25, 1, 2, 3),
      "sublayerTransform": CATransform3DMakeScale(1.5, 0.5, 2), "hidden": true,
      "doubleSided": false, "geometryFlipped": true, "masksToBounds": true,
      "backgroundColor": CGColor(gray: 0.3, alpha: 0.7), "opacity": 0.8, "cornerRadius": 3,
      "borderWidth": 1.5, "borderColor": NSNull(), "maskedCorners": 5,
      "cornerCurve": "continuous", "allowsGroupOpacity": false, "allowsEdgeAntialiasing": false,
      "edgeAntialiasingMask": 3, "contents": try image(), "contentsGravity": "topLeft",
      "contentsScale": 2, "contentsRect": CGRect(x: 0, y: 0.25, width: 0.5, height: 0.75),
      "contentsCenter": CGRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5),
      "contentsFormat": "Gray8", "minificationFilter": "trilinear",
      "magnificationFilter": "nearest", "minificationFilterBias": -0.5,
      "contentsMultiplyColor": CGColor(red: 1, green: 0.5, blue: 0.25, alpha: 1),
      "toneMapMode": "never", "preferredDynamicRange": "high", "contentsHeadroom": 2,
      "wantsExtendedDynamicRangeContent": true, "wantsDynamicContentScaling": true,
      "shouldRasterize": true, "rasterizationScale": 2,
      "shadowColor": CGColor(
        colorSpace: try #require(CGColorSpace(name: CGColorSpace.displayP3)),
        components: [1, 0.5, 0, 1]) as Any,
      "shadowOpacity": 0.5, "shadowOffset": CGSize(width: 1, height: 2), "shadowRadius": 1,
      "shadowPath": path, "beginTime": -1, "duration": 5, "speed": 2, "timeOffset": 0.5,
      "repeatCount": 3, "repeatDuration": 4, "autoreverses": true, "fillMode": "both",
      "name": "a name", "opaque": true, "needsDisplayOnBoundsChange": true,
      "drawsAsynchronously": true, "autoresizingMask": 18, "scrollMode": "vertically",
      "path": path, "fillColor": CGColor(red: 1, green: 0.2, blue: 0, alpha: 1),
      "fillRule": "even-odd", "strokeColor": CGColor(red: 0, green: 0.5, blue: 1, alpha: 0.5),
      "strokeStart": 0.1, "strokeEnd": 0.9, "lineWidth": 3, "miterLimit": 2, "lineCap": "round",
      "lineJoin": "bevel", "lineDashPhase": 1, "lineDashPattern": [3, 2.5],
      "colors": [CGColor(red: 1, green: 0.2, blue: 0, alpha: 0.5), CGColor(gray: 0.4, alpha: 1)],
      "locations": [0.25, 0.75], "startPoint": CGPoint(x: -1, y: 0.25),
      "endPoint": CGPoint(x: 0.5, y: 2), "type": "conic",
      "instanceCount": 3, "preservesDepth": true, "instanceDelay": 0.5,
      "instanceTransform": CATransform3DMakeTranslation(2, 1, 0),
      "instanceColor": CGColor(red: 0, green: 0.4, blue: 1, alpha: 0.5), "instanceRedOffset": 0.25,
      "instanceGreenOffset": -0.25, "instanceBlueOffset": 0.5, "instanceAlphaOffset": -0.5,
      "filters": [blur, CAFilter(type: "colorInvert"), variable], "backgroundFilters": [tint],
      "compositingFilter": "screenBlendMode",
    ]
  }

  private func expectSame(_ a: CALayer, _ b: CALayer) throws {
    for property in StoredProperty.allCases where type(of: a).kind.has(property) {
      if property == .contents {
        let (a, b) = (a.contents as? CGImage, b.contents as? CGImage)
        #expect((a == nil) == (b == nil))
        if let a, let b { #expect(try a.pngData() == b.pngData()) }
      } else {
        #expect(
          a.modelValues.value(of: property) == b.modelValues.value(of: property),
          "\(property.key)")
        #expect(a.isExplicit(property) == b.isExplicit(property), "\(property.key)")
      }
    }
  }

  @Test(
    "Every property survives, whatever its type",
    arguments: [
      CALayer.self, CAShapeLayer.self, CAGradientLayer.self, CAScrollLayer.self,
      CATransformLayer.self, CAReplicatorLayer.self,
    ]
      as [CALayer.Type])
  func properties(_ type: CALayer.Type) throws {
    let values = try Self.values()
    let layer =
      switch type {
      case is CAShapeLayer.Type: CAShapeLayer()
      case is CAGradientLayer.Type: CAGradientLayer()
      case is CAScrollLayer.Type: CAScrollLayer()
      case is CATransformLayer.Type: CATransformLayer()
      case is CAReplicatorLayer.Type: CAReplicatorLayer()
      default: CALayer()
      }
    for property in StoredProperty.allCases
    where type.kind.has(property) {
      if let value = values[property.key] {
        layer.setValue(value, forKey: property.key)
      } else {
        Issue.record("\(property.key) has no value here")
      }
      if property.key != "masksToBounds" {
        #expect(layer.isExplicit(property), "\(property.key) has its default here")
      }
    }
    let copy = try restored(layer)
    #expect(Swift.type(of: copy) == type)
    try expectSame(layer, copy)
  }

  private func tree() throws -> CALayer {
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 40, height: 30)
    root.setValue([1, "two", CGPoint(x: 3, y: 4)] as [Any], forKey: "a list of mine")
    root.layoutManager = CAConstraintLayoutManager()
    let card = CALayer()
    card.name = "card"
    card.frame = CGRect(x: 5, y: 6, width: 20, height: 16)
    card.backgroundColor = CGColor(red: 0.2, green: 0.6, blue: 0.9, alpha: 1)
    card.transform = CATransform3DMakeRotation(0.2, 0, 0, 1)
    card.contents = try Self.image()
    card.contentsGravity = .center
    card.style = ["cornerRadius": 4, "borderWidth": 2, "style": ["opacity": 0.75]]
    card.borderWidth = 1
    let shape = CAShapeLayer()
    shape.path = Self.path
    shape.fillColor = CGColor(red: 1, green: 0, blue: 0, alpha: 0.5)
    let mask = CAShapeLayer()
    mask.path = CGPath(ellipseIn: CGRect(x: 2, y: 2, width: 36, height: 26), transform: nil)
    root.mask = mask
    root.sublayers = [card, shape]
    let label = CALayer()
    label.addConstraint(
      CAConstraint(
        attribute: .midX, relativeTo: "superlayer", attribute: .maxX, scale: 0.5, offset: 2))
    root.addSublayer(label)
    return root
  }

  private func image(_ layer: CALayer, at time: Double) throws -> Data {
    let renderer = try CARenderer(
      size: CGSize(width: 40, height: 30), scale: 2, server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    return try renderer.image(at: time).pngData()
  }

  @Test("A tree looks the same when it comes back, with all that belongs to it")
  func trees() throws {
    let root = try tree()
    let copy = try restored(root)
    #expect(try image(root, at: 0) == image(copy, at: 0))
    let layers = try #require(copy.sublayers)
    #expect(layers.count == 3 && layers.allSatisfy { $0.superlayer === copy })
    #expect(layers[0].name == "card" && layers[1] is CAShapeLayer)
    #expect(copy.mask is CAShapeLayer && copy.mask?.superlayer === copy)
    #expect(copy.layoutManager is CAConstraintLayoutManager)
    let list = try #require(copy.value(forKey: "a list of mine") as? [Any])
    #expect((list[0] as? NSNumber)?.intValue == 1 && list[1] as? String == "two")
    #expect(list[2] as? CGPoint == CGPoint(x: 3, y: 4))
    let constraint = try #require(layers[2].constraints?.first)
    #expect(constraint.attribute == .midX && constraint.sourceAttribute == .maxX)
    #expect(constraint.sourceName == "superlayer")
    #expect(constraint.scale == 0.5 && constraint.offset == 2)
    // Values that were set take precedence over the style; unset ones still follow it.
    #expect(layers[0].borderWidth == 1 && layers[0].cornerRadius == 4 && layers[0].opacity == 0.75)
    layers[0].style = ["cornerRadius": 9]
    #expect(layers[0].borderWidth == 1 && layers[0].cornerRadius == 9 && layers[0].opacity == 1)
  }

  @Test("A filter's image comes back with it")
  func filterImage() throws {
    let filter = CAFilter(type: "variableBlur")
    filter.setValue(try Self.image(), forKey: "inputMaskImage")
    let layer = CALayer()
    layer.filters = [filter]
    let read = try #require(try restored(layer).filters?.first as? CAFilter)
    let image = try #require(read.value(forKey: "inputMaskImage") as? CGImage)
    #expect(try image.pngData() == Self.image().pngData())
  }

  @Test("What a layer drew is archived as an image")
  func drawings() throws {
    let layer = MarkedLayer()
    layer.frame = CGRect(x: 2, y: 3, width: 10, height: 8)
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 40, height: 30)
    root.addSublayer(layer)
    layer.setNeedsDisplay()
    let before = try image(root, at: 0)
    let copy = try restored(root)
    #expect(copy.sublayers?.first?.contents is CGImage)
    #expect(try image(copy, at: 0) == before)
  }

  @Test("Animations come back under their keys, in their order, and run")
  func animations() throws {
    let root = try tree()
    let fade = ArchivedFade(keyPath: "opacity")
    fade.fromValue = 0.25
    fade.toValue = NSNumber(value: 1)
    fade.setValue("a value", forKey: "a key of mine")
    let move = CAKeyframeAnimation(keyPath: "position")
    move.path = Self.path
    move.keyTimes = [0, 0.25, 1]
    move.timingFunctions = [
      CAMediaTimingFunction(name: .easeIn), CAMediaTimingFunction(controlPoints: 0.1, 2, 0.9, -1),
    ]
    move.calculationMode = .cubic
    move.rotationMode = .rotateAuto
    let spring = CASpringAnimation(keyPath: "cornerRadius")
    spring.byValue = 3
    spring.damping = 4
    spring.isAdditive = true
    let turn = CABasicAnimation(keyPath: "transform")
    turn.toValue = 1
    turn.valueFunction = CAValueFunction(name: .rotateZ)
    let group = CAAnimationGroup()
    group.animations = [move, spring, turn]
    group.fillMode = .both
    group.duration = 3
    group.repeatCount = .infinity
    group.isRemovedOnCompletion = false
    group.timingFunction = CAMediaTimingFunction(name: .easeOut)
    let card = try #require(root.sublayers?.first)
    card.add(group, forKey: "many")
    let push = CATransition()
    push.type = .push
    push.subtype = .fromTop
    push.endProgress = 0.5
    card.add(push, forKey: nil)
    card.add(fade, forKey: nil)
    card.add(fade, forKey: "fade")
    // The animations are archived before their first commit, when they have no begin yet.
    let copy = try restored(root)
    let restoredCard = try #require(copy.sublayers?.first)
    #expect(restoredCard.animationKeys() == ["many", "transition", "fade"])
    #expect(
      restoredCard.attachedAnimations.map(\.description)
        == card.attachedAnimations.map(\.description))
    let restoredFade = try #require(restoredCard.animation(forKey: "fade"))
    #expect(restoredFade is ArchivedFade)
    #expect(restoredFade.value(forKey: "a key of mine") as? String == "a value")
    for time in [0, 0.1, 1.5] {
      #expect(try image(root, at: time) == image(copy, at: time))
    }
  }

  @Test("Animations archive what differs from a new one")
  func usualValues() {
    let spring = CASpringAnimation(keyPath: "position.x")
    #expect(CASpringAnimation.defaultValue(forKey: "stiffness") as? Double == 100)
    #expect(CASpringAnimation.defaultValue(forKey: "toValue") == nil)
    #expect(CAAnimation.defaultValue(forKey: "stiffness") == nil)
    for key in ["stiffness", "speed", "toValue", "removedOnCompletion", "no such key"] {
      #expect(!spring.shouldArchiveValue(forKey: key), "\(key)")
    }
    spring.stiffness = 99
    spring.setValue(1, forKey: "a key of mine")
    #expect(spring.shouldArchiveValue(forKey: "stiffness"))
    #expect(spring.shouldArchiveValue(forKey: "keyPath"))
    #expect(spring.shouldArchiveValue(forKey: "a key of mine"))
  }

  @Test("A program's class archives what it stores, by key and by itself")
  func subclasses() throws {
    let dial = ArchivedDial()
    dial.progress = 0.5
    dial.ticks = 12
    let root = CALayer()
    root.addSublayer(dial)
    let copy = try #require(try restored(root).sublayers?.first as? ArchivedDial)
    #expect(copy.progress == 0.5 && copy.ticks == 12)
    #expect(try restored(dial).ticks == 12)
  }

  private final class Hidden: CAShapeLayer {}

  @Test("A class that has no name in archives is archived as what it is made from")
  func unnamedClasses() throws {
    let layer = Hidden()
    layer.lineWidth = 7
    #expect(layer.classForCoder is CAShapeLayer.Type && !(layer.classForCoder is Hidden.Type))
    let root = CALayer()
    root.addSublayer(layer)
    #expect((try restored(root).sublayers?.first as? CAShapeLayer)?.lineWidth == 7)
    #expect(ArchivedDial().classForCoder is ArchivedDial.Type)
  }

  @Test("One object in two places comes back as one")
  func sharing() throws {
    let root = CALayer()
    let shared = CABasicAnimation(keyPath: "opacity")
    let timing = CAMediaTimingFunction(controlPoints: 0.5, 0.25, 0.75, 1)
    shared.timingFunction = timing
    let other = CALayer()
    root.setValue([other, other], forKey: "twice")
    root.setValue([shared, timing] as [Any], forKey: "both")
    root.addSublayer(other)
    let copy = try restored(root)
    let twice = try #require(copy.value(forKey: "twice") as? [CALayer])
    #expect(twice[0] === twice[1] && twice[0] === copy.sublayers?.first)
    let both = try #require(copy.value(forKey: "both") as? [NSObject])
    #expect((both[0] as? CAAnimation)?.timingFunction === both[1])
    #expect((both[1] as? CAMediaTimingFunction)?.curve == timing.curve)
  }

  @Test("What secure coding could not read is left out of secure archives only")
  func foreignObjects() throws {
    let layer = CALayer()
    layer.setValue(NSURL(string: "a:b"), forKey: "place")
    layer.setValue([{}] as [Any], forKey: "closures")
    layer.name = "kept"
    let secure = try restored(layer)
    #expect(secure.value(forKey: "place") == nil && secure.name == "kept")
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: layer, requiringSecureCoding: false)
    let open = try NSKeyedUnarchiver.unarchiveTopLevelObjectWithData(data) as? CALayer
    #expect((open?.value(forKey: "place") as? URL)?.absoluteString == "a:b")
    #expect(open?.value(forKey: "closures") == nil)
  }

  @Test("A layer that a value of its own leads back to is archived without that value")
  func cycles() throws {
    let root = CALayer()
    let child = CALayer()
    root.addSublayer(child)
    child.setValue([root], forKey: "parents")
    child.name = "child"
    let group = CAAnimationGroup()
    group.animations = [CABasicAnimation(keyPath: "opacity")]
    group.setValue(group, forKey: "itself")
    root.setValue(group, forKey: "group")
    let copy = try restored(root)
    #expect(copy.sublayers?.first?.name == "child")
    #expect(copy.sublayers?.first?.value(forKey: "parents") == nil)
    let copiedGroup = try #require(copy.value(forKey: "group") as? CAAnimationGroup)
    #expect(copiedGroup.animations?.count == 1 && copiedGroup.value(forKey: "itself") == nil)
  }

  @Test("Trees come back that are 190 deep, and no archive fills the stack")
  func depth() throws {
    func chain(_ depth: Int) -> CALayer {
      (0..<depth).reduce(CALayer()) { inner, _ in
        let outer = CALayer()
        outer.addSublayer(inner)
        return outer
      }
    }
    var depth = 0
    var layer: CALayer? = try restored(chain(190))
    while let inner = layer?.sublayers?.first { (layer, depth) = (inner, depth + 1) }
    #expect(depth == 190)
    #expect(throws: (any Error).self) { try restored(chain(300)) }
  }
}
