import LaminaFramePlan
import LaminaValues

/// Turns a batch's items into operations.
struct BatchPreparation {
  /// A source's place in the round's list, and the number of its smaller copies, which follow it.
  private struct Source {
    var place: Int32
    var levels: Int32
    var source: FramePlan.TextureSource
  }

  private let batch: FramePlan.Batch
  private let program: FramePlan.Program
  private let pass: Int32
  private let originX: Int
  private let originY: Int
  private let target: Texels
  /// The rectangles of the target to paint in, disjoint.
  private let parts: [PixelRect]
  /// A rectangle around those parts, within the batch's scissor.
  private let scissor: PixelRect
  /// Whether the batch replaces 8-bit pixels, and whether it paints over them.
  private let isCopy: Bool
  private let isOver: Bool
  /// Whether all pixels of a rectangle become the same colour, or get the same colour over them.
  private let fillsRectangles: Bool
  private var first: Source?
  private var second: Source?
  private var image: Texels?

  init(
    _ batch: FramePlan.Batch, in plan: FramePlan.Pass, _ pass: Int32, _ target: Texels,
    _ parts: [PixelRect], _ scissor: PixelRect
  ) {
    self.batch = batch
    program = batch.program.basic
    self.pass = pass
    (originX, originY) = (plan.originX, plan.originY)
    self.target = target
    self.parts = parts
    self.scissor = scissor
    isCopy = target.format == .bgra8 && batch.blend == .copy
    isOver = target.format == .bgra8 && batch.blend == .sourceOver
    fillsRectangles = (isCopy || isOver) && program == .solid
  }

  /// Adds a source of the batch: the image and its smaller copies.
  mutating func add(
    _ place: Preparation.Place, of source: FramePlan.TextureSource, to list: inout [Texels]
  ) {
    let added = Source(
      place: Int32(list.count), levels: Int32(place.mipmaps.count), source: source)
    if first == nil {
      (first, image) = (added, place.texels)
    } else {
      second = added
    }
    list.append(place.texels)
    for mipmap in place.mipmaps { list.append(mipmap.texels) }
  }

  @inline(__always)
  func add(
    _ item: UnsafePointer<Item>, _ tables: ItemTables, _ list: ItemList,
    to preparation: inout Preparation
  ) {
    let shape = ItemShape(
      corners: tables.corners + Int(item.pointee.firstCorner),
      count: Int(item.pointee.cornerCount), isFan: item.pointee.shape == .fan,
      originX: Double(originX), originY: Double(originY))
    // A box is no farther away than `PixelRect.everywhere`.
    var box = item.pointee.box.offset(x: -originX, y: -originY).intersection(scissor)
    if fillsRectangles, case .bytes(let rgba) = item.pointee.color,
      let rectangle = shape.plainRectangle
    {
      box = box.intersection(rectangle)
      if !box.isEmpty { add(Pixel.swapped(rgba), in: box, to: &preparation) }
      return
    }
    guard shape.count >= 3, shape.isFinite else { return }
    let rectangle = shape.rectangle
    if let rectangle { box = box.intersection(rectangle) }
    if box.isEmpty { return }
    if let rectangle, isCopy || isOver, case .bytes(let rgba) = item.pointee.color {
      let color = Pixel.swapped(rgba)
      if program == .solid { return add(color, in: box, to: &preparation) }
      if program == .solidEdges, isOver,
        let soft = SoftBox(
          shape, tables.edges + Int(item.pointee.firstEdges), in: rectangle, color)
      {
        box = box.intersection(soft.rect)
        if box.isEmpty { return }
        if soft.isHard { return add(color, in: box, to: &preparation) }
        preparation.boxes.append(soft)
        return add(.box, box, value: UInt32(preparation.boxes.count - 1), to: &preparation)
      }
    }
    guard
      let brush = brush(item, shape, tables, list, isRectangle: rectangle != nil, &preparation)
    else { return }
    preparation.brushes.append(brush)
    add(.brush, box, value: UInt32(preparation.brushes.count - 1), to: &preparation)
  }

  /// Adds a colour that covers all pixels of a rectangle.
  @inline(__always)
  private func add(_ color: UInt32, in box: PixelRect, to preparation: inout Preparation) {
    let isFilled = isCopy || color >> 24 == 255
    if !isFilled, color == 0 { return }
    add(isFilled ? .fill : .tint, box, value: color, to: &preparation)
  }

