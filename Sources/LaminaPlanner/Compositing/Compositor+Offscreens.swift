import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// An offscreen target and the region of the surface that it shows.
struct OffscreenImage {
  var texture: FramePlan.TextureSource.Texture
  var region: PixelRect

  var source: FramePlan.TextureSource {
    FramePlan.TextureSource(texture: texture, filter: .nearest)
  }

  /// The offset from a target's pixels to this image's pixels, as numbers of a vertex.
  func offset(from target: PixelRect) -> [Float] {
    [Float(target.minX - region.minX), Float(target.minY - region.minY)]
  }
}

extension Compositor {
  /// The quad of a rectangle, given in the surface's pixels, in the target that `context` paints.
  static func pixelQuad(_ rect: PixelRect, in context: Context) -> ProjectedQuad? {
    ProjectedQuad(
      rect.cgRect, through: Projection(.identity, origin: context.region), antialiased: [])
  }

  mutating func transparentPicture(_ region: PixelRect) -> OffscreenImage? {
    picture(region) { painter, context in
      guard let quad = Self.pixelQuad(region, in: context) else { return }
      painter.add(.solid, blend: .copy, quad: quad, in: context) { _, out in
        out += [0, 0, 0, 0]
      }
    }
  }

  /// A copy of the innermost target's content so far. `part` lies in the target.
  mutating func copyOfTarget(_ part: PixelRect) -> OffscreenImage? {
    let target = interruptPass()
    return picture(part) { painter, context in
      var copying = context
      copying.blend = .copy
      painter.draw(target, in: copying)
    }
  }

  /// Draws an image pixel on pixel, with the context's opacity.
  mutating func draw(_ picture: OffscreenImage, in context: Context) {
    draw(picture, times: channel(context.opacity), in: context)
  }

  /// Draws an image pixel on pixel, multiplied by a weight instead of the context's opacity.
  mutating func draw(_ picture: OffscreenImage, times weight: Float, in context: Context) {
    guard let quad = Self.pixelQuad(picture.region, in: context) else { return }
    let offset = picture.offset(from: context.region)
    add(.group, sources: [picture.source], quad: quad, in: context) { _, out in
      out.append(SIMD4(repeating: weight))
      out += offset
    }
  }

  /// Draws the sum of two images, each multiplied by its weight.
  mutating func draw(
    _ first: OffscreenImage, times firstWeight: Float, _ second: OffscreenImage,
    times secondWeight: Float,
    blend: FramePlan.Blend = .sourceOver, in context: Context
  ) {
    let region = first.region.intersection(second.region)
    guard !region.isEmpty, let quad = Self.pixelQuad(region, in: context) else { return }
    let offsets = first.offset(from: context.region) + second.offset(from: context.region)
    let sources = [first.source, second.source]
    add(.groupMix, blend: blend, sources: sources, quad: quad, in: context) { _, out in
      out.append([firstWeight, secondWeight, 0, 0])
      out += offsets
    }
  }

  /// Draws an image inside a layer's rounded bounds.
  mutating func drawClipped(
    _ picture: OffscreenImage, of row: Int, _ values: ValuesPointer, in context: Context
  ) {
    var clipped = context
    clipped.scissor = context.scissor.intersection(picture.region)
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let opacity = SIMD4(repeating: channel(context.opacity))
    let offset = picture.offset(from: context.region)
    let outline = values.outline
    if outline.isRectangle {
      let edges = antialiasedEdges(of: values.pointee.bounds, values, projection)
      guard
        let quad = ProjectedQuad(values.pointee.bounds, through: projection, antialiased: edges)
      else { return }
      add(.groupEdges, sources: [picture.source], quad: quad, in: clipped) { vertex, out in
        out.append(opacity)
        out += offset
        Self.emitEdges(vertex, &out)
      }
      return
    }
    guard let quad = ProjectedQuad(outline.rect, through: projection, antialiased: .all) else {
      return
    }
    let program = FramePlan.Program.groupRounded.along(outline.curve)
    add(program, sources: [picture.source], quad: quad, in: clipped) { vertex, out in
      out.append(opacity)
      out += offset
      Self.emitCorners(vertex, outline, &out)
    }
  }

