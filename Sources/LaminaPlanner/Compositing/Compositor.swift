import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Turns one evaluated tree into one frame plan, layer by layer from back to front.
///
/// Groups are painted into offscreen targets that lie pixel on pixel over the surface, so that
/// compositing them resamples nothing. A target's pass is finished, and goes into the plan, before
/// the pass that draws it.
struct Compositor {
  /// Where and how layers are being painted.
  struct Context {
    /// The part of the surface that the target shows.
    var region: PixelRect
    /// In the surface's pixels.
    var scissor: PixelRect
    /// Product of the opacities that no enclosing group applies: those of the ancestors and, while
    /// a layer's pieces are painted, the layer's own.
    var opacity = 1.0
    /// The blending of everything painted; nil to let each draw use its own.
    var blend: FramePlan.Blend?
    /// The piece to paint of a layer that siblings in three dimensions cut; nil for the whole
    /// layer.
    var piece: CutPiece?
    /// Whether what lies behind shows through everything painted, even through opaque layers.
    var isBlended = false
    /// The row whose outline clips the target later, or -1. Its edges are painted beyond that
    /// outline, so that coverage counts once.
    var clippedLaterBy = -1
    /// Whether the target began as a copy of the surface.
    var isOnSurface = false
    /// The enclosing clips that are still to be applied to the target, outermost first.
    var clips: [PendingClip] = []
  }

  /// Largest number of nested passes. Groups nested deeper are painted without an offscreen target.
  /// This bounds targets and recursion, and no real tree comes near.
  static let groupLimit = 64

  var ledger: TextureLedger
  let tree: RenderTree
  let evaluated: EvaluatedTree
  var plan: FramePlan
  /// The area that each row and all rows below it may touch, in the surface's pixels.
  let extents: [CGRect]
  let filterExtents: FilterExtents
  /// The outermost layer bitmaps, by row.
  let bitmaps: [Int: LayerBitmap]
  /// The textures of the layer bitmaps that this frame has painted or found cached, by row.
  var paintedBitmaps: [Int: FramePlan.TextureSource.Texture] = [:]
  /// Whether targets have 8 bits a channel.
  let isEightBit: Bool
  /// The passes being painted, outermost first.
  private(set) var openPasses: [FramePlan.Pass] = []
  private var openRegions: [PixelRect] = []
  /// The kind of debug overlay drawn over the finished frame, and its marks so far.
  let overlay: OverlayKind?
  var marks: [OverlayMark] = []
  var isMarking = true
  /// The tree's nodes and the animated rows' values, in place, while the tree is painted.
  private var nodes: UnsafePointer<RenderTree.Node>?
  private var animatedValues: ValuesPointer?
  /// Number of open passes in the compositors around this one.
  private let depth: Int
  /// The groups of layers that siblings in three dimensions cut, by row. Every piece draws the same
  /// group.
  var groupsInPieces: [Int: Group] = [:]

  init(ledger: TextureLedger, tree: RenderTree, _ measured: MeasuredTree, depth: Int = 0) {
    self.ledger = ledger
    self.tree = tree
    self.depth = depth
    evaluated = measured.evaluated
    extents = measured.extents
    filterExtents = measured.filterExtents
    bitmaps = measured.bitmaps
    plan = FramePlan(size: evaluated.size, damage: PixelRect(evaluated.size))
    let options = tree.sessions[evaluated.session]?.options
    isEightBit = options?.format != .rgba16f
    // Nothing is marked in a layer bitmap, since later frames draw it again.
    overlay = depth == 0 ? options?.overlay : nil
  }

  /// Paints the whole tree.
  mutating func paint(into target: FramePlan.Target = .surface) {
    // The rows' values stay in these arrays for as long as the compositor reads them there.
    let (all, animated) = (tree.nodes, evaluated.animatedValues)
    all.withUnsafeBufferPointer { nodes in
      animated.withValues { animatedValues in
        (self.nodes, self.animatedValues) = (nodes.baseAddress, animatedValues)
        paintRows(into: target)
        (self.nodes, self.animatedValues) = (nil, nil)
      }
    }
  }

