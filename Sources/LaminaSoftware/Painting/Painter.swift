import LaminaFramePlan
import LaminaValues

/// Paints the operations of a round into a band of rows. Each thread has one, with memory of its
/// own for the rows between stages.
///
/// A pixel's result depends on the item and the pixel alone, never on where a band, a span or a
/// damaged rectangle begins: numbers that vary over a target are computed anew for each pixel from
/// the item's planes, and no sum goes on from one pixel to the next.
final class Painter {
  /// The most pixels that go through the stages at once.
  static let spanLimit = 256

  /// Memory for the numbers of a span's pixels.
  typealias Numbers = UnsafeMutablePointer<Float>

  /// The colour.
  let color: ColorNumbers
  /// Another colour: of a source, or of the target.
  let other: ColorNumbers
  /// For whatever a stage needs while it runs.
  let spare: ColorNumbers
  /// The part of each pixel that is painted.
  let coverage: Numbers
  /// Two places, such as a point of the layer and one of the source.
  let x: Numbers
  let y: Numbers
  let sourceX: Numbers
  let sourceY: Numbers
  /// w, where it varies.
  let depth: Numbers
  /// How the point changes from pixel to pixel, where that varies.
  let slopes: (Numbers, Numbers, Numbers, Numbers)
  /// For whatever a stage needs while it runs.
  let more: (Numbers, Numbers, Numbers, Numbers)
  /// 0, 1, 2…
  let counting: Numbers
  let pixels: UnsafeMutablePointer<UInt32>
  let places: UnsafeMutablePointer<Int32>
  /// The coverage of straight rows at the left side, and at the right one.
  let sides: (UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>)
  /// A row of pixels that is painted over many.
  let straightPixels: UnsafeMutablePointer<UInt32>
  /// The coverage of as many spans as a band has rows.
  let shadowRows: Numbers
  /// For 8-bit pixels at another resolution.
  let resampling = ResamplingRows()
  let rows: PixelRows
  let scratch = ScratchMemory()
  private let memory: UnsafeMutablePointer<Float>

