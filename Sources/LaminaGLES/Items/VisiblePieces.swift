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
  private var shownArea = 0
  private var left: [PixelRect] = []
  private(set) var insides = SolidInsides()
  /// What was known to show of items of the run whose insides are being gathered.
  private var rangesBefore: [(index: Int, range: Range<Int>?)] = []

  /// What is drawn of an item, in the space that it lies in; nil if all of it is.
  func pieces(of index: Int) -> ArraySlice<PixelRect>? {
    ranges.isEmpty ? nil : ranges[index].map { rects[$0] }
  }

  func vertexCount(of index: Int, _ list: ItemList) -> Int {
    pieces(of: index).map { $0.count * 6 } ?? list.items[index].vertexCount
  }

  func vertexCount(of batch: FramePlan.Batch, _ list: ItemList) -> Int {
    guard batch.mayBeCut, !ranges.isEmpty else { return batch.vertexCount }
    return batch.items.reduce(0) { $0 + vertexCount(of: $1, list) }
  }

  mutating func removeAll() {
    ranges.removeAll(keepingCapacity: true)
    rects.removeAll(keepingCapacity: true)
    insides.removeAll()
  }

  /// Cuts the items of a pass.
  mutating func cut(_ pass: FramePlan.Pass, _ list: ItemList) {
    let parts = pass.parts.map { $0.offset(x: pass.originX, y: pass.originY) }
    insides.beginPass(parts)
    guard let first = pass.batches.firstIndex(where: \.mayBeCut) else { return }
    let unsampled = pass.unsampled.map { $0.offset(x: pass.originX, y: pass.originY) }
    var covers: [PixelRect] = []
    for number in (first..<pass.batches.count).reversed() {
      let batch = pass.batches[number]
      let scissor = batch.scissor.offset(x: pass.originX, y: pass.originY)
      let hasInsides = SolidInsides.has(batch)
      if hasInsides { insides.add(number) } else { endInsides() }
      for index in batch.items.reversed() {
        let box = list.items[index].box
        defer {
          if hasInsides { takeInside(of: index, box, list, scissor, parts) }
        }
        if box.area < Self.pixelsWorthPiece { continue }
        if batch.mayBeCut, !covers.isEmpty || !unsampled.isEmpty, list.mayBeCut(index) {
          cut(index, box, covers, unsampled)
        }
        let areas = list.opaqueAreas(of: index)
        for area in [areas.0, areas.1] where !area.isEmpty {
          let cover = area.intersection(scissor)
          if cover.area < Self.pixelsWorthPiece { continue }
          if covers.count == Self.mostCovers { covers.removeFirst() }
          covers.append(cover)
        }
      }
    }
    endInsides()
  }

  /// Takes from what shows of an item its inside, and what the insides in front of it hide.
  private mutating func takeInside(
    of index: Int, _ box: PixelRect, _ list: ItemList, _ scissor: PixelRect, _ parts: [PixelRect]
  ) {
    let range = ranges[index]
    let isCut =
      if let range {
        insides.take(
          from: rects[range], of: index, box: box, list, scissor: scissor, parts: parts)
      } else {
        insides.take(
          from: CollectionOfOne(box), of: index, box: box, list, scissor: scissor, parts: parts)
      }
    guard isCut else { return }
    rangesBefore.append((index, range))
    ranges[index] = rects.count..<rects.count + insides.pieces.count
    rects += insides.pieces
  }

  private mutating func endInsides() {
    if !insides.endRun() { for (index, range) in rangesBefore { ranges[index] = range } }
    rangesBefore.removeAll(keepingCapacity: true)
  }

  private mutating func cut(
    _ index: Int, _ box: PixelRect, _ covers: [PixelRect], _ unsampled: [PixelRect]
  ) {
    shown.removeAll(keepingCapacity: true)
    shown.append(box)
    shownArea = box.area
    var isCut = false
    for rect in unsampled { isCut = leaveOut(rect, of: box) || isCut }
    for cover in covers.reversed() where !shown.isEmpty {
      isCut = leaveOut(cover, of: box) || isCut
    }
    guard isCut else { return }
    ranges[index] = rects.count..<rects.count + shown.count
    rects += shown
  }

  /// Leaves a rectangle out of what shows of a box, if that saves enough.
  private mutating func leaveOut(_ rect: PixelRect, of box: PixelRect) -> Bool {
    guard rect.meets(box), rect.intersection(box).area >= Self.pixelsWorthPiece else {
      return false
    }
    left.removeAll(keepingCapacity: true)
    for piece in shown { piece.addParts(outside: rect, to: &left) }
    let leftArea = left.reduce(0) { $0 + $1.area }
    guard left.count <= Self.mostPieces, leftArea < shownArea,
      shownArea - leftArea >= Self.pixelsWorthPiece * (left.count - shown.count)
    else { return false }
    swap(&shown, &left)
    shownArea = leftArea
    return true
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
