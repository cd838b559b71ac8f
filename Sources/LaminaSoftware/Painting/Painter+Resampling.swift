import LaminaFramePlan
import LaminaValues

/// Blurs along a line, and changes of resolution. Target and source have places in pixels of their
/// own resolutions.
extension Painter {
  /// The span's first pixel, in the target's pixels as they are counted in its space.
  private func inTarget(_ span: Span) -> (x: Int, y: Int) {
    (span.x &+ Int(span.brush.pointee.placeX), span.y &+ Int(span.brush.pointee.placeY))
  }

  /// A pixel of the source's space, from the source's first.
  private func inSource(_ span: Span, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
    let brush = span.brush
    return (
      x &- Int(brush.pointee.placeX &- brush.pointee.offsetX),
      y &- Int(brush.pointee.placeY &- brush.pointee.offsetY)
    )
  }

  private func kernel(_ span: Span) -> BlurKernel {
    span.tables.items.pointee.kernels[Int(span.brush.pointee.parameters)]
  }

  /// The source under a Gaussian along a line.
  func findBlurredColor(_ span: Span) {
    let kernel = kernel(span)
    let brush = span.brush
    let (x, y) = (span.x &+ Int(brush.pointee.offsetX), span.y &+ Int(brush.pointee.offsetY))
    let (scale, center) = (-0.5 / (kernel.sigma * kernel.sigma), kernel.center)
    /// The weight of a tap.
    func weight(_ tap: Double) -> Float {
      Float(PortableMath.exponential(scale * (tap - center) * (tap - center)))
    }
    var total = weight(0)
    addTap(span, x: Double(x), y: Double(y), kernel, weight: total, isFirst: true)
    for tap in 1..<max(kernel.taps + 1, 1) {
      let (after, before) = (weight(Double(tap)), weight(-Double(tap)))
      let (stepX, stepY) = (Double(tap) * kernel.step.x, Double(tap) * kernel.step.y)
      addTap(span, x: Double(x) + stepX, y: Double(y) + stepY, kernel, weight: after)
      addTap(span, x: Double(x) - stepX, y: Double(y) - stepY, kernel, weight: before)
      total += after + before
    }
    color.scale(by: 1 / total, span.count)
  }

  /// Adds the source's pixels, moved by a tap, to the colour.
  private func addTap(
    _ span: Span, x: Double, y: Double, _ kernel: BlurKernel, weight: Float, isFirst: Bool = false
  ) {
    readTap(span.source, x: x, y: y, span.count, repeatsEdges: kernel.repeatsEdges)
    if isFirst {
      color.mix(0, with: other, weight, span.count)
    } else {
      color.mix(1, with: other, weight, span.count)
    }
  }

  /// Reads neighbouring pixels that may lie between the source's. There is nothing beyond the
  /// source's edges, or their pixels repeat.
  private func readTap(_ source: Texels, x: Double, y: Double, _ count: Int, repeatsEdges: Bool) {
    // No kernel reaches so far.
    let (left, top) = (
      max(min(x, 1e6), -1e6).rounded(.down), max(min(y, 1e6), -1e6).rounded(.down)
    )
    let fractionX = Float(((x - left) * 256).rounded()) / 256
    let fractionY = Float(((y - top) * 256).rounded()) / 256
    read(source, x: Int(left), y: Int(top), count, repeatsEdges: repeatsEdges, into: other)
    if fractionX > 0 {
      read(source, x: Int(left) + 1, y: Int(top), count, repeatsEdges: repeatsEdges, into: spare)
      other.mix(1 - fractionX, with: spare, fractionX, count)
    }
    guard fractionY > 0 else { return }
    other.scale(by: 1 - fractionY, count)
    read(source, x: Int(left), y: Int(top) + 1, count, repeatsEdges: repeatsEdges, into: spare)
    other.mix(1, with: spare, fractionY * (1 - fractionX), count)
    guard fractionX > 0 else { return }
    read(source, x: Int(left) + 1, y: Int(top) + 1, count, repeatsEdges: repeatsEdges, into: spare)
    other.mix(1, with: spare, fractionY * fractionX, count)
  }

