import LaminaValues

/// What an emitter is set to while it emits, from one time of its layer to another. Particles keep
/// what they were born with.
package struct EmissionSpan: Sendable {
  /// −infinity for the first.
  package var start: Double
  /// Infinite for the present.
  package var end: Double
  package var values: EmitterValues
  /// The values at many times, if animations change them.
  package var samples: EmissionSamples?

  package init(
    from start: Double = -.infinity, to end: Double = .infinity, _ values: EmitterValues,
    samples: EmissionSamples? = nil
  ) {
    (self.start, self.end, self.values, self.samples) = (start, end, values, samples)
  }
}

/// An emitter's values at multiples of a step in its layer's time.
package struct EmissionSamples: Sendable {
  package var step: Double
  /// The first sample is of the time `first` × `step`.
  package var first: Int
  package var values: [EmitterValues]

  package init(step: Double, first: Int, values: [EmitterValues]) {
    (self.step, self.first, self.values) = (step, first, values)
  }

  /// The shortest step.
  private static let finest = 1.0 / 64
  /// The most samples.
  private static let limit = 2048

  /// The samples for the particles that may be alive at a time and were born between two others.
  /// The step depends on nothing but the
  /// lifetimes in `values`, so that it is the same at all times.
  package init?(
    of values: EmitterValues, alive now: Double, from start: Double = -.infinity,
    to end: Double = .infinity, at time: (Double) -> EmitterValues
  ) {
    let window = values.longestWindow
    var step = Self.finest
    while step * Double(Self.limit) < window, step < 0x1p30 { step *= 2 }
    guard abs(now) < 1e12 else { return nil }
    let reach = min((window / step).rounded(.up) + 1, Double(Self.limit))
    let range = max((now / step).rounded(.down) - reach, (start / step).rounded(.down))
    let last = Int(min(now / step, max(end / step, range)).rounded(.down))
    let first = Int(range)
    guard first <= last else { return nil }
    self.init(step: step, first: first, values: (first...last).map { time(Double($0) * step) })
  }
}

extension EmitterValues {
  /// How long after its birth a particle, or one that it has emitted, may last, in the layer's
  /// time.
  var longestWindow: Double {
    var looks: [ParticleCloud.Look] = []
    let plans = CellPlans(self, looks: &looks, from: 0)
    return plans.roots.reduce(0) { longest, place in
      let plan = plans.plans[place]
      return plan.speed == 0 ? longest : max(longest, plan.window / abs(plan.speed))
    }
  }

  /// The particles at a time of the layer, from a beginning at its time 0.
  package func particles(at time: Double) -> ParticleCloud {
    ParticleCloud([EmissionSpan(self)], at: time, present: self)
  }

  /// The next time, from `time` on, at which the emitter shows something else: `time` itself while
  /// it has particles or emits.
  package func nextChange(after time: Double, cloud: ParticleCloud) -> Double {
    guard cloud.particles.isEmpty else { return time }
    var looks: [ParticleCloud.Look] = []
    let plans = CellPlans(self, looks: &looks, from: 0)
    var next = Double.infinity
    for plan in plans.plans[plans.roots] where plan.rate > 0 && plan.window > 0 && plan.end >= 0 {
      let local = plan.localTime(at: time)
      // A cell whose time runs backwards, or that may still have invisible particles, is asked
      // again in each frame.
      if plan.speed > 0, local < 0 {
        next = min(next, max(plan.time(ofLocal: 0), time))
      } else if plan.speed != 0, local <= plan.end + plan.window {
        next = time
      }
    }
    return next
  }
}

extension ParticleCloud {
  /// The particles at a time of the layer. They are a function of the arguments: nothing is stepped
  /// from frame to frame, and particles that are dead by now cost nothing.
  ///
  /// Particle n of a cell is born at n / rate, in the cell's own time, beginning with 0 at its
  /// begin time. On Apple's systems a layer's time is counted from the start of the machine unless
  /// the app sets its beginTime, so that emitters are full when they are first seen. Here it begins
  /// with the document or with the renderer's clock, and emitters fill up from there, as they do in
  /// players of documents, for whose sake documents give cells negative begin times.
  ///
  /// What particles are not born with, their order and behaviours, is that of `present`.
  package init(_ spans: [EmissionSpan], at now: Double, present: EmitterValues) {
    self.init()
    guard now.isFinite else { return }
    var evaluation = ParticleEvaluation(now: now, behaviors: ParticleBehaviors(present))
    if spans.count > 1 { evaluation.capacity *= 2 }
    for span in spans { evaluation.add(span) }
    self = evaluation.cloud
    birthCount = evaluation.birthLimit - max(evaluation.budget, 0)
    dropOldest()
    sort(present.renderMode)
  }

