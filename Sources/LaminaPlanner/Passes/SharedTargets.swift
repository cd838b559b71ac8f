import LaminaFramePlan
import LaminaValues

/// Targets in which many groups are painted beside each other.
///
/// A device takes a while to change targets: 50 groups of 240 × 160 pixels in targets of their own
/// take llvmpipe a sixth longer than in a few.
///
/// A group is painted in its own place, in a target as large as the surface. Since that place does
/// not depend on what else is painted, neither do the group's pixels, whichever of the targets it
/// is painted in, and when. Few targets stay in a processor's cache: 100 cards over each other take
/// an eighth longer in three than in one. But of two groups that overlap, one can be painted while
/// the other is drawn, and a stack of such groups takes a tenth less time with two.
///
/// A small group whose pixels would be the same in any place (`ItemList.canMove`) goes into a
/// narrow target, where it waits for none that it overlaps, and where its rows are near each other
/// in memory. The 50 groups take an eighth less time there.
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
    /// The room in a narrow target; nil if groups are painted in their own places.
    var shelves: Shelves?
  }

  /// Number of targets as large as the surface beyond which none is made if others can be freed.
  private let limit: Int
  /// That of the surface.
  private let size: PixelSize
  private var targets: [Shared] = []

  var isEmpty: Bool { targets.isEmpty }

  /// Whether groups are to be drawn to free a region, rather than another target made that is as
  /// large as the surface.
  var isFull: Bool {
    let large = targets.filter { $0.shelves == nil }
    return large.count >= limit || large.reduce(0) { $0 + $1.taken.count } > 1
  }

  /// Whether there is memory for narrow targets too.
  var movesGroups: Bool { limit > 1 }

  /// `budget` is what the device may have in memory in all, and `byteCount` what a target takes.
  init(size: PixelSize, byteCount: Int, budget: Int) {
    self.size = size
    limit = min(max(budget / 64 / byteCount, 1), 2)
  }

  /// The target, of those that `isUsable` tells, in which a region's place is free; nil if there is
  /// none. The place is taken then. If `sparingly`, several groups in one of them have to be drawn
  /// before the next is used.
  mutating func take(
    _ region: PixelRect, for group: Int, readBy reader: Int?, sparingly: Bool,
    where isUsable: (Int) -> Bool
  ) -> Int? {
    let usable = targets.indices.filter {
      targets[$0].shelves == nil && isUsable(targets[$0].offscreen)
    }
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

  /// The narrow target in which a region has room, and where it begins there; nil if there is none.
  /// The room is taken then.
  mutating func takeRoom(
    for region: PixelRect, of group: Int, readBy reader: Int?
  ) -> (offscreen: Int, x: Int, y: Int)? {
    for place in narrow(for: region) {
      guard let (x, y) = targets[place].shelves?.take(region.size) else { continue }
      targets[place].taken.append(Taken(group: group, region: region, reader: reader))
      return (targets[place].offscreen, x, y)
    }
    return nil
  }

  /// Whether groups are to be drawn to make room for a region, rather than another narrow target
  /// made.
  func isNarrowFull(for region: PixelRect) -> Bool { narrow(for: region).count > 1 }

  /// Adds a narrow target with room for a region, and returns its size: about as many pixels as the
  /// surface has. The first has a quarter of that, so that a device has something to draw soon.
  mutating func addNarrow(_ offscreen: Int, for region: PixelRect, longestSide: Int) -> PixelSize {
    let width = Self.width(for: region)
    let area = size.width * size.height / (narrow(for: region).isEmpty ? 4 : 1)
    let narrow = PixelSize(
      width: width, height: max(min(area / width, longestSide), region.height))
    targets.append(Shared(offscreen: offscreen, shelves: Shelves(narrow)))
    return narrow
  }

  /// The places of the narrow targets for such regions.
  private func narrow(for region: PixelRect) -> [Int] {
    targets.indices.filter { targets[$0].shelves?.size.width == Self.width(for: region) }
  }

  /// The width of a narrow target for a region: a power of two.
  private static func width(for region: PixelRect) -> Int {
    var width = 256
    while width < region.width { width *= 2 }
    return width
  }

  func contains(_ offscreen: Int) -> Bool { targets.contains { $0.offscreen == offscreen } }

  /// Frees the regions of groups that will not be sampled again.
  mutating func free(where isDrawn: (_ group: Int, _ reader: Int?) -> Bool) {
    for place in targets.indices {
      targets[place].taken.removeAll { isDrawn($0.group, $0.reader) }
      if targets[place].taken.isEmpty { targets[place].shelves?.removeAll() }
    }
  }
}

/// Rows of rectangles beside each other, from the top of a target to its bottom.
private struct Shelves {
  let size: PixelSize
  /// Where the next rectangle of the last row begins, and the height of those before it.
  private var (x, y, height) = (0, 0, 0)

  init(_ size: PixelSize) { self.size = size }

  mutating func removeAll() { (x, y, height) = (0, 0, 0) }

  /// Takes room for a rectangle that is no wider, and returns where it begins; nil if there is too
  /// little.
  mutating func take(_ rect: PixelSize) -> (x: Int, y: Int)? {
    let isInRow = x + rect.width <= size.width
    let (left, top) = isInRow ? (x, y) : (0, y + height)
    guard top + rect.height <= size.height else { return nil }
    height = isInRow ? max(height, rect.height) : rect.height
    (x, y) = (left + rect.width, top)
    return (left, top)
  }
}
