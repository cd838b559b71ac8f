import CImages
import LaminaValues

/// The facts in a PNG's chunks, read before libpng decodes it. libpng's simplified interface stops
/// at the last row, so it would not notice that a file ends right after it.
private struct PNGStructure {
  var width = 0
  var height = 0
  var bitDepth = 0
  var orientation = ExifOrientation.topLeft
  var compressedCount = 0
  /// The size of the decompressed rows in bytes, at least.
  var rowByteCount = 0
}

extension ImageSource {
  func decodePNG() throws(ImageError) -> PixelBuffer {
    let structure = try readPNGStructure()
    try checkSize(width: structure.width, height: structure.height)
    // Deflate expands data to 1032 times its size at most.
    guard structure.rowByteCount / 1032 <= structure.compressedCount + 64 else {
      throw error(.damaged(format: "PNG", reason: "too little data for its size"))
    }
    let buffer =
      wants16Bits && structure.bitDepth == 16
      ? try decodePNG16(structure) : try decodePNG8(structure)
    return try structure.orientation.upright(buffer, name: name)
  }

  private func readPNGStructure() throws(ImageError) -> PNGStructure {
    let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    guard bytes.count >= signature.count else { throw error(.truncated(format: "PNG")) }
    guard bytes.starts(with: signature) else {
      throw error(.damaged(format: "PNG", reason: "its signature was changed as if it were text"))
    }
    let reader = ByteReader(bytes: bytes[...], isLittleEndian: false)
    var structure = PNGStructure()
    var position = signature.count
    while true {
      guard let length = reader.uint32(position), let type = reader.uint32(position + 4),
        length <= bytes.count - position - 12
      else { throw error(.truncated(format: "PNG")) }
      let data = position + 8
      switch type {
      case chunkType("IHDR"): readHeader(reader, at: data, into: &structure)
      case chunkType("IDAT"): structure.compressedCount += length
      case chunkType("eXIf"):
        structure.orientation =
          ExifOrientation(tiff: bytes[data..<data + length]) ?? .topLeft
      case chunkType("IEND"): return structure
      default: break
      }
      position = data + length + 4
    }
  }

  private func readHeader(
    _ reader: ByteReader, at position: Int, into structure: inout PNGStructure
  ) {
    structure.width = reader.uint32(position) ?? 0
    structure.height = reader.uint32(position + 4) ?? 0
    structure.bitDepth = reader.uint8(position + 8) ?? 0
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][reader.uint8(position + 9) ?? 0] ?? 1
    let (bits, o1) = structure.width.multipliedReportingOverflow(
      by: channels * structure.bitDepth)
    let (count, o2) = (bits / 8).multipliedReportingOverflow(by: structure.height)
    structure.rowByteCount = o1 || o2 ? .max : count
  }

  private func chunkType(_ name: StaticString) -> Int {
    name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
  }

  private func decodePNG8(_ structure: PNGStructure) throws(ImageError) -> PixelBuffer {
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    guard png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else {
      throw pngError(image)
    }
    // libpng has to use the header that was checked.
    guard Int(image.width) == structure.width, Int(image.height) == structure.height else {
      throw error(.damaged(format: "PNG", reason: "it has more than one header"))
    }
    let buffer = try makeBuffer(width: structure.width, height: structure.height)
    let hasAlpha = image.format & png_uint_32(PNG_FORMAT_FLAG_ALPHA) != 0
    image.format = png_uint_32(
      PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_BGR)
    // Files of 16 bits without a gamma are sRGB too, not linear.
    image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
    let stride = png_int_32(buffer.layout.stride)
    let isRead = buffer.withUnsafeMutableBytes {
      png_image_finish_read(&image, nil, $0.baseAddress, stride, nil)
    }
    guard isRead != 0 else { throw pngError(image) }
    if hasAlpha { Premultiplication.premultiply(buffer) }
    return buffer
  }

  private func decodePNG16(_ structure: PNGStructure) throws(ImageError) -> PixelBuffer {
    let buffer = try makeBuffer(
      width: structure.width, height: structure.height, format: .rgba16f)
    var message = LaminaPNGMessage()
    let layout = buffer.layout
    let isRead = buffer.withUnsafeMutableBytes {
      lamina_png_read_rgba16(
        bytes, bytes.count, $0.baseAddress, UInt32(layout.width), UInt32(layout.height),
        layout.stride, &message)
    }
    guard isRead != 0 else { throw pngError(text: message.text) }
    // In place: straight integers of 16 bits become premultiplied half floats.
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<layout.height {
        for x in 0..<layout.width {
          let start = y * layout.stride + x * 8
          func value(_ channel: Int) -> Float {
            Float(bytes.load(fromByteOffset: start + channel * 2, as: UInt16.self)) / 65_535
          }
          let alpha = value(3)
          let (red, green, blue) = (value(0) * alpha, value(1) * alpha, value(2) * alpha)
          for (channel, half) in [red, green, blue, alpha].enumerated() {
            bytes.storeBytes(of: Float16(half), toByteOffset: start + channel * 2, as: Float16.self)
          }
        }
      }
    }
    return buffer
  }

  private func pngError(_ image: png_image) -> ImageError { pngError(text: image.text) }

  private func pngError(text: String) -> ImageError {
    // libpng's messages for missing rows or chunks.
    let isEarlyEnd = ["Not enough", "read beyond end", "Read Error"].contains { text.contains($0) }
    return error(isEarlyEnd ? .truncated(format: "PNG") : .damaged(format: "PNG", reason: text))
  }
}

extension png_image {
  /// libpng's error message.
  var text: String { withUnsafeBytes(of: message) { String(nullTerminated: $0) } }
}

extension LaminaPNGMessage {
  var text: String { withUnsafeBytes(of: characters) { String(nullTerminated: $0) } }
}

extension String {
  fileprivate init(nullTerminated bytes: UnsafeRawBufferPointer) {
    self.init(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
