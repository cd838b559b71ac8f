import CFFmpeg
import Glibc

/// A decoder of FFmpeg's. Each frame that it gives carries the number of its packet, whatever the
/// time stamps are.
final class VideoDecoder {
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private let path: String

  enum Output {
    case frame(VideoFrame, packet: Int, decodingTime: Int64)
    /// The decoder wants the next packet, or its end.
    case wantsInput
    case ended
    /// A packet could not be decoded.
    case failed(Int32)
  }

  /// The number of FFmpeg's threads. Its decoders, and libswscale, give the same bytes on any
  /// number.
  static let threadCount = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  init(_ demuxer: Demuxer, limits: VideoLimits) throws(VideoError) {
    path = demuxer.path
    let parameters = demuxer.stream.pointee.codecpar
    guard let id = parameters?.pointee.codec_id,
      let codec = Self.codec(id, hasAlphaStream: demuxer.hasAlphaStream)
    else {
      let name = parameters.map { String(cString: lazy_avcodec_get_name($0.pointee.codec_id)) }
      throw VideoError(name: path, problem: .noDecoder(codec: name ?? "none"))
    }
    context = lazy_avcodec_alloc_context3(codec)
    guard let context else { throw VideoError(name: path, problem: .noMemory) }
    lazy_avcodec_parameters_to_context(context, parameters)
    context.pointee.pkt_timebase = demuxer.stream.pointee.time_base
    context.pointee.thread_count = Int32(Self.threadCount)
    context.pointee.thread_type =
      Self.isParallelByFrame(id) ? FF_THREAD_FRAME | FF_THREAD_SLICE : FF_THREAD_SLICE
    context.pointee.max_pixels = Int64(limits.maximumPixelCount)
    let code = lazy_avcodec_open2(context, codec, nil)
    guard code >= 0 else {
      lazy_avcodec_free_context(&self.context)
      throw VideoError(name: path, problem: FFmpegLibrary.problem(code))
    }
  }

  deinit { lazy_avcodec_free_context(&context) }

  /// Only libvpx's decoders read the second stream of VP8 and VP9, which is the alpha.
  private static func codec(_ id: AVCodecID, hasAlphaStream: Bool) -> UnsafePointer<AVCodec>? {
    let name: String? =
      switch id {
      case AV_CODEC_ID_VP8 where hasAlphaStream: "libvpx"
      case AV_CODEC_ID_VP9 where hasAlphaStream: "libvpx-vp9"
      default: nil
      }
    if let name, let codec = lazy_avcodec_find_decoder_by_name(name) { return codec }
    return lazy_avcodec_find_decoder(id)
  }

  /// Whether several frames are decoded at once, as large films need. Where one frame waits for
  /// another that is damaged, a decoder may wait for ever, as that of APNG does in FFmpeg 5.1: only
  /// those that everybody uses so are trusted.
  private static func isParallelByFrame(_ id: AVCodecID) -> Bool {
    [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1].contains(id)
  }

  /// Whether the frames have the alpha of a second stream, if there is one.
  static func readsAlphaStream(of id: AVCodecID) -> Bool {
    switch id {
    case AV_CODEC_ID_VP8: lazy_avcodec_find_decoder_by_name("libvpx") != nil
    case AV_CODEC_ID_VP9: lazy_avcodec_find_decoder_by_name("libvpx-vp9") != nil
    default: false
    }
  }

  /// Forgets all packets, for a seek or after the end.
  func flush() { lazy_avcodec_flush_buffers(context) }

  /// Sends the packet of this number, or the end of the stream. FFmpeg's error code, or 0. To be
  /// called when the decoder wants input.
  func send(_ packet: UnsafeMutablePointer<AVPacket>?, number: Int) -> Int32 {
    packet?.pointee.pts = Int64(number)
    return lazy_avcodec_send_packet(context, packet)
  }

  func receive() throws(VideoError) -> Output {
    let storage = try FrameStorage(name: path)
    let code = lazy_avcodec_receive_frame(context, storage.pointer)
    switch code {
    case lamina_error_again: return .wantsInput
    case lamina_error_end: return .ended
    case lamina_error_memory: throw VideoError(name: path, problem: .noMemory)
    case ..<0: return .failed(code)
    default:
      let number = storage.pointer.pointee.pts
      guard let frame = VideoFrame(storage), let packet = Int(exactly: number) else {
        return .failed(lamina_error_data)
      }
      return .frame(frame, packet: packet, decodingTime: storage.pointer.pointee.pkt_dts)
    }
  }
}
