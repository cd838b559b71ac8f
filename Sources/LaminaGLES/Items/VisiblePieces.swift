import LaminaFramePlan
import LaminaValues

/// The parts of a frame's items that are drawn: those that no opaque item hides that comes later in
/// the same pass. What is hidden takes a CPU as long to draw as what shows.
///
/// Only items whose pixels stay the same, to the bit, whatever part of them is drawn, are cut: see
/// `OutlineForm.upright`.
struct VisiblePieces {
  /// Number of pixels that must be saved for each rectangle that is added.
  private static let pixelsWorthPiece = 512
  /// Number of rectangles of an item, at most.
  private static let mostPieces = 12
  /// Number of covers that are known at a time: those next to an item in order.
  private static let mostCovers = 32

  /// The rectangles of the items that are cut, by their places in the plan's list.
  private var ranges: [Int: Range<Int>] = [:]
  private var rects: [PixelRect] = []
  // What is known to show of the item that is being cut, and what will be left of that.
  private var shown: [PixelRect] = []
  private var left: [PixelRect] = []

  /// What is drawn of an item, in the space that it lies in; nil if all of it is.
  func pieces(of index: Int) -> ArraySlice<PixelRect>? {
    ranges.isEmpty ? nil : ranges[index].map { rects[$0] }
  }

  func vertexCount(of index: Int, _ list: ItemList) -> Int {
    pieces(of: index).map { $0.count * 6 } ?? list.items[index].vertexCount
  }

  func vertexCount(of batch: FramePlan.Batch, _ list: ItemList) -> Int {
    guard batch.outlines == .upright, !ranges.isEmpty else { return batch.vertexCount }
    return batch.items.reduce(0) { $0 + vertexCount(of: $1, list) }
  }

  mutating func removeAll() {
    ranges.removeAll(keepingCapacity: true)
    rects.removeAll(keepingCapacity: true)
  }

  /// Cuts the items of a pass.
  mutating func cut(_ pass: FramePlan.Pass, _ list: ItemList) {
    guard let first = pass.batches.firstIndex(where: { $0.outlines == .upright }) else { return }
    var covers: [PixelRect] = []
    for batch in pass.batches[first...].reversed() {
      let scissor = batch.scissor.offset(x: pass.originX, y: pass.originY)
      for index in batch.items.reversed() {
        let box = list.items[index].box
        if box.pixelCount < Self.pixelsWorthPiece { continue }
        if batch.outlines == .upright, !covers.isEmpty { cut(index, box, covers) }
        let areas = list.opaqueAreas(of: index)
        for area in [areas.0, areas.1] where !area.isEmpty {
          let cover = area.intersection(scissor)
          if cover.pixelCount < Self.pixelsWorthPiece { continue }
          if covers.count == Self.mostCovers { covers.removeFirst() }
          covers.append(cover)
        }
      }
    }
  }

  private mutating func cut(_ index: Int, _ box: PixelRect, _ covers: [PixelRect]) {
    shown.removeAll(keepingCapacity: true)
    shown.append(box)
    var isCut = false
    for cover in covers.reversed() where cover.meets(box) {
      left.removeAll(keepingCapacity: true)
      for piece in shown { piece.addParts(outside: cover, to: &left) }
      let saved = shown.pixelCount - left.pixelCount
      guard left.count <= Self.mostPieces, saved > 0,
        saved >= Self.pixelsWorthPiece * (left.count - shown.count)
      else { continue }
      swap(&shown, &left)
      isCut = true
      if shown.isEmpty { break }
    }
    guard isCut else { return }
    ranges[index] = rects.count..<rects.count + shown.count
    rects += shown
  }
}

extension [PixelRect] {
  fileprivate var pixelCount: Int { reduce(0) { $0 + $1.pixelCount } }
}

extension PixelRect {
  fileprivate var pixelCount: Int { width * height }

  /// Adds what is left of it without another rectangle.
  fileprivate func addParts(outside hole: PixelRect, to parts: inout [PixelRect]) {
    guard meets(hole) else { return parts.append(self) }
    let hole = intersection(hole)
    func add(_ minX: Int, _ minY: Int, _ maxX: Int, _ maxY: Int) {
      if minX < maxX, minY < maxY {
        parts.append(PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: maxY))
      }
    }
    add(minX, minY, maxX, hole.minY)
    add(minX, hole.minY, hole.minX, hole.maxY)
    add(hole.maxX, hole.minY, maxX, hole.maxY)
    add(minX, hole.maxY, maxX, maxY)
  }
}
