import Foundation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// The effect of filters on extents, for the few rows that have filters.
struct FilterExtents {
  /// Extents without the blur, of rows that have one.
  var unfiltered: [Int: CGRect] = [:]
  /// By row: how many pixels beyond the visible area the backdrop filters in it read.
  var backdropReaches: [Int: Int] = [:]
  /// Rows with background filters that read beyond their pixels, and how far.
  var backdropReads: [(row: Int, reach: Int)] = []
  /// Rows with a layer below that reads the backdrop and lies in no group below the row.
  var readsBackdrop: Set<Int> = []

  var isEmpty: Bool {
    unfiltered.isEmpty && backdropReaches.isEmpty && readsBackdrop.isEmpty
  }

  fileprivate mutating func note(
    _ filters: LayerFilters, of row: Int, through projection: Projection, at center: CGPoint
  ) {
    let reach = LayerFilters.reach(of: filters.backdropSteps, through: projection, at: center)
    guard reach > 0 else { return }
    backdropReaches[row, default: 0] += reach
    backdropReads.append((row, reach))
  }
}

extension RenderTree {
  /// The area that each row and everything below it may touch, in the surface's pixels: never too
  /// small.
  func extents(
    of evaluated: EvaluatedTree, bitmaps: [Int: LayerBitmap]
  ) -> (rows: [CGRect], filters: FilterExtents) {
    var filters = FilterExtents()
    var extents = [CGRect](repeating: .null, count: evaluated.rows.count)
    let everything = evaluated.area.cgRect
    // Children come after their parents, so in reverse order each extent is complete when it is
    // reached.
    let hasBitmaps = !bitmaps.isEmpty
    for index in evaluated.rows.indices.reversed() {
      if !hasBitmaps, filters.isEmpty,
        let extent = plainExtent(of: index, below: extents[index], in: evaluated, everything)
      {
        extents[index] = extent
        let parent = evaluated.rows[index].parent
        if parent >= 0, evaluated.rows[parent].mask != index {
          extents[parent] = extents[parent].union(extent)
        }
        continue
      }
      let row = evaluated.rows[index]
      if let bitmap = bitmaps[index] {
        let projection = Projection(row.toSurface)
        extents[index] = Self.box(of: bitmap.rect, through: projection) ?? everything
        filters.backdropReaches[index] = nil
        if let own = LayerFilters(
          values(of: row, in: evaluated), isMask: false, isRasterized: true)
        {
          filters.note(own, of: index, through: projection, at: bitmap.rect.center)
        }
      } else if row.transition < 0 {
        // A transition paints nothing itself; its sides have rows of their own.
        extents[index] = extent(
          of: index, below: extents[index], in: evaluated, everything, &filters)
      }
      let readsBackdropItself = readsBackdropItself(
        index, of: evaluated, isRasterized: bitmaps[index] != nil, filters)
      let extent = extents[index]
      guard row.parent >= 0, evaluated.rows[row.parent].mask != index else { continue }
      if readsBackdropItself { filters.readsBackdrop.insert(row.parent) }
      extents[row.parent] = extents[row.parent].union(extent)
      if let reach = filters.backdropReaches[index] {
        filters.backdropReaches[row.parent, default: 0] += reach
      }
    }
    return (extents, filters)
  }

  /// The extent of a layer that draws in its bounds only, as most do; nil for any other. Reads the
  /// layer's values in place.
  private func plainExtent(
    of index: Int, below: CGRect, in evaluated: EvaluatedTree, _ everything: CGRect
  ) -> CGRect? {
    evaluated.rows.withUnsafeBufferPointer { rows in
      let row = rows.baseAddress! + index
      guard row.pointee.transition < 0, row.pointee.contentsMix < 0,
        row.pointee.kind != .shape, row.pointee.kind != .transform
      else { return nil }
      return withValues(of: row, in: evaluated) { values in
        guard values.pointee.contents == nil, !LayerValues.hasEffects(at: values) else {
          return nil
        }
        let projection = Projection(row.pointee.toSurface)
        let bounds = values.pointee.bounds
        let box = Self.box(of: bounds, through: projection)
        let extent = bounds.isNull ? below : box.map { below.union($0) } ?? everything
        return values.pointee.masksToBounds ? extent.intersection(box ?? everything) : extent
      }
    }
  }

  /// Whether a row reads the backdrop. The result for the rows below it must be known already.
  private func readsBackdropItself(
    _ index: Int, of evaluated: EvaluatedTree, isRasterized: Bool, _ filters: FilterExtents
  ) -> Bool {
    let row = evaluated.rows[index]
    let isReadThrough = filters.readsBackdrop.contains(index)
    guard row.transition < 0 else {
      // A fade mixes two groups, which have no backdrop.
      return isReadThrough && evaluated.transitions[row.transition].values.style != .fade
    }
    guard row.kind != .transform else { return isReadThrough }
    guard isReadThrough || hasEffects(row, in: evaluated) else { return false }
    let values = values(of: row, in: evaluated)
    let own = LayerFilters(values, isMask: false, isRasterized: isRasterized)
    if own?.readsBackdrop == true { return true }
    return isReadThrough && !isRasterized && !values.isGroup(isMasked: row.mask >= 0, own)
  }

