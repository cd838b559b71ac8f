import LaminaFramePlan
import LaminaValues

/// Blurs along a line, and changes of resolution. Target and source have places in pixels of their
/// own resolutions.
extension Painter {
  /// The span's first pixel, in the target's pixels as they are counted in its space.
  func inTarget(_ span: Span) -> (x: Int, y: Int) {
    (span.x &+ Int(span.brush.pointee.placeX), span.y &+ Int(span.brush.pointee.placeY))
  }

  /// A pixel of the source's space, from the source's first.
  func inSource(_ span: Span, _ x: Int, _ y: Int) -> (x: Int, y: Int) {
    let brush = span.brush
    return (
      x &- Int(brush.pointee.placeX &- brush.pointee.offsetX),
      y &- Int(brush.pointee.placeY &- brush.pointee.offsetY)
    )
  }

  func kernel(_ span: Span) -> BlurKernel {
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
    liftColor(span)
  }

  /// Adds the kernel's lift to the colour.
  private func liftColor(_ span: Span) {
    let lift = kernel(span).lift
    if lift != 0 { color.add(Float(lift) / (16 * 255), span.count) }
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
    color.set(SIMD4(color.red[0], color.green[0], color.blue[0], color.alpha[0]), count)
  }

  /// The source at a quarter of its resolution, from six by six pixels weighted 1 3 4 4 3 1 in each
  /// direction.
  func findQuarteredColor(_ span: Span) {
    let weights: [Float] = [0.0625, 0.1875, 0.25, 0.25, 0.1875, 0.0625]
    findReducedColor(span, by: 4, weights) { $0.quarter($1, $2) }
  }

  /// The source at half its resolution, from four by four pixels weighted 1 3 3 1 in each
  /// direction.
  func findHalvedColor(_ span: Span) {
    findReducedColor(span, by: 2, [0.125, 0.375, 0.375, 0.125]) { $0.halve($1, $2) }
  }

  /// Mixes as many rows as there are weights, and then, by `mix`, their columns.
  private func findReducedColor(
    _ span: Span, by factor: Int, _ weights: [Float],
    _ mix: (_ color: ColorNumbers, _ row: ColorNumbers, _ count: Int) -> Void
  ) {
    let repeats = kernel(span).repeatsEdges
    let (x, y) = inTarget(span)
    let (left, top) = inSource(span, factor * x - 1, factor * y - 1)
    // A span has no room for so many times its pixels.
    let most = Self.spanLimit / factor - 1
    for start in stride(from: 0, to: span.count, by: most) {
      let count = min(most, span.count - start)
      let (first, columns) = (left + factor * start, factor * count + 2)
      read(span.source, x: first, y: top, columns, repeatsEdges: repeats, into: other)
      other.scale(by: weights[0], columns)
      for (down, weight) in weights.enumerated().dropFirst() {
        read(span.source, x: first, y: top + down, columns, repeatsEdges: repeats, into: spare)
        other.mix(1, with: spare, weight, columns)
      }
      mix(color.dropping(start), other, count)
    }
  }

  /// The source at twice its resolution, interpolated linearly.
  func findDoubledColor(_ span: Span) {
    let repeats = kernel(span).repeatsEdges
    let (x, y) = inTarget(span)
    let (nearX, nearY) = inSource(span, x >> 1, y >> 1)
    // Of the first pixel's neighbours, to those of the last one.
    let count = ((x & 1) + span.count - 1) / 2 + 3
    let farY = nearY + (y & 1) * 2 - 1
    read(span.source, x: nearX - 1, y: nearY, count, repeatsEdges: repeats, into: other)
    read(span.source, x: nearX - 1, y: farY, count, repeatsEdges: repeats, into: spare)
    other.mix(0.75, with: spare, 0.25, count)
    color.double(other, from: x & 1, span.count)
    liftColor(span)
  }

