import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

extension FramePlanner {
  /// All that a session shows at `time`, layer by layer, as if nothing had been shown before.
  package func describeLayers(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> LayerRecords {
    // One that knows no textures composes even what is cached.
    var fresh = FramePlanner(profile: ledger.profile)
    try fresh.update(tree, session: session, to: time)
    let damage = fresh.measure(tree, session)
    let compositor = fresh.compose(tree, session, damage, isRecorded: true)
    try compositor.cutting.refuseExcess()
    let drawn = compositor.evaluated
    // With the hidden layers, the copies may be too many.
    let all =
      (try? tree.evaluate(session: session, at: time, isForInspection: true)) ?? drawn
    let inquiry = LayerInquiry(
      compositor.graph, compositor.record ?? CompositionRecord(rowCount: drawn.rows.count),
      compositor.extents, drawn: drawn, all: all, tree, ledger)
    var records = LayerRecords()
    records.layers = inquiry.records()
    var whole = self
    let plan = try whole.planWhole(tree, session: session, time: time)
    records.items = UInt32(
      clamping: plan.passes.reduce(0) { $0 + $1.batches.reduce(0) { $0 + $1.items.count } })
    records.passes = UInt32(clamping: plan.passes.count)
    records.draws = UInt32(
      clamping: plan.passes.reduce(0) { $0 + $1.batches.count * $1.parts.count })
    records.pixels = UInt64(clamping: whole.pixelCount)
    return records
  }
}

/// Asks of every occurrence of a layer what it paints, and why not.
private struct LayerInquiry {
  let graph: CompositingGraph
  let isComposed: [Bool]
  let extents: Extents
  let parts: DrawnParts
  let drawn: EvaluatedTree
  let all: EvaluatedTree
  let tree: RenderTree
  let ledger: TextureLedger
  let occurrences: [Occurrence]
  /// By row that is drawn: the place of its occurrence.
  private var places: [Int: Int] = [:]

  init(
    _ graph: CompositingGraph, _ record: CompositionRecord, _ extents: Extents,
    drawn: EvaluatedTree, all: EvaluatedTree, _ tree: RenderTree, _ ledger: TextureLedger
  ) {
    (self.graph, isComposed, self.extents) = (graph, record.isComposed, extents)
    (self.drawn, self.all, self.tree, self.ledger) = (drawn, all, tree, ledger)
    parts = DrawnParts(graph, record, in: drawn)
    occurrences = tree.occurrences(in: all, drawnIn: drawn)
    for (place, occurrence) in occurrences.enumerated() where occurrence.drawn >= 0 {
      places[occurrence.drawn] = place
    }
  }

  func records() -> [LayerRecord] {
    var records: [LayerRecord] = []
    var inner = [Bool](repeating: false, count: occurrences.count)
    for occurrence in occurrences where occurrence.parent >= 0 { inner[occurrence.parent] = true }
    // The place of what takes a layer with all below it out of the picture.
    var gone: [Int?] = []
    for (place, occurrence) in occurrences.enumerated() {
      let values = tree.values(of: all.rows[occurrence.row], in: all)
      var record = record(of: occurrence, values)
      let answer = answer(
        occurrence, values, hasInner: inner[place],
        above: occurrence.parent < 0 ? nil : gone[occurrence.parent])
      record.reason = answer?.reason
      record.cause = answer?.cause.map { UInt32(clamping: $0) }
      gone.append(
        answer.flatMap { $0.reason == .parent ? $0.cause : $0.takesAll ? place : nil })
      records.append(record)
    }
    return records
  }

  // MARK: Facts

