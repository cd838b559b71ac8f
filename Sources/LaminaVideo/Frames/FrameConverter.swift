import CFFmpeg
import Lamina
import LaminaValues

/// Converts frames to premultiplied BGRA8 by libswscale. For one thread at a time; frames of one
/// kind after another share what is prepared for them.
///
/// Its flags make the result the same on every processor. Chroma is interpolated by the bicubic
/// filter, FFmpeg's own default, so that frames equal what `ffmpeg` writes with the same flags.
/// Colours are not mapped between spaces: those of high dynamic range look flat.
package final class FrameConverter {
  private struct Kind: Equatable {
    var size: PixelSize
    var shownSize: PixelSize
    var format: AVPixelFormat
    var color: VideoColor
  }

  private var kind: Kind?
  private var context: lamina_scaler?
  /// Rows whose beginnings and ends are where libswscale may write over them.
  private var scratch: UnsafeMutableRawBufferPointer?

  /// libswscale writes whole registers of this size, also at a row's end.
  private static let alignment = 64

  package init() {}

  deinit {
    // Where no frame was written, the library may not be open.
    if context != nil { lazy_sws_freeContext(context) }
    scratch?.deallocate()
  }

  /// Writes a frame, top row first, to rows that begin `stride` bytes apart. Bytes between the rows
  /// may be written too. The picture is scaled to a size; nil for its own. Errors call the frame
  /// `name`.
  package func write(
    _ frame: VideoFrame, scaledTo size: PixelSize? = nil, to pixels: UnsafeMutableRawBufferPointer,
    stride: Int, name: String
  ) throws(VideoError) {
    let size = size ?? frame.size
    let rowBytes = size.width * 4
    guard pixels.holds(rows: size.height, of: rowBytes, stride: stride),
      let start = pixels.baseAddress
    else {
      let needed = size.height * max(rowBytes, 0)
      throw VideoError(name: name, problem: .noRoom(needed: needed, available: pixels.count))
    }
    try prepare(for: frame, size, name: name)
    let paddedBytes = (rowBytes + Self.alignment - 1) / Self.alignment * Self.alignment
    let isAligned =
      Int(bitPattern: start) % Self.alignment == 0 && stride % Self.alignment == 0
      && Int32(exactly: stride) != nil
      && pixels.holds(rows: size.height, of: paddedBytes, stride: stride)
    if isAligned {
      try convert(frame, size, to: start, stride: stride, name: name)
    } else {
      let rows = scratch(byteCount: paddedBytes * size.height)
      try convert(frame, size, to: rows, stride: paddedBytes, name: name)
      for y in 0..<size.height {
        (start + y * stride).copyMemory(from: rows + y * paddedBytes, byteCount: rowBytes)
      }
    }
    if frame.hasAlpha { Premultiplication.premultiply(start, size, stride: stride) }
  }

  private func prepare(
    for frame: VideoFrame, _ size: PixelSize, name: String
  ) throws(VideoError) {
    let wanted = Kind(
      size: frame.size, shownSize: size, format: frame.format, color: frame.color)
    guard kind != wanted else { return }
    lazy_sws_freeContext(context)
    (context, kind) = (nil, nil)
    guard lazy_sws_isSupportedInput(frame.format) != 0 else {
      throw VideoError(name: name, problem: .unsupportedPixels(format: frame.pixelFormat))
    }
    context = lazy_sws_alloc_context()
    guard let context else { throw VideoError(name: name, problem: .noMemory) }
    for (option, value) in [
      ("srcw", frame.width), ("srch", frame.height), ("src_format", Int(frame.format.rawValue)),
      ("dstw", size.width), ("dsth", size.height), ("dst_format", Int(AV_PIX_FMT_BGRA.rawValue)),
      ("sws_flags", Int(lamina_scaling)), ("threads", VideoDecoder.threadCount),
    ] {
      lazy_av_opt_set_int(UnsafeMutableRawPointer(context), option, Int64(value), 0)
    }
    guard lazy_sws_init_context(context, nil, nil) >= 0 else {
      throw VideoError(name: name, problem: .unsupportedPixels(format: frame.pixelFormat))
    }
    let coefficients = frame.color.coefficients
    // Fails for RGB, which has none of this. Contrast and saturation are 1 in units of 1/65536.
    _ = lazy_sws_setColorspaceDetails(
      context, coefficients, frame.color.isFullRange ? 1 : 0, coefficients, 0, 0, 1 << 16,
      1 << 16)
    kind = wanted
  }

  private func convert(
    _ frame: VideoFrame, _ size: PixelSize, to target: UnsafeMutableRawPointer, stride: Int,
    name: String
  ) throws(VideoError) {
    let result = try FrameStorage(name: name)
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    // Memory of the caller's, of which there is nothing to free.
    let memory = lazy_av_buffer_create(bytes, stride * size.height, { _, _ in }, nil, 0)
    guard let memory else { throw VideoError(name: name, problem: .noMemory) }
    result.pointer.pointee.buf.0 = memory
    result.pointer.pointee.data.0 = bytes
    result.pointer.pointee.linesize.0 = Int32(stride)
    result.pointer.pointee.width = Int32(size.width)
    result.pointer.pointee.height = Int32(size.height)
    result.pointer.pointee.format = AV_PIX_FMT_BGRA.rawValue
    guard lazy_sws_scale_frame(context, result.pointer, frame.storage.pointer) >= 0 else {
      throw VideoError(name: name, problem: .unsupportedPixels(format: frame.pixelFormat))
    }
  }

  /// The same, turned as a video says it is to be shown: `size` is that before turning.
  func write(
    _ frame: VideoFrame, scaledTo size: PixelSize, turned orientation: VideoOrientation,
    to pixels: UnsafeMutableRawBufferPointer, stride: Int, name: String
  ) throws(VideoError) {
    if orientation == VideoOrientation(quarterTurns: 0) {
      return try write(frame, scaledTo: size, to: pixels, stride: stride, name: name)
    }
    let count = size.width * size.height
    let upright = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
    defer { upright.deallocate() }
    try write(
      frame, scaledTo: size, to: UnsafeMutableRawBufferPointer(start: upright, count: count * 4),
      stride: size.width * 4, name: name)
    orientation.turn(upright, size, into: pixels, stride: stride)
  }

  private func scratch(byteCount: Int) -> UnsafeMutableRawPointer {
    if let scratch, scratch.count >= byteCount, let start = scratch.baseAddress { return start }
    scratch?.deallocate()
    let start = UnsafeMutableRawPointer.allocate(
      byteCount: byteCount, alignment: Self.alignment)
    scratch = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    return start
  }
}
