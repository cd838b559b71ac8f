import Foundation
import LaminaFramePlan
import LaminaValues

/// The vertices of a plan's batches, one after another in the order of the passes. A vertex has the
/// numbers that its program's attributes take: see `FramePlan.Program.attributeSizes`.
struct ItemVertices {
  /// The first `count` are the plan's. The others are room for a larger plan.
  private var floats: [Float] = []
  private var count = 0

  /// Replaces the vertices by those of another plan.
  mutating func expand(_ plan: FramePlan) {
    count = 0
    for pass in plan.passes {
      for batch in pass.batches { count += batch.vertexCount * batch.program.floatsPerVertex }
    }
    // Of memory that is much too large for the plan, it keeps none.
    if floats.count < count || floats.count / 8 > count {
      floats = [Float](repeating: 0, count: count + count / 4)
    }
    floats.withUnsafeMutableBufferPointer { memory in
      guard let start = memory.baseAddress else { return }
      plan.items.withTables { tables in
        var writer = VertexWriter(tables: tables, out: start)
        for pass in plan.passes {
          for batch in pass.batches { writer.write(batch, in: pass) }
        }
      }
    }
  }

  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    floats.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[..<(count * MemoryLayout<Float>.stride)]))
    }
  }
}

/// The tables of an item list, in place.
private struct ItemTables {
  let items: UnsafePointer<Item>
  let corners: UnsafePointer<ItemCorner>
  let edges: UnsafePointer<SIMD4<Double>>
  let outlines: UnsafePointer<CornerOutline>
  let maps: UnsafePointer<CGAffineTransform>
  let list: ItemList
}

extension ItemList {
  /// Passes the tables to `body`. A pointer to an empty table is not read: the plan was checked.
  fileprivate func withTables(_ body: (ItemTables) -> Void) {
    func place<Element>(_ buffer: UnsafeBufferPointer<Element>) -> UnsafePointer<Element> {
      buffer.baseAddress ?? UnsafePointer(bitPattern: MemoryLayout<Element>.alignment)!
    }
    items.withUnsafeBufferPointer { items in
      corners.withUnsafeBufferPointer { corners in
        edges.withUnsafeBufferPointer { edges in
          outlines.withUnsafeBufferPointer { outlines in
            maps.withUnsafeBufferPointer { maps in
              body(
                ItemTables(
                  items: place(items), corners: place(corners), edges: place(edges),
                  outlines: place(outlines), maps: place(maps), list: self))
            }
          }
        }
      }
    }
  }
}

/// Writes items as triangles.
private struct VertexWriter {
  let tables: ItemTables
  var out: UnsafeMutablePointer<Float>

  /// What the vertices of a batch have in common.
  private struct Shared {
    var program: FramePlan.Program
    var originX: Double
    var originY: Double
    /// From the target's pixels to each source's.
    var offset: SIMD2<Float> = .zero
    var secondOffset: SIMD2<Float> = .zero
    /// The origins of the target and of the source.
    var place: SIMD4<Float> = .zero
    /// The item's colour, unless it varies.
    var color: SIMD4<Float> = .zero
  }

  mutating func write(_ batch: FramePlan.Batch, in pass: FramePlan.Pass) {
    var shared = Shared(
      program: batch.program.basic, originX: Double(pass.originX), originY: Double(pass.originY))
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
    for index in batch.items {
      let item = tables.items + index
      shared.color = color(of: item)
      write(item, shared)
    }
  }

