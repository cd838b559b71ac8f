import LaminaValues

extension ItemList {
  /// The pixels of an item that is a rectangle of whole ones; nil if it is something else.
  package func wholePixels(of item: Item) -> PixelRect? {
    guard item.shape == .fan, item.cornerCount == 4 else { return nil }
    let first = Int(item.firstCorner)
    func isWhole(_ coordinate: Double) -> Bool {
      abs(coordinate) < 1e9 && abs(coordinate - coordinate.rounded()) < 1e-6
    }
    guard
      corners[first..<first + 4].allSatisfy({ $0.w == 1 && isWhole($0.x) && isWhole($0.y) })
    else { return nil }
    func place(_ corner: Int) -> (x: Int, y: Int) {
      (Int(corners[first + corner].x.rounded()), Int(corners[first + corner].y.rounded()))
    }
    let (start, next, opposite, last) = (place(0), place(1), place(2), place(3))
    guard
      start.y == next.y && next.x == opposite.x && opposite.y == last.y && last.x == start.x
        || start.x == next.x && next.y == opposite.y && opposite.x == last.x && last.y == start.y
    else { return nil }
    return PixelRect(
      minX: min(start.x, opposite.x), minY: min(start.y, opposite.y),
      maxX: max(start.x, opposite.x), maxY: max(start.y, opposite.y))
  }
}
