import LaminaGraphics

/// The straight red, green, blue and alpha of an image's pixels.
struct Picture {
  private let width: Int
  private let bytes: [UInt8]

  init(_ image: CGImage) {
    width = image.width
    bytes = image.unpremultipliedRGBA
  }

  subscript(x: Int, y: Int) -> [UInt8] {
    Array(bytes[(y * width + x) * 4..<(y * width + x) * 4 + 4])
  }
}
