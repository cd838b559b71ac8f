import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("Shadows")
struct ShadowTests {
  /// The shadow alone: it falls 100 points to the right of the layer that casts it, and that layer
  /// is outside the frame.
  private func shadow(
    of size: CGSize, cornerRadius: CGFloat, sigma: CGFloat, path: CGPath? = nil,
    gradient: CAGradientLayer? = nil
  ) throws -> CGImage {
    let layer = gradient ?? CALayer()
    layer.bounds = CGRect(origin: .zero, size: size)
    layer.position = CGPoint(x: -70, y: 30)
    layer.backgroundColor = path == nil && gradient == nil ? .white : nil
    layer.cornerRadius = cornerRadius
    layer.shadowOffset = CGSize(width: 100, height: 0)
    layer.shadowRadius = sigma
    layer.shadowOpacity = 1
    layer.shadowPath = path
    let root = CALayer()
    root.bounds = CGRect(x: 0, y: 0, width: 60, height: 60)
    root.position = CGPoint(x: 30, y: 30)
    root.addSublayer(layer)
    let renderer = try CARenderer(size: root.bounds.size, server: .inProcess)
    renderer.layer = root
    return try renderer.image(at: 0)
  }

  /// A rounded rectangle in the middle of the frame, sampled 4 × 4 a pixel and convolved with a
  /// Gaussian, one axis after the other.
  private func blurred(_ size: CGSize, _ radius: Double, _ sigma: Double) -> [Double] {
    let (frame, samples) = (60, 4)
    let side = frame * samples
    var mask = [Double](repeating: 0, count: side * side)
    for y in 0..<side {
      for x in 0..<side {
        let (px, py) = ((Double(x) + 0.5) / 4 - 30, (Double(y) + 0.5) / 4 - 30)
        let dx = max(abs(px) - Double(size.width) / 2 + radius, 0)
        let dy = max(abs(py) - Double(size.height) / 2 + radius, 0)
        mask[y * side + x] = dx * dx + dy * dy <= radius * radius ? 1 : 0
      }
    }
    let reach = Int(sigma * 4 * Double(samples))
    let weights = (-reach...reach).map { i in
      exp(-pow(Double(i) / Double(samples), 2) / (2 * sigma * sigma))
    }
    let total = weights.reduce(0, +)
    func pass(_ from: [Double], _ step: Int, _ other: Int) -> [Double] {
      var to = from
      for line in 0..<side {
        for at in 0..<side {
          var sum = 0.0
          for k in max(-reach, -at)...min(reach, side - 1 - at) {
            sum += weights[k + reach] * from[line * other + (at + k) * step]
          }
          to[line * other + at * step] = sum / total
        }
      }
      return to
    }
    let blurred = pass(pass(mask, 1, side), side, 1)
    // The mean over the samples in each pixel's square.
    return (0..<frame * frame).map { i in
      let corner = i / frame * samples * side + i % frame * samples
      let square = (0..<samples * samples).map { corner + $0 / samples * side + $0 % samples }
      return square.reduce(0) { $0 + blurred[$1] } / Double(square.count)
    }
  }

  /// Expects every pixel to be off by at most 2 of 255.
  private func expectBlurred(
    _ image: CGImage, _ size: CGSize, _ radius: Double, _ sigma: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expected = blurred(size, radius, sigma)
    var worst = 0.0
    for y in 0..<60 {
      for x in 0..<60 {
        let alpha = Double(image.pixel(x: x, y: y).alpha)
        worst = max(worst, abs(alpha - expected[y * 60 + x] * 255))
      }
    }
    #expect(worst <= 2, "off by \(worst) of 255", sourceLocation: sourceLocation)
  }

  @Test(
    "A rectangle's shadow is its Gaussian blur, to 2 of 255",
    arguments: [(0.0, 3.0), (6, 3), (12, 2), (12, 6)])
  func gaussian(_ radius: Double, _ sigma: Double) throws {
    let size = CGSize(width: 30, height: 24)
    let image = try shadow(of: size, cornerRadius: radius, sigma: sigma)
    expectBlurred(image, size, radius, sigma)
  }

  @Test("A shadow path that is a rectangle casts the shadow that a layer of its size does")
  func path() throws {
    let size = CGSize(width: 30, height: 24)
    let rectangle = CGPath(rect: CGRect(origin: .zero, size: size), transform: nil)
    try expectEqual(
      try shadow(of: size, cornerRadius: 0, sigma: 3, path: rectangle),
      try shadow(of: size, cornerRadius: 0, sigma: 3), "path and background")
  }

