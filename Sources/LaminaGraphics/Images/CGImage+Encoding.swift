import CImages
import Foundation
import LaminaValues

extension CGImage {
  /// The image as a file in sRGB. `quality`, 0…1, is for JPEG and WebP, and 1 stands for a WebP
  /// without loss. `background` shows through the alpha in a JPEG.
  func data(
    as format: ImageFormat, quality: Double, background: CGColor
  ) throws(ImageError) -> Data {
    switch format {
    case .png: try pngData()
    case .jpeg: try jpegData(quality: quality, background: background)
    case .webP: try webPData(quality: quality)
    }
  }

  private func jpegData(quality: Double, background: CGColor) throws(ImageError) -> Data {
    guard let encoder = tjInitCompress() else {
      throw ImageError(name: "JPEG", problem: .noMemory(reason: "libjpeg-turbo"))
    }
    defer { tjDestroy(encoder) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(bytes) }
    let pixels = inSRGB.unpremultipliedRGBA.overlaid(on: background)
    let sampling = quality < 0.9 ? TJSAMP_420 : TJSAMP_444
    let status = tjCompress2(
      encoder, pixels, Int32(width), 0, Int32(height), Int32(TJPF_RGBX.rawValue), &bytes, &count,
      Int32(sampling.rawValue), Int32(max(1, (quality * 100).rounded())), TJFLAG_ACCURATEDCT)
    guard status == 0, let bytes else {
      throw ImageError(
        name: "JPEG",
        problem: .damaged(format: "JPEG", reason: String(cString: tjGetErrorStr2(encoder))))
    }
    return Data(bytes: bytes, count: Int(count))
  }

  private func webPData(quality: Double) throws(ImageError) -> Data {
    var bytes: UnsafeMutablePointer<UInt8>?
    let (pixels, w, h) = (inSRGB.unpremultipliedRGBA, Int32(width), Int32(height))
    let count =
      quality < 1
      ? WebPEncodeRGBA(pixels, w, h, w * 4, Float(quality * 100), &bytes)
      : WebPEncodeLosslessRGBA(pixels, w, h, w * 4, &bytes)
    defer { WebPFree(bytes) }
    guard count > 0, let bytes else {
      let reason = "libwebp cannot write \(width)x\(height) pixels"
      throw ImageError(name: "WebP", problem: .unsupported(format: "WebP", reason: reason))
    }
    return Data(bytes: bytes, count: count)
  }
}

extension [UInt8] {
  /// Straight RGBA pixels over a colour.
  fileprivate func overlaid(on color: CGColor) -> [UInt8] {
    let (red, green, blue, _) = color.components(in: CGColorSpace(.sRGB))
    let below = [red, green, blue].map { Int(($0 * 255).rounded()) }
    var pixels = self
    for start in stride(from: 0, to: count, by: 4) where self[start + 3] != 255 {
      let alpha = Int(self[start + 3])
      for channel in 0..<3 {
        let sum = Int(self[start + channel]) * alpha + below[channel] * (255 - alpha)
        pixels[start + channel] = UInt8((sum + 127) / 255)
      }
    }
    return pixels
  }
}
