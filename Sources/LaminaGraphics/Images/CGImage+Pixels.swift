import LaminaValues

/// Conversion between straight and premultiplied bytes. Both directions round to nearest, and
/// premultiplying a value again gives the byte that it was unpremultiplied from.
package enum Premultiplication {
  package static func premultiplied(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
    UInt8((UInt32(value) * UInt32(alpha) + 127) / 255)
  }

  /// 0 if alpha is 0; at most 255, since a value above its alpha is no valid colour.
  package static func straight(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
    guard alpha > 0 else { return 0 }
    return UInt8(min(255, (UInt32(value) * 255 + UInt32(alpha) / 2) / UInt32(alpha)))
  }

  /// Premultiplies straight BGRA8 or RGBA8 in place.
  static func premultiply(_ buffer: PixelBuffer) {
    buffer.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      premultiply(start, buffer.size, stride: buffer.layout.stride)
    }
  }

  /// The same for rows of a picture that begin `stride` bytes apart.
  package static func premultiply(
    _ start: UnsafeMutableRawPointer, _ size: PixelSize, stride: Int
  ) {
    for y in 0..<size.height {
      var pixel = (start + y * stride).assumingMemoryBound(to: UInt8.self)
      for _ in 0..<size.width {
        let alpha = pixel[3]
        if alpha != 255 {
          pixel[0] = premultiplied(pixel[0], alpha)
          pixel[1] = premultiplied(pixel[1], alpha)
          pixel[2] = premultiplied(pixel[2], alpha)
        }
        pixel += 4
      }
    }
  }
}

extension CGImage {
  /// An image of straight RGBA8 rows without padding, `width * height * 4` bytes.
  package convenience init(
    width: Int, height: Int, unpremultipliedRGBA pixels: [UInt8]
  ) throws(ImageError) {
    let buffer = try PixelBuffer.image(
      width: width, height: height, format: .bgra8, name: "pixels")
    guard pixels.count == width * height * 4 else {
      throw ImageError(
        name: "pixels",
        problem: .damaged(
          format: "RGBA", reason: "\(pixels.count) bytes for \(width)x\(height) pixels"))
    }
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let (from, to) = ((y * width + x) * 4, y * buffer.layout.stride + x * 4)
          (bytes[to], bytes[to + 1], bytes[to + 2], bytes[to + 3]) =
            (pixels[from + 2], pixels[from + 1], pixels[from], pixels[from + 3])
        }
      }
    }
    Premultiplication.premultiply(buffer)
    self.init(buffer)
  }

  /// The premultiplied bytes at a pixel, rounded if the image holds half floats.
  package func pixel(
    x: Int, y: Int
  ) -> (blue: UInt8, green: UInt8, red: UInt8, alpha: UInt8) {
    guard x >= 0, x < width, y >= 0, y < height else {
      programmerError("(\(x), \(y)) is not in the image of \(width)x\(height) pixels")
    }
    let layout = buffer.layout
    return buffer.withUnsafeBytes { bytes in
      let start = y * layout.stride + x * layout.format.bytesPerPixel
      guard layout.format == .rgba16f else {
        return (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
      }
      func byte(_ channel: Int) -> UInt8 {
        UInt8(clampedUnit(bytes.load(fromByteOffset: start + channel * 2, as: Float16.self), 255))
      }
      return (byte(2), byte(1), byte(0), byte(3))
    }
  }

  /// Straight RGBA8 rows without padding, from the top; transparent pixels are 0 0 0 0.
  package var unpremultipliedRGBA: [UInt8] {
    let layout = buffer.layout
    if layout.format == .rgba16f {
      return unpremultipliedRGBA16.map { UInt8((UInt32($0) + 128) / 257) }
    }
    let count = layout.width * layout.height * 4
    return [UInt8](unsafeUninitializedCapacity: count) { pixels, initializedCount in
      buffer.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress, var target = pixels.baseAddress else { return }
        for y in 0..<layout.height {
          var source = (base + y * layout.stride).assumingMemoryBound(to: UInt8.self)
          for _ in 0..<layout.width {
            let alpha = source[3]
            if alpha == 255 {
              (target[0], target[1], target[2]) = (source[2], source[1], source[0])
            } else {
              target[0] = Premultiplication.straight(source[2], alpha)
              target[1] = Premultiplication.straight(source[1], alpha)
              target[2] = Premultiplication.straight(source[0], alpha)
            }
            target[3] = alpha
            source += 4
            target += 4
          }
        }
      }
      initializedCount = count
    }
  }

  /// Straight RGBA rows, 16 bits a channel, of an image of half floats; clamped to 0…1.
  var unpremultipliedRGBA16: [UInt16] {
    let layout = buffer.layout
    var pixels: [UInt16] = []
    pixels.reserveCapacity(layout.width * layout.height * 4)
    buffer.withUnsafeBytes { bytes in
      for y in 0..<layout.height {
        for x in 0..<layout.width {
          let start = y * layout.stride + x * 8
          func half(_ channel: Int) -> Float {
            Float(bytes.load(fromByteOffset: start + channel * 2, as: Float16.self))
          }
          let alpha = min(max(half(3), 0), 1)
          for channel in 0..<3 {
            pixels.append(alpha > 0 ? UInt16(clampedUnit(half(channel) / alpha, 65_535)) : 0)
          }
          pixels.append(UInt16(clampedUnit(alpha, 65_535)))
        }
      }
    }
    return pixels
  }
}

/// `value`, clamped to 0…1, on a scale of 0…`scale`, rounded; 0 if it is not a number.
private func clampedUnit(_ value: some BinaryFloatingPoint, _ scale: Float) -> Float {
  let value = Float(value)
  return value > 0 ? (min(value, 1) * scale).rounded() : 0
}

extension PixelBuffer {
  /// A buffer for an image's pixels.
  static func image(
    width: Int, height: Int, format: PixelFormat, name: String
  ) throws(ImageError) -> PixelBuffer {
    do {
      return try PixelBuffer(width: width, height: height, format: format, use: .store)
    } catch {
      throw ImageError(name: name, problem: .noMemory(reason: error.description))
    }
  }
}
