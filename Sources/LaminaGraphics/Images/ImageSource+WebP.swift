import CImages
import LaminaValues

extension ImageSource {
  func decodeWebP() throws(ImageError) -> PixelBuffer {
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
    let (width, height) = (Int(features.width), Int(features.height))
    try checkSize(width: width, height: height)
    let buffer = try makeBuffer(width: width, height: height)
    let stride = buffer.layout.stride
    let isRead = buffer.withUnsafeMutableBytes {
      WebPDecodeBGRAInto(
        bytes, bytes.count, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, Int32(stride))
    }
    guard isRead != nil else {
      throw error(.damaged(format: "WebP", reason: "its pixels cannot be decoded"))
    }
    if features.has_alpha != 0 { Premultiplication.premultiply(buffer) }
    return try orientation(reader).upright(buffer, name: name)
  }

  /// The orientation in the container's EXIF chunk; upright if there is none.
  private func orientation(_ reader: ByteReader) -> ExifOrientation {
    var position = 12
    while let length = reader.uint32(position + 4), length <= bytes.count - position - 8 {
      let data = bytes[position + 8..<position + 8 + length]
      if bytes[position...].starts(with: "EXIF".utf8) {
        return ExifOrientation(tiff: data) ?? .topLeft
      }
      position += 8 + length + length % 2
    }
    return .topLeft
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
