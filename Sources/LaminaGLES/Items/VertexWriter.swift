import Foundation
import LaminaFramePlan
import LaminaValues

/// A group that is drawn as an image: from a place in the target's space, times the scale and less
/// the origin, to texture coordinates if those are divided by the extent.
private struct SampledGroup {
  let scale: Double
  let originX: Double
  let originY: Double
  let width: Double
  let height: Double

  /// So much more than one pixel of a group from one pixel of the target to the next. llvmpipe
  /// rounds the step down to 1/65536 of a pixel, and reads a row of pixels at once if that is one,
  /// but pixel by pixel if the step was rounded to a little less before. Even across the largest
  /// target, this is no 1/32 of a pixel.
  fileprivate static let leastMore = 1 + 1.0 / Double(1 << 20)

  /// `scale` is 1 if the group is drawn pixel on pixel. Otherwise its pixels are mixed, in steps of
  /// 1/256, and their places are put in the middle of these.
  init(_ size: PixelSize, scale: Double, _ source: FramePlan.TextureSource) {
    let (stretch, shift) = scale == 1 ? (Self.leastMore, 0) : (1, 1.0 / 512)
    self.scale = scale
    (originX, originY) = (Double(source.originX) - shift, Double(source.originY) - shift)
    (width, height) = (Double(size.width) / stretch, Double(size.height) / stretch)
  }
}

/// An image that is drawn shifted: from a place in the target to the image's texture.
private struct ShiftedImage {
  /// The place of the image's first pixel in the atlas, and the length of its sides, if it is
  /// sampled there.
  let inAtlas: (first: SIMD2<Double>, side: Double)?
  /// From a place in the target to pixels of the image.
  var offset = SIMD2<Double>.zero

  init(_ layer: ArrayLayer, isInAtlas: Bool) {
    let place = isInAtlas ? layer.placeInAtlas : nil
    inAtlas = place.map { (SIMD2(Double($0.x), Double($0.y)), Double($0.side)) }
  }

  /// Each place is put in the middle of a 256th, so that rounding brings it to no other one.
  mutating func use(_ shift: PixelShift, in area: TargetArea) {
    offset =
      SIMD2(Double(shift.x), Double(shift.y)) / 256
      + SIMD2(area.originX + 1 / 512, area.originY + 1 / 512)
  }

  /// `position` is in the target. What is equal in two of them is equal in two results.
  @inline(__always)
  func coordinates(at position: SIMD2<Float>) -> SIMD2<Float> {
    let place = SIMD2<Double>(position) + offset
    guard let inAtlas else { return SIMD2<Float>(place - 0.5) }
    return SIMD2<Float>((inAtlas.first + place * SampledGroup.leastMore) / inAtlas.side)
  }
}

/// Writes items as triangles.
///
/// A rectangle along the pixels is clipped to its target, since llvmpipe draws no rectangles that
/// cross it: see `DrawForms`. It is never clipped to a part of the target: the numbers at its
/// corners, from which the device interpolates, must not depend on what is drawn again.
struct VertexWriter {
  let tables: ItemTables
  let list: ItemList
  let pieces: VisiblePieces
  /// For each byte of a colour the number by which images are multiplied, if not that part of 255.
  let factors: [Float]?
  let shifts: [PixelShift]
  private let start: UnsafeMutablePointer<Float>
  private var out: UnsafeMutablePointer<Float>
  /// The corners of the item that is being written, and their distances to edges.
  private var corners: UnsafePointer<ItemCorner>
  private var edges: UnsafePointer<SIMD4<Double>>
  /// Those of a clipped rectangle.
  private let clippedCorners: UnsafeMutablePointer<ItemCorner>
  private let clippedEdges: UnsafeMutablePointer<SIMD4<Double>>
  /// Number of units of the item's outline, as it is written, to one of the layer's space.
  private var outlineScale = 1.0
  /// The width of a pixel in such units, if the item is an upright shadow.
  private var pixelWidth = 1.0
  /// The point from the middle of an upright outline to the target's origin.
  private var fromMiddle = SIMD2<Float>.zero

