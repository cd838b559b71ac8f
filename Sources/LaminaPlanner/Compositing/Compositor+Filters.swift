import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Layers with filters. In this order: what is behind is filtered, the layer's picture is painted and
/// filtered, its shadow comes behind it, the outline clips it and the mask covers it, and the opacity
/// and the blend mode say how it comes to what is there.
extension Compositor {
  mutating func paint(
    row: Int, _ values: LayerValues, through filters: LayerFilters, in context: Context
  ) {
    var outer = context
    outer.opacity *= min(max(values.opacity, 0), 1)
    outer.clippedLaterBy = -1
    // A rasterized picture is masked already.
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

  /// What filters do to a layer where it is painted; nil for nothing.
  func filters(of row: Int, _ values: LayerValues) -> LayerFilters? {
    LayerFilters(values, isMask: isMask(row), isRasterized: bitmaps[row] != nil)
  }

  private func isMask(_ row: Int) -> Bool {
    let parent = evaluated.rows[row].parent
    return parent >= 0 && evaluated.rows[parent].mask == row
  }

  /// Where a group around a row and all below it is painted: where it shows, and what filtered
  /// backdrops in it depend on.
  func groupRegion(of row: Int, in context: Context) -> PixelRect {
    let visible = visible(in: context)
    guard !visible.isEmpty else { return .empty }
    return PixelRect(
      covering: extents[row].insetBy(dx: -1, dy: -1),
      within: visible.outset(by: filterExtents.backdropReaches[row] ?? 0))
  }

  // MARK: The layer's own picture

  mutating func paintPicture(
    of row: Int, _ values: LayerValues, _ filters: LayerFilters, mask: Int, in context: Context
  ) {
    let region = groupRegion(of: row, in: context)
    guard !region.isEmpty else { return }
    markOffscreen(region, in: context)
    var picture = clippedPicture(of: row, values, filters, region, in: context)
    // Even where there is nothing to see, some modes change what is behind.
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
    of row: Int, _ values: LayerValues, _ filters: LayerFilters, _ region: PixelRect,
    in context: Context
  ) -> OffscreenImage? {
    // A picture that siblings in space cut is drawn once for all pieces.
    if context.piece != nil, let known = groupsInPieces[row] { return known.picture }
    let picture = paintedPicture(of: row, values, filters, region, in: context)
    if context.piece != nil, let picture { groupsInPieces[row] = Group(picture: picture) }
    return picture
  }

  private mutating func paintedPicture(
    of row: Int, _ values: LayerValues, _ filters: LayerFilters, _ region: PixelRect,
    in context: Context
  ) -> OffscreenImage? {
    if let bitmap = bitmaps[row] {
      return picture(region) { $0.draw(bitmap, of: row, in: $1) }
    }
    let shadow = shadow(of: row, values)
    // Without filters the shadow is one of the layer's pieces, and clipped as these are.
    let isShadowed = filters.steps.isEmpty && shadow?.isOfPicture == true
    var clip = isShadowed ? .none : clip(of: row, values, in: context)
    // A blur takes contents past the bounds that they were cut to.
    if clip == .none, values.masksToBounds, filters.blurs { clip = .group }
    guard let shadow, !filters.steps.isEmpty else {
      let picture = filteredPicture(of: row, values, filters, clip, shadow, region)
      return picture.flatMap { clipped($0, clip, of: row, values, region) }
    }
    var (part, blur) = (region, nil as GaussianBlur?)
    if values.effects.shadowPath == nil {
      blur = self.blur(shadow.style, of: row, at: values.bounds.center)
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
    _ picture: OffscreenImage, _ clip: Clip, of row: Int, _ values: LayerValues, _ region: PixelRect
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

  /// The layer's pieces, with all filters behind them; the outline is still to clip them.
  private mutating func filteredPicture(
    of row: Int, _ values: LayerValues, _ filters: LayerFilters, _ clip: Clip,
    _ shadow: Shadow?, _ region: PixelRect
  ) -> OffscreenImage? {
    var part = region
    if filters.blurs {
      let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
      let reach = LayerFilters.reach(
        of: filters.steps, through: projection, at: values.bounds.center)
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

  /// A picture after some steps, as far as `region` shows it.
  mutating func filtered(
    _ picture: OffscreenImage, _ steps: [LayerFilters.Step], of row: Int, _ values: LayerValues,
    in region: PixelRect, repeatsEdges: Bool
  ) -> OffscreenImage? {
    let projection = Projection(evaluated.rows[row].toSurface, origin: .empty)
    let center = values.bounds.center
    var reach = LayerFilters.reach(of: steps, through: projection, at: center)
    var picture: OffscreenImage? = picture
    for step in steps {
      guard let input = picture else { return nil }
      switch step {
      case .colors(let matrix): picture = colored(input, matrix)
      case .blur(let sigma):
        let blur = projection.blur(of: sigma, at: center)
        // What later steps need around what is seen.
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