  /// Reads neighbouring pixels of a row.
  private func read(
    _ source: Texels, x: Int, y: Int, _ count: Int, repeatsEdges: Bool, into color: ColorNumbers
  ) {
    guard repeatsEdges else {
      read(source, x: x, y: y, count, into: color)
      return
    }
    let row = clamped(y, source.height)
    read(source, x: x, y: row, count, into: color)
    let before = min(max(-x, 0), count)
    let after = min(max(source.width &- x, before), count)
    if before > 0 { repeatPixel(source, 0, row, before, into: color) }
    if after < count {
      repeatPixel(source, source.width &- 1, row, count &- after, into: color.dropping(after))
    }
  }

  private func repeatPixel(
    _ source: Texels, _ x: Int, _ y: Int, _ count: Int, into color: ColorNumbers
  ) {
    read(source, x: x, y: y, 1, into: color)
    color.set([color.red[0], color.green[0], color.blue[0], color.alpha[0]], count)
  }

  /// The source at half its resolution, from four by four pixels weighted 1 3 3 1 in each direction.
  func findHalvedColor(_ span: Span) {
    let repeats = kernel(span).repeatsEdges
    let weights: (Float, Float, Float, Float) = (0.125, 0.375, 0.375, 0.125)
    let (x, y) = inTarget(span)
    let (left, top) = inSource(span, 2 * x - 1, 2 * y - 1)
    color.set(.zero, span.count)
    for (down, weight) in [weights.0, weights.1, weights.2, weights.3].enumerated() {
      // Every second pixel: more than a span has room for, so pixel by pixel.
      for i in 0..<span.count {
        let first = left + 2 * i
        func add(_ across: Int, _ factor: Float) {
          let pixel = pixel(span.source, first + across, top + down, repeatsEdges: repeats)
          color.red[i] += pixel.x * factor
          color.green[i] += pixel.y * factor
          color.blue[i] += pixel.z * factor
          color.alpha[i] += pixel.w * factor
        }
        add(0, weights.0 * weight)
        add(1, weights.1 * weight)
        add(2, weights.2 * weight)
        add(3, weights.3 * weight)
      }
    }
  }

  /// The source at twice its resolution, interpolated linearly.
  func findDoubledColor(_ span: Span) {
    let repeats = kernel(span).repeatsEdges
    let (x, y) = inTarget(span)
    for i in 0..<span.count {
      let (nearX, nearY) = inSource(span, (x + i) >> 1, y >> 1)
      let farX = nearX + ((x + i) & 1) * 2 - 1
      let farY = nearY + (y & 1) * 2 - 1
      func at(_ x: Int, _ y: Int) -> SIMD4<Float> {
        pixel(span.source, x, y, repeatsEdges: repeats)
      }
      let sides = at(nearX, farY) + at(farX, nearY)
      let result = at(nearX, nearY) * 0.5625 + at(farX, farY) * 0.0625 + sides * 0.1875
      color.red[i] = result.x
      color.green[i] = result.y
      color.blue[i] = result.z
      color.alpha[i] = result.w
    }
  }

  /// A pixel of the source; beyond its edges, nothing or the nearest one.
  @inline(__always)
  private func pixel(
    _ source: Texels, _ x: Int, _ y: Int, repeatsEdges: Bool
  ) -> SIMD4<Float> {
    let (column, row) = (clamped(x, source.width), clamped(y, source.height))
    guard repeatsEdges || column == x && row == y else { return .zero }
    switch source.format {
    case .bgra8:
      let pixel = source.bytes(row)[column]
      func level(_ byte: UInt32) -> Float { Float(Int32(bitPattern: byte & 255)) * (1 / 255) }
      return [level(pixel &>> 16), level(pixel &>> 8), level(pixel), level(pixel &>> 24)]
    case .rgba16f:
      let pixel = source.floats(row) + column &* 4
      return [pixel[0], pixel[1], pixel[2], pixel[3]]
    case .a8:
      let level = Float(source.row(row).load(fromByteOffset: column, as: UInt8.self)) * (1 / 255)
      return SIMD4(repeating: level)
    }
  }
}
