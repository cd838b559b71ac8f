import LaminaValues

/// Images and groups on 8-bit targets.
extension Painter {
  /// Paints the source's pixels at a distance of whole pixels.
  func paintPixels(_ span: Span) {
    let (brush, source) = (span.brush, span.source)
    let first = span.x &+ Int(brush.pointee.offsetX)
    if first >= 0, first &+ span.count <= source.width {
      let row = source.bytes(clamped(span.y &+ Int(brush.pointee.offsetY), source.height))
      paintOver(span, row + first)
      return
    }
    paintImage(span, .pixels)
  }

  /// Paints an image, times its coverage by a rectangle's edges if there are any.
  func paintImage(_ span: Span, _ kernel: Brush.Kernel, between edges: RowOfEdges? = nil) {
    readImage(span, kernel)
    edges?.multiply(pixels, span.count)
    paintOver(span, pixels)
  }

  /// Paints an image times the program's coverage of all pixels that are not in `inside`, a range
  /// of the target's columns.
  func paintCovered(_ span: Span, _ kernel: Brush.Kernel, inside: Range<Int>) {
    readImage(span, kernel)
    let end = span.x &+ span.count
    cover(span.part(span.x..<max(min(inside.lowerBound, end), span.x)))
    cover(span.part(min(max(inside.upperBound, span.x), end)..<end))
    paintOver(span, pixels)
  }

  /// The same in a straight row.
  func paintCovered(_ span: Span, _ kernel: Brush.Kernel, _ straight: StraightRows) {
    readImage(span, kernel)
    cover(span, straight.leftColumns, straight.left)
    cover(span, straight.rightColumns, straight.right)
    paintOver(span, pixels)
  }

  /// Multiplies a span's pixels in some columns by a side's coverage.
  @inline(__always)
  private func cover(_ span: Span, _ columns: Range<Int>, _ side: UnsafePointer<UInt32>) {
    let pixels = pixels
    for x in columns.clamped(to: span.x..<span.x &+ span.count) {
      pixels[x &- span.x] = Pixel.scaled(
        pixels[x &- span.x], by: side[x &- columns.lowerBound])
    }
  }

  /// Multiplies some of the pixels of a longer span by their coverage.
  private func cover(_ part: (span: Span, first: Int)) {
    let (span, pixels) = (part.span, pixels + part.first)
    guard span.count > 0 else { return }
    findCoverage(span, span.brush.pointee.program.basic)
    let coverage = coverage
    for i in 0..<span.count {
      pixels[i] = Pixel.scaled(pixels[i], by: Pixel.byte(coverage[i]))
    }
  }

  private func paintOver(_ span: Span, _ source: UnsafePointer<UInt32>) {
    paint(source, span.brush, to: span.bytes, span.count)
  }

  /// Paints an image's pixels, times the brush's opacity, over the target's or in their place.
  @inline(__always)
  private func paint(
    _ source: UnsafePointer<UInt32>, _ brush: UnsafePointer<Brush>,
    to target: UnsafeMutablePointer<UInt32>, _ count: Int
  ) {
    if brush.pointee.blend == .copy {
      rows.replace(target, source, count, opacity: brush.pointee.opacity)
    } else {
      rows.over(target, source, count, opacity: brush.pointee.opacity)
    }
  }

  // MARK: Reading

  /// Writes an 8-bit image's pixels under the span into `pixels`. Beyond its edges the image
  /// repeats them.
  private func readImage(_ span: Span, _ kernel: Brush.Kernel) {
    switch kernel {
    case .pixels: readPixels(span)
    case .moved: readMoved(span)
    default:
      samplePixels(
        span.source, isNearest: span.brush.pointee.isNearest,
        sourcePlaces(span.brush, span.x, span.y), span.count, into: pixels)
    }
  }

  private func readPixels(_ span: Span) {
    let (brush, source) = (span.brush, span.source)
    let row = source.bytes(clamped(span.y &+ Int(brush.pointee.offsetY), source.height))
    let first = span.x &+ Int(brush.pointee.offsetX)
    if first >= 0, first &+ span.count <= source.width {
      pixels.update(from: row + first, count: span.count)
      return
    }
    for i in 0..<span.count { pixels[i] = row[clamped(first &+ i, source.width)] }
  }