  @Test(
    "A gradient of opaque colours casts its outline's shadow, wherever they lie, or is not drawn",
    arguments: [.axial, .radial, .conic] as [CAGradientLayerType],
    [CGPoint(x: 0.5, y: 1), CGPoint(x: 0.6, y: 0.3), CGPoint(x: 0.5, y: 0.5), CGPoint(x: -3, y: 9)])
  func opaqueGradient(type: CAGradientLayerType, end: CGPoint) throws {
    let size = CGSize(width: 30, height: 24)
    let gradient = CAGradientLayer()
    (gradient.type, gradient.startPoint, gradient.endPoint) = (
      type, CGPoint(x: 0.5, y: 0.5), end
    )
    gradient.colors = [CGColor.white, CGColor.black]
    gradient.locations = [0.4, 0.6]
    let cast = try shadow(of: size, cornerRadius: 6, sigma: 3, gradient: gradient)

    gradient.removeFromSuperlayer()
    gradient.position = CGPoint(x: 15, y: 12)
    (gradient.cornerRadius, gradient.shadowOpacity) = (0, 0)
    let renderer = try CARenderer(size: size, server: .inProcess)
    renderer.layer = gradient
    let image = try renderer.image(at: 0)
    let alphas = Set((0..<30 * 24).map { image.pixel(x: $0 % 30, y: $0 / 30).alpha })
    // One without an extent is not drawn.
    let isDrawn = type == .radial ? end.x != 0.5 && end.y != 0.5 : end != gradient.startPoint
    #expect(alphas == [isDrawn ? 255 : 0])
    guard isDrawn else {
      #expect((0..<60 * 60).allSatisfy { cast.pixel(x: $0 % 60, y: $0 / 60).alpha == 0 })
      return
    }
    try expectEqual(
      cast, try shadow(of: size, cornerRadius: 6, sigma: 3), "gradient and background")
  }

  @Test("A gradient of translucent colours casts a shadow as it covers what is below")
  func translucentGradient() throws {
    let size = CGSize(width: 30, height: 24)
    let gradient = CAGradientLayer()
    gradient.colors = [CGColor.white, CGColor.white.copy(alpha: 0)!]
    let image = try shadow(of: size, cornerRadius: 0, sigma: 3, gradient: gradient)
    let alphas = [20, 30, 40].map { image.pixel(x: 30, y: $0).alpha }
    #expect(alphas[0] > alphas[1] + 40 && alphas[1] > alphas[2] + 40, "\(alphas)")
  }

  @Test(
    "A path's shadow is its Gaussian blur, to 2 of 255",
    arguments: [(6.0, 1.5), (6, 3), (12, 2.5), (12, 6)])
  func pathGaussian(_ radius: Double, _ sigma: Double) throws {
    let size = CGSize(width: 30, height: 24)
    let path = CGPath(
      roundedRect: CGRect(origin: .zero, size: size), cornerWidth: radius, cornerHeight: radius,
      transform: nil)
    let image = try shadow(of: size, cornerRadius: 0, sigma: sigma, path: path)
    expectBlurred(image, size, radius, sigma)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var radius = 0.0
    var sigma: Double
    var offset = CGSize(width: 100, height: 0)
    var transform = CGAffineTransform.identity
    var scale = 1.0
    var testDescription: String {
      "radius \(radius), sigma \(sigma), offset \(offset), \(transform), scale \(scale)"
    }
  }

  static let cases = [
    Case(sigma: 0), Case(sigma: 0.4), Case(sigma: 1), Case(sigma: 1.5), Case(radius: 8, sigma: 0.7),
    Case(radius: 8, sigma: 2), Case(sigma: 2, offset: CGSize(width: 100, height: 0.5)),
    Case(radius: 8, sigma: 4), Case(radius: 8, sigma: 5), Case(sigma: 12), Case(sigma: 30),
    Case(sigma: 1, offset: CGSize(width: 100.5, height: 0.25)),
    Case(radius: 12, sigma: 3, offset: CGSize(width: 99.7, height: 3.4)),
    Case(radius: 5, sigma: 7, offset: CGSize(width: 99.7, height: 3.4)),
    Case(radius: 5, sigma: 3, scale: 2), Case(radius: 5, sigma: 6, scale: 3),
    Case(
      radius: 6, sigma: 3, offset: CGSize(width: 80, height: -60),
      transform: CGAffineTransform(rotationAngle: 0.6435)),
    Case(
      radius: 6, sigma: 3, offset: CGSize(width: 50, height: 0),
      transform: CGAffineTransform(scaleX: 2, y: 0.8)),
    Case(
      radius: 6, sigma: 4, offset: CGSize(width: 50, height: 0),
      transform: CGAffineTransform(a: 2, b: 0, c: 0.5, d: 1, tx: 0, ty: 0)),
    Case(
      radius: 6, sigma: 3, offset: CGSize(width: 100, height: -30),
      transform: CGAffineTransform(a: 1, b: 0.3, c: 0, d: 1, tx: 0, ty: 0)),
  ]