  /// `clippedCorners` and `clippedEdges` have room for four.
  init(
    tables: ItemTables, of list: ItemList, pieces: VisiblePieces, factors: [Float]?,
    shifts: [PixelShift],
    to start: UnsafeMutablePointer<Float>,
    clippedCorners: UnsafeMutablePointer<ItemCorner>,
    clippedEdges: UnsafeMutablePointer<SIMD4<Double>>
  ) {
    (self.tables, self.list, self.pieces) = (tables, list, pieces)
    (self.factors, self.shifts) = (factors, shifts)
    (self.start, out) = (start, start)
    (corners, edges) = (tables.corners, tables.edges)
    (self.clippedCorners, self.clippedEdges) = (clippedCorners, clippedEdges)
  }

  /// What the vertices of a batch have in common.
  private struct Shared {
    var program: FramePlan.Program
    var area: TargetArea
    /// From the target's pixels to each source's.
    var offset: SIMD2<Float> = .zero
    var secondOffset: SIMD2<Float> = .zero
    /// The origins of the target and of the source.
    var place: SIMD4<Float> = .zero
    /// The item's colour, unless it varies.
    var color: SIMD4<Float> = .zero
    /// Whether vertices have no colour.
    var isWhite = false
    var hasEvenOutlines = false
    var isUpright = false
    /// The image's extent in texture coordinates.
    var extent: SIMD2<Double> = .one
    /// The middle of its last pixel and its layer's index, if it has a layer.
    var layer: SIMD3<Float>?
    /// Whether vertices have that index alone.
    var fillsLayer = false
    /// The group that is drawn as an image.
    var group: SampledGroup?
    /// The image that is drawn shifted.
    var shifted: ShiftedImage?
  }

  /// Of a batch's items.
  func forms(of batch: FramePlan.Batch, _ area: TargetArea) -> DrawForms {
    var forms: DrawForms = []
    for index in batch.items where !forms.areMixed {
      let item = tables.items + index
      forms.formUnion(area.forms(of: item, tables.corners + Int(item.pointee.firstCorner)))
    }
    return forms
  }

  /// Writes a batch of a pass.
  mutating func write(
    _ batch: FramePlan.Batch, in pass: FramePlan.Pass, _ span: ItemVertices.Span
  ) {
    out = start + span.firstFloat
    var shared = Shared(program: span.layout.program.basic, area: span.area)
    func offset(_ source: FramePlan.TextureSource) -> SIMD2<Float> {
      // As integers, which are exact; no target is so far away that they wrap.
      [Float(pass.originX &- source.originX), Float(pass.originY &- source.originY)]
    }
    if let source = batch.sources.first {
      shared.offset = offset(source)
      shared.place = [
        Float(pass.originX), Float(pass.originY), Float(source.originX), Float(source.originY),
      ]
      if batch.sources.count > 1 { shared.secondOffset = offset(batch.sources[1]) }
    }
    (shared.isWhite, shared.fillsLayer) = (span.layout.isWhite, span.layout.fillsLayer)
    shared.hasEvenOutlines = span.layout.hasEvenOutlines
    shared.isUpright = span.layout.isUpright
    outlineScale = 1
    if let size = span.groupSize, let source = batch.sources.first {
      shared.group = SampledGroup(size, scale: span.groupScale, source)
    }
    if let layer = span.layer {
      shared.extent = layer.extent
      shared.layer = SIMD3(SIMD2<Float>(layer.lastPixel), Float(layer.index))
      if span.layout.isShifted {
        let size = layer.imageSize
        shared.layer = SIMD3(Float(size.width - 1), Float(size.height - 1), Float(layer.index))
        shared.shifted = ShiftedImage(layer, isInAtlas: span.layout.isInAtlas)
      }
    }
    for index in batch.items {
      shared.shifted?.use(
        shifts[span.firstShift + index - batch.items.lowerBound], in: span.area)
      let item = tables.items + index
      shared.color = color(item.pointee.color, isFactor: shared.program == .image)
      if shared.isUpright {
        writeUpright(item, pieces.pieces(of: index), shared)
      } else if shared.program == .solid, let pieces = pieces.pieces(of: index) {
        write(pieces, of: item, shared)
      } else {
        write(item, shared)
      }
    }
  }

  /// Writes the insides of rounded rectangles.
  mutating func write(_ insides: ArraySlice<SolidInsides.Rect>, _ span: ItemVertices.Span) {
    let (item, area) = (Item(.solid, color: .bytes(0)), span.area)
    out = start + span.firstFloat
    var shared = Shared(program: .solid, area: area)
    withUnsafePointer(to: item) { item in
      for inside in insides {
        shared.color = color(.bytes(inside.color), isFactor: false)
        write(
          CollectionOfOne(inside.rect), left: area.originX, top: area.originY, right: area.maxX,
          bottom: area.maxY, of: item, shared)
      }
    }
  }

