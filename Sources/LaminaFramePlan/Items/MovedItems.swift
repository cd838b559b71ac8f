import LaminaValues

extension ItemList {
  /// The longest side of a target to which items are moved: floats are exact on 1024ths within it.
  package static let longestSideOfMoves = 1 << 14

  /// Whether an item of a batch is drawn the same, to the bit, wherever it is moved by whole
  /// pixels: whether it is a rectangle along the pixels, maybe with round corners, or a border or a
  /// shadow of one, in one colour. Nothing of that is interpolated.
  package func canMove(_ index: Int, of batch: FramePlan.Batch) -> Bool {
    switch batch.program {
    case .solid:
      if case .ramp = items[index].color { return false }
      return isUpright(items[index])
    default: return batch.outlines == .upright
    }
  }

  /// Moves such an item, after it was put on a grid on which floats are exact in any place: each
  /// corner on the 256ths of a pixel that devices draw in, without what is painted there. One that
  /// covers an outline, of which no side shows, keeps its size, and its first corner is put on
  /// 1024ths.
  package mutating func move(_ index: Int, x: Int, y: Int) {
    let item = items[index]
    items[index].box = item.box.offset(x: x, y: y)
    let places = Int(item.firstCorner)..<Int(item.firstCorner + item.cornerCount)
    func toGrid(_ corner: ItemCorner, steps: Double) -> SIMD2<Double> {
      let place = SIMD2(corner.x, corner.y)
      // Farther away nothing shows.
      guard max(abs(place.x), abs(place.y)) < 1e9 else { return .zero }
      return (place * steps + 0.5).rounded(.down) / steps - place
    }
    let first = toGrid(corners[places.lowerBound], steps: 1024)
    let scale = item.program.isShadow ? pixelsPerUnit(of: item) : nil
    for place in places {
      let shift = item.program.coversOutline ? first : toGrid(corners[place], steps: 256)
      corners[place].x += shift.x + Double(x)
      corners[place].y += shift.y + Double(y)
      if let scale {
        corners[place].localX += shift.x / scale
        corners[place].localY += shift.y / scale
      }
    }
  }
}
