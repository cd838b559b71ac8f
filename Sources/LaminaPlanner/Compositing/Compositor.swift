import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Nests what the layers of an evaluated tree draw into groups.
///
/// Groups lie pixel on pixel over the surface, so that compositing them resamples nothing. Layers
/// that are still to be composed wait in a list, so that depth takes heap memory and not the
/// thread's stack; what they add to one group is in painting order.
struct Compositor: ~Copyable {
  /// Where and how layers are composed.
  struct Context {
    var group: Int
    /// The part of the surface that the group shows.
    var region: PixelRect
    /// In the surface's pixels.
    var scissor: PixelRect
    /// Number of groups around everything added, including this one.
    var nesting: Int
    /// Product of the opacities that no enclosing group applies: those of the ancestors and, while
    /// a layer's pieces are added, the layer's own.
    var opacity = 1.0
    /// Product of the tints of the enclosing copies that no enclosing group applies: it multiplies
    /// the premultiplied colours of everything added.
    var tint = SIMD4<Double>(repeating: 1)
    /// The blending of everything added; nil to let each item use its own.
    var blend: FramePlan.Blend?
    /// The piece to add of a layer that siblings in three dimensions cut; nil for the whole layer.
    var piece: CutPiece?
    /// Whether what lies behind shows through everything added, even through opaque layers.
    var isBlended = false
    /// The row whose outline clips the group later, or -1. Its edges are drawn beyond that outline,
    /// so that coverage counts once.
    var clippedLaterBy = -1
    /// Whether the group began as a copy of the surface.
    var isOnSurface = false
    /// The enclosing clips that are still to be applied to the group, outermost first.
    var clips: [PendingClip] = []
    /// Whether a debug overlay marks what is added.
    var isMarked = true
    /// Number of layers around everything added that are composed twice: once to cast a shadow.
    var repeats = 0
    /// Whether everything added is painted into a canvas, which later frames draw again.
    var isInCanvas = false
    /// Whether the group shows layers where the surface does, and not in a bitmap of their own.
    var isOnScreen = true
    /// Whether the group is read beyond the pixels that are painted again, as the source of a blur
    /// is. Then all of it is painted.
    var isWhole = false

    init(group: Int, region: PixelRect, nesting: Int) {
      (self.group, self.region, self.nesting) = (group, region, nesting)
      scissor = region
    }

    /// The part of the surface that shows.
    var visible: PixelRect { scissor.intersection(region) }
  }

  /// Layers that wait to be composed, or what is added over a layer's sublayers.
  enum Waiting {
    /// Rows of one superlayer, from one on. Of a rest, those behind it are composed already.
    case rows(next: Int32, isRest: Bool, Context)
    case row(Int, Context)
    case members([PlacedMember], next: Int, Context)
    case border(row: Int, Context)
    case erasing(PixelOutline, row: Int, Context)
  }

  /// Largest number of nested groups. Layers nested deeper are composed without a group. This
  /// bounds the targets that a chain of layers needs, and no real tree comes near.
  static let groupLimit = 64
  /// Largest number of layers in each other that are composed twice. Layers nested deeper have no
  /// such shadow: each level takes twice the time of the one below it.
  static let repeatLimit = 6

  let tree: RenderTree
  let evaluated: EvaluatedTree
  let format: TargetFormat
  let extents: Extents
  /// The bitmaps of rasterized layers, by row.
  let bitmaps: [Int: LayerBitmap]
  var graph: CompositingGraph
  /// The numbers of the layer bitmaps that are in the graph already, by row and, for those of
  /// copied layers, by what they show.
  var bitmapNumbers: [Int: Int] = [:]
  var copiedBitmapNumbers: [LayerBitmapKey: Int] = [:]
  /// The groups that are, or may be, kept, and the last number that one of them was given.
  var groupCanvases = GroupCanvases()
  var canvasNumber: UInt64 = 0
  /// The canvases on the device, while the tree is composed.
  var keptTextures = TextureCache<CanvasKey, Void>()
  /// How many times a group's pixels are painted before it is kept; nil to keep none.
  var paintsBeforeKept: Int?
  /// The kind of debug overlay drawn over the finished frame, and its marks so far.
  let overlay: OverlayKind?
  /// Whether groups may be painted in one target.
  let canShareTargets: Bool
  /// What is painted again; nil for everything.
  let damage: Damage?
  /// Whether there is none. Cheaper than comparing it, which copies it.
  let paintsAll: Bool
  /// The rows that may show in it; nil for all.
  private let paintedRows: PaintedRows?
  var marks: [OverlayMark] = []
  /// The groups of layers that siblings in three dimensions cut. Every piece in the same group
  /// samples the same one.
  var groupsInPieces: [PiecesKey: LayerGroup] = [:]
  /// Where, among the steps of their group, backdrops that share a capture are read.
  var captures: [CaptureKey: Int] = [:]
  /// What is read for every row, in place, while the tree is composed.
  var tables: Tables?
  var waiting: [Waiting] = []
  /// How siblings are shared among threads, and what each of these draws; nil if they are not.
  let sharing: LoopSharing?
  var threadItems: [DrawnItems] = []
  /// The siblings that were looked at last. Kept for its memory.
  var siblings: [Int32] = []
  /// Number of rows of which something was drawn.
  var drawnCount = 0
  /// What it costs that layers in a space cut each other.
  var cutting = CuttingCost()
  /// What which row added; nil unless that is asked for.
  var record: CompositionRecord?

