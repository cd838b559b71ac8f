import LaminaCommit
import LaminaValues

/// The parts of a surface that must be painted again: a few disjoint rectangles. They may reach
/// beyond the surface, as far as filtered backdrops there are read.
struct Damage: Hashable {
  /// The surface.
  let area: PixelRect
  private let bounds: PixelRect
  private(set) var rects: [PixelRect] = []

  /// Largest number of rectangles. Each is drawn by itself, so more would cost more than the pixels
  /// that they save.
  static let limit = FrameDone.damageLimit

  /// No damage of a surface. `margin` is how far it may reach beyond the surface.
  init(of area: PixelRect, margin: Int) {
    self.area = area
    bounds = area.outset(by: margin)
  }

  /// The whole surface.
  init(all area: PixelRect) {
    self.init(of: area, margin: 0)
    add(area)
  }

  var isEmpty: Bool { rects.isEmpty }
  var isWhole: Bool { rects.count == 1 && rects[0].contains(area) }

  /// Most of a surface costs more to find and to paint in parts than all of it.
  private var isMostOfAll: Bool {
    rects.reduce(0) { $0 + $1.intersection(area).area } > area.area / 4 * 3
  }

  func meets(_ rect: PixelRect) -> Bool { rects.contains { $0.meets(rect) } }

  /// Whether one of the rectangles has all of `rect` that damage can reach.
  func covers(_ rect: PixelRect) -> Bool {
    let rect = rect.intersection(bounds)
    return rects.contains { $0.contains(rect) }
  }

  /// Adds a rectangle. What overlaps becomes one, and so do neighbours if there are too many.
  mutating func add(_ rect: PixelRect) {
    let rect = rect.intersection(bounds)
    if rect.isEmpty || rects.contains(where: { $0.contains(rect) }) { return }
    insert(rect)
    while rects.count > Self.limit { mergeNearest() }
    if isMostOfAll { rects = [bounds] }
  }

  private mutating func insert(_ rect: PixelRect) {
    var rect = rect
    while let other = rects.firstIndex(where: { $0.meets(rect) }) {
      rect = rect.union(rects.remove(at: other))
    }
    rects.append(rect)
  }

  /// Replaces the rectangle that came last, and that of the others with which it makes the smallest
  /// union, by that union.
  private mutating func mergeNearest() {
    let last = rects.removeLast()
    func growth(_ rect: PixelRect) -> Int { rect.union(last).area - rect.area }
    guard let nearest = rects.indices.min(by: { growth(rects[$0]) < growth(rects[$1]) }) else {
      return
    }
    insert(rects.remove(at: nearest).union(last))
  }
}