  private func record(of occurrence: Occurrence, _ values: LayerValues) -> LayerRecord {
    let row = all.rows[occurrence.row]
    let projection = Projection(all.toPixels[occurrence.row])
    let bounds = values.bounds.isNull ? .zero : values.bounds
    let corners = (0..<4).map { projection(bounds.corner($0)) }
    let isInFront = corners.allSatisfy {
      $0.w > Homogeneous.nearest && abs($0.pixel.x) < 1e9 && abs($0.pixel.y) < 1e9
    }
    let pixels = isInFront ? corners.map(\.pixel) : []
    var frame: CGRect?
    if isInFront {
      frame = CGRect(enclosing: pixels)
    } else if let quad = ProjectedQuad(bounds, through: projection, antialiased: []),
      !quad.bounds.isNull, (quad.bounds.width + quad.bounds.height).isFinite
    {
      frame = quad.bounds
    }
    var record = LayerRecord(
      layer: occurrence.layer, kind: occurrence.kind,
      parent: occurrence.parent < 0 ? nil : UInt32(clamping: occurrence.parent),
      place: occurrence.place, copy: occurrence.copy.map { UInt32(clamping: $0) },
      bounds: bounds, corners: pixels, frame: frame, time: all.time(of: row),
      animated: occurrence.animated, of: values)
    record.isOld = row.frozen >= 0
    record.cost = cost(of: occurrence)
    return record
  }

  /// What the rows of an occurrence cost: its own and, of a rasterized layer or one in a
  /// transition, that of the layer alone.
  private func cost(of occurrence: Occurrence) -> LayerRecord.Cost {
    var cost = LayerRecord.Cost()
    guard occurrence.drawn >= 0 else { return cost }
    var rows = [occurrence.drawn]
    let body = drawn.body(of: occurrence.drawn)
    if body >= 0, body != occurrence.drawn { rows.append(body) }
    var sources: Set<ItemSource.Content> = []
    for row in rows {
      let own = parts.own[row]
      cost.items &+= UInt32(clamping: own.items)
      cost.passes &+= UInt32(clamping: own.groups)
      cost.pixels &+= UInt64(clamping: own.pixels)
      cost.blendedPixels &+= UInt64(clamping: own.blendedPixels)
      sources.formUnion(own.sources)
    }
    cost.isRasterized = body >= 0 && drawn.isInside(body)
    for source in sources {
      guard let isThere = isThere(source) else { continue }
      if isThere { cost.hits += 1 } else { cost.misses += 1 }
    }
    return cost
  }

  /// Whether the device has the texture of what an item samples; nil for what is painted in each
  /// frame.
  private func isThere(_ source: ItemSource.Content) -> Bool? {
    switch source {
    case .image(let number, tile: 0):
      let drawn = graph.images.drawn[number]
      guard case .living(let id) = drawn.pixels else { return nil }
      return ledger.imageTextures[id]?.stamp == drawn.image.stamp
    case .mask(let number): return ledger.masks[graph.drawn.masks[number]] != nil
    case .ramp(let number): return ledger.ramps[graph.drawn.ramps[number]] != nil
    case .canvas(let number):
      return graph.canvases[number].key.map { ledger.canvases[$0] != nil } ?? false
    case .image, .group, .backdrop: return nil
    }
  }

  // MARK: Why

  private struct Answer {
    var reason: LayerRecord.Reason
    /// The place of the occurrence that is the cause.
    var cause: Int?
    /// Whether nothing below the layer shows either.
    var takesAll = true
  }

  /// Why nothing of an occurrence shows. `hasInner` tells whether others lie in it, and `above` is
  /// the place of one around it that takes all below it out of the picture.
  private func answer(
    _ occurrence: Occurrence, _ values: LayerValues, hasInner: Bool, above: Int?
  ) -> Answer? {
    if values.isHidden, !occurrence.isInTransition { return Answer(reason: .isHidden) }
    if !(values.opacity > 0) { return Answer(reason: .opacity) }
    if let above { return Answer(reason: .parent, cause: above) }
    let row = occurrence.drawn
    guard row >= 0 else { return nil }
    let own = ownAnswer(occurrence, values)
    // What lies in it may show, or it may be a mask, which hides all if it is empty.
    if let own, !hasInner { return own }
    if occurrence.place == .mask { return own }
    if parts.parts[row].isEmpty {
      if let answer = goneAnswer(row, values) { return answer }
    } else if let cover = cover(of: row) {
      return Answer(reason: .covered, cause: cover)
    }
    return own
  }

