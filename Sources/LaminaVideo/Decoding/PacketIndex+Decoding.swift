import CFFmpeg

extension PacketIndex {
  /// Finds the order of the frames by decoding all of them once, which is what old containers, such
  /// as AVI, leave to do: they know only when a packet is decoded. A frame that cannot be decoded
  /// then has no number.
  mutating func order(
    byDecoding demuxer: Demuxer, limits: VideoLimits
  ) throws(VideoError) {
    let decoder = try VideoDecoder(demuxer, limits: limits)
    var shown: [Shown] = []
    var seen = Set<Int>()
    var (number, isDraining, failures) = (0, false, 0)
    decoding: while true {
      switch try decoder.receive() {
      case .frame(_, let packet, let decodingTime):
        if entries.indices.contains(packet), seen.insert(packet).inserted {
          shown.append(Shown(packet: packet, decodingTime: decodingTime))
        }
      case .ended: break decoding
      case .failed:
        failures += isDraining ? 1 : 0
        if failures == 64 { break decoding }
      case .wantsInput:
        if isDraining { break decoding }
        let packet = number < entries.count ? try demuxer.next() : nil
        isDraining = packet == nil
        _ = decoder.send(packet, number: number)
        number += 1
      }
    }
    order(byDecoder: shown, frameDuration: demuxer.frameDuration)
  }
}

extension Demuxer {
  /// How long a frame lasts, in the stream's time base; at least 1.
  var frameDuration: Int64 {
    let rate = stream.pointee.avg_frame_rate
    guard rate.num > 0, rate.den > 0 else { return 1 }
    let inverse = AVRational(num: rate.den, den: rate.num)
    return max(1, lazy_av_rescale_q_rnd(1, inverse, stream.pointee.time_base, AV_ROUND_NEAR_INF))
  }
}
