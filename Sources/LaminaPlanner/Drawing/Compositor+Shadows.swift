import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// The look of a layer's shadow, independent of what casts it.
struct ShadowStyle {
  /// In the layer's own units.
  var offset: CGSize
  /// Standard deviation of the Gaussian, in the layer's own units.
  var sigma: Double
  /// Includes the shadow's opacity.
  var color: CGColor

  /// Number of standard deviations after which the Gaussian is cut off, as in a blur of pixels. The
  /// rest is less than a sixth of a 255th.
  static let sigmas = 3.25
}

extension LayerValues {
  /// nil if the layer has no shadow.
  var shadow: ShadowStyle? {
    guard hasEffects else { return nil }
    let effects = effects
    let opacity = min(max(effects.shadowOpacity, 0), 1)
    guard opacity > 0, var color = effects.shadowColor, color.alpha > 0 else { return nil }
    color.alpha *= opacity
    let sigma = effects.shadowRadius.isFinite ? max(effects.shadowRadius, 0) : 0
    return ShadowStyle(offset: effects.shadowOffset, sigma: sigma, color: color)
  }
}

extension Compositor {
  /// A layer's shadow and what casts it.
  struct Shadow {
    enum Caster {
      /// A rectangle with circular corners. Its shadow has a closed form, which is used unless the
      /// shadow is very narrow.
      case outline(CornerOutline)
      case path(Path)
      /// Everything that the layer and its sublayers draw.
      case picture
    }

    var style: ShadowStyle
    var caster: Caster
    /// Alpha of the area inside the outline. Other casters have their own alpha.
    var outlineAlpha = 1.0

    var isOfPicture: Bool { if case .picture = caster { true } else { false } }
  }

  /// nil if no shadow could be visible, for example under an opaque background that clips.
  func shadow(of row: Int, _ values: ValuesPointer, opacityOfPieces: Double = 1) -> Shadow? {
    guard let style = values.shadow else { return nil }
    let isOpaque = (values.pointee.backgroundColor?.alpha ?? 0) >= 1 && opacityOfPieces >= 1
    guard !values.pointee.masksToBounds || !isOpaque else { return nil }
    if let path = values.pointee.effects.shadowPath {
      let caster = path.rectangle.map { Shadow.Caster.outline(CornerOutline(rect: $0)) }
      return Shadow(style: style, caster: caster ?? .path(path))
    }
    let outline = values.outline
    guard let background = values.pointee.backgroundColor, background.alpha > 0,
      outline.isRectangle || outline.curve == .circular,
      isAllBackground(row, values, outline, isOpaque: isOpaque)
    else { return Shadow(style: style, caster: .picture) }
    return Shadow(
      style: style, caster: .outline(outline), outlineAlpha: min(background.alpha, 1))
  }

  /// Whether all that the layer and its sublayers draw has the coverage of its background.
  private func isAllBackground(
    _ row: Int, _ values: ValuesPointer, _ outline: CornerOutline, isOpaque: Bool
  ) -> Bool {
    // Over an opaque background, only what sticks out of it changes the coverage.
    guard isOpaque else {
      return pieceCount(of: row, values) == 2
    }
    let place = evaluated.rows[row]
    if place.kind == .shape, values.pointee.shape.path != nil { return false }
    for id in evaluated.contents(of: place, values.pointee.contents) {
      guard outline.isRectangle else { return false }
      guard let image = tree.drawnImage(id, of: place, in: evaluated) else { continue }
      let pieces = ContentsPlacement(values.pointee, imageSize: image.layout.size).pieces
      guard pieces.allSatisfy({ outline.rect.contains($0.destination) }) else { return false }
    }
    let children = evaluated.sublayers(of: row)
    guard !children.isEmpty else { return true }
    let projection = Projection(place.toSurface, origin: .empty)
    guard projection.isAxisAligned else { return false }
    // Extents are a pixel too large on every side.
    let areas = outline.inscribedRects.map {
      $0.applying(projection.affine).insetBy(dx: -1, dy: -1)
    }
    return children.allSatisfy { child in
      let extent = extents[child]
      return extent.isNull || areas.contains { $0.contains(extent) }
    }
  }

