import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// What a group paints, or has painted up to some step, and the part of the surface that it shows.
struct GroupImage {
  var content: ItemSource.Content
  var region: PixelRect
  /// Whether all of it is known to be opaque.
  var isOpaque = false

  func offset(x: Int, y: Int) -> GroupImage {
    GroupImage(content: content, region: region.offset(x: x, y: y), isOpaque: isOpaque)
  }
}

extension Compositor {
  /// Makes a group that shows a region of the surface; `body` adds to it. `isWhole` tells whether
  /// it is read beyond the pixels that are painted again, `sharesTarget` whether it may be painted
  /// beside others.
  mutating func group(
    _ region: PixelRect, isWhole: Bool = false, sharesTarget: Bool = false, in outer: Context,
    _ body: (inout Compositor, Context) -> Void
  ) -> GroupImage {
    let isWhole = isWhole || outer.isWhole
    let group = graph.add(
      CompositingGraph.Group(
        region: region, isWhole: isWhole,
        sharesTarget: sharesTarget && self.sharesTarget(region, in: outer)))
    record?.noteGroups(upTo: graph.groups.count)
    var context = Context(group: group, region: region, nesting: outer.nesting + 1)
    context.isWhole = isWhole
    context.isInCanvas = outer.isInCanvas
    context.isOnScreen = outer.isOnScreen
    context.isMarked = outer.isMarked
    context.repeats = outer.repeats
    body(&self, context)
    return GroupImage(content: .group(group), region: region)
  }

  /// Whether a region is painted in a target beside others: if one as large as the surface is not
  /// too large, by itself or beside the region, and if few groups around it may need one at the
  /// same time.
  ///
  /// What else the frame paints, and the memory that there is, have no part in this: a group's
  /// pixels may depend on its place in the target.
  func sharesTarget(_ region: PixelRect, in context: Context) -> Bool {
    let area = evaluated.area
    return canShareTargets && context.isOnScreen && context.nesting <= 4 && area.contains(region)
      && region.area >= area.area / 256 && area.area <= 1 << 23
  }

  /// Has the group painted even if it turns out to be empty.
  mutating func keep(_ image: GroupImage) {
    switch image.content {
    case .group(let group): graph.groups[group].isKept = true
    case .canvas(let number):
      if let group = graph.canvases[number].group { graph.groups[group].isKept = true }
    default: break
    }
  }

  /// A copy of a part of what the context's group has painted up to here; nil if it is empty.
  mutating func copyOfBackdrop(_ part: PixelRect, in context: Context) -> GroupImage? {
    copyOfBackdrop(part, after: graph.groups[context.group].steps.count, in: context)
  }

  /// The same of what it has painted up to one of its steps.
  mutating func copyOfBackdrop(
    _ part: PixelRect, after step: Int, in context: Context
  ) -> GroupImage? {
    guard !part.isEmpty else { return nil }
    let behind = GroupImage(content: .backdrop(context.group), region: context.region)
    let copy = group(part, in: context) { $0.copy(behind, in: $1) }
    if case .group(let reader) = copy.content {
      graph.groups[context.group].steps.insert(.isRead(by: reader), at: step)
    }
    return copy
  }

  mutating func copy(_ image: GroupImage, in context: Context) {
    var copying = context
    copying.blend = .copy
    add(image, in: copying)
  }

  /// Adds an item that covers whole pixels and samples images pixel on pixel.
  private mutating func add(
    _ item: Item, _ rect: PixelRect, sampling images: [GroupImage], in context: Context
  ) {
    var item = item
    item.blend = context.blend ?? item.blend
    addItems(in: context) { drawn in
      for (index, image) in images.enumerated() { item.sources[index] = drawn.source(image) }
      drawn.list.add(item, rect, within: context.visible)
    }
  }

  /// Adds an image pixel on pixel, with the context's opacity and tint.
  mutating func add(_ image: GroupImage, in context: Context) {
    let color = graph.drawn.color(tint: context.faded, format)
    var context = context
    if image.isOpaque, color == .white, (context.blend ?? .sourceOver) == .sourceOver {
      context.blend = .copy
    }
    add(Item(.group, color: color), image.region, sampling: [image], in: context)
  }

