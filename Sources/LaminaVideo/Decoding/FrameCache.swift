/// Decoded frames by their numbers, within a budget of bytes.
///
/// While frames are wanted one after another, the last ones are kept, in an eighth of the budget.
/// Backwards, a group of frames is decoded for its last one, so all of the budget holds what leads
/// to that one: a group that does not fit is decoded again for each piece that does.
struct FrameCache {
  private var frames: [Int: VideoFrame] = [:]
  private(set) var byteCount = 0
  private let budget: Int

  init(budget: Int) { self.budget = max(0, budget) }

  var count: Int { frames.count }

  subscript(number: Int) -> VideoFrame? { frames[number] }

  /// Adds a frame on the way to the one that is wanted, and lets go of those that are the furthest
  /// from being wanted again.
  mutating func insert(
    _ frame: VideoFrame, number: Int, wanted: Int, goesBackward: Bool
  ) {
    if let old = frames.updateValue(frame, forKey: number) { byteCount -= old.byteCount }
    byteCount += frame.byteCount
    let room = goesBackward ? budget : budget / 8
    while byteCount > room, let victim = victim(wanted: wanted, goesBackward: goesBackward) {
      if let old = frames.removeValue(forKey: victim) { byteCount -= old.byteCount }
    }
  }

  /// The frame that is the least use; nil if only the wanted one is left.
  private func victim(wanted: Int, goesBackward: Bool) -> Int? {
    let others = frames.keys.filter { $0 != wanted }
    guard let first = others.min(), let last = others.max() else { return nil }
    if goesBackward { return last > wanted ? last : first }
    return first < wanted ? first : last
  }
}
