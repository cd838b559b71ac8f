import Foundation
import Lamina
import TestSupport
import Testing

@testable import LaminaGraphics

/// A picture's channels as real numbers, blurred one axis after the other by a Gaussian with the
/// precision of Double.
private struct RealPicture {
  let width: Int
  let height: Int
  var pixels: [SIMD4<Double>]

  init(_ image: CGImage) {
    (width, height) = (image.width, image.height)
    pixels = []
    for y in 0..<height {
      for x in 0..<width { pixels.append(image.channels(x, y)) }
    }
  }

  func blurred(_ sigma: Double) -> RealPicture {
    pass(sigma, step: 1, count: width, line: width, lines: height)
      .pass(sigma, step: width, count: height, line: 1, lines: width)
  }

  private func pass(
    _ sigma: Double, step: Int, count: Int, line: Int, lines: Int
  ) -> RealPicture {
    let reach = Int((sigma * 6).rounded(.up))
    let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let total = weights.reduce(0, +)
    var result = self
    for start in (0..<lines).map({ $0 * line }) {
      for at in 0..<count {
        var sum = SIMD4<Double>.zero
        for k in max(-reach, -at)...min(reach, count - 1 - at) {
          sum += pixels[start + (at + k) * step] * weights[k + reach]
        }
        result.pixels[start + at * step] = sum / total
      }
    }
    return result
  }
}

@Suite("Blurs")
struct BlurTests {
  /// sigma in points, pixels a point
  static let sigmas: [(Double, Int)] = [
    (1, 1), (2, 1), (2.9, 1), (3, 1), (4.5, 1), (5.9, 1), (6, 1), (10, 1), (13, 2), (40, 1),
  ]

  /// Stripes and dots of all alphas, larger than what lies in arrays of images.
  private static let photo = picture { x, y in y % 50 < 10 ? 255 : (x * 7 + y * 3) % 256 }
  private static let opaquePhoto = picture { _, _ in 255 }

  private static func picture(_ alpha: (Int, Int) -> Int) -> CGImage {
    FilterStage.picture(280, 300) { x, y in
      let alpha = UInt8(alpha(x, y))
      return SIMD4(
        alpha / UInt8(1 + x % 3), x % 40 < 20 ? alpha : 0, alpha / UInt8(1 + y % 5), alpha)
    }
  }