  struct Tables {
    let rows: RowTables
    let copies: UnsafePointer<EvaluatedTree.Copy?>?
    let edges: UnsafePointer<BoxEdges>
    /// What is painted again; nil for everything.
    let damage: UnsafeBufferPointer<PixelRect>?
    /// The rows that may show in it; nil for all.
    let painted: PaintedRows.Bits?
  }

  /// With `sharing`, siblings are shared among threads.
  init(
    _ measured: MeasuredTree, of tree: RenderTree, on profile: DeviceProfile,
    into graph: consuming CompositingGraph = CompositingGraph(), damage: Damage? = nil,
    sharing: LoopSharing? = nil
  ) {
    self.tree = tree
    self.damage = damage
    self.sharing = sharing
    paintsAll = damage == nil
    paintedRows = damage.map { measured.rows(in: $0, sharing: sharing) }
    self.graph = graph
    if let damage { self.graph.damage = damage.rects }
    evaluated = measured.evaluated
    extents = measured.extents
    bitmaps = measured.bitmaps
    let options = tree.sessions[evaluated.session]?.options
    format = TargetFormat(
      isEightBit: options?.format != .rgba16f, maxTextureSize: profile.maxTextureSize,
      drawsInsidesApart: profile.drawsInsidesApart)
    overlay = options?.overlay
    canShareTargets = profile.sharesTargets
  }

  /// Composes the whole tree.
  mutating func compose() {
    let area = evaluated.area
    let root = graph.add(CompositingGraph.Group(region: area, target: .surface, isKept: true))
    record?.noteGroups(upTo: graph.groups.count)
    let context = Context(group: root, region: area, nesting: 1)
    if evaluated.root >= 0 {
      enqueue(row: evaluated.root, in: context)
      composeInPlace()
    }
    record?.row = -1
    addOverlay(in: context)
  }

  /// Composes what waits. Everything stays in these arrays for as long as the compositor reads it
  /// there.
  private mutating func composeInPlace() {
    let (evaluated, extents, paintedRows) = (evaluated, extents, paintedRows)
    let damage = damage?.rects ?? []
    RowTables.read(tree, evaluated) { rows in
      evaluated.copies.withElements { copies in
        extents.edges.withUnsafeBufferPointer { edges in
          damage.withUnsafeBufferPointer { damage in
            paintedRows.withBits { painted in
              tables = Tables(
                rows: rows, copies: copies, edges: edges.baseAddress!,
                damage: paintsAll ? nil : damage, painted: painted)
              composeWaiting()
              tables = nil
            }
          }
        }
      }
    }
  }

  /// A row, in place: it is large.
  @inline(__always)
  func row(_ index: Int) -> UnsafePointer<EvaluatedTree.Row> { tables!.rows[index] }

  @inline(__always)
  func hasSublayers(_ row: Int) -> Bool { tables!.rows.hasSublayers(row) }

  /// What the premultiplied colours of everything in a copy are multiplied by.
  @inline(__always)
  func tint(ofCopy index: Int) -> SIMD4<Double> { tables!.copies![index]!.tint }

  /// The values of a row, in place.
  @inline(__always)
  func values(of row: Int) -> ValuesPointer { tables!.rows.values(of: row) }

  // MARK: What waits

  /// Composes a row after everything that was enqueued later.
  mutating func enqueue(row: Int, in context: Context) {
    waiting.append(.row(row, context))
  }

