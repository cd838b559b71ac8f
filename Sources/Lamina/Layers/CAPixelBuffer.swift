import Foundation
import LaminaValues

/// A picture in memory that the render process reads where it is: one that a program draws or
/// decodes, or that another process made. Programs pass it to a `CAImageQueue`, whose layer shows
/// it.
///
/// Where the device can draw from memory, on the platform `software`, the pixels are never copied;
/// elsewhere they are uploaded once. On Apple's systems the same is a `CVPixelBuffer` over an
/// `IOSurface`.
public final class CAPixelBuffer: Sendable {
  /// How pixels lie in memory. The first row is the top one.
  public enum Format: Hashable, Sendable {
    /// Four bytes a pixel, blue first, premultiplied with the alpha, which is last.
    case bgra
    /// A plane with a byte of brightness a pixel, then, right after its last row, a plane with two
    /// bytes of colour difference, Cb first, for each square of four pixels. Rows of both have the
    /// same number of bytes. Such pixels are opaque.
    case nv12(YCbCrCoding)
  }

  /// How the pixels lie in memory.
  public let format: Format
  /// In pixels.
  public var width: Int { buffer.layout.width }
  /// In pixels.
  public var height: Int { buffer.layout.height }
  /// Bytes from one row to the next.
  public var bytesPerRow: Int { buffer.layout.stride }
  let buffer: PixelBuffer
  /// Whether a queue has the buffer or had it.
  private let isEnqueued = Lock(false)

  /// Memory for a picture, with arbitrary contents. Throws if the size is not positive, if a side
  /// has more than 65,536 pixels or all have more than 134,217,728, and if memory runs out.
  ///
  /// `CAImageQueue.nextBuffer` makes the buffers of a program that draws picture after picture.
  public convenience init(
    width: Int, height: Int, format: Format = .bgra
  ) throws(CAPixelBufferError) {
    try self.init(width: width, height: height, format, whenFree: nil)
  }

  init(
    width: Int, height: Int, _ format: Format, whenFree: (@Sendable () -> Void)?
  ) throws(CAPixelBufferError) {
    try Self.check(width: width, height: height)
    self.format = format
    do throws(SharedMemoryError) {
      buffer = try PixelBuffer(
        width: width, height: height, format: .bgra8, coding: format.coding, use: .store,
        whenFree: whenFree)
    } catch {
      throw CAPixelBufferError("no memory for \(width)x\(height) pixels: \(error)")
    }
  }

  /// A picture in memory that came from elsewhere, `offset` bytes from its start. `release` is
  /// called, on any thread, when neither this process nor the render process reads the picture any
  /// more; until then nobody may write it. Throws if the size is out of bounds, as above, if the
  /// rows are too short, or if the picture does not lie in the memory.
  public init(
    width: Int, height: Int, bytesPerRow: Int, format: Format = .bgra,
    in memory: CASharedMemory, offset: Int = 0, release: @escaping @Sendable () -> Void = {}
  ) throws(CAPixelBufferError) {
    try Self.check(width: width, height: height)
    let layout = PixelLayout(
      width: width, height: height, stride: bytesPerRow, format: .bgra8, coding: format.coding)
    guard layout.byteCount != nil, bytesPerRow <= 1 << 20 else {
      throw CAPixelBufferError("rows of \(width) pixels do not have \(bytesPerRow) bytes")
    }
    self.format = format
    do throws(SharedMemoryError) {
      buffer = try PixelBuffer(layout, in: memory.imported, at: offset, whenFree: release)
    } catch {
      throw CAPixelBufferError("\(width)x\(height) pixels at \(offset): \(error)")
    }
  }

  private static func check(width: Int, height: Int) throws(CAPixelBufferError) {
    let sides = 1...ServerLimit.side
    guard sides.contains(width), sides.contains(height),
      width * height <= BackingStore.maximumPixelCount
    else {
      throw CAPixelBufferError(
        "a picture cannot have \(width)x\(height) pixels: sides are 1 to \(ServerLimit.side), and"
          + " there are at most \(BackingStore.maximumPixelCount) in all")
    }
  }

  /// Calls `body` with the pixels, all planes of them.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try buffer.withUnsafeBytes(body)
  }

  /// Calls `body` with the pixels, all planes of them, to write them. Only one thread may do so at
  /// a time, and only until a queue has the buffer: after that it stops the program with a message,
  /// as with memory that came from elsewhere.
  public func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if buffer.isImported { programmerError("memory that came from elsewhere is not written here") }
    if isEnqueued.withLock({ $0 }) {
      programmerError("a pixel buffer is written that a queue has, of \(width)x\(height) pixels")
    }
    return try buffer.withUnsafeMutableBytes(body)
  }

  /// Notes that the pixels do not change any more.
  func noteEnqueued() { isEnqueued.withLock { $0 = true } }
}

extension CAPixelBuffer.Format {
  fileprivate var coding: YCbCrCoding? {
    switch self {
    case .bgra: nil
    case .nv12(let coding): coding
    }
  }
}

/// Memory that another process, or another part of this one, made: a file of `memfd_create`, sealed
/// against shrinking and growing (`F_SEAL_SHRINK`, `F_SEAL_GROW`), so that its pages cannot go away
/// while they are read.
public final class CASharedMemory: Sendable {
  let imported: ImportedMemory

  /// Maps the first `byteCount` bytes of a file, to read them. The descriptor stays the caller's,
  /// who may close it. Throws if the file is no such file, or is shorter.
  public init(fileDescriptor: Int32, byteCount: Int) throws(CAPixelBufferError) {
    let copy = fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      throw CAPixelBufferError("descriptor \(fileDescriptor): \(String(cString: strerror(errno)))")
    }
    do throws(SharedMemoryError) {
      imported = try ImportedMemory(
        descriptor: FileDescriptor(rawValue: copy), byteCount: byteCount)
    } catch {
      throw CAPixelBufferError("shared memory of \(byteCount) bytes refused: \(error)")
    }
  }

  /// In bytes.
  public var byteCount: Int { imported.memory.byteCount }
}

/// Why a pixel buffer cannot be had. The description says it in one line.
public struct CAPixelBufferError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension PixelBuffer {
  /// The pixels as they are drawn, in memory of their own; nil if they are not coded, or if memory
  /// runs out.
  var decoded: PixelBuffer? {
    guard let coding = layout.coding,
      let plain = try? PixelBuffer(
        width: layout.width, height: layout.height, format: .bgra8, use: .store)
    else { return nil }
    withUnsafeBytes { bytes in
      plain.withUnsafeMutableBytes { target in
        YCbCrCoding.decode(
          PixelRect(layout.size), of: bytes, layout, by: coding,
          into: target.baseAddress!.assumingMemoryBound(to: UInt32.self),
          stride: plain.layout.stride / 4)
      }
    }
    return plain
  }
}
