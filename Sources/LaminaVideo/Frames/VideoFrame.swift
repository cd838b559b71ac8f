import CFFmpeg
import LaminaValues

/// A decoded frame, as the decoder gave it. It may be used from any thread, and holds its memory
/// for as long as there is a reference.
package final class VideoFrame: Sendable {
  /// What is shown where a file is damaged.
  package enum Condition: Sendable {
    /// All of the frame was decoded.
    case whole
    /// The decoder found errors in the frame and made up what was missing.
    case damaged
    /// The frame that is due cannot be decoded; this is the one before it.
    case inPlaceOfAnother
  }

  package let width: Int
  package let height: Int
  package var size: PixelSize { PixelSize(width: width, height: height) }
  /// FFmpeg's name of the pixels' format, such as yuv420p.
  package let pixelFormat: String
  package let color: VideoColor
  /// Whether the pixels have an alpha channel, which may still be opaque everywhere.
  package let hasAlpha: Bool
  package let condition: Condition
  /// The number of bytes that the frame takes.
  package let byteCount: Int
  let format: AVPixelFormat
  let storage: FrameStorage

  /// nil if the decoder gave no pixels in memory.
  convenience init?(_ storage: FrameStorage) {
    let frame = storage.pointer.pointee
    let hasErrors = frame.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.decode_error_flags != 0
    self.init(storage, condition: hasErrors ? .damaged : .whole)
  }

  private init?(_ storage: FrameStorage, condition: Condition) {
    let frame = storage.pointer.pointee
    format = AVPixelFormat(rawValue: frame.format)
    guard frame.width > 0, frame.height > 0, let description = lazy_av_pix_fmt_desc_get(format),
      description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0, frame.data.0 != nil
    else { return nil }
    let byteCount = lazy_av_image_get_buffer_size(format, frame.width, frame.height, 64)
    guard byteCount > 0 else { return nil }
    (width, height) = (Int(frame.width), Int(frame.height))
    self.byteCount = Int(byteCount)
    pixelFormat = String(cString: description.pointee.name)
    hasAlpha = description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
    color = VideoColor(
      matrix: frame.colorspace, range: frame.color_range, width: width, height: height,
      format: format)
    self.condition = condition
    self.storage = storage
  }

  private init(inPlaceOfAnother frame: VideoFrame) {
    (width, height, byteCount) = (frame.width, frame.height, frame.byteCount)
    (pixelFormat, format, hasAlpha) = (frame.pixelFormat, frame.format, frame.hasAlpha)
    (color, storage) = (frame.color, frame.storage)
    condition = .inPlaceOfAnother
  }

  /// The same pixels, for a frame that cannot be decoded.
  var inPlaceOfAnother: VideoFrame { VideoFrame(inPlaceOfAnother: self) }
}

/// Owner of a frame of FFmpeg's. Once the decoder has filled it, it is only read.
final class FrameStorage: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<AVFrame>

  init(name: String) throws(VideoError) {
    guard let pointer = lazy_av_frame_alloc() else {
      throw VideoError(name: name, problem: .noMemory)
    }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFrame>? = pointer
    lazy_av_frame_free(&pointer)
  }

  /// Passes the planes' first rows, of which there are at most four, and the bytes from row to row.
  func withPlanes<Result>(
    _ body: (UnsafePointer<UnsafePointer<UInt8>?>, UnsafePointer<Int32>) -> Result
  ) -> Result {
    let frame = pointer.pointee
    let planes = [frame.data.0, frame.data.1, frame.data.2, frame.data.3].map {
      $0.map { UnsafePointer($0) }
    }
    return body(
      planes,
      [frame.linesize.0, frame.linesize.1, frame.linesize.2, frame.linesize.3])
  }
}
