import LaminaFramePlan
import LaminaValues

/// A program's stages: the colour, what it is multiplied by, and blending.
extension Painter {
  func paintProgram(_ span: Span) {
    let brush = span.brush
    let program = brush.pointee.program
    switch program.basic {
    case .colorMatrix: findMatrixColor(span)
    case .gaussian: findBlurredColor(span)
    case .halved: findHalvedColor(span)
    case .quartered: findQuarteredColor(span)
    case .doubled: findDoubledColor(span)
    case .doubledDown: findEnlargedDownColor(span, bits: 2)
    case .quadrupledDown: findEnlargedDownColor(span, bits: 3)
    case .groupMix: findMixedColor(span)
    case .blended:
      findColor(span)
      multiplyByOwnPixels(span)
      readOwnPixels(span, second: true, into: other)
      blendByFormula(span)
    default:
      findColor(span)
      findCoverage(span, program.basic)
      multiplyBySource(span, program.basic)
      color.multiply(by: coverage, span.count)
    }
    store(span)
  }

  private func findColor(_ span: Span) {
    let brush = span.brush
    let ramp = brush.pointee.ramp
    guard ramp < 0 else {
      let planes = span.tables.ramps + Int(ramp)
      findDepth(span)
      writeOfLayer(planes[0], to: color.red, span)
      writeOfLayer(planes[1], to: color.green, span)
      writeOfLayer(planes[2], to: color.blue, span)
      writeOfLayer(planes[3], to: color.alpha, span)
      return
    }
    color.set(brush.pointee.color, span.count)
  }

  /// Paints the brush's colour, which is the same everywhere, times its coverage over the target.
  func paintMasked(_ span: Span) {
    if span.brush.pointee.program == .coverage {
      findSourcePlaces(span)
      sampleCoverage(
        span.source, isNearest: span.brush.pointee.isNearest, span.count, into: coverage)
    } else {
      findCoverage(span, span.brush.pointee.program.basic)
    }
    let (pixels, coverage) = (pixels, coverage)
    for i in 0..<span.count { pixels[i] = Pixel.byte(coverage[i]) }
    rows.mask(span.bytes, pixels, span.count, span.brush.pointee.pixel)
  }

  func findCoverage(_ span: Span, _ program: FramePlan.Program) {
    switch program {
    case .solidEdges, .imageEdges, .groupEdges: coverEdges(span)
    case .rounded, .roundedImage, .groupRounded, .roundedBorder, .radial, .conic:
      coverOutline(span)
    case _ where program.isShadow: coverShadow(span)
    case .groupMasked:
      readOwnPixels(span, second: true, into: other)
      coverage.update(from: other.alpha, count: span.count)
    case .alpha:
      readOwnPixels(span, second: false, into: other)
      coverage.update(from: other.alpha, count: span.count)
    default: coverage.update(repeating: 1, count: span.count)
    }
  }

  private func multiplyBySource(_ span: Span, _ program: FramePlan.Program) {
    switch program {
    case .plainImage, .image, .coverage, .imageEdges, .roundedImage: findSourcePlaces(span)
    case .radial, .conic: findRampPlaces(span, isConic: program == .conic)
    case .group, .groupEdges, .groupRounded, .groupMasked:
      multiplyByOwnPixels(span)
      return
    default: return
    }
    sample(span)
    color.multiply(by: other, span.count)
  }

  private func multiplyByOwnPixels(_ span: Span) {
    readOwnPixels(span, second: false, into: other)
    color.multiply(by: other, span.count)
  }

  /// The places in a ramp, by the length of a place in a gradient or by its angle in turns.
  private func findRampPlaces(_ span: Span, isConic: Bool) {
    findSourcePlaces(span)
    let numbers = span.brush.pointee.numbers
    let (width, middle) = (Float(span.source.width), Float(span.source.height) / 2)
    let (x, y) = (sourceX, sourceY)
    for i in 0..<span.count {
      let location =
        isConic ? turns(x[i], y[i]) : (x[i] * x[i] + y[i] * y[i]).squareRoot()
      x[i] = (location * numbers.x + numbers.y) * width
      y[i] = middle
    }
  }

