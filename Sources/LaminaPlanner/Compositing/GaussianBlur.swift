import Foundation
import LaminaValues

/// A Gaussian in a layer's plane and an offset of the blurred image, as both appear on the screen.
/// The image is reduced until few pixels have to be read, blurred along two lines, and doubled
/// again.
///
/// Halving (weights 1 3 3 1) and doubling (linear interpolation) each spread like a Gaussian with a
/// variance of three quarters of a pixel, quartering (weights 1 3 4 4 3 1) with one and three
/// quarters, quadrupling (linear interpolation) with two and three quarters; the blurs between them
/// supply the rest. Quartering and quadrupling each take the place of two steps, in less than half
/// of their time, if the blur is wide enough to hide that they are coarser.
///
/// At each resolution, pixels lie at whole multiples of their size on the surface, whichever part
/// of it is drawn, so the result does not depend on that part.
struct GaussianBlur {
  /// Number of times that the image is quartered, and of times that it is then halved.
  let quarterings: Int
  let halvings: Int
  /// Whole pixels by which the blurred image is moved. The kernels do the rest of the offset.
  let shift: (x: Int, y: Int)
  /// Whether the blur changes nothing but the image's place.
  let isIdentity: Bool
  private let covariance: Covariance
  private let rest: SIMD2<Double>
  /// How far the blur spreads, in pixels. A thousandth lies beyond 3¼ standard deviations.
  let reach: Int

  /// A Gaussian along a line.
  struct Kernel: Equatable {
    /// From tap to tap, in pixels.
    var step: SIMD2<Double>
    /// Standard deviation, in steps.
    var sigma: Double
    /// Offset of the centre, in steps.
    var center: Double

    /// Number of taps on either side of the centre.
    var taps: Int { Int((GaussianBlur.sigmas * sigma).rounded(.up)) + (center == 0 ? 0 : 1) }

    /// The same, a little wider: what is cut off takes about a 200th of the variance with it.
    fileprivate var madeUpForCutting: Self {
      var wider = self
      wider.sigma *= (variance(within: 2 * taps) / variance(within: taps)).squareRoot()
      return wider
    }

    /// The variance of so many taps on either side, in square steps.
    private func variance(within taps: Int) -> Double {
      var (sum, total) = (0.0, 0.5)
      for tap in stride(from: 1.0, through: Double(taps), by: 1) {
        let weight = PortableMath.exponential(-0.5 * tap * tap / (sigma * sigma))
        sum += weight * tap * tap
        total += weight
      }
      return sum / total
    }

    /// Whether every tap is the centre of a pixel.
    var isOnPixels: Bool { step == [1, 0] || step == [0, 1] }
  }

  /// The least standard deviation, in pixels of the lowest resolution, that hides quartering.
  private static let leastQuartered = 2.2
  /// Number of standard deviations after which a Gaussian is cut off.
  private static let sigmas = 3.25
  /// Largest standard deviation, in pixels; larger ones are clamped.
  private static let limit = 600.0
  /// Largest offset, in pixels. Nothing that is moved farther is on any surface.
  private static let farthest = 1e6

  /// `linear` maps the layer's plane to pixels.
  init(sigma: Double, through linear: CGAffineTransform) {
    self.init(sigma: sigma, through: linear, shift: .zero)
  }

  /// The same with an offset, in the layer's own units; nil if it is so large that nothing is
  /// visible.
  init?(sigma: Double, offset: CGSize, through linear: CGAffineTransform) {
    let moved = CGPoint(x: offset.width, y: offset.height).applying(linear)
    guard abs(moved.x) < Self.farthest, abs(moved.y) < Self.farthest else { return nil }
    self.init(sigma: sigma, through: linear, shift: [Double(moved.x), Double(moved.y)])
  }

  private init(sigma: Double, through linear: CGAffineTransform, shift: SIMD2<Double>) {
    let whole = shift.rounded(.toNearestOrEven)
    self.shift = (Int(whole.x), Int(whole.y))
    rest = shift - whole
    covariance = Covariance(of: sigma, through: linear, limit: Self.limit)
    // A standard deviation below a quarter of a pixel changes nothing in 8 bits.
    isIdentity = covariance.largest < 0.0625 && shift == whole
    guard !isIdentity else {
      (quarterings, halvings, reach) = (0, 0, 0)
      return
    }
    let least = covariance.least.squareRoot()
    let doublings = least < 3 ? 0 : Int(log2(least / 1.5).rounded(.down))
    quarterings = least < Self.leastQuartered * Double(1 << doublings) ? 0 : doublings / 2
    halvings = doublings - 2 * quarterings
    reach = Int((Self.sigmas * covariance.largest.squareRoot()).rounded(.up)) + (4 << doublings)
  }