  /// Writes transparent rectangles of a target.
  mutating func writeClear(_ rects: ArraySlice<PixelRect>, _ span: ItemVertices.Span) {
    let (item, area) = (Item(.solid, color: .bytes(0)), span.area)
    out = start + span.firstFloat
    let shared = Shared(program: .solid, area: area)
    withUnsafePointer(to: item) { item in
      write(
        rects, left: area.originX, top: area.originY, right: area.maxX, bottom: area.maxY, of: item,
        shared)
    }
  }

  /// Whether what was written are rectangles that llvmpipe draws as such: it compares the
  /// differences along opposite sides. The items' form must be that of rectangles.
  func areExactRectangles(_ span: ItemVertices.Span) -> Bool {
    let stride = span.layout.floatCount
    var quad = UnsafePointer(start) + span.firstFloat
    for _ in 0..<span.vertexCount / 6 {
      for number in 0..<stride {
        let (first, second) = (quad[number], quad[number + stride])
        let (third, last) = (quad[number + 2 * stride], quad[number + 5 * stride])
        guard first - second == last - third, first - last == second - third else { return false }
      }
      quad += 6 * stride
    }
    return true
  }

  private mutating func write(_ item: UnsafePointer<Item>, _ shared: Shared) {
    let count = Int(item.pointee.cornerCount)
    corners = tables.corners + Int(item.pointee.firstCorner)
    edges = tables.edges + Int(item.pointee.firstEdges)
    // Of an upright outline, `writeUpright` has found it.
    if !shared.isUpright {
      if shared.hasEvenOutlines {
        outlineScale = list.pixelsPerUnit(of: item.pointee) ?? 1
      } else if shared.program.isShadow {
        outlineScale = Self.shadowScale(of: item)
      }
    }
    if count == 4 { clip(item, shared) }
    guard item.pointee.shape == .fan else {
      for corner in 0..<count { write(corner, of: item, shared) }
      return
    }
    guard count >= 3 else { return }
    // Each triangle has the first corner, the last one before, and a new one.
    let first = out
    write(0, of: item, shared)
    let stride = out - first
    var previous = out
    write(1, of: item, shared)
    for corner in 2..<count {
      if corner > 2 {
        out.update(from: first, count: stride)
        (out + stride).update(from: previous, count: stride)
        out += 2 * stride
      }
      previous = out
      write(corner, of: item, shared)
    }
  }

  /// Writes an item whose outline is upright, or pieces of it.
  private mutating func writeUpright(
    _ item: UnsafePointer<Item>, _ pieces: ArraySlice<PixelRect>?, _ shared: Shared
  ) {
    let pixelsPerUnit = list.pixelsPerUnit(of: item.pointee) ?? 1
    outlineScale = shared.program.isShadow ? Self.shadowScale(of: item) : pixelsPerUnit
    pixelWidth = outlineScale / pixelsPerUnit
    let rect = tables.outlines[Int(item.pointee.outline)].rect
    let first = tables.corners[Int(item.pointee.firstCorner)]
    // The same in any place that is moved to: see `ItemList.move`.
    let toMiddle = SIMD2(rect.midX - first.localX, rect.midY - first.localY) * pixelsPerUnit
    let onGrid = (toMiddle * 1024).rounded(.toNearestOrEven) / 1024
    fromMiddle = -SIMD2<Float>(
      SIMD2(first.x - shared.area.originX, first.y - shared.area.originY) + onGrid)
    if let pieces { write(pieces, of: item, shared) } else { write(item, shared) }
  }

  /// Number of sigmas times the square root of two to a unit of the layer's space.
  private static func shadowScale(of item: UnsafePointer<Item>) -> Double {
    0.5.squareRoot() / Double(item.pointee.numbers.x)
  }

  /// Writes pieces of an item that is a rectangle along the pixels.
  private mutating func write(
    _ pieces: ArraySlice<PixelRect>, of item: UnsafePointer<Item>, _ shared: Shared
  ) {
    let first = tables.corners[Int(item.pointee.firstCorner)]
    let third = tables.corners[Int(item.pointee.firstCorner) + 2]
    let area = shared.area
    write(
      pieces, left: max(min(first.x, third.x), area.originX),
      top: max(min(first.y, third.y), area.originY),
      right: min(max(first.x, third.x), area.maxX),
      bottom: min(max(first.y, third.y), area.maxY), of: item, shared)
  }

