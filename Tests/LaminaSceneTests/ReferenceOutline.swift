import Foundation
import Lamina

/// A shape with an inside, in a layer's own space.
protocol ReferenceFigure {
  typealias Box = (minX: Double, minY: Double, maxX: Double, maxY: Double)

  /// A box that holds the whole figure.
  var box: Box { get }
  /// Whether it has parts so thin that they may pass between the middles of pixels.
  var isThin: Bool { get }
  func contains(_ x: Double, _ y: Double) -> Bool
}

extension ReferenceFigure {
  var isThin: Bool { false }

  static func box(_ points: [SIMD2<Double>]) -> Box {
    points.reduce((.infinity, .infinity, -.infinity, -.infinity)) {
      (min($0.0, $1.x), min($0.1, $1.y), max($0.2, $1.x), max($0.3, $1.y))
    }
  }
}

/// A rectangle with round corners.
struct Outline: ReferenceFigure {
  private var minX, minY, maxX, maxY: Double
  /// The radii of the corners minX minY, maxX minY, minX maxY and maxX maxY.
  private var radii: [Double]
  private let isContinuous: Bool

  init(_ box: Box) {
    (minX, minY, maxX, maxY) = box
    radii = [0, 0, 0, 0]
    isContinuous = false
  }

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

  var box: Box { (minX, minY, maxX, maxY) }

  /// A rectangle without the sides that lie on this outline's or beyond them: the outline clips the
  /// rectangle there, so those edges are its own and count once.
  func opened(_ box: Box) -> Outline {
    let far = 3.0
    return Outline(
      (
        box.minX <= minX ? minX - far : box.minX, box.minY <= minY ? minY - far : box.minY,
        box.maxX >= maxX ? maxX + far : box.maxX, box.maxY >= maxY ? maxY + far : box.maxY
      ))
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

/// The intersection of two outlines.
struct ReferenceOverlap: ReferenceFigure {
  let first, second: Outline

  var box: Box { first.box }
  func contains(_ x: Double, _ y: Double) -> Bool { first.contains(x, y) && second.contains(x, y) }
}

/// A corner with the continuous `cornerCurve`, in radii from the corner; the line and the curves
/// were measured by others on Apple's.
enum ContinuousCorner {
  static let expansion = 1.528_664_83

  /// Points of the curve from one edge to the other: x along the first edge, y inward from it.
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
    // The points are in descending order of x.
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
