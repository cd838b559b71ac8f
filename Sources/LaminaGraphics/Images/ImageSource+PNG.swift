import CImages
import Foundation
import LaminaValues

extension ImageSource {
  /// Reads a PNG's chunks, before libpng decodes it. libpng's simplified interface stops at the
  /// last row, so it would not notice that a file ends right after it.
  func readPNGHeader() throws(ImageError) -> ImageHeader {
    let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    guard bytes.count >= signature.count else { throw error(.truncated(format: "PNG")) }
    guard bytes.starts(with: signature) else {
      throw error(.damaged(format: "PNG", reason: "its signature was changed as if it were text"))
    }
    let reader = ByteReader(bytes: bytes[...], isLittleEndian: false)
    var header = ImageHeader(format: .png)
    var (position, compressedCount, hasProfile) = (signature.count, 0, false)
    // The size of the decompressed rows in bytes, at least.
    var rowByteCount = 0
    chunks: while true {
      guard let length = reader.uint32(position), let type = reader.uint32(position + 4),
        length <= bytes.count - position - 12
      else { throw error(.truncated(format: "PNG")) }
      let data = position + 8
      switch type {
      case chunkType("IHDR"): rowByteCount = readHeader(reader, at: data, into: &header)
      case chunkType("tRNS"): header.hasAlpha = true
      case chunkType("iCCP"): hasProfile = true
      case chunkType("IDAT"): compressedCount += length
      case chunkType("eXIf"):
        header.orientation = ExifOrientation(tiff: bytes[data..<data + length]) ?? .topLeft
      case chunkType("IEND"): break chunks
      default: break
      }
      position = data + length + 4
    }
    try checkSize(width: header.width, height: header.height)
    // Deflate expands data to 1032 times its size at most.
    guard rowByteCount / 1032 <= compressedCount + 64 else {
      throw error(.damaged(format: "PNG", reason: "too little data for its size"))
    }
    if hasProfile { header.profile = pngProfile() }
    return header
  }

  func decodePNG(_ header: ImageHeader) throws(ImageError) -> Decoded {
    let profile = usableProfile(header)
    return wants16Bits && header.bitsPerComponent == 16
      ? try decodePNG16(header, profile) : try decodePNG8(header, profile)
  }

  /// Reads the header chunk, and returns the size of the decompressed rows in bytes.
  private func readHeader(
    _ reader: ByteReader, at position: Int, into header: inout ImageHeader
  ) -> Int {
    header.width = reader.uint32(position) ?? 0
    header.height = reader.uint32(position + 4) ?? 0
    header.bitsPerComponent = reader.uint8(position + 8) ?? 0
    let kind = reader.uint8(position + 9) ?? 0
    header.components = kind == 0 || kind == 4 ? .gray : .rgb
    header.hasAlpha = kind == 4 || kind == 6
    header.isIndexed = kind == 3
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][kind] ?? 1
    let (bits, o1) = header.width.multipliedReportingOverflow(
      by: channels * header.bitsPerComponent)
    let (count, o2) = (bits / 8).multipliedReportingOverflow(by: header.height)
    return o1 || o2 ? .max : count
  }

  private func chunkType(_ name: StaticString) -> Int {
    name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
  }

  /// The profile as libpng unpacks it; empty if libpng refuses it.
  private func pngProfile() -> [UInt8] {
    var length = 0
    guard let profile = lamina_png_profile(bytes, bytes.count, &length) else { return [] }
    defer { free(profile) }
    return [UInt8](UnsafeBufferPointer(start: profile, count: length))
  }

  /// Reads the values as the file has them: straight BGRA8, or RGBA of 16 bits in the memory of
  /// half floats.
  private func readPNG(into buffer: PixelBuffer) throws(ImageError) {
    var message = LaminaPNGMessage()
    let layout = buffer.layout
    let depth: Int32 = layout.format == .rgba16f ? 16 : 8
    let isRead = buffer.withUnsafeMutableBytes {
      lamina_png_read(
        bytes, bytes.count, $0.baseAddress, UInt32(layout.width), UInt32(layout.height),
        layout.stride, depth, &message)
    }
    guard isRead != 0 else { throw pngError(text: message.text) }
  }

  private func decodePNG8(
    _ header: ImageHeader, _ profile: ColorProfile?
  ) throws(ImageError) -> Decoded {
    guard let profile else { return Decoded(buffer: try decodeSRGB(header)) }
    let buffer = try makeBuffer(width: header.width, height: header.height)
    try readPNG(into: buffer)
    let space = convert(buffer, from: profile)
    if header.hasAlpha { Premultiplication.premultiply(buffer) }
    return Decoded(buffer: buffer, space: space)
  }

  /// Reads a file without a profile. libpng converts a gamma that the file declares.
  private func decodeSRGB(_ header: ImageHeader) throws(ImageError) -> PixelBuffer {
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    guard png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else {
      throw pngError(image)
    }
    // libpng has to use the header that was checked.
    guard Int(image.width) == header.width, Int(image.height) == header.height else {
      throw error(.damaged(format: "PNG", reason: "it has more than one header"))
    }
    let buffer = try makeBuffer(width: header.width, height: header.height)
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

  private func decodePNG16(
    _ header: ImageHeader, _ profile: ColorProfile?
  ) throws(ImageError) -> Decoded {
    let buffer = try makeBuffer(width: header.width, height: header.height, format: .rgba16f)
    try readPNG(into: buffer)
    var space = profile?.knownSpace
    var convertRow: ((inout [Float]) -> Void)?
    if let profile, space == nil {
      convertRow = profile.rowConverter(width: header.width)
      if convertRow == nil { warnOfConversion() } else { space = .extendedSRGB }
    }
    // In place: straight integers of 16 bits become premultiplied half floats.
    let layout = buffer.layout
    var row = [Float](repeating: 0, count: layout.width * 4)
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<layout.height {
        let start = y * layout.stride
        for index in row.indices {
          let value = bytes.load(fromByteOffset: start + index * 2, as: UInt16.self)
          row[index] = Float(value) / 65_535
        }
        convertRow?(&row)
        for index in row.indices {
          let alpha = row[index | 3]
          let half = Float16(index % 4 == 3 ? alpha : row[index] * alpha)
          bytes.storeBytes(of: half, toByteOffset: start + index * 2, as: Float16.self)
        }
      }
    }
    return Decoded(buffer: buffer, space: space ?? .sRGB)
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