  private mutating func paintRows(into target: FramePlan.Target) {
    begin(target, region: evaluated.area)
    if !evaluated.rows.isEmpty {
      paint(row: 0, in: Context(region: evaluated.area, scissor: evaluated.area))
    }
    paintOverlay()
    end()
  }

  /// Whether another group may be nested in the open ones.
  var mayNest: Bool { depth + openPasses.count <= Self.groupLimit }

  /// Makes the compositor that paints a layer bitmap's tree into the same plan. It holds this
  /// compositor's ledger and plan until `takeBack`.
  mutating func makeInner(_ measured: MeasuredTree) -> Compositor {
    var inner = Compositor(
      ledger: TextureLedger(profile: ledger.profile), tree: tree, measured,
      depth: depth + openPasses.count)
    swap(&inner.ledger, &ledger)
    swap(&inner.plan, &plan)
    return inner
  }

  mutating func takeBack(_ inner: inout Compositor) {
    swap(&inner.ledger, &ledger)
    swap(&inner.plan, &plan)
  }

  /// The values of a row, in place.
  func values(of row: Int) -> ValuesPointer {
    let place = evaluated.rows[row]
    return place.animated >= 0
      ? animatedValues! + place.animated : RenderTree.Node.values(at: nodes! + place.slot)
  }

  private mutating func begin(_ target: FramePlan.Target, region: PixelRect) {
    openPasses.append(FramePlan.Pass(target: target, clear: PixelRect(region.size)))
    openRegions.append(region)
  }

  /// Closes the innermost pass; returns whether anything was drawn in it.
  @discardableResult
  private mutating func end() -> Bool {
    let pass = openPasses.removeLast()
    openRegions.removeLast()
    // A pass without a clear continues one that was interrupted.
    guard pass.clear != nil || !pass.batches.isEmpty else { return true }
    plan.passes.append(pass)
    return pass.clear == nil || !pass.batches.isEmpty
  }

  /// Ends the innermost pass, so that what it has drawn can be read, and opens another that
  /// continues drawing into the same target. Returns the target's content so far.
  mutating func interruptPass() -> OffscreenImage {
    let last = openPasses.count - 1
    let target = openPasses[last].target
    plan.passes.append(openPasses[last])
    openPasses[last] = FramePlan.Pass(target: target, clear: nil)
    let texture: FramePlan.TextureSource.Texture =
      switch target {
      case .surface: .surface
      case .offscreen(let index): .offscreen(index)
      case .canvas(let id): .canvas(id)
      }
    return OffscreenImage(texture: texture, region: openRegions[last])
  }

  /// Paints an image of a region of the surface into an offscreen target; nil if nothing is
  /// painted.
  mutating func picture(
    _ region: PixelRect, _ body: (inout Compositor, Context) -> Void
  ) -> OffscreenImage? {
    let index = plan.offscreens.count
    plan.offscreens.append(region.size)
    begin(.offscreen(index), region: region)
    body(&self, Context(region: region, scissor: region))
    return end() ? OffscreenImage(texture: .offscreen(index), region: region) : nil
  }

  /// Adds a convex polygon to the innermost pass, as part of the last batch if the state is the
  /// same. `emit` appends the numbers that follow a vertex's position.
  mutating func add(
    _ program: FramePlan.Program, blend: FramePlan.Blend = .sourceOver,
    sources: [FramePlan.TextureSource] = [], quad: ProjectedQuad, in context: Context,
    emit: (ProjectedQuad.Vertex, inout [Float]) -> Void
  ) {
    let scissor = visible(in: context)
    let local = PixelRect(
      minX: scissor.minX - context.region.minX, minY: scissor.minY - context.region.minY,
      maxX: scissor.maxX - context.region.minX, maxY: scissor.maxY - context.region.minY)
    guard !PixelRect(covering: quad.bounds, within: local).isEmpty else { return }
    let first = plan.vertices.count
    let count: Int
    if let piece = context.piece {
      let triangles = quad.triangles(of: piece, origin: context.region)
      count = triangles.count
      for vertex in triangles { append(vertex, emit) }
    } else {
      count = (quad.vertices.count - 2) * 3
      // A fan about the first vertex.
      for i in 0..<count { append(quad.vertices[i % 3 == 0 ? 0 : i / 3 + i % 3], emit) }
    }
    guard count > 0 else { return }
    append(
      FramePlan.Batch(
        program: program, blend: context.blend ?? blend, sources: sources, scissor: local,
        firstFloat: first,
        vertexCount: count))
  }

