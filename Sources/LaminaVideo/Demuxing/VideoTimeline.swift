import CFFmpeg

/// When each frame of a video is shown. Times are whole ticks inside, and seconds outside.
package struct VideoTimeline: Sendable {
  private let index: PacketIndex
  private let base: AVRational
  /// The tick at which the presentation starts.
  private let start: Int64
  /// The tick at which the last frame ends.
  private let end: Int64

  /// Clocks that add and subtract seconds are off by less than this, so a frame is due that much
  /// earlier.
  private static let clockError = 1e-9

  /// nil if there are no frames.
  init?(_ index: PacketIndex, _ demuxer: Demuxer) {
    guard let first = index.times.first, let last = index.times.last,
      let lastPacket = index.packets.last
    else { return nil }
    self.index = index
    base = demuxer.stream.pointee.time_base
    // Without presentation times, FFmpeg's idea of the first one is a time of decoding.
    start = index.lacksTimes ? first : demuxer.startTime ?? first
    let stated = index.entries[Int(lastPacket)].duration
    end = last.addingReportingOverflow(stated > 0 ? stated : demuxer.frameDuration).0
  }

  package var frameCount: Int { index.times.count }

  /// The end of the last frame, in seconds.
  package var duration: Double { max(0, seconds(end)) }

  /// The time at which a frame is first shown, in seconds.
  package func time(ofFrame number: Int) -> Double { seconds(index.times[number]) }

  /// The number of the frame that is due at a time in seconds: the last one whose time is not after
  /// it, but at least the first. Before all times, and for NaN, it is the first.
  package func frame(dueAt time: Double) -> Int {
    let ticks = ((time + Self.clockError) / Double(base.num) * Double(base.den)).rounded(.down)
    guard !ticks.isNaN else { return 0 }
    // The largest number of seconds that fits is beyond any frame.
    guard let whole = Int64(exactly: ticks) else { return ticks < 0 ? 0 : frameCount - 1 }
    let (due, overflows) = whole.addingReportingOverflow(start)
    return overflows ? (whole < 0 ? 0 : frameCount - 1) : index.frame(dueAt: due)
  }

  private func seconds(_ ticks: Int64) -> Double {
    // A difference of ticks from a damaged file may not fit; as a Double it does.
    let (whole, overflows) = ticks.subtractingReportingOverflow(start)
    let difference = overflows ? Double(ticks) - Double(start) : Double(whole)
    return difference * Double(base.num) / Double(base.den)
  }
}
