import Foundation
import LaminaCommit
import LaminaValues

/// Layers that share a three-dimensional space: the sublayers of one layer, with each
/// CATransformLayer among them replaced by its own sublayers, and with each copy of a replicator by
/// what is in it. The space is seen along its z axis,
/// after the sublayer transforms have turned and foreshortened it, and is flattened onto the
/// layer's plane.
extension Compositor {
  /// What it costs a frame that layers in a space cut each other. A cut doubles the work for all
  /// that is in the layer, other cuts included.
  struct CuttingCost {
    /// Pieces of layers, and the layers in them.
    var layersInPieces = 0
    /// How many there may be.
    var layerLimit = TreeLimit.layersInPieces
    /// Comparisons of layers with planes of others.
    var comparisons = 0

    /// Whether it is more than a frame may take. Then nothing in pieces is composed any more.
    var isExcessive: Bool {
      layersInPieces > layerLimit || comparisons > TreeLimit.depthComparisons
    }

    /// Throws if it is more than a frame may take.
    func refuseExcess() throws(CommitError) {
      if layersInPieces > layerLimit {
        throw .tooMany(
          "layers in pieces that others cut", count: layersInPieces, limit: layerLimit)
      }
      if comparisons > TreeLimit.depthComparisons {
        throw .tooMany(
          "comparisons of layers in three dimensions", count: comparisons,
          limit: TreeLimit.depthComparisons)
      }
    }
  }

  /// A layer in the space.
  struct Member {
    var row: Int
    /// From its own space to the shared one, in three dimensions.
    var toSpace: CATransform3D
    /// Product of the opacities of the CATransformLayers around it.
    var opacity: Double
    /// Product of the tints of the copies around it, up to the space.
    var tint = SIMD4<Double>(repeating: 1)
  }

  /// A member, or the piece of it that has its place in the order.
  struct PlacedMember {
    var member: Member
    var piece: CutPiece?
  }

  /// Adds the sublayers back to front: by depth if one of them leaves the layer's plane.
  mutating func addSublayers(of row: Int, in context: Context) {
    guard evaluated.hasSublayers(row) else { return }
    guard evaluated.isSpace(row), !hasOneFlatSublayer(row) else {
      enqueueSublayers(of: row, in: context)
      return
    }
    let toView = LayerGeometry.sublayerTransform(values(of: row))
    let members = members(of: row, toView, opacity: 1)
    // Parts of the contents are not in the space, but behind it.
    let parts = members.prefix { evaluated.rows[$0.row].kind == .tile }
    enqueue(
      parts.map { PlacedMember(member: $0) } + placed(Array(members.dropFirst(parts.count))),
      in: context)
  }

  /// Whether there is nothing to order in a row's space: it has one sublayer, which is not a space
  /// itself.
  private func hasOneFlatSublayer(_ row: Int) -> Bool {
    let first = Int(evaluated.links[row].first)
    return evaluated.links[first].next < 0 && !self.row(first).pointee.isSpace
      && self.row(first).pointee.copy < 0
  }

  /// Adds the sublayers of a copy that lies in its replicator's plane, as do all of them.
  ///
  /// The copy's colour multiplies the premultiplied colours of what is added: backgrounds, borders,
  /// gradients, shapes, images and shadows, each by itself. A layer that is a group (for its
  /// opacity, mask, filters, rounded clip or shadow) and a rasterized layer are tinted as images
  /// when they are finished, so filters see the layer's own colours. What a layer reads of its
  /// backdrop is not tinted. The colour's alpha works as an opacity without `allowsGroupOpacity`.
  mutating func addCopy(of row: Int, in context: inout Context) {
    let tint = context.tint
    defer { context.tint = tint }
    context.tint *= self.tint(ofCopy: self.row(row).pointee.copy)
    guard context.tint.w > 0 else { return }
    // No copy lies in another one but for the layers between them, so this goes no deeper.
    if self.row(row).pointee.spatialSublayers > 0 {
      addSublayers(of: row, in: context)
    } else {
      composeSublayers(of: row, in: &context)
    }
  }

  /// Adds a CATransformLayer or a replicator that preserves depth that starts a space of its own,
  /// because it is not in the sublayers of another layer or is a side of a transition.
  mutating func addSpace(of row: Int, in context: Context) {
    let values = values(of: row)
    let members = members(of: row, toSublayers(values), opacity: Self.opacity(of: values))
    enqueue(placed(members), in: context)
  }

  mutating func compose(_ placed: PlacedMember, in context: Context) {
    var inner = context
    inner.opacity *= placed.member.opacity
    inner.tint *= placed.member.tint
    guard inner.tint.w > 0 else { return }
    if let cut = placed.piece {
      inner.piece = context.piece.map { $0.cut(cut.lines, cut.steps) } ?? cut
    }
    compose(row: placed.member.row, in: &inner)
  }