  /// The straight colour of the source through a matrix; transparent pixels stay transparent.
  private func findMatrixColor(_ span: Span) {
    readOwnPixels(span, second: false, into: other)
    let matrix = span.tables.items.pointee.matrices[Int(span.brush.pointee.parameters)]
    let columns = (
      SIMD4<Float>(matrix.columns[0]), SIMD4<Float>(matrix.columns[1]),
      SIMD4<Float>(matrix.columns[2]), SIMD4<Float>(matrix.columns[3])
    )
    let bias = SIMD4<Float>(matrix.bias)
    for i in 0..<span.count {
      let a = other.alpha[i]
      let divisor = most(a, 1e-5)
      let (r, g, b) = (
        other.red[i] / divisor, other.green[i] / divisor, other.blue[i] / divisor
      )
      func mapped(_ row: Int) -> Float {
        unit(
          columns.0[row] * r + columns.1[row] * g + columns.2[row] * b + columns.3[row] * a
            + bias[row])
      }
      let alpha = a > 0 ? mapped(3) : 0
      color.alpha[i] = alpha
      color.red[i] = mapped(0) * alpha
      color.green[i] = mapped(1) * alpha
      color.blue[i] = mapped(2) * alpha
    }
  }

  /// The sum of both sources, each times its weight.
  private func findMixedColor(_ span: Span) {
    let weights = span.brush.pointee.color
    readOwnPixels(span, second: false, into: color)
    readOwnPixels(span, second: true, into: other)
    color.mix(weights.x, with: other, weights.y, span.count)
  }
}

/// Planes of red, green, blue and alpha from 0 to 1, premultiplied: a number for each pixel.
struct ColorNumbers {
  let red: Painter.Numbers
  let green: Painter.Numbers
  let blue: Painter.Numbers
  let alpha: Painter.Numbers

  /// The same planes from a later pixel on.
  func dropping(_ count: Int) -> ColorNumbers {
    ColorNumbers(
      red: red + count, green: green + count, blue: blue + count, alpha: alpha + count)
  }

  /// Red, green, blue, alpha.
  func set(_ color: SIMD4<Float>, _ count: Int) {
    red.update(repeating: color.x, count: count)
    green.update(repeating: color.y, count: count)
    blue.update(repeating: color.z, count: count)
    alpha.update(repeating: color.w, count: count)
  }

  /// Makes all channels what alpha is.
  func spreadAlpha(_ count: Int) {
    red.update(from: alpha, count: count)
    green.update(from: alpha, count: count)
    blue.update(from: alpha, count: count)
  }

  func scale(by factor: Float, _ count: Int) {
    for i in 0..<count { red[i] *= factor }
    for i in 0..<count { green[i] *= factor }
    for i in 0..<count { blue[i] *= factor }
    for i in 0..<count { alpha[i] *= factor }
  }

  func add(_ number: Float, _ count: Int) {
    for i in 0..<count { red[i] += number }
    for i in 0..<count { green[i] += number }
    for i in 0..<count { blue[i] += number }
    for i in 0..<count { alpha[i] += number }
  }

  func multiply(by factor: Painter.Numbers, _ count: Int) {
    for i in 0..<count { red[i] *= factor[i] }
    for i in 0..<count { green[i] *= factor[i] }
    for i in 0..<count { blue[i] *= factor[i] }
    for i in 0..<count { alpha[i] *= factor[i] }
  }

  func multiply(by other: ColorNumbers, _ count: Int) {
    for i in 0..<count { red[i] *= other.red[i] }
    for i in 0..<count { green[i] *= other.green[i] }
    for i in 0..<count { blue[i] *= other.blue[i] }
    for i in 0..<count { alpha[i] *= other.alpha[i] }
  }

  func mix(_ weight: Float, with other: ColorNumbers, _ otherWeight: Float, _ count: Int) {
    for i in 0..<count { red[i] = red[i] * weight + other.red[i] * otherWeight }
    for i in 0..<count { green[i] = green[i] * weight + other.green[i] * otherWeight }
    for i in 0..<count { blue[i] = blue[i] * weight + other.blue[i] * otherWeight }
    for i in 0..<count { alpha[i] = alpha[i] * weight + other.alpha[i] * otherWeight }
  }
}

/// A direction's angle from the x axis toward the y axis, from 0 to 1; 0 for no direction.
@inline(__always)
private func turns(_ x: Float, _ y: Float) -> Float {
  let (width, height) = (abs(x), abs(y))
  let longest = most(width, height)
  guard longest > 0 else { return 0 }
  // The arctangent of at most 1 by a polynomial, to 2e-6 of a turn.
  let t = least(width, height) / longest
  let s = t * t
  let even = 0.9998660 + s * (-0.3302995 + s * (0.1801410 + s * (-0.0851330 + s * 0.0208351)))
  let eighth = t * even * 0.159_154_94
  let quarter = height > width ? 0.25 - eighth : eighth
  let half = x < 0 ? 0.5 - quarter : quarter
  return y < 0 ? 1 - half : half
}
