#if arch(x86_64)
  import CSpans
#endif
import Foundation

/// Painting rows of BGRA8 pixels.
///
/// The loops are plain ones, which the compiler turns into vector instructions that every processor
/// of the kind has. On x86-64 that is half of what most have: there `CSpans` has the same loops for
/// AVX2, with results that are equal to the bit.
struct PixelRows {
  typealias Target = UnsafeMutablePointer<UInt32>
  typealias Source = UnsafePointer<UInt32>

  /// Whether the loops of `CSpans` are used.
  let hasAVX2: Bool

  /// Whether this processor has AVX2 and `LAMINA_CPU=baseline` in the environment does not forbid
  /// its use.
  static let mayUseAVX2: Bool = {
    #if arch(x86_64)
      ProcessInfo.processInfo.environment["LAMINA_CPU"] != "baseline" && lamina_has_avx2()
    #else
      false
    #endif
  }()

  static func fill(_ target: Target, _ count: Int, _ color: UInt32) {
    target.update(repeating: color, count: count)
  }

  static func copy(_ target: Target, _ source: Source, _ count: Int) {
    target.update(from: source, count: count)
  }

  /// Paints a premultiplied colour over the pixels.
  func tint(_ target: Target, _ count: Int, _ color: UInt32) {
    #if arch(x86_64)
      if hasAVX2 { return lamina_tint_avx2(target, Int32(truncatingIfNeeded: count), color) }
    #endif
    for i in 0..<count { target[i] = Pixel.over(color, target[i]) }
  }

  /// Paints premultiplied pixels times a factor from 0 to 255 over others.
  func over(_ target: Target, _ source: Source, _ count: Int, opacity: UInt32 = 255) {
    #if arch(x86_64)
      if hasAVX2 {
        return lamina_over_avx2(target, source, Int32(truncatingIfNeeded: count), opacity)
      }
    #endif
    if opacity == 255 {
      for i in 0..<count { target[i] = Pixel.over(source[i], target[i]) }
      return
    }
    for i in 0..<count {
      target[i] = Pixel.over(Pixel.scaled(source[i], by: opacity), target[i])
    }
  }

  /// Paints a premultiplied colour, times a factor from 0 to 255 for each pixel, over the pixels.
  func mask(_ target: Target, _ mask: Source, _ count: Int, _ color: UInt32) {
    #if arch(x86_64)
      if hasAVX2 { return lamina_mask_avx2(target, mask, Int32(truncatingIfNeeded: count), color) }
    #endif
    for i in 0..<count { target[i] = Pixel.over(Pixel.scaled(color, by: mask[i]), target[i]) }
  }

  /// Mixes each pixel of two rows, one above the other, with the next one, by weights out of 256.
  func mix(
    _ target: Target, _ upper: Source, _ lower: Source, _ count: Int, fractionX: UInt32,
    fractionY: UInt32
  ) {
    #if arch(x86_64)
      if hasAVX2 {
        return lamina_mix_avx2(
          target, upper, lower, Int32(truncatingIfNeeded: count), fractionX, fractionY)
      }
    #endif
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

  /// Samples an 8-bit image between its pixels, at places in pixels from its corner. Beyond its edges
  /// the image repeats them.
  func sample(
    _ target: Target, _ image: Texels, x: UnsafePointer<Float>, y: UnsafePointer<Float>,
    _ count: Int
  ) {
    let (width, height) = (Int32(truncatingIfNeeded: image.width), Int32(truncatingIfNeeded: image.height))
    #if arch(x86_64)
      if hasAVX2, width > 1 {
        return lamina_sample_avx2(
          target, image.bytes(0), Int32(truncatingIfNeeded: image.stride / 4), width, height, x, y,
          Int32(truncatingIfNeeded: count))
      }
    #endif
    let (limitX, limitY) = (Float(width &- 1), Float(height &- 1))
    for i in 0..<count {
      let placeX = Self.place(x[i], limitX)
      let placeY = Self.place(y[i], limitY)
      let (left, top) = (placeX &>> 8, placeY &>> 8)
      let right = left &+ 1 < width ? left &+ 1 : left
      let bottom = top &+ 1 < height ? top &+ 1 : top
      let (upper, lower) = (image.bytes(Int(top)), image.bytes(Int(bottom)))
      let weights = Self.weights(
        UInt32(bitPattern: placeX & 255), UInt32(bitPattern: placeY & 255))
      target[i] = Self.mix(
        upper[Int(left)], upper[Int(right)], lower[Int(left)], lower[Int(right)], weights)
    }
  }

  /// A coordinate in 1/256 of a pixel from the first pixel's middle, within the image. NaN counts
  /// as 0.
  @inline(__always)
  static func place(_ coordinate: Float, _ limit: Float) -> Int32 {
    let middle = coordinate - 0.5
    let least = middle > 0 ? middle : 0
    let most = least < limit ? least : limit
    // Up to 2²² of them are exact, which is the largest image.
    return Pixel.whole(most * 256)
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
