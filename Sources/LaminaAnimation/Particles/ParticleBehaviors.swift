import LaminaValues

/// The behaviours of an emitter that change its particles. All of them are closed forms of a
/// particle's age:
///
/// - `drag`: the speed falls by the factor e every 1 / `drag` seconds.
/// - `wave`: an acceleration of `force` that swings `frequency` times a second.
/// - `colorOverLife`: the `colors` at the `locations` of the lifetime multiply the particle's own.
/// - `valueOverLife`: the `values` at the `locations` multiply the property under `keyPath`, which
///   is the scale, a colour's component, or the opacity.
/// - `alignToMotion`: the image's x axis points where the particle moves, turned by `rotation`.
package struct ParticleBehaviors: Sendable {
  private struct Wave {
    var force: SIMD3<Double>
    /// Radians a second.
    var frequency: Double
  }

  /// A list of values at locations in a particle's lifetime, 0…1.
  private struct Ramp {
    var locations: [Double]
    var values: [SIMD4<Double>]

    init?(_ values: [SIMD4<Double>], _ locations: [Double]?) {
      guard !values.isEmpty else { return nil }
      let last = Double(max(values.count - 1, 1))
      self.values = values
      self.locations = locations ?? values.indices.map { Double($0) / last }
      guard self.locations.count >= values.count else { return nil }
    }

    func value(at location: Double) -> SIMD4<Double> {
      guard location > locations[0] else { return values[0] }
      for place in values.indices.dropFirst() where location <= locations[place] {
        let length = locations[place] - locations[place - 1]
        let part = length > 0 ? (location - locations[place - 1]) / length : 1
        return values[place - 1] + (values[place] - values[place - 1]) * part
      }
      return values[values.count - 1]
    }
  }

  private var drag = 0.0
  private var waves: [Wave] = []
  private var colors: [Ramp] = []
  /// Factors of the scale and of the colour's components.
  private var scales: [Ramp] = []
  /// The angle between a particle's direction and its image; nil if the image does not follow.
  private var alignment: Double?

  /// The types that have an effect.
  package static let types: Set = [
    "drag", "wave", "colorOverLife", "valueOverLife", "alignToMotion",
  ]

  /// nil if none of the emitter's behaviours has an effect.
  init?(_ values: EmitterValues) {
    for behavior in values.behaviors ?? [] where behavior.isEnabled { add(behavior) }
    if drag == 0, waves.isEmpty, colors.isEmpty, scales.isEmpty, alignment == nil { return nil }
  }

  private mutating func add(_ behavior: FilterValues) {
    switch behavior.type {
    case "drag": drag += max(behavior.number("drag").bounded, 0)
    case "wave":
      let force = behavior.numbers("force").map(\.bounded)
      guard force.count >= 2 else { return }
      let turns = max(behavior.number("frequency").bounded, 0)
      guard turns > 0 else { return }
      waves.append(
        Wave(
          force: SIMD3(force[0], force[1], force.count > 2 ? force[2] : 0),
          frequency: turns * 2 * .pi))
    case "colorOverLife":
      let numbers = behavior.numbers("colors")
      let colors = stride(from: 0, to: numbers.count - numbers.count % 4, by: 4).map {
        SIMD4(numbers[$0], numbers[$0 + 1], numbers[$0 + 2], numbers[$0 + 3])
      }
      if let ramp = Ramp(colors, behavior.locations) { self.colors.append(ramp) }
    case "valueOverLife": addValues(behavior)
    case "alignToMotion": alignment = behavior.number("rotation").bounded
    default: break
    }
  }

  private mutating func addValues(_ behavior: FilterValues) {
    guard case .string(let path)? = behavior["keyPath"] else { return }
    let one = SIMD4<Double>(repeating: 1)
    func ramp(_ component: Int?) -> Ramp? {
      let values = behavior.numbers("values").map { value -> SIMD4<Double> in
        guard let component else { return SIMD4(repeating: value.bounded) }
        var factors = one
        factors[component] = value.bounded
        return factors
      }
      return Ramp(values, behavior.locations)
    }
    switch path {
    case "scale": if let ramp = ramp(nil) { scales.append(ramp) }
    case "color.red": if let ramp = ramp(0) { colors.append(ramp) }
    case "color.green": if let ramp = ramp(1) { colors.append(ramp) }
    case "color.blue": if let ramp = ramp(2) { colors.append(ramp) }
    case "color.alpha", "opacity", "alpha": if let ramp = ramp(3) { colors.append(ramp) }
    default: break
    }
  }

  /// Applies what depends on how much of its life a particle has had, 0…1.
  func apply(at part: Double, _ scale: inout Double, _ color: inout SIMD4<Double>) {
    for ramp in scales { scale *= max(ramp.value(at: part).x, 0) }
    for ramp in colors { color *= ramp.value(at: part) }
    color.clamp(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1))
  }

  /// Where a particle is under drag and waves.
  func position(of course: ParticleCourse, at age: Double) -> SIMD3<Double> {
    // All forces add up, since the equation of motion, v′ = a + Σ F cos ωt − k v, is linear.
    let k = drag
    // For small k·t the closed form loses digits; there, drag is not seen.
    guard k * age > 1e-6 else {
      var position = course.position(at: age)
      for wave in waves {
        let w = wave.frequency
        position += wave.force * ((1 - PortableMath.sineAndCosine(w * age).cosine) / (w * w))
      }
      return position
    }
    let decay = PortableMath.exponential(-k * age)
    let final = course.acceleration / k
    let slowing: SIMD3<Double> = (course.velocity - final) * ((1 - decay) / k)
    var position = course.origin + slowing + final * age
    for wave in waves {
      let w = wave.frequency
      let (sine, cosine) = PortableMath.sineAndCosine(w * age)
      let swing: Double = sine * k / w - cosine + decay
      position += wave.force * (swing / (k * k + w * w))
    }
    return position
  }

  /// The direction in which a particle moves under drag and waves, of length 1.
  func direction(of course: ParticleCourse, at age: Double) -> SIMD3<Double> {
    let k = drag
    var velocity = course.velocity + course.acceleration * age
    let decay = PortableMath.exponential(-k * age)
    if k * age > 1e-6 {
      let final = course.acceleration / k
      velocity = (course.velocity - final) * decay + final
    }
    for wave in waves {
      let w = wave.frequency
      let (sine, cosine) = PortableMath.sineAndCosine(w * age)
      let swing: Double = k * cosine + w * sine - k * decay
      velocity += wave.force * (swing / (k * k + w * w))
    }
    return velocity.normalized ?? course.direction
  }

  /// Turns an image that follows its particle's direction in the layer's plane.
  func align(
    _ course: ParticleCourse, at age: Double, _ axes: inout (x: SIMD3<Double>, y: SIMD3<Double>)
  ) {
    guard let alignment else { return }
    let direction = direction(of: course, at: age)
    guard let flat = SIMD3(direction.x, direction.y, 0).normalized else { return }
    let (sine, cosine) = PortableMath.sineAndCosine(alignment)
    let (c, s) = (flat.x * cosine - flat.y * sine, flat.y * cosine + flat.x * sine)
    func turned(_ v: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(v.x * c - v.y * s, v.x * s + v.y * c, v.z)
    }
    axes = (turned(axes.x), turned(axes.y))
  }
}

extension FilterValues {
  fileprivate func numbers(_ key: String) -> [Double] {
    if case .numbers(let numbers)? = self[key] { numbers } else { [] }
  }

  fileprivate var locations: [Double]? {
    if case .numbers(let numbers)? = self["locations"] { numbers.map(\.bounded) } else { nil }
  }
}
