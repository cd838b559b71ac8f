import CImages
import LaminaValues

extension ImageSource {
  func readWebPHeader() throws(ImageError) -> ImageHeader {
    let reader = ByteReader(bytes: bytes[...], isLittleEndian: true)
    // The size that the container declares; libwebp itself tolerates a few missing bytes.
    guard let byteCount = reader.uint32(4), byteCount <= bytes.count - 8 else {
      throw error(.truncated(format: "WebP"))
    }
    var features = WebPBitstreamFeatures()
    let status = WebPGetFeatures(bytes, bytes.count, &features)
    guard status == VP8_STATUS_OK else { throw webPError(status) }
    guard features.has_animation == 0 else {
      throw error(.unsupported(format: "WebP", reason: "it is an animation, not an image"))
    }
    var header = ImageHeader(
      format: .webP, width: Int(features.width), height: Int(features.height))
    try checkSize(width: header.width, height: header.height)
    header.hasAlpha = features.has_alpha != 0
    readChunks(reader, into: &header)
    return header
  }

  func decodeWebP(_ header: ImageHeader) throws(ImageError) -> Decoded {
    let buffer = try makeBuffer(width: header.width, height: header.height)
    let stride = buffer.layout.stride
    let isRead = buffer.withUnsafeMutableBytes {
      WebPDecodeBGRAInto(
        bytes, bytes.count, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, Int32(stride))
    }
    guard isRead != nil else {
      throw error(.damaged(format: "WebP", reason: "its pixels cannot be decoded"))
    }
    let space = convert(buffer, from: usableProfile(header))
    if header.hasAlpha { Premultiplication.premultiply(buffer) }
    return Decoded(buffer: buffer, space: space)
  }

  /// Reads the container's chunks of EXIF data and of a profile, the first one of each.
  private func readChunks(_ reader: ByteReader, into header: inout ImageHeader) {
    var position = 12
    var hasExif = false
    while let length = reader.uint32(position + 4), length <= bytes.count - position - 8 {
      let data = bytes[position + 8..<position + 8 + length]
      if bytes[position...].starts(with: "EXIF".utf8), !hasExif {
        header.orientation = ExifOrientation(tiff: data) ?? .topLeft
        hasExif = true
      } else if bytes[position...].starts(with: "ICCP".utf8), header.profile == nil {
        header.profile = Array(data)
      }
      position += 8 + length + length % 2
    }
  }

  private func webPError(_ status: VP8StatusCode) -> ImageError {
    switch status {
    case VP8_STATUS_NOT_ENOUGH_DATA: error(.truncated(format: "WebP"))
    case VP8_STATUS_OUT_OF_MEMORY: error(.noMemory(reason: "libwebp"))
    default:
      error(.damaged(format: "WebP", reason: "its header is wrong (libwebp: \(status.rawValue))"))
    }
  }
}
