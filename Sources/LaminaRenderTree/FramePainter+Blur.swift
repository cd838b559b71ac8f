import Foundation
import LaminaCommit
import LaminaValues

extension FramePainter {
  /// The part of the surface that is painted at the moment.
  func visible(in context: Context) -> PixelRect { context.scissor.intersection(context.region) }

  /// Draws the shadow of a picture.
  mutating func paintShadow(
    _ style: ShadowStyle, of picture: Picture, _ blur: ScreenBlur, in context: Context
  ) {
    let visible = visible(in: context)
    let (factor, shift) = (blur.factor, blur.drawnShift)
    let (first, second) = blur.kernels
    let held = picture.region.divided(by: factor)
    // Where the blurred picture is wanted, in its own pixels, and a pixel more for filtering.
    let (stepX, stepY) = (CGFloat(factor.x), CGFloat(factor.y))
    let wanted = CGRect(
      x: (CGFloat(visible.minX) - shift.x) / stepX - 1,
      y: (CGFloat(visible.minY) - shift.y) / stepY - 1,
      width: CGFloat(visible.width) / stepX + 2, height: CGFloat(visible.height) / stepY + 2)
    let place = PixelRect(covering: wanted, within: held.grown(by: second).grown(by: first))
    guard !place.isEmpty else { return }
    var between = place.grown(by: second).intersection(held.grown(by: first))
    (between.minX, between.maxX) = (held.minX, held.maxX)
    guard !between.isEmpty, let small = halved(picture, factor),
      let down = blurred(small, held, first, into: between),
      let whole = blurred(down, between, second, into: place)
    else { return }
    let drawn = PixelRect(
      covering: CGRect(
        x: CGFloat(place.minX) * stepX + shift.x, y: CGFloat(place.minY) * stepY + shift.y,
        width: CGFloat(place.width) * stepX, height: CGFloat(place.height) * stepY),
      within: visible)
    guard let quad = Self.pixelQuad(drawn, in: context) else { return }
    let tint = premultiplied(style.color, context.opacity)
    let origin = context.region
    add(.alpha, sources: [whole.source], quad: quad, in: context) { vertex, out in
      let x = (vertex.pixel.x + CGFloat(origin.minX) - shift.x) / stepX - CGFloat(place.minX)
      let y = (vertex.pixel.y + CGFloat(origin.minY) - shift.y) / stepY - CGFloat(place.minY)
      out.append(tint)
      out += [Float(x), Float(y)]
    }
  }

  /// A picture with so many times fewer pixels across and down, each the average
  /// of the alpha of those that it stands for, in every channel.
  private mutating func halved(
    _ picture: Picture, _ factor: (x: Int, y: Int)
  ) -> Picture? {
    guard factor.x > 1 || factor.y > 1 else { return picture }
    let across = factor.x > 1 ? 2 : 1
    let down = factor.y > 1 ? 2 : 1
    let size = picture.region.size
    let area = PixelRect(PixelSize(width: size.width / across, height: size.height / down))
    let smaller = self.picture(area) { painter, context in
      guard let quad = Self.pixelQuad(area, in: context) else { return }
      let sources = [picture.source]
      painter.add(.alpha, blend: .copy, sources: sources, quad: quad, in: context) { vertex, out in
        out += [
          1, 1, 1, 1, Float(vertex.pixel.x) * Float(across), Float(vertex.pixel.y) * Float(down),
        ]
      }
    }
    return smaller.flatMap { halved($0, (factor.x / across, factor.y / down)) }
  }

  /// The blurred alpha, at `area`, of a picture that holds `held`, both in its pixels.
  private mutating func blurred(
    _ picture: Picture, _ held: PixelRect, _ kernel: ScreenBlur.Kernel, into area: PixelRect
  ) -> Picture? {
    let isOnPixels = kernel.step == [1, 0] || kernel.step == [0, 1]
    let source = FramePlan.TextureSource(
      texture: picture.texture, filter: isOnPixels ? .nearest : .linear)
    let (width, height) = (CGFloat(held.width), CGFloat(held.height))
    return self.picture(area) { painter, context in
      guard let quad = Self.pixelQuad(area, in: context) else { return }
      painter.add(.blur, blend: .copy, sources: [source], quad: quad, in: context) { vertex, out in
        out.append(Float((vertex.pixel.x + CGFloat(area.minX - held.minX)) / width))
        out.append(Float((vertex.pixel.y + CGFloat(area.minY - held.minY)) / height))
        out.append(Float(kernel.step.x / width))
        out.append(Float(kernel.step.y / height))
        out += [Float(kernel.sigma), Float(kernel.center), Float(kernel.taps)]
      }
    }
  }
}

extension PixelRect {
  /// All that a blur makes of the rectangle.
  fileprivate func grown(by kernel: ScreenBlur.Kernel) -> PixelRect {
    let reach = SIMD2(Double(kernel.taps), Double(kernel.taps)) * kernel.step
    let (x, y) = (Int(abs(reach.x).rounded(.up)), Int(abs(reach.y).rounded(.up)))
    return PixelRect(minX: minX - x, minY: minY - y, maxX: maxX + x, maxY: maxY + y)
  }
}
