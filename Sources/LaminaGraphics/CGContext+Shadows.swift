import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Gives all that is drawn from now on a shadow of black at a third of its alpha.
  public func setShadow(offset: CGSize, blur: CGFloat) {
    setShadow(offset: offset, blur: blur, color: CGColor(gray: 0, alpha: 1.0 / 3))
  }

  /// Gives all that is drawn from now on a shadow; none with a nil or transparent colour.
  ///
  /// `offset` and `blur` are in the user space that the context began with, and do not follow later
  /// changes of the matrix. The shadow is the drawing's alpha, cast also by what lies outside the
  /// clip, softened by a Gaussian of half of `blur` as its standard deviation.
  public func setShadow(offset: CGSize, blur: CGFloat, color: CGColor?) {
    guard let color, color.isFinite, color.alpha > 0, offset.width.isFinite,
      offset.height.isFinite, !blur.isNaN
    else {
      state.shadow = nil
      return
    }
    let inPixels = offset.applying(baseTransform)
    let scale = abs(baseTransform.determinant).squareRoot()
    state.shadow = Shadow(
      offset: CGVector(dx: inPixels.width, dy: inPixels.height),
      sigma: min(max(blur, 0) / 2 * scale, 500), color: color)
  }

  /// Draws an operation's shadow alone, in the state's blend mode.
  func paint(_ shadow: Shadow, of operation: PaintOperation) {
    let reach = GaussianBlur.reach(sigma: shadow.sigma)
    let clip = clipRegion
    let everywhere = PixelRect(minX: -1 << 24, minY: -1 << 24, maxX: 1 << 24, maxY: 1 << 24)
    // What casts a shadow into the clip, whether it lies there itself or not.
    let casting = clip.cgRect.offsetBy(dx: -shadow.offset.dx, dy: -shadow.offset.dy)
      .insetBy(dx: -CGFloat(reach) - 1, dy: -CGFloat(reach) - 1)
    let drawn = PixelRect(covering: operation.bounds.insetBy(dx: -1, dy: -1), within: everywhere)
    let caster = PixelRect(covering: casting, within: drawn)
    guard !clip.isEmpty, !caster.isEmpty else { return }
    let region = PixelRect(
      minX: caster.minX - reach, minY: caster.minY - reach, maxX: caster.maxX + reach,
      maxY: caster.maxY + reach)
    guard let surface = CairoSurface(region, format: CAIRO_FORMAT_A8) else { return }
    surface.draw { cairo in
      prepare(cairo, with: CAIRO_OPERATOR_OVER)
      // Beyond it nothing can cast a shadow into the clip.
      cairo_rectangle(
        cairo, Double(caster.minX), Double(caster.minY), Double(caster.width),
        Double(caster.height))
      cairo_clip(cairo)
      operation.setSource(cairo)
      operation.drawShape(cairo)
    }
    GaussianBlur.apply(to: surface, sigma: shadow.sigma)
    let (red, green, blue, alpha) = components(of: shadow.color)
    composite(
      PaintOperation(
        bounds: region.cgRect.offsetBy(dx: shadow.offset.dx, dy: shadow.offset.dy)
      ) {
        cairo_set_source_rgba($0, red, green, blue, alpha)
      } drawShape: {
        cairo_mask_surface($0, surface.surface, shadow.offset.dx, shadow.offset.dy)
      })
  }
}

/// A Gaussian blur of coverage.
enum GaussianBlur {
  /// How many pixels a blur spreads: three standard deviations, beyond which less than 0.3 % lies.
  static func reach(sigma: CGFloat) -> Int { Int((sigma * 3).rounded(.up)) }

  /// Blurs a surface of one byte a pixel, along rows and then along columns. Outside is nothing.
  static func apply(to surface: CairoSurface, sigma: CGFloat) {
    guard sigma > 0.05 else { return }
    let kernel = kernel(sigma: sigma)
    let (width, height) = (surface.region.width, surface.region.height)
    surface.withBytes { bytes, stride in
      var line = [Float](repeating: 0, count: max(width, height) + kernel.count * 2)
      for y in 0..<height {
        blur(bytes + y * stride, step: 1, count: width, kernel, &line)
      }
      for x in 0..<width {
        blur(bytes + x, step: stride, count: height, kernel, &line)
      }
    }
  }

  /// Half of the kernel, from its middle; the whole of it sums to 1.
  private static func kernel(sigma: CGFloat) -> [Float] {
    let weights = (0...reach(sigma: sigma)).map { exp(-CGFloat($0 * $0) / (2 * sigma * sigma)) }
    let sum = weights.reduce(0, +) * 2 - weights[0]
    return weights.map { Float($0 / sum) }
  }

  private static func blur(
    _ bytes: UnsafeMutablePointer<UInt8>, step: Int, count: Int, _ kernel: [Float],
    _ line: inout [Float]
  ) {
    let reach = kernel.count - 1
    line.withUnsafeMutableBufferPointer { line in
      kernel.withUnsafeBufferPointer { kernel in
        var isEmpty = true
        for index in 0..<reach { (line[index], line[reach + count + index]) = (0, 0) }
        for index in 0..<count {
          let value = bytes[index * step]
          if value != 0 { isEmpty = false }
          line[reach + index] = Float(value)
        }
        if isEmpty { return }
        for index in 0..<count {
          let middle = reach + index
          var sum = line[middle] * kernel[0]
          var distance = 1
          while distance <= reach {
            sum += (line[middle - distance] + line[middle + distance]) * kernel[distance]
            distance += 1
          }
          bytes[index * step] = UInt8(min(255, sum + 0.5))
        }
      }
    }
  }
}