  /// Paints the shadow of an outline or a path, behind everything that the layer draws. If
  /// `isUnderBody`, the layer's body is painted over it in the same context.
  mutating func paintShadow(
    _ shadow: Shadow, of row: Int, isUnderBody: Bool = false, in context: Context
  ) {
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    var style = shadow.style
    switch shadow.caster {
    case .outline(let outline):
      style.color.alpha *= shadow.outlineAlpha
      let scale = Double(projection.scale(at: outline.rect.center))
      guard projection.isAffine, scale * style.sigma < Self.leastClosedSigma else {
        let hidden = isUnderBody ? opaqueRect(of: values(of: row), projection, in: context) : .null
        paintShadow(style, of: outline, hidden: hidden, projection, in: context)
        return
      }
      // The outline is the layer's own, or a rectangle of a path.
      var caster = values(of: row).pointee
      caster.backgroundColor = .black
      caster.bounds = outline.rect
      if outline.isRectangle { caster.cornerRadius = 0 }
      paintShadow(style, of: row, castBy: outline.rect, in: context) {
        painter, context in
        withUnsafePointer(to: caster) { painter.paintBackground(of: row, $0, in: context) }
      }
    case .path(let path):
      let box = path.inkBounds(.fill(.nonZero))
      paintShadow(style, of: row, castBy: box, in: context) {
        $0.paint(path, ink: .fill(.nonZero), .black, row: row, .shadow, in: $1)
      }
    case .picture: break
    }
  }

  /// Smallest standard deviation, in pixels, for the closed form. A narrower shadow is blurred:
  /// pixels resolve it so coarsely that the closed form would differ visibly from a blur of pixels.
  private static let leastClosedSigma = 1.5

  /// Paints the shadow of whatever the closure `paint` paints in a rectangle of the layer's space.
  private mutating func paintShadow(
    _ style: ShadowStyle, of row: Int, castBy rect: CGRect, in context: Context,
    _ paint: (inout Compositor, Context) -> Void
  ) {
    guard !rect.isNull, let blur = blur(style, of: row, at: rect.center) else { return }
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    let extent = RenderTree.box(of: rect, through: projection) ?? context.region.cgRect
    let region = blur.sourceRegion(
      of: extent, for: visible(in: context), limit: ledger.profile.maxTextureSize)
    guard !region.isEmpty else { return }
    markOffscreen(groupRegion(of: row, in: context), in: context)
    if let cast = picture(region, paint) { paintShadow(style, of: cast, blur, in: context) }
  }

  /// A rectangle that an opaque background covers, two pixels inside its edges, in the layer's
  /// space; null if there is none.
  private func opaqueRect(
    of values: ValuesPointer, _ projection: Projection, in context: Context
  ) -> CGRect {
    guard let background = values.pointee.backgroundColor, background.alpha >= 1,
      context.opacity >= 1,
      context.blend == nil, values.outline.curve == .circular, projection.isAxisAligned,
      let unit = projection.unitsPerPixel(at: values.pointee.bounds.center)
    else { return .null }
    return values.outline.inscribedRects[2].insetBy(dx: 2 * unit.x, dy: 2 * unit.y)
  }