  mutating func enqueueSublayers(of row: Int, in context: Context) {
    let first = painted(from: tables!.rows.links[row].first, isWhole: context.isWhole)
    guard first >= 0 else { return }
    // A single one with nothing below it need not wait, and goes no deeper.
    if tables!.rows.isLeaf(Int(first)), tables!.rows.links[Int(first)].next < 0 {
      var context = context
      compose(row: Int(first), in: &context)
    } else {
      waiting.append(.rows(next: first, isRest: false, context))
    }
  }

  mutating func enqueue(_ members: [PlacedMember], in context: Context) {
    if cutting.isExcessive { return }
    waiting.append(.members(members, next: 0, context))
  }

  /// Erases what lies outside of a row's outline, after everything that was enqueued later.
  mutating func enqueueErasing(
    outside outline: PixelOutline, of row: Int, in context: Context
  ) {
    waiting.append(.erasing(outline, row: row, context))
  }

  private mutating func composeWaiting() {
    while let last = waiting.popLast() {
      switch last {
      case .rows(let next, let isRest, var context):
        compose(rowsFrom: next, isRest: isRest, in: &context)
      case .row(let row, var context): compose(row: row, in: &context)
      case .members(let members, let next, let context):
        guard next < members.count else { continue }
        waiting.append(.members(members, next: next + 1, context))
        compose(members[next], in: context)
      case .border(let row, let context):
        _ = record?.begin(row)
        let layer = layer(row, values(of: row), in: context)
        addItems(in: context) { $0.addBorder(of: layer) }
      case .erasing(let outline, let row, let context):
        _ = record?.begin(row)
        let format = format
        addItems(in: context) { outline.addErasing(to: &$0, format, within: context.visible) }
      }
    }
  }

  /// Composes a row's sublayers now, unless they have to wait.
  mutating func composeSublayers(of row: Int, in context: inout Context) {
    compose(rowsFrom: tables!.rows.links[row].first, in: &context)
  }

  // MARK: Items

  /// A row's layer, as it is to be drawn. A call would copy the compositor and the context.
  @inline(__always)
  func layer(_ row: Int, _ values: ValuesPointer, in context: Context) -> LayerDrawing {
    LayerDrawing(
      values: values, projection: Projection(at: tables!.rows.toPixels + row),
      format: format, visible: context.visible, tint: context.faded, blend: context.blend,
      isClippedLater: context.clippedLaterBy == row, isFlipped: self.row(row).pointee.isFlipped)
  }

  /// Adds to the context's group what `draw` draws. Its textures are made for `owner`.
  mutating func addItems(
    in context: Context, owner: TextureOwner? = nil, _ draw: (inout DrawnItems) -> Void
  ) {
    let first = graph.drawn.count
    draw(&graph.drawn)
    if let owner {
      while graph.maskOwners.count < graph.drawn.masks.count { graph.maskOwners.append(owner) }
      while graph.rampOwners.count < graph.drawn.ramps.count { graph.rampOwners.append(owner) }
    }
    if let piece = context.piece { graph.drawn.list.cut(from: first, to: piece) }
    graph.addItems(from: first, to: context.group, scissor: context.visible)
    record?.noteItems(upTo: graph.drawn.count)
  }

  /// The owner of the textures that a part of the row's layer makes.
  func owner(_ row: Int, _ part: TextureOwner.Part) -> TextureOwner {
    let place = evaluated.rows[row]
    guard place.frozen >= 0 else {
      return TextureOwner(
        session: evaluated.session, layer: .living(tree.id(of: place.slot)), path: place.path,
        part: part)
    }
    let subtree = ObjectIdentifier(evaluated.frozenSubtrees[place.frozen])
    return TextureOwner(
      session: evaluated.session, layer: .frozen(subtree, place.place), path: place.path,
      part: part)
  }

  // MARK: Layers

  /// Composes a row, and enqueues the rows below it. The context is given back as it was: it is
  /// large, and a copy changes only its tint.
  mutating func compose(row: Int, in context: inout Context) {
    if context.piece != nil {
      cutting.layersInPieces += 1
      if cutting.isExcessive { return }
    }
    let outer = record?.begin(row)
    defer { if let outer { record?.row = outer } }
    if self.row(row).pointee.copy >= 0 {
      addCopy(of: row, in: &context)
      return
    }
    let first = graph.drawn.count
    add(row: row, in: &context)
    if graph.drawn.count > first { drawnCount += 1 }
  }

