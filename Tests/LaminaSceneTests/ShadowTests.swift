import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("Shadows of rectangles")
struct ShadowTests {
  /// The shadow alone: it falls 100 points to the right of what casts it, out of which the frame is
  /// cut.
  private func shadow(
    of size: CGSize, cornerRadius: CGFloat, sigma: CGFloat, path: CGPath? = nil
  ) throws -> CGImage {
    let layer = CALayer()
    layer.bounds = CGRect(origin: .zero, size: size)
    layer.position = CGPoint(x: -70, y: 30)
    layer.backgroundColor = path == nil ? .white : nil
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
    // Between the two samples that lie around a pixel's centre.
    return (0..<frame * frame).map { i in
      let at = (i / frame * samples + 1) * side + i % frame * samples + 1
      return (blurred[at] + blurred[at + 1] + blurred[at + side] + blurred[at + side + 1]) / 4
    }
  }

  @Test(
    "A rectangle's shadow is its Gaussian blur, to 2 of 255",
    arguments: [(0.0, 3.0), (6, 3), (12, 2), (12, 6)])
  func gaussian(_ radius: Double, _ sigma: Double) throws {
    let size = CGSize(width: 30, height: 24)
    let image = try shadow(of: size, cornerRadius: radius, sigma: sigma)
    let expected = blurred(size, radius, sigma)
    var worst = 0.0
    for y in 0..<60 {
      for x in 0..<60 {
        let alpha = Double(image.pixel(x: x, y: y).alpha)
        worst = max(worst, abs(alpha - expected[y * 60 + x] * 255))
      }
    }
    #expect(worst <= 2, "off by \(worst) of 255")
  }

  @Test("A shadow path that is a rectangle casts the shadow that a layer of its size does")
  func path() throws {
    let size = CGSize(width: 30, height: 24)
    let rectangle = CGPath(rect: CGRect(origin: .zero, size: size), transform: nil)
    try expectEqual(
      try shadow(of: size, cornerRadius: 0, sigma: 3, path: rectangle),
      try shadow(of: size, cornerRadius: 0, sigma: 3), "path and background")
  }
}
