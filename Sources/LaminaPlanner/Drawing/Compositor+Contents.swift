import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

extension Compositor {
  mutating func paintContents(of row: Int, _ values: ValuesPointer, in context: Context) {
    guard values.pointee.bounds.width > 0, values.pointee.bounds.height > 0 else { return }
    let mix = evaluated.rows[row].contentsMix
    if mix >= 0 {
      paint(evaluated.contentsMixes[mix], of: row, values, in: context)
    } else if let image = values.pointee.contents {
      paintImage(image, of: row, values, in: context)
    }
  }

  mutating func paintImage(
    _ id: ImageID, of row: Int, _ values: ValuesPointer, in context: Context
  ) {
    guard let image = tree.drawnImage(id, of: evaluated.rows[row], in: evaluated) else { return }
    let isFlipped = evaluated.rows[row].isFlipped
    let placement = ContentsPlacement(values.pointee, imageSize: image.layout.size)
    guard !placement.pieces.isEmpty, let textures = ledger.textures(for: image, in: &plan) else {
      return
    }
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    for piece in placement.pieces {
      let filter = Self.filter(for: piece, values, projection)
      if case .trilinear = filter { ledger.makeMipmaps(of: image, in: &plan) }
      for tile in textures.tiles {
        guard let part = Self.part(of: piece, in: tile, of: image.layout.size, isFlipped) else {
          continue
        }
        let texels = Texels(
          part, tile: tile, imageHeight: image.layout.height, isFlipped: isFlipped,
          isNearest: filter == .nearest)
        let source = FramePlan.TextureSource(texture: .texture(tile.texture), filter: filter)
        paint(part, of: placement, row: row, values, source, texels, projection, in: context)
      }
    }
  }

  /// The part of a piece that a tile draws; nil if it draws none. A tile at the image's edge also
  /// draws everything beyond that edge.
  private static func part(
    of piece: ContentsPlacement.Piece, in tile: ImageTextures.Tile, of size: PixelSize,
    _ isFlipped: Bool
  ) -> ContentsPlacement.Piece? {
    let core = tile.core
    if core == PixelRect(size) { return piece }
    let far: CGFloat = 1e9
    let left = core.minX == 0 ? -far : CGFloat(core.minX)
    let right = core.maxX == size.width ? far : CGFloat(core.maxX)
    var top = core.minY == 0 ? -far : CGFloat(core.minY)
    var bottom = core.maxY == size.height ? far : CGFloat(core.maxY)
    if isFlipped {
      (top, bottom) = (CGFloat(size.height) - bottom, CGFloat(size.height) - top)
    }
    let source = piece.source
    let (x0, x1) = (max(source.minX, left), min(source.maxX, right))
    let (y0, y1) = (max(source.minY, top), min(source.maxY, bottom))
    guard x1 > x0, y1 > y0 else { return nil }
    let to = piece.destination
    let (kx, ky) = (to.width / source.width, to.height / source.height)
    return ContentsPlacement.Piece(
      destination: CGRect(
        x: to.minX + (x0 - source.minX) * kx, y: to.minY + (y0 - source.minY) * ky,
        width: (x1 - x0) * kx, height: (y1 - y0) * ky),
      source: CGRect(x: x0, y: y0, width: x1 - x0, height: y1 - y0))
  }

  private mutating func paint(
    _ part: ContentsPlacement.Piece, of placement: ContentsPlacement, row: Int,
    _ values: ValuesPointer,
    _ source: FramePlan.TextureSource, _ texels: Texels, _ projection: Projection,
    in context: Context
  ) {
    let isClippedLater = context.clippedLaterBy == row
    // Contents alone can be clipped without a group: the rectangle is cut, and the corners are
    // shaded.
    let isCut = values.pointee.masksToBounds && !isClippedLater
    let visible = isCut ? part.destination.intersection(values.pointee.bounds) : part.destination
    guard !visible.isNull, visible.width > 0, visible.height > 0 else { return }
    let multiply = values.pointee.contentsDetail.multiplyColor ?? CGColor.white
    let tint = premultiplied(multiply, context.opacity)
    var isMipmapped = false
    if case .trilinear = source.filter { isMipmapped = true }
    let outline = values.outline
    if isCut, !outline.isRectangle {
      // The outline's sides are antialiased. All other sides are hard, because parts meet there.
      let sides = EdgeSet.all.onSides(of: values.pointee.bounds, visible)
      guard let quad = ProjectedQuad(visible, through: projection, antialiased: sides) else {
        return
      }
      let program = (isMipmapped ? FramePlan.Program.mipmappedRounded : .roundedImage)
        .along(outline.curve)
      add(program, sources: [source], quad: quad, in: context) { vertex, out in
        out.append(tint)
        Self.emitCorners(vertex, outline, &out)
        texels.emit(vertex.local, &out)
      }
      return
    }
    let box = isCut ? placement.box.intersection(values.pointee.bounds) : placement.box
    let edges =
      isClippedLater
      ? [] : antialiasedEdges(of: visible, values, projection).onSides(of: box, visible)
    guard let quad = ProjectedQuad(visible, through: projection, antialiased: edges) else { return }
    if isMipmapped {
      paintEdged(.mipmappedImage, source, quad, tint, texels, in: context)
    } else if edges.isEmpty, tint == [1, 1, 1, 1] {
      add(.plainImage, sources: [source], quad: quad, in: context) { vertex, out in
        texels.emit(vertex.local, &out)
      }
    } else if edges.isEmpty {
      add(.image, sources: [source], quad: quad, in: context) { vertex, out in
        out.append(tint)
        texels.emit(vertex.local, &out)
      }
    } else {
      paintEdged(.imageEdges, source, quad, tint, texels, in: context)
    }
  }

