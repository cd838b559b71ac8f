import LaminaFramePlan
import LaminaValues

/// Keeps offscreen targets between frames, so that similar frames need no allocations.
///
/// A target remembers what was drawn into it; the next user clears that, so that nothing of one
/// frame shows in another.
struct OffscreenPool {
  /// Number of frames, of any session, for which an unused target is kept.
  private static let idleFrames = 30

  private struct Key: Hashable {
    var size: PixelSize
    var format: PixelFormat
  }

  private struct Idle {
    var target: RenderTarget
    var since: Int
  }

  private var idle: [Key: [Idle]] = [:]
  private var frame = 0

  mutating func take(_ size: PixelSize, _ format: PixelFormat) -> RenderTarget? {
    idle[Key(size: size, format: format)]?.popLast()?.target
  }

  /// Frees idle targets, those used longest ago first, until they take at most `limit` bytes, which
  /// `profile` counts.
  mutating func trim(to limit: Int, _ profile: DeviceProfile) {
    let all = idle.flatMap { key, entries in
      entries.map { (key, $0, bytes: profile.byteCount(of: key.size, key.format)) }
    }
    var byteCount = all.reduce(0) { $0 + $1.bytes }
    guard byteCount > limit else { return }
    idle = [:]
    for (key, entry, bytes) in all.sorted(by: { $0.1.since < $1.1.since }) {
      if byteCount > limit {
        byteCount -= bytes
        entry.target.destroy(in: nil)
      } else {
        idle[key, default: []].append(entry)
      }
    }
  }

  /// Takes back the targets of a frame at its end, and frees those unused for `idleFrames` frames.
  mutating func giveBack(_ targets: [RenderTarget]) {
    frame += 1
    for target in targets {
      idle[Key(size: target.size, format: target.format), default: []]
        .append(Idle(target: target, since: frame))
    }
    for (key, entries) in idle {
      let kept = entries.filter { frame - $0.since < OffscreenPool.idleFrames }
      guard kept.count < entries.count else { continue }
      for entry in entries where frame - entry.since >= OffscreenPool.idleFrames {
        entry.target.destroy(in: nil)
      }
      idle[key] = kept.isEmpty ? nil : kept
    }
  }

  /// Frees all targets, in the current context.
  mutating func removeAll() {
    for entries in idle.values {
      for entry in entries { entry.target.destroy(in: nil) }
    }
    idle = [:]
  }
}
