/// Arithmetic on BGRA8 pixels in integers, two channels at a time.
///
/// Products are divided by 255 and rounded to the nearest, as devices with 8-bit targets do.
enum Pixel {
  /// A pixel's blue and red, or its green and alpha, in 16 bits each.
  static let pair: UInt32 = 0x00ff_00ff

  /// Both channels of a pair times a factor from 0 to 255.
  @inline(__always)
  static func scaled(pair: UInt32, by factor: UInt32) -> UInt32 {
    let product = pair &* factor &+ 0x0080_0080
    return (product &+ ((product &>> 8) & Pixel.pair)) &>> 8 & Pixel.pair
  }

  @inline(__always)
  static func scaled(_ pixel: UInt32, by factor: UInt32) -> UInt32 {
    scaled(pair: pixel & pair, by: factor) | scaled(pair: pixel &>> 8 & pair, by: factor) &<< 8
  }

  /// Four pixels, each times its factor from 0 to 255.
  @inline(__always)
  static func scaled(_ pixels: SIMD4<UInt32>, by factors: SIMD4<UInt32>) -> SIMD4<UInt32> {
    let pair = SIMD4(repeating: Pixel.pair)
    let both = unsafeBitCast(factors | factors &<< 16, to: SIMD8<UInt16>.self)
    @inline(__always)
    func scaled(_ pairs: SIMD4<UInt32>) -> SIMD4<UInt32> {
      let products = unsafeBitCast(pairs, to: SIMD8<UInt16>.self) &* both &+ 128
      return unsafeBitCast((products &+ products &>> 8) &>> 8, to: SIMD4<UInt32>.self)
    }
    return scaled(pixels & pair) | scaled(pixels &>> 8 & pair) &<< 8
  }

  /// A premultiplied pixel over another. Channels that are greater than alpha may add up to more
  /// than 255, which counts as 255.
  @inline(__always)
  static func over(_ source: UInt32, _ target: UInt32) -> UInt32 {
    let rest = 255 &- source &>> 24
    return sum(source & pair, scaled(pair: target & pair, by: rest))
      | sum(source &>> 8 & pair, scaled(pair: target &>> 8 & pair, by: rest)) &<< 8
  }

  /// The sum of two pairs; channels end at 255.
  @inline(__always)
  private static func sum(_ a: UInt32, _ b: UInt32) -> UInt32 {
    let sum = a &+ b
    return (sum | (sum &>> 8 & 0x0001_0001) &* 255) & pair
  }

  /// RGBA8 as BGRA8, or the other way round.
  @inline(__always)
  static func swapped(_ pixel: UInt32) -> UInt32 {
    pixel & 0xff00_ff00 | pixel &<< 16 & 0xff_0000 | pixel &>> 16 & 0xff
  }

  /// A channel from 0 to 1, in steps of 1/255. NaN counts as 0.
  @inline(__always)
  static func byte(_ channel: Float) -> UInt32 {
    let least = channel > 0 ? channel : 0
    let most = least < 1 ? least : 1
    // Adding 3 · 2²² leaves the rounded number in the lowest bits.
    return (most * 255 + 12_582_912).bitPattern & 255
  }

  /// Four channels from 0 to 1, in steps of 1/255.
  @inline(__always)
  static func bytes(_ channels: SIMD4<Float>) -> SIMD4<UInt32> {
    unsafeBitCast(channels * 255 + 12_582_912, to: SIMD4<UInt32>.self) & 255
  }

  /// A whole number that a float is rounded to; the float must be less than 2²² from 0.
  @inline(__always)
  static func whole(_ number: Float) -> Int32 {
    Int32(bitPattern: (number + 12_582_912).bitPattern) &- 0x4b40_0000
  }
}
