import LaminaGraphics
import LaminaValues
import Testing

@testable import Lamina

/// The two ways of turning layers into pixels.
enum Drawer: CaseIterable {
  case context
  case renderProcess

  /// Draws a layer's own space into `width` x `height` pixels, y down; the layer's position does
  /// not matter.
  func draw(_ layer: CALayer, _ width: Int, _ height: Int) throws -> CGImage {
    switch self {
    case .context:
      let buffer = try PixelBuffer(width: width, height: height, format: .bgra8, use: .store)
      buffer.clear()
      layer.render(in: try #require(CGContext(buffer: buffer)))
      return CGImage(buffer)
    case .renderProcess:
      layer.anchorPoint = .zero
      layer.position = .zero
      let renderer = try CARenderer(
        size: CGSize(width: width, height: height), server: .process.on(.surfaceless))
      renderer.layer = layer
      return try renderer.image(at: 0)
    }
  }
}

extension CGImage {
  /// The smallest rectangle around the pixels that are not transparent, in pixels, y down.
  var ink: CGRect {
    var box = CGRect.null
    for y in 0..<height {
      for x in 0..<width where pixel(x: x, y: y).alpha > 0 {
        box = box.union(CGRect(x: x, y: y, width: 1, height: 1))
      }
    }
    return box
  }
}
