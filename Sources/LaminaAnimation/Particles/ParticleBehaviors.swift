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
/// - `attractor`: an acceleration of `stiffness` times the way to `position` and `zPosition`, if it
///   reaches as far and is the same in all directions.
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
  /// The sum of the attractors' stiffnesses, and of their positions times these.
  private var stiffness = 0.0
  private var pull = SIMD3<Double>.zero
  private var waves: [Wave] = []
  private var colors: [Ramp] = []
  /// Factors of the scale and of the colour's components.
  private var scales: [Ramp] = []
  /// The angle between a particle's direction and its image; nil if the image does not follow.
  private var alignment: Double?

  /// The types that have an effect.
  package static let types: Set = [
    "drag", "wave", "colorOverLife", "valueOverLife", "alignToMotion", "attractor",
  ]

  /// Whether a behaviour has an effect. An attractor that a radius or a falloff limits, or that
  /// pulls towards a line or a plane, has none: the laws of these are not known, and a particle's
  /// way under a force that depends on where it is has a closed form only if the force grows in
  /// proportion to the distance.
  package static func hasEffect(_ behavior: FilterValues) -> Bool {
    behavior.type == "attractor" ? behavior.isSpring : types.contains(behavior.type)
  }

  /// nil if none of the emitter's behaviours has an effect.
  init?(_ values: EmitterValues) {
    for behavior in values.behaviors ?? [] where behavior.isEnabled { add(behavior) }
    // A weaker pull does not show within a day.
    if abs(stiffness) < 1e-9 { stiffness = 0 }
    if drag == 0, stiffness == 0, pull == .zero, waves.isEmpty, colors.isEmpty, scales.isEmpty,
      alignment == nil
    {
      return nil
    }
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
    case "attractor": addAttractor(behavior)
    case "alignToMotion": alignment = behavior.number("rotation").bounded
    default: break
    }
  }

  private mutating func addAttractor(_ behavior: FilterValues) {
    guard behavior.isSpring else { return }
    let place = behavior.numbers("position").map(\.bounded)
    let (x, y) = place.count >= 2 ? (place[0], place[1]) : (0, 0)
    let own = behavior.number("stiffness").bounded
    stiffness += own
    pull += SIMD3(x, y, behavior.number("zPosition").bounded) * own
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

  /// Where a particle is under drag, waves and attractors.
  func position(of course: ParticleCourse, at age: Double) -> SIMD3<Double> {
    if stiffness != 0 { return attracted(course, at: age).position }
    let course = evenlyPulled(course)
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

  /// The direction in which a particle moves under drag, waves and attractors, of length 1.
  func direction(of course: ParticleCourse, at age: Double) -> SIMD3<Double> {
    if stiffness != 0 { return attracted(course, at: age).velocity.normalized ?? course.direction }
    let course = evenlyPulled(course)
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

  /// The course under attractors that pull as much as they repel: together they are a constant
  /// force.
  private func evenlyPulled(_ course: ParticleCourse) -> ParticleCourse {
    guard pull != .zero else { return course }
    var pulled = course
    pulled.acceleration += pull
    return pulled
  }

  /// Where a particle is, and how it moves, under attractors. The equation of motion is
  /// v′ = a + Σ F cos ωt − c v − k x + Σ kᵢ pᵢ with k = Σ kᵢ.
  ///
  /// It swings about the place where the forces are in balance, as each wave swings it, and as the
  /// rest of where it began and of its velocity then dies away.
  private func attracted(
    _ course: ParticleCourse, at age: Double
  ) -> (position: SIMD3<Double>, velocity: SIMD3<Double>) {
    let (k, c) = (stiffness, drag)
    let balance = (course.acceleration + pull) / k
    var (position, velocity) = (balance, SIMD3<Double>.zero)
    var (offset, speed) = (course.origin - balance, course.velocity)
    for wave in waves {
      let w = wave.frequency
      let (sine, cosine) = PortableMath.sineAndCosine(w * age)
      let (difference, damping) = (k - w * w, c * w)
      let square = difference * difference + damping * damping
      // A wave of the attractors' own frequency swings a particle further and further.
      guard square > 1e-12 * w * w * w * w else {
        position += wave.force * (age * sine / (2 * w))
        velocity += wave.force * ((sine + w * age * cosine) / (2 * w))
        continue
      }
      let (inPhase, behind) = (difference / square, damping / square)
      position += wave.force * (inPhase * cosine + behind * sine)
      velocity += wave.force * (w * (behind * cosine - inPhase * sine))
      offset -= wave.force * inPhase
      speed -= wave.force * (w * behind)
    }
    let rest = Self.decay(k, c, at: age)
    let turn: SIMD3<Double> = speed + offset * (c / 2)
    position += offset * rest.even + turn * rest.odd
    velocity += offset * rest.evenRate + turn * rest.oddRate
    return (position.bounded, velocity.bounded)
  }

  /// The two solutions of x″ = −c x′ − k x that begin with 1 and −c / 2, and with 0 and 1, and
  /// their rates of change.
  private static func decay(
    _ k: Double, _ c: Double, at age: Double
  ) -> (even: Double, odd: Double, evenRate: Double, oddRate: Double) {
    let half = c / 2
    let square = half * half - k
    let w = abs(square).squareRoot()
    // With little between the two, they are lines times a decay.
    guard w * age > 1e-6 else {
      let decay = PortableMath.exponential(-half * age)
      return (decay, decay * age, decay * (square * age - half), decay * (1 - half * age))
    }
    var (even, odd): (Double, Double)
    if square < 0 {
      let decay = PortableMath.exponential(-half * age)
      let (sine, cosine) = PortableMath.sineAndCosine(w * age)
      (even, odd) = (decay * cosine, decay * sine / w)
    } else {
      let (slow, fast) = (
        PortableMath.exponential((w - half) * age), PortableMath.exponential(-(w + half) * age)
      )
      (even, odd) = ((slow + fast) / 2, (slow - fast) / (2 * w))
    }
    return (even, odd, square * odd - half * even, even - half * odd)
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

extension SIMD3<Double> {
  /// The vector with each component at most as far from 0 as any of a particle's numbers.
  fileprivate var bounded: SIMD3<Double> { SIMD3(x.bounded, y.bounded, z.bounded) }
}

extension FilterValues {
  /// Whether an attractor pulls from anywhere, in proportion to the distance, towards a point.
  fileprivate var isSpring: Bool {
    if case .string(let shape)? = self["attractorType"], shape != "radial" { return false }
    if case .number(let radius)? = self["radius"], radius < .infinity { return false }
    return number("falloff") == 0 && number("stiffness").bounded != 0
  }

  fileprivate func numbers(_ key: String) -> [Double] {
    if case .numbers(let numbers)? = self[key] { numbers } else { [] }
  }

  fileprivate var locations: [Double]? {
    if case .numbers(let numbers)? = self["locations"] { numbers.map(\.bounded) } else { nil }
  }
}
