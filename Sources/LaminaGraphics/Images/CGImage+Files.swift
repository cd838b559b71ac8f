import Foundation
import LaminaValues

extension CGImage {
  /// Reads a PNG, JPEG or WebP file. The file's bytes tell the format, not its name.
  ///
  /// An EXIF orientation is applied. Colours are taken as sRGB. With `wants16Bits`, a PNG of 16
  /// bits a channel becomes an image of half floats. Throws if the file cannot be read, is damaged
  /// or exceeds the limits.
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
    let bytes = try readFile(path, limit: limits.maximumByteCount)
    let source = ImageSource(name: path, bytes: bytes, limits: limits, wants16Bits: wants16Bits)
    self.init(try source.decode())
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
    self.init(try source.decode())
  }
}

/// An image file's bytes, and the options for reading them.
struct ImageSource {
  let name: String
  let bytes: [UInt8]
  let limits: ImageLimits
  let wants16Bits: Bool

  func decode() throws(ImageError) -> PixelBuffer {
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return try decodePNG() }
    if bytes.starts(with: [0xff, 0xd8, 0xff]) { return try decodeJPEG() }
    if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      return try decodeWebP()
    }
    let start = bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    throw error(.unknownFormat(start: start.joined(separator: " ")))
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

/// Reads a whole file; throws as soon as more than `limit` bytes were read.
private func readFile(_ path: String, limit: Int) throws(ImageError) -> [UInt8] {
  func failure(_ call: String, _ code: Int32) -> ImageError {
    ImageError(name: path, problem: .system(call: call, code: code))
  }
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw failure("open", errno) }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw failure("fstat", errno) }
  var bytes: [UInt8] = []
  // A regular file is read at once; others, such as pipes, report a size of 0 and are read in
  // pieces.
  var room = max(1 << 16, min(Int(status.st_size), limit) + 1)
  while true {
    var (count, code) = (0, Int32(0))
    let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, initializedCount in
      count = read(descriptor, buffer.baseAddress, room)
      code = errno
      initializedCount = max(0, count)
    }
    if count < 0 && code == EINTR { continue }
    guard count >= 0 else { throw failure("read", code) }
    guard count > 0 else { return bytes }
    if bytes.isEmpty { bytes = piece } else { bytes += piece }
    guard bytes.count <= limit else {
      throw ImageError(name: path, problem: .fileTooLarge(limit: limit))
    }
    room = 1 << 16
  }
}