  /// The source at twice its resolution or at four times, interpolated linearly, rounded down to a
  /// 255th after rows and again after columns were. From pixel to pixel there are so many `bits` of
  /// steps.
  func findEnlargedDownColor(_ span: Span, bits: Int) {
    let repeats = kernel(span).repeatsEdges
    let (x, y) = inTarget(span)
    let (across, down) = (EnlargedPlace(of: x, bits: bits), EnlargedPlace(of: y, bits: bits))
    let (left, upper) = inSource(span, across.first, down.first)
    let count = across.last(of: span.count) + 2
    read(span.source, x: left, y: upper, count, repeatsEdges: repeats, into: other)
    color.enlargeDown(other, from: across, span.count)
    read(span.source, x: left, y: upper + 1, count, repeatsEdges: repeats, into: spare)
    other.enlargeDown(spare, from: across, span.count)
    color.mixDown(with: other, Float(down.step) / Float(1 << bits), span.count)
  }
}

/// A channel between two that are whole 255ths, rounded down to one.
@inline(__always)
private func between(_ first: Float, _ second: Float, _ weight: Float) -> Float {
  let (first, second) = ((first * 255).rounded(), (second * 255).rounded())
  return (first + (second - first) * weight).rounded(.down) / 255
}

extension ColorNumbers {
  /// Mixes six neighbours each to one at a quarter of the resolution.
  fileprivate func quarter(_ row: ColorNumbers, _ count: Int) {
    func quarter(_ to: Painter.Numbers, _ from: Painter.Numbers) {
      for i in 0..<count {
        let at = from + 4 * i
        to[i] =
          (at[0] + at[5]) * 0.0625 + (at[1] + at[4]) * 0.1875 + (at[2] + at[3]) * 0.25
      }
    }
    quarter(red, row.red)
    quarter(green, row.green)
    quarter(blue, row.blue)
    quarter(alpha, row.alpha)
  }

  /// Interpolates a row at a higher resolution, rounding down. The first pixel is between the row's
  /// first two.
  fileprivate func enlargeDown(_ row: ColorNumbers, from first: EnlargedPlace, _ count: Int) {
    let steps = 1 << first.bits
    func enlarge(_ to: Painter.Numbers, _ from: Painter.Numbers) {
      for i in 0..<count {
        let step = first.step + 2 * i
        let left = from + step >> first.bits
        to[i] = between(left[0], left[1], Float(step & (steps - 1)) / Float(steps))
      }
    }
    enlarge(red, row.red)
    enlarge(green, row.green)
    enlarge(blue, row.blue)
    enlarge(alpha, row.alpha)
  }

  /// Mixes the colours with others, which have that weight, rounding down.
  fileprivate func mixDown(with other: ColorNumbers, _ weight: Float, _ count: Int) {
    for i in 0..<count { red[i] = between(red[i], other.red[i], weight) }
    for i in 0..<count { green[i] = between(green[i], other.green[i], weight) }
    for i in 0..<count { blue[i] = between(blue[i], other.blue[i], weight) }
    for i in 0..<count { alpha[i] = between(alpha[i], other.alpha[i], weight) }
  }

  /// Mixes four neighbours each to one at half the resolution.
  fileprivate func halve(_ row: ColorNumbers, _ count: Int) {
    func halve(_ to: Painter.Numbers, _ from: Painter.Numbers) {
      for i in 0..<count {
        let at = from + 2 * i
        to[i] = (at[0] + at[3]) * 0.125 + (at[1] + at[2]) * 0.375
      }
    }
    halve(red, row.red)
    halve(green, row.green)
    halve(blue, row.blue)
    halve(alpha, row.alpha)
  }

  /// Interpolates a row at twice the resolution. `first` is 0 for the left half of the row's second
  /// pixel, 1 for its right half.
  fileprivate func double(_ row: ColorNumbers, from first: Int, _ count: Int) {
    func double(_ to: Painter.Numbers, _ from: Painter.Numbers) {
      for i in 0..<count {
        let near = (first + i) >> 1 + 1
        to[i] = from[near] * 0.75 + from[near + ((first + i) & 1) * 2 - 1] * 0.25
      }
    }
    double(red, row.red)
    double(green, row.green)
    double(blue, row.blue)
    double(alpha, row.alpha)
  }
}