  /// Why a layer paints nothing by itself.
  private func ownAnswer(_ occurrence: Occurrence, _ values: LayerValues) -> Answer? {
    let row = drawn.rows[occurrence.drawn]
    guard row.transition < 0, occurrence.kind != .backdrop, occurrence.kind != .tiled else {
      return nil
    }
    if values.hasEffects {
      let effects = values.effects
      guard (effects.backgroundFilters ?? []).isEmpty, effects.compositingFilter == nil else {
        return nil
      }
    }
    // A transform layer, and a replicator that preserves depth, paint only what is in them.
    if row.isSpace { return Answer(reason: .empty, takesAll: false) }
    guard !paints(occurrence.drawn, row, values) else {
      let isFlat = !(values.bounds.width > 0 && values.bounds.height > 0)
      guard isFlat, occurrence.kind != .shape, occurrence.kind != .emitter,
        values.shadow == nil
      else { return nil }
      return Answer(reason: .noArea, takesAll: false)
    }
    let isLate = occurrence.kind == .emitter && isBefore(values, drawn.time(of: row))
    return Answer(reason: isLate ? .time : .empty, takesAll: false)
  }

  /// Whether a layer has anything to paint besides what is in it.
  private func paints(_ index: Int, _ row: EvaluatedTree.Row, _ values: LayerValues) -> Bool {
    if (values.backgroundColor?.alpha ?? 0) > 0 || values.shadow != nil { return true }
    if values.borderWidth > 0, (values.borderColor?.alpha ?? 0) > 0 { return true }
    if !drawn.contents(of: row, values.contents).isEmpty { return true }
    switch row.kind {
    case .gradient: return !(values.gradient.colors ?? []).isEmpty
    case .shape:
      return values.shape.path != nil
        && ((values.shape.fillColor?.alpha ?? 0) > 0
          || (values.shape.strokeColor?.alpha ?? 0) > 0 && values.shape.lineWidth > 0)
    case .emitter:
      return row.animated >= 0
        && !(drawn.animatedValues.cloud(row.animated)?.particles.isEmpty ?? true)
    default: return false
    }
  }

  /// Whether an emitter's cells, if it has any, all begin later.
  private func isBefore(_ values: LayerValues, _ time: Double) -> Bool {
    let cells = (values.emitter.cells ?? []).filter(\.isEnabled)
    return !cells.isEmpty && cells.allSatisfy { time < max($0.timing.beginTime, 0) }
  }

  /// Why nothing was painted for a row and all below it.
  private func goneAnswer(_ row: Int, _ values: LayerValues) -> Answer? {
    let (toPixels, bounds) = (drawn.toPixels[row], values.bounds)
    let hasArea = bounds.width > 0 && bounds.height > 0
    guard hasArea || drawn.rows[row].isSpace || drawn.hasSublayers(row) else { return nil }
    if toPixels.planarInverse == nil { return Answer(reason: .noArea) }
    if hasArea {
      let projection = Projection(toPixels)
      let quad = ProjectedQuad(bounds, through: projection, antialiased: [])
      if let quad, !values.isDoubleSided,
        (quad.signedArea > 0) == drawn.rows[row].isMirrored
      {
        return Answer(reason: .backFace)
      }
      if quad == nil, !drawn.hasSublayers(row),
        (0..<4).allSatisfy({ projection(bounds.corner($0)).w <= Homogeneous.nearest })
      {
        return Answer(reason: .behindEye)
      }
    }
    let mask = drawn.rows[row].mask
    if mask >= 0, parts.parts[mask].isEmpty, isComposed[row], let place = places[mask] {
      return Answer(reason: .masked, cause: place)
    }
    return placeAnswer(row)
  }