  @Test(
    "Blurring what a layer draws gives the shadow of its outline, to 2 of 255",
    arguments: cases)
  func agreement(_ one: Case) throws {
    func render(isPicture: Bool) throws -> CGImage {
      let layer = CALayer()
      layer.bounds = CGRect(x: 0, y: 0, width: 30, height: 24)
      layer.position = CGPoint(x: -70, y: 30)
      layer.setAffineTransform(one.transform)
      layer.cornerRadius = one.radius
      layer.backgroundColor = isPicture ? nil : .white
      if isPicture {
        let whole = CALayer()
        whole.frame = layer.bounds
        whole.cornerRadius = one.radius
        whole.backgroundColor = .white
        layer.addSublayer(whole)
      }
      layer.shadowOffset = one.offset
      layer.shadowRadius = one.sigma
      layer.shadowOpacity = 1
      let root = CALayer()
      root.bounds = CGRect(x: 0, y: 0, width: 60, height: 60)
      root.position = CGPoint(x: 30, y: 30)
      root.addSublayer(layer)
      let renderer = try CARenderer(size: root.bounds.size, scale: one.scale, server: .inProcess)
      renderer.layer = root
      return try renderer.image(at: 0)
    }
    let (picture, closed) = (try render(isPicture: true), try render(isPicture: false))
    try expectEqual(picture, closed, difference: 2, "picture and closed form")
    #expect(closed.pixel(x: closed.width / 2, y: closed.height / 2).alpha > 20)
  }

  @Test("From further and further outside a shadow fades away", arguments: [1, 3, 7] as [CGFloat])
  func distance(_ sigma: CGFloat) throws {
    let (root, layer, child) = (CALayer(), CALayer(), CALayer())
    root.frame = CGRect(x: 0, y: 0, width: 8, height: 20)
    root.addSublayer(layer)
    layer.bounds = CGRect(x: 0, y: 0, width: 10, height: 10)
    layer.addSublayer(child)
    layer.shadowOpacity = 1
    layer.shadowOffset = .zero
    layer.shadowRadius = sigma
    child.frame = layer.bounds
    child.backgroundColor = .white
    let renderer = try CARenderer(size: root.bounds.size, server: .inProcess)
    renderer.layer = root
    var last = UInt8.max
    for away in stride(from: 1, to: 5 * sigma + 20, by: 0.5) {
      CATransaction.begin()
      CATransaction.setDisableActions(true)
      layer.position = CGPoint(x: -5 - away, y: 10)
      CATransaction.commit()
      let alpha = try renderer.image(at: 0).pixel(x: 0, y: 10).alpha
      #expect(alpha <= last, "\(away) points away")
      last = alpha
    }
    #expect(last == 0)
  }