  /// Paints the shadow of a rounded rectangle, except for `hidden`, a rectangle of the layer's
  /// space.
  private mutating func paintShadow(
    _ style: ShadowStyle, of caster: CornerOutline, hidden: CGRect, _ projection: Projection,
    in context: Context
  ) {
    var outline = caster
    outline.rect = outline.rect.offsetBy(dx: style.offset.width, dy: style.offset.height)
    let tint = premultiplied(style.color, context.opacity)
    let spread = CGFloat(ShadowStyle.sigmas * style.sigma)
    let reach = outline.rect.insetBy(dx: -spread, dy: -spread)
    // A pixel is the average over its square, which has a variance of its own.
    let pixel = 1 / max(Double(projection.scale(at: outline.rect.center)), 1e-6)
    let sigma = (style.sigma * style.sigma + pixel * pixel / 12).squareRoot()
    for slice in ShadowSlice.slices(of: outline, in: reach, hidden: hidden, sigma: sigma) {
      guard let quad = ProjectedQuad(slice.rect, through: projection, antialiased: []) else {
        continue
      }
      guard let program = slice.program else {
        let blend: FramePlan.Blend = tint[3] >= 1 ? .copy : .sourceOver
        add(.solid, blend: blend, quad: quad, in: context) { _, out in out.append(tint) }
        continue
      }
      add(program, quad: quad, in: context) { vertex, out in
        out.append(tint)
        Self.emitCorners(vertex, slice.caster, &out)
        out.append(Float(sigma))
      }
    }
  }

  /// Paints a layer and its sublayers into an offscreen target, and composites it over its shadow.
  mutating func paintOverShadow(
    _ style: ShadowStyle, row: Int, _ values: ValuesPointer, in context: Context
  ) {
    let clip = clip(of: row, values, in: context)
    guard let blur = blur(style, of: row, at: values.pointee.bounds.center) else {
      paintBody(of: row, values, clip: clip, in: context)
      return
    }
    guard let caster = paintShadow(style, blur, row: row, values, clip, in: context) else { return }
    // The opacity has been applied already.
    var outer = clipped(context, by: clip)
    outer.opacity = 1
    draw(caster, in: outer)
  }

  /// Paints only the shadow of a layer and its sublayers, which are then painted over it.
  mutating func paintShadowOfPicture(
    _ style: ShadowStyle, row: Int, _ values: ValuesPointer, in context: Context
  ) {
    guard let blur = blur(style, of: row, at: values.pointee.bounds.center) else { return }
    markOffscreen(groupRegion(of: row, in: context), in: context)
    // The layers are visible, and marked, when they are painted themselves.
    withoutMarks {
      let clip = $0.clip(of: row, values, in: context)
      _ = $0.paintShadow(style, blur, row: row, values, clip, in: context)
    }
  }

  /// Paints the shadow of a layer and its sublayers. Returns the image that casts it, clipped and
  /// with the opacity applied; nil if neither is visible.
  private mutating func paintShadow(
    _ style: ShadowStyle, _ blur: GaussianBlur, row: Int, _ values: ValuesPointer, _ clip: Clip,
    in context: Context
  ) -> OffscreenImage? {
    var outer = clipped(context, by: clip)
    outer.scissor = visible(in: outer)
    guard !outer.scissor.isEmpty,
      let caster = caster(of: blur, row: row, values, clip, in: outer)
    else { return nil }
    outer.opacity = 1
    if clip == .group {
      let cast = picture(outer.scissor) { $0.paintShadow(style, of: caster, blur, in: $1) }
      if let cast { drawClipped(cast, of: row, values, in: outer) }
    } else {
      paintShadow(style, of: caster, blur, in: outer)
    }
    return caster
  }

  /// An image of a layer and its sublayers, clipped, as far as it or its shadow is visible.
  private mutating func caster(
    of blur: GaussianBlur, row: Int, _ values: ValuesPointer, _ clip: Clip, in context: Context
  ) -> OffscreenImage? {
    let body = tree.body(of: row, extents, in: evaluated) ?? context.scissor.cgRect
    let region = blur.sourceRegion(
      of: body, for: context.scissor, limit: ledger.profile.maxTextureSize)
    guard !region.isEmpty else { return nil }
    markOffscreen(groupRegion(of: row, in: context), in: context)
    let painted = picture(region) { painter, plain in
      var inner = plain
      inner.opacity = context.opacity
      inner.isBlended = context.isBlended || clip == .group
      inner.clippedLaterBy = clip == .group ? row : -1
      painter.paintBody(of: row, values, clip: painter.clip(of: row, values, in: inner), in: inner)
    }
    guard clip == .group, let painted else { return painted }
    return picture(region) { $0.drawClipped(painted, of: row, values, in: $1) }
  }

