import Foundation
import Lamina
import LaminaInProcess
import TestSupport
import Testing

@testable import LaminaGraphics

/// Scenes in three dimensions, the same for the same seed.
private struct RandomSpace {
  private var random: SeededGenerator

  init(seed: Int) { random = SeededGenerator(seed: seed) }

  mutating func number(_ low: CGFloat, _ high: CGFloat) -> CGFloat {
    .random(in: low...high, using: &random)
  }

  mutating func chance(_ part: Double) -> Bool { random.chance(part) }

  mutating func transform() -> CATransform3D {
    let turn = CATransform3DMakeRotation(
      number(-1.2, 1.2), number(-1, 1), number(-1, 1), number(-0.4, 0.4))
    if chance(0.1) { return CATransform3DScale(turn, -1, 1, 1) }
    if chance(0.06) { return CATransform3DMakeScale(0, chance(0.5) ? 1 : 0, 1) }
    return chance(0.15) ? CATransform3DIdentity : turn
  }

  mutating func color() -> CGColor {
    CGColor(red: number(0, 1), green: number(0, 1), blue: number(0, 1), alpha: 1)
  }

  mutating func perspective() -> CATransform3D {
    var transform = CATransform3DIdentity
    if chance(0.6) { transform.m34 = -1 / number(90, 300) }
    if chance(0.3) { transform = CATransform3DConcat(self.transform(), transform) }
    return transform
  }
}

@Suite("Space")
struct SpaceTests {
  private static let size = CGSize(width: 64, height: 48)

  private func image(_ root: CALayer, scale: CGFloat = 1) throws -> CGImage {
    let renderer = try CARenderer(size: Self.size, scale: scale, server: .inProcess)
    renderer.layer = root
    return try renderer.image(at: 0)
  }

  private func root() -> CALayer {
    let root = CALayer()
    root.frame = CGRect(origin: .zero, size: Self.size)
    root.backgroundColor = CGColor(red: 1, green: 1, blue: 1, alpha: 1)
    return root
  }

  /// A layer with hard edges and one opaque colour, and with sublayers.
  private func layer(
    _ random: inout RandomSpace, in size: CGSize, depth: Int, isInSpace: Bool
  ) -> CALayer {
    let isSpace = isInSpace && depth > 0 && random.chance(0.3)
    let layer = isSpace ? CATransformLayer() : CALayer()
    layer.allowsEdgeAntialiasing = false
    layer.bounds.size = CGSize(width: random.number(10, 44), height: random.number(10, 36))
    layer.position = CGPoint(
      x: random.number(0.2, 0.8) * size.width, y: random.number(0.2, 0.8) * size.height)
    if random.chance(0.5) { layer.zPosition = random.number(-12, 12) }
    if random.chance(0.2) { layer.anchorPointZ = random.number(-8, 8) }
    if random.chance(0.3) { layer.anchorPoint = CGPoint(x: random.number(0, 1), y: 0.5) }
    layer.transform = random.transform()
    layer.backgroundColor = random.color()
    layer.isDoubleSided = random.chance(0.85)
    layer.isGeometryFlipped = random.chance(0.15)
    layer.masksToBounds = random.chance(0.15)
    layer.isHidden = random.chance(0.05)
    if depth > 0 {
      if random.chance(0.4) { layer.sublayerTransform = random.perspective() }
      let count = isSpace ? 3 : random.chance(0.5) ? 2 : 0
      for _ in 0..<count {
        layer.addSublayer(
          self.layer(&random, in: layer.bounds.size, depth: depth - 1, isInSpace: true))
      }
    }
    return layer
  }

  private func shows(_ pixel: Pixel, _ color: CGColor) -> Bool {
    zip([pixel.red, pixel.green, pixel.blue], color.components ?? []).allSatisfy {
      abs(CGFloat($0) - $1 * 255) <= 1
    }
  }