  private func readMoved(_ span: Span) {
    MovedRows(span.brush, span.source, span.x, span.count).read(span.y, into: pixels, rows)
  }

  /// Paints an image in any place over parts of some rows of the target, from row `y` on.
  func paintPlaced(
    _ row: BrushRow, _ parts: UnsafeBufferPointer<PixelRows.Part>, from y: Int
  ) {
    let brush = row.brush
    rows.sampleOver(
      row.target.bytes(y), stride: row.target.stride / 4, parts, row.source,
      sourcePlaces(brush, 0, y), brush.hasSides ? brush.pointee.edges : nil,
      opacity: brush.pointee.opacity, through: pixels)
  }

  /// Paints an image that is not turned or scaled over a rectangle of the target.
  func paintMoved(_ row: BrushRow, _ columns: Range<Int>, _ rows: Range<Int>) {
    let source = row.source
    var x = columns.lowerBound
    while x < columns.upperBound {
      let count = min(columns.upperBound &- x, Self.spanLimit)
      let moved = MovedRows(row.brush, source, x, count)
      let whole = row.brush.pointee.blend == .copy ? 0..<0 : moved.whole(rows)
      if !whole.isEmpty {
        moved.paint(
          whole, over: row.target, at: x, opacity: row.brush.pointee.opacity, self.rows)
      }
      for y in rows where !whole.contains(y) {
        moved.read(y, into: pixels, self.rows)
        paint(pixels, row.brush, to: row.target.bytes(y) + x, count)
      }
      x &+= count
    }
  }

  /// Paints such an image in straight rows.
  func paintMoved(_ row: BrushRow, _ straight: StraightRows, _ rows: Range<Int>) {
    paintMoved(row, straight.covered.inner, rows)
    let source = row.source
    for (columns, side) in [
      (straight.leftColumns, straight.left), (straight.rightColumns, straight.right),
    ] where !columns.isEmpty {
      let moved = MovedRows(row.brush, source, columns.lowerBound, columns.count)
      let whole = moved.whole(rows)
      for (i, x) in columns.enumerated() where side[i] > 0 {
        let factor = Pixel.scaled(pair: side[i], by: row.brush.pointee.opacity)
        moved.paintColumn(i, whole, over: row.target, at: x, opacity: factor, self.rows)
        for y in rows where !whole.contains(y) {
          let target = row.target.bytes(y) + x
          target.pointee = Pixel.over(Pixel.scaled(moved.pixel(i, y), by: factor), target.pointee)
        }
      }
    }
  }

  /// Samples an 8-bit image.
  func samplePixels(
    _ source: Texels, isNearest: Bool, _ places: PixelRows.Places, _ count: Int,
    into pixels: UnsafeMutablePointer<UInt32>
  ) {
    guard isNearest else {
      rows.sample(pixels, source, places, count)
      return
    }
    for i in 0..<count {
      let (x, y) = places[i]
      pixels[i] = source.bytes(Self.pixel(y, source.height))[Self.pixel(x, source.width)]
    }
  }

  /// The places at which pixels of the target sample their source, from a column and a row on.
  func sourcePlaces(_ brush: UnsafePointer<Brush>, _ x: Int, _ y: Int) -> PixelRows.Places {
    PixelRows.Places(
      column: x &- Int(brush.pointee.x), row: y &- Int(brush.pointee.y),
      x: brush.pointee.sourceX, y: brush.pointee.sourceY, w: brush.pointee.perspective)
  }

  /// The pixel in which a coordinate lies, within a side of that many pixels. NaN counts as 0.
  @inline(__always)
  static func pixel(_ coordinate: Float, _ count: Int) -> Int {
    let least = coordinate > 0 ? coordinate : 0
    let limit = Float(count &- 1)
    return Int(least < limit ? least : limit)
  }
}

