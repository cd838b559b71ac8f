import CoreGraphics
import LaminaInProcess
import QuartzCore
import Testing

/// The files in `AppleSources` use only Apple's names; these tests render what they make.
@Suite("Sources written for Apple's systems, as products see them") struct AppleSourceTests {
  private func image(_ layer: CALayer, side: CGFloat = 16, scale: CGFloat = 1) throws -> Picture {
    let renderer = try CARenderer(
      size: CGSize(width: side, height: side), scale: scale, server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    return try Picture(renderer.image(at: 0))
  }

  /// Straight red, green, blue and alpha of pixels, read through a bitmap as apps do it.
  private struct Picture {
    let width: Int
    let bytes: [UInt8]

    init(_ image: CGImage) throws {
      let context = try #require(
        CGContext(
          data: nil, width: image.width, height: image.height, bitsPerComponent: 8,
          bytesPerRow: image.width * 4, space: CGColorSpace(name: CGColorSpace.sRGB),
          bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
      context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
      let data = try #require(context.data)
      width = image.width
      bytes = Array(UnsafeRawBufferPointer(start: data, count: image.width * image.height * 4))
    }

    subscript(x: Int, y: Int) -> [UInt8] {
      let start = (y * width + x) * 4
      return Array(bytes[start..<start + 4])
    }
  }

  private let blue: [UInt8] = [0, 0, 255, 255]
  private let yellow: [UInt8] = [255, 255, 0, 255]
  private let red: [UInt8] = [255, 0, 0, 255]
  private let green: [UInt8] = [0, 255, 0, 255]
  private let white: [UInt8] = [255, 255, 255, 255]
  private let clear: [UInt8] = [0, 0, 0, 0]

  @Test("A subclass draws by a key of its own, and again when the key or the bounds change")
  func gauge() throws {
    let gauge = GaugeLayer()
    gauge.frame = CGRect(x: 0, y: 0, width: 16, height: 8)
    let renderer = try CARenderer(
      size: CGSize(width: 16, height: 16), scale: 2, server: .inProcess.on(.surfaceless))
    renderer.layer = gauge
    var picture = try Picture(renderer.image(at: 0))
    #expect(picture[7, 8] == yellow && picture[8, 8] == blue && picture[8, 16] == clear)
    gauge.level = 0.5
    picture = try Picture(renderer.image(at: 0))
    #expect(picture[15, 8] == yellow && picture[16, 8] == blue)
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    gauge.frame = CGRect(x: 0, y: 0, width: 8, height: 16)
    CATransaction.commit()
    picture = try Picture(renderer.image(at: 0))
    #expect(picture[7, 31] == yellow && picture[8, 31] == blue && picture[16, 8] == clear)
    #expect(gauge.presentation()?.level == 0.5)
  }

  @Test("An animation of a key that a subclass draws by is drawn at each frame, and then the model")
  func animatedGauge() throws {
    let gauge = GaugeLayer()
    gauge.contentsScale = 1
    gauge.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
    let renderer = try CARenderer(
      size: CGSize(width: 16, height: 16), server: .inProcess.on(.surfaceless))
    renderer.layer = gauge
    let fill = CABasicAnimation(keyPath: "level")
    fill.fromValue = 0
    fill.toValue = 1
    fill.duration = 2
    fill.isRemovedOnCompletion = false
    gauge.add(fill, forKey: "fill")
    func filled(at time: Double) throws -> Int {
      let picture = try Picture(renderer.image(at: time))
      return (0..<16).count { picture[$0, 8] == yellow }
    }
    #expect(try filled(at: 0) == 0)
    #expect(try filled(at: 1) == 8)
    #expect(gauge.presentation()?.level == 0.5 && gauge.level == 0.25)
    #expect(renderer.nextFrameTime() == 1)
    #expect(try filled(at: 1.5) == 12)
    #expect(try filled(at: 0.5) == 4)
    #expect(try filled(at: 3) == 4)
    #expect(try filled(at: 1.5) == 12)
    #expect(try filled(at: 3) == 4)
    #expect(renderer.nextFrameTime() == .infinity)
    gauge.level = 1
    #expect(try filled(at: 3) == 16 && filled(at: 1) == 8)
    gauge.removeAnimation(forKey: "fill")
    #expect(try filled(at: 1) == 16)
  }

  @Test("A delegate draws a layer's contents and lays its sublayers out")
  func badge() throws {
    let controller = BadgeController()
    controller.badge.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
    let picture = try image(controller.badge)
    #expect(picture[8, 2] == white && picture[0, 0] == clear && picture[8, 8] == red)
    #expect(picture[4, 4] == red && picture[3, 8] == white && picture[12, 8] == white)
    #expect(controller.drawings == ["will draw badge", "draw badge"])
  }

  @Test("An image drawn by hand is upright, masked by a shape and overlaid with a path")
  func avatar() throws {
    let picture = try image(makeAvatar(diameter: 32), side: 32)
    #expect(picture[16, 2] == red && picture[16, 29] == green)
    #expect(picture[16, 14] == red && picture[16, 17] == green)
    #expect(picture[0, 0] == clear && picture[31, 31] == clear)
    #expect(picture[8, 16] == blue && picture[24, 16] == blue && picture[16, 8] == blue)
  }

  @Test("Names that Darwin gives are there, and a pool calls its body")
  func darwin() throws {
    struct Failure: Error {}
    #expect(HUGE == Float.greatestFiniteMagnitude && MAXFLOAT == HUGE)
    #expect(NSEC_PER_SEC == 1_000_000_000 && NSEC_PER_MSEC * 1000 == NSEC_PER_SEC)
    #expect(NSEC_PER_USEC * USEC_PER_SEC == NSEC_PER_SEC && MSEC_PER_SEC == 1000)
    #expect(autoreleasepool { 7 } == 7)
    #expect(throws: Failure.self) { try autoreleasepool { throw Failure() } }
    #expect(CFRangeMake(1, 2).location == 1)
  }
}
