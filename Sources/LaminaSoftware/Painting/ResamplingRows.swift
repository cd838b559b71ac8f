import LaminaFramePlan
import LaminaValues

extension Painter {
  /// Replaces 8-bit pixels by a source's at a quarter of its resolution, from six by six pixels
  /// weighted 1 3 4 4 3 1 in each direction.
  func paintQuartered(_ span: Span) {
    resampling.quarter(window(of: span, reducedBy: 4), into: span.bytes, span.count)
  }

  /// Replaces 8-bit pixels by a source's at half its resolution, from four by four pixels weighted
  /// 1 3 3 1 in each direction.
  func paintHalved(_ span: Span) {
    resampling.halve(window(of: span, reducedBy: 2), into: span.bytes, span.count)
  }

  /// The source from the pixel before those of the span's first one.
  private func window(of span: Span, reducedBy factor: Int) -> TexelWindow {
    let (x, y) = inTarget(span)
    let (left, top) = inSource(span, factor * x - 1, factor * y - 1)
    return TexelWindow(
      source: span.source, x: left, y: top, repeatsEdges: kernel(span).repeatsEdges)
  }

  /// Replaces 8-bit pixels by a source's at twice its resolution, interpolated linearly.
  func paintDoubled(_ span: Span) {
    let lift = UInt16(truncatingIfNeeded: kernel(span).lift)
    paintDoubled(span) { near, far, count in
      resampling.mixDoubled(near, far, rounding: 8 &+ lift, count)
    }
  }

  /// The same, rounded down after rows and again after columns were interpolated.
  func paintDoubledDown(_ span: Span) {
    paintDoubled(span) { resampling.mixDoubledDown($0, $1, $2) }
  }

  /// Replaces 8-bit pixels by a source's at four times its resolution, rounded down after rows and
  /// again after columns were interpolated.
  func paintQuadrupledDown(_ span: Span) {
    let (x, y) = inTarget(span)
    let (across, down) = (EnlargedPlace(of: x, bits: 3), EnlargedPlace(of: y, bits: 3))
    let (left, upper) = inSource(span, across.first, down.first)
    let window = TexelWindow(
      source: span.source, x: left, y: upper, repeatsEdges: kernel(span).repeatsEdges)
    resampling.quadrupleDown(window, across, down, into: span.bytes, span.count)
  }

  @inline(__always)
  private func paintDoubled(
    _ span: Span,
    _ mix: (_ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, _ count: Int) -> Void
  ) {
    let (x, y) = inTarget(span)
    let (nearX, nearY) = inSource(span, x >> 1, y >> 1)
    resampling.double(
      TexelWindow(
        source: span.source, x: nearX - 1, y: nearY, repeatsEdges: kernel(span).repeatsEdges),
      isRight: x & 1 == 1, isLower: y & 1 == 1, into: span.bytes, span.count, mix)
  }
}

/// The pixels of a source from one of them on. There is nothing beyond the source's edges, or their
/// pixels repeat.
struct TexelWindow {
  let source: Texels
  let x: Int
  let y: Int
  let repeatsEdges: Bool

  /// A row's first pixels, in place if the source has them all, otherwise copied to `memory`.
  func row(
    _ down: Int, _ count: Int, _ memory: UnsafeMutablePointer<UInt32>
  ) -> UnsafePointer<UInt32> {
    let row = y &+ down
    let isThere = row >= 0 && row < source.height
    if isThere, x >= 0, x &+ count <= source.width { return UnsafePointer(source.bytes(row) + x) }
    guard repeatsEdges || isThere else {
      memory.update(repeating: 0, count: count)
      return UnsafePointer(memory)
    }
    let pixels = source.bytes(clamped(row, source.height))
    let first = min(max(-x, 0), count)
    let end = min(max(source.width &- x, first), count)
    memory.update(repeating: repeatsEdges ? pixels[0] : 0, count: first)
    (memory + first).update(from: pixels + (x &+ first), count: end &- first)
    (memory + end).update(
      repeating: repeatsEdges ? pixels[source.width &- 1] : 0, count: count &- end)
    return UnsafePointer(memory)
  }
}

/// Rows of 8-bit pixels at other resolutions, in whole numbers: sums of weighted channels have 16
/// bits, and are rounded to 8 once, but by those that end in `Down`.
final class ResamplingRows {
  /// The most pixels of a source's row that a span needs.
  private static let limit = 4 * Painter.spanLimit + 2
  private let pixels: UnsafeMutablePointer<UInt32>
  private let sums: UnsafeMutablePointer<UInt16>