  init(_ rows: PixelRows) {
    self.rows = rows
    let limit = Self.spanLimit
    let count = 27 + Bands.height
    memory = .allocate(capacity: limit * count)
    memory.initialize(repeating: 0, count: limit * count)
    let start = memory
    func part(_ index: Int) -> Numbers { start + index * limit }
    func colors(_ index: Int) -> ColorNumbers {
      ColorNumbers(
        red: part(index), green: part(index + 1), blue: part(index + 2), alpha: part(index + 3))
    }
    (color, other, spare) = (colors(0), colors(4), colors(8))
    (coverage, x, y, sourceX, sourceY, depth) = (
      part(12), part(13), part(14), part(15), part(16), part(17)
    )
    slopes = (part(18), part(19), part(20), part(21))
    more = (part(22), part(23), part(24), part(25))
    counting = part(26)
    shadowRows = part(27)
    for i in 0..<limit { counting[i] = Float(i) }
    pixels = .allocate(capacity: limit)
    pixels.initialize(repeating: 0, count: limit)
    places = .allocate(capacity: limit)
    places.initialize(repeating: 0, count: limit)
    let both = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * Self.sideLimit)
    both.initialize(repeating: 0, count: 2 * Self.sideLimit)
    sides = (both, both + Self.sideLimit)
    straightPixels = .allocate(capacity: limit)
    straightPixels.initialize(repeating: 0, count: limit)
  }

  deinit {
    memory.deallocate()
    pixels.deallocate()
    places.deallocate()
    sides.0.deallocate()
    straightPixels.deallocate()
  }

  /// Paints the part of an operation that lies within some rows of its target.
  func paint(
    _ operation: UnsafePointer<Operation>, rows: Range<Int>,
    _ tables: UnsafePointer<PreparationPointers>
  ) {
    let place = tables.pointee.targets + Int(operation.pointee.pass)
    let target = place.pointee.texels
    let minY = max(Int(operation.pointee.minY), rows.lowerBound)
    let maxY = min(Int(operation.pointee.maxY), rows.upperBound)
    guard minY < maxY else { return }
    let minX = Int(operation.pointee.minX)
    let maxX = Int(operation.pointee.maxX)
    let count = maxX &- minX
    let value = operation.pointee.value
    switch operation.pointee.kind {
    case .clear:
      target.clear(PixelRect(minX: minX, minY: minY, maxX: maxX, maxY: maxY))
    case .fill:
      self.rows.fill(
        target.bytes(minY) + minX, count, rows: maxY &- minY, stride: target.stride / 4, value)
    case .tint:
      self.rows.tint(
        target.bytes(minY) + minX, count, rows: maxY &- minY, stride: target.stride / 4, value)
    case .box: paint(tables.pointee.boxes[Int(value)], minX..<maxX, minY..<maxY, target)
    case .brush:
      let row = BrushRow(
        brush: tables.pointee.brushes + Int(value), place: place, tables: tables)
      if row.brush.pointee.polygons.isEmpty {
        paint(row, minX..<maxX, minY..<maxY)
        return
      }
      for polygon in row.brush.pointee.polygons {
        paint(row, tables.pointee.polygons[Int(polygon)], minX..<maxX, minY..<maxY)
      }
    }
  }

  /// Paints the part of a polygon that lies within some columns and rows.
  private func paint(
    _ row: BrushRow, _ polygon: PolygonEdges, _ columns: Range<Int>, _ rows: Range<Int>
  ) {
    let edges = row.tables.pointee.edges
    let count = polygon.edges.count
    withUnsafeTemporaryAllocation(of: EdgeCrossing.self, capacity: count) { crossings in
      for (place, edge) in polygon.edges.enumerated() {
        crossings.initializeElement(
          at: place, to: EdgeCrossing(of: edges[Int(edge)], row: rows.lowerBound))
      }
      /// The next row's columns.
      func limited() -> Range<Int>? {
        var (left, right) = (columns.lowerBound, columns.upperBound)
        for place in 0..<count { crossings[place].limit(&left, &right) }
        return left < right ? left..<right : nil
      }
      guard row.brush.isPlacedOver else {
        for y in rows {
          if let columns = limited() { paint(row, columns, y) }
        }
        return
      }
      paintPlaced(row, rows) { limited() ?? 0..<0 }
    }
  }

  /// Paints an image in any place over some rows, of which `next` tells the columns one after
  /// another.
  @inline(__always)
  private func paintPlaced(_ row: BrushRow, _ rows: Range<Int>, _ next: () -> Range<Int>) {
    withUnsafeTemporaryAllocation(of: PixelRows.Part.self, capacity: rows.count) { parts in
      for place in parts.indices {
        let columns = next()
        parts.initializeElement(
          at: place,
          to: PixelRows.Part(
            first: Int32(truncatingIfNeeded: columns.lowerBound),
            count: Int32(truncatingIfNeeded: columns.count)))
      }
      paintPlaced(row, UnsafeBufferPointer(parts), from: rows.lowerBound)
    }
  }

  /// Paints a rectangle with a brush.
  private func paint(_ row: BrushRow, _ columns: Range<Int>, _ rows: Range<Int>) {
    if row.brush.pointee.kernel == .masked, row.brush.isUpright,
      row.brush.pointee.program.isShadow
    {
      return paintShadow(row, columns, rows)
    }
    if row.brush.pointee.kernel == .moved, !row.brush.hasSides {
      return paintMoved(row, columns, rows)
    }
    if row.brush.isPlacedOver, !row.brush.hasSides {
      return paintPlaced(row, rows) { columns }
    }
    var straight: StraightRows?
    var mayBeStraight = row.brush.hasSides
    var y = rows.lowerBound
    while y < rows.upperBound {
      if mayBeStraight, isStraight(row.brush, y) {
        if straight == nil { straight = straightRows(row, columns, y) }
        if let straight {
          let first = y
          repeat { y &+= 1 } while y < rows.upperBound && isStraight(row.brush, y)
          paint(row, straight, first..<y)
          continue
        }
        mayBeStraight = false
      }
      paint(row, columns, y)
      y &+= 1
    }
  }

  /// Paints a part of a row with a brush.
  private func paint(_ row: BrushRow, _ columns: Range<Int>, _ y: Int) {
    let brush = row.brush
    guard brush.hasSides else {
      paint(row, columns, y, brush.pointee.kernel)
      return
    }
    if let interior = brush.pointee.interior, brush.isImageBetweenEdges {
      if brush.isPlacedOver { return paintPlaced(row, y..<y &+ 1) { columns } }
      forEachSpan(row, columns, y) { paintImage($0, interior, between: RowOfEdges($0)) }
      return
    }
    // Most of what has edges is covered wholly, or not at all.
    let covered = covered(brush, columns, y)
    let (outer, inner) = (covered.outer, covered.inner)
    if let interior = brush.pointee.interior, interior != .color {
      forEachSpan(row, outer, y) { paintCovered($0, interior, inside: inner) }
      return
    }
    paint(row, outer.lowerBound..<inner.lowerBound, y, brush.pointee.kernel)
    if let interior = brush.pointee.interior { paint(row, inner, y, interior) }
    paint(row, inner.upperBound..<outer.upperBound, y, brush.pointee.kernel)
  }

  private func paint(_ row: BrushRow, _ columns: Range<Int>, _ y: Int, _ kernel: Brush.Kernel) {
    if kernel == .color {
      rows.tint(
        row.target.bytes(y) + columns.lowerBound, columns.count, row.brush.pointee.pixel)
      return
    }
    forEachSpan(row, columns, y) { span in
      switch kernel {
      case .color: break
      case .masked: paintMasked(span)
      case .pixels: paintPixels(span)
      case .moved, .placed: paintImage(span, kernel)
      case .halved: paintHalved(span)
      case .doubled: paintDoubled(span)
      case .doubledDown: paintDoubledDown(span)
      case .quadrupledDown: paintQuadrupledDown(span)
      case .quartered: paintQuartered(span)
      case .program: paintProgram(span)
      }
    }
  }

  /// Calls `body` with the spans of a row's columns.
  @inline(__always)
  func forEachSpan(_ row: BrushRow, _ columns: Range<Int>, _ y: Int, _ body: (Span) -> Void) {
    var x = columns.lowerBound
    while x < columns.upperBound {
      let count = min(columns.upperBound &- x, Self.spanLimit)
      body(Span(row: row, x: x, y: y, count: count))
      x &+= count
    }
  }
}

