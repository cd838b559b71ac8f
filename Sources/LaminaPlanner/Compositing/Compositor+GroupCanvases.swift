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
    defer { groupCanvases[row] = group }
    guard let known, known.toPixels == toPixels else { return make(&self, context) }
    let state = state(
      of: row, values, region, clip: clip, opacityOfPieces: opacityOfPieces, in: context)
    if known.state == state { group.stage = known.stage }
    group.state = state
    switch group.stage {
    case .painted(let pixels):
      guard known.state == state, pixels / max(shown.area, 1) >= paintsBeforeKept else {
        if known.state == state { group.stage = .painted(pixels: pixels + painted) }
        break
      }
      var whole = context
      (whole.isWhole, whole.isInCanvas) = (true, true)
      let made = make(&self, whole)
      guard let (drawn, kept) = keep(made, of: row) else {
        group.stage = .refused
        return made
      }
      group.stage = .kept(kept)
      return drawn
    case .kept(let kept):
      guard kept.isThere else {
        group.stage = .refused
        break
      }
      return LayerGroup(image: add(kept.image), cover: kept.cover.map { add($0) })
    case .refused: break
    }
    return make(&self, context)
  }

  private func mayKeep(_ row: Int, _ values: ValuesPointer, in context: Context) -> Bool {
    let place = self.row(row)
    return !context.isInCanvas && context.repeats == 0
      && place.pointee.frozen < 0 && place.pointee.contentsMix32 < 0
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
      nesting: context.nesting)
  }

  /// Has a group and its mask painted into canvases; nil if they are none of the frame's groups.
  private mutating func keep(
    _ made: LayerGroup, of row: Int
  ) -> (drawn: LayerGroup, kept: GroupCanvas.Kept)? {
    guard case .group(let image) = made.image.content else { return nil }
    var cover: Int?
    if let content = made.cover?.content {
      guard case .group(let group) = content else { return nil }
      cover = group
    }
    let kept = GroupCanvas.Kept(
      image: canvas(of: image, owner(row, .group)),
      cover: cover.map { canvas(of: $0, owner(row, .mask)) })
    let drawn = LayerGroup(
      image: add(kept.image, paintedBy: image),
      cover: kept.cover.map { add($0, paintedBy: cover) })
    return (drawn, kept)
  }

  private mutating func canvas(of group: Int, _ owner: TextureOwner) -> GroupCanvas.Canvas {
    canvasNumber += 1
    return GroupCanvas.Canvas(
      key: .group(owner, number: canvasNumber), owner: owner, region: graph.groups[group].region)
  }

  /// Adds a canvas to the graph. `group` paints it, if this frame does.
  private mutating func add(
    _ canvas: GroupCanvas.Canvas, paintedBy group: Int? = nil
  ) -> GroupImage {
    let number = graph.canvases.count
    graph.canvases.append(
      CompositingGraph.Canvas(
        key: canvas.key, region: canvas.region, cached: canvas.texture, owner: canvas.owner,
        group: group))
    if let group { graph.groups[group].target = .canvas(number) }
    return GroupImage(content: .canvas(number), region: canvas.region)
  }

  /// Number of pixels of a group that this frame paints.
  private func paintedArea(of region: PixelRect, in context: Context) -> Int {
    guard let damage, !context.isWhole else { return region.area }
    return damage.rects.reduce(0) { $0 + $1.intersection(region).area }
  }
}
