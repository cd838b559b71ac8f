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
  /// What is drawn of the target, and of the batch that was added last.
  private var parts: [PixelRect] = []
  private var partsOfBatch: [PixelRect] = []
  /// The run that is being gathered, from its last batch to its first.
  private var batches = 0..<0
  private var firstRect = 0
  private var area = 0
  /// What its items hide of those behind them.
  private var covers: [(PixelRect, PixelRect)] = []
  private var cells = RectCells()

  mutating func removeAll() {
    rects.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
  }

  /// Begins with another pass, of which such parts are drawn.
  mutating func beginPass(_ parts: [PixelRect]) {
    self.parts = parts
    runs.removeAll(keepingCapacity: true)
    beginRun()
    cells.begin(parts.reduce(.empty) { $0.union($1) })
  }

  /// Whether a batch has such items, and belongs to a run.
  static func has(_ batch: FramePlan.Batch) -> Bool {
    batch.outlines == .upright && batch.blend == .sourceOver
      && (batch.program == .rounded || batch.program == .continuous)
  }

  private mutating func beginRun() {
    (batches, area, firstRect) = (0..<0, 0, rects.count)
    covers.removeAll(keepingCapacity: true)
    cells.removeAll()
  }

  /// Adds the batch before those of the run.
  mutating func add(_ number: Int, within scissor: PixelRect) {
    batches = number..<(batches.isEmpty ? number + 1 : batches.upperBound)
    partsOfBatch.removeAll(keepingCapacity: true)
    for part in parts where part.meets(scissor) { partsOfBatch.append(part) }
  }

  /// Ends the run. Returns false if it has too little, and is forgotten.
  mutating func endRun() -> Bool {
    let isWorthIt = area >= Self.fewestPixels
    if isWorthIt {
      runs.append(Run(batches: batches, rects: firstRect..<rects.count))
    } else {
      rects.removeSubrange(firstRect...)
    }
    beginRun()
    return isWorthIt
  }

  /// Takes from what shows of an item of the last batch, which lies in a box, what those in front
  /// of it hide, and its inside. It has such opaque areas, of such a colour if they have one.
  mutating func take(
    from shown: inout PixelRegion, box: PixelRect, _ color: UInt32?,
    _ areas: (PixelRect, PixelRect), within scissor: PixelRect
  ) {
    cells.forEach(near: box) { place in
      shown.subtract(covers[place].0)
      shown.subtract(covers[place].1)
      return !shown.isEmpty
    }
    // What shows too little of itself to have an inside hides hardly more than those in front.
    guard shown.area >= Self.pixelsWorthPiece, let color, color >> 24 == 255 else { return }
    let whole = (areas.0.intersection(scissor), areas.1.intersection(scissor))
    cells.add(whole.0.union(whole.1), at: covers.count)
    covers.append(whole)
    take(whole.0, color, from: &shown)
    take(whole.1, color, from: &shown)
  }

  /// Takes what shows within an inside.
  private mutating func take(
    _ inside: PixelRect, _ color: UInt32, from shown: inout PixelRegion
  ) {
    shown.subtract(inside) { taken, restCount in
      guard taken.area >= Self.pixelsWorthPiece * restCount else { return false }
      for part in partsOfBatch {
        let drawn = taken.intersection(part)
        if drawn.isEmpty { continue }
        rects.append(Rect(rect: drawn, color: color))
        area += drawn.area
      }
      return true
    }
  }
}

/// Rectangles by the squares that they meet, so that those near another one are found quickly.
private struct RectCells {
  private static let side = 128

  /// A rectangle in a square's list.
  private struct Entry {
    var place: Int32
    /// The next one of the list; -1 for none.
    var next: Int32
    /// The first square that it meets.
    var row: Int32
    var column: Int32
  }

  /// For each square the first of its list's entries; -1 for none.
  private var firsts: [Int32] = []
  private var entries: [Entry] = []
  private var used: [Int] = []
  private var bounds = PixelRect.empty
  private var columns = 0

  /// Begins with an empty area, outside of which no rectangle lies.
  mutating func begin(_ bounds: PixelRect) {
    removeAll()
    self.bounds = bounds
    columns = bounds.width / Self.side + 1
    let count = columns * (bounds.height / Self.side + 1)
    if firsts.count < count {
      firsts += Array(repeating: -1, count: count - firsts.count)
    }
  }

  mutating func removeAll() {
    for cell in used { firsts[cell] = -1 }
    used.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }

  mutating func add(_ rect: PixelRect, at place: Int) {
    let (rows, columns) = cells(of: rect)
    for row in rows {
      for column in columns {
        let cell = row * self.columns + column
        if firsts[cell] < 0 { used.append(cell) }
        entries.append(
          Entry(
            place: Int32(truncatingIfNeeded: place), next: firsts[cell],
            row: Int32(truncatingIfNeeded: rows.lowerBound),
            column: Int32(truncatingIfNeeded: columns.lowerBound)))
        firsts[cell] = Int32(truncatingIfNeeded: entries.count - 1)
      }
    }
  }

  /// Calls `body` with the places of those near a rectangle, as long as it returns true.
  func forEach(near rect: PixelRect, _ body: (Int) -> Bool) {
    let (rows, columns) = cells(of: rect)
    for row in rows {
      for column in columns {
        var next = firsts[row * self.columns + column]
        while next >= 0 {
          let entry = entries[Int(next)]
          // Only in the first of the squares that both meet.
          if row == max(Int(entry.row), rows.lowerBound),
            column == max(Int(entry.column), columns.lowerBound)
          {
            if !body(Int(entry.place)) { return }
          }
          next = entry.next
        }
      }
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
