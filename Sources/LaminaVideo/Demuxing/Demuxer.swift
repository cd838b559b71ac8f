import CFFmpeg
import LaminaValues

/// The packets of a file's best video stream, in the order of the file, which is that of decoding.
final class Demuxer {
  let path: String
  private let source: ByteSource
  private var format: UnsafeMutablePointer<AVFormatContext>?
  let stream: UnsafeMutablePointer<AVStream>
  private let packet: Packet

  /// The containers that are read. None of them makes FFmpeg open further files, and each has time
  /// stamps; raw streams of a codec have none.
  static let containers = [
    "mov", "matroska", "avi", "mpegts", "mpeg", "flv", "ogg", "asf", "gif", "apng", "nut", "mxf",
    "ivf", "yuv4mpegpipe",
  ]

  init(path: String, limits: VideoLimits) throws(VideoError) {
    try FFmpegLibrary.require(for: path)
    self.path = path
    packet = try Packet(name: path)
    source = try ByteSource(path: path)
    let opened = try Self.open(source, path: path)
    do throws(VideoError) {
      stream = try Self.findVideo(in: opened, path: path, limits: limits)
    } catch {
      var opened: UnsafeMutablePointer<AVFormatContext>? = opened
      lazy_avformat_close_input(&opened)
      throw error
    }
    format = opened
  }

  deinit { lazy_avformat_close_input(&format) }

  private static func open(
    _ source: ByteSource, path: String
  ) throws(VideoError) -> UnsafeMutablePointer<AVFormatContext> {
    var kind: UnsafePointer<AVInputFormat>?
    guard lazy_av_probe_input_buffer2(source.context, &kind, nil, nil, 0, 0) >= 0, let kind else {
      throw VideoError(name: path, problem: .unknownFormat)
    }
    let name = String(cString: kind.pointee.name)
    guard name.split(separator: ",").contains(where: { containers.contains(String($0)) }) else {
      throw VideoError(name: path, problem: .unsupportedFormat(name: name))
    }
    var format = lazy_avformat_alloc_context()
    guard let context = format else { throw VideoError(name: path, problem: .noMemory) }
    context.pointee.pb = source.context
    context.pointee.io_open = { _, _, _, _, _ in lamina_error_access }
    var options = FFmpegOptions([
      "protocol_whitelist": "none", "format_whitelist": containers.joined(separator: ","),
    ])
    // If it fails, it frees the context.
    let code = lazy_avformat_open_input(&format, nil, kind, &options.pointer)
    guard code >= 0, let format else {
      throw VideoError(name: path, problem: FFmpegLibrary.problem(code))
    }
    return format
  }

  private static func findVideo(
    in format: UnsafeMutablePointer<AVFormatContext>, path: String, limits: VideoLimits
  ) throws(VideoError) -> UnsafeMutablePointer<AVStream> {
    // Decodes a few frames of streams whose headers say little, so it has to know the limit too.
    let count = Int(format.pointee.nb_streams)
    var options = [OpaquePointer?](repeating: nil, count: count)
    for index in 0..<count {
      lazy_av_dict_set(&options[index], "max_pixels", "\(limits.maximumPixelCount)", 0)
    }
    let code = lazy_avformat_find_stream_info(format, &options)
    for index in 0..<count { lazy_av_dict_free(&options[index]) }
    guard code >= 0 else { throw VideoError(name: path, problem: FFmpegLibrary.problem(code)) }
    let best = lazy_av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
    guard best >= 0, best < format.pointee.nb_streams, let streams = format.pointee.streams,
      let stream = streams[Int(best)],
      // A song's cover is no video.
      stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
    else { throw VideoError(name: path, problem: .noVideo) }
    let base = stream.pointee.time_base
    guard base.num > 0, base.den > 0 else {
      throw VideoError(name: path, problem: .damaged(reason: "its time base is not positive"))
    }
    for index in 0..<Int(format.pointee.nb_streams) where index != Int(best) {
      streams[index]?.pointee.discard = AVDISCARD_ALL
    }
    return stream
  }

  /// The size of the file.
  var byteCount: Int { source.byteCount }

  /// The next packet, which is valid until the next call; nil at the end of the file, or where it
  /// is so damaged that no more packets are found.
  func next() throws(VideoError) -> UnsafeMutablePointer<AVPacket>? {
    var attempts = 0
    while true {
      packet.clear()
      let code = lazy_av_read_frame(format, packet.pointer)
      if code == lamina_error_again && attempts < 1000 {
        attempts += 1
        continue
      }
      guard code != lamina_error_memory, code != lamina_error_io else {
        throw VideoError(name: path, problem: FFmpegLibrary.problem(code))
      }
      guard code >= 0 else { return nil }
      if packet.pointer.pointee.stream_index == stream.pointee.index { return packet.pointer }
    }
  }

  /// Goes to a key frame at or before a time in the stream's time base, as far as the container
  /// allows; which one that is, the packets that follow tell.
  func seek(to time: Int64) -> Bool {
    lazy_av_seek_frame(format, stream.pointee.index, time, AVSEEK_FLAG_BACKWARD) >= 0
  }

  /// The start of the presentation, in the stream's time base: the first time of any sound or
  /// video; nil if no stream says. Sound before 0 is for its decoder alone.
  var startTime: Int64? {
    let first = streams.compactMap(firstTime).min()
    guard let first, first < 0 else { return first }
    return min(0, firstTime(of: stream) ?? 0)
  }

  private var streams: [UnsafeMutablePointer<AVStream>] {
    guard let format, let streams = format.pointee.streams else { return [] }
    return (0..<Int(format.pointee.nb_streams)).compactMap { streams[$0] }
  }

  private func firstTime(of other: UnsafeMutablePointer<AVStream>) -> Int64? {
    let (base, time) = (other.pointee.time_base, other.pointee.start_time)
    let kind = other.pointee.codecpar.pointee.codec_type
    guard kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO, time != lamina_no_time,
      base.num > 0, base.den > 0
    else { return nil }
    let rescaled = lazy_av_rescale_q_rnd(time, base, stream.pointee.time_base, AV_ROUND_DOWN)
    // The least number stands for times that do not fit.
    return rescaled == Int64.min ? nil : rescaled
  }

  /// The shape of a pixel; 1:1 if the file does not say.
  var sampleAspectRatio: AVRational {
    let ratio = lazy_av_guess_sample_aspect_ratio(format, stream, nil)
    return ratio.num > 0 && ratio.den > 0 ? ratio : AVRational(num: 1, den: 1)
  }

  /// Whether the pictures' alpha is a second stream of VP8 or VP9, as in WebM.
  var hasAlphaStream: Bool {
    guard let entry = lazy_av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0) else {
      return false
    }
    return String(cString: entry.pointee.value) == "1"
  }
}
