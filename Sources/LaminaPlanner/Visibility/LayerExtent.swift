import Foundation
import LaminaCommit
import LaminaRenderTree
import LaminaValues

/// An area in pixels, by its edges: the union of several does not depend on their
/// order, to the bit.
struct Extent: Equatable {
  var minX: Double
  var minY: Double
  var maxX: Double
  var maxY: Double

  static let none = Extent(minX: .infinity, minY: .infinity, maxX: -.infinity, maxY: -.infinity)

  init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

  /// Of four points, and so far around them.
  init(around x: SIMD4<Double>, _ y: SIMD4<Double>, margin: Double) {
    self.init(
      minX: x.min() - margin, minY: y.min() - margin, maxX: x.max() + margin,
      maxY: y.max() + margin)
  }

  init(_ rect: CGRect) {
    self =
      rect.isNull
      ? .none : Extent(minX: rect.minX, minY: rect.minY, maxX: rect.maxX, maxY: rect.maxY)
  }

  var isNone: Bool { minX > maxX || minY > maxY }

  var cgRect: CGRect {
    isNone ? .null : CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
  }

  func union(_ other: Extent) -> Extent {
    Extent(
      minX: Swift.min(minX, other.minX), minY: Swift.min(minY, other.minY),
      maxX: Swift.max(maxX, other.maxX), maxY: Swift.max(maxY, other.maxY))
  }

  func intersection(_ other: Extent) -> Extent {
    let both = Extent(
      minX: Swift.max(minX, other.minX), minY: Swift.max(minY, other.minY),
      maxX: Swift.min(maxX, other.maxX), maxY: Swift.min(maxY, other.maxY))
    return both.isNone ? .none : both
  }

  /// Whether each edge of the other lies inside its own.
  func encloses(_ other: Extent) -> Bool {
    other.isNone
      || (minX < other.minX && minY < other.minY && maxX > other.maxX && maxY > other.maxY)
  }
}

/// The area that a layer and everything below it may touch, never too small, and how filters affect
/// it.
struct LayerExtent {
  var extent: Extent
  /// Without the blur, for a layer that has one.
  var unfiltered: CGRect?
  /// Whether the layer may have filters.
  var hasEffects = false
  /// How many pixels beyond its own the layer's background filters read.
  var reach = 0
  /// The backdrops with which the layer shares a capture.
  var group: String?
}

extension RenderTree {
  /// The extent of the row of a rasterized layer, whose bitmap shows `inside`.
  func extent(
    ofRasterized row: Int, _ inside: Extent, _ limits: PixelRect, in evaluated: EvaluatedTree
  ) -> LayerExtent {
    let place = evaluated.rows[row]
    let values = values(of: place, in: evaluated)
    let projection = Projection(evaluated.toPixels[row])
    let region = PixelRect(covering: inside.cgRect, within: limits)
    let rect = LayerBitmap.rect(of: region, values)
    let all = place.space < 0 ? evaluated.area : limits
    var result = LayerExtent(
      extent: Extent(Self.box(of: rect, through: projection) ?? all.cgRect))
    result.hasEffects = true
    if let own = LayerFilters(place.kind, values, isMask: false, isRasterized: true) {
      result.reach = LayerFilters.reach(
        of: own.backdropSteps, through: projection, at: rect.center)
      result.group = own.group
    }
    return result
  }

  /// Whether a row reads the backdrop. `isReadThrough` tells whether one of its sublayers does.
  func readsBackdrop(
    _ row: Int, isReadThrough: Bool, in evaluated: EvaluatedTree
  ) -> Bool {
    let place = evaluated.rows[row]
    guard place.transition < 0 else {
      // A fade mixes two groups, which have no backdrop.
      return isReadThrough && evaluated.transitions[place.transition].values.style != .fade
    }
    guard !place.isSpace, place.copy < 0 else { return isReadThrough }
    guard isReadThrough || hasEffects(place, in: evaluated) else { return false }
    let values = values(of: place, in: evaluated)
    let own = LayerFilters(
      place.kind, values, isMask: false, isRasterized: place.inside >= 0)
    if own?.readsBackdrop == true { return true }
    return isReadThrough && !values.isGroup(isMasked: place.mask >= 0, own)
  }

