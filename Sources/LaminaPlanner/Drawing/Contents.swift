import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

extension DrawnItems {
  /// Adds an image as the layer's contents. `image` is its number among the frame's images, `size`
  /// its size in pixels; `isOpaque` tells whether all of these have full alpha.
  mutating func addContents(
    _ image: Int, _ size: PixelSize, isOpaque: Bool = false, of layer: LayerDrawing
  ) {
    let placement = ContentsPlacement(at: layer.values, imageSize: size)
    let box = placement.box
    let tiles = ImageTiles(of: size, limit: layer.format.maxTextureSize)
    for piece in placement.pieces {
      let filter = layer.filter(of: piece)
      for (index, tile) in tiles.enumerated() {
        guard let part = piece.part(in: tile, of: size, isFlipped: layer.isFlipped) else {
          continue
        }
        let map = CGAffineTransform(
          texelsOf: part, in: tile, imageHeight: size.height, isFlipped: layer.isFlipped,
          isNearest: filter == .nearest)
        // Where pixels lie on pixels, linear filtering reads four to show one.
        let isPlain = filter == .linear && layer.isPixelOnPixel(part.destination, map, tile.held)
        add(
          part, box: box,
          of: Item(
            .image, parameters: list.map(map),
            sources: SIMD2(
              source(.image(image, tile: index), isPlain ? .nearest : filter), 0)),
          isOpaque: isOpaque, isMipmapped: filter.isTrilinear, layer)
      }
    }
  }

  /// Adds an image that is stretched over a rectangle, and whose edge pixels go on around it, in an
  /// area of the layer's space.
  mutating func addImage(
    _ image: Int, _ size: PixelSize, over rect: CGRect, in area: CGRect, of layer: LayerDrawing
  ) {
    guard rect.width > 0, rect.height > 0 else { return }
    let (across, down) = (
      CGFloat(size.width) / rect.width, CGFloat(size.height) / rect.height
    )
    let whole = ContentsPlacement.Piece(
      destination: area,
      source: CGRect(
        x: (area.minX - rect.minX) * across, y: (area.minY - rect.minY) * down,
        width: area.width * across, height: area.height * down))
    let tiles = ImageTiles(of: size, limit: layer.format.maxTextureSize)
    for (index, tile) in tiles.enumerated() {
      guard let part = whole.part(in: tile, of: size, isFlipped: layer.isFlipped) else { continue }
      let map = CGAffineTransform(
        texelsOf: part, in: tile, imageHeight: size.height, isFlipped: layer.isFlipped,
        isNearest: false)
      let item = Item(
        .plainImage, blend: .copy, parameters: list.map(map),
        sources: SIMD2(source(.image(image, tile: index), .linear), 0))
      add(item, part.destination, .none, of: layer)
    }
  }

  /// Adds a part of the contents, which all together are drawn in `box`.
  private mutating func add(
    _ part: ContentsPlacement.Piece, box: CGRect, of image: Item, isOpaque: Bool,
    isMipmapped: Bool, _ layer: LayerDrawing
  ) {
    // Contents alone can be clipped without a group: the rectangle is cut, and the corners are
    // shaded.
    let isCut = layer.values.pointee.masksToBounds && !layer.isClippedLater
    let visible = isCut ? part.destination.overlap(with: layer.bounds) : part.destination
    guard !visible.isNull, visible.width > 0, visible.height > 0 else { return }
    let detail =
      LayerValues.hasContentsDetail(at: layer.values)
      ? LayerValues.contentsDetail(at: layer.values) : nil
    var item = image
    item.blend = layer.blend ?? .sourceOver
    item.color =
      detail?.multiplyColor.map { color($0, tint: layer.tint, layer.format) }
      ?? color(tint: layer.tint, layer.format)
    let outline = layer.values.outline
    if isCut, !outline.isRectangle {
      // The outline's sides are antialiased. All other sides are hard, because parts meet there.
      let sides = EdgeSet.all.onSides(of: layer.bounds, visible)
      item.program = (isMipmapped ? FramePlan.Program.mipmappedRounded : .roundedImage)
        .along(outline.curve)
      item.outline = list.outline(outline)
      add(item, visible, sides, of: layer)
      return
    }
    let whole = isCut ? box.overlap(with: layer.bounds) : box
    let edges =
      layer.isClippedLater
      ? [] : layer.antialiasedEdges(of: visible).onSides(of: whole, visible)
    if isMipmapped {
      item.program = .mipmappedImage
    } else if !edges.isEmpty {
      item.program = .imageEdges
    } else if isWhite(item.color) {
      item.program = .plainImage
      // Filtering reads nothing beyond the image's edges: a mean of full alphas is full in 8 bits.
      if isOpaque, layer.format.isEightBit { item.blend = layer.blend ?? .copy }
    }
    add(item, visible, edges, of: layer)
  }

