import Lamina

/// The images that scenes show, which are computed.
enum BenchImages {
  /// A chequered disc with soft edges, coloured by its number.
  static func sprite(_ number: Int, side: Int) throws -> CGImage {
    func channel(_ factor: Int) -> Float { 0.3 + 0.7 * Float((number * factor) % 100) / 100 }
    let (red, green, blue) = (channel(37), channel(53), channel(71))
    return try image(width: side, height: side) { x, y in
      let dx = (Float(x) + 0.5) / Float(side) * 2 - 1
      let dy = (Float(y) + 0.5) / Float(side) * 2 - 1
      let alpha = min(max((1 - (dx * dx + dy * dy).squareRoot()) * 3, 0), 1)
      let shade: Float = (x / 8 + y / 8) & 1 == 1 ? 1 : 0.7
      func byte(_ value: Float) -> UInt8 { UInt8(value * 255 + 0.5) }
      return (
        byte(blue * shade * alpha), byte(green * shade * alpha), byte(red * shade * alpha),
        byte(alpha)
      )
    }
  }

  /// A half-transparent pattern, shifted by its number.
  static func screen(_ number: Int, size: PixelSize) throws -> CGImage {
    try image(width: size.width, height: size.height) { x, y in
      func byte(_ value: Int) -> UInt8 { UInt8((value & 255) * 128 / 255) }
      return (byte((x ^ y) + number * 20), byte(y + number * 60), byte(x + number * 40), 128)
    }
  }

  /// An opaque picture with edges and gradients; that of another number is shifted.
  static func photo(_ number: Int, size: PixelSize) throws -> CGImage {
    try image(width: size.width, height: size.height) { x, y in
      let isLight = ((x + 8 * number) / 16 + y / 16) & 1 == 1
      return (
        UInt8(y * 255 / size.height), UInt8(x * 255 / size.width), isLight ? 230 : 40, 255
      )
    }
  }

  private static func image(
    width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8)
  ) throws -> CGImage {
    let buffer = try PixelBuffer(width: width, height: height, format: .bgra8, use: .store)
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let place = y * buffer.layout.stride + x * 4
          (bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]) = pixel(x, y)
        }
      }
    }
    return CGImage(buffer)
  }
}
