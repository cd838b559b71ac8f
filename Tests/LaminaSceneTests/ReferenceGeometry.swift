import Foundation
import Lamina

/// A layer's plane as it is seen.
struct Plane {
  /// A matrix that points are multiplied by from the left, as x, y and 1 or w.
  private struct Matrix {
    var a, b, c, d, e, f, g, h, i: Double

    /// nil where it is singular.
    var inverse: Matrix? {
      let determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
      guard abs(determinant) > 1e-12 else { return nil }
      let k = 1 / determinant
      return Matrix(
        a: k * (e * i - f * h), b: k * (c * h - b * i), c: k * (b * f - c * e),
        d: k * (f * g - d * i), e: k * (a * i - c * g), f: k * (c * d - a * f),
        g: k * (d * h - e * g), h: k * (b * g - a * h), i: k * (a * e - b * d))
    }

    static func * (l: Matrix, r: Matrix) -> Matrix {
      Matrix(
        a: l.a * r.a + l.b * r.d + l.c * r.g, b: l.a * r.b + l.b * r.e + l.c * r.h,
        c: l.a * r.c + l.b * r.f + l.c * r.i, d: l.d * r.a + l.e * r.d + l.f * r.g,
        e: l.d * r.b + l.e * r.e + l.f * r.h, f: l.d * r.c + l.e * r.f + l.f * r.i,
        g: l.g * r.a + l.h * r.d + l.i * r.g, h: l.g * r.b + l.h * r.e + l.i * r.h,
        i: l.g * r.c + l.h * r.f + l.i * r.i)
    }
  }

  /// From the layer's own space to the screen.
  private var m: Matrix
  /// nil for a plane seen on its edge: nothing of it shows.
  private var inverse: Matrix?

  /// In the screen itself.
  init(_ t: CATransform3D) {
    self.init(
      Matrix(
        a: Double(t.m11), b: Double(t.m12), c: Double(t.m14), d: Double(t.m21), e: Double(t.m22),
        f: Double(t.m24), g: Double(t.m41), h: Double(t.m42), i: Double(t.m44)))
  }

  /// In another layer's plane, onto which what lies in its space is pressed.
  init(_ toSpace: CATransform3D, in other: Plane) { self.init(Plane(toSpace).m * other.m) }

  private init(_ m: Matrix) {
    self.m = m
    inverse = m.inverse
  }

  /// Moves what is in the plane by a distance in its own units.
  mutating func moveBy(_ x: Double, _ y: Double) {
    self = Plane(Matrix(a: 1, b: 0, c: 0, d: 0, e: 1, f: 0, g: x, h: y, i: 1) * m)
  }

  /// Pixels a unit, where that is the same in all directions.
  var scale: Double { (m.a * m.a + m.b * m.b).squareRoot() }

  /// The point of the layer that is seen in a place of the screen; nil where the plane is not seen
  /// there, or lies behind the eye.
  func local(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
    guard let n = inverse else { return nil }
    let t = x * n.c + y * n.f + n.i
    guard t != 0 else { return nil }
    let px = (x * n.a + y * n.d + n.g) / t
    let py = (x * n.b + y * n.e + n.h) / t
    return px * m.c + py * m.f + m.i > 0 ? (px, py) : nil
  }

  func isInside(_ outline: Outline, _ x: Double, _ y: Double) -> Bool {
    guard let p = local(x, y) else { return false }
    return outline.contains(p.x, p.y)
  }

  /// The pixels that an outline may touch, or all where some of it lies behind the eye.
  func box(of outline: Outline, margin: Int) -> ReferenceBox {
    var box = ReferenceBox.none
    for (x, y) in [
      (outline.minX, outline.minY), (outline.maxX, outline.minY), (outline.minX, outline.maxY),
      (outline.maxX, outline.maxY),
    ] {
      let w = x * m.c + y * m.f + m.i
      let (sx, sy) = ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
      guard w > 1e-6, abs(sx) < 1e6, abs(sy) < 1e6 else {
        return ReferenceBox(minX: -1_000_000, minY: -1_000_000, maxX: 1_000_000, maxY: 1_000_000)
      }
      let (column, row) = (Int(sx.rounded(.down)) + margin, Int(sy.rounded(.down)) + margin)
      box = box.union(
        ReferenceBox(minX: column - 1, minY: row - 1, maxX: column + 2, maxY: row + 2))
    }
    return box
  }

  func isFacingUs(_ bounds: CGRect) -> Bool {
    let (x, y) = (Double(bounds.midX), Double(bounds.midY))
    let w = x * m.c + y * m.f + m.i
    guard w > 0 else { return true }
    let (sx, sy) = ((x * m.a + y * m.d + m.g) / w, (x * m.b + y * m.e + m.h) / w)
    let (ax, ay) = (m.a - sx * m.c, m.b - sy * m.c)
    let (bx, by) = (m.d - sx * m.f, m.e - sy * m.f)
    return ax * by - ay * bx > 0
  }
}

/// A rectangle with round corners.
struct Outline {
  var minX, minY, maxX, maxY: Double
  /// Of the corners minX minY, maxX minY, minX maxY and maxX maxY.
  var radii: [Double]
  private let isContinuous: Bool

