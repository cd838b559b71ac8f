import Lamina

@testable import LaminaGraphics

/// A premultiplied colour.
typealias ReferenceColor = (r: Double, g: Double, b: Double, a: Double)

/// An image's pixels as the reference compositor reads them: premultiplied, 0…1.
struct ReferenceImage {
  let width: Int
  let height: Int
  private let values: [Double]

  init(_ image: CGImage) {
    (width, height) = (image.width, image.height)
    values = (0..<image.height).flatMap { y in
      (0..<image.width).flatMap { x in
        let p = image.pixel(x: x, y: y)
        return [p.red, p.green, p.blue, p.alpha].map { Double($0) / 255 }
      }
    }
  }

  /// Mixed of the four pixels around a place; beyond the image its border goes on.
  func sample(_ x: Double, _ y: Double) -> ReferenceColor {
    let (left, top) = ((x - 0.5).rounded(.down), (y - 0.5).rounded(.down))
    let (fx, fy) = (x - 0.5 - left, y - 0.5 - top)
    func mixed(_ channel: Int) -> Double {
      let upper = at(left, top, channel) * (1 - fx) + at(left + 1, top, channel) * fx
      let lower = at(left, top + 1, channel) * (1 - fx) + at(left + 1, top + 1, channel) * fx
      return upper * (1 - fy) + lower * fy
    }
    return (mixed(0), mixed(1), mixed(2), mixed(3))
  }

  private func at(_ x: Double, _ y: Double, _ channel: Int) -> Double {
    let column = Int(min(max(x, 0), Double(width - 1)))
    let row = Int(min(max(y, 0), Double(height - 1)))
    return values[(row * width + column) * 4 + channel]
  }
}
