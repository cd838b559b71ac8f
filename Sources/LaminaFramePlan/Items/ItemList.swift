import Foundation
import LaminaValues

/// Items, and the tables that they point into.
@usableFromInline package struct ItemList: Hashable, Sendable {
  package var items: [Item] = []
  package var corners: [ItemCorner] = []
  /// Signed distances in pixels from corners to the edges minX, maxX, minY and maxY of the
  /// polygon's rectangle; positive inside, large for an edge that is not antialiased.
  package var edges: [SIMD4<Double>] = []
  package var colors: [SIMD4<Float>] = []
  package var colorRamps: [ColorRamp] = []
  package var outlines: [CornerOutline] = []
  /// From a layer's own space to texture coordinates, 0…1 across the texture and top left first, or
  /// to the place in a radial or conic gradient.
  package var maps: [CGAffineTransform] = []
  package var kernels: [BlurKernel] = []
  package var matrices: [ColorMatrix] = []

  package init() {}

  /// Removes everything, and keeps the memory.
  package mutating func startAgain() {
    items.startAgain()
    corners.startAgain()
    edges.startAgain()
    outlines.startAgain()
    maps.startAgain()
    colors.startAgain()
    colorRamps.startAgain()
    kernels.startAgain()
    matrices.startAgain()
  }

  // MARK: Tables

  package mutating func color(_ floats: SIMD4<Float>) -> ItemColor {
    colors.append(floats)
    return .floats(UInt32(colors.count - 1))
  }

  package mutating func color(_ ramp: ColorRamp) -> ItemColor {
    colorRamps.append(ramp)
    return .ramp(UInt32(colorRamps.count - 1))
  }

  package mutating func outline(_ outline: CornerOutline) -> UInt32 {
    // Neighbours often have the same.
    if outlines.last != outline { outlines.append(outline) }
    return UInt32(outlines.count - 1)
  }

  package mutating func map(_ map: CGAffineTransform) -> UInt32 {
    maps.append(map)
    return UInt32(maps.count - 1)
  }

  package mutating func kernel(_ kernel: BlurKernel) -> UInt32 {
    kernels.append(kernel)
    return UInt32(kernels.count - 1)
  }

  package mutating func matrix(_ matrix: ColorMatrix) -> UInt32 {
    matrices.append(matrix)
    return UInt32(matrices.count - 1)
  }

  // MARK: Items

  /// Adds an item that covers a polygon, unless nothing of it lies in `visible`.
  package mutating func add(_ item: Item, _ quad: ProjectedQuad, within visible: PixelRect) {
    let box = PixelRect(covering: quad.bounds, within: .everywhere)
    guard box.meets(visible) else { return }
    add(item, quad.vertices, covering: box)
  }

  /// Adds an item that covers whole pixels, unless nothing of them lies in `visible`. Pixels are
  /// also the layer's own space.
  package mutating func add(_ item: Item, _ rect: PixelRect, within visible: PixelRect) {
    guard rect.meets(visible) else { return }
    append(item, covering: rect)
    let (minX, minY) = (Double(rect.minX), Double(rect.minY))
    let (maxX, maxY) = (Double(rect.maxX), Double(rect.maxY))
    corners.append(ItemCorner(x: minX, y: minY, localX: minX, localY: minY))
    corners.append(ItemCorner(x: maxX, y: minY, localX: maxX, localY: minY))
    corners.append(ItemCorner(x: maxX, y: maxY, localX: maxX, localY: maxY))
    corners.append(ItemCorner(x: minX, y: maxY, localX: minX, localY: maxY))
  }

  /// Adds an item that covers a rectangle of a layer with hard edges, unless nothing of it lies in
  /// `visible`. The projection must be affine. This is the most common item, and needs no memory
  /// but its own.
  package mutating func add(
    _ item: Item, _ rect: CGRect, through projection: Projection, within visible: PixelRect
  ) {
    guard let quad = HardCorners(of: rect, through: projection) else { return }
    let box = PixelRect(
      minX: Int(floor: Double(quad.minX)), minY: Int(floor: Double(quad.minY)),
      maxX: Int(ceiling: Double(quad.maxX)), maxY: Int(ceiling: Double(quad.maxY)))
    guard box.meets(visible) else { return }
    let (a, b, c, d) = (quad.a, quad.b, quad.c, quad.d)
    let (minX, minY, maxX, maxY) = (rect.minX, rect.minY, rect.maxX, rect.maxY)
    append(item, covering: box)
    corners.append(ItemCorner(x: a.x, y: a.y, localX: minX, localY: minY))
    corners.append(ItemCorner(x: b.x, y: b.y, localX: maxX, localY: minY))
    corners.append(ItemCorner(x: c.x, y: c.y, localX: maxX, localY: maxY))
    corners.append(ItemCorner(x: d.x, y: d.y, localX: minX, localY: maxY))
  }

  /// Adds an item that covers a rectangle of a layer, some of whose edges are antialiased, unless
  /// nothing of it lies in `visible`.
  package mutating func add(
    _ item: Item, _ quad: borrowing SoftCorners, within visible: PixelRect
  ) {
    let box = PixelRect(
      minX: Int(floor: quad.x.min()), minY: Int(floor: quad.y.min()),
      maxX: Int(ceiling: quad.x.max()), maxY: Int(ceiling: quad.y.max()))
    guard box.meets(visible) else { return }
    append(item, covering: box)
    let (x, y, local) = (quad.x, quad.y, quad.local)
    corners.append(ItemCorner(x: x[0], y: y[0], localX: local.x[0], localY: local.y[0]))
    corners.append(ItemCorner(x: x[1], y: y[1], localX: local.x[1], localY: local.y[1]))
    corners.append(ItemCorner(x: x[2], y: y[2], localX: local.x[2], localY: local.y[2]))
    corners.append(ItemCorner(x: x[3], y: y[3], localX: local.x[3], localY: local.y[3]))
    if item.program.hasEdges {
      let distances = quad.edges
      for corner in 0..<4 { edges.append(distances[corner]) }
    }
  }

  private mutating func add(
    _ item: Item, _ vertices: [ProjectedQuad.Vertex], covering box: PixelRect
  ) {
    append(
      item, covering: box, cornerCount: vertices.count,
      isAffine: vertices.allSatisfy { $0.w == 1 })
    for vertex in vertices {
      corners.append(
        ItemCorner(
          x: vertex.pixel.x, y: vertex.pixel.y, w: vertex.w, localX: vertex.local.x,
          localY: vertex.local.y))
    }
    if item.program.hasEdges {
      for vertex in vertices { edges.append(vertex.edges) }
    }
  }

  /// Adds an item whose corners come next, with their distances if its program has them. It is
  /// completed where it stays: a copy would wait for what was just written in smaller parts.
  @inline(__always)
  private mutating func append(
    _ item: Item, covering box: PixelRect, cornerCount: Int = 4, isAffine: Bool = true
  ) {
    let (place, firstCorner, firstEdges) = (items.count, corners.count, edges.count)
    items.append(item)
    items.withUnsafeMutableBufferPointer {
      let item = $0.baseAddress! + place
      item.pointee.box = box
      item.pointee.isAffine = isAffine
      item.pointee.firstCorner = UInt32(firstCorner)
      item.pointee.cornerCount = UInt32(cornerCount)
      if item.pointee.program.hasEdges { item.pointee.firstEdges = UInt32(firstEdges) }
    }
  }

  // MARK: Other lists

  /// Adds the tables of another list for items that draw a colour, and returns how far indices in
  /// them are moved.
  package mutating func append(tablesOf other: ItemList) -> ItemOffsets {
    let offsets = ItemOffsets(
      corners: UInt32(corners.count), edges: UInt32(edges.count), colors: UInt32(colors.count),
      outlines: UInt32(outlines.count))
    corners += other.corners
    edges += other.edges
    colors += other.colors
    outlines += other.outlines
    return offsets
  }

  /// Adds items of another list whose tables were added.
  package mutating func append(_ places: Range<Int>, of other: ItemList, by offsets: ItemOffsets) {
    let first = items.count
    items += other.items[places]
    items.withUnsafeMutableBufferPointer {
      for place in first..<$0.count {
        let item = $0.baseAddress! + place
        item.pointee.firstCorner += offsets.corners
        if item.pointee.program.hasEdges { item.pointee.firstEdges += offsets.edges }
        if item.pointee.program.hasOutline { item.pointee.outline += offsets.outlines }
        if case .floats(let index) = item.pointee.color {
          item.pointee.color = .floats(index + offsets.colors)
        }
      }
    }
  }

  /// Replaces the items from `first` on by their parts that belong to a piece of a layer.
  package mutating func cut(from first: Int, to piece: CutPiece) {
    let whole = Array(items[first...])
    items.removeSubrange(first...)
    for item in whole {
      let triangles = ProjectedQuad(vertices: vertices(of: item)).triangles(of: piece)
      guard !triangles.isEmpty else { continue }
      var part = item
      part.shape = .triangles
      add(part, triangles, covering: item.box)
    }
  }

  private func vertices(of item: Item) -> [ProjectedQuad.Vertex] {
    (0..<Int(item.cornerCount)).map { index in
      let corner = corners[Int(item.firstCorner) + index]
      return ProjectedQuad.Vertex(
        pixel: CGPoint(x: corner.x, y: corner.y), w: corner.w,
        local: CGPoint(x: corner.localX, y: corner.localY),
        edges: item.program.hasEdges ? edges[Int(item.firstEdges) + index] : .zero)
    }
  }
}

/// How far indices in the tables of a list are moved in those of another.
package struct ItemOffsets {
  fileprivate let corners: UInt32
  fileprivate let edges: UInt32
  fileprivate let colors: UInt32
  fileprivate let outlines: UInt32
}

extension Array {
  /// Removes all elements, and keeps the memory unless it is much larger than they need.
  package mutating func startAgain() {
    removeAll(keepingCapacity: capacity / 8 <= count)
  }
}