  func isWhite(_ color: ItemColor) -> Bool {
    if case .floats(let index) = color { return list.colors[Int(index)] == [1, 1, 1, 1] }
    return color == .white
  }
}

extension FramePlan.TextureSource.Filter {
  var isTrilinear: Bool { if case .trilinear = self { true } else { false } }
}

extension LayerDrawing {
  /// Whether each pixel of an image that a rectangle of the layer shows lies on one of the
  /// target's. `map` leads from the layer's space to texture coordinates of a texture that holds
  /// that part of the image.
  fileprivate func isPixelOnPixel(
    _ rect: CGRect, _ map: CGAffineTransform, _ held: PixelRect
  ) -> Bool {
    guard projection.isAffine else { return false }
    let place = projection.affine
    /// How far a point of the layer lies in the image from where it lies in the target.
    func offset(_ x: CGFloat, _ y: CGFloat) -> SIMD2<Double> {
      SIMD2(
        (map.a * x + map.tx) * Double(held.width) - (place.a * x + place.c * y + place.tx),
        (map.d * y + map.ty) * Double(held.height) - (place.b * x + place.d * y + place.ty))
    }
    let first = offset(rect.minX, rect.minY)
    let whole = first.rounded(.toNearestOrEven)
    func isWhole(_ offset: SIMD2<Double>) -> Bool {
      let rest = offset - whole
      return abs(rest.x) < 1e-6 && abs(rest.y) < 1e-6
    }
    return isWhole(first) && isWhole(offset(rect.maxX, rect.minY))
      && isWhole(offset(rect.minX, rect.maxY))
  }

  /// The filter of a piece as a whole. It is the minification filter if, at the middle of the
  /// piece, the image has more than one pixel per pixel of the surface along either axis. With
  /// trilinear filtering, a bias of n counts as 2ⁿ times as many pixels of the image along each
  /// axis.
  fileprivate func filter(of piece: ContentsPlacement.Piece) -> FramePlan.TextureSource.Filter {
    // Both filters are linear by default.
    guard LayerValues.hasContentsDetail(at: values) else { return .linear }
    let detail = LayerValues.contentsDetail(at: values)
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
}

extension ContentsPlacement.Piece {
  /// The part of the piece that a tile draws; nil if it draws none. A tile at the image's edge also
  /// draws everything beyond that edge.
  func part(in tile: ImageTile, of size: PixelSize, isFlipped: Bool) -> Self? {
    let core = tile.core
    if core == PixelRect(size) { return self }
    let far: CGFloat = 1e9
    let left = core.minX == 0 ? -far : CGFloat(core.minX)
    let right = core.maxX == size.width ? far : CGFloat(core.maxX)
    var top = core.minY == 0 ? -far : CGFloat(core.minY)
    var bottom = core.maxY == size.height ? far : CGFloat(core.maxY)
    if isFlipped {
      (top, bottom) = (CGFloat(size.height) - bottom, CGFloat(size.height) - top)
    }
    let (x0, x1) = (max(source.minX, left), min(source.maxX, right))
    let (y0, y1) = (max(source.minY, top), min(source.maxY, bottom))
    guard x1 > x0, y1 > y0 else { return nil }
    let to = destination
    let (kx, ky) = (to.width / source.width, to.height / source.height)
    return Self(
      destination: CGRect(
        x: to.minX + (x0 - source.minX) * kx, y: to.minY + (y0 - source.minY) * ky,
        width: (x1 - x0) * kx, height: (y1 - y0) * ky),
      source: CGRect(x: x0, y: y0, width: x1 - x0, height: y1 - y0))
  }
}

extension CGAffineTransform {
  /// The map from a layer's own space to texture coordinates of a tile.
  init(
    texelsOf part: ContentsPlacement.Piece, in tile: ImageTile, imageHeight: Int,
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
    self.init(
      a: kx, b: 0, c: 0, d: ky, tx: u0 - part.destination.minX * kx,
      ty: v0 - part.destination.minY * ky)
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
  fileprivate var box: CGRect {
    pieces.count == 1
      ? pieces[0].destination : pieces.reduce(.null) { $0.union($1.destination) }
  }
}
