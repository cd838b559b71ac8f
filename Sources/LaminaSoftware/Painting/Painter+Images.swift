import LaminaValues

/// The kernels for 8-bit targets.
extension Painter {
  /// Paints the source's pixels at a distance of whole pixels over the target's.
  func paintPixels(_ span: Span) {
    let (brush, source) = (span.brush, span.source)
    let row = source.bytes(clamped(span.y &+ Int(brush.pointee.offsetY), source.height))
    let first = span.x &+ Int(brush.pointee.offsetX)
    if first >= 0, first &+ span.count <= source.width {
      paintOver(span, row + first)
      return
    }
    for i in 0..<span.count { pixels[i] = row[clamped(first &+ i, source.width)] }
    paintOver(span, pixels)
  }

  /// Paints an image that is moved by a fraction of a pixel over the target.
  func paintMoved(_ span: Span) {
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
    paintOver(span, pixels)
  }

  /// Paints an image in any place over the target.
  func paintPlaced(_ span: Span) {
    findSourcePlaces(span)
    samplePixels(span.source, isNearest: span.brush.pointee.isNearest, span.count)
    paintOver(span, pixels)
  }

  private func paintOver(_ span: Span, _ source: UnsafePointer<UInt32>) {
    rows.over(span.bytes, source, span.count, opacity: span.brush.pointee.opacity)
  }

  /// Writes the 8-bit source's pixels at the places in `sourceX` and `sourceY` into `pixels`.
  /// Beyond its edges the source repeats them.
  func samplePixels(_ source: Texels, isNearest: Bool, _ count: Int) {
    guard isNearest else {
      rows.sample(pixels, source, x: sourceX, y: sourceY, count)
      return
    }
    for i in 0..<count {
      let column = Self.pixel(sourceX[i], source.width)
      pixels[i] = source.bytes(Self.pixel(sourceY[i], source.height))[column]
    }
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
