import CFFmpeg
import Foundation
import LaminaValues

/// A video file that is decoded frame by frame, for one thread at a time.
///
/// Opening reads the whole file once, without decoding, to know when each frame is shown; a file of
/// a kind without such times, such as AVI, or with equal ones is also decoded once. After that, a
/// frame has the same bytes whether it was reached by playing, seeking or going backwards.
///
/// Time 0 is the start of the presentation as FFmpeg has it: the earliest time stamp of any sound
/// or video, edit lists being applied. Sound that is only there for a decoder to begin with, before
/// 0, does not count. Frames are numbered in the order in which they are shown; where a film was
/// cut, the first ones may have times before 0 and lack what they are decoded from.
package final class VideoFile {
  package let path: String
  package let format: VideoFormat
  /// What the header says of the colours; a frame may say something else.
  package let color: VideoColor
  /// FFmpeg's name of the codec, such as h264.
  package let codec: String
  /// When each frame is shown, and how long the video lasts.
  package let timeline: VideoTimeline
  private let decoding: FrameDecoding

  /// Opens a local file. Throws if it is no video, is damaged at its start or exceeds the limits.
  package convenience init(
    contentsOf url: URL, limits: VideoLimits = VideoLimits()
  ) throws(VideoError) {
    guard url.isFileURL else { throw VideoError(name: url.absoluteString, problem: .notAFile) }
    try self.init(path: url.path, limits: limits)
  }

  package init(path: String, limits: VideoLimits = VideoLimits()) throws(VideoError) {
    self.path = path
    let demuxer = try Demuxer(path: path, limits: limits)
    let header = demuxer.stream.pointee.codecpar.pointee
    let (width, height) = (Int(header.width), Int(header.height))
    guard width > 0, height > 0 else {
      throw VideoError(
        name: path, problem: .damaged(reason: "its size is \(width)x\(height) pixels"))
    }
    guard limits.allow(width: width, height: height) else {
      throw VideoError(
        name: path, problem: .tooManyPixels(width: width, height: height, limits: limits))
    }
    let ratio = demuxer.sampleAspectRatio
    let pixels = AVPixelFormat(rawValue: header.format)
    let hasAlpha =
      lazy_av_pix_fmt_desc_get(pixels).map {
        $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
      } ?? false
    format = VideoFormat(
      size: PixelSize(width: width, height: height),
      pixelAspectRatio: Double(ratio.num) / Double(ratio.den),
      orientation: VideoOrientation(lamina_display_matrix(demuxer.stream)),
      hasAlpha: hasAlpha
        || (demuxer.hasAlphaStream && VideoDecoder.readsAlphaStream(of: header.codec_id)))
    codec = String(cString: lazy_avcodec_get_name(header.codec_id))
    color = VideoColor(
      matrix: header.color_space, range: header.color_range, width: width, height: height,
      format: pixels)
    let decoder = try VideoDecoder(demuxer, limits: limits)
    var index = try PacketIndex(demuxer, limits: limits)
    if index.needsDecoding {
      let again = try Demuxer(path: path, limits: limits)
      try index.order(byDecoding: again, limits: limits)
    }
    guard let timeline = VideoTimeline(index, demuxer) else {
      throw VideoError(name: path, problem: .noFrames)
    }
    self.timeline = timeline
    decoding = FrameDecoding(index, demuxer: demuxer, decoder: decoder, limits: limits)
  }

  /// The number of frames, those included that turn out to be damaged.
  package var frameCount: Int { timeline.frameCount }
  /// The end of the last frame, in seconds.
  package var duration: Double { timeline.duration }

  /// The frame that is due: the last one whose time is not after `time`, in seconds; before the
  /// first one the first, after the end the last. Where it cannot be decoded, the last one before
  /// it that can be, and its `condition` says so. Throws if no frame can be decoded, the file has
  /// changed, or there is no memory.
  package func frame(at time: Double) throws(VideoError) -> VideoFrame {
    try decoding.frame(timeline.frame(dueAt: time))
  }

  /// The frame of a number; as above where that is out of range or damaged.
  package func frame(_ number: Int) throws(VideoError) -> VideoFrame {
    try decoding.frame(min(max(0, number), frameCount - 1))
  }

  /// The decoded frames that are kept, and their bytes.
  package var keptFrames: (count: Int, byteCount: Int) {
    (decoding.cache.count, decoding.cache.byteCount)
  }

  /// How often the file was read from its start because seeking in it led nowhere.
  package var rewindCount: Int { decoding.reopenCount }
}
