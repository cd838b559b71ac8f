import CFFmpeg
import LaminaValues

/// Decodes the frames of a file by their numbers.
///
/// Decoding runs from a key frame, or goes on from where it stands if that is nearer. A run gives
/// the frames that a run from the start would: those shown before its key frame are left out, and a
/// key frame that the decoder does not begin with, such as one of a gradual refresh, is not used
/// again.
final class FrameDecoding {
  let index: PacketIndex
  private let reader: PacketReader
  private let decoder: VideoDecoder
  private let path: String
  private(set) var cache: FrameCache
  /// The run that is under way; nil before the first one, and after an error.
  private var run: Run?
  private var lastWanted = 0
  private var goesBackward = false
  /// Key frames that runs cannot begin with.
  private var uncleanKeys: Set<Int> = []
  /// Frames that the decoder does not give, and whether that is because of damage.
  private var missing: [Int: Bool] = [:]

  private struct Run {
    /// The number of the key frame's packet.
    var start: Int
    /// The number of the first frame that may be used.
    var firstFrame: Int
    /// The number of the last frame that the decoder gave; nil before the first one.
    var lastFrame: Int?
    /// Whether the decoder was told that there are no more packets.
    var isDraining = false
    var isEnded = false
    /// Errors since the last frame.
    var failure: Int32?
    /// Errors in a row after the end, of which a broken decoder could give any number.
    var failuresAtEnd = 0
  }

  init(
    _ index: PacketIndex, demuxer: Demuxer, decoder: VideoDecoder, limits: VideoLimits
  ) {
    self.index = index
    self.decoder = decoder
    path = demuxer.path
    reader = PacketReader(index, demuxer: demuxer, limits: limits)
    cache = FrameCache(budget: limits.maximumKeptByteCount)
  }

  /// How often the file was read from its start because seeking failed.
  var reopenCount: Int { reader.reopenCount }

  /// The frame of this number, or the last one before it that can be decoded, or the first one
  /// after.
  func frame(_ number: Int) throws(VideoError) -> VideoFrame {
    if number != lastWanted { goesBackward = number < lastWanted }
    lastWanted = number
    while let nearest = nearestPresent(number) {
      if let frame = cache[nearest] { return standIn(frame, number: nearest, for: number) }
      try decode(to: nearest)
      // So that each round brings this to an end, whatever the decoder does.
      if cache[nearest] == nil && missing[nearest] == nil { missing[nearest] = true }
    }
    throw VideoError(name: path, problem: .noFrames)
  }

  private func nearestPresent(_ number: Int) -> Int? {
    if missing[number] == nil { return number }
    return (0..<number).last { missing[$0] == nil }
      ?? (number..<index.times.count).first { missing[$0] == nil }
  }

  /// The frame, marked if it is shown in place of a damaged one.
  private func standIn(_ frame: VideoFrame, number: Int, for wanted: Int) -> VideoFrame {
    guard number < wanted, (number + 1...wanted).contains(where: { missing[$0] == true }) else {
      return frame
    }
    warn("\(path): damaged frames are not shown; the ones before them stay", onceFor: path)
    return frame.inPlaceOfAnother
  }

  /// Decodes until the frame is in the cache or known to be missing.
  private func decode(to frame: Int) throws(VideoError) {
    var run = if let run = presentRun(to: frame) { run } else { try newRun(to: frame) }
    // After an error, nobody knows where the decoder stands.
    self.run = nil
    while !run.isEnded, run.lastFrame ?? -1 < frame {
      let output = try advance(&run)
      if let output, !isShown(output.packet, in: run) { continue }
      if run.lastFrame == nil, run.start > 0, output?.packet != run.start {
        uncleanKeys.insert(run.start)
        run = try newRun(to: frame)
      } else {
        keep(output, of: &run, wanted: frame)
      }
    }
    self.run = run
  }

  /// The run that is under way, if it gets to the frame and no key frame is nearer.
  private func presentRun(to frame: Int) -> Run? {
    guard let run, !run.isEnded, Int(index.packets[frame]) >= run.start, frame >= run.firstFrame,
      frame > run.lastFrame ?? -1
    else { return nil }
    let start = index.start(forFrame: frame, without: uncleanKeys)
    return start <= reader.nextNumber ? run : nil
  }

  private func newRun(to frame: Int) throws(VideoError) -> Run {
    let start = index.start(forFrame: frame, without: uncleanKeys)
    try reader.go(to: start)
    decoder.flush()
    return Run(start: start, firstFrame: start == 0 ? 0 : index.frame(ofPacket: start) ?? 0)
  }

  /// Whether a packet's frame is for showing, and not shown before the run's key frame.
  private func isShown(_ packet: Int, in run: Run) -> Bool {
    index.frame(ofPacket: packet).map { $0 >= run.firstFrame } ?? false
  }

  /// Gets the decoder's next frame, or nil at its end.
  private func advance(_ run: inout Run) throws(VideoError) -> (frame: VideoFrame, packet: Int)? {
    while true {
      switch try decoder.receive() {
      case .frame(let frame, let packet, _):
        return (frame, packet)
      case .ended:
        run.isEnded = true
        return nil
      case .failed(let code):
        run.failure = code
        if run.isDraining { run.failuresAtEnd += 1 }
        guard run.failuresAtEnd < 64 else {
          run.isEnded = true
          return nil
        }
      case .wantsInput:
        guard !run.isDraining else {
          run.isEnded = true
          return nil
        }
        let number = reader.nextNumber
        let packet = try reader.next()
        run.isDraining = packet == nil
        let code = decoder.send(packet, number: number)
        if code == lamina_error_memory { throw VideoError(name: path, problem: .noMemory) }
        if code < 0 { run.failure = code }
      }
    }
  }

  /// Keeps what the decoder gave, or notes at its end what it did not give.
  private func keep(
    _ output: (frame: VideoFrame, packet: Int)?, of run: inout Run, wanted: Int
  ) {
    let next = run.lastFrame.map { $0 + 1 } ?? run.firstFrame
    guard let output, let number = index.frame(ofPacket: output.packet) else {
      noteMissing(in: next..<index.times.count, run)
      return
    }
    // The decoder gives frames in the order in which they are shown, so one that comes late is not.
    guard number >= next else { return }
    noteMissing(in: next..<number, run)
    (run.lastFrame, run.failure) = (number, nil)
    cache.insert(output.frame, number: number, wanted: wanted, goesBackward: goesBackward)
  }

  /// Notes that a run passed by these frames without giving them.
  private func noteMissing(in numbers: Range<Int>, _ run: Run) {
    for number in numbers where Int(index.packets[number]) >= run.start {
      missing[number] = run.failure != nil
    }
  }
}
