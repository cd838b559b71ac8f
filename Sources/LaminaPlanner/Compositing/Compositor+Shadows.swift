import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

extension Compositor {
  /// A layer's shadow and what casts it.
  struct Shadow {
    enum Caster {
      /// A rectangle with circular corners. Its shadow has a closed form, which is used unless the
      /// shadow is very narrow.
      case outline(CornerOutline)
      case path(Path)
      /// Everything that the layer and its sublayers draw.
      case group
    }

    var style: ShadowStyle
    var caster: Caster
    /// Alpha of the area inside the outline. Other casters have their own alpha.
    var outlineAlpha = 1.0
    /// Whether something opaque fills the outline of the layer, which hides what is behind it.
    var isBehindOpaque: Bool

    var isOfGroup: Bool { if case .group = caster { true } else { false } }
  }

  /// nil if no shadow could be visible, for example under an opaque background that clips.
  func shadow(of row: Int, _ values: ValuesPointer, opacityOfPieces: Double = 1) -> Shadow? {
    guard let style = values.shadow else { return nil }
    let coverage = coverage(of: row, values)
    let isOpaque = coverage >= 1 && opacityOfPieces >= 1
    guard !values.pointee.masksToBounds || !isOpaque else { return nil }
    if let path = values.pointee.effects.shadowPath {
      let caster = path.rectangle.map { Shadow.Caster.outline(CornerOutline(rect: $0)) }
      return Shadow(
        style: style, caster: caster ?? .path(path), isBehindOpaque: coverage >= 1)
    }
    let outline = values.outline
    guard coverage > 0, outline.hasClosedShadow,
      isAllOutline(row, values, outline, isOpaque: isOpaque)
    else { return Shadow(style: style, caster: .group, isBehindOpaque: coverage >= 1) }
    return Shadow(
      style: style, caster: .outline(outline), outlineAlpha: coverage,
      isBehindOpaque: coverage >= 1)
  }

  /// The alpha of what fills a layer's outline: its background, or a gradient of opaque colours.
  private func coverage(of row: Int, _ values: ValuesPointer) -> Double {
    let background = min(values.pointee.backgroundColor?.alpha ?? 0, 1)
    guard background < 1, evaluated.rows[row].kind == .gradient,
      values.pointee.bounds.width > 0, values.pointee.bounds.height > 0,
      let gradient = LayerGradient(
        values.pointee.gradient, convert: { SIMD4(0, 0, 0, $0.alpha) }),
      gradient.stops.allSatisfy({ $0.color.w >= 1 })
    else { return background }
    return 1
  }

  /// Whether all that the layer and its sublayers draw has the coverage of what fills its outline.
  private func isAllOutline(
    _ row: Int, _ values: ValuesPointer, _ outline: CornerOutline, isOpaque: Bool
  ) -> Bool {
    // Over something opaque, only what sticks out of it changes the coverage.
    guard isOpaque else {
      return pieceCount(of: row, values) == 2
    }
    let place = evaluated.rows[row]
    if place.kind == .shape, values.pointee.shape.path != nil { return false }
    for id in evaluated.contents(of: place, values.pointee.contents) {
      guard outline.isRectangle else { return false }
      guard let image = tree.drawnImage(id, of: place, in: evaluated) else { continue }
      let pieces = ContentsPlacement(at: values, imageSize: image.layout.size).pieces
      guard pieces.allSatisfy({ outline.rect.contains($0.destination) }) else { return false }
    }
    let children = evaluated.sublayers(of: row)
    guard !children.isEmpty else { return true }
    let projection = Projection(evaluated.toPixels[row])
    guard projection.isAxisAligned else { return false }
    // Extents are a pixel too large on every side.
    let areas = outline.inscribedRects.map {
      $0.applying(projection.affine).insetBy(dx: -1, dy: -1)
    }
    return children.allSatisfy { child in
      let extent = extents.rows[child].cgRect
      return extent.isNull || areas.contains { $0.contains(extent) }
    }
  }

  /// Adds the shadow of an outline or a path, behind everything that the layer draws. If
  /// `isUnderBody`, the layer's body is added over it in the same context.
  mutating func addShadow(
    _ shadow: Shadow, of row: Int, isUnderBody: Bool = false, in context: Context
  ) {
    var style = shadow.style
    switch shadow.caster {
    case .outline(let outline):
      style.color.alpha *= shadow.outlineAlpha
      let layer = layer(row, values(of: row), in: context)
      guard layer.projection.isAffine,
        !style.isClosed(through: layer.projection, at: outline.rect.center)
      else {
        let hidden = isUnderBody && shadow.isBehindOpaque ? layer.opaqueRects : []
        addItems(in: context) { $0.addShadow(style, of: outline, hidden: hidden, layer) }
        return
      }
      // The outline is the layer's own, or a rectangle of a path.
      var caster = values(of: row).pointee
      caster.bounds = outline.rect
      if outline.isRectangle { caster.cornerRadius = 0 }
      addShadow(style, of: row, castBy: outline.rect, in: context) { compositor, inner in
        withUnsafePointer(to: caster) { caster in
          let layer = compositor.layer(row, caster, in: inner)
          compositor.addItems(in: inner) { $0.addFill(.black, of: layer) }
        }
      }
    case .path(let path):
      let box = path.inkBounds(.fill(.nonZero))
      addShadow(style, of: row, castBy: box, in: context) { compositor, inner in
        let layer = compositor.layer(row, compositor.values(of: row), in: inner)
        compositor.addItems(in: inner, owner: compositor.owner(row, .shadow)) {
          $0.add(path, ink: .fill(.nonZero), .black, of: layer)
        }
      }
    case .group: break
    }
  }