  /// Writes what lies of some rectangles within another one.
  @inline(__always)
  private mutating func write(
    _ rects: some Sequence<PixelRect>, left: Double, top: Double, right: Double, bottom: Double,
    of item: UnsafePointer<Item>, _ shared: Shared
  ) {
    for rect in rects {
      let (minX, minY) = (max(left, Double(rect.minX)), max(top, Double(rect.minY)))
      let maxX = max(min(right, Double(rect.maxX)), minX)
      let maxY = max(min(bottom, Double(rect.maxY)), minY)
      for (index, (x, y)) in [(minX, minY), (maxX, minY), (maxX, maxY), (minX, maxY)].enumerated() {
        // No number at a corner depends on its place in the layer.
        clippedCorners[index] = ItemCorner(x: x, y: y, localX: 0, localY: 0)
      }
      corners = UnsafePointer(clippedCorners)
      for index in [0, 1, 2, 0, 2, 3] { write(index, of: item, shared) }
    }
  }

  /// Clips the item to the target if it is a rectangle along the pixels.
  private mutating func clip(_ item: UnsafePointer<Item>, _ shared: Shared) {
    let area = shared.area
    if area.contains(corners), area.contains(corners + 2), area.contains(corners + 1),
      area.contains(corners + 3)
    {
      return
    }
    let alignment = area.alignment(of: corners)
    if alignment == .none { return }
    let isTurned = alignment == .turned
    let (first, second, last) = (corners[0], corners[1], corners[3])
    /// The part of the way from one coordinate to another that is left after clipping, at `place`.
    func part(_ place: Double, _ from: Double, _ to: Double) -> Double {
      to == from ? 0 : (place - from) / (to - from)
    }
    for index in 0..<4 {
      var corner = corners[index]
      corner.x = min(max(corner.x, area.originX), area.maxX)
      corner.y = min(max(corner.y, area.originY), area.maxY)
      let along =
        isTurned ? part(corner.y, first.y, second.y) : part(corner.x, first.x, second.x)
      let down = isTurned ? part(corner.x, first.x, last.x) : part(corner.y, first.y, last.y)
      corner.localX =
        first.localX + along * (second.localX - first.localX) + down * (last.localX - first.localX)
      corner.localY =
        first.localY + along * (second.localY - first.localY) + down * (last.localY - first.localY)
      clippedCorners[index] = corner
      if item.pointee.program.hasEdges {
        clippedEdges[index] =
          edges[0] + along * (edges[1] - edges[0]) + down * (edges[3] - edges[0])
      }
    }
    (corners, edges) = (UnsafePointer(clippedCorners), UnsafePointer(clippedEdges))
  }

  @inline(__always)
  private mutating func put(_ number: Float) {
    out.pointee = number
    out += 1
  }

  @inline(__always)
  private mutating func put(_ numbers: SIMD2<Float>) {
    put(numbers.x)
    put(numbers.y)
  }

  @inline(__always)
  private mutating func put(_ numbers: SIMD4<Float>) {
    put(numbers.x)
    put(numbers.y)
    put(numbers.z)
    put(numbers.w)
  }

