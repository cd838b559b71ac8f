import Foundation
import LaminaCommit
import LaminaValues

extension LayerValues {
  /// Whether the layer and all below it are a group, painted by itself on nothing and composited as
  /// one. Then this group is all that a filtered backdrop or a blend mode inside sees.
  ///
  /// A layer is a group if its properties affect it as a whole: a mask, an opacity below 1 with
  /// `allowsGroupOpacity`, filters, background filters, a compositing filter, `shouldRasterize`.
  /// Clipping to bounds makes no group, whatever their corners and wherever their edges lie, and
  /// neither does a shadow, whatever casts it: a layer inside that reads the backdrop sees through
  /// both. It does not see what a clip has cut away, and the shadow is the one that the layer would
  /// cast if it were painted on nothing.
  func isGroup(isMasked: Bool, _ filters: LayerFilters?) -> Bool {
    isMasked || filters != nil || (opacity < 1 && allowsGroupOpacity)
  }
}

/// Layers that contain something that reads the backdrop, and filtered backdrops.
extension Compositor {
  /// A clip still to be applied to layers that are added over a copy of what lies behind them.
  struct PendingClip {
    /// The row of the layer that clips.
    var row: Int
    /// The copy, without the layers that are clipped.
    var behind: GroupImage
  }

  /// Whether a row without filters is not a group, but contains a layer that reads the backdrop.
  func isOpen(_ row: Int, _ values: ValuesPointer) -> Bool {
    extents.filters.readsBackdrop.contains(row)
      && !values.pointee.isGroup(isMasked: evaluated.rows[row].mask >= 0, nil)
  }

  /// Adds a layer's pieces, including its shadow, directly to the context's group. `context`
  /// includes the layer's opacity.
  mutating func addOpen(
    row: Int, _ values: ValuesPointer, _ shadow: Shadow?, in context: Context
  ) {
    let clip = clip(of: row, values, in: context)
    guard clip == .group, context.mayNest else {
      addOpenPieces(of: row, values, clip: clip, shadow, in: context)
      return
    }
    guard let (behind, isOnSurface) = copyForChange(of: row, in: context) else { return }
    markGroup(groupRegion(of: row, in: context), in: context)
    let changed = group(behind.region, in: context) { compositor, inner in
      compositor.copy(behind, in: inner)
      var pieces = inner
      (pieces.opacity, pieces.tint) = (context.opacity, context.tint)
      pieces.clippedLaterBy = row
      pieces.isBlended = true
      pieces.isOnSurface = isOnSurface
      pieces.clips = context.clips + [PendingClip(row: row, behind: behind)]
      compositor.addOpenPieces(of: row, values, clip: .none, shadow, in: pieces)
    }
    var replacing = context.plain
    // The outline may be larger than what is painted in it.
    replacing.scissor = context.scissor.intersection(changed.region)
    replace(with: changed, insideOutlineOf: row, values, in: replacing)
  }

  private mutating func addOpenPieces(
    of row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, in context: Context
  ) {
    guard let shadow, shadow.isOfGroup else {
      addPieces(of: row, values, clip: clip, shadow, in: context)
      return
    }
    var context = context
    context.repeats += 1
    if context.repeats <= Self.repeatLimit {
      addShadowOfGroup(shadow.style, row: row, values, in: context)
    }
    addBody(of: row, values, clip: clip, in: &context)
  }

  /// A copy of what the context's group has painted, and its `showsSurface`; nil if the row is not
  /// visible. The copy covers the visible part of the row and the part that backdrops in it read.
  private mutating func copyForChange(
    of row: Int, in context: Context
  ) -> (behind: GroupImage, isOnSurface: Bool)? {
    let shown = PixelRect(
      covering: extents.rows[row].cgRect.insetBy(dx: -1, dy: -1), within: context.visible)
    let part = shown.outset(by: extents.filters.backdropReaches[row] ?? 0)
      .intersection(context.region)
    guard !shown.isEmpty else { return nil }
    let isOnSurface = showsSurface(context)
    return copyOfBackdrop(part, in: context).map { ($0, isOnSurface) }
  }

  /// Replaces the group's pixels by an image, inside a layer's rounded bounds.
  private mutating func replace(
    with image: GroupImage, insideOutlineOf row: Int, _ values: ValuesPointer,
    in context: Context
  ) {
    var hole = context
    hole.blend = .destinationOut
    let layer = layer(row, values, in: hole)
    addItems(in: hole) { $0.addFill(.white, of: layer) }
    var filling = context
    filling.blend = .plus
    addClipped(image, of: row, values, in: filling)
  }

  // MARK: Filtered backdrops

  /// How what lies behind a layer ends.
  struct BackdropEdges {
    /// Whether blurs repeat the pixels at the edges.
    var areRepeated: Bool
  }

