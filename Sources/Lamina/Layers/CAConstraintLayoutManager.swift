import Foundation

/// Lays out sublayers by their `constraints`.
///
/// Along each axis at most two of a layer's constraints count: the last one and, of the others, the
/// one whose attribute comes first in the order minimum, middle, maximum, length. A single
/// constraint moves the layer; two also set its length. The order of the sublayers makes no
/// difference.
///
/// A layer is left as it is along an axis if it has no constraint there, if its only one is for a
/// length, if both are for the same attribute, or if a source is unknown, is the layer itself, is
/// left as it is for one of these reasons, or depends on the layer.
open class CAConstraintLayoutManager: NSObject, NSSecureCoding, CALayoutManager {
  public override init() { super.init() }

  open class var supportsSecureCoding: Bool { true }
  open func encode(with coder: NSCoder) {}
  public required init?(coder: NSCoder) { super.init() }

  /// The size of the layer's frame: constraints say nothing about their superlayer's size.
  open func preferredSize(of layer: CALayer) -> CGSize { layer.frame.size }

  /// Does nothing, since no layout is kept.
  open func invalidateLayout(of layer: CALayer) {}

  open func layoutSublayers(of layer: CALayer) {
    var solver = ConstraintSolver(layer)
    for (sublayer, frame) in solver.frames() where sublayer.frame != frame {
      sublayer.frame = frame
    }
  }
}

extension CAConstraintAttribute {
  fileprivate enum Axis: Int { case x, y }

  fileprivate var axis: Axis { rawValue < Self.minY.rawValue ? .x : .y }

  /// The attribute's number on either axis: 0 the minimum, 1 the middle, 2 the maximum, 3 the
  /// length.
  fileprivate var place: Int { Int(rawValue) % 4 }
}

/// The extent of a layer along one axis.
private struct Span: Equatable {
  var min: CGFloat
  var length: CGFloat

  init(_ rect: CGRect, _ axis: CAConstraintAttribute.Axis) {
    (min, length) = axis == .x ? (rect.minX, rect.width) : (rect.minY, rect.height)
  }

  func value(at place: Int) -> CGFloat {
    place == 3 ? length : min + length / 2 * CGFloat(place)
  }

  /// The span moved so that `place` has the given value; nil for a length, which sets no position.
  func moved(_ place: Int, to value: CGFloat) -> Span? {
    guard place != 3 else { return nil }
    var span = self
    span.min += value - self.value(at: place)
    return span
  }

  /// The span that has both values; nil if they are for the same place.
  func with(_ first: (place: Int, value: CGFloat), _ second: (place: Int, value: CGFloat)) -> Span?
  {
    let (low, high) = first.place < second.place ? (first, second) : (second, first)
    guard low.place != high.place else { return nil }
    var span = self
    span.length =
      high.place == 3
      ? high.value : (high.value - low.value) * 2 / CGFloat(high.place - low.place)
    return span.moved(low.place, to: low.value)
  }
}

/// Finds the spans of a layer's sublayers along both axes.
private struct ConstraintSolver {
  private enum State {
    case unknown
    /// Waits for its sources.
    case waiting
    case known(Span)
    case impossible
  }

  private let bounds: CGRect
  private let layers: [CALayer]
  private let places: [String: Int]
  /// The sublayers' states along the x axis, then those along the y axis.
  private var states: [State]

  init(_ superlayer: CALayer) {
    bounds = superlayer.bounds
    let layers = superlayer.sublayers ?? []
    self.layers = layers
    places = Dictionary(
      layers.enumerated().compactMap { place, layer in layer.name.map { ($0, place) } },
      uniquingKeysWith: { first, _ in first })
    states = Array(repeating: .unknown, count: layers.count * 2)
  }

  /// The frames of the sublayers that have constraints.
  mutating func frames() -> [(layer: CALayer, frame: CGRect)] {
    layers.indices.compactMap { place in
      let layer = layers[place]
      guard layer.constraints?.isEmpty == false else { return nil }
      var frame = layer.frame
      if let span = solve(place) { (frame.origin.x, frame.size.width) = (span.min, span.length) }
      if let span = solve(place + layers.count) {
        (frame.origin.y, frame.size.height) = (span.min, span.length)
      }
      return (layer, frame)
    }
  }

  /// The span of a node, which is a layer along one axis, after solving the nodes that it depends
  /// on. It uses an explicit stack, since a long row of layers may depend on one another.
  private mutating func solve(_ wanted: Int) -> Span? {
    var waiting = [wanted]
    while let node = waiting.last {
      if let source = firstUnknownSource(of: node) {
        states[node] = .waiting
        waiting.append(source)
      } else {
        states[node] = span(of: node).map { .known($0) } ?? .impossible
        waiting.removeLast()
      }
    }
    guard case .known(let span) = states[wanted] else { return nil }
    return span
  }

  private func axis(of node: Int) -> CAConstraintAttribute.Axis {
    node < layers.count ? .x : .y
  }

  /// The constraints that count, at most two.
  private func rules(of node: Int) -> [CAConstraint] {
    let axis = axis(of: node)
    var rules = (layers[node % layers.count].constraints ?? []).filter {
      $0.attribute.axis == axis
    }
    guard let last = rules.popLast() else { return [] }
    let other = rules.min { $0.attribute.place < $1.attribute.place }
    return other.map { [$0, last] } ?? [last]
  }

  /// The node that a constraint measures; nil for the superlayer and for an unknown name.
  private func source(of rule: CAConstraint) -> Int? {
    places[rule.sourceName].map {
      rule.sourceAttribute.axis == .x ? $0 : $0 + layers.count
    }
  }

  private func firstUnknownSource(of node: Int) -> Int? {
    if case .known = states[node] { return nil }
    if case .impossible = states[node] { return nil }
    return rules(of: node).lazy.compactMap(source).first {
      if case .unknown = states[$0] { true } else { false }
    }
  }

  private func span(of node: Int) -> Span? {
    if case .known(let span) = states[node] { return span }
    let current = Span(layers[node % layers.count].frame, axis(of: node))
    let rules = rules(of: node)
    guard !rules.isEmpty else { return nil }
    var values: [(place: Int, value: CGFloat)] = []
    for rule in rules {
      guard let value = value(of: rule, for: node) else { return nil }
      values.append((rule.attribute.place, value))
    }
    return values.count == 1
      ? current.moved(values[0].place, to: values[0].value) : current.with(values[0], values[1])
  }

  private func value(of rule: CAConstraint, for node: Int) -> CGFloat? {
    let measured: Span
    if rule.sourceName == "superlayer" {
      measured = Span(bounds, rule.sourceAttribute.axis)
    } else {
      guard let source = source(of: rule), source % layers.count != node % layers.count,
        case .known(let span) = states[source]
      else { return nil }
      measured = span
    }
    return measured.value(at: rule.sourceAttribute.place) * rule.scale + rule.offset
  }
}