  @Test("Shadows of any size, from anywhere, are drawn or left out")
  func extremes() throws {
    let (root, layer, child) = (CALayer(), CALayer(), CALayer())
    root.bounds = CGRect(x: 0, y: 0, width: 20, height: 20)
    root.position = CGPoint(x: 10, y: 10)
    root.addSublayer(layer)
    layer.addSublayer(child)
    layer.shadowOpacity = 1
    child.backgroundColor = .white
    let renderer = try CARenderer(size: root.bounds.size, server: .inProcess)
    renderer.layer = root
    for sigma in [0, 1e-9, 0.3, 500, 1e7, 1e300] as [CGFloat] {
      for offset in [0, -1e3, 1e8, 1e300] as [CGFloat] {
        for side in [0, 1e-6, 30, 1e5] as [CGFloat] {
          CATransaction.begin()
          CATransaction.setDisableActions(true)
          layer.shadowRadius = sigma
          layer.shadowOffset = CGSize(width: offset, height: -offset)
          child.frame = CGRect(x: 5, y: 5, width: side, height: side)
          CATransaction.commit()
          let image = try renderer.image(at: 0)
          // The layer that casts the shadow is drawn, since nothing is in front of it.
          #expect(
            (image.pixel(x: 10, y: 10).red == 255) == (side > 1), "\(sigma) \(offset) \(side)")
        }
      }
    }
  }

  @Test("A path's shadow falls where a filtered layer draws nothing itself")
  func pathOfFilteredLayer() throws {
    func image(_ change: (CALayer) -> Void) throws -> CGImage {
      let layer = FilterStage.card(CGRect(x: 10, y: 10, width: 30, height: 30))
      layer.shadowOpacity = 0.8
      layer.shadowPath = CGPath(ellipseIn: layer.bounds, transform: nil)
      change(layer)
      return try FilterStage.image(60, 60, [layer])
    }
    let filtered = try image {
      $0.filters = [FilterStage.filter("colorInvert")]
    }
    try expectEqual(filtered, try image { _ in }, "of an empty layer")
    #expect(filtered.channels(25, 28).w > 150)
  }

  @Test("A translucent layer's shadow is as faint under a filter as without one")
  func shadowOfFilteredLayer() throws {
    func image(_ change: (CALayer) -> Void) throws -> CGImage {
      let layer = FilterStage.card(CGRect(x: -50, y: 15, width: 30, height: 30), [1, 0, 0, 0.5])
      (layer.shadowOpacity, layer.shadowOffset) = (0.8, CGSize(width: 65, height: 0))
      change(layer)
      return try FilterStage.image(60, 60, [layer])
    }
    let filtered = try image { $0.filters = [FilterStage.filter("colorInvert")] }
    try expectEqual(filtered, try image { _ in }, difference: 2, "of a red and a cyan layer")
    #expect(abs(filtered.channels(30, 30).w - 102) <= 2)
  }

  @Test(
    "A faded layer's shadow, drawn beside its group, is as that of a faded group, to 1 of 255",
    arguments: [RenderPlatform.surfaceless, .software])
  func besideGroup(_ platform: RenderPlatform) throws {
    let changes: [(String, (CALayer) -> Void)] = [
      ("plain", { _ in }),
      ("translucent", { $0.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.5) }),
      ("cut off by the frame", { $0.position = CGPoint(x: 12, y: 90) }),
      ("outside of the frame", { $0.position = CGPoint(x: -46, y: 60) }),
      ("enlarged", { $0.transform = CATransform3DMakeScale(1.3, 1.2, 1) }),
      ("turned", { $0.transform = CATransform3DMakeRotation(0.2, 0, 0, 1) }),
      (
        "with a path",
        { $0.shadowPath = CGPath(rect: CGRect(x: 5, y: 60, width: 60, height: 30), transform: nil) }
      ),
      ("upside down", { $0.isGeometryFlipped = true }),
      (
        "with a sublayer that sticks out",
        { card in
          let badge = CALayer()
          badge.frame = CGRect(x: 70, y: -12, width: 24, height: 24)
          badge.backgroundColor = .red
          badge.cornerRadius = 12
          card.addSublayer(badge)
        }
      ),
    ]
    func image(fadesItself: Bool, _ change: (CALayer) -> Void) throws -> CGImage {
      let card = CALayer()
      card.bounds = CGRect(x: 0, y: 0, width: 80, height: 60)
      card.position = CGPoint(x: 70.3, y: 60.6)
      card.backgroundColor = .blue
      card.cornerRadius = 9
      card.borderWidth = 2
      card.borderColor = .white
      card.shadowOpacity = 0.6
      card.shadowRadius = 5
      card.shadowOffset = CGSize(width: 3, height: 6)
      change(card)
      let group = CALayer()
      group.frame = CGRect(x: 0, y: 0, width: 140, height: 120)
      group.addSublayer(card)
      let root = CALayer()
      root.frame = group.frame
      root.backgroundColor = CGColor(red: 0.9, green: 0.6, blue: 0.3, alpha: 1)
      root.addSublayer(group)
      (fadesItself ? card : group).opacity = 0.7
      let renderer = try CARenderer(
        size: root.bounds.size, platform: platform, server: .inProcess)
      renderer.layer = root
      return try renderer.image(at: 0)
    }
    for (name, change) in changes {
      let (itself, asGroup) = (
        try image(fadesItself: true, change), try image(fadesItself: false, change)
      )
      #expect(itself.distance(to: asGroup) <= 1, "\(name), by \(platform)")
    }
  }
}
