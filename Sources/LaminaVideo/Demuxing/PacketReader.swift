import CFFmpeg

/// The packets of a stream from any number on. What a seek leads to is found out by comparing
/// packets with the index; where that fails, the file is read from its start.
final class PacketReader {
  private let index: PacketIndex
  private let limits: VideoLimits
  private(set) var demuxer: Demuxer
  /// The number of the packet that `next` gives.
  private(set) var nextNumber = 0
  /// Whether nothing but packets in order were read since the file was opened.
  private var isFresh: Bool
  /// The packet of `nextNumber` if it was read already.
  private var pending: UnsafeMutablePointer<AVPacket>?
  /// How often the file was opened anew because seeking in it failed.
  private(set) var reopenCount = 0

  /// Reading on over so many packets is never slower than seeking.
  private static let nearby = 16
  /// After a seek, so many packets are looked at for one that is known.
  private static let unknownLimit = 32

  init(_ index: PacketIndex, demuxer: Demuxer, limits: VideoLimits) {
    (self.index, self.demuxer, self.limits) = (index, demuxer, limits)
    isFresh = false
    nextNumber = index.entries.count
  }

  /// The next packet, which is valid until the next call; nil after the last one.
  func next() throws(VideoError) -> UnsafeMutablePointer<AVPacket>? {
    guard nextNumber < index.entries.count else { return nil }
    let packet: UnsafeMutablePointer<AVPacket>
    if let pending {
      packet = pending
      self.pending = nil
    } else {
      guard let read = try demuxer.next(),
        PacketIndex.Entry(read.pointee).isSame(as: index.entries[nextNumber])
      else { return try nextAfterDisagreement() }
      packet = read
    }
    nextNumber += 1
    return packet
  }

  /// Packets after a seek may differ from those before, if FFmpeg has to guess their times.
  private func nextAfterDisagreement() throws(VideoError) -> UnsafeMutablePointer<AVPacket>? {
    guard !isFresh else { throw VideoError(name: demuxer.path, problem: .changed) }
    try readFromStart(to: nextNumber)
    return try next()
  }

  /// Has `next` give this packet.
  func go(to number: Int) throws(VideoError) {
    if number >= nextNumber, number - nextNumber <= Self.nearby {
      while nextNumber < number { _ = try next() }
      return
    }
    var target = number
    for step in [1, 4, 16] {
      let entry = index.entries[target]
      let time = entry.decodingTime == lamina_no_time ? entry.time : entry.decodingTime
      if time != lamina_no_time, try seek(to: time, for: number) { return }
      for _ in 0..<step { target = index.key(before: target) }
    }
    try readFromStart(to: number)
  }

  /// Whether a seek led to the packet, or to one before it.
  private func seek(to time: Int64, for number: Int) throws(VideoError) -> Bool {
    isFresh = false
    pending = nil
    nextNumber = index.entries.count
    guard demuxer.seek(to: time) else { return false }
    for _ in 0..<Self.unknownLimit {
      guard let packet = try demuxer.next() else { return false }
      guard let found = index.number(of: packet.pointee) else { continue }
      guard found <= number else { return false }
      (pending, nextNumber) = (packet, found)
      while nextNumber < number {
        pending = nil
        guard let packet = try demuxer.next(),
          PacketIndex.Entry(packet.pointee).isSame(as: index.entries[nextNumber + 1])
        else { return false }
        (pending, nextNumber) = (packet, nextNumber + 1)
      }
      return true
    }
    return false
  }

  private func readFromStart(to number: Int) throws(VideoError) {
    demuxer = try Demuxer(path: demuxer.path, limits: limits)
    reopenCount += 1
    (pending, nextNumber, isFresh) = (nil, 0, true)
    while nextNumber < number { _ = try next() }
  }
}
