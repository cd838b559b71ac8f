import Foundation

extension TimingCurve {
  /// The progress at a fraction of time. The fraction is clamped to 0…1; the progress may leave
  /// that range if control points do.
  ///
  /// The curve is solved to about 1e-12, not approximated by a table. Control points whose x is
  /// outside 0…1 would not give a function of time, so that x is clamped.
  package func value(at fraction: Double) -> Double {
    let time = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
    if c1x == c1y, c2x == c2y { return time }
    if time == 0 || time == 1 { return time }
    let s = parameter(at: time)
    let value = ((1 + 3 * (c1y - c2y)) * s + 3 * (c2y - 2 * c1y)) * s * s + 3 * c1y * s
    return value.isFinite ? value : time
  }

  /// The curve's parameter at which x is `time`: Newton's method, kept inside a bracket that each
  /// step narrows, because the slope of x may be 0.
  private func parameter(at time: Double) -> Double {
    let (x1, x2) = (Self.unit(c1x), Self.unit(c2x))
    let (a, b, c) = (1 + 3 * (x1 - x2), 3 * (x2 - 2 * x1), 3 * x1)
    var (low, high) = (0.0, 1.0)
    var s = time
    for _ in 0..<64 {
      let error = ((a * s + b) * s + c) * s - time
      if abs(error) < 1e-13 { break }
      if error < 0 { low = s } else { high = s }
      let slope = (3 * a * s + 2 * b) * s + c
      let next = s - error / slope
      s = next > low && next < high ? next : (low + high) / 2
    }
    return s
  }

  private static func unit(_ x: Double) -> Double { x.isNaN ? 0 : min(max(x, 0), 1) }
}

extension TimingCurve? {
  /// The progress at a fraction of time; linear if there is no curve.
  @inline(__always)
  func value(at fraction: Double) -> Double {
    switch self {
    case .none: fraction
    case .some(let curve): curve.value(at: fraction)
    }
  }
}
