import CFFmpeg
import Glibc
import LaminaValues

/// A plain file's bytes, as FFmpeg reads them. It gets a descriptor rather than a path: nothing
/// else is opened, whatever a file asks for.
final class ByteSource {
  private let file: FileDescriptor
  let byteCount: Int
  private var position: Int64 = 0
  /// FFmpeg's side. Its functions hold this object without counting a reference, so it must not
  /// outlive the object.
  private(set) var context: UnsafeMutablePointer<AVIOContext>?

  private static let bufferSize = 1 << 16

  init(path: String) throws(VideoError) {
    // Without O_NONBLOCK, opening a pipe would wait for somebody who writes to it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw VideoError(name: path, problem: .unreadable(code: errno))
    }
    file = FileDescriptor(rawValue: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw VideoError(name: path, problem: .unreadable(code: errno))
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw VideoError(name: path, problem: .unreadable(code: EISDIR))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw VideoError(name: path, problem: .notAFile)
    }
    byteCount = Int(status.st_size)
    guard let buffer = lazy_av_malloc(Self.bufferSize) else {
      throw VideoError(name: path, problem: .noMemory)
    }
    context = lazy_avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
      Unmanaged.passUnretained(self).toOpaque(),
      { source, bytes, count in ByteSource.from(source).read(into: bytes, count: Int(count)) }, nil,
      { source, offset, origin in ByteSource.from(source).seek(to: offset, from: origin) })
    guard context != nil else {
      lazy_av_free(buffer)
      throw VideoError(name: path, problem: .noMemory)
    }
  }

  deinit {
    if let context { lazy_av_free(context.pointee.buffer) }
    lazy_avio_context_free(&context)
  }

  private static func from(_ source: UnsafeMutableRawPointer?) -> ByteSource {
    guard let source else { programmerError("FFmpeg lost the file that it reads") }
    return Unmanaged<ByteSource>.fromOpaque(source).takeUnretainedValue()
  }

  /// As FFmpeg wants it: the number of bytes, or an error code.
  private func read(into bytes: UnsafeMutablePointer<UInt8>?, count: Int) -> Int32 {
    guard let bytes, count > 0 else { return lamina_error_argument }
    while true {
      let result = pread(file.rawValue, bytes, count, off_t(position))
      if result < 0 && errno == EINTR { continue }
      guard result >= 0 else { return lamina_error_io }
      position += Int64(result)
      return result == 0 ? lamina_error_end : Int32(result)
    }
  }

  private func seek(to offset: Int64, from origin: Int32) -> Int64 {
    let start: Int64
    // FFmpeg adds flags that say how much it wants the seek.
    switch origin & ~Int32(AVSEEK_FORCE) {
    case AVSEEK_SIZE: return Int64(byteCount)
    case SEEK_SET: start = 0
    case SEEK_CUR: start = position
    case SEEK_END: start = Int64(byteCount)
    default: return Int64(lamina_error_argument)
    }
    let (target, overflows) = start.addingReportingOverflow(offset)
    guard !overflows, target >= 0 else { return Int64(lamina_error_argument) }
    position = target
    return target
  }
}
