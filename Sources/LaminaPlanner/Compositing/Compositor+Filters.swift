import Foundation
import LaminaFramePlan
import LaminaValues

/// Layers with filters. They are composed in this order: the backdrop is filtered; the layer
/// becomes a group, which is filtered; its shadow goes behind it; the outline clips it and the mask
/// covers it; then it is composited with its opacity and blend mode.
extension Compositor {
  mutating func add(
    row: Int, _ values: ValuesPointer, through filters: LayerFilters, in context: Context
  ) {
    var outer = context
    outer.opacity *= min(max(values.pointee.opacity, 0), 1)
    outer.clippedLaterBy = -1
    let mask = evaluated.rows[row].mask
    guard !filters.backdropSteps.isEmpty, row != evaluated.root else {
      addFiltered(row, values, filters, mask: mask, in: outer)
      return
    }
    // The tint's alpha fades the backdrop too, its colour does not tint it.
    outer = outer.withTintInOpacity
    if outer.opacity == 1, mask < 0 {
      addBackdrop(of: row, values, filters, in: outer.plain)
      addFiltered(row, values, filters, mask: mask, in: outer)
    } else {
      addOnCopy(row, values, filters, mask: mask, in: outer)
    }
  }

  /// The filters that apply when a row is composed; nil if there are none.
  func filters(of row: Int, _ values: ValuesPointer) -> LayerFilters? {
    guard values.hasEffects else { return nil }
    return LayerFilters(
      evaluated.rows[row].kind, values.pointee, isMask: isMask(row),
      isRasterized: bitmaps[row] != nil)
  }

  private func isMask(_ row: Int) -> Bool {
    evaluated.rows[row].isMask
  }

  /// The region of the group of a row and all rows below it: the visible part, and the part that
  /// filtered backdrops in the group read.
  func groupRegion(of row: Int, in context: Context) -> PixelRect {
    let visible = context.visible
    guard !visible.isEmpty else { return .empty }
    return PixelRect(
      covering: extents.rows[row].cgRect.insetBy(dx: -1, dy: -1),
      within: visible.outset(by: extents.filters.backdropReaches[row] ?? 0))
  }

  // MARK: The layer's own image

  /// Adds a layer with its own filters, its mask, its opacity and its blend mode.
  mutating func addFiltered(
    _ row: Int, _ values: ValuesPointer, _ filters: LayerFilters, mask: Int, in context: Context
  ) {
    let region = groupRegion(of: row, in: context)
    guard !region.isEmpty else { return }
    markGroup(region, in: context)
    let group = groupForPieces(of: row, values, region, in: context) {
      var inside = $1
      inside.isWhole = inside.isWhole || !filters.steps.isEmpty
      return LayerGroup(image: $0.image(of: row, values, filters, region, in: inside))
    }
    let cover = mask >= 0 ? maskImage(mask, region, in: context) : nil
    composite(group.image, maskedBy: cover, filters.mode, of: row, values, in: context)
  }

  private mutating func image(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, _ region: PixelRect,
    in context: Context
  ) -> GroupImage {
    if let bitmap = bitmaps[row] {
      return group(region, in: context) { $0.add(bitmap, of: row, in: $1) }
    }
    let shadow = shadow(of: row, values)
    // Without filters, the shadow is one of the layer's pieces and is clipped as they are.
    let isShadowed = filters.steps.isEmpty && shadow?.isOfGroup == true
    var clip = isShadowed ? .none : clip(of: row, values, in: context)
    // A blur spreads contents beyond the bounds to which they were clipped.
    if clip == .none, values.pointee.masksToBounds, filters.blurs { clip = .group }
    guard let shadow, !filters.steps.isEmpty else {
      let image = filteredImage(of: row, values, filters, clip, shadow, region, in: context)
      return clipped(image, clip, of: row, values, region, in: context)
    }
    var (part, blur) = (region, nil as GaussianBlur?)
    let hasPath = values.pointee.effects.shadowPath != nil
    if !hasPath {
      blur = self.blur(shadow.style, of: row, at: values.pointee.bounds.center)
      part =
        blur?.sourceRegion(of: extents.rows[row].cgRect, for: region, limit: format.maxTextureSize)
        ?? region
    }
    let image = filteredImage(of: row, values, filters, clip, nil, part, in: context)
    let shadowed = group(region, in: context) { compositor, inner in
      if let blur {
        compositor.addShadow(shadow.style, of: image, blur, in: inner)
      } else if hasPath {
        compositor.addShadow(shadow, of: row, in: inner)
      }
      compositor.add(image, in: inner)
    }
    return clipped(shadowed, clip, of: row, values, region, in: context)
  }

