import Foundation
import Lamina

/// A gradient layer's colours; stops are premultiplied before they are mixed.
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

  /// The colour at a point of the unit square.
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
