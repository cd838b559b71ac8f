import CSpans

/// Painting rows of BGRA8 pixels.
///
/// The loops are plain ones, which the compiler turns into vector instructions that every processor
/// of the kind has. On x86-64 that is a half or a quarter of what most have: for those `CSpans` has
/// the same loops, with results that are equal to the bit.
struct PixelRows {
  typealias Target = UnsafeMutablePointer<UInt32>
  typealias Source = UnsafePointer<UInt32>

  /// Those of `CSpans`, if they are used.
  private let loops: UnsafePointer<lamina_spans>?

  init(_ instructions: InstructionSet) { loops = instructions.loops }

  /// Fills `count` pixels of each of some rows, of which the next begins `stride` pixels later.
  func fill(_ target: Target, _ count: Int, rows: Int, stride: Int, _ color: UInt32) {
    if let loops {
      return loops.pointee.fill(
        target, Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: rows), Int64(stride),
        color)
    }
    target.update(repeating: color, count: count)
    // Copying is faster than filling: the C library writes more at once than Swift's loop does.
    for row in 1..<max(rows, 1) { (target + row &* stride).update(from: target, count: count) }
  }

  static func copy(_ target: Target, _ source: Source, _ count: Int) {
    target.update(from: source, count: count)
  }

  /// Paints a premultiplied colour over `count` pixels of each of some rows, of which the next
  /// begins `stride` pixels later.
  func tint(_ target: Target, _ count: Int, rows: Int = 1, stride: Int = 0, _ color: UInt32) {
    if let loops {
      return loops.pointee.tint(
        target, Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: rows), Int64(stride),
        color)
    }
    for row in 0..<rows {
      let first = target + row &* stride
      for i in 0..<count { first[i] = Pixel.over(color, first[i]) }
    }
  }

  /// Paints premultiplied pixels times a factor from 0 to 255 over others: the same `count` pixels
  /// over each of some rows, of which the next begins `stride` pixels later.
  func over(
    _ target: Target, _ source: Source, _ count: Int, rows: Int = 1, stride: Int = 0,
    opacity: UInt32 = 255
  ) {
    if let loops {
      return loops.pointee.over(
        target, source, Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: rows),
        Int64(stride), opacity)
    }
    for row in 0..<rows {
      let first = target + row &* stride
      if opacity == 255 {
        for i in 0..<count { first[i] = Pixel.over(source[i], first[i]) }
      } else {
        for i in 0..<count {
          first[i] = Pixel.over(Pixel.scaled(source[i], by: opacity), first[i])
        }
      }
    }
  }

  /// Replaces pixels by others times a factor from 0 to 255.
  func replace(_ target: Target, _ source: Source, _ count: Int, opacity: UInt32) {
    if opacity == 255 { return Self.copy(target, source, count) }
    for i in 0..<count { target[i] = Pixel.scaled(source[i], by: opacity) }
  }

  /// Paints a premultiplied colour, times a factor from 0 to 255 for each pixel, over the pixels.
  func mask(_ target: Target, _ mask: Source, _ count: Int, _ color: UInt32) {
    if let loops {
      return loops.pointee.mask(target, mask, Int32(truncatingIfNeeded: count), color)
    }
    for i in 0..<count { target[i] = Pixel.over(Pixel.scaled(color, by: mask[i]), target[i]) }
  }

  /// Mixes each pixel of two rows, one above the other, with the next one, by weights out of 256.
  func mix(
    _ target: Target, _ upper: Source, _ lower: Source, _ count: Int, fractionX: UInt32,
    fractionY: UInt32
  ) {
    if fractionX == 0, fractionY == 0 { return Self.copy(target, upper, count) }
    if let loops {
      return loops.pointee.mix(
        target, upper, lower, Int32(truncatingIfNeeded: count), fractionX, fractionY)
    }
    let (a, b, c, d) = Self.weights(fractionX, fractionY)
    let (w0, w1) = (UInt16(truncatingIfNeeded: a), UInt16(truncatingIfNeeded: b))
    let (w2, w3) = (UInt16(truncatingIfNeeded: c), UInt16(truncatingIfNeeded: d))
    let out = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt8.self)
    let above = UnsafeRawPointer(upper).assumingMemoryBound(to: UInt8.self)
    let below = UnsafeRawPointer(lower).assumingMemoryBound(to: UInt8.self)
    for i in 0..<count &* 4 {
      let sum =
        UInt16(above[i]) &* w0 &+ UInt16(above[i &+ 4]) &* w1 &+ UInt16(below[i]) &* w2
        &+ UInt16(below[i &+ 4]) &* w3 &+ 128
      out[i] = UInt8(truncatingIfNeeded: sum &>> 8)
    }
  }

  /// Mixes each pixel of some rows with its neighbours to the right, below and between the two, by
  /// weights out of 256, and paints the results times a factor from 0 to 255 over those of a
  /// target.
  func mixOver(
    _ target: Target, stride: Int, _ source: Source, sourceStride: Int, _ count: Int, rows: Int,
    fractionX: UInt32, fractionY: UInt32, opacity: UInt32
  ) {
    if let loops {
      return loops.pointee.mix_over(
        target, Int64(stride), source, Int64(sourceStride), Int32(truncatingIfNeeded: count),
        Int32(truncatingIfNeeded: rows), fractionX, fractionY, opacity)
    }
    let weights = Self.weights(fractionX, fractionY)
    for row in 0..<rows {
      let (first, upper) = (target + row &* stride, source + row &* sourceStride)
      let lower = upper + sourceStride
      for i in 0..<count {
        let pixel = Self.mix(upper[i], upper[i &+ 1], lower[i], lower[i &+ 1], weights)
        first[i] = Pixel.over(Pixel.scaled(pixel, by: opacity), first[i])
      }
    }
  }

  /// The same of one column, from a column of a source and the one to the right, which beyond an
  /// edge is the same.
  func mixColumnOver(
    _ target: Target, stride: Int, _ left: Source, _ right: Source, sourceStride: Int, rows: Int,
    fractionX: UInt32, fractionY: UInt32, opacity: UInt32
  ) {
    if let loops {
      return loops.pointee.mix_column_over(
        target, Int64(stride), left, right, Int64(sourceStride),
        Int32(truncatingIfNeeded: rows), fractionX, fractionY, opacity)
    }
    let weights = Self.weights(fractionX, fractionY)
    for row in 0..<rows {
      let (upper, lower) = (row &* sourceStride, (row &+ 1) &* sourceStride)
      let pixel = Self.mix(left[upper], right[upper], left[lower], right[lower], weights)
      let place = target + row &* stride
      place.pointee = Pixel.over(Pixel.scaled(pixel, by: opacity), place.pointee)
    }
  }

  /// Samples an 8-bit image between its pixels. Beyond its edges the image repeats them.
  func sample(_ target: Target, _ image: Texels, _ places: Places, _ count: Int) {
    let places = places.scaled(by: 256)
    if let loops, image.width > 1, image.height > 1 {
      var places = lamina_places(places)
      return loops.pointee.sample(
        target, image.bytes(0), Int32(truncatingIfNeeded: image.stride / 4),
        Int32(truncatingIfNeeded: image.width), Int32(truncatingIfNeeded: image.height), &places,
        Int32(truncatingIfNeeded: count))
    }
    for i in 0..<count {
      let (x, y) = places[i]
      target[i] = Self.sample(image, x, y)
    }
  }

  /// Neighbouring pixels of a row.
  typealias Part = lamina_part

  /// Paints such samples over parts of some rows of pixels, of which the next begins `stride`
  /// pixels later, times their coverage by a rectangle's edges, if there are any, and a factor from
  /// 0 to 255. The places and the edges are those of the first row's beginning. `pixels` is memory
  /// for a span of whole vectors.
  func sampleOver(
    _ target: Target, stride: Int, _ parts: UnsafeBufferPointer<Part>, _ image: Texels,
    _ places: Places, _ edges: EdgePlanes?, opacity: UInt32, through pixels: Target
  ) {
    guard let first = parts.baseAddress else { return }
    if let loops, image.width > 1, image.height > 1 {
      var places = lamina_places(places.scaled(by: 256))
      func paint(_ edges: UnsafePointer<lamina_edges>?) {
        loops.pointee.sample_over(
          target, Int64(stride), first, Int32(truncatingIfNeeded: parts.count), image.bytes(0),
          Int32(truncatingIfNeeded: image.stride / 4), Int32(truncatingIfNeeded: image.width),
          Int32(truncatingIfNeeded: image.height), &places, edges, opacity)
      }
      guard let edges else { return paint(nil) }
      return withUnsafePointer(to: lamina_edges(edges)) { paint($0) }
    }
    for (row, part) in parts.enumerated() {
      var place = Int(part.first)
      let end = place &+ Int(part.count)
      while place < end {
        let count = min(end &- place, Painter.spanLimit)
        let (column, y) = (places.column &+ place, places.row &+ row)
        var places = places
        (places.column, places.row) = (column, y)
        sample(pixels, image, places, count)
        if let edges {
          RowOfEdges(first: Float(column), start: edges.row(Float(y)), across: edges.across)
            .multiply(pixels, count)
        }
        over(target + row &* stride + place, pixels, count, opacity: opacity)
        place &+= count
      }
    }
  }

  /// Samples an 8-bit image between its pixels, at a place in 1/256 of a pixel from its corner.
  @inline(__always)
  static func sample(_ image: Texels, _ x: Float, _ y: Float) -> UInt32 {
    let (lastX, lastY) = (image.width &- 1, image.height &- 1)
    let placeX = place(x, Float(lastX) * 256)
    let placeY = place(y, Float(lastY) * 256)
    let (left, top) = (Int(placeX &>> 8), Int(placeY &>> 8))
    let right = left < lastX ? left &+ 1 : left
    let (upper, lower) = (image.bytes(top), image.bytes(top < lastY ? top &+ 1 : top))
    let weights = weights(UInt32(bitPattern: placeX & 255), UInt32(bitPattern: placeY & 255))
    return mix(upper[left], upper[right], lower[left], lower[right], weights)
  }

  /// The places at which pixels sample an image, from its corner.
  struct Places {
    /// The first pixel's, from the one from which the planes count.
    var column: Int
    var row: Int
    var x: Plane
    var y: Plane
    /// What the others are divided by, if there is perspective.
    var w: Plane?

    func scaled(by factor: Float) -> Places {
      func scaled(_ plane: Plane) -> Plane {
        Plane(
          across: plane.across * factor, down: plane.down * factor, start: plane.start * factor)
      }
      var result = self
      (result.x, result.y) = (scaled(x), scaled(y))
      return result
    }

    /// That of a pixel of the first row.
    @inline(__always)
    subscript(_ i: Int) -> (x: Float, y: Float) {
      let row = Float(Int32(truncatingIfNeeded: row))
      let column = Float(Int32(truncatingIfNeeded: column &+ i))
      let (x, y) = (x.row(row) + x.across * column, y.row(row) + y.across * column)
      guard let w else { return (x, y) }
      let depth = 1 / (w.row(row) + w.across * column)
      return (x * depth, y * depth)
    }
  }

  /// A coordinate in 1/256 of a pixel, from the first pixel's middle and not beyond the last one's.
  /// NaN counts as 0.
  @inline(__always)
  static func place(_ coordinate: Float, _ limit: Float) -> Int32 {
    let middle = coordinate - 128
    let least = middle > 0 ? middle : 0
    // Up to 2²² of them are exact, which is the largest image.
    return Pixel.whole(least < limit ? least : limit)
  }

  /// The weights of four neighbours, which add up to 256.
  @inline(__always)
  static func weights(_ x: UInt32, _ y: UInt32) -> (UInt32, UInt32, UInt32, UInt32) {
    let both = (x &* y &+ 128) &>> 8
    return (256 &- x &- y &+ both, x &- both, y &- both, both)
  }

  /// Mixes four neighbours by their weights.
  @inline(__always)
  static func mix(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32,
    _ weights: (UInt32, UInt32, UInt32, UInt32)
  ) -> UInt32 {
    // All four channels at once, in 16 bits each.
    @inline(__always)
    func spread(_ pixel: UInt32) -> UInt64 {
      UInt64(pixel & Pixel.pair) | UInt64(pixel &>> 8 & Pixel.pair) &<< 32
    }
    let sum =
      spread(a) &* UInt64(weights.0) &+ spread(b) &* UInt64(weights.1)
      &+ spread(c) &* UInt64(weights.2) &+ spread(d) &* UInt64(weights.3) &+ 0x0080_0080_0080_0080
    let bytes = sum &>> 8 & 0x00ff_00ff_00ff_00ff
    return UInt32(truncatingIfNeeded: bytes) | UInt32(truncatingIfNeeded: bytes &>> 32) &<< 8
  }
}

extension lamina_places {
  fileprivate init(_ places: PixelRows.Places) {
    self.init(
      column: Int32(truncatingIfNeeded: places.column),
      row: Int32(truncatingIfNeeded: places.row), x: lamina_plane(places.x),
      y: lamina_plane(places.y), w: lamina_plane(places.w ?? .zero),
      has_perspective: places.w != nil)
  }
}

extension lamina_plane {
  fileprivate init(_ plane: Plane) {
    self.init(start: plane.start, across: plane.across, down: plane.down)
  }
}

extension lamina_edges {
  fileprivate init(_ edges: EdgePlanes) {
    let (start, across, down) = (edges.start, edges.across, edges.down)
    self.init(
      start: (start.x, start.y, start.z, start.w),
      across: (across.x, across.y, across.z, across.w), down: (down.x, down.y, down.z, down.w))
  }
}
