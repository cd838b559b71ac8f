import Foundation
import LaminaValues

/// A cell in the form in which particles are computed from it: only numbers, all of them bounded,
/// with the emitter's factors applied.
struct CellPlan {
  /// Tells the cell from all others, of all emitters with other seeds.
  var key: UInt64
  /// Index of its look in the cloud; −1 if its particles show nothing.
  var look: Int32
  /// The cells that each particle emits, in the same list.
  var children: Range<Int>
  /// The cell's clock in its emitter's: local = (time − begin) × speed + offset.
  var begin: Double
  var speed: Double
  var offset: Double
  /// The local time at which emission ends.
  var end: Double
  /// Particles a second of local time.
  var rate: Double
  var lifetime: Double
  var lifetimeRange: Double
  /// How long after its birth a particle, or one that it has emitted, may last.
  var window: Double
  var direction: EmissionFrame
  var leastCosine: Double
  var velocity: Double
  var velocityRange: Double
  var acceleration: SIMD3<Double>
  var scale: Double
  var scaleRange: Double
  var scaleSpeed: Double
  var spin: Double
  var spinRange: Double
  var rotation: Double
  var rotationRange: Double
  var color: SIMD4<Double>
  var colorRange: SIMD4<Double>
  var colorSpeed: SIMD4<Double>
  /// The directions of the planes' normals; nil for sprites, which face the viewer.
  var plane: (latitude: Double, longitude: Double, range: Double)?

  func localTime(at time: Double) -> Double {
    speed == 0 ? offset : (time - begin) * speed + offset
  }
  func time(ofLocal local: Double) -> Double { (local - offset) / speed + begin }

  /// The most particles a second that a cell emits; more are as many.
  static let rateLimit = 1e9
}

/// The cells of an emitter, those of the emitter itself first, those in each cell together.
struct CellPlans {
  private(set) var plans: [CellPlan] = []
  private(set) var roots = 0..<0
  private let values: EmitterValues

  /// `looks` are added to, or, if it has those of the same cells already, left as they are.
  init(_ values: EmitterValues, looks: inout [ParticleCloud.Look], from firstLook: Int) {
    self.values = values
    var nextLook = firstLook
    let seed = ParticleRandom.key(0, UInt64(values.seed))
    roots = add(values.cells ?? [], key: seed, depth: 0, &looks, &nextLook)
  }

  private mutating func add(
    _ cells: [EmitterCellValues], key: UInt64, depth: Int, _ looks: inout [ParticleCloud.Look],
    _ nextLook: inout Int
  ) -> Range<Int> {
    guard depth < TreeLimit.emitterCellDepth else { return 0..<0 }
    let first = plans.count
    for (number, cell) in cells.enumerated() {
      var look = Int32(-1)
      if let new = ParticleCloud.Look(cell) {
        if nextLook == looks.count { looks.append(new) }
        look = Int32(nextLook)
        nextLook += 1
      }
      plans.append(
        plan(cell, key: ParticleRandom.key(key, UInt64(number)), look: look, isInner: depth > 0))
    }
    let range = first..<plans.count
    for (place, cell) in zip(range, cells) where cell.cells?.isEmpty == false {
      let inner = add(
        cell.cells ?? [], key: plans[place].key, depth: depth + 1, &looks, &nextLook)
      plans[place].children = inner
      plans[place].window += inner.reduce(0) { max($0, plans[$1].afterlife) }
    }
    return range
  }

  private func plan(
    _ cell: EmitterCellValues, key: UInt64, look: Int32, isInner: Bool
  ) -> CellPlan {
    let timing = cell.timing
    let lifetime = (cell.lifetime.bounded * values.lifetime.bounded).bounded
    let lifetimeRange = (cell.lifetimeRange.bounded * values.lifetime.bounded).bounded
    let (r, g, b, a) = (cell.color ?? .white).extendedSRGB
    // What a particle emits takes its scale over, and so the emitter's with it.
    let factor = isInner ? 1 : values.scale.bounded
    let cosine = PortableMath.sineAndCosine(min(abs(cell.emissionRange.bounded) / 2, .pi)).cosine
    let direction = EmissionFrame.layer.direction(
      longitude: cell.emissionLongitude.bounded, latitude: cell.emissionLatitude.bounded)
    return CellPlan(
      key: key, look: look, children: 0..<0, begin: timing.beginTime.bounded,
      speed: timing.speed.bounded, offset: timing.timeOffset.bounded,
      end: timing.emissionDuration + timing.timeOffset.bounded,
      rate: cell.isEnabled
        ? min(cell.birthRate.bounded * values.birthRate.bounded, CellPlan.rateLimit) : 0,
      lifetime: lifetime, lifetimeRange: lifetimeRange,
      window: max(lifetime + abs(lifetimeRange) / 2, 0),
      direction: EmissionFrame(along: direction), leastCosine: cosine,
      velocity: (cell.velocity.bounded * values.velocity.bounded).bounded,
      velocityRange: (cell.velocityRange.bounded * values.velocity.bounded).bounded,
      acceleration: SIMD3(
        cell.xAcceleration.bounded, cell.yAcceleration.bounded, cell.zAcceleration.bounded),
      scale: cell.scale.bounded * factor, scaleRange: cell.scaleRange.bounded * factor,
      scaleSpeed: cell.scaleSpeed.bounded * factor,
      spin: cell.spin.bounded * values.spin.bounded,
      spinRange: cell.spinRange.bounded * values.spin.bounded,
      rotation: cell.rotation.bounded, rotationRange: cell.rotationRange.bounded,
      color: SIMD4(Double(r), Double(g), Double(b), Double(a)),
      colorRange: SIMD4(
        cell.redRange.bounded, cell.greenRange.bounded, cell.blueRange.bounded,
        cell.alphaRange.bounded),
      colorSpeed: SIMD4(
        cell.redSpeed.bounded, cell.greenSpeed.bounded, cell.blueSpeed.bounded,
        cell.alphaSpeed.bounded),
      plane: cell.particleType == .plane
        ? (
          cell.orientationLatitude.bounded, cell.orientationLongitude.bounded,
          cell.orientationRange.bounded
        ) : nil)
  }
}

extension CellPlan {
  /// How long after the death of the particle that emits them the cell's particles may last, in
  /// that particle's time.
  fileprivate var afterlife: Double { speed == 0 ? 0 : window / abs(speed) }
}

extension MediaTiming {
  /// How long a cell emits, in its own time. A duration of 0 stands for one without end, since a
  /// cell that emits nothing has no use.
  fileprivate var emissionDuration: Double {
    if repeatDuration > 0 { return repeatDuration }
    guard duration > 0 else { return .infinity }
    return duration * (repeatCount > 0 ? repeatCount : 1) * (autoreverses ? 2 : 1)
  }
}