  /// Adds the shadow of a layer that is composited as a group, but for the pixels that its body may
  /// touch, and returns these. Outside of them there is nothing but the shadow, which a group would
  /// only make slower. nil, and nothing is added, if the two cannot be told apart.
  mutating func addShadow(
    _ shadow: Shadow, aroundBodyOf row: Int, in context: Context
  ) -> PixelRect? {
    guard case .outline(let outline) = shadow.caster, context.piece == nil, context.blend == nil,
      evaluated.rows[row].mask < 0, !extents.filters.readsAnything(row)
    else { return nil }
    let layer = layer(row, values(of: row), in: context)
    guard layer.projection.isAxisAligned,
      shadow.style.isClosed(through: layer.projection, at: outline.rect.center),
      let body = tree.body(of: row, below: extents.below[row].cgRect, in: evaluated)
    else { return nil }
    let pixels = PixelRect(covering: body.insetBy(dx: -1, dy: -1), within: .everywhere)
    var style = shadow.style
    style.color.alpha *= shadow.outlineAlpha
    let hidden = pixels.cgRect.applying(layer.projection.affine.inverted())
    addItems(in: context) { $0.addShadow(style, of: outline, hidden: [hidden], layer) }
    return pixels
  }

  /// Adds the shadow of what `add` adds to a group, in a rectangle of the layer's space.
  private mutating func addShadow(
    _ style: ShadowStyle, of row: Int, castBy rect: CGRect, in context: Context,
    _ add: (inout Compositor, Context) -> Void
  ) {
    guard !rect.isNull, let blur = blur(style, of: row, at: rect.center) else { return }
    let projection = Projection(evaluated.toPixels[row])
    let extent = RenderTree.box(of: rect, through: projection) ?? context.region.cgRect
    let region = blur.sourceRegion(
      of: extent, for: context.visible, limit: format.maxTextureSize)
    guard !region.isEmpty else { return }
    markGroup(groupRegion(of: row, in: context), in: context)
    addShadow(style, of: group(region, isWhole: true, in: context, add), blur, in: context)
  }

  /// Adds a layer and its sublayers as a group, over its shadow.
  mutating func addOverShadow(
    _ style: ShadowStyle, row: Int, _ values: ValuesPointer, in context: Context
  ) {
    let clip = clip(of: row, values, in: context)
    guard let blur = blur(style, of: row, at: values.pointee.bounds.center) else {
      addPieces(of: row, values, clip: clip, nil, in: context)
      return
    }
    guard let caster = addShadow(style, blur, row: row, values, clip, in: context) else { return }
    // The opacity has been applied already.
    var outer = clipped(context, by: clip)
    outer.opacity = 1
    add(caster, in: outer)
  }

  /// Adds only the shadow of a layer and its sublayers, which are then added over it.
  mutating func addShadowOfGroup(
    _ style: ShadowStyle, row: Int, _ values: ValuesPointer, in context: Context
  ) {
    guard let blur = blur(style, of: row, at: values.pointee.bounds.center) else { return }
    markGroup(groupRegion(of: row, in: context), in: context)
    // The layers are visible, and marked, when they are added themselves.
    var unmarked = context
    unmarked.isMarked = false
    let clip = clip(of: row, values, in: context)
    _ = addShadow(style, blur, row: row, values, clip, in: unmarked)
  }

  /// Adds the shadow of a layer and its sublayers. Returns the image that casts it, clipped and
  /// with the opacity applied; nil if neither is visible.
  private mutating func addShadow(
    _ style: ShadowStyle, _ blur: GaussianBlur, row: Int, _ values: ValuesPointer, _ clip: Clip,
    in context: Context
  ) -> GroupImage? {
    var outer = clipped(context, by: clip)
    // If faded pieces make this a group, it was measured by its outline.
    outer.scissor = PixelRect(covering: extents.rows[row].cgRect, within: outer.visible)
    guard !outer.scissor.isEmpty,
      let caster = caster(of: blur, row: row, values, clip, in: outer)
    else { return nil }
    outer.opacity = 1
    if clip == .group {
      let cast = group(outer.scissor, in: outer) { $0.addShadow(style, of: caster, blur, in: $1) }
      addClipped(cast, of: row, values, in: outer)
    } else {
      addShadow(style, of: caster, blur, in: outer)
    }
    return caster
  }

  /// An image of a layer and its sublayers, clipped, as far as it or its shadow is visible.
  private mutating func caster(
    of blur: GaussianBlur, row: Int, _ values: ValuesPointer, _ clip: Clip, in context: Context
  ) -> GroupImage? {
    let body =
      tree.body(of: row, below: extents.below[row].cgRect, in: evaluated) ?? context.scissor.cgRect
    let region = blur.sourceRegion(
      of: body, for: context.scissor, limit: format.maxTextureSize)
    guard !region.isEmpty else { return nil }
    markGroup(groupRegion(of: row, in: context), in: context)
    let caster = group(region, isWhole: true, in: context) { compositor, plain in
      var inner = plain
      inner.opacity = context.opacity
      inner.isBlended = context.isBlended || clip == .group
      inner.clippedLaterBy = clip == .group ? row : -1
      let clip = compositor.clip(of: row, values, in: inner)
      compositor.addBody(of: row, values, clip: clip, in: &inner)
    }
    guard clip == .group else { return caster }
    return group(region, isWhole: true, in: context) {
      $0.addClipped(caster, of: row, values, in: $1)
    }
  }

  /// The Gaussian of a shadow on the screen; nil if the shadow is too far away to be visible.
  func blur(_ style: ShadowStyle, of row: Int, at point: CGPoint) -> GaussianBlur? {
    let projection = Projection(evaluated.toPixels[row])
    return projection.linear(at: point).flatMap {
      GaussianBlur(sigma: style.sigma, offset: style.offset, through: $0)
    }
  }
}
