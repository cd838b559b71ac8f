import Foundation
import LaminaValues

/// How a Gaussian of a target's pixels is brought about: its picture is halved, blurred along both
/// axes where little has to be read for it, and doubled again.
///
/// Halving weighs 1 3 3 1 and doubling mixes linearly, each of which spreads as a Gaussian of a
/// variance of three quarters of a pixel does; what is blurred between makes up for the rest. At each
/// resolution pixels lie at whole multiples of their size on the surface, whatever part of it is drawn:
/// so the outcome does not depend on that.
struct GaussianBlur {
  let sigma: SIMD2<Double>
  /// How often the picture is halved.
  let halvings: Int

  /// In pixels, the same whatever is to be blurred. Wider than `limit` is as wide as that.
  init(sigma: SIMD2<Double>) {
    self.sigma = sigma.clamped(
      lowerBound: .zero, upperBound: SIMD2(repeating: Self.limit))
    let least = self.sigma.min()
    halvings = least < 3 ? 0 : Int(log2(least / 1.5).rounded(.down))
  }

  private static let limit = 600.0

  /// Whether it leaves everything as it is, to half of what 8 bits show.
  var isIdentity: Bool { sigma.max() < 0.25 }

  /// How far it spreads, in pixels: three standard deviations, beyond which lies a 370th, and what
  /// halving and doubling take.
  var reach: Int {
    isIdentity ? 0 : Int((3 * sigma.max()).rounded(.up)) + (2 << halvings)
  }

  /// The standard deviation at the lowest resolution, along x (0) or y (1), in its pixels.
  ///
  /// Pixels are squares to one who blurs them and points to another: of the twelfth of a pixel's
  /// variance between the two, half is added.
  func reducedSigma(_ axis: Int) -> Double {
    let scale = Double(1 << halvings)
    let variance =
      (sigma[axis] * sigma[axis] + 1.0 / 24 + 0.5) / (scale * scale) - 0.5
    return max(variance, 0.01).squareRoot()
  }

  /// How many pixels are read to either side there.
  func radius(_ axis: Int) -> Int { min(Int((3 * reducedSigma(axis)).rounded(.up)), 255) }
}

extension PixelRect {
  func outset(by pixels: Int) -> PixelRect {
    PixelRect(minX: minX - pixels, minY: minY - pixels, maxX: maxX + pixels, maxY: maxY + pixels)
  }

  /// The pixels of half the resolution that these lie in, and those that mix with them.
  var halved: PixelRect {
    PixelRect(
      minX: minX >> 1, minY: minY >> 1, maxX: (maxX + 1) >> 1, maxY: (maxY + 1) >> 1
    ).outset(by: 1)
  }
}

extension FramePainter {
  /// A picture under a Gaussian, as far as `region` shows it. Outside the picture is nothing or, where
  /// it repeats its edges, more of these. nil where nothing is to be seen.
  mutating func blurred(
    _ picture: Picture, _ blur: GaussianBlur, in region: PixelRect, repeatsEdges: Bool
  ) -> Picture? {
    guard !blur.isIdentity else { return picture }
    // What is wanted at each resolution.
    var wanted = [region]
    for _ in 0..<blur.halvings { wanted.append(wanted[wanted.count - 1].halved) }
    var picture: Picture? = picture
    for _ in 0..<blur.halvings {
      guard let last = picture else { return nil }
      picture = resampled(last, .halved, in: last.region.halved, repeatsEdges: repeatsEdges)
    }
    guard let reduced = picture else { return nil }
    let last = wanted.removeLast()
    let rows = PixelRect(
      minX: last.minX, minY: reduced.region.minY, maxX: last.maxX, maxY: reduced.region.maxY)
    for (axis, part) in [rows, last].enumerated() {
      guard let input = picture else { return nil }
      let kernel: [Float] = [
        Float(blur.reducedSigma(axis)), Float(blur.radius(axis)), Float(axis),
        repeatsEdges ? 1 : 0,
      ]
      picture = resampled(input, .gaussian, kernel, in: part)
    }
    for part in wanted.reversed() {
      guard let input = picture else { return nil }
      picture = resampled(input, .doubled, in: part, repeatsEdges: repeatsEdges)
    }
    return picture
  }

  private mutating func resampled(
    _ picture: Picture, _ program: FramePlan.Program, in region: PixelRect, repeatsEdges: Bool
  ) -> Picture? {
    resampled(picture, program, [0, 0, 0, repeatsEdges ? 1 : 0], in: region)
  }

  private mutating func resampled(
    _ picture: Picture, _ program: FramePlan.Program, _ kernel: [Float], in region: PixelRect
  ) -> Picture? {
    let source = FramePlan.TextureSource(texture: picture.texture, filter: .nearest)
    let place = [region.minX, region.minY, picture.region.minX, picture.region.minY].map {
      Float($0)
    }
    return self.picture(region) { painter, context in
      guard let quad = Self.pixelQuad(region, in: context) else { return }
      painter.add(program, blend: .copy, sources: [source], quad: quad, in: context) { _, out in
        out += place
        out += kernel
      }
    }
  }
}
