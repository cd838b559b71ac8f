import Lamina
import LaminaCommit
import TestSupport

@testable import LaminaCAML

/// Trees of layers with random values in every property that documents have: the same for the same
/// seed.
struct RandomDocuments {
  private var random: SeededGenerator
  private var layers: [CALayer] = []
  private var images: [CGImage] = []
  /// Whether animations have a range of frame rates.
  private var hasFrameRates = true

  private init(random: SeededGenerator) { self.random = random }

  /// A layer of 100 by 50 points with up to seven layers in it.
  static func tree(seed: some BinaryInteger, hasFrameRates: Bool = true) throws -> CALayer {
    var random = RandomDocuments(random: SeededGenerator(seed: seed))
    random.hasFrameRates = hasFrameRates
    for side in 1...3 {
      let pixels = (0..<side * side * 4).map { _ in UInt8.random(in: 0...255, using: &random.random)
      }
      random.images.append(try CGImage(width: side, height: side, unpremultipliedRGBA: pixels))
    }
    let root = random.layer(depth: 0)
    for layer in random.layers { random.addStates(to: layer) }
    return root
  }

  private mutating func layer(depth: Int) -> CALayer {
    let name = random.pick(DocumentReader.layerClasses.keys.sorted())
    let layer = DocumentReader.layerClasses[name]?() ?? CALayer()
    layers.append(layer)
    for property in StoredProperty.table where random.chance(0.2) {
      guard CALayer.kind(ofKey: property.key, className: name) != nil else { continue }
      layer.setValue(value(of: property.property.kind), forKey: property.key)
    }
    if depth == 0 {
      layer.bounds = CGRect(x: 0, y: 0, width: 100, height: 50)
      // Where a reader places it.
      layer.position = CGPoint(
        x: 50 + (layer.anchorPoint.x - 0.5) * 100, y: 25 + (layer.anchorPoint.y - 0.5) * 50)
    }
    if random.one(in: 3) { layer.contents = random.pick(images) }
    if let emitter = layer as? CAEmitterLayer, random.one(in: 2) {
      emitter.emitterCells = (0..<random.below(3)).map { _ in cell(depth: 0) }
      emitter.emitterBehaviors = (0..<random.below(3)).map { _ in behavior() }
    }
    while random.one(in: 2) {
      let key = random.one(in: 4) ? nil : random.pick(["a", "b \"<c>&\n", "transition"])
      layer.add(animation(depth: 0), forKey: key)
    }
    if depth < 3, random.one(in: 6) { layer.mask = self.layer(depth: depth + 1) }
    while depth < 3, layers.count < 7, random.chance(0.7) {
      layer.addSublayer(self.layer(depth: depth + 1))
    }
    return layer
  }

  // MARK: Values

  private mutating func value(of kind: FieldKind) -> Any? {
    switch kind {
    case .number: return number()
    case .integer: return random.below(9)
    case .bool: return random.one(in: 2)
    case .string: return random.one(in: 5) ? nil : text()
    case .point: return point()
    case .size: return CGSize(width: number(), height: number())
    case .rect: return CGRect(origin: point(), size: CGSize(width: number(), height: number()))
    case .color: return random.one(in: 5) ? nil : color()
    case .transform: return transform()
    case .path: return random.one(in: 5) ? nil : path()
    case .image, .cell: return nil
    case .filter: return random.one(in: 2) ? text() : filter(mayHaveImage: false)
    case .list(.filter):
      return random.one(in: 4) ? nil : (0..<random.below(3)).map { _ in filter() }
    case .name(let names): return random.pick(names)
    case .list(let element):
      let count = random.below(4)
      return count == 3
        ? nil : (0..<count).compactMap { _ in value(of: element) ?? value(of: element) }
    }
  }

  private mutating func number() -> Double {
    switch random.below(6) {
    case 0: 0
    case 1: Double(random.below(500)) / 4
    case 2: -Double.random(in: 0..<1e5, using: &random)
    case 3: Double.random(in: 0..<1e-6, using: &random)
    default: Double.random(in: -1...1, using: &random)
    }
  }

  private mutating func text() -> String {
    random.pick(["", "A", " a  b ", "\t<x y=\"1\"/>\r\n&amp;", "日本", "🧊e\u{301}", "'", "%20/.."])
  }

  private mutating func point() -> CGPoint { CGPoint(x: number(), y: number()) }

  private mutating func color() -> CGColor {
    let c = (0..<4).map { _ in CGFloat(number()) }
    switch random.below(4) {
    case 0: return CGColor(gray: c[0], alpha: c[3])
    case 1:
      let names = [CGColorSpace.displayP3, CGColorSpace.extendedSRGB]
      let space = CGColorSpace(name: random.pick(names)) ?? CGColorSpaceCreateDeviceRGB()
      return CGColor(colorSpace: space, components: c) ?? .black
    case 2: return CGColor(red: c[0], green: c[1], blue: c[2], alpha: 1)
    default: return CGColor(red: c[0], green: c[1], blue: c[2], alpha: c[3])
    }
  }