  @Test(
    "An image is blurred where it is as in a group of its halves, to the bit",
    arguments: [RenderPlatform.software, .surfaceless], [false, true])
  func imagesInPlace(platform: RenderPlatform, isNormalized: Bool) throws {
    func image(
      at place: CGPoint, _ sigma: Double, of photo: CGImage, asHalves: Bool,
      _ change: (CALayer) -> Void
    ) throws -> CGImage {
      let layer = FilterStage.card(CGRect(origin: place, size: CGSize(width: 280, height: 300)))
      layer.filters = [
        FilterStage.filter(
          "gaussianBlur", ["inputRadius": sigma, "inputNormalizeEdges": isNormalized])
      ]
      if asHalves {
        for side in [0.0, 0.5] {
          let half = FilterStage.card(CGRect(x: side * 280, y: 0, width: 140, height: 300))
          half.contents = photo
          half.contentsRect = CGRect(x: side, y: 0, width: 0.5, height: 1)
          layer.addSublayer(half)
        }
      } else {
        layer.contents = photo
      }
      change(layer)
      let ground = FilterStage.card(
        CGRect(x: 0, y: 0, width: 360, height: 340), [0.2, 0.5, 0.3, 1])
      return try FilterStage.renderer(360, 340, platform: platform, [ground, layer]).image(at: 0)
    }
    func isSame(
      at place: CGPoint, _ sigma: Double = 7, of photo: CGImage = Self.photo,
      _ change: (CALayer) -> Void = { _ in }
    ) throws -> Bool {
      let inPlace = try image(at: place, sigma, of: photo, asHalves: false, change)
      let asHalves = try image(at: place, sigma, of: photo, asHalves: true, change)
      return inPlace.distance(to: asHalves) == 0
    }
    for sigma in [3, 5.5, 12, 40.0] {
      #expect(try isSame(at: CGPoint(x: 33, y: 15), sigma), "sigma \(sigma)")
    }
    for sigma in [3, 10, 20.0] {
      let isSame = try isSame(at: CGPoint(x: 33, y: 15), sigma, of: Self.opaquePhoto)
      #expect(isSame, "opaque, sigma \(sigma)")
    }
    #expect(try isSame(at: CGPoint(x: -90, y: 20)), "partly outside of the frame")
    #expect(try isSame(at: CGPoint(x: 30, y: 20)) { $0.opacity = 0.6 })
    #expect(try isSame(at: CGPoint(x: 30, y: 20)) { $0.shadowOpacity = 0.5 })
    #expect(try isSame(at: CGPoint(x: 30, y: 20)) { $0.masksToBounds = true })
    #expect(
      try isSame(at: CGPoint(x: 30, y: 20)) {
        $0.filters = [FilterStage.filter("colorInvert")] + ($0.filters ?? [])
      })
  }

  @Test(
    "An image as large as the frame is blurred as under another layer, to the bit",
    arguments: [RenderPlatform.software, .surfaceless])
  func wholeFrame(platform: RenderPlatform) throws {
    func image(_ sigma: Double, isCovered: Bool) throws -> CGImage {
      let layer = FilterStage.card(CGRect(x: 0, y: 0, width: 280, height: 300))
      layer.contents = Self.opaquePhoto
      layer.filters = [
        FilterStage.filter("gaussianBlur", ["inputRadius": sigma, "inputNormalizeEdges": true])
      ]
      let corner = FilterStage.card(CGRect(x: 279, y: 299, width: 1, height: 1), [1, 0, 0, 1])
      return try FilterStage.renderer(
        280, 300, platform: platform, isCovered ? [layer, corner] : [layer]
      ).image(at: 0)
    }
    for sigma in [1, 3, 7, 12, 30.0] {
      let (alone, covered) = (
        try image(sigma, isCovered: false), try image(sigma, isCovered: true)
      )
      var differing = 0
      for y in 0..<300 {
        for x in 0..<280 where alone.channels(x, y) != covered.channels(x, y) { differing += 1 }
      }
      #expect(differing == 1, "sigma \(sigma)")
    }
  }

  @Test("An edge becomes the error function, to 2 of 255", arguments: sigmas)
  func edge(_ sigma: Double, _ scale: Int) throws {
    let card = FilterStage.card(CGRect(x: 151, y: -400, width: 800, height: 1000), [1, 1, 1, 1])
    card.filters = [FilterStage.blur(sigma)]
    let image = try FilterStage.image(300, 4, scale: CGFloat(scale), [card])
    let spread = sigma * Double(scale) * 2.0.squareRoot()
    var worst = 0.0
    for x in 0..<image.width {
      let distance = Double(x) + 0.5 - 151 * Double(scale)
      let expected = 127.5 * (1 + erf(distance / spread))
      worst = max(worst, abs(image.channels(x, 1).w - expected))
    }
    #expect(worst <= 2, "off by \(worst) of 255")
  }

  @Test(
    "Any picture becomes what an exact Gaussian makes of it, to 2 of 255",
    arguments: [1.5, 2.4, 3, 5.5, 8, 12, 25])
  func picture(_ sigma: Double) throws {
    var random = SeededGenerator(seed: 7)
    let noise = FilterStage.picture(96, 80) { x, y in
      // Fine noise, with stripes and a block in it.
      let alpha = (x / 24 + y / 20) % 2 == 0 ? 255 : random.below(256)
      func channel(_ value: Int) -> UInt8 { UInt8(value * alpha / 255) }
      return SIMD4(
        channel(random.below(256)), channel(x % 3 == 0 ? 255 : 0),
        channel(y > 30 && y < 50 ? 255 : 0), UInt8(alpha))
    }
    func image(_ filters: [CAFilter]) throws -> CGImage {
      let layer = CALayer()
      layer.contents = noise
      layer.frame = CGRect(x: 12, y: 8, width: 96, height: 80)
      layer.filters = filters
      return try FilterStage.image(120, 96, [layer])
    }
    let expected = RealPicture(try image([])).blurred(sigma)
    let found = RealPicture(try image([FilterStage.blur(sigma)]))
    let worst = zip(found.pixels, expected.pixels).map { $0.distance(to: $1) }.max() ?? 255
    #expect(worst <= 2, "off by \(worst) of 255")
  }

  @Test("What is outside the frame is blurred into it: a part of a larger frame is the same bytes")
  func outside() throws {
    func group(at x: CGFloat) -> CALayer {
      let group = FilterStage.card(CGRect(x: x, y: -10, width: 60, height: 60), [1, 0, 0, 1])
      group.addSublayer(
        FilterStage.card(CGRect(x: -20, y: 20, width: 90, height: 9), [0, 1, 0, 1]))
      group.filters = [FilterStage.blur(7)]
      return group
    }
    let small = try FilterStage.image(64, 32, [group(at: -50)])
    let large = try FilterStage.image(192, 32, [group(at: 78)])
    for y in 0..<32 {
      for x in 0..<64 where small.channels(x, y) != large.channels(x + 128, y) {
        Issue.record("differs at \(x), \(y)")
        return
      }
    }
    #expect(small.channels(4, 8).x > 100)
  }

  @Test("A layer of twice the size has a blur of twice the radius; turned, of the same")
  func transformed() throws {
    func shown(_ sigma: Double, _ change: (CALayer) -> Void) throws -> CGImage {
      let card = FilterStage.card(CGRect(x: 30, y: 30, width: 20, height: 20), [0, 0.4, 1, 1])
      card.filters = [FilterStage.blur(sigma)]
      change(card)
      return try FilterStage.image(80, 80, [card])
    }
    let scaled = try shown(2) { $0.transform = CATransform3DMakeScale(2, 2, 1) }
    let large = try shown(4) { $0.bounds.size = CGSize(width: 40, height: 40) }
    try expectEqual(scaled, large, difference: 1, "scaled")
    let turned = try shown(4) { $0.transform = CATransform3DMakeRotation(.pi / 2, 0, 0, 1) }
    try expectEqual(turned, try shown(4) { _ in }, difference: 1, "turned")
  }

  @Test("The bounds clip a blurred layer after it was blurred, round corners too")
  func clipped() throws {
    func shown(_ change: (CALayer) -> Void) throws -> CGImage {
      let card = FilterStage.card(CGRect(x: 20, y: 20, width: 40, height: 40), [1, 1, 1, 1])
      card.filters = [FilterStage.blur(4)]
      change(card)
      return try FilterStage.image(80, 80, [card])
    }
    let open = try shown { _ in }
    let cut = try shown { $0.masksToBounds = true }
    for y in 0..<80 {
      for x in 0..<80 {
        let isInside = (20..<60).contains(x) && (20..<60).contains(y)
        let expected = isInside ? open.channels(x, y) : .zero
        #expect(cut.channels(x, y).distance(to: expected) <= 1)
      }
    }
    let round = try shown {
      $0.masksToBounds = true
      $0.cornerRadius = 20
    }
    #expect(round.channels(22, 22) == .zero)
    #expect(round.channels(21, 40).w > 100)
  }

  @Test("Filters go in their order: inverted after the blur is the blur of the inverted")
  func order() throws {
    func shown(_ filters: [CAFilter]) throws -> CGImage {
      let card = FilterStage.card(CGRect(x: 20, y: 20, width: 40, height: 40), [0.8, 0.2, 0, 1])
      card.filters = filters
      return try FilterStage.image(80, 80, [card])
    }
    let inversion = FilterStage.filter("colorInvert")
    // Little of a colour is left at an alpha of 1 or 2, and both are rounded down.
    let blurred = try shown([inversion, FilterStage.blur(4)])
    #expect(try shown([FilterStage.blur(4), inversion]).distance(to: blurred) <= 3)
    // Two blurs equal one whose squared sigma is the sum of theirs.
    let twice = try shown([FilterStage.blur(6), FilterStage.blur(8)])
    #expect(twice.distance(to: try shown([FilterStage.blur(10)])) <= 2)
  }

  @Test("A shadow lies behind the blurred layer, and is cast by what was blurred")
  func shadow() throws {
    let card = FilterStage.card(CGRect(x: 10, y: 10, width: 20, height: 20), [1, 0, 0, 1])
    card.shadowOpacity = 1
    card.shadowRadius = 0
    card.shadowOffset = CGSize(width: 40, height: 0)
    card.filters = [FilterStage.blur(3)]
    let image = try FilterStage.image(80, 40, [card])
    for y in 0..<40 {
      for x in 0..<40 {
        let expected = SIMD4(0, 0, 0, image.channels(x, y).w)
        #expect(image.channels(x + 40, y).distance(to: expected) <= 1)
      }
    }
    #expect(image.channels(10, 20).x > 90 && image.channels(10, 20).x < 180)
  }
}
