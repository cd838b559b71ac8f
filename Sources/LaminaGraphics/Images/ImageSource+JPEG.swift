import CImages
import LaminaValues

extension ImageSource {
  func decodeJPEG() throws(ImageError) -> PixelBuffer {
    guard let decoder = tjInitDecompress() else { throw error(.noMemory(reason: "libjpeg-turbo")) }
    defer { tjDestroy(decoder) }
    var (width, height, subsampling, colorSpace) = (Int32(0), Int32(0), Int32(0), Int32(0))
    let isHeader = tjDecompressHeader3(
      decoder, bytes, UInt(bytes.count), &width, &height, &subsampling, &colorSpace)
    guard isHeader == 0 else { throw jpegError(decoder) }
    try checkSize(width: Int(width), height: Int(height))
    let buffer = try makeBuffer(width: Int(width), height: Int(height))
    let isPrint = colorSpace == TJCS_CMYK.rawValue || colorSpace == TJCS_YCCK.rawValue
    let format = isPrint ? TJPF_CMYK : TJPF_BGRA
    // A warning means that pixels were made up: the data is damaged or ends early. Limiting the
    // scans stops small files that would take minutes.
    let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT
    let isRead = buffer.withUnsafeMutableBytes {
      tjDecompress2(
        decoder, bytes, UInt(bytes.count), $0.bindMemory(to: UInt8.self).baseAddress, width,
        Int32(buffer.layout.stride), height, Int32(format.rawValue), Int32(flags))
    }
    guard isRead == 0 else { throw jpegError(decoder) }
    if isPrint { convertFromCMYK(buffer) }
    return try (ExifOrientation(jpeg: bytes) ?? .topLeft).upright(buffer, name: name)
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