  /// The Gaussian of a shadow on the screen; nil if the shadow is too far away to be visible.
  func blur(_ style: ShadowStyle, of row: Int, at point: CGPoint) -> GaussianBlur? {
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    return projection.linear(at: point).flatMap {
      GaussianBlur(sigma: style.sigma, offset: style.offset, through: $0)
    }
  }
}

/// A part of the shadow of a rounded rectangle, in the caster's space.
private struct ShadowSlice {
  var rect: CGRect
  /// The caster with the one round corner that shows in the slice, or with all of them. The others
  /// are square.
  var caster: CornerOutline
  /// nil for a slice that lies wholly inside the shadow.
  var program: FramePlan.Program?

  /// The slices of a shadow within `reach`, without the part that is `hidden`. There are nine,
  /// since a pixel costs several times as much if round corners show in it, or one if the caster is
  /// too small or too round for nine.
  static func slices(
    of caster: CornerOutline, in reach: CGRect, hidden: CGRect, sigma: Double
  ) -> [ShadowSlice] {
    let slices = slices(of: caster, in: reach, sigma: sigma)
    if hidden.isNull { return slices }
    return slices.flatMap { slice in
      slice.rect.parts(outside: hidden).map {
        ShadowSlice(rect: $0, caster: slice.caster, program: slice.program)
      }
    }
  }

  private static func slices(
    of caster: CornerOutline, in reach: CGRect, sigma: Double
  ) -> [ShadowSlice] {
    let rect = caster.rect
    let radius = caster.radii.max()
    // Three sigmas from a corner, its rounding changes less than a 255th; four sigmas inside, the
    // shadow is complete.
    let margin = CGFloat(max(radius + 3 * sigma, 4 * sigma))
    // The shader cuts the rows of a corner into four strips, each at most two thirds of a sigma
    // high.
    guard rect.width > 2 * margin, rect.height > 2 * margin, radius <= 8 / 3 * sigma else {
      return [ShadowSlice(rect: reach, caster: caster, program: .shadow)]
    }
    let xs = [reach.minX, rect.minX + margin, rect.maxX - margin, reach.maxX]
    let ys = [reach.minY, rect.minY + margin, rect.maxY - margin, reach.maxY]
    // Neighbours have the same program, so that they are drawn together.
    let corners = [(0, 0, 0), (0, 2, 1), (2, 2, 2), (2, 0, 3)].map { row, column, corner in
      var part = caster
      part.radii = .zero
      part.radii[corner] = caster.radii[corner]
      return slice(
        row, column, part, part.isRectangle ? .shadowEdge : .shadowCorner)
    }
    let square = CornerOutline(rect: rect)
    let edges = [(0, 1), (1, 0), (1, 2), (2, 1)].map { slice($0, $1, square, .shadowEdge) }
    return corners + edges + [slice(1, 1, square, nil)]

    func slice(
      _ row: Int, _ column: Int, _ caster: CornerOutline, _ program: FramePlan.Program?
    ) -> ShadowSlice {
      let place = CGRect(
        x: xs[column], y: ys[row], width: xs[column + 1] - xs[column],
        height: ys[row + 1] - ys[row])
      return ShadowSlice(rect: place, caster: caster, program: program)
    }
  }
}

extension CornerOutline {
  /// Rectangles inside the outline: one as wide as the outline, one as high, and one whose corners
  /// lie on the curves of the outline's corners.
  fileprivate var inscribedRects: [CGRect] {
    let radius = CGFloat(radii.max())
    // 1 - sqrt(1/2) of a radius, rounded up.
    let corner = radius * 0.293
    return [(0, radius), (radius, 0), (corner, corner)].map { rect.insetBy(dx: $0, dy: $1) }
  }
}