  private mutating func transform() -> CATransform3D {
    switch random.below(5) {
    case 0: return CATransform3DIdentity
    case 1: return CATransform3DMakeTranslation(number(), number(), number())
    case 2: return CATransform3DMakeScale(number(), number(), number())
    case 3: return CATransform3DMakeRotation(number().truncatingRemainder(dividingBy: 7), 0, 0, 1)
    default:
      var transform = CATransform3DMakeRotation(
        number().truncatingRemainder(dividingBy: 7), 1, number(), 2)
      transform.m34 = number()
      return transform
    }
  }

  private mutating func path() -> CGPath {
    let path = CGMutablePath()
    for _ in 0..<random.below(3) {
      path.move(to: point())
      for _ in 0..<random.below(4) {
        switch random.below(4) {
        case 0: path.addLine(to: point())
        case 1: path.addQuadCurve(to: point(), control: point())
        case 2: path.addCurve(to: point(), control1: point(), control2: point())
        default: path.closeSubpath()
        }
      }
    }
    return path
  }

  /// A compositing filter has no image.
  private mutating func filter(mayHaveImage: Bool = true) -> CAFilter {
    let filter = CAFilter(
      type: random.pick([
        "gaussianBlur", "variableBlur", "colorMatrix", "multiplyColor", "wobble",
      ]))
    if random.one(in: 2) { filter.name = random.pick(["x", "y z"]) }
    filter.isEnabled = !random.one(in: 3)
    switch filter.type {
    case "gaussianBlur": filter.setValue(number(), forKey: "inputRadius")
    case "variableBlur":
      filter.setValue(number(), forKey: "inputRadius")
      filter.setValue(random.one(in: 2), forKey: "inputNormalizeEdges")
      if mayHaveImage, random.one(in: 2) {
        filter.setValue(random.pick(images), forKey: "inputMaskImage")
      }
    case "colorMatrix":
      filter.setValue((0..<20).map { _ in number() }, forKey: "inputColorMatrix")
    case "multiplyColor": filter.setValue(color(), forKey: "inputColor")
    default: filter.setValue(number(), forKey: "inputWobble")
    }
    return filter
  }

  private mutating func cell(depth: Int) -> CAEmitterCell {
    let cell = CAEmitterCell()
    for key in [
      "birthRate", "lifetimeRange", "velocity", "zAcceleration", "scaleSpeed", "spin", "redRange",
      "alphaSpeed", "rotation", "orientationRange", "beginTime", "emissionLongitude",
    ] where random.one(in: 3) { cell.setValue(number(), forKey: key) }
    if random.one(in: 2) { cell.name = random.pick(["a", "b c"]) }
    if random.one(in: 3) { cell.lifetime = random.pick([.infinity, 3]) }
    if random.one(in: 3) { cell.isEnabled = false }
    if random.one(in: 3) { cell.color = color() }
    if random.one(in: 3) { cell.contents = random.pick(images) }
    if random.one(in: 3) { cell.contentsRect = CGRect(origin: point(), size: .zero) }
    if random.one(in: 3) { cell.setValue("plane", forKey: "particleType") }
    if depth < 2, random.one(in: 3) { cell.emitterCells = [self.cell(depth: depth + 1)] }
    return cell
  }

  private mutating func behavior() -> CAEmitterBehavior {
    let behavior = CAEmitterBehavior(
      type: random.pick(["wave", "drag", "colorOverLife", "valueOverLife", "attractor"]))
    if random.one(in: 2) { behavior.name = random.pick(["x", "y z"]) }
    behavior.isEnabled = !random.one(in: 3)
    let inputs: [String: Any] =
      switch behavior.type {
      case "wave": ["force": [number(), number(), number()], "frequency": number()]
      case "drag": ["drag": number()]
      case "colorOverLife": ["colors": [color(), color()], "locations": [0, 0.5]]
      case "valueOverLife": ["keyPath": "scale", "values": [number(), 1]]
      default: ["stiffness": 2 + abs(number()), "position": point()]
      }
    for (key, value) in inputs { behavior.setValue(value, forKey: key) }
    return behavior
  }

  // MARK: Animations