  @inline(__always)
  private mutating func append(
    _ vertex: ProjectedQuad.Vertex, _ emit: (ProjectedQuad.Vertex, inout [Float]) -> Void
  ) {
    plan.vertices.append(Float(vertex.pixel.x * vertex.w))
    plan.vertices.append(Float(vertex.pixel.y * vertex.w))
    plan.vertices.append(Float(vertex.w))
    emit(vertex, &plan.vertices)
  }

  private mutating func append(_ batch: FramePlan.Batch) {
    let pass = openPasses.count - 1
    if let last = openPasses[pass].batches.last, last.program == batch.program,
      last.blend == batch.blend, last.sources == batch.sources, last.scissor == batch.scissor,
      last.firstFloat + last.vertexCount * last.program.floatsPerVertex == batch.firstFloat,
      !profile.isSoftware || last.vertexCount + batch.vertexCount <= Self.softwareVertexLimit
    {
      openPasses[pass].batches[openPasses[pass].batches.count - 1].vertexCount += batch.vertexCount
    } else {
      openPasses[pass].batches.append(batch)
    }
  }

  /// 170 quads: llvmpipe splits a draw at 1,023 vertices, which costs it its rectangle path.
  private static let softwareVertexLimit = 1020
  private var profile: DeviceProfile { ledger.profile }

  mutating func paint(row: Int, in context: Context) {
    if evaluated.rows[row].transition >= 0 {
      paintTransition(evaluated.rows[row].transition, of: row, in: context)
      return
    }
    if evaluated.rows[row].kind == .transform {
      paintSpace(of: row, in: context)
      return
    }
    let values = values(of: row)
    let opacity = min(max(values.pointee.opacity, 0), 1)
    guard opacity > 0, !PixelRect(covering: extents[row], within: context.scissor).isEmpty,
      values.pointee.isDoubleSided || isFacingUs(row, values)
    else { return }
    if mayNest, let filters = filters(of: row, values) {
      paint(row: row, values, through: filters, in: context)
      return
    }
    if let bitmap = bitmaps[row] {
      var faded = context
      faded.opacity *= opacity
      draw(bitmap, of: row, in: faded)
      return
    }
    // Otherwise each piece is faded by itself, even in a group.
    let isFadedWhole = opacity < 1 && values.pointee.allowsGroupOpacity
    let opacityOfPieces = isFadedWhole ? 1 : context.opacity * opacity
    var shadow = shadow(of: row, values, opacityOfPieces: opacityOfPieces)
    if shadow?.isOfPicture == true, !mayNest { shadow = nil }
    if isOpen(row, values) {
      var inner = context
      inner.opacity *= opacity
      inner.clippedLaterBy = -1
      paintOpen(row: row, values, shadow, in: inner)
      return
    }
    // If everything that the layer draws casts the shadow, it is clipped before it casts it.
    let clip = shadow?.isOfPicture == true ? .none : clip(of: row, values, in: context)
    // If siblings cut the layer, such a shadow is painted once, in a group, and not for each piece.
    let isRepeated = context.piece != nil && shadow?.isOfPicture == true
    let needsGroup =
      evaluated.rows[row].mask >= 0 || clip == .group || isRepeated
      || (isFadedWhole && pieceCount(of: row, values) > 1)
    if needsGroup, mayNest {
      var outer = context
      outer.opacity = isFadedWhole ? context.opacity * opacity : 1
      paintGroup(
        row: row, values, clip: clip, shadow, opacityOfPieces: opacityOfPieces, in: outer)
    } else {
      var inner = context
      inner.opacity *= opacity
      inner.clippedLaterBy = -1
      paintPieces(of: row, values, clip: clip, shadow, in: inner)
    }
  }