  /// The extent of a layer of any kind. `below` is that of its sublayers, and `everything` what is
  /// taken for no bounds.
  func extent(
    of index: Int, below: CGRect, in evaluated: EvaluatedTree, _ everything: CGRect
  ) -> LayerExtent {
    let row = evaluated.rows[index]
    // A space draws only its sublayers.
    if row.isSpace { return LayerExtent(extent: Extent(below)) }
    let values = values(of: row, in: evaluated)
    let projection = Projection(evaluated.toPixels[index])
    var extent = body(of: index, values, projection, below: below, in: evaluated) ?? everything
    if let shadow = values.shadow {
      let isClosed =
        castsOutline(row, values, hasSublayers: !below.isNull, in: evaluated)
        && shadow.isClosed(through: projection, at: values.bounds.center)
      extent = extent.union(
        self.extent(
          of: shadow, of: values.effects.shadowPath, isClosed: isClosed, body: extent, projection)
          ?? everything)
    }
    var result = LayerExtent(extent: .none)
    result.hasEffects = values.hasEffects
    if let own = LayerFilters(row.kind, values, isMask: false, isRasterized: false) {
      let center = values.bounds.center
      let reach = LayerFilters.reach(of: own.steps, through: projection, at: center)
      if reach > 0 {
        result.unfiltered = extent
        extent = extent.insetBy(dx: -CGFloat(reach), dy: -CGFloat(reach))
      }
      result.reach = LayerFilters.reach(
        of: own.backdropSteps, through: projection, at: center)
      result.group = own.group
    }
    if values.masksToBounds {
      let bounds = Self.box(of: values.bounds, through: projection) ?? everything
      extent = extent.intersection(bounds)
    }
    result.extent = Extent(extent)
    return result
  }

  /// The area that a layer and those below it draw on, without the layer's own shadow and clip; nil
  /// if unbounded. `below` is the area of those below.
  private func body(
    of index: Int, _ values: LayerValues, _ projection: Projection, below: CGRect,
    in evaluated: EvaluatedTree
  ) -> CGRect? {
    let row = evaluated.rows[index]
    var body = below
    for rect in [values.bounds] + furtherRects(of: row, values, in: evaluated) where !rect.isNull {
      guard let box = Self.box(of: rect, through: projection) else { return nil }
      body = body.union(box)
    }
    guard row.kind == .emitter else { return body }
    return particleBox(of: index, values, in: evaluated).map { body.union($0) }
  }

  /// The body of a row, whose sublayers have the extent `below`.
  func body(of index: Int, below: CGRect, in evaluated: EvaluatedTree) -> CGRect? {
    body(
      of: index, values(of: evaluated.rows[index], in: evaluated),
      Projection(evaluated.toPixels[index]), below: below, in: evaluated)
  }

  /// Whether a layer's shadow is certainly that of its outline if the layer's pieces are opaque: it
  /// has a background, and besides a border at most.
  private func castsOutline(
    _ row: EvaluatedTree.Row, _ values: LayerValues, hasSublayers: Bool, in evaluated: EvaluatedTree
  ) -> Bool {
    guard !hasSublayers, row.kind != .shape, row.kind != .emitter,
      values.effects.shadowPath == nil, values.backgroundColor?.alpha ?? 0 >= 1
    else { return false }
    return values.outline.hasClosedShadow
      && evaluated.contents(of: row, values.contents).isEmpty
  }