  private mutating func paintEdged(
    _ program: FramePlan.Program, _ source: FramePlan.TextureSource, _ quad: ProjectedQuad,
    _ tint: SIMD4<Float>, _ texels: Texels, in context: Context
  ) {
    add(program, sources: [source], quad: quad, in: context) { vertex, out in
      out.append(tint)
      texels.emit(vertex.local, &out)
      Self.emitEdges(vertex, &out)
    }
  }

  /// The filter of a piece as a whole. It is the minification filter if, at the middle of the
  /// piece, the image has more than one pixel per pixel of the surface along either axis. With
  /// trilinear filtering, a bias of n counts as 2ⁿ times as many pixels of the image along each
  /// axis.
  private static func filter(
    for piece: ContentsPlacement.Piece, _ values: ValuesPointer, _ projection: Projection
  ) -> FramePlan.TextureSource.Filter {
    let detail = values.pointee.contentsDetail
    let (across, down) = projection.scales(at: piece.destination.center)
    let scale = min(
      across * piece.destination.width / piece.source.width,
      down * piece.destination.height / piece.source.height)
    let bias = min(max(detail.minificationFilterBias, -16), 16)
    let isTrilinear = detail.minificationFilter == .trilinear
    // A scale of 1 with a rounding error is no minification.
    guard scale < (isTrilinear ? exp2(bias) : 1) - 1e-6 else {
      return detail.magnificationFilter == .nearest ? .nearest : .linear
    }
    if isTrilinear { return .trilinear(bias: Float(bias)) }
    return detail.minificationFilter == .nearest ? .nearest : .linear
  }

  /// The map from a layer's own space to texture coordinates of a tile.
  private struct Texels {
    private let origin: CGPoint
    private let scale: CGSize

    init(
      _ part: ContentsPlacement.Piece, tile: ImageTextures.Tile, imageHeight: Int,
      isFlipped: Bool, isNearest: Bool
    ) {
      let held = tile.held
      // A pixel in the middle between two texels shows the further one. Left to rounding, this
      // would differ between devices.
      let nudge: CGFloat = isNearest ? 1.0 / 1024 : 0
      let kx = part.source.width / part.destination.width / CGFloat(held.width)
      var ky = part.source.height / part.destination.height / CGFloat(held.height)
      let u0 = (part.source.minX - CGFloat(held.minX) + nudge) / CGFloat(held.width)
      var v0 = (part.source.minY - CGFloat(held.minY) + nudge) / CGFloat(held.height)
      if isFlipped {
        let row = CGFloat(imageHeight) - part.source.minY
        v0 = (row - CGFloat(held.minY) + nudge) / CGFloat(held.height)
        ky = -ky
      }
      origin = CGPoint(x: u0 - part.destination.minX * kx, y: v0 - part.destination.minY * ky)
      scale = CGSize(width: kx, height: ky)
    }

    func emit(_ local: CGPoint, _ out: inout [Float]) {
      out.append(Float(origin.x + local.x * scale.width))
      out.append(Float(origin.y + local.y * scale.height))
    }
  }
}

extension EdgeSet {
  /// The edges of a part that are edges of the whole, without those where it meets other parts.
  fileprivate func onSides(of whole: CGRect, _ part: CGRect) -> EdgeSet {
    let slack = 1e-6 * max(whole.width, whole.height)
    var edges = self
    if part.minX > whole.minX + slack { edges.remove(.minX) }
    if part.maxX < whole.maxX - slack { edges.remove(.maxX) }
    if part.minY > whole.minY + slack { edges.remove(.minY) }
    if part.maxY < whole.maxY - slack { edges.remove(.maxY) }
    return edges
  }
}

extension ContentsPlacement {
  /// The area on which all of the contents are drawn.
  fileprivate var box: CGRect { pieces.reduce(.null) { $0.union($1.destination) } }
}