  /// Adds an image pixel on pixel, multiplied by a weight instead of the context's opacity and
  /// tint.
  mutating func add(_ image: GroupImage, times weight: Double, in context: Context) {
    let color = graph.drawn.list.color(SIMD4(repeating: Float(weight)))
    add(Item(.group, color: color), image.region, sampling: [image], in: context)
  }

  /// Adds the sum of two images, each multiplied by its weight.
  mutating func add(
    _ first: GroupImage, times firstWeight: Double, _ second: GroupImage,
    times secondWeight: Double, blend: FramePlan.Blend = .sourceOver, in context: Context
  ) {
    let region = first.region.intersection(second.region)
    let weights = graph.drawn.list.color(
      SIMD4(Float(firstWeight), Float(secondWeight), 0, 0))
    add(
      Item(.groupMix, blend: blend, color: weights), region, sampling: [first, second], in: context)
  }

  /// Adds the alpha of an image in a colour.
  mutating func add(_ color: CGColor, inShapeOf image: GroupImage, in context: Context) {
    let color = graph.drawn.color(color, tint: context.faded, format)
    add(Item(.alpha, color: color), image.region, sampling: [image], in: context)
  }

  /// Adds an image inside a layer's rounded bounds.
  mutating func addClipped(
    _ image: GroupImage, of row: Int, _ values: ValuesPointer, in context: Context
  ) {
    var clipped = context
    clipped.scissor = context.scissor.intersection(image.region)
    let layer = layer(row, values, in: clipped)
    let (outline, format) = (values.outline, format)
    addItems(in: clipped) { drawn in
      var item = Item(
        .groupEdges, blend: layer.blend ?? .sourceOver,
        color: drawn.color(tint: layer.tint, format), sources: SIMD2(drawn.source(image), 0))
      if outline.isRectangle {
        drawn.add(item, layer.bounds, layer.antialiasedEdges(of: layer.bounds), of: layer)
      } else {
        let parts = OutlineParts(
          outline, leastInside: OutlineParts.leastDrawnInside, of: layer)
        var inside = item
        inside.program = .group
        for rect in parts.inside { drawn.add(inside, rect, .none, of: layer) }
        item.program = .groupRounded.along(outline.curve)
        item.outline = drawn.list.outline(outline)
        for (rect, edges) in parts.frame { drawn.add(item, rect, edges, of: layer) }
      }
    }
  }

  /// Adds an image multiplied by the alpha of another.
  mutating func add(_ image: GroupImage, maskedBy cover: GroupImage, in context: Context) {
    let color = graph.drawn.color(tint: context.faded, format)
    add(
      Item(.groupMasked, color: color), image.region.intersection(cover.region),
      sampling: [image, cover], in: context)
  }

  /// Replaces the group's pixels by an image, in proportion to the alpha of another image.
  mutating func replace(
    with image: GroupImage, under cover: GroupImage, in context: Context
  ) {
    var hole = context
    hole.blend = .destinationOut
    add(cover, in: hole)
    var filling = context
    filling.blend = .plus
    add(image, maskedBy: cover, in: filling)
  }

  /// Replaces the group's pixels by a mix of two images. The context's opacity is the weight of the
  /// second.
  mutating func mix(_ first: GroupImage, _ second: GroupImage, in context: Context) {
    let weight = Double(format.channel(context.opacity))
    add(first, times: 1 - weight, second, times: weight, blend: .copy, in: context)
  }

  // MARK: Resampling

  /// The image at another resolution or blurred along a line, in `region`, which is in the result's
  /// pixels; nil if that is empty.
  mutating func resampled(
    _ image: GroupImage, _ program: FramePlan.Program, _ kernel: BlurKernel,
    _ filter: FramePlan.TextureSource.Filter, in region: PixelRect, of context: Context
  ) -> GroupImage? {
    guard !region.isEmpty else { return nil }
    return group(region, isWhole: true, in: context) { compositor, inner in
      compositor.addItems(in: inner) { drawn in
        let item = Item(
          program, blend: .copy, parameters: drawn.list.kernel(kernel),
          sources: SIMD2(drawn.source(image, filter), 0))
        drawn.list.add(item, region, within: region)
      }
    }
  }

