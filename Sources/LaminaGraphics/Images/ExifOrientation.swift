import LaminaValues

/// The orientation of a stored image: the values of EXIF's tag 274. Each is named after the sides
/// where the stored image's first row and first column belong.
enum ExifOrientation: Int, CaseIterable {
  case topLeft = 1
  case topRight, bottomRight, bottomLeft, leftTop, rightTop, rightBottom, leftBottom

  /// Whether width and height are swapped.
  var isTransposed: Bool { rawValue >= 5 }
}

extension ExifOrientation {
  /// Reads the tag from EXIF data, which is a TIFF structure; nil if it is missing or damaged,
  /// because the image is then drawn as stored.
  init?(tiff bytes: ArraySlice<UInt8>) {
    let reader: ByteReader
    switch Array(bytes.prefix(2)) {
    case Array("II".utf8): reader = ByteReader(bytes: bytes, isLittleEndian: true)
    case Array("MM".utf8): reader = ByteReader(bytes: bytes, isLittleEndian: false)
    default: return nil
    }
    guard reader.uint16(2) == 42, let directory = reader.uint32(4),
      let count = reader.uint16(directory)
    else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + index * 12
      guard let tag = reader.uint16(entry) else { return nil }
      guard tag == 274 else { continue }
      // A short, or from some writers a long, stored in the entry itself.
      let value =
        reader.uint16(entry + 2) == 4 ? reader.uint32(entry + 8) : reader.uint16(entry + 8)
      guard let value, let orientation = ExifOrientation(rawValue: value) else { return nil }
      self = orientation
      return
    }
    return nil
  }

  /// Finds the orientation in a JPEG's segments before its first scan.
  init?(jpeg bytes: [UInt8]) {
    let signature = Array("Exif".utf8) + [0, 0]
    let segment = JPEGSegments(bytes: bytes).first {
      $0.marker == 0xe1 && $0.data.starts(with: signature)
    }
    guard let segment else { return nil }
    self.init(tiff: segment.data.dropFirst(signature.count))
  }

  /// The pixels turned upright, in a new buffer; `source` itself if they are upright already.
  func upright(_ source: PixelBuffer, name: String) throws(ImageError) -> PixelBuffer {
    if self == .topLeft { return source }
    let (width, height) = (source.layout.width, source.layout.height)
    let target = try PixelBuffer.image(
      width: isTransposed ? height : width, height: isTransposed ? width : height,
      format: source.layout.format, name: name)
    switch source.layout.format {
    case .rgba16f: move(source, to: target, as: UInt64.self)
    default: move(source, to: target, as: UInt32.self)
    }
    return target
  }

  private func move<Pixel: BitwiseCopyable>(
    _ source: PixelBuffer, to target: PixelBuffer, as: Pixel.Type
  ) {
    let (width, height) = (source.layout.width, source.layout.height)
    let (pixel, stride) = (MemoryLayout<Pixel>.stride, target.layout.stride)
    source.withUnsafeBytes { bytes in
      target.withUnsafeMutableBytes { targetBytes in
        for y in 0..<height {
          // The target of the row's first pixel, and the bytes from one pixel's target to the next
          // one's.
          let (x0, y0, step): (Int, Int, Int)
          switch self {
          case .topLeft: (x0, y0, step) = (0, y, pixel)
          case .topRight: (x0, y0, step) = (width - 1, y, -pixel)
          case .bottomRight: (x0, y0, step) = (width - 1, height - 1 - y, -pixel)
          case .bottomLeft: (x0, y0, step) = (0, height - 1 - y, pixel)
          case .leftTop: (x0, y0, step) = (y, 0, stride)
          case .rightTop: (x0, y0, step) = (height - 1 - y, 0, stride)
          case .rightBottom: (x0, y0, step) = (height - 1 - y, width - 1, -stride)
          case .leftBottom: (x0, y0, step) = (y, width - 1, -stride)
          }
          var place = y0 * stride + x0 * pixel
          let row = y * source.layout.stride
          for x in 0..<width {
            let value = bytes.load(fromByteOffset: row + x * pixel, as: Pixel.self)
            targetBytes.storeBytes(of: value, toByteOffset: place, as: Pixel.self)
            place += step
          }
        }
      }
    }
  }
}

/// Reads integers at offsets from a slice's start; nil past its end.
struct ByteReader {
  let bytes: ArraySlice<UInt8>
  let isLittleEndian: Bool

  func uint8(_ offset: Int) -> Int? {
    guard offset >= 0, offset < bytes.count else { return nil }
    return Int(bytes[bytes.startIndex + offset])
  }

  func uint16(_ offset: Int) -> Int? {
    guard let a = uint8(offset), let b = uint8(offset + 1) else { return nil }
    return isLittleEndian ? a | b << 8 : a << 8 | b
  }

  func uint32(_ offset: Int) -> Int? {
    guard let a = uint16(offset), let b = uint16(offset + 2) else { return nil }
    return isLittleEndian ? a | b << 16 : a << 16 | b
  }
}