  private mutating func animation(depth: Int) -> CAAnimation {
    let animation: CAAnimation
    switch random.below(depth < 2 ? 6 : 4) {
    case 0, 1:
      let (keyPath, make) = target()
      let basic =
        random.one(in: 2) ? CABasicAnimation(keyPath: keyPath) : CASpringAnimation(keyPath: keyPath)
      if random.one(in: 2) { basic.fromValue = make(&self) }
      if random.one(in: 2) { basic.toValue = make(&self) }
      if let spring = basic as? CASpringAnimation {
        (spring.mass, spring.damping) = (abs(number()) + 1, abs(number()))
        spring.initialVelocity = number()
        spring.allowsOverdamping = random.one(in: 2)
      }
      animation = basic
    case 2: animation = turn()
    case 3: animation = keyframes()
    case 4:
      let group = CAAnimationGroup()
      group.animations = (0..<random.below(3)).map { _ in self.animation(depth: depth + 1) }
      animation = group
    default:
      let transition = CATransition()
      transition.type = random.pick([.fade, .push, .moveIn, .reveal])
      transition.subtype = random.pick([nil, .fromTop, .fromRight])
      transition.endProgress = Float(random.below(5)) / 4
      animation = transition
    }
    addTiming(to: animation)
    return animation
  }

  private mutating func addTiming(to animation: CAAnimation) {
    animation.duration = abs(number())
    if random.one(in: 2) { animation.beginTime = number() }
    if random.one(in: 2) { animation.repeatCount = random.pick([.infinity, 2.5, 0.1]) }
    if random.one(in: 3) { animation.speed = Float(number()) }
    if random.one(in: 3) { animation.timeOffset = number() }
    animation.autoreverses = random.one(in: 3)
    animation.isRemovedOnCompletion = random.one(in: 2)
    animation.fillMode = random.pick([.removed, .both, .forwards, .backwards])
    animation.timingFunction = random.pick([nil, curve()])
    if random.one(in: 4), hasFrameRates {
      animation.preferredFrameRateRange = CAFrameRateRange(
        minimum: 8, maximum: 60, preferred: random.pick([nil, 30]))
    }
  }

  private mutating func curve() -> CAMediaTimingFunction {
    random.one(in: 2)
      ? CAMediaTimingFunction(name: random.pick([.linear, .easeIn, .default, .easeInEaseOut]))
      : CAMediaTimingFunction(controlPoints: 0.1, Float(number()), 0.9, 1.5)
  }

  private mutating func target() -> (String, (inout RandomDocuments) -> Any?) {
    random.pick([
      ("opacity", { $0.number() }), ("position", { $0.point() }), ("position.x", { $0.number() }),
      ("bounds.size", { CGSize(width: $0.number(), height: $0.number()) }),
      ("transform", { $0.transform() }), ("transform.rotation.z", { $0.number() }),
      ("backgroundColor", { $0.color() }), ("contents", { $0.random.pick($0.images) }),
      ("filters.x.inputRadius", { $0.number() }), ("shadowPath", { $0.path() }),
    ])
  }

  private mutating func turn() -> CAAnimation {
    let turn = CABasicAnimation(keyPath: "transform")
    turn.valueFunction = CAValueFunction(name: random.pick([.rotateZ, .scaleX, .translate]))
    turn.byValue = turn.valueFunction?.name == .translate ? [number(), 2, 3] : number() as Any
    turn.isAdditive = random.one(in: 2)
    turn.isCumulative = random.one(in: 2)
    return turn
  }

  private mutating func keyframes() -> CAAnimation {
    let (keyPath, make) = target()
    let animation = CAKeyframeAnimation(keyPath: keyPath)
    if random.one(in: 3) {
      animation.keyPath = "position"
      animation.path = path()
      animation.rotationMode = random.pick([nil, .rotateAuto, .rotateAutoReverse])
    } else {
      animation.values = (0..<3).compactMap { _ in make(&self) }
    }
    animation.calculationMode = random.pick([.linear, .discrete, .cubic, .paced])
    animation.keyTimes = random.pick([nil, [0, 0.25, 1], []])
    animation.timingFunctions = random.pick([nil, [curve(), curve()]])
    if random.one(in: 3) { animation.tensionValues = [NSNumber(value: number()), 0, 1] }
    if random.one(in: 3) { animation.biasValues = [0, 1, NSNumber(value: number())] }
    return animation
  }

  // MARK: States

  private mutating func addStates(to layer: CALayer) {
    guard random.one(in: 4) else { return }
    layer.states = ["A", "B & \"C\""].map { name in
      let state = CAState(name: name)
      if random.one(in: 2) { state.basedOn = "A" }
      for _ in 0..<random.below(4) {
        let (keyPath, make) = target()
        guard !keyPath.hasPrefix("filters") else { continue }
        state.addElement(
          CAStateSetValue(target: random.pick(layers), keyPath: keyPath, value: make(&self)))
      }
      return state
    }
    let transition = CAStateTransition(fromState: "*", toState: "A")
    transition.elements = (0..<random.below(3)).map { _ in
      let animation = CASpringAnimation(keyPath: "opacity")
      animation.duration = abs(number())
      return CAStateTransitionElement(
        target: random.pick(layers), key: "opacity", animation: animation)
    }
    layer.stateTransitions = [transition]
  }
}
