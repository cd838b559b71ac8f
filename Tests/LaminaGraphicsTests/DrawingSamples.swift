import Foundation
import LaminaGraphics
import LaminaValues
import Testing

/// A premultiplied pixel.
struct Pixel: Hashable, CustomStringConvertible {
  var red: UInt8
  var green: UInt8
  var blue: UInt8
  var alpha: UInt8

  static let clear = Pixel(0, 0, 0, 0)
  static let black = Pixel(0, 0, 0, 255)
  static let white = Pixel(255, 255, 255, 255)
  static let red = Pixel(255, 0, 0, 255)
  static let green = Pixel(0, 255, 0, 255)
  static let blue = Pixel(0, 0, 255, 255)

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  var description: String { "\(red) \(green) \(blue) \(alpha)" }

  func isNear(_ other: Pixel, within tolerance: Int = 1) -> Bool {
    func near(_ a: UInt8, _ b: UInt8) -> Bool { abs(Int(a) - Int(b)) <= tolerance }
    return near(red, other.red) && near(green, other.green) && near(blue, other.blue)
      && near(alpha, other.alpha)
  }
}

/// A picture in letters, one for each pixel, rows from the top: the initial of a colour, "K" for
/// black, "." for a clear pixel and "?" for any other.
func picture(of image: CGImage) -> [String] {
  (0..<image.height).map { y in
    String(
      (0..<image.width).map { x -> Character in
        switch pixel(of: image, x, y) {
        case .clear: "."
        case .black: "K"
        case .white: "W"
        case .red: "R"
        case .green: "G"
        case .blue: "B"
        default: "?"
        }
      })
  }
}

func pixel(of image: CGImage, _ x: Int, _ y: Int) -> Pixel {
  let (blue, green, red, alpha) = image.pixel(x: x, y: y)
  return Pixel(red, green, blue, alpha)
}

let bgra =
  CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue

/// An image of what `draw` draws on a bitmap with y up. What it draws is recorded too, and must
/// give the same pixels.
func drawing(
  _ width: Int, _ height: Int, info: UInt32 = bgra,
  space: CGColorSpace = CGColorSpaceCreateDeviceRGB(), _ draw: (CGContext) -> Void
) throws -> CGImage {
  func context() throws -> CGContext {
    let context = CGContext(
      data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0, space: space,
      bitmapInfo: info)
    return try #require(context)
  }
  let (direct, recorded) = (try context(), try context())
  draw(direct)
  recorded.record { draw(recorded) }
  recorded.playBack()
  let (image, played) = (try #require(direct.makeImage()), try #require(recorded.makeImage()))
  #expect(try image.difference(from: played).differingPixelCount == 0)
  return image
}

extension CGContext {
  func fill(_ color: CGColor, _ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) {
    setFillColor(color)
    fill(CGRect(x: x, y: y, width: width, height: height))
  }
}
