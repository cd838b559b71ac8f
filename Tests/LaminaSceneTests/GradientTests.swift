import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("Gradients, pixel by pixel")
struct GradientTests {
  static let colors: [CGColor] = [
    CGColor(red: 1, green: 0.1, blue: 0, alpha: 1),
    CGColor(red: 0, green: 0.8, blue: 0.3, alpha: 0.4),
    CGColor(red: 0.2, green: 0, blue: 1, alpha: 0.9),
  ]
  static let locations = [0.1, 0.35, 0.9]

  /// The premultiplied red, green, blue and alpha, computed from the definition.
  private func color(at location: Double) -> [Double] {
    let stops = zip(Self.locations, Self.colors).map { location, color in
      let c = color.components!.map { Double($0) }
      return (location, [c[0] * c[3], c[1] * c[3], c[2] * c[3], c[3]])
    }
    guard let next = stops.firstIndex(where: { $0.0 > location }) else { return stops.last!.1 }
    guard next > 0 else { return stops[0].1 }
    let ((a, from), (b, to)) = (stops[next - 1], stops[next])
    let t = (location - a) / (b - a)
    return zip(from, to).map { $0 + ($1 - $0) * t }
  }

  private func expect(
    _ type: CAGradientLayerType, from start: CGPoint, to end: CGPoint,
    sourceLocation: SourceLocation = #_sourceLocation, _ location: (CGPoint) -> Double
  ) throws {
    let layer = CAGradientLayer()
    layer.frame = CGRect(x: 0, y: 0, width: 90, height: 50)
    layer.colors = Self.colors
    layer.locations = Self.locations.map { NSNumber(value: $0) }
    layer.type = type
    (layer.startPoint, layer.endPoint) = (start, end)
    for scale in [1, 2] {
      let renderer = try CARenderer(
        size: layer.bounds.size, scale: CGFloat(scale), server: .inProcess)
      renderer.layer = layer
      let image = try renderer.image(at: 0)
      var worst = 0.0
      for y in 0..<50 * scale {
        for x in 0..<90 * scale {
          let point = CGPoint(
            x: (CGFloat(x) + 0.5) / CGFloat(90 * scale), y: (CGFloat(y) + 0.5) / CGFloat(50 * scale)
          )
          let expected = color(at: location(point))
          let pixel = image.pixel(x: x, y: y)
          for (found, wanted) in zip([pixel.red, pixel.green, pixel.blue, pixel.alpha], expected) {
            worst = max(worst, abs(Double(found) - wanted * 255))
          }
        }
      }
      #expect(worst <= 1.6, "off by \(worst) of 255", sourceLocation: sourceLocation)
    }
  }

  @Test("An axial gradient is drawn in the unit square, which is stretched")
  func axial() throws {
    try expect(.axial, from: CGPoint(x: 0.5, y: 0), to: CGPoint(x: 0.5, y: 1)) { Double($0.y) }
    try expect(.axial, from: CGPoint(x: 0, y: 0), to: CGPoint(x: 1, y: 1)) {
      Double($0.x + $0.y) / 2
    }
    try expect(.axial, from: CGPoint(x: 0.75, y: 0.5), to: CGPoint(x: 0.25, y: 0.25)) {
      Double((0.75 - $0.x) * 0.5 + (0.5 - $0.y) * 0.25) / 0.3125
    }
  }

  @Test("A radial gradient reaches the end point's distance along each axis")
  func radial() throws {
    try expect(.radial, from: CGPoint(x: 0.4, y: 0.5), to: CGPoint(x: 1, y: 0.1)) {
      Double(hypot(($0.x - 0.4) / 0.6, ($0.y - 0.5) / 0.4))
    }
  }

  @Test("A conic gradient turns from the end point's direction, from x towards y")
  func conic() throws {
    try expect(.conic, from: CGPoint(x: 0.4, y: 0.5), to: CGPoint(x: 0.9, y: 0.97)) {
      let turns = Double(atan2($0.y - 0.5, $0.x - 0.4) - atan2(0.47, 0.5)) / (2 * .pi)
      return turns < 0 ? turns + 1 : turns
    }
  }
}
