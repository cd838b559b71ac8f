import LaminaValues

extension Compositor {
  /// A layer and its sublayers as a group, ready to be composited.
  struct LayerGroup {
    var image: GroupImage
    /// The mask. If there is one, the layer's outline has already clipped the image.
    var cover: GroupImage?
  }

  /// A row in a group.
  struct PiecesKey: Hashable {
    var row: Int
    var group: Int
  }

  /// Adds a layer and its sublayers as a group: clipped by the layer's outline, masked, with the
  /// context's opacity.
  mutating func addGroup(
    row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, opacityOfPieces: Double,
    in context: Context
  ) {
    var region = groupRegion(of: row, in: context)
    let outline = clip == .group ? pixelOutline(of: row, values, in: context) : nil
    if let outline { region = region.intersection(outline.box) }
    guard !region.isEmpty else { return }
    let first = graph.drawn.count
    // Where groups cost little, the shadow's further parts cost more.
    if canShareTargets, clip == .none, opacityOfPieces == 1, let shadow,
      let body = addShadow(shadow, aroundBodyOf: row, in: context)
    {
      region = region.intersection(body)
      guard !region.isEmpty else { return }
    }
    let besides = first..<graph.drawn.count
    let group = groupForPieces(
      of: row, values, region, clip: clip, opacityOfPieces: opacityOfPieces, in: context
    ) {
      $0.layerGroup(
        row: row, values, clip: clip, outline, shadow, opacityOfPieces: opacityOfPieces, region,
        in: $1)
    }
    if !besides.isEmpty, let number = graph.group(painting: group.image.content) {
      graph.groups[number].drawnBeside.append(besides)
    }
    if let cover = group.cover {
      add(group.image, maskedBy: cover, in: context)
    } else if clip == .group, outline == nil {
      addClipped(group.image, of: row, values, in: context)
    } else {
      add(group.image, in: context)
    }
  }

  /// The group of a layer. If siblings in three dimensions cut the layer, `make` is called for the
  /// first piece alone, and the other pieces in the same group sample what it made. If not, the
  /// group may be kept from an earlier frame.
  mutating func groupForPieces(
    of row: Int, _ values: ValuesPointer, _ region: PixelRect, clip: Clip = .none,
    opacityOfPieces: Double = 1, in context: Context,
    _ make: (inout Compositor, Context) -> LayerGroup
  ) -> LayerGroup {
    guard context.piece != nil else {
      return keptGroup(
        of: row, values, region, clip: clip, opacityOfPieces: opacityOfPieces, in: context, make)
    }
    let key = PiecesKey(row: row, group: context.group)
    if let known = groupsInPieces[key] { return known }
    let group = make(&self, context)
    groupsInPieces[key] = group
    return group
  }

  /// The outline of a layer, if what is clipped to it is erased outside of it.
  private func pixelOutline(
    of row: Int, _ values: ValuesPointer, in context: Context
  ) -> PixelOutline? {
    // Where there is a GPU, coverage costs little.
    guard canShareTargets else { return nil }
    return PixelOutline(values.outline, through: layer(row, values, in: context).projection)
  }

  /// If there is an `outline`, the image is clipped by it.
  private mutating func layerGroup(
    row: Int, _ values: ValuesPointer, clip: Clip, _ outline: PixelOutline?, _ shadow: Shadow?,
    opacityOfPieces: Double, _ region: PixelRect, in outer: Context
  ) -> LayerGroup {
    markGroup(region, in: outer)
    let mask = evaluated.rows[row].mask
    let pieces = group(region, sharesTarget: true, in: outer) { compositor, context in
      var inner = context
      inner.opacity = opacityOfPieces
      inner.clippedLaterBy = clip == .group ? row : -1
      inner.isBlended =
        outer.isBlended || outer.faded.w < 1 || clip == .group || mask >= 0
      if let outline { compositor.enqueueErasing(outside: outline, of: row, in: context) }
      compositor.addPieces(of: row, values, clip: clip, shadow, in: inner)
    }
    guard mask >= 0 else { return LayerGroup(image: pieces) }
    let clipped =
      clip == .group && outline == nil
      ? group(region, sharesTarget: true, in: outer) {
        $0.addClipped(pieces, of: row, values, in: $1)
      } : pieces
    return LayerGroup(
      image: clipped, cover: maskImage(mask, region, sharesTarget: true, in: outer))
  }
}
