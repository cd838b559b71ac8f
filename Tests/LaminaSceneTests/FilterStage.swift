import Foundation
import Lamina
import LaminaInProcess

@testable import LaminaGraphics

/// Layers of plain colours on a transparent ground, for tests of filters.
enum FilterStage {
  /// A layer that fills a rectangle with a colour: straight red, green, blue, alpha.
  static func card(_ frame: CGRect, _ color: SIMD4<Double>? = nil) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    layer.backgroundColor = color.map { CGColor(red: $0.x, green: $0.y, blue: $0.z, alpha: $0.w) }
    return layer
  }

  static func renderer(
    _ width: Int, _ height: Int, scale: CGFloat = 1, platform: RenderPlatform? = nil,
    _ layers: [CALayer]
  ) throws -> CARenderer {
    let root = card(CGRect(x: 0, y: 0, width: width, height: height))
    for layer in layers { root.addSublayer(layer) }
    let renderer = try CARenderer(
      size: root.bounds.size, scale: scale, platform: platform, server: .inProcess)
    renderer.layer = root
    return renderer
  }

  static func image(
    _ width: Int, _ height: Int, scale: CGFloat = 1, _ layers: [CALayer]
  ) throws -> CGImage {
    try renderer(width, height, scale: scale, layers).image(at: 0)
  }

  static func filter(_ type: String, _ inputs: [String: Any] = [:]) -> CAFilter {
    let filter = CAFilter(type: type)
    for (key, value) in inputs { filter.setValue(value, forKey: key) }
    return filter
  }

  static func blur(_ radius: Double) -> CAFilter {
    filter("gaussianBlur", ["inputRadius": radius])
  }

  /// An image of the pixels that `pixel` gives, premultiplied.
  static func picture(
    _ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> SIMD4<UInt8>
  ) -> CGImage {
    let size = PixelSize(width: width, height: height)
    let context = CGContext(
      data: nil, width: size.width, height: size.height, bitsPerComponent: 8, bytesPerRow: 0,
      space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue
        | CGBitmapInfo.byteOrder32Little.rawValue)!
    let bytes = context.data!.assumingMemoryBound(to: UInt8.self)
    for y in 0..<height {
      for x in 0..<width {
        let color = pixel(x, y)
        let at = y * context.bytesPerRow + x * 4
        for (place, channel) in [2, 1, 0, 3].enumerated() {
          bytes[at + place] = color[channel]
        }
      }
    }
    return context.makeImage()!
  }
}

extension CGImage {
  /// The largest difference of any channel, premultiplied, 0…255.
  func distance(to other: CGImage) -> Double {
    var worst = 0.0
    for y in 0..<height {
      for x in 0..<width {
        worst = max(worst, channels(x, y).distance(to: other.channels(x, y)))
      }
    }
    return worst
  }

  /// Red, green, blue and alpha, premultiplied, 0…255.
  func channels(_ x: Int, _ y: Int) -> SIMD4<Double> {
    let pixel = pixel(x: x, y: y)
    return SIMD4(
      Double(pixel.red), Double(pixel.green), Double(pixel.blue), Double(pixel.alpha))
  }
}

extension SIMD4<Double> {
  /// The largest of the four differences.
  func distance(to other: Self) -> Double {
    let difference = self - other
    return Swift.max(difference.max(), -difference.min())
  }

  /// Straight 0…1 as premultiplied 0…255.
  var premultiplied: Self { SIMD4(x * w, y * w, z * w, w) * 255 }
}
