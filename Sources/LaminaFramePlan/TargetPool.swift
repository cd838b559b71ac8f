import LaminaValues

/// An offscreen target of an executor.
package protocol PooledTarget {
  var size: PixelSize { get }
  var format: PixelFormat { get }
}

/// Keeps an executor's offscreen targets between frames, so that similar frames need no fresh
/// memory. Targets that the pool gives up are returned, for the executor to free.
///
/// A target remembers what was drawn into it; the next user clears that, so that nothing of one
/// frame shows in another.
package struct TargetPool<Target: PooledTarget> {
  /// Number of frames, of any session, for which an unused target is kept.
  private static var idleFrames: Int { 30 }

  private struct Key: Hashable {
    var size: PixelSize
    var format: PixelFormat
  }

  private struct Idle {
    var target: Target
    /// The frame that used it last.
    var since: Int
  }

  private var idle: [Key: [Idle]] = [:]
  private var frame = 0

  package init() {}

  /// The target of that size and format that was given back last; nil if there is none.
  package mutating func take(_ size: PixelSize, _ format: PixelFormat) -> Target? {
    idle[Key(size: size, format: format)]?.popLast()?.target
  }

  /// Gives up idle targets, those used longest ago first, until they take at most `limit` bytes,
  /// which `profile` counts.
  @discardableResult
  package mutating func trim(to limit: Int, _ profile: DeviceProfile) -> [Target] {
    let all = idle.flatMap { key, entries in
      entries.map { (key, $0, bytes: profile.byteCount(of: key.size, key.format)) }
    }
    var byteCount = all.reduce(0) { $0 + $1.bytes }
    guard byteCount > limit else { return [] }
    var given: [Target] = []
    idle = [:]
    for (key, entry, bytes) in all.sorted(by: { $0.1.since < $1.1.since }) {
      if byteCount > limit {
        byteCount -= bytes
        given.append(entry.target)
      } else {
        idle[key, default: []].append(entry)
      }
    }
    return given
  }

  /// Takes back the targets of a frame at its end, and gives up those unused for `idleFrames`
  /// frames.
  @discardableResult
  package mutating func giveBack(_ targets: [Target]) -> [Target] {
    frame += 1
    for target in targets {
      idle[Key(size: target.size, format: target.format), default: []]
        .append(Idle(target: target, since: frame))
    }
    var given: [Target] = []
    for (key, entries) in idle {
      let kept = entries.filter { frame - $0.since < Self.idleFrames }
      guard kept.count < entries.count else { continue }
      given += entries.filter { frame - $0.since >= Self.idleFrames }.map(\.target)
      idle[key] = kept.isEmpty ? nil : kept
    }
    return given
  }

  /// Gives up all targets.
  @discardableResult
  package mutating func removeAll() -> [Target] {
    defer { idle = [:] }
    return idle.values.flatMap { $0.map(\.target) }
  }
}