  private mutating func write(_ item: UnsafePointer<Item>, _ shared: Shared) {
    let count = Int(item.pointee.cornerCount)
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
    let corner = tables.corners + Int(item.pointee.firstCorner) + index
    put(Float((corner.pointee.x - shared.originX) * corner.pointee.w))
    put(Float((corner.pointee.y - shared.originY) * corner.pointee.w))
    put(Float(corner.pointee.w))
    switch shared.program {
    case .plainImage: break
    case .colorMatrix:
      put(shared.offset)
      let matrix = tables.list.matrices[Int(item.pointee.parameters)]
      for column in matrix.columns { put(SIMD4<Float>(column)) }
      put(SIMD4<Float>(matrix.bias))
      return
    case .gaussian, .halved, .doubled:
      let kernel = tables.list.kernels[Int(item.pointee.parameters)]
      put(shared.place)
      put(
        SIMD4(
          Float(kernel.sigma), Float(kernel.center), Float(kernel.taps),
          kernel.repeatsEdges ? 1 : 0))
      put(SIMD2<Float>(kernel.step))
      return
    default:
      if case .ramp(let index) = item.pointee.color {
        let ramp = tables.list.colorRamps[Int(index)]
        put(ramp.color(x: corner.pointee.localX, y: corner.pointee.localY))
      } else {
        put(shared.color)
      }
    }
    switch shared.program {
    case .solidEdges: putEdges(index, of: item, corner)
    case .plainImage, .image, .coverage: putMapped(corner, of: item)
    case .group, .alpha: put(shared.offset)
    case .imageEdges:
      putMapped(corner, of: item)
      putEdges(index, of: item, corner)
    case .groupEdges:
      put(shared.offset)
      putEdges(index, of: item, corner)
    case .rounded: putOutline(corner, of: item)
    case .roundedBorder, .shadow, .shadowEdge, .shadowCorner:
      putOutline(corner, of: item)
      put(item.pointee.numbers.x)
    case .roundedImage:
      putOutline(corner, of: item)
      putMapped(corner, of: item)
    case .groupRounded:
      put(shared.offset)
      putOutline(corner, of: item)
    case .groupMasked, .groupMix, .blended:
      put(shared.offset)
      put(shared.secondOffset)
    case .radial, .conic:
      putOutline(corner, of: item)
      putMapped(corner, of: item)
      put(item.pointee.numbers)
    default: break
    }
  }

  private func color(of item: UnsafePointer<Item>) -> SIMD4<Float> {
    switch item.pointee.color {
    case .bytes(let bytes):
      let channels = SIMD4(bytes, bytes >> 8, bytes >> 16, bytes >> 24) & 255
      return SIMD4<Float>(SIMD4<Double>(channels) / 255)
    case .floats(let index): return tables.list.colors[Int(index)]
    case .ramp: return .zero
    }
  }

  /// Signed distances to the edges times w, so that they interpolate linearly on the screen.
  @inline(__always)
  private mutating func putEdges(
    _ index: Int, of item: UnsafePointer<Item>, _ corner: UnsafePointer<ItemCorner>
  ) {
    let edges = tables.edges[Int(item.pointee.firstEdges) + index]
    put(SIMD4<Float>(edges * corner.pointee.w))
  }

  @inline(__always)
  private mutating func putMapped(
    _ corner: UnsafePointer<ItemCorner>, of item: UnsafePointer<Item>
  ) {
    let map = tables.maps + Int(item.pointee.parameters)
    let (x, y) = (corner.pointee.localX, corner.pointee.localY)
    put(Float(map.pointee.a * x + map.pointee.c * y + map.pointee.tx))
    put(Float(map.pointee.b * x + map.pointee.d * y + map.pointee.ty))
  }

  /// The point from the middle of the outline, half the outline's size, and its radii.
  @inline(__always)
  private mutating func putOutline(
    _ corner: UnsafePointer<ItemCorner>, of item: UnsafePointer<Item>
  ) {
    let outline = tables.outlines + Int(item.pointee.outline)
    let rect = outline.pointee.rect
    put(Float(corner.pointee.localX - rect.midX))
    put(Float(corner.pointee.localY - rect.midY))
    put(Float(rect.width / 2))
    put(Float(rect.height / 2))
    put(SIMD4<Float>(outline.pointee.radii))
  }
}