  /// The context stays as it is: it is passed in place, since it is large.
  private mutating func add(row: Int, in context: inout Context) {
    let place = self.row(row)
    if place.pointee.transition >= 0 {
      addTransition(place.pointee.transition, of: row, in: context)
      return
    }
    if place.pointee.isSpace {
      addSpace(of: row, in: context)
      return
    }
    let shown = tables!.edges[row].rect.intersection(context.scissor)
    if !paintsAll, !context.isWhole, let damage, !damage.meets(shown) { return }
    let values = values(of: row)
    let opacity = min(max(values.pointee.opacity, 0), 1)
    guard opacity > 0, !shown.isEmpty,
      values.pointee.isDoubleSided || tables!.rows.isFacingUs(row, values)
    else { return }
    if isBare(row, values), opacity == 1 || pieceCount(of: row, values) == 1 {
      // Most layers need no context of their own, which is large.
      let (clippedLaterBy, outerOpacity) = (context.clippedLaterBy, context.opacity)
      context.clippedLaterBy = -1
      if opacity < 1 { context.opacity *= opacity }
      addBody(of: row, values, clip: .none, in: &context)
      context.clippedLaterBy = clippedLaterBy
      if opacity < 1 { context.opacity = outerOpacity }
      return
    }
    if context.mayNest, let filters = filters(of: row, values) {
      add(row: row, values, through: filters, in: context)
      return
    }
    if let bitmap = bitmaps[row] {
      var faded = context
      faded.opacity *= opacity
      add(bitmap, of: row, in: faded)
      return
    }
    // Otherwise each piece is faded by itself, even in a group.
    let isFadedWhole = opacity < 1 && values.pointee.allowsGroupOpacity
    let opacityOfPieces = isFadedWhole ? 1 : context.opacity * opacity
    var shadow = shadow(of: row, values, opacityOfPieces: opacityOfPieces * context.tint.w)
    if shadow?.isOfGroup == true, !context.mayNest { shadow = nil }
    var inner = context
    inner.clippedLaterBy = -1
    if isOpen(row, values) {
      inner.opacity *= opacity
      addOpen(row: row, values, shadow, in: inner)
      return
    }
    // If everything that the layer draws casts the shadow, it is clipped before it casts it.
    let clip = shadow?.isOfGroup == true ? .none : clip(of: row, values, in: context)
    // If siblings cut the layer, such a shadow is added once, in a group, and not for each piece.
    let isRepeated = context.piece != nil && shadow?.isOfGroup == true
    let needsGroup =
      place.pointee.mask >= 0 || clip == .group || isRepeated
      || (isFadedWhole && pieceCount(of: row, values) > 1)
    if needsGroup, context.mayNest {
      inner.opacity = isFadedWhole ? context.opacity * opacity : 1
      addGroup(
        row: row, values, clip: clip, shadow, opacityOfPieces: opacityOfPieces, in: inner)
    } else {
      inner.opacity *= opacity
      addPieces(of: row, values, clip: clip, shadow, in: inner)
    }
  }

  /// Whether a layer has nothing below it, and nothing that filters, masks or clips it: so are most
  /// layers.
  @inline(__always)
  private func isBare(_ row: Int, _ values: ValuesPointer) -> Bool {
    let place = self.row(row)
    return !hasSublayers(row) && place.pointee.mask < 0 && !LayerValues.hasEffects(at: values)
      && place.pointee.kind != .shape && place.pointee.kind != .emitter
  }

  /// Adds the shadow, then everything else over it.
  mutating func addPieces(
    of row: Int, _ values: ValuesPointer, clip: Clip, _ shadow: Shadow?, in context: Context
  ) {
    if let shadow {
      if shadow.isOfGroup {
        if extents.filters.readsBackdrop.contains(row) {
          addOpen(row: row, values, shadow, in: context)
        } else {
          addOverShadow(shadow.style, row: row, values, in: context)
        }
        return
      }
      addShadow(shadow, of: row, isUnderBody: true, in: clipped(context, by: clip))
    }
    var context = context
    addBody(of: row, values, clip: clip, in: &context)
  }

  /// Adds background, gradient, contents, shape, sublayers and border, in this order; of an emitter
  /// background, contents, border, particles and sublayers. Nothing may be
  /// added to the same group after it, since the sublayers only wait. The context stays as it is.
  mutating func addBody(
    of row: Int, _ values: ValuesPointer, clip: Clip, in context: inout Context
  ) {
    if overlay != nil { markBlending(of: row, values, in: context) }
    let place = self.row(row)
    let layer = layer(row, values, in: context)
    if values.pointee.backgroundColor != nil {
      addItems(in: context) { $0.addBackground(of: layer) }
    }
    // Most layers in a large tree are no more than that.
    if place.pointee.kind == .layer, values.pointee.contents == nil,
      place.pointee.contentsMix < 0, values.pointee.borderWidth <= 0, !hasSublayers(row)
    {
      return
    }
    addOverBackground(of: row, values, layer, clip: clip, in: context)
  }