  private func toSublayers(
    _ values: ValuesPointer, _ outer: CATransform3D = .identity
  ) -> CATransform3D {
    LayerGeometry.sublayerTransform(values)
      .concatenating(LayerGeometry.flip(values.pointee))
      .concatenating(LayerGeometry.toSuperlayer(values))
      .concatenating(outer)
  }

  private static func opacity(of values: ValuesPointer) -> Double {
    min(max(values.pointee.opacity, 0), 1)
  }

  /// All layers in the space of a row, in the order that they keep at equal depth.
  /// `toSpace` maps the space of the row's sublayers to the shared one.
  private func members(of row: Int, _ toSpace: CATransform3D, opacity: Double) -> [Member] {
    struct Level {
      var next: Int32
      var toSpace: CATransform3D
      var opacity: Double
      var tint = SIMD4<Double>(repeating: 1)
    }
    var members: [Member] = []
    var levels = [
      Level(next: evaluated.links[row].first, toSpace: toSpace, opacity: opacity)
    ]
    while let current = levels.last {
      guard current.next >= 0 else {
        levels.removeLast()
        continue
      }
      let next = Int(current.next)
      levels[levels.count - 1].next = evaluated.links[next].next
      let place = evaluated.rows[next]
      let values = values(of: next)
      let first = evaluated.links[next].first
      if place.copy >= 0 {
        let copy = evaluated.copies[place.copy]
        levels.append(
          Level(
            next: first, toSpace: copy.toReplicator.concatenating(current.toSpace),
            opacity: current.opacity, tint: current.tint * copy.tint))
        continue
      }
      if place.isSpace, place.transition < 0 {
        levels.append(
          Level(
            next: first, toSpace: toSublayers(values, current.toSpace),
            opacity: current.opacity * Self.opacity(of: values), tint: current.tint))
        continue
      }
      let toSpace = LayerGeometry.flip(values.pointee)
        .concatenating(LayerGeometry.toSuperlayer(values))
        .concatenating(current.toSpace)
      members.append(
        Member(row: next, toSpace: toSpace, opacity: current.opacity, tint: current.tint))
    }
    return members
  }

  /// Members in painting order, cut where they intersect.
  private mutating func placed(_ members: [Member]) -> [PlacedMember] {
    if members.count == 1 || members.allSatisfy({ $0.toSpace.isLevel }) {
      // Layers at equal depth keep their order.
      let order = members.indices.sorted {
        (members[$0].toSpace.m43, $0) < (members[$1].toSpace.m43, $1)
      }
      return order.map { PlacedMember(member: members[$0]) }
    }
    var seen: [Member] = []
    var figures: [DepthOrder.Figure] = []
    for member in members {
      guard let figure = figure(of: member) else { continue }
      seen.append(member)
      figures.append(figure)
    }
    let order = DepthOrder(figures)
    cutting.comparisons += order.comparisonCount
    cutting.layersInPieces += order.pieces.count { !$0.steps.isEmpty }
    return order.pieces.map { piece in
      PlacedMember(
        member: seen[piece.figure],
        piece: piece.steps.isEmpty
          ? nil : CutPiece(lines: order.cuts[piece.figure], steps: piece.steps))
    }
  }

  /// The figure that a member covers; nil if it covers nothing.
  private func figure(of member: Member) -> DepthOrder.Figure? {
    let toSurface = evaluated.toPixels[member.row]
    let values = values(of: member.row)
    let rect = bitmaps[member.row]?.rect ?? values.pointee.bounds
    guard bitmaps[member.row] == nil, !drawsInside(member.row, values),
      let depth = DepthPlane(toSpace: member.toSpace, toView: toSurface),
      let back = toSurface.planarInverse
    else { return DepthOrder.Figure(rect, toSpace: member.toSpace, toView: toSurface) }
    // Only the part in front of the viewer, where 1 / w is positive.
    let eye = CutLine(a: back.m14, b: back.m24, c: back.m44)
    return DepthOrder.Figure(
      polygon: ConvexPolygon(extents.rows[member.row].cgRect).clipped(to: eye), depth: depth,
      isTilted: member.toSpace.leavesTwoDimensions)
  }

  /// Whether a layer is known to draw nothing outside its bounds.
  private func drawsInside(_ row: Int, _ values: ValuesPointer) -> Bool {
    values.pointee.masksToBounds
      || (!evaluated.hasSublayers(row) && evaluated.rows[row].kind != .shape
        && evaluated.rows[row].transition < 0 && values.shadow == nil
        && extents.filters.unfiltered[row] == nil
        && (values.pointee.contentsGravity == .resize
          || evaluated.contents(of: evaluated.rows[row], values.pointee.contents).isEmpty))
  }
}