  @inline(__always)
  private func add(
    _ kind: Operation.Kind, _ box: PixelRect, value: UInt32, to preparation: inout Preparation
  ) {
    if parts.count == 1 {
      preparation.append(Operation(kind, pass, box, value: value))
      return
    }
    for part in parts {
      let box = box.intersection(part)
      if box.isEmpty { continue }
      preparation.append(Operation(kind, pass, box, value: value))
    }
  }

  // MARK: Brushes

  private func brush(
    _ item: UnsafePointer<Item>, _ shape: ItemShape, _ tables: ItemTables, _ list: ItemList,
    isRectangle: Bool, _ preparation: inout Preparation
  ) -> Brush? {
    // Planes count from the item's first pixel in the target, wherever it is drawn again.
    let box = item.pointee.box
    let x = min(max(box.minX - originX, 0), target.width)
    let y = min(max(box.minY - originY, 0), target.height)
    guard let fit = ItemShape.Fit(shape, referenceX: x, referenceY: y) else { return nil }
    var brush = Brush(
      program: batch.program, blend: batch.blend, color: .one, x: Int32(truncatingIfNeeded: x),
      y: Int32(truncatingIfNeeded: y))
    if !isRectangle {
      let first = Int32(preparation.polygons.count)
      shape.addPolygons(to: &preparation.polygons, edges: &preparation.edges)
      brush.polygons = first..<Int32(preparation.polygons.count)
      if brush.polygons.isEmpty { return nil }
    }
    var isLevel = true
    for corner in 1..<shape.count where shape.corners[corner].w != shape.corners[0].w {
      isLevel = false
    }
    if !isLevel { brush.perspective = fit.plane { 1 / shape.corners[$0].w } }
    /// The plane of a number that lies in the layer's own plane.
    func plane(_ number: (UnsafePointer<ItemCorner>) -> Double) -> Plane {
      fit.plane { corner in
        let place = shape.corners + corner
        return isLevel ? number(place) : number(place) / place.pointee.w
      }
    }
    setColor(of: &brush, item, list, &preparation, plane)
    setSources(of: &brush)
    brush.parameters = Int32(truncatingIfNeeded: item.pointee.parameters)
    brush.numbers = item.pointee.numbers
    if program.hasOutline {
      let outline = list.outlines[Int(item.pointee.outline)]
      brush.halfWidth = Float(outline.rect.width / 2)
      brush.halfHeight = Float(outline.rect.height / 2)
      brush.radii = SIMD4<Float>(outline.radii)
      brush.pointX = plane { $0.pointee.localX - outline.rect.midX }
      brush.pointY = plane { $0.pointee.localY - outline.rect.midY }
    }
    if program.hasMap {
      let map = list.maps[Int(item.pointee.parameters)]
      // Gradients map to a place, images to a part of their size.
      let isPlace = program == .radial || program == .conic
      let width = isPlace ? 1 : Double(image?.width ?? 0)
      let height = isPlace ? 1 : Double(image?.height ?? 0)
      brush.sourceX = plane {
        (map.a * $0.pointee.localX + map.c * $0.pointee.localY + map.tx) * width
      }
      brush.sourceY = plane {
        (map.b * $0.pointee.localX + map.d * $0.pointee.localY + map.ty) * height
      }
    }
    if program.hasEdges {
      let edges = tables.edges + Int(item.pointee.firstEdges)
      brush.edges = EdgePlanes(
        fit.plane { edges[$0].x }, fit.plane { edges[$0].y }, fit.plane { edges[$0].z },
        fit.plane { edges[$0].w })
    }
    chooseKernel(of: &brush, item.pointee.color)
    return brush
  }

  private func setColor(
    of brush: inout Brush, _ item: UnsafePointer<Item>, _ list: ItemList,
    _ preparation: inout Preparation,
    _ plane: ((UnsafePointer<ItemCorner>) -> Double) -> Plane
  ) {
    brush.opacity = 256
    switch item.pointee.color {
    case .bytes(let bytes):
      let channels = SIMD4(bytes, bytes >> 8, bytes >> 16, bytes >> 24) & 255
      brush.color = SIMD4<Float>(SIMD4<Double>(channels) / 255)
      brush.pixel = Pixel.swapped(bytes)
      if bytes == (bytes & 255) * 0x0101_0101 { brush.opacity = bytes & 255 }
    case .floats(let index): brush.color = list.colors[Int(index)]
    case .ramp(let index):
      brush.ramp = Int32(preparation.ramps.count)
      let ramp = list.colorRamps[Int(index)]
      for channel in 0..<4 {
        preparation.ramps.append(
          plane { Double(ramp.color(x: $0.pointee.localX, y: $0.pointee.localY)[channel]) })
      }
    }
  }

