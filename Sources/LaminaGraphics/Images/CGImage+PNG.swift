import CImages
import Foundation
import LaminaValues

extension CGImage {
  /// The image as a PNG: straight RGBA in sRGB and tagged so, 16 bits a channel for half floats and
  /// 8 otherwise. The same pixels give the same bytes.
  public func pngData() throws(ImageError) -> Data {
    try pngData(named: "PNG")
  }

  /// Writes the image as a PNG to `url`, replacing any file there.
  public func writePNG(to url: URL) throws(ImageError) {
    guard url.isFileURL else {
      throw ImageError(name: url.absoluteString, problem: .notAFile)
    }
    try writePNG(toFile: url.path)
  }

  /// Writes the image as a PNG to `path`, replacing any file there.
  public func writePNG(toFile path: String) throws(ImageError) {
    let data = try pngData(named: path)
    do throws(FileError) {
      try writeFile(path, data)
    } catch {
      guard case .system(let code) = error else { return }
      throw ImageError(name: path, problem: .unwritable(code: code))
    }
  }

  private func pngData(named name: String) throws(ImageError) -> Data {
    let image = inSRGB
    return buffer.layout.format == .rgba16f
      ? try image.pngData16(name) : try image.pngData8(name)
  }

  private func pngData8(_ name: String) throws(ImageError) -> Data {
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    image.width = png_uint_32(width)
    image.height = png_uint_32(height)
    image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
    defer { png_image_free(&image) }
    let pixels = unpremultipliedRGBA
    // Room for what deflate adds to rows that it cannot shrink, and for the chunks around them.
    var count = pixels.count + height + pixels.count / 1000 + (1 << 12)
    var data = Data(count: count)
    let isWritten = data.withUnsafeMutableBytes { bytes in
      png_image_write_to_memory(&image, bytes.baseAddress, &count, 0, pixels, 0, nil)
    }
    guard isWritten != 0 else {
      throw ImageError(name: name, problem: .damaged(format: "PNG", reason: image.text))
    }
    return data.prefix(count)
  }

  private func pngData16(_ name: String) throws(ImageError) -> Data {
    var (count, message) = (0, LaminaPNGMessage())
    let bytes = lamina_png_write_rgba16(
      unpremultipliedRGBA16, UInt32(width), UInt32(height), &count, &message)
    guard let bytes else {
      throw ImageError(name: name, problem: .damaged(format: "PNG", reason: message.text))
    }
    return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
  }
}