  @Test("What hitTest finds is what is seen there", arguments: 0..<16)
  func hits(seed: Int) throws {
    var random = RandomSpace(seed: seed)
    let root = root()
    root.sublayerTransform = random.perspective()
    for _ in 0..<(2 + seed % 7) {
      root.addSublayer(layer(&random, in: Self.size, depth: 2, isInSpace: true))
    }
    let image = try image(root)
    var wrong: [String] = []
    for _ in 0..<200 {
      let x = Int(random.number(0, Self.size.width))
      let y = Int(random.number(0, Self.size.height))
      // Devices do not tell apart points a hundredth of a pixel away from each other.
      let around = [(0.01, 0.01), (0.01, -0.01), (-0.01, 0.01), (-0.01, -0.01)]
      let hits = around.map {
        root.hitTest(CGPoint(x: CGFloat(x) + 0.5 + $0.0, y: CGFloat(y) + 0.5 + $0.1))
      }
      guard hits.allSatisfy({ $0 === hits[0] }) else { continue }
      let pixel = image.pixel(x: x, y: y)
      if let color = hits[0]?.backgroundColor, !shows(pixel, color) {
        wrong.append("(\(x), \(y)): \(pixel) for \(color.components ?? [])")
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count) pixels: \(wrong.prefix(3))")
  }

  /// A translucent layer of kind `make` in a plane of its own.
  private func figure(_ random: inout RandomSpace, _ make: Int) throws -> CALayer {
    let layer = make == 5 ? CAShapeLayer() : CALayer()
    layer.bounds.size = CGSize(width: 34, height: 26)
    layer.position = CGPoint(x: random.number(26, 38), y: random.number(20, 28))
    layer.transform =
      random.chance(0.2)
      ? CATransform3DIdentity
      : CATransform3DMakeRotation(
        random.number(-1.2, 1.2), random.number(-1, 1), random.number(-1, 1), random.number(-1, 1))
    layer.backgroundColor = random.color().copy(alpha: 0.5)
    layer.allowsEdgeAntialiasing = random.chance(0.6)
    switch make {
    case 0: break
    case 1:
      layer.borderWidth = 3
      layer.cornerRadius = random.chance(0.5) ? 7 : 0
    case 2, 3:
      for _ in 0..<3 {
        let inner = CALayer()
        inner.frame = CGRect(
          x: random.number(-5, 20), y: random.number(-5, 15), width: 14, height: 12)
        inner.backgroundColor = random.color().copy(alpha: 0.7)
        inner.transform = CATransform3DMakeRotation(random.number(-1, 1), 1, random.number(0, 1), 0)
        layer.addSublayer(inner)
      }
      if make == 3 { layer.opacity = 0.6 }
    case 4:
      layer.shadowOpacity = 0.8
      layer.shadowRadius = 2
      layer.contents = try CGImage.checkered(8, 6)
    case 5:
      let shape = try #require(layer as? CAShapeLayer)
      shape.path = CGPath(ellipseIn: CGRect(x: 3, y: 3, width: 26, height: 18), transform: nil)
      shape.strokeColor = .black
    default:
      let mask = CALayer()
      mask.frame = CGRect(x: 4, y: 4, width: 22, height: 16)
      mask.backgroundColor = .black
      mask.cornerRadius = 6
      layer.mask = mask
    }
    return layer
  }

  private func differences(_ a: CGImage, _ b: CGImage) -> [(x: Int, y: Int)] {
    (0..<a.height).flatMap { y in
      (0..<a.width).filter { !isNear(a.pixel(x: $0, y: y), b.pixel(x: $0, y: y)) }
        .map { (x: $0, y: y) }
    }
  }

  private typealias Pixel = (blue: UInt8, green: UInt8, red: UInt8, alpha: UInt8)

  private func isNear(_ a: Pixel, _ b: Pixel) -> Bool {
    abs(Int(a.red) - Int(b.red)) <= 1 && abs(Int(a.green) - Int(b.green)) <= 1
      && abs(Int(a.blue) - Int(b.blue)) <= 1 && a.alpha == b.alpha
  }

  /// Whether a pixel is like all around it.
  private func isPlain(_ image: CGImage, _ x: Int, _ y: Int) -> Bool {
    let pixel = image.pixel(x: x, y: y)
    return (max(y - 1, 0)...min(y + 1, image.height - 1)).allSatisfy { y in
      (max(x - 1, 0)...min(x + 1, image.width - 1)).allSatisfy { x in
        isNear(image.pixel(x: x, y: y), pixel)
      }
    }
  }

  @Test("Cutting loses nothing, draws nothing twice and moves nothing", arguments: 0..<28)
  func cutting(seed: Int) throws {
    var random = RandomSpace(seed: seed &+ 1000)
    let root = root()
    if random.chance(0.5) { root.sublayerTransform.m34 = -1 / random.number(80, 300) }
    let layer = try figure(&random, seed % 7)
    root.addSublayer(layer)
    let whole = try image(root, scale: 2)
    // Invisible layers cut too.
    for _ in 0..<(1 + seed % 4) {
      let blade = CALayer()
      blade.bounds.size = CGSize(width: 200, height: 200)
      blade.position = CGPoint(x: random.number(20, 44), y: random.number(14, 34))
      blade.transform = CATransform3DMakeRotation(
        random.number(0.4, 1.3), random.number(-1, 1), random.number(-1, 1), 0)
      root.addSublayer(blade)
    }
    let cut = try image(root, scale: 2)
    // Where a cut ends at a hard edge, rounding of the new corner may move that edge by a 256th of
    // a pixel; anywhere else, a lost or doubled pixel would show.
    let wrong = differences(cut, whole).filter { isPlain(whole, $0.x, $0.y) }
    #expect(wrong.isEmpty, "\(wrong.prefix(3))")
    #expect(differences(cut, whole).count <= 2)
  }

  @Test("A frame of cut layers is the same alone and in a film, in either process")
  func history() throws {
    func frames(_ server: RenderServer, _ times: [Double]) throws -> [CGImage] {
      var random = RandomSpace(seed: 7)
      let root = root()
      root.sublayerTransform.m34 = -1 / 200
      for _ in 0..<4 {
        let layer = try figure(&random, 1)
        let turn = CABasicAnimation(keyPath: "transform.rotation.y")
        turn.byValue = random.number(2, 5)
        turn.duration = 2
        layer.add(turn, forKey: nil)
        root.addSublayer(layer)
      }
      let renderer = try CARenderer(size: Self.size, scale: 1, server: server)
      renderer.layer = root
      return try times.map { try renderer.image(at: $0) }
    }
    let film = try frames(.inProcess, [0, 0.5, 1, 1.5])
    let other = try frames(.process, [0, 0.5, 1, 1.5])
    for (index, time) in [0, 0.5, 1, 1.5].enumerated() {
      try expectEqual(film[index], other[index], "in and out of process at \(time)")
      let alone = try frames(.inProcess, [0, time])[1]
      try expectEqual(film[index], alone, "alone at \(time)")
    }
  }
}

extension CGImage {
  /// Squares of black and a translucent yellow.
  fileprivate static func checkered(_ width: Int, _ height: Int) throws -> CGImage {
    let context = try #require(
      CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    for y in 0..<height {
      for x in 0..<width {
        context.setFillColor(
          (x + y) % 2 == 0 ? .black : CGColor(red: 1, green: 1, blue: 0, alpha: 0.5))
        context.fill(CGRect(x: x, y: y, width: 1, height: 1))
      }
    }
    return try #require(context.makeImage())
  }
}
