import Foundation
import LaminaFramePlan
import LaminaValues

/// Layers with filters. They are painted in this order: the backdrop is filtered; the layer is
/// painted into an offscreen image and filtered; its shadow goes behind it; the outline clips it
/// and the mask covers it; then it is composited with its opacity and blend mode.
extension Compositor {
  mutating func paint(
    row: Int, _ values: ValuesPointer, through filters: LayerFilters, in context: Context
  ) {
    var outer = context
    outer.opacity *= min(max(values.pointee.opacity, 0), 1)
    outer.clippedLaterBy = -1
    // A layer bitmap is already masked.
    let mask = bitmaps[row] == nil ? evaluated.rows[row].mask : -1
    let steps = filters.backdropSteps
    if steps.isEmpty || row == 0 {
      paintPicture(of: row, values, filters, mask: mask, in: outer)
    } else if outer.opacity == 1, mask < 0 {
      paintBackdrop(of: row, values, steps, in: outer)
      paintPicture(of: row, values, filters, mask: mask, in: outer)
    } else {
      paintOnCopy(row, values, filters, mask: mask, in: outer)
    }
  }

  /// The filters that apply when a row is painted; nil if there are none.
  func filters(of row: Int, _ values: ValuesPointer) -> LayerFilters? {
    guard values.hasEffects else { return nil }
    return LayerFilters(
      values.pointee, isMask: isMask(row), isRasterized: bitmaps[row] != nil)
  }

  private func isMask(_ row: Int) -> Bool {
    let parent = evaluated.rows[row].parent
    return parent >= 0 && evaluated.rows[parent].mask == row
  }

  /// The region in which a row and all rows below it are painted as a group: the visible part, and
  /// the part that filtered backdrops in the group read.
  func groupRegion(of row: Int, in context: Context) -> PixelRect {
    let visible = visible(in: context)
    guard !visible.isEmpty else { return .empty }
    return PixelRect(
      covering: extents[row].insetBy(dx: -1, dy: -1),
      within: visible.outset(by: filterExtents.backdropReaches[row] ?? 0))
  }

  // MARK: The layer's own image

  mutating func paintPicture(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, mask: Int, in context: Context
  ) {
    let region = groupRegion(of: row, in: context)
    guard !region.isEmpty else { return }
    markOffscreen(region, in: context)
    var picture = clippedPicture(of: row, values, filters, region, in: context)
    // Some modes change the backdrop even if the layer paints nothing.
    if picture == nil, !filters.mode.isBounded { picture = transparentPicture(region) }
    guard let picture else { return }
    var cover: OffscreenImage?
    if mask >= 0 {
      cover = maskPicture(mask, region)
      if cover == nil { return }
    }
    composite(picture, maskedBy: cover, filters.mode, of: row, values, in: context)
  }

  private mutating func clippedPicture(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, _ region: PixelRect,
    in context: Context
  ) -> OffscreenImage? {
    // If siblings in three dimensions cut the layer, its image is painted once for all pieces.
    if context.piece != nil, let known = groupsInPieces[row] { return known.picture }
    let picture = paintedPicture(of: row, values, filters, region, in: context)
    if context.piece != nil, let picture { groupsInPieces[row] = Group(picture: picture) }
    return picture
  }

