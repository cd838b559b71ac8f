import LaminaAnimation
import LaminaCommit

@testable import Lamina

/// The first difference between two trees of layers: their classes, all properties, animations,
/// states and transitions. nil if they are equal.
struct LayerDifference {
  private var places: [ObjectIdentifier: String] = [:]
  private(set) var text: String?

  /// The position of a document's root layer is the reader's, so it is not compared.
  init(_ a: CALayer, _ b: CALayer) {
    number(a, "root")
    number(b, "root")
    compare(a, b, at: "root")
  }

  private mutating func number(_ layer: CALayer, _ place: String) {
    places[ObjectIdentifier(layer)] = place
    if let mask = layer.mask { number(mask, place + ".mask") }
    for (index, sublayer) in (layer.sublayers ?? []).enumerated() {
      number(sublayer, "\(place).\(index)")
    }
  }

  private mutating func expect(_ isEqual: Bool, _ what: @autoclosure () -> String) {
    if !isEqual, text == nil { text = what() }
  }

  /// Whether two emitters have equal cells, whatever the numbers of their images.
  private static func areEqual(_ a: CAEmitterLayer?, _ b: CAEmitterLayer?) -> Bool {
    func cells(_ layer: CAEmitterLayer?) -> [EmitterCellValues]? {
      layer?.emitterCells?.map { withoutImages($0.snapshot) }
    }
    func images(_ layer: CAEmitterLayer?) -> [CGImage] {
      (layer?.emitterCells ?? []).flatMap { $0.images() }
    }
    let (mine, others) = (images(a), images(b))
    return cells(a) == cells(b) && mine.count == others.count
      && zip(mine, others).allSatisfy { areEqual($0, $1) }
  }

  /// Whether two lists of filters are equal, whatever the numbers of their images.
  private static func areEqual(filters a: [Any]?, _ b: [Any]?) -> Bool {
    func equal(_ a: Any, _ b: Any) -> Bool {
      guard let a = a as? CAFilter, let b = b as? CAFilter else {
        return a as? String == b as? String && a is String
      }
      let (image, other) = (a.value(forKey: "inputMaskImage"), b.value(forKey: "inputMaskImage"))
      let copies = [a, b].map { $0.copy() as? CAFilter }
      for copy in copies where image is CGImage {
        copy?.setValue(nil, forKey: "inputMaskImage")
      }
      return copies[0] == copies[1] && areEqual(image, other)
    }
    return (a == nil) == (b == nil) && a?.count == b?.count
      && zip(a ?? [], b ?? []).allSatisfy(equal)
  }

  private static func withoutImages(_ cell: EmitterCellValues) -> EmitterCellValues {
    var cell = cell
    cell.contents = nil
    cell.cells = cell.cells?.map(withoutImages)
    return cell
  }

  private mutating func compare(_ a: CALayer, _ b: CALayer, at place: String) {
    expect(type(of: a) == type(of: b), "\(place): \(type(of: a)), \(type(of: b))")
    for property in StoredProperty.allCases where type(of: a).kind.has(property) {
      if property == .position, place == "root" { continue }
      let (value, other) = (a.modelValues.value(of: property), b.modelValues.value(of: property))
      let isEqual =
        switch property {
        case .contents: Self.areEqual(a.contents, b.contents)
        case .emitterCells: Self.areEqual(a as? CAEmitterLayer, b as? CAEmitterLayer)
        case .filters: Self.areEqual(filters: a.filters, b.filters)
        case .backgroundFilters: Self.areEqual(filters: a.backgroundFilters, b.backgroundFilters)
        default: value == other
        }
      expect(isEqual, "\(place).\(property.key): \(value), \(other)")
    }
    let (animations, others) = (a.attachedAnimations, b.attachedAnimations)
    expect(
      animations.map { $0.hasKey ? $0.key : nil } == others.map { $0.hasKey ? $0.key : nil },
      "\(place): animations \(animations.map(\.key)), \(others.map(\.key))")
    for (animation, other) in zip(animations, others) {
      expect(
        Self.areEqual(animation.animation, other.animation),
        "\(place), animation \(animation.key): "
          + Self.difference(animation.animation, other.animation))
    }
    compareStates(a, b, at: place)
    expect((a.mask == nil) == (b.mask == nil), "\(place): one has a mask")
    if let mask = a.mask, let other = b.mask { compare(mask, other, at: place + ".mask") }
    let (layers, otherLayers) = (a.sublayers ?? [], b.sublayers ?? [])
    expect(layers.count == otherLayers.count, "\(place): \(layers.count), \(otherLayers.count)")
    for (index, pair) in zip(layers, otherLayers).enumerated() {
      compare(pair.0, pair.1, at: "\(place).\(index)")
    }
  }

