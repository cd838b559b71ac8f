import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Groups that are kept from frame to frame: see `GroupCanvases`.
extension Compositor {
  /// The group of a row, which is kept or made.
  mutating func keptGroup(
    of row: Int, _ values: ValuesPointer, _ region: PixelRect, clip: Clip, opacityOfPieces: Double,
    in context: Context, _ make: (inout Compositor, Context) -> LayerGroup
  ) -> LayerGroup {
    guard let paintsBeforeKept, mayKeep(row, values, in: context) else {
      return make(&self, context)
    }
    let (known, toPixels) = (groupCanvases[row], evaluated.toPixels[row])
    // One that is drawn twice in a frame may look different each time.
    if known?.update == evaluated.update { return make(&self, context) }
    let shown = region.intersection(extents.box(of: row))
    let painted = paintedArea(of: shown, in: context)
    var group = GroupCanvas(
      update: evaluated.update, toPixels: toPixels, stage: .painted(pixels: painted))
    defer { groupCanvases.set(group, of: row) }
    guard let known, known.toPixels == toPixels else { return make(&self, context) }
    group.dependence = .known(
      state(of: row, values, region, clip: clip, opacityOfPieces: opacityOfPieces, in: context))
    guard known.dependence == group.dependence else { return make(&self, context) }
    group.stage = known.stage
    switch known.stage {
    case .painted(let pixels) where pixels / max(shown.area, 1) < paintsBeforeKept:
      group.stage = .painted(pixels: pixels + painted)
    case .painted:
      var whole = context
      (whole.isWhole, whole.isInCanvas) = (true, true)
      let made = make(&self, whole)
      guard let kept = kept(made, of: row) else {
        group.stage = .refused
        return made
      }
      group.stage = .kept(kept)
      return add(kept)
    case .kept(let kept):
      if let drawn = drawn(kept) { return drawn }
      group.stage = .refused
    case .refused: break
    }
    return make(&self, context)
  }

  private func mayKeep(_ row: Int, _ values: ValuesPointer, in context: Context) -> Bool {
    let place = self.row(row)
    return !context.isInCanvas && context.repeats == 0
      && place.pointee.frozen < 0 && place.pointee.contentsMix < 0
      && place.pointee.kind != .emitter && bitmaps[row] == nil
      && !extents.filters.readsAnything(row)
      && !(LayerValues.hasEffects(at: values) && !values.pointee.effects.imageIDs.isEmpty)
  }

  private func state(
    of row: Int, _ values: ValuesPointer, _ region: PixelRect, clip: Clip, opacityOfPieces: Double,
    in context: Context
  ) -> GroupCanvas.State {
    var own = values.pointee
    own.opacity = 1
    return GroupCanvas.State(
      values: own, image: own.contents.flatMap { tree.images[$0]?.stamp },
      isFlipped: self.row(row).pointee.isFlipped, region: region, clip: clip,
      opacityOfPieces: opacityOfPieces, tint: context.tint, isBlended: context.isBlended,
      nesting: context.nesting, sharesTarget: sharesTarget(region, in: context))
  }

  /// What was kept; nil if the device does not have all of it.
  private mutating func drawn(_ kept: GroupCanvas.Kept) -> LayerGroup? {
    var kept = kept
    func find(_ canvas: inout CompositingGraph.Canvas) -> Bool {
      canvas.cached = canvas.key.flatMap { keptTextures[$0]?.texture }
      canvas.group = nil
      return canvas.cached != nil
    }
    guard find(&kept.image) else { return nil }
    if var cover = kept.cover {
      guard find(&cover) else { return nil }
      kept.cover = cover
    }
    return add(kept)
  }

  /// What is kept of a group and its mask, which the frame paints; nil if it paints others' groups.
  private mutating func kept(_ made: LayerGroup, of row: Int) -> GroupCanvas.Kept? {
    guard let image = canvas(for: made.image, owner(row, .group)) else { return nil }
    guard let mask = made.cover else { return GroupCanvas.Kept(image: image) }
    return canvas(for: mask, owner(row, .mask)).map { GroupCanvas.Kept(image: image, cover: $0) }
  }

  private mutating func canvas(
    for image: GroupImage, _ owner: TextureOwner
  ) -> CompositingGraph.Canvas? {
    guard case .group(let group) = image.content else { return nil }
    canvasNumber += 1
    return CompositingGraph.Canvas(
      key: .group(owner, number: canvasNumber), region: image.region, isOpaque: image.isOpaque,
      owner: owner, group: group)
  }

  private mutating func add(_ kept: GroupCanvas.Kept) -> LayerGroup {
    LayerGroup(image: add(kept.image), cover: kept.cover.map { add($0) })
  }

  private mutating func add(_ canvas: CompositingGraph.Canvas) -> GroupImage {
    let number = graph.add(canvas)
    if let group = canvas.group { graph.groups[group].target = .canvas(number) }
    return GroupImage(
      content: .canvas(number), region: canvas.region, isOpaque: canvas.isOpaque)
  }

  /// Number of pixels of a group that this frame paints.
  private func paintedArea(of region: PixelRect, in context: Context) -> Int {
    guard let damage, !context.isWhole else { return region.area }
    return damage.rects.reduce(0) { $0 + $1.intersection(region).area }
  }
}
