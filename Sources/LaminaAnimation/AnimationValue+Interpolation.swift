import Foundation
import LaminaValues

extension AnimationValue {
  /// The value at a fraction of the way to another: this one at 0, `end` at 1. Fractions outside
  /// 0…1 extrapolate if the type allows.
  ///
  /// Numbers and structures of them are interpolated linearly, transforms by their decomposition,
  /// colours by straight components, paths of the same structure by their points (see
  /// `Path.interpolated`), arrays of the same length by their elements. All others, and values of
  /// different types, switch halfway; at exactly halfway, `.none` wins.
  package func interpolated(to end: AnimationValue, fraction: Double) -> AnimationValue {
    if let a = AnimationVector(self), let b = AnimationVector(end),
      let (a, b) = AnimationVector.paired(a, b)
    {
      return a.interpolated(to: b, fraction: fraction).value
    }
    switch (self, end) {
    case (.transform(let a), .transform(let b)):
      if fraction == 0 || a == b { return self }
      if fraction == 1 { return end }
      return .transform(
        TransformDecomposition(a).transform(at: fraction, to: TransformDecomposition(b)))
    case (.path(let a), .path(let b)):
      if let mixed = a.interpolated(to: b, fraction: fraction) { return .path(mixed) }
    case (.array(let a), .array(let b)) where a.count == b.count:
      return .array(zip(a, b).map { $0.interpolated(to: $1, fraction: fraction) })
    case (.filter(let a), .filter(let b)):
      return .filter(a.interpolated(to: b, fraction: fraction))
    case (.none, _):
      return fraction <= 0.5 ? self : end
    default: break
    }
    return fraction < 0.5 ? self : end
  }

  /// This value plus another: numbers are summed, transforms are concatenated, this one first. If
  /// they cannot be added, returns this value; `.none` counts as zero.
  package func adding(_ other: AnimationValue) -> AnimationValue { sum(with: other) ?? self }

  /// This value with that of an additive animation: their sum, or `other` alone if they cannot be
  /// added, such as paths of different structure (checked on macOS).
  package func adding(orBecoming other: AnimationValue) -> AnimationValue {
    sum(with: other) ?? other
  }

  private func sum(with other: AnimationValue) -> AnimationValue? {
    combined(with: other) {
      $0 + $1
    } transforms: {
      $0.concatenating($1)
    }
  }

  /// The value that gives this one if `other` is added to it. A transform without an inverse counts
  /// as the identity.
  package func subtracting(_ other: AnimationValue) -> AnimationValue {
    if case .none = self { return AnimationValue.none.adding(other.scaled(by: -1)) }
    let difference = combined(with: other) {
      $0 - $1
    } transforms: { whole, part in
      part.inverse.map { whole.concatenating($0) } ?? whole
    }
    return difference ?? self
  }

  /// nil if the values have no type in common.
  private func combined(
    with other: AnimationValue, numbers: (SIMD4<Double>, SIMD4<Double>) -> SIMD4<Double>,
    transforms: (CATransform3D, CATransform3D) -> CATransform3D
  ) -> AnimationValue? {
    if let a = AnimationVector(self), let b = AnimationVector(other),
      let (a, b) = AnimationVector.paired(a, b)
    {
      return AnimationVector(a.kind, numbers(a.lanes, b.lanes)).value
    }
    switch (self, other) {
    case (.none, _): return other
    case (_, .none): return self
    case (.transform(let a), .transform(let b)): return .transform(transforms(a, b))
    case (.path(let a), .path(let b)):
      let mixed = a.combined(with: b) { p, q in
        let lanes = numbers(SIMD4(p.x, p.y, 0, 0), SIMD4(q.x, q.y, 0, 0))
        return CGPoint(x: lanes.x, y: lanes.y)
      }
      return mixed.map { .path($0) }
    case (.array(let a), .array(let b)) where a.count == b.count:
      let sums = zip(a, b).compactMap {
        $0.combined(with: $1, numbers: numbers, transforms: transforms)
      }
      return sums.count == a.count ? .array(sums) : nil
    default: return nil
    }
  }

  /// This value added to itself `count` times. 0 gives zero or the identity; negative counts
  /// subtract. For transforms, the count is rounded to a whole number.
  package func scaled(by count: Double) -> AnimationValue {
    if let vector = AnimationVector(self) {
      // 0 × infinity must give 0 here.
      let lanes = count == 0 ? .zero : vector.lanes * count
      return AnimationVector(vector.kind, lanes).value
    }
    switch self {
    case .transform(let transform): return .transform(transform.power(count))
    case .path(let path):
      return .path(path.mapPoints { CGPoint(x: $0.x * count, y: $0.y * count) })
    case .array(let elements): return .array(elements.map { $0.scaled(by: count) })
    default: return self
    }
  }

  package var isNone: Bool {
    if case .none = self { true } else { false }
  }

  /// The neutral value of this one's type, which changes nothing when added.
  package var zero: AnimationValue {
    switch self {
    case .none, .image, .string, .filter, .cell: .none
    default: scaled(by: 0)
    }
  }
}

extension CATransform3D {
  /// The transform applied `count` times, rounded, by repeated squaring. Negative counts apply its
  /// inverse, or give the identity if there is none.
  fileprivate func power(_ count: Double) -> CATransform3D {
    var result = CATransform3D.identity
    guard var rest = UInt64(exactly: min(abs(count.numberOrZero), 0x1p53).rounded()), rest > 0,
      var factor = count < 0 ? inverse : self
    else { return result }
    while rest > 0, factor.isFinite {
      if rest & 1 == 1 { result = result.concatenating(factor) }
      factor = factor.concatenating(factor)
      rest >>= 1
    }
    return result
  }
}