  init(_ layer: CALayer) {
    let bounds = layer.bounds
    (minX, minY) = (Double(bounds.minX), Double(bounds.minY))
    (maxX, maxY) = (Double(bounds.maxX), Double(bounds.maxY))
    isContinuous = layer.cornerCurve == .continuous
    let room = min(maxX - minX, maxY - minY) / 2
    let radius = min(
      Double(layer.cornerRadius), isContinuous ? room / ContinuousCorner.expansion : room)
    radii = (0..<4).map { layer.maskedCorners.rawValue >> UInt($0) & 1 == 1 ? radius : 0 }
  }

  func inset(by width: Double) -> Outline {
    var inner = self
    (inner.minX, inner.minY) = (minX + width, minY + width)
    (inner.maxX, inner.maxY) = (maxX - width, maxY - width)
    inner.radii = radii.map { max($0 - width, 0) }
    return inner
  }

  func contains(_ x: Double, _ y: Double) -> Bool {
    guard x > minX, x < maxX, y > minY, y < maxY else { return false }
    let isRight = x > (minX + maxX) / 2
    let isLow = y > (minY + maxY) / 2
    let radius = radii[(isRight ? 1 : 0) + (isLow ? 2 : 0)]
    guard radius > 0 else { return true }
    if isContinuous {
      return ContinuousCorner.contains(
        (isRight ? maxX - x : x - minX) / radius, (isLow ? maxY - y : y - minY) / radius)
    }
    let dx = isRight ? x - (maxX - radius) : minX + radius - x
    let dy = isLow ? y - (maxY - radius) : minY + radius - y
    return dx <= 0 || dy <= 0 || dx * dx + dy * dy < radius * radius
  }
}

/// A corner of `cornerCurve` continuous, in radii from the corner: line and curves as measured by
/// those who took Apple's apart.
enum ContinuousCorner {
  static let expansion = 1.528_664_83

  /// Along one edge and in from it, from the edge to the corner's middle.
  private static let points: [(x: Double, y: Double)] = {
    let curves: [[(Double, Double)]] = [
      [(1.52866483, 0), (1.08849323, 0), (0.86840689, 0), (0.66993427, 0.06549600)],
      [(0.66993427, 0.06549600), (0.65, 0.07), (0.64, 0.072), (0.63149399, 0.07491100)],
      [
        (0.63149399, 0.07491100), (0.37282392, 0.16905899), (0.16905899, 0.37282392),
        (0.07491100, 0.63149399),
      ],
      [(0.07491100, 0.63149399), (0.072, 0.64), (0.07, 0.65), (0.06549600, 0.66993427)],
      [(0.06549600, 0.66993427), (0, 0.86840689), (0, 1.08849323), (0, 1.52866483)],
    ]
    return curves.flatMap { c in
      (0..<24).map { step -> (x: Double, y: Double) in
        let t = Double(step) / 24
        let w = [
          (1 - t) * (1 - t) * (1 - t), 3 * t * (1 - t) * (1 - t), 3 * t * t * (1 - t), t * t * t,
        ]
        return (
          zip(w, c).map { $0 * $1.0 }.reduce(0, +), zip(w, c).map { $0 * $1.1 }.reduce(0, +)
        )
      }
    } + [(0, expansion)]
  }()

  static func contains(_ x: Double, _ y: Double) -> Bool {
    guard x < expansion, y < expansion else { return true }
    // The points go from great x to small.
    var (low, high) = (0, points.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle].x > x { low = middle } else { high = middle }
    }
    let (a, b) = (points[low], points[high])
    let t = a.x > b.x ? (a.x - x) / (a.x - b.x) : 1
    return y > a.y + (b.y - a.y) * t
  }
}

/// A gradient layer's colours: stops premultiplied, then mixed.
struct ReferenceGradient {
  private let stops: [(location: Double, color: ReferenceColor)]
  private let type: CAGradientLayerType
  private let start: (x: Double, y: Double)
  private let way: (x: Double, y: Double)

  init(_ layer: CAGradientLayer) {
    let colors = (layer.colors ?? []).map { ($0 as! CGColor).components!.map { Double($0) } }
    stops = colors.indices.map { index in
      let c = colors[index]
      return (
        layer.locations?[index].doubleValue ?? Double(index) / Double(colors.count - 1),
        (c[0] * c[3], c[1] * c[3], c[2] * c[3], c[3])
      )
    }
    type = layer.type
    start = (Double(layer.startPoint.x), Double(layer.startPoint.y))
    way = (Double(layer.endPoint.x) - start.x, Double(layer.endPoint.y) - start.y)
  }

  /// At a point of the unit square.
  func color(at x: Double, _ y: Double) -> ReferenceColor {
    let (dx, dy) = (x - start.x, y - start.y)
    let location: Double
    switch type {
    case .radial: location = hypot(dx / way.x, dy / way.y)
    case .conic:
      let turns = (atan2(dy, dx) - atan2(way.y, way.x)) / (2 * .pi)
      location = turns - turns.rounded(.down)
    default: location = (dx * way.x + dy * way.y) / (way.x * way.x + way.y * way.y)
    }
    guard let next = stops.firstIndex(where: { $0.location > location }) else {
      return stops[stops.count - 1].color
    }
    guard next > 0 else { return stops[0].color }
    let (a, b) = (stops[next - 1], stops[next])
    let t = (location - a.location) / (b.location - a.location)
    return (
      a.color.r + (b.color.r - a.color.r) * t, a.color.g + (b.color.g - a.color.g) * t,
      a.color.b + (b.color.b - a.color.b) * t, a.color.a + (b.color.a - a.color.a) * t
    )
  }
}