  /// Whether a row and all below it lie where they cannot be seen.
  private func placeAnswer(_ row: Int) -> Answer? {
    let box = extents.box(of: row).union(bounds(of: row) ?? .empty)
    guard !box.isEmpty, !mayChangeOthers(row) else { return nil }
    if !box.meets(drawn.area) { return Answer(reason: .outside) }
    var next = drawn.rows[row].parent
    while next >= 0 {
      if clips(next, box), let place = place(of: next) {
        return Answer(reason: .clipped, cause: place)
      }
      next = drawn.rows[next].parent
    }
    return nil
  }

  /// Whether the bounds of a row cut off all of a box.
  private func clips(_ row: Int, _ box: PixelRect) -> Bool {
    let place = drawn.rows[row]
    guard place.copy < 0, !place.isSpace, tree.values(of: place, in: drawn).masksToBounds,
      let bounds = bounds(of: row)
    else { return false }
    return !bounds.meets(box)
  }

  /// The pixels that a row's bounds touch, whatever it paints; nil if it has none, or not in front
  /// of the eye.
  private func bounds(of row: Int) -> PixelRect? {
    let place = drawn.rows[row]
    guard place.copy < 0, !place.isSpace else { return nil }
    let bounds = tree.values(of: place, in: drawn).bounds
    return RenderTree.box(of: bounds, through: Projection(drawn.toPixels[row])).map {
      PixelRect(covering: $0, within: .everywhere)
    }
  }

  /// The occurrence over all that a row and those below it paint.
  private func cover(of row: Int) -> Int? {
    guard parts.parts[row].count == 1,
      let cover = parts.cover(of: parts.parts[row][0]), !mayChangeOthers(row)
    else { return nil }
    return place(of: cover)
  }

  /// The place of the occurrence to which a row belongs.
  private func place(of row: Int) -> Int? {
    var next = row
    while next >= 0 {
      if let place = places[next] { return place }
      next = drawn.rows[next].parent
    }
    return nil
  }

  /// Whether others may look otherwise without a row of which nothing can be seen: if it cuts
  /// layers in three dimensions, if a bitmap, a shadow or a filter is made for the area that it
  /// takes up, or if a layer is painted in another way that is rounded in another way.
  private func mayChangeOthers(_ row: Int) -> Bool {
    // What reads its backdrop has groups around it painted on a copy of that.
    guard drawn.rows[row].space < 0, !extents.filters.readsAnything(row) else { return true }
    var next = drawn.rows[row].parent
    // By the links, since a row may have many siblings.
    var isOnly = drawn.links[row].next < 0 && drawn.links[row].previous < 0
    while next >= 0 {
      let place = drawn.rows[next]
      if place.transition >= 0 || drawn.hasTiltedSublayers(next) { return true }
      if place.copy < 0 {
        let values = tree.values(of: place, in: drawn)
        if hasMeasuredEffects(place, values) { return true }
        if isOnly, isPaintedOtherwise(withoutSublayers: next, values) { return true }
        isOnly = false
      }
      next = place.parent
    }
    return false
  }

  /// Whether a layer has a shadow or filters whose look may depend on what it contains.
  private func hasMeasuredEffects(_ row: EvaluatedTree.Row, _ values: LayerValues) -> Bool {
    guard values.hasEffects else { return false }
    if LayerFilters(row.kind, values, isMask: row.isMask, isRasterized: false) != nil {
      return true
    }
    // A shadow of an outline has a closed form, unless other things cast it too.
    return values.shadow != nil && values.effects.shadowPath == nil
      && ((values.backgroundColor?.alpha ?? 0) > 0 || row.kind == .gradient)
  }

  /// Whether a layer with no more sublayers would be faded or clipped piece by piece, and not as a
  /// group.
  private func isPaintedOtherwise(withoutSublayers row: Int, _ values: LayerValues) -> Bool {
    guard paints(row, drawn.rows[row], values) else { return false }
    if values.opacity < 1 { return true }
    guard values.masksToBounds else { return false }
    let projection = Projection(drawn.toPixels[row])
    guard values.outline.isRectangle, projection.isAxisAligned else { return true }
    let box = values.bounds.applying(projection.affine)
    return ![box.minX, box.maxX, box.minY, box.maxY].allSatisfy(LayerDrawing.isWhole)
  }
}