  /// The area that a shadow touches, cast by `path` or, if that is nil, by `body`; nil if
  /// unbounded. `isClosed` tells whether the shadow is drawn in closed form.
  private func extent(
    of shadow: ShadowStyle, of path: Path?, isClosed: Bool, body: CGRect, _ projection: Projection
  ) -> CGRect? {
    let spread = CGFloat(shadow.reach)
    let offset = shadow.offset
    let caster = path?.inkBounds(.fill(.nonZero))
    if caster?.isNull == true { return .null }
    guard projection.isAffine else {
      let reach = caster?.offsetBy(dx: offset.width, dy: offset.height)
        .insetBy(dx: -spread, dy: -spread)
      guard let caster, let closed = reach.flatMap({ Self.box(of: $0, through: projection) }),
        let box = Self.box(of: caster, through: projection)
      else { return nil }
      // The shadow of a path is a picture that is blurred and moved as at the path's middle.
      guard let linear = projection.linear(at: caster.center),
        let blur = GaussianBlur(sigma: Double(shadow.sigma), offset: offset, through: linear)
      else { return closed }
      let moved = CGPoint(x: offset.width, y: offset.height).applying(linear)
      let outset = CGFloat(-blur.reach)
      return closed.union(box.offsetBy(dx: moved.x, dy: moved.y).insetBy(dx: outset, dy: outset))
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
    // Of a group, the shadow is a blurred picture, whose faint edge reaches farther. Even one that
    // is sharp is blurred a little if its offset is no whole number of pixels.
    let picture =
      isClosed
      ? nil : GaussianBlur(sigma: Double(shadow.sigma), offset: offset, through: linear)
    let blur = CGFloat(picture?.reach ?? 0)
    return box.offsetBy(dx: x, dy: y).insetBy(
      dx: -min(max(spread * hypot(linear.a, linear.c), blur), far),
      dy: -min(max(spread * hypot(linear.b, linear.d), blur), far))
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

  /// The bounding box of a projected rectangle, with a pixel around it for antialiasing, or more if
  /// its corners are sharp. nil if a corner lies behind the eye, or too far away to have useful
  /// coordinates.
  static func box(of rect: CGRect, through projection: Projection) -> CGRect? {
    edges(of: rect, through: projection)?.cgRect
  }

  fileprivate static func edges(of rect: CGRect, through projection: Projection) -> Extent? {
    guard projection.isAffine else { return spatialEdges(of: rect, through: projection) }
    if projection.isUpright {
      // The same numbers in fewer steps.
      let (x0, y0, x1, y1) = projection.uprightSides(of: rect)
      let (minX, maxX) = (min(x0, x1), max(x0, x1))
      let (minY, maxY) = (min(y0, y1), max(y0, y1))
      guard minX > -1e9, maxX < 1e9, minY > -1e9, maxY < 1e9, !(x0 + x1 + y0 + y1).isNaN
      else { return nil }
      return Extent(minX: minX - 1, minY: minY - 1, maxX: maxX + 1, maxY: maxY + 1)
    }
    let (x, y) = projection.affineCorners(of: rect)
    // A minimum leaves out NaN, and a sum does not.
    guard x.min() > -1e9, x.max() < 1e9, y.min() > -1e9, y.max() < 1e9, !(x + y).sum().isNaN
    else { return nil }
    return Extent(
      around: x, y,
      margin: projection.isAxisAligned ? 1 : ProjectedQuad.antialiasingMargin(x, y))
  }

  private static func spatialEdges(
    of rect: CGRect, through projection: Projection
  ) -> Extent? {
    var (x, y) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
    for corner in 0..<4 {
      let point = projection(rect.corner(corner))
      guard point.w > Homogeneous.nearest else { return nil }
      let pixel = point.pixel
      guard abs(pixel.x) < 1e9, abs(pixel.y) < 1e9 else { return nil }
      (x[corner], y[corner]) = (pixel.x, pixel.y)
    }
    return Extent(around: x, y, margin: ProjectedQuad.antialiasingMargin(x, y))
  }
}

extension RowTables {
  /// Whether a row's layer paints nothing but its sublayers.
  @inline(__always)
  func paintsNothing(_ index: Int, _ values: ValuesPointer) -> Bool {
    let row = self[index]
    return values.pointee.backgroundColor == nil && values.pointee.contents == nil
      && values.pointee.borderWidth <= 0 && row.pointee.kind == .layer
      && row.pointee.contentsMix < 0
  }

  /// The extent of a row that paints nothing itself, or of a layer that draws in its bounds only,
  /// as most do; nil for any other. `below` is that of its sublayers, and `all` what is taken for
  /// no bounds.
  func plainExtent(of index: Int, below: Extent, all: PixelRect) -> Extent? {
    let row = self[index]
    // What a transition and a copy show has rows of its own.
    if row.pointee.transition >= 0 || row.pointee.copy >= 0 { return below }
    guard row.pointee.contentsMix < 0, row.pointee.kind != .shape, row.pointee.kind != .emitter,
      !row.pointee.isSpace
    else { return nil }
    let values = values(of: index)
    guard values.pointee.contents == nil || LayerValues.stretchesContents(at: values),
      !LayerValues.hasEffects(at: values)
    else { return nil }
    let bounds = values.pointee.bounds
    let box = RenderTree.edges(of: bounds, through: Projection(at: toPixels + index))
    let extent =
      bounds.isNull || paintsNothing(index, values)
      ? below : box.map { below.union($0) } ?? Extent(all.cgRect)
    return values.pointee.masksToBounds
      ? extent.intersection(box ?? Extent(all.cgRect)) : extent
  }
}
