import Foundation
import LaminaValues

extension CGImage {
  /// Reads a PNG, JPEG or WebP file. The file's bytes tell the format, not its name.
  ///
  /// An EXIF orientation is applied. Pixels of a file with an ICC profile of Display P3 stay in
  /// that space; those with another profile are converted to sRGB, or to extended sRGB if the image
  /// has half floats; others count as sRGB, as do those whose profile is damaged, with a warning.
  /// With `wants16Bits`, a PNG of 16 bits a channel becomes an image of half floats. Throws if the
  /// file cannot be read, is damaged or exceeds the limits.
  public convenience init(
    contentsOf url: URL, limits: ImageLimits = ImageLimits(), wants16Bits: Bool = false
  ) throws(ImageError) {
    guard url.isFileURL else {
      throw ImageError(name: url.absoluteString, problem: .notAFile)
    }
    try self.init(contentsOfFile: url.path, limits: limits, wants16Bits: wants16Bits)
  }

  /// Reads the PNG, JPEG or WebP file at `path`, as `init(contentsOf:)` does.
  public convenience init(
    contentsOfFile path: String, limits: ImageLimits = ImageLimits(), wants16Bits: Bool = false
  ) throws(ImageError) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(path, limit: limits.maximumByteCount)
    } catch {
      throw ImageError(name: path, problem: .unreadable(error))
    }
    let source = ImageSource(name: path, bytes: bytes, limits: limits, wants16Bits: wants16Bits)
    let image = try source.decode()
    self.init(image.buffer, colorSpace: CGColorSpace(image.space))
  }

  /// Reads a PNG, JPEG or WebP file from memory. Errors call it `name`.
  public convenience init(
    data: Data, named name: String, limits: ImageLimits = ImageLimits(), wants16Bits: Bool = false
  ) throws(ImageError) {
    guard data.count <= limits.maximumByteCount else {
      throw ImageError(name: name, problem: .fileTooLarge(limit: limits.maximumByteCount))
    }
    let source = ImageSource(
      name: name, bytes: [UInt8](data), limits: limits, wants16Bits: wants16Bits)
    let image = try source.decode()
    self.init(image.buffer, colorSpace: CGColorSpace(image.space))
  }
}

/// An image file's bytes, and the options for reading them.
struct ImageSource {
  let name: String
  let bytes: [UInt8]
  let limits: ImageLimits
  var wants16Bits = false
  /// Whether the pixels are left as stored, whatever the file's orientation.
  var keepsOrientation = false

  /// Pixels that were read and the space that their colours are in.
  struct Decoded {
    var buffer: PixelBuffer
    var space = CGColorSpace.Kind.sRGB
  }

  /// The file's format; nil if it is none of these.
  var format: ImageFormat? {
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return .png }
    if bytes.starts(with: [0xff, 0xd8, 0xff]) { return .jpeg }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      return .webP
    }
    return nil
  }

  /// What the file says of its pixels. The size is within the limits.
  func readHeader() throws(ImageError) -> ImageHeader {
    switch format {
    case .png: return try readPNGHeader()
    case .jpeg: return try readJPEGHeader()
    case .webP: return try readWebPHeader()
    case nil:
      let start = bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      throw error(.unknownFormat(start: start.joined(separator: " ")))
    }
  }

  /// The pixels, upright and in the space that the result names.
  func decode() throws(ImageError) -> Decoded {
    let header = try readHeader()
    var decoded =
      switch header.format {
      case .png: try decodePNG(header)
      case .jpeg: try decodeJPEG(header)
      case .webP: try decodeWebP(header)
      }
    if !keepsOrientation {
      decoded.buffer = try header.orientation.upright(decoded.buffer, name: name)
    }
    return decoded
  }

  /// The profile that the pixels are converted from; nil if there is none or it cannot be used,
  /// about which there is a warning.
  func usableProfile(_ header: ImageHeader) -> ColorProfile? {
    guard let bytes = header.profile else { return nil }
    guard let profile = ColorProfile(bytes) else {
      warn("\(name): its colour profile is damaged or unknown, and its colours are taken as sRGB")
      return nil
    }
    // Gray pixels may have a profile of colours, of which they use the grays.
    let matches =
      profile.components == header.components
      || (profile.components == .rgb && header.components == .gray)
    guard matches else {
      warn(
        "\(name): its colour profile is for \(profile.components) and its pixels are "
          + "\(header.components); its colours are taken as sRGB")
      return nil
    }
    return profile
  }

  /// Brings straight BGRA8 pixels from the space of `profile` to the one that is returned.
  func convert(_ buffer: PixelBuffer, from profile: ColorProfile?) -> CGColorSpace.Kind {
    guard let profile else { return .sRGB }
    if let known = profile.knownSpace { return known }
    if !profile.convertBytes(of: buffer) { warnOfConversion() }
    return .sRGB
  }

  func warnOfConversion() {
    warn("\(name): its colour profile cannot be used, and its colours are taken as sRGB")
  }

  func error(_ problem: ImageError.Problem) -> ImageError {
    ImageError(name: name, problem: problem)
  }

  /// Throws if a size is empty or exceeds the limits. Called before memory is allocated for it.
  func checkSize(width: Int, height: Int) throws(ImageError) {
    guard width > 0, height > 0 else { throw error(.emptySize(width: width, height: height)) }
    let (count, overflows) = width.multipliedReportingOverflow(by: height)
    guard width <= limits.maximumSide, height <= limits.maximumSide, !overflows,
      count <= limits.maximumPixelCount
    else { throw error(.tooManyPixels(width: width, height: height, limits: limits)) }
  }

  func makeBuffer(
    width: Int, height: Int, format: PixelFormat = .bgra8
  ) throws(ImageError) -> PixelBuffer {
    try PixelBuffer.image(width: width, height: height, format: format, name: name)
  }
}
