import LaminaFramePlan
import LaminaValues

/// What rounded rectangles of one opaque colour show between their corners, as plain rectangles:
/// llvmpipe fills those in a tenth of the time.
///
/// Those of some batches one after another are drawn before the batches. That changes no pixel,
/// since nothing is left of an item behind where they lie.
struct SolidInsides {
  struct Rect {
    var rect: PixelRect
    /// As in `ItemColor.bytes`.
    var color: UInt32
  }

  /// Batches one after another whose insides are drawn together.
  struct Run {
    /// Their places in the pass.
    var batches: Range<Int>
    var rects: Range<Int>
  }

  /// Number of pixels of a run from which on it saves more than a change of programs takes.
  static let fewestPixels = 16384
  /// Number of pixels of an inside for each rectangle that is added.
  static let pixelsWorthPiece = 256

  private(set) var rects: [Rect] = []
  private(set) var runs: [Run] = []
  /// The run that is being gathered, from its last batch to its first.
  private var batches = 0..<0
  private var firstRect = 0
  private var area = 0
  private var cells = RectCells()
  private var near: [Int32] = []
  /// What is left of the last item that something was taken from.
  private(set) var pieces: [PixelRect] = []
  private var left: [PixelRect] = []

  mutating func removeAll() {
    rects.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
  }

  /// Begins with another pass, of which such parts are drawn.
  mutating func beginPass(_ parts: [PixelRect]) {
    runs.removeAll(keepingCapacity: true)
    (batches, area, firstRect) = (0..<0, 0, rects.count)
    cells.begin(parts.reduce(.empty) { $0.union($1) })
  }

  /// Whether a batch has such items, and belongs to a run.
  static func has(_ batch: FramePlan.Batch) -> Bool {
    batch.outlines == .upright && batch.blend == .sourceOver
      && (batch.program == .rounded || batch.program == .continuous)
  }

  /// Adds the batch before those of the run.
  mutating func add(_ number: Int) {
    batches = number..<(batches.isEmpty ? number + 1 : batches.upperBound)
  }

  /// Ends the run. Returns false if it has too little, and is forgotten.
  mutating func endRun() -> Bool {
    let isWorthIt = area >= Self.fewestPixels
    if isWorthIt {
      runs.append(Run(batches: batches, rects: firstRect..<rects.count))
    } else {
      rects.removeSubrange(firstRect...)
    }
    (batches, area, firstRect) = (0..<0, 0, rects.count)
    cells.removeAll()
    return isWorthIt
  }

  /// Takes from what shows of an item its inside, if there is one, and what lies behind the insides
  /// of those in front of it. Returns whether there was any. `parts` are those of the target that
  /// are drawn.
  mutating func take(
    from shown: some Sequence<PixelRect>, of index: Int, box: PixelRect, _ list: ItemList,
    scissor: PixelRect, parts: [PixelRect]
  ) -> Bool {
    pieces.removeAll(keepingCapacity: true)
    pieces.append(contentsOf: shown)
    var isCut = false
    cells.find(near: box, &near)
    for place in near {
      let hidden = rects[Int(place)].rect
      if pieces.contains(where: { $0.meets(hidden) }) {
        pieces = pieces.outside(hidden)
        isCut = true
      }
    }
    if let color = list.opaqueColor(of: index), color >> 24 == 255 {
      let areas = list.opaqueAreas(of: index)
      for inside in [areas.0, areas.1] {
        isCut = take(inside.intersection(scissor), color, parts) || isCut
      }
    }
    return isCut
  }

  /// Takes what shows within an inside.
  private mutating func take(_ inside: PixelRect, _ color: UInt32, _ parts: [PixelRect]) -> Bool {
    guard !inside.isEmpty else { return false }
    var isCut = false
    left.removeAll(keepingCapacity: true)
    for piece in pieces {
      let taken = piece.intersection(inside)
      let before = left.count
      piece.addParts(outside: inside, to: &left)
      guard taken.area >= Self.pixelsWorthPiece * (left.count - before), !taken.isEmpty else {
        left.removeSubrange(before...)
        left.append(piece)
        continue
      }
      isCut = true
      for part in parts {
        let drawn = taken.intersection(part)
        if drawn.isEmpty { continue }
        cells.add(drawn, at: rects.count)
        rects.append(Rect(rect: drawn, color: color))
        area += drawn.area
      }
    }
    if isCut { swap(&pieces, &left) }
    return isCut
  }
}

/// Rectangles by the squares that they meet, so that those near another one are found quickly.
private struct RectCells {
  private static let side = 128

  /// For each square the places of its rectangles.
  private var lists: [[Int32]] = []
  private var used: [Int] = []
  private var bounds = PixelRect.empty
  private var columns = 0

  /// Begins with an empty area, outside of which no rectangle lies.
  mutating func begin(_ bounds: PixelRect) {
    removeAll()
    self.bounds = bounds
    columns = bounds.width / Self.side + 1
    let count = columns * (bounds.height / Self.side + 1)
    if lists.count < count { lists += Array(repeating: [], count: count - lists.count) }
  }

  mutating func removeAll() {
    for cell in used { lists[cell].removeAll(keepingCapacity: true) }
    used.removeAll(keepingCapacity: true)
  }

  mutating func add(_ rect: PixelRect, at place: Int) {
    let (rows, columns) = cells(of: rect)
    for row in rows {
      for column in columns {
        let cell = row * self.columns + column
        if lists[cell].isEmpty { used.append(cell) }
        lists[cell].append(Int32(truncatingIfNeeded: place))
      }
    }
  }

  /// Puts the places of those near a rectangle into `places`, some more than once.
  func find(near rect: PixelRect, _ places: inout [Int32]) {
    places.removeAll(keepingCapacity: true)
    let (rows, columns) = cells(of: rect)
    for row in rows {
      for column in columns { places += lists[row * self.columns + column] }
    }
  }

  /// The rows and columns of the squares that a rectangle meets.
  private func cells(of rect: PixelRect) -> (rows: Range<Int>, columns: Range<Int>) {
    let inside = rect.intersection(bounds)
    if inside.isEmpty { return (0..<0, 0..<0) }
    func cells(_ from: Int, _ to: Int) -> Range<Int> {
      from / Self.side..<(to - 1) / Self.side + 1
    }
    return (
      cells(inside.minY - bounds.minY, inside.maxY - bounds.minY),
      cells(inside.minX - bounds.minX, inside.maxX - bounds.minX)
    )
  }
}