  private mutating func clipped(
    _ image: GroupImage, _ clip: Clip, of row: Int, _ values: ValuesPointer,
    _ region: PixelRect, in context: Context
  ) -> GroupImage {
    switch clip {
    case .none: image
    case .scissor(let rect):
      group(region, in: context) { compositor, inner in
        var inside = inner
        inside.scissor = inside.scissor.intersection(rect)
        compositor.add(image, in: inside)
      }
    case .group:
      group(region, in: context) { $0.addClipped(image, of: row, values, in: $1) }
    }
  }

  /// An image of the layer's pieces with all filters applied, not yet clipped by the outline.
  private mutating func filteredImage(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, _ clip: Clip,
    _ shadow: Shadow?, _ region: PixelRect, in context: Context
  ) -> GroupImage {
    var part = region
    if filters.blurs {
      let projection = Projection(evaluated.toPixels[row])
      let reach = LayerFilters.reach(
        of: filters.steps, through: projection, at: values.pointee.bounds.center)
      let extent = extents.filters.unfiltered[row] ?? extents.rows[row].cgRect
      part = PixelRect(covering: extent.insetBy(dx: -1, dy: -1), within: region.outset(by: reach))
    }
    let pieces = group(part, in: context) { compositor, inner in
      guard !part.isEmpty else { return }
      var inner = inner
      inner.clippedLaterBy = clip == .group && !filters.blurs ? row : -1
      inner.isBlended = true
      compositor.addPieces(of: row, values, clip: .none, shadow, in: inner)
    }
    return filtered(pieces, filters.steps, of: row, values, in: region, context)
      ?? group(region, in: context) { _, _ in }
  }

  /// The part in `region` of an image after some filter steps; nil if that is empty. `edges` are
  /// those of what lies behind the layer, if that is the image.
  mutating func filtered(
    _ image: GroupImage, _ steps: [LayerFilters.Step], of row: Int, _ values: ValuesPointer,
    in region: PixelRect, ofBackdrop edges: BackdropEdges? = nil, _ context: Context
  ) -> GroupImage? {
    let projection = Projection(evaluated.toPixels[row])
    let center = values.pointee.bounds.center
    var reach = LayerFilters.reach(of: steps, through: projection, at: center)
    var image = image
    for step in steps {
      switch step {
      case .colors(let matrix): image = colored(image, matrix, of: context)
      case .blur(let blur):
        let spread = projection.blur(of: blur.sigma, at: center)
        // The margin around the visible region that later steps read.
        reach -= spread.reach
        var part = region.outset(by: reach)
        var repeatsEdges = edges?.areRepeated ?? false
        let box = blur.normalizesEdges && edges == nil ? pixels(of: row, values) : nil
        // What halves an image reads a texture as it reads a group's target.
        if blur.mask == nil, spread.doublings > 0, let shown = shown(by: image),
          box ?? shown.region == shown.region
        {
          image = shown
        }
        if let box {
          image = cropped(image, to: box, of: context)
          part = part.intersection(box)
          repeatsEdges = true
        }
        guard
          let blurred = blurred(
            image, blur, of: row, values, in: part, repeatsEdges: repeatsEdges, context)
        else { return nil }
        image = blurred
      }
    }
    return image
  }

  /// The pixels whose centres lie in the layer's bounds; nil if the bounds are turned on the
  /// surface.
  private func pixels(of row: Int, _ values: ValuesPointer) -> PixelRect? {
    let projection = Projection(evaluated.toPixels[row])
    guard projection.isAxisAligned else { return nil }
    let box = values.pointee.bounds.applying(projection.affine)
    return PixelRect(centersIn: box, within: .everywhere)
  }

  private mutating func cropped(
    _ image: GroupImage, to box: PixelRect, of context: Context
  ) -> GroupImage {
    if image.region == box { return image }
    return group(image.region.intersection(box), isWhole: true, in: context) {
      $0.copy(image, in: $1)
    }
  }
}
