import LaminaFramePlan
import LaminaValues

/// Targets as large as the surface, in which groups that lie apart are painted, each in its own
/// place on the surface.
///
/// A device takes a while to change targets: 50 groups of 240 × 160 pixels in targets of their own
/// take llvmpipe a sixth longer than in a few. Since a group's place does not depend on what else
/// is painted, neither do its pixels, whichever of the targets it is painted in, and when.
///
/// Few targets stay in a processor's cache: 100 cards over each other take an eighth longer in
/// three than in one. But of two groups that overlap, one can be painted while the other is drawn,
/// and a stack of such groups takes a tenth less time with two.
struct SharedTargets {
  /// A part of a target, from when a group is painted in it until another has drawn it.
  private struct Taken {
    var group: Int
    var region: PixelRect
    /// The group whose items sample it; nil if it is copied at once.
    var reader: Int?
  }

  private struct Shared {
    var offscreen: Int
    var taken: [Taken] = []
  }

  /// Number of targets beyond which none is made if the others can be freed.
  private let limit: Int
  private var targets: [Shared] = []

  var isEmpty: Bool { targets.isEmpty }

  /// Whether groups are to be drawn to free a region, rather than another target made.
  var isFull: Bool { targets.count >= limit || targets.reduce(0) { $0 + $1.taken.count } > 1 }

  /// `budget` is what the device may have in memory in all, and `byteCount` what a target takes.
  init(byteCount: Int, budget: Int) {
    limit = min(max(budget / 64 / byteCount, 1), 2)
  }

  /// The target, of those that `isUsable` tells, in which a region is free; nil if there is none.
  /// The region is taken then. If `sparingly`, several groups in one of them have to be drawn
  /// before the next is used.
  mutating func take(
    _ region: PixelRect, for group: Int, readBy reader: Int?, sparingly: Bool,
    where isUsable: (Int) -> Bool
  ) -> Int? {
    let usable = targets.indices.filter { isUsable(targets[$0].offscreen) }
    let place = usable.first { place in
      sparingly && targets[place].taken.count > 1
        || !targets[place].taken.contains { $0.region.meets(region) }
    }
    guard let place, !targets[place].taken.contains(where: { $0.region.meets(region) }) else {
      return nil
    }
    targets[place].taken.append(Taken(group: group, region: region, reader: reader))
    return targets[place].offscreen
  }

  mutating func add(_ offscreen: Int) { targets.append(Shared(offscreen: offscreen)) }

  func contains(_ offscreen: Int) -> Bool { targets.contains { $0.offscreen == offscreen } }

  /// Frees the regions of groups that will not be sampled again.
  mutating func free(where isDrawn: (_ group: Int, _ reader: Int?) -> Bool) {
    for place in targets.indices {
      targets[place].taken.removeAll { isDrawn($0.group, $0.reader) }
    }
  }
}