  init() {
    pixels = .allocate(capacity: 6 * Self.limit)
    pixels.initialize(repeating: 0, count: 6 * Self.limit)
    sums = .allocate(capacity: 4 * Self.limit)
    sums.initialize(repeating: 0, count: 4 * Self.limit)
  }

  deinit {
    pixels.deallocate()
    sums.deallocate()
  }

  /// A row of the window's source as bytes.
  private func bytes(_ window: TexelWindow, _ row: Int, _ count: Int) -> UnsafePointer<UInt8> {
    let place = window.row(row, count, pixels + row * Self.limit)
    return UnsafeRawPointer(place).assumingMemoryBound(to: UInt8.self)
  }

  /// Writes a row of pixels, each of six by six of the window's, weighted 1 3 4 4 3 1.
  func quarter(_ window: TexelWindow, into target: UnsafeMutablePointer<UInt32>, _ count: Int) {
    let columns = 4 * count + 2
    let (a, b) = (bytes(window, 0, columns), bytes(window, 1, columns))
    let (c, d) = (bytes(window, 2, columns), bytes(window, 3, columns))
    let (e, f) = (bytes(window, 4, columns), bytes(window, 5, columns))
    let sums = sums
    for i in 0..<4 * columns {
      let (outer, next) = (UInt16(a[i]) &+ UInt16(f[i]), UInt16(b[i]) &+ UInt16(e[i]))
      sums[i] = outer &+ next &* 3 &+ (UInt16(c[i]) &+ UInt16(d[i])) &* 4
    }
    let start = UnsafeRawPointer(sums)
    for i in 0..<count {
      /// The channels of one of six neighbours.
      func column(_ index: Int) -> SIMD4<UInt16> {
        start.load(fromByteOffset: 32 &* i &+ 8 &* index, as: SIMD4<UInt16>.self)
      }
      let (outer, next) = (column(0) &+ column(5), column(1) &+ column(4))
      let sum = outer &+ next &* 3 &+ (column(2) &+ column(3)) &* 4
      target[i] = Self.narrowed((sum &+ 128) &>> 8)
    }
  }

  /// Writes a row of pixels, each of four by four of the window's, weighted 1 3 3 1.
  func halve(_ window: TexelWindow, into target: UnsafeMutablePointer<UInt32>, _ count: Int) {
    let columns = 2 * count + 2
    let (a, b) = (bytes(window, 0, columns), bytes(window, 1, columns))
    let (c, d) = (bytes(window, 2, columns), bytes(window, 3, columns))
    let sums = sums
    for i in 0..<4 * columns {
      sums[i] = UInt16(a[i]) &+ UInt16(d[i]) &+ (UInt16(b[i]) &+ UInt16(c[i])) &* 3
    }
    let start = UnsafeRawPointer(sums)
    for i in 0..<count {
      /// The channels of one of four neighbours.
      func column(_ index: Int) -> SIMD4<UInt16> {
        start.load(fromByteOffset: 16 &* i &+ 8 &* index, as: SIMD4<UInt16>.self)
      }
      let sum = column(0) &+ column(3) &+ (column(1) &+ column(2)) &* 3
      target[i] = Self.narrowed((sum &+ 32) &>> 6)
    }
  }

  /// Writes a row of pixels between those of two of the window's rows. The first pixel is the left
  /// half of the window's second one, or its right half. `mix` is called with the row that is
  /// nearer, the one that is farther, and the number of pixels of which it mixes both halves.
  @inline(__always)
  func double(
    _ window: TexelWindow, isRight: Bool, isLower: Bool,
    into target: UnsafeMutablePointer<UInt32>, _ count: Int,
    _ mix: (_ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, _ count: Int) -> Void
  ) {
    let first = isRight ? 1 : 0
    let pairs = (first &+ count &+ 1) / 2
    let columns = pairs &+ 2
    let near = bytes(window, 0, columns)
    let far = UnsafeRawPointer(
      window.row(isLower ? 1 : -1, columns, pixels + Self.limit)
    ).assumingMemoryBound(to: UInt8.self)
    mix(near, far, pairs)
    let (left, right) = (pixels + 2 * Self.limit, pixels + 3 * Self.limit)
    if isRight { target[0] = right[0] }
    let whole = (count &- first) / 2
    let (out, from) = (target + first, first)
    for i in 0..<whole {
      out[2 &* i] = left[i &+ from]
      out[2 &* i &+ 1] = right[i &+ from]
    }
    if first &+ 2 &* whole < count { target[count &- 1] = left[whole &+ from] }
  }

