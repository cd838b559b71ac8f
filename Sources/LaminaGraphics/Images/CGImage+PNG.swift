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
    let (width, height) = (UInt32(width), UInt32(height))
    var (count, message) = (0, LaminaPNGMessage())
    let bytes =
      buffer.layout.format == .rgba16f
      ? lamina_png_write_rgba(image.unpremultipliedRGBA16, width, height, 16, &count, &message)
      : lamina_png_write_rgba(image.unpremultipliedRGBA, width, height, 8, &count, &message)
    guard let bytes else {
      throw ImageError(name: name, problem: .damaged(format: "PNG", reason: message.text))
    }
    return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
  }
}