  /// Whether what the group shows ends at the edge of the frame. To the eye it continues there, so
  /// blurs repeat the edge pixels.
  private func showsSurface(_ context: Context) -> Bool {
    context.isOnSurface || graph.groups[context.group].target == .surface
  }

  /// The backdrops of a name that are read in one group.
  struct CaptureKey: Hashable {
    var group: Int
    var name: String
  }

  /// A copy of what lies behind a backdrop or, if it shares a capture, behind the first one of that
  /// name; nil if the part is empty.
  private mutating func capture(
    _ part: PixelRect, sharedAs name: String?, in context: Context
  ) -> GroupImage? {
    guard let name, !part.isEmpty else { return copyOfBackdrop(part, in: context) }
    let key = CaptureKey(group: context.group, name: name)
    guard let step = captures[key] else {
      captures[key] = graph.groups[context.group].steps.count
      return copyOfBackdrop(part, in: context)
    }
    let copy = copyOfBackdrop(part, after: step, in: context)
    for (other, place) in captures where other.group == key.group && place > step {
      captures[other] = place + 1
    }
    return copy
  }

  /// Replaces what lies behind the layer, inside its rounded bounds, by its filtered self.
  mutating func addBackdrop(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, in context: Context
  ) {
    if let filtered = filteredBackdrop(of: row, values, filters, in: context) {
      replace(with: filtered, insideOutlineOf: row, values, in: context)
    }
  }

  /// What lies behind the layer, filtered, where the layer shows; nil if it does not.
  private mutating func filteredBackdrop(
    of row: Int, _ values: ValuesPointer, _ filters: LayerFilters, in context: Context
  ) -> GroupImage? {
    let steps = filters.backdropSteps
    let projection = Projection(evaluated.toPixels[row])
    guard let quad = ProjectedQuad(values.pointee.bounds, through: projection, antialiased: .all)
    else { return nil }
    let shape = PixelRect(covering: quad.bounds, within: context.visible)
    guard !shape.isEmpty else { return nil }
    let reach = LayerFilters.reach(of: steps, through: projection, at: values.pointee.bounds.center)
    let part = shape.outset(by: reach).intersection(context.region)
    guard let copy = capture(part, sharedAs: filters.group, in: context) else { return nil }
    return filtered(
      clipped(copy, by: context.clips, of: context), steps, of: row, values, in: shape,
      ofBackdrop: BackdropEdges(areRepeated: showsSurface(context)), context)
  }

  /// A copy of the context's group with its pending clips applied.
  private mutating func clipped(
    _ copy: GroupImage, by clips: [PendingClip], of context: Context
  ) -> GroupImage {
    var image = copy
    for clip in clips.reversed() {
      let values = values(of: clip.row)
      image = group(copy.region, in: context) { compositor, inner in
        compositor.copy(clip.behind, in: inner)
        compositor.replace(with: image, insideOutlineOf: clip.row, values, in: inner)
      }
    }
    return image
  }

  /// Composites a translucent or masked layer with background filters: adds backdrop and layer to a
  /// copy of what lies behind, then blends the copy in by the layer's opacity or mask, so that the
  /// filtered backdrop fades with the layer.
  mutating func addOnCopy(
    _ row: Int, _ values: ValuesPointer, _ filters: LayerFilters, mask: Int, in context: Context
  ) {
    // A shared capture is one of this group, not of the copy.
    let isShared = filters.group != nil
    let shared =
      isShared ? filteredBackdrop(of: row, values, filters, in: context.plain) : nil
    guard let (behind, isOnSurface) = copyForChange(of: row, in: context) else { return }
    let changed = group(behind.region, in: context) { compositor, inner in
      compositor.copy(behind, in: inner)
      var backdrop = inner
      backdrop.isOnSurface = isOnSurface
      backdrop.clips = context.clips
      if let shared {
        compositor.replace(with: shared, insideOutlineOf: row, values, in: backdrop)
      } else if !isShared {
        compositor.addBackdrop(of: row, values, filters, in: backdrop)
      }
      var tinted = inner
      tinted.tint = context.tint
      compositor.addFiltered(row, values, filters, mask: -1, in: tinted)
    }
    let region = groupRegion(of: row, in: context)
    var inner = context
    inner.tint = SIMD4(repeating: 1)
    inner.scissor = context.scissor.intersection(region)
    if mask >= 0 {
      replace(with: changed, under: maskImage(mask, region, in: context), in: inner)
    } else {
      // A mix of two equal colours may differ from them by a rounding, another one for another
      // opacity: so nothing is mixed where the layer changes nothing.
      inner.scissor = inner.scissor.intersection(extents.box(of: row))
      mix(behind, changed, in: inner)
    }
  }
}
