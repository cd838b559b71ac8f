import LaminaGraphics

/// The pixels of an image: red, green, blue, not multiplied by alpha, and alpha.
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
