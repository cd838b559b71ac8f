import Foundation

extension PathSegment {
  /// The arc length from the start to parameter `t`, with a relative error of about a millionth.
  package func length(to t: CGFloat = 1) -> CGFloat {
    if case .line(let a, let b) = self { return hypot(b.x - a.x, b.y - a.y) * t }
    return length(0, t, whole: quadrature(0, t), depth: 0)
  }

  /// Halves the range until the sum of both halves agrees with the whole; at most 2⁸ pieces.
  private func length(_ a: CGFloat, _ b: CGFloat, whole: CGFloat, depth: Int) -> CGFloat {
    let middle = (a + b) / 2
    let (left, right) = (quadrature(a, middle), quadrature(middle, b))
    if depth == 8 || !(abs(left + right - whole) > 1e-6 * (left + right)) { return left + right }
    return length(a, middle, whole: left, depth: depth + 1)
      + length(middle, b, whole: right, depth: depth + 1)
  }

  /// Integrates the speed between two parameters, by eight-point Gauss-Legendre quadrature.
  private func quadrature(_ a: CGFloat, _ b: CGFloat) -> CGFloat {
    func speed(_ t: CGFloat) -> CGFloat {
      let v = velocity(at: t)
      return (v.dx * v.dx + v.dy * v.dy).squareRoot()
    }
    let (middle, half) = ((a + b) / 2, (b - a) / 2)
    var sum =
      0.3626837833783620
      * (speed(middle - half * 0.1834346424956498)
        + speed(middle + half * 0.1834346424956498))
    sum +=
      0.3137066458778873
      * (speed(middle - half * 0.5255324099163290)
        + speed(middle + half * 0.5255324099163290))
    sum +=
      0.2223810344533745
      * (speed(middle - half * 0.7966664774136267)
        + speed(middle + half * 0.7966664774136267))
    sum +=
      0.1012285362903763
      * (speed(middle - half * 0.9602898564975363)
        + speed(middle + half * 0.9602898564975363))
    return sum * half
  }

  /// The parameter at arc length `distance`. `total` is this segment's length.
  package func parameter(atLength distance: CGFloat, of total: CGFloat) -> CGFloat {
    guard distance > 0, total > 0 else { return 0 }
    guard distance < total else { return 1 }
    if case .line = self { return distance / total }
    // Newton's method, replaced by bisection whenever it would leave the bounds.
    var (low, high, t) = (CGFloat(0), CGFloat(1), distance / total)
    for _ in 0..<40 {
      let error = length(to: t) - distance
      if abs(error) <= 1e-7 * total { break }
      if error > 0 { high = t } else { low = t }
      let v = velocity(at: t)
      let next = t - error / (v.dx * v.dx + v.dy * v.dy).squareRoot()
      t = next > low && next < high ? next : (low + high) / 2
    }
    return t
  }
}

extension Path {
  /// The arc length of all segments, closing ones included.
  package var length: CGFloat {
    subpaths.reduce(0) { $0 + $1.segments.reduce(0) { $0 + $1.length() } }
  }

  /// Returns the part between two fractions of the arc length, as strokeStart and strokeEnd leave
  /// it. Both are clamped to 0…1 and count all subpaths one after the other, including closing
  /// segments. A segment's share is proportional to its length, but within a curve the fraction of
  /// its length is used as the curve's parameter (checked on macOS). A subpath that is wholly
  /// inside stays closed. Returns an empty path if `from` is not less than `to` or one is not a
  /// number.
  package func trimmed(from: CGFloat, to: CGFloat) -> Path {
    if from <= 0 && to >= 1 { return self }
    guard max(from, 0) < min(to, 1) else { return Path() }
    let subpaths = subpaths
    let lengths = subpaths.map { $0.segments.map { $0.length() } }
    let total = lengths.reduce(0) { $0 + $1.reduce(0, +) }
    // A path without length has nothing to trim: its dots show with round caps.
    guard total > 0, total.isFinite else { return self }
    // If `to` reaches the end, rounding must not cut anything off there.
    let range = (max(from, 0) * total)...(to >= 1 ? .infinity : to * total)
    var trimmed = Path()
    var position: CGFloat = 0
    for (subpath, lengths) in zip(subpaths, lengths) {
      let end = lengths.reduce(position, +)
      if range.lowerBound <= position && end <= range.upperBound {
        trimmed.append(subpath)
      } else if position < range.upperBound && range.lowerBound < end {
        trimmed.append(subpath, lengths, from: position, within: range)
      }
      position = end
    }
    return trimmed
  }

  private mutating func append(_ subpath: Subpath) {
    elements.append(.move(subpath.start))
    elements += subpath.segments.dropLast(subpath.hasClosingLine ? 1 : 0).map(\.element)
    if subpath.isClosed { elements.append(.close) }
  }

  /// Adds the segments of a subpath, which starts at `position`, that lie within `range`.
  private mutating func append(
    _ subpath: Subpath, _ lengths: [CGFloat], from position: CGFloat,
    within range: ClosedRange<CGFloat>
  ) {
    var position = position
    var isOpen = false
    for (segment, length) in zip(subpath.segments, lengths) {
      defer { position += length }
      let (low, high) = (range.lowerBound - position, range.upperBound - position)
      guard high > 0, low < length else { continue }
      let part = segment.part(from: max(low / length, 0), to: min(high / length, 1))
      if !isOpen { elements.append(.move(part.start)) }
      isOpen = true
      elements.append(part.element)
    }
  }
}