  private mutating func compareStates(_ a: CALayer, _ b: CALayer, at place: String) {
    let (states, others) = (a.states ?? [], b.states ?? [])
    expect(states.map(\.name) == others.map(\.name), "\(place): states")
    for (state, other) in zip(states, others) {
      expect(state.basedOn == other.basedOn, "\(place): the base of \(state.name)")
      let name = "\(place): values of \(state.name)"
      expect(state.elements.map(\.keyPath) == other.elements.map(\.keyPath), name)
      expect(state.elements.map { at($0.target) } == other.elements.map { at($0.target) }, name)
      for (element, other) in zip(state.elements, other.elements) {
        expect(Self.areEqual(element.value, other.value), "\(name), \(element.keyPath)")
      }
    }
    let (transitions, otherTransitions) = (a.stateTransitions ?? [], b.stateTransitions ?? [])
    expect(transitions.count == otherTransitions.count, "\(place): transitions")
    for (transition, other) in zip(transitions, otherTransitions) {
      let name = "\(place): transition from \(transition.fromState) to \(transition.toState)"
      expect(
        (transition.fromState, transition.toState) == (other.fromState, other.toState), name)
      expect(transition.elements.map(\.key) == other.elements.map(\.key), name)
      expect(
        transition.elements.map { at($0.target) } == other.elements.map { at($0.target) }, name)
      for (element, other) in zip(transition.elements, other.elements) {
        expect(Self.areEqual(element.animation, other.animation), "\(name), \(element.key)")
      }
    }
  }

  private func at(_ layer: CALayer?) -> String? { layer.flatMap { places[ObjectIdentifier($0)] } }

  private static func difference(_ a: CAAnimation, _ b: CAAnimation) -> String {
    let keys = a.attributes.keys.sorted().filter {
      !areEqual(a.value(forKey: $0), b.value(forKey: $0))
    }
    return keys.map { "\($0): \(a.value(forKey: $0) ?? "nil"), \(b.value(forKey: $0) ?? "nil")" }
      .joined(separator: "; ")
  }

  private static func areEqual(_ a: Any?, _ b: Any?) -> Bool {
    switch (a, b) {
    case (let a as CGImage, let b as CGImage):
      return a.width == b.width && a.unpremultipliedRGBA == b.unpremultipliedRGBA
    case (let a as CAAnimation, let b as CAAnimation):
      return type(of: a) == type(of: b)
        && a.attributes.keys.allSatisfy { areEqual(a.value(forKey: $0), b.value(forKey: $0)) }
    case (let a as CAMediaTimingFunction, let b as CAMediaTimingFunction):
      return a.controlNumbers == b.controlNumbers
    case (let a as CAValueFunction, let b as CAValueFunction): return a.name == b.name
    case (let a as CAFrameRateRange, let b as CAFrameRateRange): return a == b
    case (let a as [Any], let b as [Any]):
      return a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
    default:
      guard let a = AnimationValue(a) else { return false }
      return a == AnimationValue(b)
    }
  }
}