  /// Paints the shadow, then everything else over it.
  mutating func paintPieces(
    of row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, in context: Context
  ) {
    if let shadow {
      if shadow.isOfPicture {
        if filterExtents.readsBackdrop.contains(row) {
          paintOpen(row: row, values, shadow, in: context)
        } else {
          paintOverShadow(shadow.style, row: row, values, in: context)
        }
        return
      }
      paintShadow(shadow, of: row, isUnderBody: true, in: clipped(context, by: clip))
    }
    paintBody(of: row, values, clip: clip, in: context)
  }

  /// Paints background, gradient, contents, shape, sublayers and border, in this order.
  mutating func paintBody(
    of row: Int, _ values: ValuesPointer, clip: Clip, in context: Context
  ) {
    markBlending(of: row, values, in: context)
    paintBackground(of: row, values, in: context)
    if evaluated.rows[row].kind == .gradient { paintGradient(of: row, values, in: context) }
    var inside = clipped(context, by: clip)
    if !inside.scissor.isEmpty {
      paintContents(of: row, values, in: inside)
      if evaluated.rows[row].kind == .shape {
        paintShape(of: row, values, in: inside)
      }
      inside.clippedLaterBy = -1
      paintSublayers(of: row, in: inside)
    }
    paintBorder(of: row, values, in: context)
  }

  /// Paints a layer and its sublayers into an offscreen target and composites it: clipped by the
  /// layer's outline, masked, with the opacity.
  private mutating func paintGroup(
    row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, opacityOfPieces: Double,
    in context: Context
  ) {
    let region = groupRegion(of: row, in: context)
    guard !region.isEmpty else { return }
    guard
      let group = finishedGroup(
        row: row, values, clip: clip, shadow, opacityOfPieces: opacityOfPieces, region, in: context)
    else { return }
    if let cover = group.cover {
      draw(group.picture, maskedBy: cover, in: context)
    } else if clip == .group {
      drawClipped(group.picture, of: row, values, in: context)
    } else {
      draw(group.picture, in: context)
    }
  }

  /// A layer and its sublayers, painted and ready to be composited.
  struct Group {
    var picture: OffscreenImage
    /// The mask. If there is one, the layer's outline has already clipped the image.
    var cover: OffscreenImage?
  }

  /// nil if nothing is visible.
  private mutating func finishedGroup(
    row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, opacityOfPieces: Double,
    _ region: PixelRect,
    in context: Context
  ) -> Group? {
    if context.piece != nil, let known = groupsInPieces[row] { return known }
    let painted = paintedGroup(
      row: row, values, clip: clip, shadow, opacityOfPieces: opacityOfPieces, region, in: context)
    guard let group = painted else { return nil }
    if context.piece != nil { groupsInPieces[row] = group }
    return group
  }

  private mutating func paintedGroup(
    row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, opacityOfPieces: Double,
    _ region: PixelRect, in outer: Context
  ) -> Group? {
    markOffscreen(region, in: outer)
    let mask = evaluated.rows[row].mask
    let painted = picture(region) { painter, context in
      var inner = context
      inner.opacity = opacityOfPieces
      inner.clippedLaterBy = clip == .group ? row : -1
      inner.isBlended =
        outer.isBlended || outer.opacity < 1 || clip == .group || mask >= 0
      painter.paintPieces(of: row, values, clip: clip, shadow, in: inner)
    }
    guard let painted else { return nil }
    guard mask >= 0 else { return Group(picture: painted) }
    let clipped =
      clip == .group
      ? picture(region) { $0.drawClipped(painted, of: row, values, in: $1) } : painted
    guard let clipped, let cover = maskPicture(mask, region) else { return nil }
    return Group(picture: clipped, cover: cover)
  }
}
