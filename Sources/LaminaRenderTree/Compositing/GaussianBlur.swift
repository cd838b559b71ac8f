import Foundation
import LaminaValues

/// A Gaussian in a layer's plane, and a shift of what it blurs, as both are on the screen. Pictures
/// are halved, blurred along two lines where little has to be read for it, and doubled again.
///
/// Halving weighs 1 3 3 1 and doubling mixes linearly, each of which spreads as a Gaussian of a
/// variance of three quarters of a pixel does; what is blurred between makes up for the rest. At each
/// resolution pixels lie at whole multiples of their size on the surface, whatever part of it is drawn:
/// so the outcome does not depend on that.
struct GaussianBlur {
  /// How often pictures are halved.
  let halvings: Int
  /// By how many pixels what is blurred is drawn further.
  let shift: (x: Int, y: Int)
  /// The two blurs in turn, in pixels of the lowest resolution.
  let kernels: [Kernel]
  /// How far it spreads, in pixels: past 3¼ standard deviations lies a thousandth.
  let reach: Int

  /// A Gaussian along a line.
  struct Kernel: Equatable {
    /// From tap to tap.
    var step: SIMD2<Double>
    /// In steps.
    var sigma: Double
    /// Where the middle lies, in steps.
    var center: Double

    /// On either side of the middle.
    var taps: Int { Int((GaussianBlur.sigmas * sigma).rounded(.up)) + 1 }

    /// Whether every tap is a pixel's middle.
    var isOnPixels: Bool { step == [1, 0] || step == [0, 1] }
  }

  /// How far a Gaussian is followed.
  private static let sigmas = 3.25
  /// Wider than that many pixels is as wide as that.
  private static let limit = 600.0
  /// Shifted further than that, nothing is on any surface.
  private static let farthest = 1e6

  /// `linear` brings the layer's plane to pixels.
  init(sigma: Double, through linear: CGAffineTransform) {
    self.init(sigma: sigma, through: linear, shift: .zero)
  }

  /// The same, shifted; nil for what is so far off that nothing of it shows.
  init?(sigma: Double, offset: CGSize, through linear: CGAffineTransform) {
    let moved = CGPoint(x: offset.width, y: offset.height).applying(linear)
    guard abs(moved.x) < Self.farthest, abs(moved.y) < Self.farthest else { return nil }
    self.init(sigma: sigma, through: linear, shift: [Double(moved.x), Double(moved.y)])
  }

  private init(sigma: Double, through linear: CGAffineTransform, shift: SIMD2<Double>) {
    let whole = shift.rounded(.toNearestOrEven)
    self.shift = (Int(whole.x), Int(whole.y))
    let covariance = Covariance(of: sigma, through: linear, limit: Self.limit)
    // A quarter of a pixel is less than what 8 bits show.
    if covariance.largest < 0.0625, shift == whole {
      (halvings, kernels, reach) = (0, [], 0)
      return
    }
    let least = covariance.least.squareRoot()
    halvings = least < 3 ? 0 : Int(log2(least / 1.5).rounded(.down))
    kernels = covariance.kernels(halvings: halvings, rest: shift - whole)
    reach = Int((Self.sigmas * covariance.largest.squareRoot()).rounded(.up)) + (4 << halvings)
  }

  /// Whether it leaves a picture as it is, but for where that lies.
  var isIdentity: Bool { kernels.isEmpty }

  /// The part of what lies in `extent` that shows in `visible` once it is blurred and shifted, with a
  /// pixel around it in which nothing is.
  func sourceRegion(of extent: CGRect, for visible: PixelRect, limit: Int) -> PixelRect {
    // Few pixels are looked for far outside of what shows.
    func spread(_ length: Int, _ shift: Int) -> CGFloat {
      let most = min(limit, max(4096, 2 * length))
      return CGFloat(min(reach + abs(shift), max(most - length - 256, 0) / 2))
    }
    let wanted = visible.cgRect.insetBy(
      dx: -spread(visible.width, shift.x), dy: -spread(visible.height, shift.y))
    let most = PixelRect(minX: -1 << 24, minY: -1 << 24, maxX: 1 << 24, maxY: 1 << 24)
    return PixelRect(
      covering: extent.insetBy(dx: -1, dy: -1), within: PixelRect(covering: wanted, within: most))
  }
}

/// How far a Gaussian spreads along both axes of the screen, in pixels.
private struct Covariance {
  var xx: Double
  var yy: Double
  var xy: Double

  init(of sigma: Double, through linear: CGAffineTransform, limit: Double) {
    let (a, b, c, d) = (
      Double(linear.a), Double(linear.b), Double(linear.c), Double(linear.d)
    )
    let spread = max(hypot(a, c), hypot(b, d))
    // A plane so large that its squares have no numbers is drawn as if it were not blurred.
    guard [a, b, c, d].allSatisfy(\.isFinite), spread > 0, spread < 1e100 else {
      (xx, yy, xy) = (0, 0, 0)
      return
    }
    let sigma = min(max(sigma, 0), limit / spread)
    xx = (a * a + c * c) * sigma * sigma
    yy = (b * b + d * d) * sigma * sigma
    xy = (a * b + c * d) * sigma * sigma
    // What is not skewed but for rounding is not.
    if abs(xy) < 1e-6 * max(xx, yy) { xy = 0 }
  }

  private var difference: Double { hypot(xx - yy, 2 * xy) }
  /// Along the axis on which it is the largest.
  var largest: Double { (xx + yy + difference) / 2 }
  var least: Double { max((xx + yy - difference) / 2, 0) }

  /// As the product of a lower triangle and its transpose: one blur that runs down, and one that runs
  /// across and, in a plane that is skewed, down as well.
  func kernels(halvings: Int, rest: SIMD2<Double>) -> [GaussianBlur.Kernel] {
    let scale = Double(1 << halvings)
    // Pixels are squares to one who blurs them and points to another: of the twelfth of a pixel's
    // variance between the two, half is added. Halving and doubling blur as well.
    func reduced(_ variance: Double) -> Double {
      (variance + 1.0 / 24 + 0.5) / (scale * scale) - 0.5
    }
    // A middle between pixels takes as much blur as mixing two of them is.
    func least(_ rest: Double) -> Double { 0.04 + 0.8 * abs(rest) * (1 - abs(rest)) }
    let rest = rest / scale
    let across = max(reduced(xx), least(rest.x)).squareRoot()
    let skew = xy / (scale * scale) / across
    let down = max(reduced(yy) - skew * skew, least(rest.y)).squareRoot()
    // The one that runs across takes what is shifted down with it.
    return [
      kernel([0, down], rest: rest.y - rest.x * skew / across),
      kernel([across, skew], rest: rest.x),
    ]
  }

  /// With many pixels to a standard deviation some are left out.
  private func kernel(_ deviation: SIMD2<Double>, rest: Double) -> GaussianBlur.Kernel {
    let longer = max(abs(deviation.x), abs(deviation.y))
    let stretch = max(longer / 6, 1)
    let along = abs(deviation.x) > 0 ? abs(deviation.x) : longer
    return GaussianBlur.Kernel(
      step: deviation / longer * stretch, sigma: longer / stretch,
      center: -rest * longer / along / stretch)
  }
}
