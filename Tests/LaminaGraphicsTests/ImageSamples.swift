import CImages
import Foundation
import LaminaGraphics

/// Small image files: PNGs of kinds that the library does not write, and files that encoders make.
enum ImageSamples {
  private static func decoded(_ text: String) -> [UInt8] {
    [UInt8](Data(base64Encoded: text) ?? Data())
  }

  static let palette = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAMAAABFaP0WAAAADFBMVEX/AAAA/wAAAP/////7AGD2AAAABHRSTlP/"
      + "//+ArZIq1AAAAA5JREFUeNpjYGBkYGIGAAARAAeDymRkAAAAAElFTkSuQmCC")
  static let gray = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAQAAAABazTCJAAAADElEQVR42mNwYGgAAAFEAMEEh8/6AAAAAElFTkSu"
      + "QmCC")
  static let interlaced = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAFlEcHbAAAAG0lEQVR42mNgYGBnSAFiIyBmSGE3SmFPSWEHABMH"
      + "AoOePwtEAAAAAElFTkSuQmCC")
  static let gray16 = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAAAAACB2fwVAAAADUlEQVR42mNoYBAyAQACXQDHAJh9CQAAAABJRU5E"
      + "rkJggg==")
  static let rotated = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAGmVYSWZNTQAqAAAACAABARIAAwAAAAEABgAAAAAA"
      + "ANZnS2kAAAAPSURBVHjaY/jPwMDwnwEAB/8B/7gENeAAAAAASUVORK5CYII=")
  static let huge = decoded(
    "iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAYAAACA0nVCAAAADElEQVR42mNgoD0AAABkAAG4me+ZAAAAAElFTkSu"
      + "QmCC")
  static let lying = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAH0AAAB9ACAYAAAAG8a30AAAADElEQVR42mNgoD0AAABkAAG4me+ZAAAAAElFTkSu"
      + "QmCC")
  static let empty = decoded(
    "iVBORw0KGgoAAAANSUhEUgAAAAAAAAAFCAYAAABrRu2hAAAACElEQVR42gMAAAAAAW/dyZEAAAAASUVORK5CYII=")

  /// Straight RGBA in which every channel, alpha too, changes from pixel to pixel.
  static func gradient(width: Int, height: Int) -> [UInt8] {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let alpha: Int = 255 - x * 3 % 256
        for channel in [x * 7, y * 11, (x + y) * 5, alpha] {
          pixels.append(UInt8(channel % 256))
        }
      }
    }
    return pixels
  }

  /// A JPEG, lossless but for its transform, from opaque RGBA; with an APP1 segment that holds
  /// `exif` after its signature.
  static func jpeg(width: Int, height: Int, rgba: [UInt8], exif: [UInt8]? = nil) -> [UInt8] {
    let compressor = tjInitCompress()
    defer { tjDestroy(compressor) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    tjCompress2(
      compressor, rgba, Int32(width), 0, Int32(height), Int32(TJPF_RGBA.rawValue), &bytes, &count,
      Int32(TJSAMP_444.rawValue), 100, 0)
    defer { tjFree(bytes) }
    var file = [UInt8](UnsafeBufferPointer(start: bytes, count: Int(count)))
    if let exif {
      let payload = Array("Exif".utf8) + [0, 0] + exif
      let length = payload.count + 2
      file.insert(
        contentsOf: [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + payload, at: 2)
    }
    return file
  }

  /// EXIF data with nothing but an orientation.
  static func exif(orientation: UInt8, littleEndian: Bool) -> [UInt8] {
    let big: [UInt8] = [
      0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0,
      0,
    ]
    let little: [UInt8] = [
      0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0,
      0,
    ]
    return littleEndian ? little : big
  }

  static func webP(width: Int, height: Int, rgba: [UInt8], isLossless: Bool) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let (w, h) = (Int32(width), Int32(height))
    let count =
      isLossless
      ? WebPEncodeLosslessRGBA(rgba, w, h, w * 4, &bytes)
      : WebPEncodeRGBA(rgba, w, h, w * 4, 95, &bytes)
    defer { WebPFree(bytes) }
    return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  }
}
