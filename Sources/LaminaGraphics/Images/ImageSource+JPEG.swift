import CImages
import LaminaValues

/// The segments of a JPEG before its first scan.
struct JPEGSegments: Sequence, IteratorProtocol {
  let bytes: [UInt8]
  private var position = 2

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> (marker: Int, data: ArraySlice<UInt8>)? {
    let reader = ByteReader(bytes: bytes[...], isLittleEndian: false)
    while reader.uint8(position) == 0xff, let marker = reader.uint8(position + 1) {
      switch marker {
      case 0xff: position += 1  // Fill.
      case 0x01, 0xd0...0xd8: position += 2  // Markers without a segment.
      case 0xd9, 0xda: return nil  // The image's end, or a scan.
      default:
        guard let length = reader.uint16(position + 2), length >= 2 else { return nil }
        let end = Swift.min(position + 2 + length, bytes.count)
        let data = bytes[Swift.min(position + 4, end)..<end]
        position += 2 + length
        return (marker, data)
      }
    }
    return nil
  }
}

extension ImageSource {
  func readJPEGHeader() throws(ImageError) -> ImageHeader {
    guard let decoder = tjInitDecompress() else { throw error(.noMemory(reason: "libjpeg-turbo")) }
    defer { tjDestroy(decoder) }
    var (width, height, subsampling, colorSpace) = (Int32(0), Int32(0), Int32(0), Int32(0))
    let isHeader = tjDecompressHeader3(
      decoder, bytes, UInt(bytes.count), &width, &height, &subsampling, &colorSpace)
    guard isHeader == 0 else { throw jpegError(decoder) }
    try checkSize(width: Int(width), height: Int(height))
    var header = ImageHeader(format: .jpeg, width: Int(width), height: Int(height))
    switch UInt32(bitPattern: colorSpace) {
    case TJCS_CMYK.rawValue, TJCS_YCCK.rawValue: header.components = .cmyk
    case TJCS_GRAY.rawValue: header.components = .gray
    default: break
    }
    header.orientation = ExifOrientation(jpeg: bytes) ?? .topLeft
    header.profile = jpegProfile()
    return header
  }

  func decodeJPEG(_ header: ImageHeader) throws(ImageError) -> Decoded {
    guard let decoder = tjInitDecompress() else { throw error(.noMemory(reason: "libjpeg-turbo")) }
    defer { tjDestroy(decoder) }
    let buffer = try makeBuffer(width: header.width, height: header.height)
    let isPrint = header.components == .cmyk
    let format = isPrint ? TJPF_CMYK : TJPF_BGRA
    // A warning means that pixels were made up: the data is damaged or ends early. Limiting the
    // scans stops small files that would take minutes.
    let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT
    let isRead = buffer.withUnsafeMutableBytes {
      tjDecompress2(
        decoder, bytes, UInt(bytes.count), $0.bindMemory(to: UInt8.self).baseAddress,
        Int32(header.width), Int32(buffer.layout.stride), Int32(header.height),
        Int32(format.rawValue), Int32(flags))
    }
    guard isRead == 0 else { throw jpegError(decoder) }
    let profile = usableProfile(header)
    guard isPrint else { return Decoded(buffer: buffer, space: convert(buffer, from: profile)) }
    if profile?.convertBytes(of: buffer) == true { return Decoded(buffer: buffer) }
    if profile != nil { warnOfConversion() }
    convertFromCMYK(buffer)
    return Decoded(buffer: buffer)
  }

  /// The profile in the file's APP2 segments, each of which holds a numbered part of it; empty if a
  /// part is missing.
  private func jpegProfile() -> [UInt8]? {
    let signature = Array("ICC_PROFILE".utf8) + [0]
    var parts: [Int: ArraySlice<UInt8>] = [:]
    var count = 0
    for segment in JPEGSegments(bytes: bytes)
    where segment.marker == 0xe2 && segment.data.starts(with: signature) {
      let part = segment.data.dropFirst(signature.count)
      guard let number = part.first, let total = part.dropFirst().first else { return [] }
      parts[Int(number)] = part.dropFirst(2)
      count = Int(total)
    }
    guard !parts.isEmpty else { return nil }
    var profile: [UInt8] = []
    for number in 1...max(count, 1) {
      guard let part = parts[number] else { return [] }
      profile += part
    }
    return profile
  }

  /// Converts CMYK to RGB in place, without a profile. The inks are as Adobe's writers store them:
  /// 255 is no ink.
  private func convertFromCMYK(_ buffer: PixelBuffer) {
    let layout = buffer.layout
    buffer.withUnsafeMutableBytes { bytes in
      for y in 0..<layout.height {
        for start in stride(
          from: y * layout.stride, to: y * layout.stride + layout.width * 4, by: 4)
        {
          let (c, m, y, k) = (
            bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3]
          )
          bytes[start] = Premultiplication.premultiplied(y, k)
          bytes[start + 1] = Premultiplication.premultiplied(m, k)
          bytes[start + 2] = Premultiplication.premultiplied(c, k)
          bytes[start + 3] = 255
        }
      }
    }
  }

  private func jpegError(_ decoder: tjhandle) -> ImageError {
    let text = String(cString: tjGetErrorStr2(decoder))
    // libjpeg's messages for data that ends early, in the header or in a scan.
    let isEarlyEnd = ["Premature end", "no image", "Could not determine"].contains {
      text.contains($0)
    }
    return error(isEarlyEnd ? .truncated(format: "JPEG") : .damaged(format: "JPEG", reason: text))
  }
}
