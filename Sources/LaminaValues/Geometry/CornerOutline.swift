import Foundation

/// A rectangle with round corners, each with its own radius: the outline of a layer's background,
/// border, gradient, clip and shadow.
@usableFromInline package struct CornerOutline: Hashable, Sendable {
  @usableFromInline package enum Curve: Hashable, Sendable {
    /// A quarter of a circle.
    case circular
    /// A curve that leaves the edge more slowly, `expansion` radii from the corner.
    case continuous

    /// Length of the curve along each edge, in radii from the corner.
    @usableFromInline package var expansion: Double { self == .circular ? 1 : 1.528_664_83 }
  }

  /// The radii of four corners: minX minY, maxX minY, maxX maxY, minX maxY.
  @usableFromInline package typealias Radii = SIMD4<Double>

  package var rect: CGRect
  package var radii: Radii
  package var curve: Curve

  @usableFromInline package init(rect: CGRect, radii: Radii = .zero, curve: Curve = .circular) {
    (self.rect, self.radii, self.curve) = (rect, radii, curve)
  }

  /// The outline of a layer's bounds. `corners` has a bit for each round corner: minX minY 1, maxX
  /// minY 2, minX maxY 4, maxX maxY 8. The radius is limited so that the curves of two corners at
  /// most meet in the middle of the shorter side.
  package init(rect: CGRect, radius: Double, corners: UInt32, curve: Curve) {
    let limit = Double(min(rect.width, rect.height)) / 2 / curve.expansion
    let radius = min(radius, limit)
    self.init(rect: rect, curve: curve)
    guard radius > 0 else { return }
    radii = Radii(
      corners & 1 != 0 ? radius : 0, corners & 2 != 0 ? radius : 0,
      corners & 8 != 0 ? radius : 0, corners & 4 != 0 ? radius : 0)
  }

  /// Directions along the edges minY, maxX, maxY and minX.
  private static let ways = [
    CGPoint(x: 1, y: 0), CGPoint(x: 0, y: 1), CGPoint(x: -1, y: 0), CGPoint(x: 0, y: -1),
  ]

  /// Whether no corner is round.
  @usableFromInline package var isRectangle: Bool { radii == .zero }

  /// The outline moved inward by `distance`, or outward if that is negative. Past the middle, the
  /// width or height of the rectangle becomes negative.
  package func inset(by distance: CGFloat) -> CornerOutline {
    let inner = CGRect(
      x: rect.minX + distance, y: rect.minY + distance, width: rect.width - 2 * distance,
      height: rect.height - 2 * distance)
    let smaller = radii - Radii(repeating: Double(distance))
    return CornerOutline(rect: inner, radii: smaller.clamped(to: 0), curve: curve)
  }

  /// The outline as a closed path, clockwise if y points down; empty if the rectangle is.
  package var path: Path {
    var path = Path()
    guard rect.size.width > 0, rect.size.height > 0 else { return path }
    guard !isRectangle else {
      path.addRect(rect)
      return path
    }
    for i in 0..<4 {
      let (corner, radius) = (rect.corner(i), CGFloat(radii[i]))
      let (incoming, outgoing) = (Self.ways[(i + 3) % 4], Self.ways[i])
      func point(_ before: Double, _ after: Double) -> CGPoint {
        CGPoint(
          x: corner.x + radius * (after * outgoing.x - before * incoming.x),
          y: corner.y + radius * (after * outgoing.y - before * incoming.y))
      }
      let start = point(curve.expansion, 0)
      if i == 0 { path.move(to: start) } else { path.addLine(to: start) }
      if radius > 0 { path.addCorner(curve, point) }
    }
    path.close()
    return path
  }
}

extension Path {
  /// Adds the curve about a corner, from its start. `point` takes two distances from the corner, in
  /// radii: back along the incoming edge and ahead along the outgoing one.
  fileprivate mutating func addCorner(
    _ curve: CornerOutline.Curve, _ point: (Double, Double) -> CGPoint
  ) {
    switch curve {
    case .circular:
      let handle = 1 - 0.552_284_749_830_793_4
      addCubic(control1: point(handle, 0), control2: point(0, handle), end: point(0, 1))
    case .continuous:
      // The control points commonly measured in drawings by Apple's systems, in radii along an edge
      // and inward.
      let (u0, u1, u2) = (curve.expansion, 1.088_493_23, 0.868_406_89)
      let (u3, v3, u4, v4) = (0.669_934_27, 0.065_496, 0.631_493_99, 0.074_911)
      let (u5, v5) = (0.372_823_92, 0.169_058_99)
      addCubic(control1: point(u1, 0), control2: point(u2, 0), end: point(u3, v3))
      addLine(to: point(u4, v4))
      addCubic(control1: point(u5, v5), control2: point(v5, u5), end: point(v4, u4))
      addLine(to: point(v3, u3))
      addCubic(control1: point(0, u2), control2: point(0, u1), end: point(0, u0))
    }
  }
}

extension SIMD4<Double> {
  fileprivate func clamped(to minimum: Double) -> Self {
    replacing(with: minimum, where: self .< minimum)
  }
}
