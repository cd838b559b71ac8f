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
  private var covers: [PixelRect] = []
  private(set) var insides = SolidInsides()
  /// The items of the run whose insides are being gathered, with their places before.
  private var placesBefore: [(item: Int, place: UInt32)] = []

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
    let unsampled = pass.unsampled.map { $0.offset(x: pass.originX, y: pass.originY) }
    covers.removeAll(keepingCapacity: true)
    for number in (first..<pass.batches.count).reversed() {
      let batch = pass.batches[number]
      let scissor = batch.scissor.offset(x: pass.originX, y: pass.originY)
      let hasInsides = SolidInsides.has(batch)
      if hasInsides { insides.add(number, within: scissor) } else { endInsides() }
      let mayBeCut = batch.mayBeCut
      for index in batch.items.reversed() {
        let box = list.items[index].box
        let isLarge = box.area >= Self.pixelsWorthPiece
        guard isLarge || hasInsides else { continue }
        let (areas, covered) = list.coverage(of: index)
        if isLarge, mayBeCut, !covers.isEmpty || !unsampled.isEmpty, list.mayBeCut(index) {
          cut(index, covered, unsampled)
        }
        if hasInsides {
          takeInside(of: index, covered, list.opaqueColor(of: index), areas, within: scissor)
        }
        guard isLarge else { continue }
        addCover(areas.0.intersection(scissor))
        addCover(areas.1.intersection(scissor))
      }
    }
    endInsides()
  }

  private mutating func addCover(_ cover: PixelRect) {
    if cover.area < Self.pixelsWorthPiece { return }
    if covers.count == Self.mostCovers { covers.removeFirst() }
    covers.append(cover)
  }

  /// Takes from what shows of an item its inside, and what the insides in front of it hide.
  private mutating func takeInside(
    of index: Int, _ box: PixelRect, _ color: UInt32?, _ areas: (PixelRect, PixelRect),
    within scissor: PixelRect
  ) {
    let known = cut(of: index)
    shown.removeAll()
    if let known { for place in known.rects { shown.add(rects[place]) } } else { shown.add(box) }
    guard insides.take(from: &shown, box: box, color, areas, within: scissor) else { return }
    placesBefore.append((index, known == nil ? 0 : places[index]))
    addCut(of: index)
  }

  /// What shows of an item is what will be drawn of it.
  private mutating func addCut(of index: Int) {
    cuts.append(Cut(item: index, rects: rects.count..<rects.count + shown.rects.count))
    rects += shown.rects
    if places.count <= index {
      places += repeatElement(0, count: index + 1 - places.count)
    }
    places[index] = UInt32(truncatingIfNeeded: cuts.count)
  }

  private mutating func endInsides() {
    if !insides.endRun() { for (index, place) in placesBefore { places[index] = place } }
    placesBefore.removeAll(keepingCapacity: true)
  }

  private mutating func cut(_ index: Int, _ box: PixelRect, _ unsampled: [PixelRect]) {
    shown.removeAll()
    shown.add(box)
    for rect in unsampled where rect.meets(box) { leaveOut(rect) }
    for cover in covers.reversed() where cover.meets(box) { leaveOut(cover) }
    if shown.area < box.area { addCut(of: index) }
  }

  /// Leaves a rectangle out of what shows, if that saves enough.
  private mutating func leaveOut(_ rect: PixelRect) {
    let change = shown.change(subtracting: rect)
    guard change.area < 0, shown.rects.count + change.rectCount <= Self.mostPieces,
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
