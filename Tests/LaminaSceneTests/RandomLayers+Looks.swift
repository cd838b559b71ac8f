import Foundation
import Lamina

@testable import LaminaGraphics

extension RandomLayers {
  mutating func dress(_ layer: CALayer, in place: Surroundings) {
    let radius = once(in: 3) ? number(0...20) : 0
    layer.cornerRadius = CGFloat(radius)
    if once(in: 3) { layer.cornerCurve = .continuous }
    if once(in: 3) { layer.maskedCorners = CACornerMask(rawValue: UInt(whole(0...15))) }
    if !once(in: 4) { layer.backgroundColor = color() }
    if once(in: 3) { fill(layer) }
    if once(in: 4) {
      layer.borderWidth = CGFloat(whole(1...4))
      layer.borderColor = color()
    }
    if once(in: 3) { layer.opacity = Float(number(0.1...1)) }
    if once(in: 4) { layer.allowsGroupOpacity = false }
    if once(in: 4) { layer.masksToBounds = true }
    if once(in: 5) { cast(layer, in: place) }
    if once(in: 5) { filter(layer, in: place) }
    guard !isForContexts, once(in: 10) else { return }
    layer.shouldRasterize = true
    layer.rasterizationScale = one(of: [1, 0.5, 1.25])
  }

  // MARK: - Contents

  private mutating func fill(_ layer: CALayer) {
    let filters: [CALayerContentsFilter] =
      isForContexts ? [.linear, .nearest] : [.linear, .linear, .nearest, .trilinear]
    layer.minificationFilter = one(of: filters)
    // Devices differ in the small copies that they make of images with other sides.
    let isTrilinear = layer.minificationFilter == .trilinear
    layer.contents = one(of: isTrilinear ? Array(Self.images.dropLast()) : Self.images)
    layer.magnificationFilter = one(of: filters)
    layer.minificationFilterBias = once(in: 3) ? Float(number(-1.5...1.5)) : 0
    layer.contentsScale = CGFloat(one(of: [1, 1, 0.5, 0.25, 2]))
    if once(in: 2) {
      layer.contentsGravity = one(of: [
        .center, .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight,
        .resizeAspect, .resizeAspectFill,
      ])
    }
    if once(in: 3) {
      layer.contentsRect = CGRect(
        x: number(-0.4...0.4), y: number(-0.4...0.4), width: number(0.3...1.4),
        height: number(0.3...1.4))
    }
    if once(in: 3) {
      let (x, y) = (number(0...0.6), number(0...0.6))
      layer.contentsCenter = CGRect(
        x: x, y: y, width: once(in: 4) ? 0 : number(0.1...1 - x), height: number(0.1...1 - y))
    }
    if once(in: 4) { layer.setValue(color(), forKey: "contentsMultiplyColor") }
  }

  /// Smooth and detailed images. All but the last have sides that are powers of two.
  private static let images: [CGImage] = [(8, 8), (8, 8), (16, 16), (32, 16), (13, 9)]
    .enumerated().map { kind, size in
      var pixels: [UInt8] = []
      for y in 0..<size.0 {
        for x in 0..<size.1 {
          let (u, v) = (Double(x) / Double(size.1 - 1), Double(y) / Double(size.0 - 1))
          let wave = kind < 2 ? 0.5 : 0.5 + 0.25 * sin(Double(x) * 1.3) * cos(Double(y) * 0.9)
          let alpha = kind % 2 == 0 ? 1 : 0.3 + 0.7 * u * v
          pixels += [u, v, wave, alpha].map { UInt8($0 * 255) }
        }
      }
      return try! CGImage(width: size.1, height: size.0, unpremultipliedRGBA: pixels)
    }

  mutating func gradient() -> CAGradientLayer {
    let layer = CAGradientLayer()
    let count = whole(2...4)
    // Colours at the edge of sRGB lie outside Generic RGB.
    let base =
      isForContexts
      ? CGColor(red: number(0.3...0.9), green: number(0.3...0.9), blue: number(0.3...0.9), alpha: 1)
      : CGColor.black
    layer.colors = (0..<count).map { _ in
      isForContexts ? base.copy(alpha: CGFloat(number(0...1)))! : color()
    }
    if once(in: 2) {
      var location = number(-0.2...0.3)
      layer.locations = (0..<count).map { _ in
        defer { location += once(in: 4) ? 0 : number(0.1...0.4) }
        return NSNumber(value: location)
      }
    }
    layer.startPoint = CGPoint(x: number(0...0.6), y: number(0...0.6))
    layer.endPoint = CGPoint(x: number(0.7...1.2), y: number(0.7...1.2))
    layer.type = one(of: [.axial, .radial, .conic])
    return layer
  }