/// What paints rows of a target.
struct BrushRow {
  let brush: UnsafePointer<Brush>
  let place: UnsafePointer<Preparation.Target>
  let tables: UnsafePointer<PreparationPointers>

  @inline(__always)
  var target: Texels { place.pointee.texels }
  @inline(__always)
  var source: Texels { tables.pointee.sources[Int(brush.pointee.sources.0)] }
}

/// Neighbouring pixels of a row, no more than `Painter.spanLimit`, and what paints them.
struct Span {
  let row: BrushRow
  let x: Int
  let y: Int
  let count: Int

  @inline(__always)
  var brush: UnsafePointer<Brush> { row.brush }
  @inline(__always)
  var target: Texels { row.target }
  @inline(__always)
  var tables: PreparationPointers { row.tables.pointee }

  /// The first pixel's column and row, from the brush's reference pixel.
  var fromReferenceX: Float { Float(x &- Int(brush.pointee.x)) }
  var fromReferenceY: Float { Float(y &- Int(brush.pointee.y)) }

  /// Some of its columns, and how many come before.
  func part(_ columns: Range<Int>) -> (span: Span, first: Int) {
    let part = Span(row: row, x: columns.lowerBound, y: y, count: columns.count)
    return (part, columns.lowerBound &- x)
  }

  var bytes: UnsafeMutablePointer<UInt32> { target.bytes(y) + x }
  var floats: UnsafeMutablePointer<Float> { target.floats(y) + x &* 4 }
  var source: Texels { row.source }
}

/// A preparation's tables, in place.
struct PreparationPointers {
  var targets: UnsafePointer<Preparation.Target>
  var boxes: UnsafePointer<SoftBox>
  let brushes: UnsafePointer<Brush>
  let polygons: UnsafePointer<PolygonEdges>
  let edges: UnsafePointer<PolygonEdges.Edge>
  let ramps: UnsafePointer<Plane>
  var sources: UnsafePointer<Texels>
  let items: UnsafePointer<ItemList>
}