  /// Adds what lies over a layer's background.
  private mutating func addOverBackground(
    of row: Int, _ values: ValuesPointer, _ layer: LayerDrawing, clip: Clip, in context: Context
  ) {
    if self.row(row).pointee.kind == .gradient {
      addItems(in: context, owner: owner(row, .gradient)) { $0.addGradient(of: layer) }
    }
    if case .scissor = clip {
      addRest(of: row, values, layer, inside: clipped(context, by: clip), in: context)
    } else {
      addRest(of: row, values, layer, inside: context, in: context)
    }
  }

  /// Adds what lies over a layer's background and gradient. What its bounds clip is added to
  /// `inside`.
  private mutating func addRest(
    of row: Int, _ values: ValuesPointer, _ layer: LayerDrawing, inside: Context,
    in context: Context
  ) {
    let kind = self.row(row).pointee.kind
    if !inside.scissor.isEmpty {
      addContents(of: row, values, in: inside)
      if kind == .shape {
        var layer = layer
        layer.visible = inside.visible
        addItems(in: inside, owner: owner(row, .fill)) { $0.addShapeFill(of: layer) }
        addItems(in: inside, owner: owner(row, .stroke)) { $0.addShapeStroke(of: layer) }
      }
    }
    if values.pointee.borderWidth > 0 {
      // An emitter's particles lie over its border.
      guard hasSublayers(row), kind != .emitter else {
        addItems(in: context) { $0.addBorder(of: layer) }
        if kind == .emitter { addInside(of: row, values, in: inside) }
        return
      }
      waiting.append(.border(row: row, context))
    }
    addInside(of: row, values, in: inside)
  }

  /// Adds what lies over a layer's contents: particles, then the sublayers.
  private mutating func addInside(
    of row: Int, _ values: ValuesPointer, in context: Context
  ) {
    let (isEmitter, hasSublayers) = (
      self.row(row).pointee.kind == .emitter, hasSublayers(row)
    )
    guard isEmitter || hasSublayers, !context.scissor.isEmpty else { return }
    var inside = context
    inside.clippedLaterBy = -1
    if isEmitter { addParticles(of: row, values, in: inside) }
    if hasSublayers { addSublayers(of: row, in: inside) }
  }

  mutating func addContents(of row: Int, _ values: ValuesPointer, in context: Context) {
    guard values.pointee.bounds.width > 0, values.pointee.bounds.height > 0 else { return }
    let mix = self.row(row).pointee.contentsMix
    if mix >= 0 {
      add(evaluated.contentsMixes[mix], of: row, values, in: context)
    } else if let image = values.pointee.contents {
      addImage(image, of: row, values, in: context)
    }
  }

  mutating func addImage(
    _ id: ImageID, of row: Int, _ values: ValuesPointer, in context: Context
  ) {
    guard let number = number(of: id, in: row) else { return }
    let (size, isOpaque) = (
      graph.images.drawn[number].image.layout.size, graph.images.drawn[number].isOpaque
    )
    let layer = layer(row, values, in: context)
    addItems(in: context) { $0.addContents(number, size, isOpaque: isOpaque, of: layer) }
  }

  /// An image's number among the frame's, as a row draws it; nil if its pixels are gone.
  mutating func number(of image: ImageID, in row: Int) -> Int? {
    let frozen = self.row(row).pointee.frozen
    if frozen < 0, let number = graph.images.number(of: image) { return number }
    guard let drawn = tree.drawnImage(image, frozenIn: frozen, of: evaluated) else { return nil }
    return graph.images.add(drawn, id: frozen < 0 ? image : nil)
  }
}

extension Compositor.Context {
  /// Whether another group may be nested in those around.
  var mayNest: Bool { nesting <= Compositor.groupLimit }

  /// The opacity and the tint together: what the premultiplied colours of everything added are
  /// multiplied by.
  var faded: SIMD4<Double> { tint * opacity }

  /// The same without opacity and tint.
  var plain: Self {
    var plain = self
    (plain.opacity, plain.tint) = (1, SIMD4(repeating: 1))
    return plain
  }

  /// The same with the tint's alpha as a part of the opacity. The tint keeps its colour.
  var withTintInOpacity: Self {
    guard tint.w < 1, tint.w > 0 else { return self }
    var other = self
    other.opacity *= tint.w
    other.tint /= tint.w
    return other
  }
}
