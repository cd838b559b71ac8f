import Foundation
import LaminaValues

/// A gradient layer's drawing, with sorted stops: the colour at each point of the unit square,
/// which is stretched over the layer's bounds.
package struct LayerGradient: Hashable, Sendable {
  package struct Stop: Hashable, Sendable {
    package var location: Double
    /// Premultiplied, in the space in which colours are mixed.
    package var color: SIMD4<Double>
  }

  /// In rising order, at least two. Of two stops at the same location, the later gives the colour
  /// beyond it.
  package let stops: [Stop]
  package let type: GradientType
  package let startPoint: CGPoint
  package let span: CGPoint

  /// Returns nil if nothing is drawn: with fewer than two colours, fewer locations than colours, or
  /// equal start and end points. The end point of a radial gradient must differ from the start in
  /// both x and y. `convert` returns a colour's premultiplied components in the space to mix in.
  package init?(_ values: GradientValues, convert: (CGColor) -> SIMD4<Double>) {
    let colors = values.colors ?? []
    guard colors.count >= 2, values.locations.map({ $0.count >= colors.count }) ?? true else {
      return nil
    }
    (type, startPoint) = (values.type, values.startPoint)
    span = CGPoint(
      x: values.endPoint.x - values.startPoint.x, y: values.endPoint.y - values.startPoint.y)
    guard span.x.isFinite, span.y.isFinite, span.x != 0 || span.y != 0 else { return nil }
    if type == .radial, span.x == 0 || span.y == 0 { return nil }
    var stops: [Stop] = []
    stops.reserveCapacity(colors.count)
    for (index, color) in colors.enumerated() {
      let location = values.locations?[index] ?? Double(index) / Double(colors.count - 1)
      guard location.isFinite else { return nil }
      stops.append(
        Stop(location: max(location, stops.last?.location ?? location), color: convert(color)))
    }
    self.stops = stops
  }

  package var locations: ClosedRange<Double> { stops[0].location...stops[stops.count - 1].location }

  /// The colour at a location. Before the first stop and after the last, that stop's colour.
  package func color(at location: Double) -> SIMD4<Double> {
    // The first stop past the location.
    var (low, high) = (0, stops.count)
    while low < high {
      let middle = (low + high) / 2
      if stops[middle].location > location { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return stops[0].color }
    guard low < stops.count else { return stops[low - 1].color }
    return color(at: location, between: low - 1)
  }

  /// The colour at a location between the stops `index` and `index + 1`, whose locations differ.
  package func color(at location: Double, between index: Int) -> SIMD4<Double> {
    let (a, b) = (stops[index], stops[index + 1])
    let t = min(max((location - a.location) / (b.location - a.location), 0), 1)
    return a.color + (b.color - a.color) * t
  }

  /// Maps a point of the unit square to coordinates about the start point that give its location:
  /// in an axial gradient x, in a radial one the distance from the origin, in a conic one the angle
  /// from the x axis towards the y axis, in turns.
  package func place(of point: CGPoint) -> CGPoint {
    let (x, y) = (point.x - startPoint.x, point.y - startPoint.y)
    switch type {
    case .radial: return CGPoint(x: x / span.x, y: y / span.y)
    case .axial, .conic:
      let square = span.x * span.x + span.y * span.y
      return CGPoint(
        x: (x * span.x + y * span.y) / square, y: (y * span.x - x * span.y) / square)
    }
  }

  /// The location along the gradient of a point of the unit square.
  package func location(at point: CGPoint) -> Double {
    let place = place(of: point)
    switch type {
    case .axial: return Double(place.x)
    case .radial: return Double(hypot(place.x, place.y))
    case .conic:
      let turns = Double(atan2(place.y, place.x)) / (2 * .pi)
      return turns < 0 ? turns + 1 : turns
    }
  }
}
