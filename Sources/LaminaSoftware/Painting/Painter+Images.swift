import LaminaValues

/// Images and groups on 8-bit targets.
extension Painter {
  /// Paints the source's pixels at a distance of whole pixels over the target's.
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

  /// Paints an image over the target.
  func paintImage(_ span: Span, _ kernel: Brush.Kernel) {
    readImage(span, kernel)
    paintOver(span, pixels)
  }

  /// Paints an image over the target, times the program's coverage of all pixels that are not in
  /// `inside`, a range of the target's columns.
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
    for (columns, side) in [
      (straight.leftColumns, straight.left), (straight.rightColumns, straight.right),
    ] {
      let part = columns.clamped(to: span.x..<span.x &+ span.count)
      for x in part {
        pixels[x &- span.x] = Pixel.scaled(pixels[x &- span.x], by: side[x &- columns.lowerBound])
      }
    }
    paintOver(span, pixels)
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
    rows.over(span.bytes, source, span.count, opacity: span.brush.pointee.opacity)
  }

  // MARK: Reading

  /// Writes an 8-bit image's pixels under the span into `pixels`. Beyond its edges the image repeats
  /// them.
  private func readImage(_ span: Span, _ kernel: Brush.Kernel) {
    switch kernel {
    case .pixels: readPixels(span)
    case .moved: readMoved(span)
    default:
      samplePixels(
        span.source, isNearest: span.brush.pointee.isNearest, sourcePlaces(span), span.count,
        into: pixels)
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
    let (brush, source) = (span.brush, span.source)
    let top = span.y &+ Int(brush.pointee.offsetY)
    let upper = source.bytes(clamped(top, source.height))
    let lower = source.bytes(clamped(top &+ 1, source.height))
    let first = span.x &+ Int(brush.pointee.offsetX)
    let (x, y) = (brush.pointee.fractionX, brush.pointee.fractionY)
    // Where a pixel and its neighbour are there; the others repeat the image's edge.
    let inside = min(max(-first, 0), span.count)
    let outside = min(max(source.width &- 1 &- first, inside), span.count)
    rows.mix(
      pixels + inside, upper + (first &+ inside), lower + (first &+ inside), outside &- inside,
      fractionX: x, fractionY: y)
    let weights = PixelRows.weights(x, y)
    func edge(_ i: Int) {
      let a = clamped(first &+ i, source.width)
      let b = clamped(first &+ i &+ 1, source.width)
      pixels[i] = PixelRows.mix(upper[a], upper[b], lower[a], lower[b], weights)
    }
    for i in 0..<inside { edge(i) }
    for i in outside..<span.count { edge(i) }
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

  /// The places at which a span samples its source.
  func sourcePlaces(_ span: Span) -> PixelRows.Places {
    let brush = span.brush
    let (x, y, row) = (brush.pointee.sourceX, brush.pointee.sourceY, span.fromReferenceY)
    var places = PixelRows.Places(
      first: span.fromReferenceX, x: x.row(row), xAcross: x.across, y: y.row(row),
      yAcross: y.across)
    if let perspective = brush.pointee.perspective {
      places.hasPerspective = true
      (places.w, places.wAcross) = (perspective.row(row), perspective.across)
    }
    return places
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