  private mutating func dropOldest() {
    guard particles.count > Self.limit else { return }
    isIncomplete = true
    particles.removeFirst(particles.count - Self.limit)
  }

  private mutating func sort(_ mode: EmitterRenderMode) {
    let all = particles
    func order(_ isBefore: (Particle, Particle) -> Bool) {
      // Which of two equal ones comes first must not depend on the sorting.
      let places = all.indices.sorted {
        isBefore(all[$0], all[$1]) || (!isBefore(all[$1], all[$0]) && $0 < $1)
      }
      particles = places.map { all[$0] }
    }
    switch mode {
    case .unordered, .additive: break
    case .oldestFirst: order { $0.birth < $1.birth }
    case .oldestLast: order { $0.birth > $1.birth }
    case .backToFront: order { $0.position.z < $1.position.z }
    }
  }
}

/// Goes through the particles that may be alive.
private struct ParticleEvaluation {
  let now: Double
  let behaviors: ParticleBehaviors?
  var cloud = ParticleCloud()
  /// The most particles that the cloud may get.
  var capacity = ParticleCloud.limit
  /// The number of births that may still be looked at: those of particles that are dead by now, or
  /// that show nothing, take time too.
  var budget = 4 * ParticleCloud.limit
  let birthLimit = 4 * ParticleCloud.limit

  /// Whose particles are born.
  struct Source {
    /// nil for the emitter itself.
    var parent: ParticleCourse?
    /// The present, and the times between which they are born, in the source's time.
    var now: Double
    var from: Double
    var to: Double
    /// The layer's time at the source's 0, and the layer's seconds in one of the source's.
    var birth: Double
    var pace: Double
  }

  init(now: Double, behaviors: ParticleBehaviors?) { (self.now, self.behaviors) = (now, behaviors) }

  mutating func add(_ span: EmissionSpan) {
    let firstLook = cloud.looks.count
    let plans = CellPlans(span.values, looks: &cloud.looks, from: firstLook)
    let source = Source(
      parent: nil, now: now, from: span.start, to: span.end, birth: 0, pace: 1)
    guard let samples = span.samples else {
      plans.plans.withUnsafeBufferPointer { list in
        for place in plans.roots { emit(place, of: list, source, span.values) }
      }
      return
    }
    let all = samples.values.map { CellPlans($0, looks: &cloud.looks, from: firstLook) }
    for place in plans.roots where all.allSatisfy({ $0.roots == plans.roots }) {
      emit(place, of: all, samples, source)
    }
  }

  /// Adds the living particles of a cell whose values do not change.
  private mutating func emit(
    _ place: Int, of plans: UnsafeBufferPointer<CellPlan>, _ source: Source,
    _ values: EmitterValues
  ) {
    let plan = plans.baseAddress! + place
    let (rate, speed) = (plan.pointee.rate, plan.pointee.speed)
    let present = plan.pointee.localTime(at: source.now)
    let ends = (plan.pointee.localTime(at: source.from), plan.pointee.localTime(at: source.to))
    guard rate > 0, plan.pointee.window > 0 else { return }
    let from = max(0, speed == 0 ? 0 : min(ends.0, ends.1), present - plan.pointee.window)
    let to = min(plan.pointee.end, max(ends.0, ends.1), present)
    guard from <= to, to * rate < 0x1p52 else { return }
    // The products are rounded, so the births at both ends are compared themselves.
    var first = max((from * rate).rounded(.up) - 1, 0)
    var last = (to * rate).rounded(.down) + 1
    while last >= first, last / rate > to { last -= 1 }
    let most = Double(min(ParticleCloud.limit, max(budget, 0)))
    if last - first + 1 > most {
      first = last - most + 1
      cloud.isIncomplete = true
    }
    guard first <= last else { return }
    for number in Int64(first)...Int64(last) {
      let birth = Double(number) / rate
      guard birth >= from, birth <= to, speed <= 0 || birth < ends.1 else { continue }
      let time = speed == 0 ? source.now : plan.pointee.time(ofLocal: birth)
      add(
        ParticleRandom.key(plan.pointee.key, UInt64(bitPattern: number)), place, of: plans,
        age: present - birth, bornAt: time, source, values)
    }
  }