  private func setSources(of brush: inout Brush) {
    guard let first else { return }
    brush.sources.0 = first.place
    brush.levelCount = first.levels
    switch first.source.filter {
    case .nearest: brush.isNearest = true
    case .linear: brush.levelCount = 0
    case .trilinear(let bias): brush.levelBias = bias
    }
    // No target is so far away that these wrap.
    brush.placeX = Int32(truncatingIfNeeded: originX)
    brush.placeY = Int32(truncatingIfNeeded: originY)
    brush.offsetX = Int32(truncatingIfNeeded: originX &- first.source.originX)
    brush.offsetY = Int32(truncatingIfNeeded: originY &- first.source.originY)
    guard let second else { return }
    brush.sources.1 = second.place
    brush.secondOffsetX = Int32(truncatingIfNeeded: originX &- second.source.originX)
    brush.secondOffsetY = Int32(truncatingIfNeeded: originY &- second.source.originY)
  }

  /// Takes a faster way than the program's stages where there is one: for 8-bit pixels, if the item
  /// is painted over them, or is an image that replaces them.
  private func chooseKernel(of brush: inout Brush, _ color: ItemColor) {
    guard target.format == .bgra8, case .bytes = color else { return }
    switch brush.blend {
    case .sourceOver: chooseColorKernel(of: &brush)
    case .copy: break
    default: return
    }
    guard brush.opacity <= 255, image?.format == .bgra8 else { return }
    switch program {
    case .group: brush.kernel = .pixels
    case .plainImage, .image:
      if let kernel = imageKernel(&brush) { brush.kernel = kernel }
    case .halved where brush.blend == .copy: brush.kernel = .halved
    case .quartered where brush.blend == .copy: brush.kernel = .quartered
    case .doubled where brush.blend == .copy: brush.kernel = .doubled
    case .doubledDown where brush.blend == .copy: brush.kernel = .doubledDown
    case .quadrupledDown where brush.blend == .copy: brush.kernel = .quadrupledDown
    case .groupEdges, .groupRounded:
      if brush.blend == .sourceOver { brush.interior = .pixels }
    case .imageEdges, .roundedImage:
      // What replaces pixels does so outside of the edges as well.
      if brush.blend == .sourceOver, !brush.program.isMipmapped {
        brush.interior = imageKernel(&brush)
      }
    default: break
    }
  }

  /// The kernel that paints one colour over 8-bit pixels.
  private func chooseColorKernel(of brush: inout Brush) {
    switch program {
    case .solid: brush.kernel = .color
    case .solidEdges, .rounded: (brush.kernel, brush.interior) = (.masked, .color)
    case .roundedBorder: brush.kernel = .masked
    case _ where program.isShadow: brush.kernel = .masked
    case .coverage where image?.format == .a8: brush.kernel = .masked
    default: break
    }
  }

  /// The kernel that paints an 8-bit image.
  private func imageKernel(_ brush: inout Brush) -> Brush.Kernel? {
    guard brush.perspective == nil else { return .placed }
    // A difference that does not reach 1/512 of a pixel anywhere in the target does not count.
    let size = Float(max(target.width, target.height))
    let least = 1 / (512 * size)
    let (x, y) = (brush.sourceX, brush.sourceY)
    guard abs(x.across - 1) < least, abs(x.down) < least, abs(y.across) < least,
      abs(y.down - 1) < least, abs(x.start) < 1e6, abs(y.start) < 1e6
    else { return .placed }
    // From the middle of a pixel, in 1/256. The nearest pixel is the one that the place lies in.
    let half: Float = brush.isNearest ? 0 : 0.5
    let placeX = ((x.start - half) * 256 + (brush.isNearest ? 0 : 0.5)).rounded(.down)
    let placeY = ((y.start - half) * 256 + (brush.isNearest ? 0 : 0.5)).rounded(.down)
    let (column, row) = (Int32(placeX), Int32(placeY))
    brush.offsetX = (column >> 8) - brush.x
    brush.offsetY = (row >> 8) - brush.y
    brush.fractionX = brush.isNearest ? 0 : UInt32(column & 255)
    brush.fractionY = brush.isNearest ? 0 : UInt32(row & 255)
    return brush.fractionX == 0 && brush.fractionY == 0 ? .pixels : .moved
  }
}
