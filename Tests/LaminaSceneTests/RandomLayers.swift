import Foundation
import Lamina

@testable import LaminaGraphics

/// Trees of random layers for the reference compositor: the same for the same seed.
struct RandomLayers {
  static let width = 96
  static let height = 72

  private var state: UInt64
  private var count = 0
  private let limit: Int

  private init(seed: UInt64) {
    state = seed &* 0x2545_F491_4F6C_DD1D &+ 0x9E37_79B9_7F4A_7C15
    limit = 4 + Int(seed % 27)
  }

  /// An opaque layer as large as the picture with up to 30 layers in it.
  static func tree(seed: UInt64) -> CALayer {
    var random = RandomLayers(seed: seed)
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: width, height: height)
    root.position = CGPoint(x: width / 2, y: height / 2)
    root.backgroundColor = random.color(alpha: 1)
    while random.count < random.limit { random.addLayer(to: root, depth: 0) }
    return root
  }

  private mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// 0 or more, and less than 1.
  private mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  private mutating func whole(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  /// True once in so many times.
  private mutating func once(in times: Int) -> Bool { whole(1...times) == 1 }

  private mutating func color(alpha: Double? = nil) -> CGColor {
    let alpha = alpha ?? (once(in: 2) ? 1 : number(0.2...0.9))
    return CGColor(
      red: CGFloat(unit()), green: CGFloat(unit()), blue: CGFloat(unit()), alpha: CGFloat(alpha))
  }

  private mutating func addLayer(to parent: CALayer, depth: Int) {
    count += 1
    let layer = once(in: 5) ? gradient() : CALayer()
    place(layer, isLeaf: depth == 3)
    dress(layer, depth: depth)
    parent.addSublayer(layer)
    if once(in: 6), depth < 3 { layer.mask = mask(for: layer) }
    guard depth < 3, once(in: 2) else { return }
    if once(in: 3) {
      addSpace(to: layer, depth: depth + 1)
      return
    }
    for _ in 0..<whole(1...3) where count < limit { addLayer(to: layer, depth: depth + 1) }
  }

  /// Sublayers that are turned in three dimensions, seen in perspective or not.
  private mutating func addSpace(to parent: CALayer, depth: Int) {
    if once(in: 2) { parent.sublayerTransform.m34 = CGFloat(-1 / number(150...400)) }
    for _ in 0..<whole(2...4) where count < limit {
      let first = parent.sublayers?.count ?? 0
      addLayer(to: parent, depth: 3)
      let layer = parent.sublayers![first]
      turn(layer)
      guard once(in: 4), count < limit else { continue }
      // The layer and another one in a space that goes on through a layer without a plane.
      let space = CATransformLayer()
      space.position = CGPoint(x: number(-10...10), y: number(-10...10))
      turn(space)
      layer.removeFromSuperlayer()
      parent.addSublayer(space)
      space.addSublayer(layer)
      addLayer(to: space, depth: 3)
      turn(space.sublayers![1])
    }
  }

  private mutating func turn(_ layer: CALayer) {
    layer.transform = CATransform3DMakeRotation(
      CGFloat(number(-1.2...1.2)), CGFloat(number(-1...1)), CGFloat(number(-1...1)),
      CGFloat(number(-0.3...0.3)))
    layer.zPosition = CGFloat(number(-20...20))
    // Blurs are round only in a plane that faces us and is not stretched.
    layer.shadowOpacity = 0
    (layer.filters, layer.backgroundFilters) = (nil, nil)
    if once(in: 5) { layer.isDoubleSided = false }
  }

  private mutating func place(_ layer: CALayer, isLeaf: Bool) {
    layer.bounds = CGRect(
      x: 0, y: 0, width: whole(6...60), height: whole(6...50))
    layer.position = CGPoint(x: number(0...96), y: number(0...72))
    if once(in: 2) {
      // On whole pixels, where edges are hard.
      layer.anchorPoint = .zero
      layer.position = CGPoint(x: whole(-10...80), y: whole(-10...60))
    }
    switch whole(0...5) {
    case 0: layer.transform = CATransform3DMakeRotation(number(-3...3), 0, 0, 1)
    case 1:
      let scale = CGFloat(number(0.5...1.5))
      layer.transform = CATransform3DMakeScale(
        scale, isLeaf ? CGFloat(number(0.5...1.5)) : scale, 1)
    default: break
    }
    if once(in: 5) { layer.zPosition = CGFloat(whole(-2...2)) }
    if once(in: 12) { layer.isHidden = true }
  }

  private mutating func dress(_ layer: CALayer, depth: Int) {
    let radius = once(in: 3) ? number(0...20) : 0
    layer.cornerRadius = CGFloat(radius)
    if once(in: 3) { layer.cornerCurve = .continuous }
    if once(in: 3) { layer.maskedCorners = CACornerMask(rawValue: UInt(whole(0...15))) }
    if !once(in: 4) { layer.backgroundColor = color() }
    if once(in: 4) { layer.contents = Self.images[whole(0...Self.images.count - 1)] }
    if once(in: 4) {
      layer.borderWidth = CGFloat(whole(1...4))
      layer.borderColor = color()
    }
    if once(in: 3) { layer.opacity = Float(number(0.1...1)) }
    if once(in: 4) { layer.allowsGroupOpacity = false }
    if once(in: 4) { layer.masksToBounds = true }
    if once(in: 5) { cast(layer) }
    if once(in: 5) { filter(layer, seesBackdrop: depth == 0) }
  }

  private mutating func cast(_ layer: CALayer) {
    if !CATransform3DIsIdentity(layer.transform) {
      layer.transform = CATransform3DMakeRotation(CGFloat(number(-3...3)), 0, 0, 1)
    }
    layer.shadowOpacity = Float(number(0.2...1))
    layer.shadowRadius = CGFloat(number(1.5...3))
    layer.shadowOffset = CGSize(width: whole(-5...5), height: whole(-5...5))
    layer.shadowColor = color(alpha: 1)
  }

  /// What looks at its backdrop does so at the top, where no group is between it and the picture.
  private mutating func filter(_ layer: CALayer, seesBackdrop: Bool) {
    if !CATransform3DIsIdentity(layer.transform) {
      layer.transform = CATransform3DMakeRotation(CGFloat(number(-3...3)), 0, 0, 1)
    }
    // A filtered picture has no shadow here: its own tests have.
    layer.shadowOpacity = 0
    switch whole(seesBackdrop ? 0...3 : 2...3) {
    case 0: layer.compositingFilter = Self.modes[whole(0...Self.modes.count - 1)]
    case 1: layer.backgroundFilters = filters()
    default: layer.filters = filters()
    }
  }

  private mutating func filters() -> [CAFilter] {
    (0..<whole(1...2)).map { _ in
      switch whole(0...5) {
      case 0: return filter("colorSaturate", "inputAmount", number(0...2))
      case 1: return filter("colorBrightness", "inputAmount", number(-0.3...0.3))
      case 2: return filter("colorContrast", "inputAmount", number(0.3...1.5))
      case 3: return filter("colorHueRotate", "inputAngle", number(-3...3))
      case 4: return CAFilter(type: "colorInvert")
      default: return filter("gaussianBlur", "inputRadius", number(1...3))
      }
    }
  }

  private func filter(_ type: String, _ key: String, _ value: Double) -> CAFilter {
    let filter = CAFilter(type: type)
    filter.setValue(value, forKey: key)
    return filter
  }

  private static let modes = [
    "multiply", "screen", "overlay", "darken", "lighten", "colorDodge", "colorBurn", "hardLight",
    "softLight", "difference", "exclusion", "hue", "saturation", "color", "luminosity",
    "plusLighter", "plusDarker", "xor", "sourceAtop", "destinationOver", "destinationOut",
  ]

  private mutating func gradient() -> CAGradientLayer {
    let layer = CAGradientLayer()
    let count = whole(2...4)
    layer.colors = (0..<count).map { _ in color() }
    if once(in: 2) {
      var location = number(-0.2...0.3)
      layer.locations = (0..<count).map { _ in
        defer { location += number(0.1...0.4) }
        return NSNumber(value: location)
      }
    }
    layer.startPoint = CGPoint(x: number(0...0.6), y: number(0...0.6))
    layer.endPoint = CGPoint(x: number(0.7...1.2), y: number(0.7...1.2))
    layer.type = [.axial, .radial, .conic][whole(0...2)]
    return layer
  }

  private mutating func mask(for layer: CALayer) -> CALayer {
    let mask = CALayer()
    mask.bounds = CGRect(x: 0, y: 0, width: whole(10...50), height: whole(10...50))
    mask.position = CGPoint(x: layer.bounds.midX, y: layer.bounds.midY)
    mask.backgroundColor = color()
    mask.cornerRadius = CGFloat(number(0...12))
    if once(in: 2) {
      let hole = CALayer()
      hole.bounds = CGRect(x: 0, y: 0, width: whole(4...30), height: whole(4...30))
      hole.position = CGPoint(x: mask.bounds.midX, y: mask.bounds.midY)
      hole.backgroundColor = color()
      hole.transform = CATransform3DMakeRotation(number(-1...1), 0, 0, 1)
      mask.addSublayer(hole)
    }
    return mask
  }

  /// Smooth, so that it matters little where exactly they are read.
  private static let images: [CGImage] = (0..<3).map { kind in
    let side = 8
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let (u, v) = (Double(x) / 7, Double(y) / 7)
        let alpha = kind == 0 ? 1 : 0.3 + 0.7 * u * v
        pixels += [u, v, kind == 2 ? 1 - u : 0.5, alpha].map { UInt8($0 * 255) }
      }
    }
    return try! CGImage(width: side, height: side, unpremultipliedRGBA: pixels)
  }
}
