/// Painting rows of BGRA8 pixels. The loops are plain ones, which the compiler turns into vector
/// instructions.
enum PixelRows {
  typealias Target = UnsafeMutablePointer<UInt32>
  typealias Source = UnsafePointer<UInt32>

  static func fill(_ target: Target, _ count: Int, _ color: UInt32) {
    for i in 0..<count { target[i] = color }
  }

  /// Paints a premultiplied colour over the pixels.
  static func tint(_ target: Target, _ count: Int, _ color: UInt32) {
    let rest = 255 &- color &>> 24
    for i in 0..<count { target[i] = color &+ Pixel.scaled(target[i], by: rest) }
  }

  /// Paints premultiplied pixels over others.
  static func over(_ target: Target, _ source: Source, _ count: Int) {
    for i in 0..<count { target[i] = Pixel.over(source[i], target[i]) }
  }

  /// Paints pixels times a factor from 0 to 255 over others.
  static func over(_ target: Target, _ source: Source, _ count: Int, opacity: UInt32) {
    for i in 0..<count {
      target[i] = Pixel.over(Pixel.scaled(source[i], by: opacity), target[i])
    }
  }

  static func copy(_ target: Target, _ source: Source, _ count: Int) {
    target.update(from: source, count: count)
  }

  /// Mixes each pixel of two rows, one above the other, with the next one, by weights out of 256.
  static func mix(
    _ target: Target, _ upper: Source, _ lower: Source, _ count: Int, fractionX: UInt32,
    fractionY: UInt32
  ) {
    let (a, b, c, d) = weights(fractionX, fractionY)
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