  /// Adds the living particles of a cell of the emitter whose values change. Each step of time has
  /// its own particles, as many as the rate says on average, which depend on nothing before it.
  private mutating func emit(
    _ place: Int, of all: [CellPlans], _ samples: EmissionSamples, _ source: Source
  ) {
    let key = all[0].plans[place].key
    var counts = all.map(\.plans[place]).enumerated().map { sample, plan in
      var random = ParticleRandom(
        key: ParticleRandom.key(~key, UInt64(bitPattern: Int64(samples.first + sample))))
      let expected = max(plan.rate * abs(plan.speed) * samples.step, 0)
      return min((expected + random.unit()).rounded(.down), Double(ParticleCloud.limit))
    }
    var left = Double(min(ParticleCloud.limit, max(budget, 0)))
    for sample in counts.indices.reversed() {
      if counts[sample] > left { cloud.isIncomplete = true }
      counts[sample] = min(counts[sample], left)
      left -= counts[sample]
    }
    for (sample, count) in counts.enumerated() where count > 0 {
      let step = samples.first + sample
      let stepKey = ParticleRandom.key(key, UInt64(bitPattern: Int64(step)))
      all[sample].plans.withUnsafeBufferPointer { plans in
        let plan = plans.baseAddress! + place
        let present = plan.pointee.localTime(at: source.now)
        for number in 0..<Int(count) {
          let time = (Double(step) + (Double(number) + 0.5) / count) * samples.step
          let birth = plan.pointee.localTime(at: time)
          guard time >= source.from, time < source.to, time <= source.now, birth >= 0,
            birth <= plan.pointee.end
          else { continue }
          add(
            ParticleRandom.key(stepKey, UInt64(number)), place, of: plans, age: present - birth,
            bornAt: time, source, samples.values[sample])
        }
      }
    }
  }

  /// Adds a particle, if it is alive, and those that it has emitted.
  private mutating func add(
    _ key: UInt64, _ place: Int, of plans: UnsafeBufferPointer<CellPlan>, age: Double,
    bornAt time: Double, _ source: Source, _ values: EmitterValues
  ) {
    budget -= 1
    guard budget >= 0, age >= 0 else {
      if budget < 0 { cloud.isIncomplete = true }
      return
    }
    let plan = plans.baseAddress! + place
    guard age < plan.pointee.window else { return }
    var random = ParticleRandom(key: key)
    let lifetime = random.around(plan.pointee.lifetime, plan.pointee.lifetimeRange)
    let isAlive = age < lifetime
    guard isAlive || (!plan.pointee.children.isEmpty && lifetime > 0) else { return }
    let course = ParticleCourse(
      plan, &random, lifetime: lifetime, parent: source.parent, at: time, values, behaviors)
    let birth = source.birth + time * source.pace
    if isAlive, plan.pointee.look >= 0 { show(course, plan.pointee.look, age: age, birth) }
    for child in plan.pointee.children {
      emit(
        child, of: plans,
        Source(
          parent: course, now: age, from: 0, to: lifetime, birth: birth,
          pace: plan.pointee.speed == 0 ? 0 : source.pace / abs(plan.pointee.speed)),
        values)
    }
  }

  private mutating func show(
    _ course: ParticleCourse, _ look: Int32, age: Double, _ birth: Double
  ) {
    var (scale, color) = (course.scale(at: age), course.color(at: age))
    if let behaviors { behaviors.apply(at: age / course.lifetime, &scale, &color) }
    guard scale > 0 else { return }
    guard cloud.particles.count < capacity else {
      cloud.isIncomplete = true
      return
    }
    var axes = course.axes(at: age, scale: scale)
    behaviors?.align(course, at: age, &axes)
    let particle = Particle(
      position: behaviors?.position(of: course, at: age) ?? course.position(at: age),
      xAxis: axes.x, yAxis: axes.y, color: color, look: look, birth: birth)
    cloud.looks[Int(look)].include(particle, scale: scale)
    cloud.particles.append(particle)
  }
}

