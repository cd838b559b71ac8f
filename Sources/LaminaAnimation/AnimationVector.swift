import Foundation
import LaminaValues

/// A value of up to four numbers, as most animations have, in lanes that are computed at once.
struct AnimationVector: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case number, point, size, rect
    /// Straight components and alpha, with sRGB's curve. Display P3 is converted to extended sRGB.
    case color(CGColorSpace.Kind)
  }

  var kind: Kind
  var lanes: SIMD4<Double>

  init(_ kind: Kind, _ lanes: SIMD4<Double>) {
    self.kind = kind
    self.lanes = lanes
  }

  /// nil if the value does not consist of a few numbers.
  @inline(__always)
  init?(_ value: borrowing AnimationValue) {
    switch value {
    case .number(let number): self.init(.number, SIMD4(number, 0, 0, 0))
    case .point(let point): self.init(.point, SIMD4(point.x, point.y, 0, 0))
    case .size(let size): self.init(.size, SIMD4(size.width, size.height, 0, 0))
    case .rect(let rect):
      self.init(
        .rect, SIMD4(rect.origin.x, rect.origin.y, rect.size.width, rect.size.height))
    case .color(let color) where color.spaceKind == .displayP3:
      let (red, green, blue, alpha) = color.extendedSRGB
      self.init(.color(.extendedSRGB), SIMD4(red, green, blue, alpha))
    case .color(let color):
      self.init(.color(color.spaceKind), SIMD4(color.c0, color.c1, color.c2, color.alpha))
    default: return nil
    }
  }

  @inline(__always)
  var value: AnimationValue {
    switch kind {
    case .number: .number(lanes.x)
    case .point: .point(CGPoint(x: lanes.x, y: lanes.y))
    case .size: .size(CGSize(width: lanes.x, height: lanes.y))
    case .rect:
      .rect(CGRect(x: lanes.x, y: lanes.y, width: lanes.z, height: lanes.w))
    case .color(let kind):
      .color(
        CGColor(kind: kind, lanes.x, lanes.y, lanes.z, alpha: min(max(lanes.w, 0), 1)))
    }
  }

  /// Returns both in one kind; nil if they have none in common. Colours of different kinds are
  /// both in sRGB or extended sRGB then.
  static func paired(
    _ a: AnimationVector, _ b: AnimationVector
  ) -> (AnimationVector, AnimationVector)? {
    if a.kind == b.kind { return (a, b) }
    guard case .color(let first) = a.kind, case .color(let second) = b.kind else { return nil }
    // The kinds differ only in range: a gray has its level in all three components.
    let common = Kind.color(commonKind(first, second))
    return (AnimationVector(common, a.lanes), AnimationVector(common, b.lanes))
  }

  /// Returns all values as vectors of one kind; nil if some are no vectors or have no kind in
  /// common.
  static func aligned(_ values: [AnimationValue]) -> [AnimationVector]? {
    let vectors = values.compactMap { AnimationVector($0) }
    guard let first = vectors.first, vectors.count == values.count else { return nil }
    if vectors.allSatisfy({ $0.kind == first.kind }) { return vectors }
    let kinds = vectors.compactMap { vector in
      if case .color(let kind) = vector.kind { kind } else { nil }
    }
    guard kinds.count == vectors.count else { return nil }
    let common = kinds.reduce(kinds[0], commonKind)
    return vectors.map { AnimationVector(.color(common), $0.lanes) }
  }

  /// Gray has sRGB's curve, so the two only need sRGB.
  private static func commonKind(
    _ a: CGColorSpace.Kind, _ b: CGColorSpace.Kind
  ) -> CGColorSpace.Kind {
    if a == b { return a }
    let isNarrow = (a == .sRGB || a == .gray) && (b == .sRGB || b == .gray)
    return isNarrow ? .sRGB : .extendedSRGB
  }

  /// The vector at a fraction of the way to another of the same kind.
  @inline(__always)
  func interpolated(to end: AnimationVector, fraction: Double) -> AnimationVector {
    AnimationVector(kind, mix(lanes, end.lanes, fraction))
  }

  func squaredDistance(to other: AnimationVector) -> Double {
    let difference = other.lanes - lanes
    return (difference * difference).sum()
  }
}

/// Mixes linearly: a at 0, b at 1, extrapolated beyond both. If the numbers are too large to
/// subtract, returns the nearer one.
@inline(__always)
func mix(_ a: SIMD4<Double>, _ b: SIMD4<Double>, _ fraction: Double) -> SIMD4<Double> {
  if fraction == 1 { return b }
  let mixed = a + (b - a) * fraction
  // The sum is finite only if each term is. It may also overflow, which needs the same fallback.
  return mixed.sum().isFinite ? mixed : fraction < 0.5 ? a : b
}

@inline(__always)
func mix(_ a: Double, _ b: Double, _ fraction: Double) -> Double {
  if fraction == 1 { return b }
  let mixed = a + (b - a) * fraction
  return mixed.isFinite ? mixed : fraction < 0.5 ? a : b
}