  private mutating func paintedPicture(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, _ region: PixelRect,
    in context: Context
  ) -> OffscreenImage? {
    if let bitmap = bitmaps[row] {
      return picture(region) { $0.draw(bitmap, of: row, in: $1) }
    }
    let shadow = shadow(of: row, values)
    // Without filters, the shadow is one of the layer's pieces and is clipped as they are.
    let isShadowed = filters.steps.isEmpty && shadow?.isOfPicture == true
    var clip = isShadowed ? .none : clip(of: row, values, in: context)
    // A blur spreads contents beyond the bounds to which they were clipped.
    if clip == .none, values.pointee.masksToBounds, filters.blurs { clip = .group }
    guard let shadow, !filters.steps.isEmpty else {
      let picture = filteredPicture(of: row, values, filters, clip, shadow, region)
      return picture.flatMap { clipped($0, clip, of: row, values, region) }
    }
    var (part, blur) = (region, nil as GaussianBlur?)
    if values.pointee.effects.shadowPath == nil {
      blur = self.blur(shadow.style, of: row, at: values.pointee.bounds.center)
      part =
        blur?.sourceRegion(
          of: extents[row], for: region, limit: ledger.profile.maxTextureSize) ?? region
    }
    let picture = filteredPicture(of: row, values, filters, clip, nil, part)
    let shadowed = self.picture(region) { painter, context in
      if let blur, let picture {
        painter.paintShadow(shadow.style, of: picture, blur, in: context)
      } else {
        painter.paintShadow(shadow, of: row, in: context)
      }
      if let picture { painter.draw(picture, in: context) }
    }
    return shadowed.flatMap { clipped($0, clip, of: row, values, region) }
  }

  private mutating func clipped(
    _ picture: OffscreenImage, _ clip: Clip, of row: Int, _ values: ValuesPointer,
    _ region: PixelRect
  ) -> OffscreenImage? {
    switch clip {
    case .none: return picture
    case .scissor(let rect):
      return self.picture(region) { painter, context in
        var inside = context
        inside.scissor = inside.scissor.intersection(rect)
        painter.draw(picture, in: inside)
      }
    case .group:
      return self.picture(region) { painter, context in
        painter.drawClipped(picture, of: row, values, in: context)
      }
    }
  }

  /// An image of the layer's pieces with all filters applied, not yet clipped by the outline.
  private mutating func filteredPicture(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, _ clip: Clip,
    _ shadow: Shadow?, _ region: PixelRect
  ) -> OffscreenImage? {
    var part = region
    if filters.blurs {
      let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
      let reach = LayerFilters.reach(
        of: filters.steps, through: projection, at: values.pointee.bounds.center)
      let extent = filterExtents.unfiltered[row] ?? extents[row]
      part = PixelRect(covering: extent.insetBy(dx: -1, dy: -1), within: region.outset(by: reach))
    }
    guard !part.isEmpty else { return nil }
    let painted = picture(part) { painter, context in
      var inner = context
      inner.clippedLaterBy = clip == .group && !filters.blurs ? row : -1
      inner.isBlended = true
      painter.paintPieces(of: row, values, clip: .none, shadow, in: inner)
    }
    guard let painted else { return nil }
    return filtered(painted, filters.steps, of: row, values, in: region, repeatsEdges: false)
  }

  /// The part in `region` of an image after some filter steps.
  mutating func filtered(
    _ picture: OffscreenImage, _ steps: [LayerFilters.Step], of row: Int, _ values: ValuesPointer,
    in region: PixelRect, repeatsEdges: Bool
  ) -> OffscreenImage? {
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    let center = values.pointee.bounds.center
    var reach = LayerFilters.reach(of: steps, through: projection, at: center)
    var picture: OffscreenImage? = picture
    for step in steps {
      guard let input = picture else { return nil }
      switch step {
      case .colors(let matrix): picture = colored(input, matrix)
      case .blur(let sigma):
        let blur = projection.blur(of: sigma, at: center)
        // The margin around the visible region that later steps read.
        reach -= blur.reach
        picture = blurred(input, blur, in: region.outset(by: reach), repeatsEdges: repeatsEdges)
      }
    }
    return picture
  }

  private mutating func colored(_ input: OffscreenImage, _ matrix: ColorMatrix) -> OffscreenImage? {
    let source = FramePlan.TextureSource(texture: input.texture, filter: .nearest)
    let numbers = (matrix.columns + [matrix.bias]).flatMap { column in
      (0..<4).map { Float(column[$0]) }
    }
    return picture(input.region) { painter, context in
      guard let quad = Self.pixelQuad(input.region, in: context) else { return }
      painter.add(.colorMatrix, blend: .copy, sources: [source], quad: quad, in: context) {
        _, out in
        out += [0, 0]
        out += numbers
      }
    }
  }
}