extension ParticleCourse {
  /// A new particle. It takes over the colour and the scale that the particle which emits it has at
  /// the time, and moves relative to its direction.
  fileprivate init(
    _ plan: UnsafePointer<CellPlan>, _ random: inout ParticleRandom, lifetime: Double,
    parent: ParticleCourse?, at time: Double, _ values: EmitterValues,
    _ behaviors: ParticleBehaviors?
  ) {
    var (frame, factor, tint) = (EmissionFrame.layer, 1.0, SIMD4<Double>(repeating: 1))
    if let parent {
      origin = behaviors?.position(of: parent, at: time) ?? parent.position(at: time)
      frame = EmissionFrame(
        along: behaviors?.direction(of: parent, at: time) ?? parent.direction(at: time))
      (factor, tint) = (parent.scale(at: time), parent.color(at: time))
    } else {
      let point = values.emissionPoint(&random)
      origin =
        SIMD3(Double(values.position.x), Double(values.position.y), values.zPosition.bounded)
        + point.offset
      if point.direction != frame.x { frame = EmissionFrame(along: point.direction) }
    }
    self.lifetime = lifetime
    // Even over the cone: the cosine of the angle to its axis is.
    let cosine = 1 - random.unit() * (1 - plan.pointee.leastCosine)
    let sine = max(1 - cosine * cosine, 0).squareRoot()
    let around = PortableMath.sineAndCosine(random.unit() * 2 * .pi)
    let axes = plan.pointee.direction
    let aside: SIMD3<Double> = axes.y * around.cosine + axes.z * around.sine
    let inner: SIMD3<Double> = axes.x * cosine + aside * sine
    let flat: SIMD3<Double> = frame.x * inner.x + frame.y * inner.y
    direction = flat + frame.z * inner.z
    velocity =
      direction * random.around(plan.pointee.velocity, plan.pointee.velocityRange)
    acceleration = plan.pointee.acceleration
    scale = random.around(plan.pointee.scale, plan.pointee.scaleRange) * factor
    scaleSpeed = plan.pointee.scaleSpeed * factor
    spin = random.around(plan.pointee.spin, plan.pointee.spinRange)
    angle = random.around(plan.pointee.rotation, plan.pointee.rotationRange)
    let shades = SIMD4(random.unit(), random.unit(), random.unit(), random.unit()) - 0.5
    color = (plan.pointee.color + plan.pointee.colorRange * shades) * tint
    colorSpeed = plan.pointee.colorSpeed
    (xAxis, yAxis) = (SIMD3(1, 0, 0), SIMD3(0, 1, 0))
    if let plane = plan.pointee.plane { turn(to: plane, &random) }
  }

  /// Turns the image's plane so that its normal has a random direction within `range` of the one
  /// that the angles give. The range counts to either side: a known wallpaper with a range of 105
  /// degrees shows planes edge-on.
  private mutating func turn(
    to plane: (latitude: Double, longitude: Double, range: Double), _ random: inout ParticleRandom
  ) {
    let tilt = (random.unit() * 2 - 1) * plane.range
    let (sine, cosine) = PortableMath.sineAndCosine(tilt)
    let (s, c) = PortableMath.sineAndCosine(random.unit() * 2 * .pi)
    // A turn by `tilt` about the axis (c, s, 0).
    let rest = 1 - cosine
    xAxis = SIMD3(cosine + c * c * rest, c * s * rest, -s * sine)
    yAxis = SIMD3(c * s * rest, cosine + s * s * rest, c * sine)
    let (sinLat, cosLat) = PortableMath.sineAndCosine(plane.latitude)
    let (sinLon, cosLon) = PortableMath.sineAndCosine(plane.longitude)
    func turned(_ v: SIMD3<Double>) -> SIMD3<Double> {
      // About x by the latitude, then about z by the longitude.
      let (y, z) = (v.y * cosLat - v.z * sinLat, v.y * sinLat + v.z * cosLat)
      return SIMD3(v.x * cosLon - y * sinLon, v.x * sinLon + y * cosLon, z)
    }
    (xAxis, yAxis) = (turned(xAxis), turned(yAxis))
  }
}