/// The nearest index of a list of that many elements.
@inline(__always)
func clamped(_ index: Int, _ count: Int) -> Int {
  index < 0 ? 0 : index < count ? index : count &- 1
}

/// Some columns of an image that lies between the target's pixels. Beyond its edges the image
/// repeats them.
private struct MovedRows {
  private let source: Texels
  private let fractionX: UInt32
  private let fractionY: UInt32
  private let offsetY: Int
  /// The image's column under the first one, and the number of columns.
  private let first: Int
  private let count: Int
  /// The columns for which a pixel and its neighbour are there.
  private let inside: Int
  private let outside: Int

  init(_ brush: UnsafePointer<Brush>, _ source: Texels, _ x: Int, _ count: Int) {
    self.source = source
    self.count = count
    (fractionX, fractionY) = (brush.pointee.fractionX, brush.pointee.fractionY)
    offsetY = Int(brush.pointee.offsetY)
    first = x &+ Int(brush.pointee.offsetX)
    inside = min(max(-first, 0), count)
    outside = min(max(source.width &- 1 &- first, inside), count)
  }

  /// Writes the image's pixels under a row of the target.
  func read(_ y: Int, into pixels: UnsafeMutablePointer<UInt32>, _ rows: PixelRows) {
    let top = y &+ offsetY
    let upper = source.bytes(clamped(top, source.height))
    let lower = source.bytes(clamped(top &+ 1, source.height))
    rows.mix(
      pixels + inside, upper + (first &+ inside), lower + (first &+ inside), outside &- inside,
      fractionX: fractionX, fractionY: fractionY)
    for i in 0..<inside { pixels[i] = pixel(i, y) }
    for i in outside..<count { pixels[i] = pixel(i, y) }
  }

  /// The image's pixel under a column and a row of the target.
  func pixel(_ i: Int, _ y: Int) -> UInt32 {
    let top = y &+ offsetY
    let upper = source.bytes(clamped(top, source.height))
    let lower = source.bytes(clamped(top &+ 1, source.height))
    let a = clamped(first &+ i, source.width)
    let b = clamped(first &+ i &+ 1, source.width)
    return PixelRows.mix(
      upper[a], upper[b], lower[a], lower[b], PixelRows.weights(fractionX, fractionY))
  }

  /// The rows of the target for which a row of the image and the next one are there.
  func whole(_ rows: Range<Int>) -> Range<Int> {
    let first = max(rows.lowerBound, -offsetY)
    let end = min(rows.upperBound, source.height &- 1 &- offsetY)
    return first < end ? first..<end : 0..<0
  }

  /// Paints such rows over those of a target whose column `x` is the first.
  func paint(
    _ whole: Range<Int>, over target: Texels, at x: Int, opacity: UInt32, _ rows: PixelRows
  ) {
    let top = whole.lowerBound &+ offsetY
    rows.mixOver(
      target.bytes(whole.lowerBound) + x + inside, stride: target.stride / 4,
      source.bytes(top) + (first &+ inside), sourceStride: source.stride / 4,
      outside &- inside, rows: whole.count, fractionX: fractionX, fractionY: fractionY,
      opacity: opacity)
    for i in 0..<inside {
      paintColumn(i, whole, over: target, at: x + i, opacity: opacity, rows)
    }
    for i in outside..<count {
      paintColumn(i, whole, over: target, at: x + i, opacity: opacity, rows)
    }
  }

  /// Paints one of the columns, which is the target's column `x`, in such rows.
  func paintColumn(
    _ i: Int, _ whole: Range<Int>, over target: Texels, at x: Int, opacity: UInt32,
    _ rows: PixelRows
  ) {
    if whole.isEmpty { return }
    let upper = source.bytes(whole.lowerBound &+ offsetY)
    rows.mixColumnOver(
      target.bytes(whole.lowerBound) + x, stride: target.stride / 4,
      upper + clamped(first &+ i, source.width), upper + clamped(first &+ i &+ 1, source.width),
      sourceStride: source.stride / 4, rows: whole.count, fractionX: fractionX,
      fractionY: fractionY, opacity: opacity)
  }
}