  private mutating func write(_ index: Int, of item: UnsafePointer<Item>, _ shared: Shared) {
    let corner = corners + index
    put(Float((corner.pointee.x - shared.area.originX) * corner.pointee.w))
    put(Float((corner.pointee.y - shared.area.originY) * corner.pointee.w))
    put(Float(corner.pointee.w))
    switch shared.program {
    case .plainImage: break
    case .imageEdges where shared.isWhite, .roundedImage where shared.isWhite: break
    case .colorMatrix:
      put(shared.offset)
      let matrix = list.matrices[Int(item.pointee.parameters)]
      for column in matrix.columns { put(SIMD4<Float>(column)) }
      put(SIMD4<Float>(matrix.bias))
      return
    case _ where shared.program.hasKernel:
      let kernel = list.kernels[Int(item.pointee.parameters)]
      put(shared.place)
      put(
        SIMD4(
          Float(kernel.sigma), Float(kernel.center), Float(kernel.taps),
          kernel.repeatsEdges ? 1 : 0))
      put(SIMD2<Float>(kernel.step))
      put(Float(kernel.lift) / 16)
      return
    default:
      if case .ramp(let index) = item.pointee.color {
        let ramp = list.colorRamps[Int(index)]
        put(ramp.color(x: corner.pointee.localX, y: corner.pointee.localY))
      } else {
        put(shared.color)
      }
    }
    switch shared.program {
    case .solidEdges: putEdges(index, corner)
    case .plainImage, .image, .coverage: putMapped(corner, of: item, shared)
    case .group, .alpha: put(shared.offset)
    case .imageEdges:
      putMapped(corner, of: item, shared)
      putEdges(index, corner)
    case .groupEdges:
      put(shared.offset)
      putEdges(index, corner)
    case .rounded, .shadow, .shadowTight, .shadowUneven, .shadowRectangle, .shadowEdge,
      .shadowCorner:
      putOutline(corner, of: item, shared)
    case .roundedBorder:
      putOutline(corner, of: item, shared)
      put(item.pointee.numbers.x * Float(outlineScale))
    case .roundedImage:
      putOutline(corner, of: item, shared)
      putMapped(corner, of: item, shared)
    case .groupRounded:
      put(shared.offset)
      putOutline(corner, of: item, shared)
    case .groupMasked, .groupMix, .blended:
      put(shared.offset)
      put(shared.secondOffset)
    case .radial, .conic:
      putOutline(corner, of: item, shared)
      putMapped(corner, of: item, shared)
      put(item.pointee.numbers)
    default: break
    }
    if let layer = shared.layer {
      if !shared.fillsLayer {
        put(layer.x)
        put(layer.y)
      }
      put(layer.z)
    }
  }

  /// The item's colour, unless it varies. If it `isFactor`, an image is multiplied by it.
  private func color(_ color: ItemColor, isFactor: Bool) -> SIMD4<Float> {
    switch color {
    case .bytes(let bytes):
      guard isFactor, let factors else { return ItemColor.components(of: bytes) }
      let channels = ItemColor.channels(of: bytes)
      return SIMD4(
        factors[Int(channels.x)], factors[Int(channels.y)], factors[Int(channels.z)],
        factors[Int(channels.w)])
    case .floats(let index): return list.colors[Int(index)]
    case .ramp: return .zero
    }
  }

  /// Signed distances to the edges times w, so that they interpolate linearly on the screen.
  @inline(__always)
  private mutating func putEdges(_ index: Int, _ corner: UnsafePointer<ItemCorner>) {
    put(SIMD4<Float>(edges[index] * corner.pointee.w))
  }

  @inline(__always)
  private mutating func putMapped(
    _ corner: UnsafePointer<ItemCorner>, of item: UnsafePointer<Item>, _ shared: Shared
  ) {
    if let image = shared.shifted {
      let (x, y) = (corner.pointee.x - shared.area.originX, corner.pointee.y - shared.area.originY)
      put(image.coordinates(at: SIMD2(Float(x), Float(y))))
      return
    }
    if let group = shared.group {
      put(Float((corner.pointee.x * group.scale - group.originX) / group.width))
      put(Float((corner.pointee.y * group.scale - group.originY) / group.height))
      return
    }
    let map = tables.maps + Int(item.pointee.parameters)
    let (x, y) = (corner.pointee.localX, corner.pointee.localY)
    put(Float((map.pointee.a * x + map.pointee.c * y + map.pointee.tx) * shared.extent.x))
    put(Float((map.pointee.b * x + map.pointee.d * y + map.pointee.ty) * shared.extent.y))
  }

  /// The point from the middle of the outline, half the outline's size, and its radii.
  @inline(__always)
  private mutating func putOutline(
    _ corner: UnsafePointer<ItemCorner>, of item: UnsafePointer<Item>, _ shared: Shared
  ) {
    let outline = tables.outlines + Int(item.pointee.outline)
    let (rect, radii) = (outline.pointee.rect, outline.pointee.radii)
    if shared.isUpright {
      put(fromMiddle)
    } else {
      put(Float((corner.pointee.localX - rect.midX) * outlineScale))
      put(Float((corner.pointee.localY - rect.midY) * outlineScale))
    }
    let inset = shared.isUpright && shared.hasEvenOutlines ? radii.x : 0
    put(Float((rect.width / 2 - inset) * outlineScale))
    put(Float((rect.height / 2 - inset) * outlineScale))
    put(SIMD4<Float>(radii * outlineScale))
    if shared.isUpright, shared.program.isShadow { put(Float(pixelWidth)) }
  }
}