  mutating func colored(
    _ image: GroupImage, _ matrix: ColorMatrix, of context: Context
  ) -> GroupImage {
    group(image.region, isWhole: true, in: context) { compositor, inner in
      compositor.addItems(in: inner) { drawn in
        let item = Item(
          .colorMatrix, blend: .copy, parameters: drawn.list.matrix(matrix),
          sources: SIMD2(drawn.source(image), 0))
        drawn.list.add(item, image.region, within: image.region)
      }
    }
  }

  // MARK: Blend modes

  /// Composites a layer's image onto the group.
  mutating func composite(
    _ image: GroupImage, maskedBy cover: GroupImage?, _ mode: BlendMode, of row: Int,
    _ values: ValuesPointer, in context: Context
  ) {
    guard !mode.isBounded else {
      guard let cover else { return composite(image, mode, in: context) }
      if mode == .normal { return add(image, maskedBy: cover, in: context) }
      let masked = group(image.region, in: context) { $0.add(image, maskedBy: cover, in: $1) }
      composite(masked, mode, in: context)
      return
    }
    // The other modes also change the group outside the image, up to the layer's bounds, even if
    // the layer paints nothing.
    keep(image)
    let projection = Projection(evaluated.toPixels[row])
    guard
      let quad = ProjectedQuad(values.pointee.bounds, through: projection, antialiased: [])
    else { return }
    let part = PixelRect(covering: quad.bounds, within: context.visible)
    guard let behind = copyOfBackdrop(part, in: context) else { return }
    guard let cover else {
      blend(image, on: behind, mode, in: context) { $0.add($1, quad, within: context.visible) }
      return
    }
    let blended = group(part, in: context) { compositor, inner in
      compositor.copy(behind, in: inner)
      var blending = inner
      (blending.opacity, blending.tint) = (context.opacity, context.tint)
      compositor.blend(image, on: behind, mode, in: blending) { $0.add($1, quad, within: part) }
    }
    replace(with: blended, under: cover, in: context.plain)
  }

  private mutating func composite(_ image: GroupImage, _ mode: BlendMode, in context: Context) {
    let blends = mode.blends
    guard blends.isEmpty else {
      for blend in blends {
        var blending = context
        blending.blend = blend
        add(image, in: blending)
      }
      return
    }
    let part = image.region.intersection(context.visible)
    guard let behind = copyOfBackdrop(part, in: context) else { return }
    blend(image, on: behind, mode, in: context) { $0.add($1, part, within: part) }
  }

  /// Replaces the group's pixels by the result of the mode's formula for an image and a copy of the
  /// group. `cover` adds the item where it applies.
  private mutating func blend(
    _ image: GroupImage, on behind: GroupImage, _ mode: BlendMode, in context: Context,
    _ cover: (inout ItemList, Item) -> Void
  ) {
    let format = format
    addItems(in: context) { drawn in
      let item = Item(
        .blended, blend: .formula(mode), color: drawn.color(tint: context.faded, format),
        sources: SIMD2(drawn.source(image), drawn.source(behind)))
      cover(&drawn.list, item)
    }
  }
}

extension DrawnItems {
  mutating func source(
    _ image: GroupImage, _ filter: FramePlan.TextureSource.Filter = .nearest
  ) -> UInt32 {
    source(image.content, filter, at: image.region)
  }
}

extension BlendMode {
  /// The device's own blending operations that together give the mode, in order; empty if the mode
  /// needs a formula.
  fileprivate var blends: [FramePlan.Blend] {
    switch self {
    case .normal: [.sourceOver]
    case .multiply: [.multiply, .fill]
    case .screen: [.screen]
    case .plusLighter: [.plus]
    case .sourceAtop: [.sourceAtop]
    case .destinationOver: [.destinationOver]
    case .destinationOut: [.destinationOut]
    case .xor: [.xor]
    default: []
    }
  }
}
