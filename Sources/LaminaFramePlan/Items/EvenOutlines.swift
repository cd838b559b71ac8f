import LaminaValues

/// What is known of an item's outline besides its size and its radii.
@usableFromInline package enum OutlineForm: Hashable, Sendable {
  /// Nothing; or the item has none.
  case any
  /// It is even: its corners are equal, and it is shown without being stretched, skewed or seen in
  /// perspective. Then a distance from it is one in pixels, in all directions.
  case even
  /// It is even and neither turned nor mirrored, and what lies inside is in one colour: all of it,
  /// or a border. The radius is larger by half a pixel or more than the border's width, if it has
  /// one. Or it is a shadow's, which need not have equal corners.
  ///
  /// What a pixel becomes then depends on its place alone, whatever part of the item's rectangle is
  /// drawn.
  case upright
}

extension ItemList {
  /// What is known of an item's outline.
  package func outlineForm(of item: Item) -> OutlineForm {
    guard item.program.hasOutline, let scale = pixelsPerUnit(of: item) else { return .any }
    let isUpright = isUprightInOneColor(item)
    if item.program.isShadow { return isUpright ? .upright : .any }
    let radii = outlines[Int(item.outline)].radii
    guard radii == SIMD4(repeating: radii.x) else { return .any }
    let inset: Double
    switch item.program.basic {
    case .rounded: inset = 0
    case .roundedBorder: inset = Double(item.numbers.x)
    default: return .even
    }
    return isUpright && (radii.x - inset) * scale >= 0.5 ? .upright : .even
  }

  /// Whether an item that is a rectangle of the layer's space is neither turned nor mirrored, and
  /// its colour does not vary.
  private func isUprightInOneColor(_ item: Item) -> Bool {
    if case .ramp = item.color { return false }
    let first = Int(item.firstCorner)
    let (start, along, down) = (corners[first], corners[first + 1], corners[first + 3])
    return along.y == start.y && along.localY == start.localY && down.x == start.x
      && down.localX == start.localX && along.x > start.x && along.localX > start.localX
      && down.y > start.y && down.localY > start.localY && corners[first + 2].x == along.x
      && corners[first + 2].y == down.y
  }

  /// Number of pixels to a unit of the layer's space, if the item is shown without being stretched,
  /// skewed or seen in perspective.
  ///
  /// The item is a rectangle of the layer's space.
  package func pixelsPerUnit(of item: Item) -> Double? {
    guard item.cornerCount == 4, item.shape == .fan else { return nil }
    let first = Int(item.firstCorner)
    let (start, along, opposite) = (corners[first], corners[first + 1], corners[first + 2])
    let down = corners[first + 3]
    guard start.w == 1, along.w == 1, opposite.w == 1, down.w == 1 else { return nil }
    let (right, below) = (
      SIMD2(along.x - start.x, along.y - start.y), SIMD2(down.x - start.x, down.y - start.y)
    )
    let (localRight, localBelow) = (
      SIMD2(along.localX - start.localX, along.localY - start.localY),
      SIMD2(down.localX - start.localX, down.localY - start.localY)
    )
    func product(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { (a * b).sum() }
    let square = product(right, right) / product(localRight, localRight)
    let (width, height) = (product(right, right), product(below, below))
    // A product of 0 makes a number that is not finite, and no comparison with it holds.
    guard square > 0, square.isFinite,
      abs(height - square * product(localBelow, localBelow)) <= 1e-6 * height,
      abs(product(right, below) - square * product(localRight, localBelow))
        <= 1e-6 * (width * height).squareRoot()
    else { return nil }
    return square.squareRoot()
  }
}
