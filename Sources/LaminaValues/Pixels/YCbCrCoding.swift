/// How pixels are coded as brightness and two differences of colour, as video is: by the standard's
/// matrix, and in what range of bytes. The raw value is the wire code; 0 stands for none.
public enum YCbCrCoding: UInt8, Sendable, CaseIterable {
  /// Standard definition. Brightness is 16 to 235, differences are 16 to 240.
  case bt601 = 1
  /// The same with all values of a byte, as in JPEG.
  case bt601FullRange
  /// High definition.
  case bt709
  /// High definition, with all values of a byte.
  case bt709FullRange
  /// Ultra-high definition.
  case bt2020
  /// Ultra-high definition, with all values of a byte.
  case bt2020FullRange
}

extension YCbCrCoding {
  /// What a byte of brightness and a sixteenth of one of colour difference add to the channels, in
  /// units of 2⁻¹⁶.
  fileprivate struct Weights {
    var black: Int32
    var brightness: Int32
    var redByCr: Int32
    var greenByCb: Int32
    var greenByCr: Int32
    var blueByCb: Int32

    init(red: Double, blue: Double, isFullRange: Bool) {
      let (green, range) = (1 - red - blue, isFullRange ? 1 : 255.0 / 224)
      black = isFullRange ? 0 : 16
      brightness = Self.fixed(isFullRange ? 1 : 255.0 / 219)
      redByCr = Self.fixed(2 * (1 - red) * range / 16)
      blueByCb = Self.fixed(2 * (1 - blue) * range / 16)
      greenByCr = Self.fixed(-2 * (1 - red) * red / green * range / 16)
      greenByCb = Self.fixed(-2 * (1 - blue) * blue / green * range / 16)
    }

    private static func fixed(_ weight: Double) -> Int32 { Int32((weight * 65536).rounded()) }
  }

  private var weights: Weights {
    switch self {
    case .bt601: Weights(red: 0.299, blue: 0.114, isFullRange: false)
    case .bt601FullRange: Weights(red: 0.299, blue: 0.114, isFullRange: true)
    case .bt709: Weights(red: 0.2126, blue: 0.0722, isFullRange: false)
    case .bt709FullRange: Weights(red: 0.2126, blue: 0.0722, isFullRange: true)
    case .bt2020: Weights(red: 0.2627, blue: 0.0593, isFullRange: false)
    case .bt2020FullRange: Weights(red: 0.2627, blue: 0.0593, isFullRange: true)
    }
  }

  /// Decodes a part of an image, in integers, so that the result is the same everywhere: BGRA8,
  /// with full alpha, in rows that begin `stride` pixels apart. Colour differences, of which four
  /// pixels share one pair, are interpolated between the centres of these squares, as a GPU samples
  /// such a plane.
  ///
  /// `bytes` must hold the image of `layout`, which must be valid, and `region` must lie in it.
  package static func decode(
    _ region: PixelRect, of bytes: UnsafeRawBufferPointer, _ layout: PixelLayout,
    by coding: YCbCrCoding, into pixels: UnsafeMutablePointer<UInt32>, stride: Int
  ) {
    guard let base = bytes.baseAddress, !region.isEmpty else { return }
    let weights = coding.weights
    let (pairs, lastRow) = ((layout.width + 1) / 2, (layout.height + 1) / 2 - 1)
    let brightness = base.assumingMemoryBound(to: UInt8.self)
    let differences = brightness + layout.height * layout.stride
    let columns = pairs * 2
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: (pairs + columns) * 2) { scratch in
      let cb = scratch.baseAddress! + pairs * 2
      let cr = cb + columns
      for y in region.minY..<region.maxY {
        let near = y / 2
        let far = min(max(near + (y & 1 == 0 ? -1 : 1), 0), lastRow)
        interpolate(
          differences + near * layout.stride, differences + far * layout.stride, pairs,
          scratch.baseAddress!, cb, cr)
        weights.decode(
          brightness + y * layout.stride, cb, cr, region.minX..<region.maxX,
          into: pixels + (y - region.minY) * stride)
      }
    }
  }

  /// Interpolates a row of differences, in sixteenths, and takes the pairs apart. `scratch` has
  /// room for the row before it is widened.
  @inline(__always)
  private static func interpolate(
    _ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, _ pairs: Int,
    _ scratch: UnsafeMutablePointer<Int32>, _ cb: UnsafeMutablePointer<Int32>,
    _ cr: UnsafeMutablePointer<Int32>
  ) {
    let (narrowCb, narrowCr) = (scratch, scratch + pairs)
    for pair in 0..<pairs {
      narrowCb[pair] = Int32(near[pair &* 2]) &* 3 &+ Int32(far[pair &* 2])
      narrowCr[pair] = Int32(near[pair &* 2 &+ 1]) &* 3 &+ Int32(far[pair &* 2 &+ 1])
    }
    widen(narrowCb, pairs, to: cb)
    widen(narrowCr, pairs, to: cr)
  }

  @inline(__always)
  private static func widen(
    _ narrow: UnsafePointer<Int32>, _ pairs: Int, to wide: UnsafeMutablePointer<Int32>
  ) {
    for pair in 0..<pairs {
      let middle = narrow[pair] &* 3 &- 2048
      wide[pair &* 2] = middle &+ narrow[max(pair &- 1, 0)]
      wide[pair &* 2 &+ 1] = middle &+ narrow[min(pair &+ 1, pairs &- 1)]
    }
  }
}

extension YCbCrCoding.Weights {
  /// Decodes pixels of a row. The differences are in sixteenths, 0 for none.
  @inline(__always)
  fileprivate func decode(
    _ row: UnsafePointer<UInt8>, _ cb: UnsafePointer<Int32>, _ cr: UnsafePointer<Int32>,
    _ columns: Range<Int>, into pixels: UnsafeMutablePointer<UInt32>
  ) {
    for place in 0..<columns.count {
      let x = columns.lowerBound &+ place
      let light = (Int32(row[x]) &- black) &* brightness &+ 0x8000
      let red = Self.byte(light &+ cr[x] &* redByCr)
      let green = Self.byte(light &+ cb[x] &* greenByCb &+ cr[x] &* greenByCr)
      let blue = Self.byte(light &+ cb[x] &* blueByCb)
      pixels[place] = (0xff00_0000 | red << 16 | green << 8 | blue).littleEndian
    }
  }

  @inline(__always)
  private static func byte(_ sum: Int32) -> UInt32 {
    UInt32(truncatingIfNeeded: min(max(sum >> 16, 0), 255))
  }
}