  /// Number of times that the image is doubled, if it is not quadrupled instead of the last two.
  var doublings: Int { 2 * quarterings + halvings }

  /// Whether the image may be quadrupled.
  var mayQuadruple: Bool { quarterings > 0 }

  /// The two blurs in order, in pixels of the lowest resolution.
  func kernels(quadruples: Bool) -> [Kernel] {
    covariance.kernels(
      quarterings: quarterings, halvings: halvings, quadruples: quadruples, rest: rest)
  }

  /// The part of `extent` that shows in `visible` after the blur and the offset, with an empty
  /// pixel around it. All are in pixels, and `limit` is the longest side that a source may have.
  func sourceRegion(of extent: CGRect, for visible: PixelRect, limit: Int) -> PixelRect {
    // Limits how far outside the visible area the source may reach.
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

/// The covariance of a Gaussian along the screen's axes, in square pixels.
private struct Covariance {
  var xx: Double
  var yy: Double
  var xy: Double

  init(of sigma: Double, through linear: CGAffineTransform, limit: Double) {
    let (a, b, c, d) = (
      Double(linear.a), Double(linear.b), Double(linear.c), Double(linear.d)
    )
    let spread = max(hypot(a, c), hypot(b, d))
    // A plane so large that its squares overflow is drawn without a blur.
    guard [a, b, c, d].allSatisfy(\.isFinite), spread > 0, spread < 1e100 else {
      (xx, yy, xy) = (0, 0, 0)
      return
    }
    let sigma = min(max(sigma, 0), limit / spread)
    xx = (a * a + c * c) * sigma * sigma
    yy = (b * b + d * d) * sigma * sigma
    xy = (a * b + c * d) * sigma * sigma
    // A skew that is only rounding counts as none.
    if abs(xy) < 1e-6 * max(xx, yy) { xy = 0 }
  }

  private var difference: Double { hypot(xx - yy, 2 * xy) }
  /// The variance along the axis on which it is largest.
  var largest: Double { (xx + yy + difference) / 2 }
  var least: Double { max((xx + yy - difference) / 2, 0) }

  /// Factors the covariance into a lower triangular matrix and its transpose. One blur runs down.
  /// The other runs across and, if the plane is skewed, also down.
  func kernels(
    quarterings: Int, halvings: Int, quadruples: Bool, rest: SIMD2<Double>
  ) -> [GaussianBlur.Kernel] {
    let quartered = Double(1 << (2 * quarterings))
    let scale = quartered * Double(1 << halvings)
    let (area, quarteredArea) = (scale * scale, quartered * quartered)
    // What the changes of resolution spread, which is taken off: sums of geometric series.
    // Quadrupling spreads one pixel less than doubling twice.
    let spread =
      (quarteredArea - 1) * 7 / 60 + (area - quarteredArea) / 4 + (area - 1) / 4
      - (quadruples ? 1 : 0)
    // A pixel is a square to a blur and a point to sampling. Their variances differ by a twelfth of
    // a pixel, and half of that is added.
    func reduced(_ variance: Double) -> Double { (variance + 1.0 / 24 - spread) / area }
    // A centre between two pixels needs at least the blur that mixing those two has.
    func least(_ rest: Double) -> Double { 0.04 + 0.8 * abs(rest) * (1 - abs(rest)) }
    let rest = rest / scale
    let across = max(reduced(xx), least(rest.x)).squareRoot()
    let skew = xy / (scale * scale) / across
    let down = max(reduced(yy) - skew * skew, least(rest.y)).squareRoot()
    // The blur that runs across also moves the image down; the other one makes up for it.
    return [
      kernel([0, down], rest: rest.y - rest.x * skew / across),
      kernel([across, skew], rest: rest.x),
    ]
  }

  /// If a standard deviation has many pixels, the taps skip some of them.
  private func kernel(_ deviation: SIMD2<Double>, rest: Double) -> GaussianBlur.Kernel {
    let longer = max(abs(deviation.x), abs(deviation.y))
    let stretch = max(longer / 6, 1)
    let along = abs(deviation.x) > 0 ? abs(deviation.x) : longer
    let kernel = GaussianBlur.Kernel(
      step: deviation / longer * stretch, sigma: longer / stretch,
      center: -rest * longer / along / stretch)
    return kernel.madeUpForCutting
  }
}
