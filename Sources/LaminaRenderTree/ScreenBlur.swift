import Foundation
import LaminaValues

/// A Gaussian in a layer's plane and a shift of what it blurs, as both are on the screen: two blurs
/// along a line each, and at a resolution that they leave enough of.
struct ScreenBlur {
  /// The standard deviation of the blur that runs down, in pixels.
  private let down: Double
  /// That of the other, which runs across and, in a plane that is skewed, down as well.
  private let across: SIMD2<Double>
  /// In pixels.
  let shift: SIMD2<Double>
  /// How many pixels across and down make one that is blurred.
  let factor: (x: Int, y: Int)

  /// nil for what is no blur, or so far off that nothing of it shows.
  init?(sigma: Double, offset: CGSize, through linear: CGAffineTransform) {
    let moved = CGPoint(x: offset.width, y: offset.height).applying(linear)
    shift = [Double(moved.x), Double(moved.y)]
    guard abs(shift.x) < 1e6, abs(shift.y) < 1e6 else { return nil }
    // The covariance, as the product of a lower triangle and its transpose.
    let (a, b, c, d) = (
      Double(linear.a), Double(linear.b), Double(linear.c), Double(linear.d)
    )
    let x = hypot(a, c) * sigma
    let y = hypot(b, d) * sigma
    let skew = x > 0 ? sigma * sigma * (a * b + c * d) / x : 0
    guard x < 1e6, y < 1e6 else { return nil }
    // What is not skewed but for rounding is not.
    let isStraight = abs(skew) < 1e-6 * y
    across = [x, isStraight ? 0 : skew]
    down = isStraight ? y : max(y * y - skew * skew, 0).squareRoot()
    factor = (Self.factor(x), Self.factor(y))
  }

  /// Sigmas from 2 to 4 are blurred; with more, fewer pixels.
  private static func factor(_ sigma: Double) -> Int {
    var factor = 1
    while sigma > 4 * Double(factor), factor < 64 { factor *= 2 }
    return factor
  }

  /// How far a pixel's shadow goes, in pixels.
  private var reach: SIMD2<Double> {
    [
      3.25 * across.x + 2 * Double(factor.x),
      3.25 * hypot(across.y, down) + 2 * Double(factor.y),
    ]
  }

  /// The part of what lies in `extent` that shows in `visible` or whose shadow does there: whole
  /// pixels of the blurred picture.
  func sourceRegion(of extent: CGRect, for visible: PixelRect, limit: Int) -> PixelRect {
    // Few pixels are looked for far outside of what shows.
    func spread(_ length: Int, _ reach: Double, _ shift: Double) -> CGFloat {
      let most = min(limit, max(4096, 2 * length))
      return CGFloat(min(reach + abs(shift), Double(max(most - length - 256, 0)) / 2))
    }
    let wanted = visible.cgRect.insetBy(
      dx: -spread(visible.width, reach.x, shift.x), dy: -spread(visible.height, reach.y, shift.y))
    let most = PixelRect(minX: -1 << 24, minY: -1 << 24, maxX: 1 << 24, maxY: 1 << 24)
    let covered = PixelRect(
      covering: extent.insetBy(dx: -1, dy: -1), within: PixelRect(covering: wanted, within: most))
    guard !covered.isEmpty else { return .empty }
    // Beyond its edges a picture goes on as it ends: with nothing.
    return PixelRect(
      minX: covered.minX - factor.x, minY: covered.minY - factor.y, maxX: covered.maxX + factor.x,
      maxY: covered.maxY + factor.y
    ).aligned(to: factor)
  }

  /// Whether the blurred picture is drawn pixel on pixel. What is left of the shift then is a matter
  /// of where the kernels have their middles.
  var isPixelOnPixel: Bool { factor == (1, 1) && across.y == 0 }

  /// How far from where it lies the blurred picture is drawn.
  var drawnShift: SIMD2<Double> {
    isPixelOnPixel ? shift.rounded(.toNearestOrEven) : shift
  }

  /// The blurs in turn, in pixels of the blurred picture.
  var kernels: (first: Kernel, second: Kernel) {
    let rest = shift - drawnShift
    let scale = SIMD2(1 / Double(factor.x), 1 / Double(factor.y))
    return (
      Kernel([0, down] * scale, along: [0, 1], factor: factor.y, rest: rest.y),
      Kernel(across * scale, along: [1, 0], factor: factor.x, rest: rest.x)
    )
  }

  struct Kernel {
    /// From tap to tap.
    let step: SIMD2<Double>
    /// In steps.
    let sigma: Double
    /// Where the middle lies, in steps.
    let center: Double

    /// On either side of the middle.
    var taps: Int { Int((3.25 * sigma).rounded(.up)) + 1 }

    /// `deviation` is the standard deviation with its direction, `axis` the direction of none.
    fileprivate init(
      _ deviation: SIMD2<Double>, along axis: SIMD2<Double>, factor: Int, rest: Double
    ) {
      let longer = max(abs(deviation.x), abs(deviation.y))
      // Averaging to a smaller picture and drawing it larger blur as well.
      let others = factor > 1 ? 1.0 / 12 + 1.0 / 6 : 0
      // A middle between pixels takes as much blur as mixing two of them is.
      let least = 0.04 + 0.8 * abs(rest) * (1 - abs(rest))
      let whole = max(longer * longer - others, least).squareRoot()
      // With many pixels to a sigma some are left out.
      let stretch = max(whole / 4, 1)
      step = (longer > 0 ? deviation / longer : axis) * stretch
      sigma = whole / stretch
      center = -rest
    }
  }
}

extension PixelRect {
  /// The smallest rectangle around this one of whole blocks of so many pixels, counted from the
  /// origin.
  fileprivate func aligned(to block: (x: Int, y: Int)) -> PixelRect {
    let low = divided(by: block)
    return PixelRect(
      minX: low.minX * block.x, minY: low.minY * block.y, maxX: low.maxX * block.x,
      maxY: low.maxY * block.y)
  }

  /// The blocks of so many pixels that the rectangle has a part of.
  func divided(by block: (x: Int, y: Int)) -> PixelRect {
    func down(_ v: Int, _ size: Int) -> Int { v >= 0 ? v / size : -((-v + size - 1) / size) }
    func up(_ v: Int, _ size: Int) -> Int { -down(-v, size) }
    return PixelRect(
      minX: down(minX, block.x), minY: down(minY, block.y), maxX: up(maxX, block.x),
      maxY: up(maxY, block.y))
  }
}
