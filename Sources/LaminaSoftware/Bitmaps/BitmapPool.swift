import LaminaFramePlan
import LaminaValues

/// Keeps offscreen targets between frames, so that similar frames need no fresh memory.
struct BitmapPool {
  /// An offscreen target, and what the frames before drew into it.
  struct Target {
    let bitmap: Bitmap
    var drawn = PixelRect.empty
  }

  /// Number of frames, of any session, for which an unused target is kept.
  private static let idleFrames = 30

  private struct Key: Hashable {
    var size: PixelSize
    var format: PixelFormat
  }

  private var idle: [Key: [(target: Target, since: Int)]] = [:]
  private var frame = 0

  mutating func take(_ size: PixelSize, _ format: PixelFormat) -> Target {
    idle[Key(size: size, format: format)]?.popLast()?.target
      ?? Target(bitmap: Bitmap(size, format))
  }

  /// Frees idle targets, those used longest ago first, until they take at most `limit` bytes.
  mutating func trim(to limit: Int) {
    let all = idle.flatMap { key, entries in entries.map { (key, $0) } }
    var byteCount = all.reduce(0) { $0 + $1.1.target.bitmap.byteCount }
    guard byteCount > limit else { return }
    idle = [:]
    for (key, entry) in all.sorted(by: { $0.1.since < $1.1.since }) {
      if byteCount > limit {
        byteCount -= entry.target.bitmap.byteCount
      } else {
        idle[key, default: []].append(entry)
      }
    }
  }

  /// Takes back the targets of a frame at its end, and frees those unused for `idleFrames` frames.
  mutating func giveBack(_ targets: [Target]) {
    frame += 1
    for target in targets {
      let key = Key(size: target.bitmap.size, format: target.bitmap.format)
      idle[key, default: []].append((target, frame))
    }
    for (key, entries) in idle {
      let kept = entries.filter { frame - $0.since < Self.idleFrames }
      if kept.count < entries.count { idle[key] = kept.isEmpty ? nil : kept }
    }
  }
}
