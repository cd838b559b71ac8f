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
  /// Number of covers that an item is compared with: those next to it in order.
  private static let mostCovers = 32

  /// What is drawn of an item that is cut.
  private struct Cut {
    var item: Int
    var rects: Range<Int>
  }

  private var cuts: [Cut] = []
  private var rects: [PixelRect] = []
  /// For each of the plan's items the place of its last cut, counted from 1; 0 if it has none.
  /// Those of the last ones may be missing.
  private var places: [UInt32] = []
  /// What is known to show of the item that is being cut.
  private var shown = PixelRegion()
  /// What is not sampled of the target, and of what the batch draws that is being cut.
  private var unsampled: [PixelRect] = []
  private var unsampledOfBatch: [PixelRect] = []
  /// What the batches after this one hide.
  private var covers: [PixelRect] = []
  private(set) var insides = SolidInsides()

  /// What is drawn of an item, in the space that it lies in; nil if all of it is.
  func pieces(of index: Int) -> ArraySlice<PixelRect>? { cut(of: index).map { rects[$0.rects] } }

  private func cut(of index: Int) -> Cut? {
    index < places.count && places[index] > 0 ? cuts[Int(places[index]) - 1] : nil
  }

  func vertexCount(of index: Int, _ list: ItemList) -> Int {
    cut(of: index).map { $0.rects.count * 6 } ?? list.items[index].vertexCount
  }

  func vertexCount(of batch: FramePlan.Batch, _ list: ItemList) -> Int {
    guard batch.mayBeCut, !cuts.isEmpty else { return batch.vertexCount }
    return batch.items.reduce(0) { $0 + vertexCount(of: $1, list) }
  }

  mutating func removeAll() {
    for cut in cuts { places[cut.item] = 0 }
    cuts.removeAll(keepingCapacity: true)
    rects.removeAll(keepingCapacity: true)
    insides.removeAll()
  }

  /// Cuts the items of a pass.
  mutating func cut(_ pass: FramePlan.Pass, _ list: ItemList) {
    insides.beginPass(pass.parts.map { $0.offset(x: pass.originX, y: pass.originY) })
    guard let first = pass.batches.firstIndex(where: \.mayBeCut) else { return }
    unsampled.removeAll(keepingCapacity: true)
    for rect in pass.unsampled { unsampled.append(rect.offset(x: pass.originX, y: pass.originY)) }
    covers.removeAll(keepingCapacity: true)
    var end = pass.batches.count
    while end > first {
      var start = end
      while start > first, SolidInsides.has(pass.batches[start - 1]) { start -= 1 }
      if start == end || !takeInsides(of: start..<end, in: pass, list) {
        start = min(start, end - 1)
        for batch in pass.batches[start..<end].reversed() { cut(batch, in: pass, list) }
      }
      end = start
    }
  }

  /// Begins with a batch, and returns its scissor in the space that its items lie in.
  private mutating func begin(_ batch: FramePlan.Batch, in pass: FramePlan.Pass) -> PixelRect {
    let scissor = batch.scissor.offset(x: pass.originX, y: pass.originY)
    unsampledOfBatch.removeAll(keepingCapacity: true)
    for rect in unsampled where rect.meets(scissor) { unsampledOfBatch.append(rect) }
    return scissor
  }

  /// Cuts the items of a batch, those behind the ones that were cut before.
  private mutating func cut(
    _ batch: FramePlan.Batch, in pass: FramePlan.Pass, _ list: ItemList
  ) {
    let scissor = begin(batch, in: pass)
    let mayBeCut = batch.mayBeCut
    for index in batch.items.reversed() {
      guard list.items[index].box.area >= Self.pixelsWorthPiece else { continue }
      let (areas, covered) = list.coverage(of: index)
      if mayBeCut, !covers.isEmpty || !unsampledOfBatch.isEmpty, list.mayBeCut(index) {
        shown.set(covered)
        leaveOutHidden(of: covered)
        if shown.area < covered.area { addCut(of: index) }
      }
      addCover(areas.0.intersection(scissor), to: &covers)
      addCover(areas.1.intersection(scissor), to: &covers)
    }
  }

  /// Cuts the items of some batches one after another, and draws their insides before them. Returns
  /// false if there is too little of these, and nothing is cut.
  private mutating func takeInsides(
    of numbers: Range<Int>, in pass: FramePlan.Pass, _ list: ItemList
  ) -> Bool {
    let firstCut = cuts.count
    var coversOfRun: [PixelRect] = []
    for number in numbers.reversed() {
      let batch = pass.batches[number]
      let scissor = begin(batch, in: pass)
      insides.add(number, within: scissor)
      for index in batch.items.reversed() {
        let isLarge = list.items[index].box.area >= Self.pixelsWorthPiece
        let (areas, covered) = list.coverage(of: index)
        shown.set(covered)
        if isLarge { leaveOutHidden(of: covered) }
        insides.take(
          from: &shown, box: covered, list.opaqueColor(of: index), areas, within: scissor)
        if shown.area < covered.area { addCut(of: index) }
        guard isLarge else { continue }
        addCover(areas.0.intersection(scissor), to: &coversOfRun)
        addCover(areas.1.intersection(scissor), to: &coversOfRun)
      }
    }
    guard insides.endRun() else {
      for cut in cuts[firstCut...] { places[cut.item] = 0 }
      return false
    }
    covers += coversOfRun
    covers.removeFirst(max(0, covers.count - Self.mostCovers))
    return true
  }

  private func addCover(_ cover: PixelRect, to covers: inout [PixelRect]) {
    if cover.area < Self.pixelsWorthPiece { return }
    if covers.count == 2 * Self.mostCovers { covers.removeFirst(Self.mostCovers) }
    covers.append(cover)
  }

  /// What shows of an item is what will be drawn of it.
  private mutating func addCut(of index: Int) {
    cuts.append(Cut(item: index, rects: rects.count..<rects.count + shown.rectCount))
    shown.append(to: &rects)
    if places.count <= index {
      places += repeatElement(0, count: index + 1 - places.count)
    }
    places[index] = UInt32(truncatingIfNeeded: cuts.count)
  }

  /// Leaves out of what shows of an item what is not sampled, and what lies behind covers.
  private mutating func leaveOutHidden(of box: PixelRect) {
    for rect in unsampledOfBatch where rect.meets(box) { leaveOut(rect) }
    for cover in covers.suffix(Self.mostCovers).reversed() where cover.meets(box) {
      leaveOut(cover)
    }
  }

  /// Leaves a rectangle out of what shows, if that saves enough.
  private mutating func leaveOut(_ rect: PixelRect) {
    let change = shown.change(subtracting: rect)
    guard change.area < 0, shown.rectCount + change.rectCount <= Self.mostPieces,
      -change.area >= Self.pixelsWorthPiece * change.rectCount
    else { return }
    shown.subtract(rect)
  }
}

extension FramePlan.Batch {
  /// Whether some of its items may be cut.
  fileprivate var mayBeCut: Bool { outlines == .upright || program == .solid && isAffine }
}

extension ItemList {
  /// Whether an item of such a batch may be cut: a rounded one, or a rectangle of one colour along
  /// the pixels.
  fileprivate func mayBeCut(_ index: Int) -> Bool {
    guard items[index].program == .solid else { return true }
    guard case .bytes = items[index].color else { return false }
    return isUpright(items[index])
  }
}
