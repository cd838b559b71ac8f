import CFFmpeg

/// All packets of a stream and the order in which their frames are shown. It does not depend on how
/// somebody came to a place in the file, and so neither does which frame is due.
struct PacketIndex: Sendable {
  struct Entry: Sendable {
    /// Presentation time in the stream's time base; `lamina_no_time` if the packet has none.
    var time: Int64
    var decodingTime: Int64
    var duration: Int64
    var position: Int64
    var size: Int32
    var isKey: Bool
    /// Whether the frame is decoded only for others, as those outside of an edit list are.
    var isHidden: Bool

    init(_ packet: AVPacket) {
      time = packet.pts
      decodingTime = packet.dts
      duration = max(0, packet.duration)
      position = packet.pos
      size = packet.size
      isKey = packet.flags & AV_PKT_FLAG_KEY != 0
      isHidden = packet.flags & AV_PKT_FLAG_DISCARD != 0
    }

    /// Whether both are the same packet. Decoding times are left out, since FFmpeg makes some of
    /// them up from the packets before.
    func isSame(as other: Entry) -> Bool {
      time == other.time && size == other.size && position == other.position
        && isKey == other.isKey
    }
  }

  /// One for each packet, in the order of decoding. A packet's place here is its number.
  private(set) var entries: [Entry] = []
  /// For each frame, in the order of presentation, its packet's number. A frame's place here is its
  /// number. Frames of the same time are in the order of decoding.
  private(set) var packets: [Int32] = []
  /// For each frame, in the same order, its time in the stream's time base.
  private(set) var times: [Int64] = []
  /// Whether the decoder holds frames back, to show them in another order.
  private let isReordered: Bool
  /// For each packet the number of its frame; -1 if it has none.
  private var frames: [Int32] = []

  /// Reads all packets.
  init(_ demuxer: Demuxer, limits: VideoLimits) throws(VideoError) {
    var byteCount = 0
    while let packet = try demuxer.next() {
      byteCount += Int(packet.pointee.size)
      // An edit list may show a part of the file again and again.
      guard byteCount / 64 <= demuxer.byteCount else {
        throw VideoError(
          name: demuxer.path, problem: .damaged(reason: "it shows its parts too often"))
      }
      guard entries.count < limits.maximumFrameCount else {
        throw VideoError(
          name: demuxer.path, problem: .tooManyFrames(limit: limits.maximumFrameCount))
      }
      entries.append(Entry(packet.pointee))
    }
    isReordered = demuxer.stream.pointee.codecpar.pointee.video_delay > 0
    if !lacksTimes { order(entries.map(\.time)) }
  }

  /// Whether a packet has no presentation time.
  var lacksTimes: Bool { entries.contains { $0.time == lamina_no_time && !$0.isHidden } }

  /// Whether only decoding tells the order of the frames: without presentation times, and with
  /// equal ones where frames are not in the order of decoding.
  var needsDecoding: Bool {
    lacksTimes || (isReordered && zip(times, times.dropFirst()).contains { $0 == $1 })
  }

  /// Takes the order of the frames from the decoder. If all frames have times, the first frame
  /// shown gets the first of them, and so on. If not, those without get what FFmpeg guesses: the
  /// time at which the decoder gave them, or that of the frame before and its duration.
  mutating func order(byDecoder shown: [Shown], frameDuration: Int64) {
    var times: [Int64] = []
    if lacksTimes {
      for frame in shown {
        let next = times.last.map { $0.addingReportingOverflow(frameDuration).0 } ?? 0
        let known = [entries[frame.packet].time, frame.decodingTime].first { $0 != lamina_no_time }
        times.append(max(known ?? next, times.last ?? Int64.min))
      }
    } else {
      times = shown.map { entries[$0.packet].time }.sorted()
    }
    var all = [Int64](repeating: lamina_no_time, count: entries.count)
    for (frame, time) in zip(shown, times) { all[frame.packet] = time }
    set(shown.map(\.packet), times: all)
  }

  /// A frame as the decoder gave it: its packet's number, and when the packet was decoded that had
  /// the decoder give it; `lamina_no_time` if no packet had.
  struct Shown {
    var packet: Int
    var decodingTime: Int64
  }

  private mutating func order(_ times: [Int64]) {
    set(
      entries.indices.filter { times[$0] != lamina_no_time && !entries[$0].isHidden }
        .sorted { (times[$0], $0) < (times[$1], $1) }, times: times)
  }

  /// Sets the order of the frames, from their packets' numbers and from the times of all packets.
  private mutating func set(_ shown: [Int], times: [Int64]) {
    packets = shown.map { Int32($0) }
    self.times = shown.map { times[$0] }
    frames = [Int32](repeating: -1, count: entries.count)
    for (frame, number) in shown.enumerated() { frames[number] = Int32(frame) }
  }

  /// The number of a packet's frame; nil if it has none.
  func frame(ofPacket number: Int) -> Int? {
    guard frames.indices.contains(number), frames[number] >= 0 else { return nil }
    return Int(frames[number])
  }

  /// The number of the last frame whose time is not after `time`; the first one before all others.
  func frame(dueAt time: Int64) -> Int {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = low + (high - low) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// The number of the packet from which decoding gives a frame as decoding from the start would:
  /// the last key frame before it in the file that is not shown after it either. Frames that come
  /// later in the file than a key frame and are shown before it may need others before both.
  func start(forFrame frame: Int, without unclean: Set<Int> = []) -> Int {
    var number = Int(packets[frame])
    while number > 0 {
      if entries[number].isKey, !unclean.contains(number), let key = self.frame(ofPacket: number),
        key <= frame
      {
        return number
      }
      number -= 1
    }
    return 0
  }

  /// The key frame before a packet, or the first packet.
  func key(before number: Int) -> Int {
    entries[..<max(0, number)].lastIndex { $0.isKey } ?? 0
  }

  /// The number of this packet; nil if the file had none like it.
  func number(of packet: AVPacket) -> Int? {
    let entry = Entry(packet)
    return entries.firstIndex { $0.isSame(as: entry) }
  }
}