  // MARK: - Shapes

  mutating func shape() -> CAShapeLayer {
    let layer = CAShapeLayer()
    let path = path()
    layer.path = path.path
    layer.fillColor = once(in: 3) ? nil : color()
    layer.fillRule = once(in: 2) ? .evenOdd : .nonZero
    guard layer.fillColor == nil || once(in: 2) else { return layer }
    layer.strokeColor = color()
    layer.lineWidth = CGFloat(number(2...7))
    layer.lineCap = one(of: [.butt, .round, .square])
    layer.lineJoin = one(of: [.miter, .round, .bevel])
    layer.miterLimit = CGFloat(number(1.5...10))
    if once(in: 4) { layer.strokeStart = CGFloat(number(0...0.5)) }
    if once(in: 4) { layer.strokeEnd = CGFloat(number(0.5...1)) }
    if once(in: 4), !path.isClosed {
      layer.lineDashPattern = (0..<whole(1...3)).map { _ in NSNumber(value: number(4...12)) }
      layer.lineDashPhase = CGFloat(number(0...10))
    }
    return layer
  }

  /// A line that crosses itself, or two closed ones. Its curves bend so little that all ways of
  /// stroking them look the same.
  private mutating func path() -> (path: CGPath, isClosed: Bool) {
    let path = CGMutablePath()
    if once(in: 3) {
      path.addEllipse(in: CGRect(x: 0, y: 0, width: number(16...50), height: number(16...40)))
      path.addRect(CGRect(x: number(0...40), y: number(0...30), width: 15, height: 12))
      return (path, true)
    }
    func point() -> CGPoint { CGPoint(x: number(0...50), y: number(0...40)) }
    let isClosed = once(in: 2)
    path.move(to: point())
    for _ in 0..<whole(2...5) {
      let (from, to, bend) = (path.currentPoint, point(), CGFloat(number(-0.25...0.25)))
      func along(_ part: CGFloat) -> CGPoint {
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        return CGPoint(x: from.x + dx * part - dy * bend, y: from.y + dy * part + dx * bend)
      }
      switch whole(0...3) {
      case 0: path.addQuadCurve(to: to, control: along(0.5))
      case 1: path.addCurve(to: to, control1: along(0.3), control2: along(0.7))
      default: path.addLine(to: to)
      }
    }
    if isClosed { path.closeSubpath() }
    return (path, isClosed)
  }

  // MARK: - Shadows and filters

  private mutating func cast(_ layer: CALayer, in place: Surroundings) {
    layer.shadowOpacity = Float(number(0.2...1))
    layer.shadowRadius = CGFloat(number(1.5...3))
    layer.shadowOffset = CGSize(width: whole(-5...5), height: whole(-5...5))
    layer.shadowColor = color(alpha: 1)
    if isForContexts {
      layer.shadowRadius = 0
    } else if once(in: 4) {
      layer.shadowPath = path().path
    }
    // In perspective a blurred picture has the blur at its middle, which this comparison leaves
    // out.
    if place.isInPerspective { layer.shadowPath = CGPath(rect: layer.bounds, transform: nil) }
    guard !place.isOnPixels else { return }
    // Coverage of several edges on top of each other depends on the method, and blurring spreads
    // the difference. Off the pixels, therefore, only one thing has the outline.
    layer.borderWidth = 0
    if layer is CAGradientLayer || layer.contents != nil { layer.backgroundColor = nil }
    if layer is CAGradientLayer { layer.contents = nil }
  }

  private mutating func filter(_ layer: CALayer, in place: Surroundings) {
    if isForContexts {
      if !place.isInShadow { layer.compositingFilter = one(of: Self.modes) }
      return
    }
    switch whole(0...3) {
    case 0: layer.compositingFilter = one(of: Self.modes)
    case 1: layer.backgroundFilters = filters(blur: place.isUniform)
    default: layer.filters = filters(blur: place.isUniform)
    }
  }

  private mutating func filters(blur: Bool) -> [CAFilter] {
    (0..<whole(1...2)).map { _ in
      switch whole(blur ? 0...5 : 0...4) {
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
}