  /// The halves of the pixels that are being doubled, as bytes.
  private var halves: (left: UnsafeMutablePointer<UInt8>, right: UnsafeMutablePointer<UInt8>) {
    func bytes(_ row: Int) -> UnsafeMutablePointer<UInt8> {
      UnsafeMutableRawPointer(pixels + row * Self.limit).assumingMemoryBound(to: UInt8.self)
    }
    return (bytes(2), bytes(3))
  }

  /// Interpolates linearly. `rounding` is added to sixteen times a channel.
  func mixDoubled(
    _ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, rounding: UInt16, _ count: Int
  ) {
    let (sums, (left, right)) = (sums, halves)
    for i in 0..<4 * (count &+ 2) { sums[i] = UInt16(near[i]) &* 3 &+ UInt16(far[i]) }
    for i in 0..<4 * count {
      let middle = sums[i &+ 4] &* 3 &+ rounding
      // What is lifted over 255 is 255.
      left[i] = UInt8(truncatingIfNeeded: min((middle &+ sums[i]) &>> 4, 255))
      right[i] = UInt8(truncatingIfNeeded: min((middle &+ sums[i &+ 8]) &>> 4, 255))
    }
  }

  /// Interpolates along rows, rounds down, interpolates between the two, and rounds down.
  func mixDoubledDown(
    _ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, _ count: Int
  ) {
    let (left, right) = halves
    @inline(__always)
    func mix(_ near: UInt16, _ far: UInt16) -> UInt16 { (near &* 3 &+ far) &>> 2 }
    for i in 0..<4 * count {
      let (upper, lower) = (UInt16(near[i &+ 4]), UInt16(far[i &+ 4]))
      left[i] = UInt8(
        truncatingIfNeeded: mix(mix(upper, UInt16(near[i])), mix(lower, UInt16(far[i]))))
      right[i] = UInt8(
        truncatingIfNeeded: mix(
          mix(upper, UInt16(near[i &+ 8])), mix(lower, UInt16(far[i &+ 8]))))
    }
  }

  /// Writes a row of pixels at four times the window's resolution, interpolated along its first two
  /// rows, rounded down, interpolated between the two, and rounded down.
  func quadrupleDown(
    _ window: TexelWindow, _ across: EnlargedPlace, _ down: EnlargedPlace,
    into target: UnsafeMutablePointer<UInt32>, _ count: Int
  ) {
    let last = across.last(of: count)
    let (upper, lower) = (bytes(window, 0, last &+ 2), bytes(window, 1, last &+ 2))
    let out = UnsafeMutableRawPointer(pixels + 2 * Self.limit)
    let weight = UInt16(truncatingIfNeeded: down.step)
    for i in 0...last {
      let (first, second) = (Self.quadrupled(upper + 4 &* i), Self.quadrupled(lower + 4 &* i))
      let mixed = (first &* (8 &- weight) &+ second &* weight) &>> 3
      out.storeBytes(
        of: SIMD16<UInt8>(truncatingIfNeeded: mixed), toByteOffset: 16 &* i,
        as: SIMD16<UInt8>.self)
    }
    let first = out.assumingMemoryBound(to: UInt32.self) + across.step / 2
    target.update(from: first, count: count)
  }

  /// The four pixels between one and the next one, each rounded down.
  @inline(__always)
  private static func quadrupled(_ pixel: UnsafePointer<UInt8>) -> SIMD16<UInt16> {
    func four(_ pixel: UnsafePointer<UInt8>) -> SIMD16<UInt16> {
      let channels = UnsafeRawPointer(pixel).loadUnaligned(as: SIMD4<UInt8>.self)
      let one = SIMD4<UInt16>(truncatingIfNeeded: channels)
      let two = SIMD8(lowHalf: one, highHalf: one)
      return SIMD16(lowHalf: two, highHalf: two)
    }
    let weights = SIMD16<UInt16>(1, 1, 1, 1, 3, 3, 3, 3, 5, 5, 5, 5, 7, 7, 7, 7)
    return (four(pixel) &* (8 &- weights) &+ four(pixel + 4) &* weights) &>> 3
  }

  /// A pixel from its channels.
  @inline(__always)
  private static func narrowed(_ channels: SIMD4<UInt16>) -> UInt32 {
    let wide = unsafeBitCast(channels, to: UInt64.self)
    let pairs = (wide | wide &>> 8) & 0x0000_ffff_0000_ffff
    return UInt32(truncatingIfNeeded: pairs | pairs &>> 16)
  }
}
