import Foundation
import LaminaFramePlan
import LaminaValues

extension Compositor {
  /// The part of the surface that `context` paints.
  func visible(in context: Context) -> PixelRect { context.scissor.intersection(context.region) }

  /// Draws the shadow of an image. The blur's shift is the shadow's offset.
  mutating func paintShadow(
    _ style: ShadowStyle, of picture: OffscreenImage, _ blur: GaussianBlur, in context: Context
  ) {
    let (x, y) = blur.shift
    let wanted = visible(in: context).offset(x: -x, y: -y)
      .intersection(picture.region.outset(by: blur.reach))
    guard !wanted.isEmpty,
      let cast = blurred(picture, blur, in: wanted, repeatsEdges: false)
    else { return }
    let shadow = OffscreenImage(texture: cast.texture, region: cast.region.offset(x: x, y: y))
    guard let quad = Self.pixelQuad(shadow.region, in: context) else { return }
    let tint = premultiplied(style.color, context.opacity)
    let offset = shadow.offset(from: context.region)
    add(.alpha, sources: [shadow.source], quad: quad, in: context) { _, out in
      out.append(tint)
      out += offset
    }
  }

  /// The blurred image in `region`, not yet shifted; nil if nothing is visible. Outside the image,
  /// its edge pixels are repeated if `repeatsEdges`, otherwise there is nothing.
  mutating func blurred(
    _ picture: OffscreenImage, _ blur: GaussianBlur, in region: PixelRect, repeatsEdges: Bool
  ) -> OffscreenImage? {
    guard !blur.isIdentity else { return picture }
    // The region needed at each resolution.
    var wanted = [region]
    for _ in 0..<blur.halvings { wanted.append(wanted[wanted.count - 1].halved) }
    var picture = picture
    for _ in 0..<blur.halvings {
      let half = resampled(
        picture, .halved, in: picture.region.halved, repeatsEdges: repeatsEdges)
      guard let half else { return nil }
      picture = half
    }
    let last = wanted.removeLast()
    let rows = last.grown(by: blur.kernels[1])
      .intersection(picture.region.grown(by: blur.kernels[0]))
    for (kernel, part) in zip(blur.kernels, [rows, last]) {
      guard
        let line = resampled(picture, .gaussian, kernel, in: part, repeatsEdges: repeatsEdges)
      else { return nil }
      picture = line
    }
    for part in wanted.reversed() {
      guard let double = resampled(picture, .doubled, in: part, repeatsEdges: repeatsEdges) else {
        return nil
      }
      picture = double
    }
    return picture
  }

  private mutating func resampled(
    _ picture: OffscreenImage, _ program: FramePlan.Program, _ kernel: GaussianBlur.Kernel? = nil,
    in region: PixelRect, repeatsEdges: Bool
  ) -> OffscreenImage? {
    guard !region.isEmpty else { return nil }
    let source = FramePlan.TextureSource(
      texture: picture.texture, filter: kernel?.isOnPixels == false ? .linear : .nearest)
    let place = [region.minX, region.minY, picture.region.minX, picture.region.minY].map {
      Float($0)
    }
    let numbers = [
      kernel?.sigma ?? 0, kernel?.center ?? 0, Double(kernel?.taps ?? 0), repeatsEdges ? 1 : 0,
      kernel?.step.x ?? 0, kernel?.step.y ?? 0,
    ].map { Float($0) }
    return self.picture(region) { painter, context in
      guard let quad = Self.pixelQuad(region, in: context) else { return }
      painter.add(program, blend: .copy, sources: [source], quad: quad, in: context) { _, out in
        out += place
        out += numbers
      }
    }
  }
}

extension PixelRect {
  func offset(x: Int, y: Int) -> PixelRect {
    PixelRect(minX: minX + x, minY: minY + y, maxX: maxX + x, maxY: maxY + y)
  }

  func outset(by pixels: Int) -> PixelRect {
    PixelRect(minX: minX - pixels, minY: minY - pixels, maxX: maxX + pixels, maxY: maxY + pixels)
  }

  /// The pixels of half the resolution that cover the rectangle, and their neighbours, which mix
  /// with them.
  fileprivate var halved: PixelRect {
    PixelRect(
      minX: minX >> 1, minY: minY >> 1, maxX: (maxX + 1) >> 1, maxY: (maxY + 1) >> 1
    ).outset(by: 1)
  }

  /// The rectangle grown by a kernel's reach: the area that its blur covers, and also the area that
  /// has to be read to blur it.
  fileprivate func grown(by kernel: GaussianBlur.Kernel) -> PixelRect {
    let reach = Double(kernel.taps) * kernel.step
    let (x, y) = (Int(abs(reach.x).rounded(.up)), Int(abs(reach.y).rounded(.up)))
    return PixelRect(minX: minX - x, minY: minY - y, maxX: maxX + x, maxY: maxY + y)
  }
}