  private func extent(
    of index: Int, below: CGRect, in evaluated: EvaluatedTree, _ everything: CGRect,
    _ filters: inout FilterExtents
  ) -> CGRect {
    let row = evaluated.rows[index]
    // A CATransformLayer draws only its sublayers.
    if row.kind == .transform { return below }
    let values = values(of: row, in: evaluated)
    let projection = Projection(row.toSurface)
    var extent = body(of: row, values, projection, below: below, in: evaluated) ?? everything
    if let shadow = values.shadow {
      extent = extent.union(
        self.extent(of: shadow, of: values.effects.shadowPath, body: extent, projection)
          ?? everything)
    }
    if let own = LayerFilters(values, isMask: false, isRasterized: false) {
      let center = values.bounds.center
      let reach = LayerFilters.reach(of: own.steps, through: projection, at: center)
      if reach > 0 {
        filters.unfiltered[index] = extent
        extent = extent.insetBy(dx: -CGFloat(reach), dy: -CGFloat(reach))
      }
      filters.note(own, of: index, through: projection, at: center)
    }
    if values.masksToBounds {
      let bounds = Self.box(of: values.bounds, through: projection) ?? everything
      extent = extent.intersection(bounds)
    }
    return extent
  }

  /// The area that a layer and those below it draw on, without the layer's own shadow and clip; nil
  /// if unbounded. `below` is the area of those below.
  private func body(
    of row: EvaluatedTree.Row, _ values: LayerValues, _ projection: Projection, below: CGRect,
    in evaluated: EvaluatedTree
  ) -> CGRect? {
    var body = below
    for rect in [values.bounds] + furtherRects(of: row, values, in: evaluated) where !rect.isNull {
      guard let box = Self.box(of: rect, through: projection) else { return nil }
      body = body.union(box)
    }
    return body
  }

  /// The body of a row, with the area below it taken from `extents`, the extents of all rows.
  func body(of index: Int, _ extents: [CGRect], in evaluated: EvaluatedTree) -> CGRect? {
    let row = evaluated.rows[index]
    let below = evaluated.sublayers(of: index).reduce(CGRect.null) { $0.union(extents[$1]) }
    return body(
      of: row, values(of: row, in: evaluated), Projection(row.toSurface),
      below: below, in: evaluated)
  }

  /// The area that a shadow touches, cast by `path` or, if that is nil, by `body`; nil if
  /// unbounded.
  private func extent(
    of shadow: ShadowStyle, of path: Path?, body: CGRect, _ projection: Projection
  ) -> CGRect? {
    let spread = CGFloat(ShadowStyle.sigmas * shadow.sigma)
    let offset = shadow.offset
    let caster = path?.inkBounds(.fill(.nonZero))
    if caster?.isNull == true { return .null }
    guard projection.isAffine else {
      guard let caster else { return nil }
      let reach = caster.offsetBy(dx: offset.width, dy: offset.height)
        .insetBy(dx: -spread, dy: -spread)
      return Self.box(of: reach, through: projection)
    }
    guard let box = caster.map({ Self.box(of: $0, through: projection) }) ?? body else {
      return nil
    }
    let linear = projection.affine
    let far: CGFloat = 1e6
    let (x, y) = (
      linear.a * offset.width + linear.c * offset.height,
      linear.b * offset.width + linear.d * offset.height
    )
    // No surface shows a shadow that is farther away, and adding its offset would round away near
    // coordinates.
    guard abs(x) < far, abs(y) < far else { return .null }
    return box.offsetBy(dx: x, dy: y).insetBy(
      dx: -min(spread * hypot(linear.a, linear.c), far),
      dy: -min(spread * hypot(linear.b, linear.d), far))
  }

  /// The areas that the layer itself may draw on besides its bounds, in its own space.
  private func furtherRects(
    of row: EvaluatedTree.Row, _ values: LayerValues, in evaluated: EvaluatedTree
  ) -> [CGRect] {
    var rects: [CGRect] = []
    for id in evaluated.contents(of: row, values.contents) {
      guard let image = drawnImage(id, of: row, in: evaluated) else { continue }
      rects += ContentsPlacement(values, imageSize: image.layout.size).pieces.map(\.destination)
    }
    if row.kind == .shape, let path = values.shape.path {
      let ink = values.shape.strokeStyle.map { PathInk.stroke($0) } ?? .fill(.nonZero)
      rects.append(path.inkBounds(ink))
    }
    return rects.filter { !$0.isNull }
  }

  /// The bounding box of a projected rectangle, with a pixel around it for antialiasing. nil if a
  /// corner lies behind the eye, or too far away to have useful coordinates.
  static func box(of rect: CGRect, through projection: Projection) -> CGRect? {
    var (minX, minY) = (CGFloat.infinity, CGFloat.infinity)
    var (maxX, maxY) = (-CGFloat.infinity, -CGFloat.infinity)
    for corner in 0..<4 {
      let point = projection(rect.corner(corner))
      guard point.w > Homogeneous.nearest else { return nil }
      let pixel = point.pixel
      guard abs(pixel.x) < 1e9, abs(pixel.y) < 1e9 else { return nil }
      (minX, maxX) = (min(minX, pixel.x), max(maxX, pixel.x))
      (minY, maxY) = (min(minY, pixel.y), max(maxY, pixel.y))
    }
    return CGRect(x: minX - 1, y: minY - 1, width: maxX - minX + 2, height: maxY - minY + 2)
  }
}