  /// Draws an image multiplied by the alpha of another.
  mutating func draw(_ picture: OffscreenImage, maskedBy cover: OffscreenImage, in context: Context)
  {
    let region = picture.region.intersection(cover.region)
    guard !region.isEmpty, let quad = Self.pixelQuad(region, in: context) else { return }
    let opacity = SIMD4(repeating: channel(context.opacity))
    let offsets =
      picture.offset(from: context.region) + cover.offset(from: context.region)
    add(.groupMasked, sources: [picture.source, cover.source], quad: quad, in: context) { _, out in
      out.append(opacity)
      out += offsets
    }
  }

  /// Replaces the target by an image, in proportion to the alpha of another image.
  mutating func replace(
    with picture: OffscreenImage, under cover: OffscreenImage, in context: Context
  ) {
    var hole = context
    hole.blend = .destinationOut
    draw(cover, in: hole)
    var filling = context
    filling.blend = .plus
    draw(picture, maskedBy: cover, in: filling)
  }

  /// Replaces the target by a mix of two images. The context's opacity is the weight of the second.
  mutating func mix(_ first: OffscreenImage, _ second: OffscreenImage, in context: Context) {
    let weight = channel(context.opacity)
    draw(first, times: 1 - weight, second, times: weight, blend: .copy, in: context)
  }

  // MARK: Blend modes

  /// Composites a layer's image onto the target.
  mutating func composite(
    _ picture: OffscreenImage, maskedBy cover: OffscreenImage?, _ mode: BlendMode, of row: Int,
    _ values: ValuesPointer, in context: Context
  ) {
    guard !mode.isBounded else {
      guard let cover else { return composite(picture, mode, in: context) }
      if mode == .normal { return draw(picture, maskedBy: cover, in: context) }
      let masked = self.picture(picture.region) { $0.draw(picture, maskedBy: cover, in: $1) }
      if let masked { composite(masked, mode, in: context) }
      return
    }
    // The other modes also change the target outside the image, up to the layer's bounds.
    let bounds = values.pointee.bounds
    let toSurface = evaluated.rows[row].toSurface
    func quad(in context: Context) -> ProjectedQuad? {
      let projection = Projection(toSurface, origin: context.region)
      return ProjectedQuad(bounds, through: projection, antialiased: [])
    }
    guard let area = quad(in: Context(region: .empty, scissor: .empty)) else { return }
    let part = PixelRect(
      covering: area.bounds, within: visible(in: context))
    guard !part.isEmpty, let behind = copyOfTarget(part) else { return }
    guard let cover else {
      if let quad = quad(in: context) { blend(picture, on: behind, mode, quad, in: context) }
      return
    }
    let blended = self.picture(part) { painter, inner in
      var copying = inner
      copying.blend = .copy
      painter.draw(behind, in: copying)
      var blending = inner
      blending.opacity = context.opacity
      if let quad = quad(in: inner) { painter.blend(picture, on: behind, mode, quad, in: blending) }
    }
    var whole = context
    whole.opacity = 1
    if let blended { replace(with: blended, under: cover, in: whole) }
  }

  private mutating func composite(_ picture: OffscreenImage, _ mode: BlendMode, in context: Context)
  {
    let passes = mode.passes
    guard passes.isEmpty else {
      for pass in passes {
        var blending = context
        blending.blend = pass
        draw(picture, in: blending)
      }
      return
    }
    let part = picture.region.intersection(context.scissor).intersection(context.region)
    guard !part.isEmpty, let behind = copyOfTarget(part),
      let quad = Self.pixelQuad(part, in: context)
    else { return }
    blend(picture, on: behind, mode, quad, in: context)
  }

  /// Replaces the target by the result of the mode's formula for an image and a copy of the target.
  private mutating func blend(
    _ picture: OffscreenImage, on behind: OffscreenImage, _ mode: BlendMode, _ quad: ProjectedQuad,
    in context: Context
  ) {
    let opacity = SIMD4(repeating: channel(context.opacity))
    let offsets = picture.offset(from: context.region) + behind.offset(from: context.region)
    let sources = [picture.source, behind.source]
    add(.blended, blend: .formula(mode), sources: sources, quad: quad, in: context) { _, out in
      out.append(opacity)
      out += offsets
    }
  }
}

extension BlendMode {
  /// Whether the target does not change where the source is transparent.
  var isBounded: Bool {
    switch self {
    case .clear, .copy, .sourceIn, .sourceOut, .destinationIn, .destinationAtop: false
    default: true
    }
  }

  /// The device's own blending operations that together give the mode, in order; empty if the mode
  /// needs a formula.
  fileprivate var passes: [FramePlan.Blend] {
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
