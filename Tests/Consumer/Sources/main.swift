// Renders a layer tree with the render process, and checks the pixels. The exit status is 0 if they
// are right.

import Lamina

/// The premultiplied red, green, blue and alpha of an image's pixels.
struct Pixels {
  private let bytes: [UInt8]
  private let width: Int

  init?(_ image: CGImage) {
    width = image.width
    var bytes = [UInt8](repeating: 0, count: image.width * image.height * 4)
    let isDrawn = bytes.withUnsafeMutableBytes { memory in
      let context = CGContext(
        data: memory.baseAddress, width: image.width, height: image.height, bitsPerComponent: 8,
        bytesPerRow: image.width * 4, space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
      context?.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
      return context != nil
    }
    guard isDrawn else { return nil }
    self.bytes = bytes
  }

  subscript(x: Int, y: Int) -> [UInt8] {
    let start = (y * width + x) * 4
    return Array(bytes[start..<start + 4])
  }
}

let gauge = GaugeLayer()
gauge.frame = CGRect(x: 10, y: 10, width: 80, height: 20)
gauge.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
gauge.level = 0.5

let slide = CABasicAnimation(keyPath: "position.y")
slide.byValue = 40
slide.duration = 1
gauge.add(slide, forKey: "slide")

let root = CALayer()
root.frame = CGRect(x: 0, y: 0, width: 100, height: 80)
root.addSublayer(gauge)

var failures = 0

@MainActor
func expect(_ color: [UInt8], at point: (x: Int, y: Int), of pixels: Pixels, _ what: String) {
  let found = pixels[point.x, point.y]
  if found == color { return }
  print("consumer: \(what) at (\(point.x), \(point.y)) is \(found), not \(color)")
  failures += 1
}

do {
  let renderer = try CARenderer(size: CGSize(width: 100, height: 80))
  renderer.layer = root
  for (time, y) in [(0.0, 20), (0.5, 40)] {
    guard let pixels = Pixels(try renderer.image(at: time)) else {
      print("consumer: no bitmap context")
      exit(1)
    }
    expect([0, 255, 0, 255], at: (30, y), of: pixels, "the filled part")
    expect([255, 0, 0, 255], at: (52, y), of: pixels, "the needle")
    expect([0, 0, 255, 255], at: (70, y), of: pixels, "the background")
    expect([0, 0, 0, 0], at: (30, y < 30 ? 60 : 15), of: pixels, "what the gauge has left")
  }
} catch {
  print("consumer: \(error)")
  exit(1)
}
if failures == 0 { print("consumer: all pixels are right") }
exit(failures == 0 ? 0 : 1)
