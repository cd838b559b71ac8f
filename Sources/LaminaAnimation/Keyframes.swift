import Foundation
import LaminaValues

/// A keyframe animation's values, checked and ready to be evaluated at any fraction.
final class Keyframes: Sendable {
  private enum Store: Sendable {
    case vectors(AnimationVector.Kind, [SIMD4<Double>])
    case transforms([TransformDecomposition])
    case values([AnimationValue])
    /// The segments are what is animated along: there is one more key than there are segments.
    case path([PathSegment])
    /// As `path`, with the arc lengths before each segment and, last, of all.
    case pacedPath([PathSegment], lengths: [Double])
  }

  /// The slopes at both ends of a segment, per segment rather than per second.
  struct Tangents: Sendable {
    var start: SIMD4<Double>
    var end: SIMD4<Double>
  }

  private let store: Store
  /// Ascending, in 0…1.
  private let keyTimes: [Double]
  private let timingCurves: [TimingCurve]
  /// One a segment; empty where values go straight.
  private let tangents: [Tangents]
  private let isDiscrete: Bool

  /// nil where there is nothing to animate between: one value alone does nothing.
  init?(_ keyframes: AnimationDescription.KeyframeValues) {
    let mode = keyframes.calculationMode
    let isPaced = mode == .paced || mode == .cubicPaced
    isDiscrete = mode == .discrete
    timingCurves = isPaced || isDiscrete ? [] : keyframes.timingCurves
    if let path = keyframes.path {
      guard let (store, times) = Self.keys(of: path, keyframes, isPaced: isPaced) else {
        return nil
      }
      (self.store, keyTimes, tangents) = (store, times, [])
      return
    }
    let given = isPaced ? nil : KeyTimes.checked(keyframes.keyTimes)
    let values = Array(keyframes.values.prefix(given?.count ?? .max))
    let segmentCount = mode == .discrete ? values.count : values.count - 1
    guard values.count > 1 else { return nil }
    var times = given.map { Array($0.prefix(values.count)) } ?? KeyTimes.even(segmentCount)
    if let vectors = AnimationVector.aligned(values) {
      if isPaced { times = KeyTimes.paced(vectors) ?? times }
      tangents =
        mode == .cubic || mode == .cubicPaced
        ? Self.tangents(vectors, keyframes, rescaledFor: mode == .cubicPaced ? times : nil) : []
      store = .vectors(vectors[0].kind, vectors.map(\.lanes))
    } else {
      tangents = []
      let transforms = values.compactMap { value in
        if case .transform(let transform) = value { transform } else { nil }
      }
      if transforms.count == values.count {
        // There is no distance between transforms to pace by.
        guard !isPaced else { return nil }
        store =
          isDiscrete ? .values(values) : .transforms(transforms.map(TransformDecomposition.init))
      } else {
        store = .values(values)
      }
    }
    keyTimes = times
  }

  private static func keys(
    of path: Path, _ keyframes: AnimationDescription.KeyframeValues, isPaced: Bool
  ) -> (Store, [Double])? {
    // Moves are no segments: the gap is jumped.
    var segments = path.subpaths.flatMap(\.segments)
    guard !segments.isEmpty, path.isFinite else { return nil }
    if isPaced {
      var lengths = [0.0]
      for segment in segments { lengths.append(lengths[lengths.count - 1] + segment.length()) }
      let isMeasurable = lengths[lengths.count - 1] > 0 && lengths[lengths.count - 1].isFinite
      if isMeasurable { return (.pacedPath(segments, lengths: lengths), [0, 1]) }
    }
    guard !isPaced, let times = KeyTimes.checked(keyframes.keyTimes) else {
      return (.path(segments), KeyTimes.even(segments.count))
    }
    let keysPerEnd = keyframes.calculationMode == .discrete ? 0 : 1
    segments.removeLast(max(segments.count - (times.count - keysPerEnd), 0))
    guard !segments.isEmpty else { return nil }
    return (.path(segments), Array(times.prefix(segments.count + 1)))
  }

  /// Kochanek and Bartels' tangents. At both ends of the whole, the full adjacent difference.
  ///
  /// They are rescaled so that the velocity is continuous where segments last differently long
  /// only if those times are given.
  private static func tangents(
    _ vectors: [AnimationVector], _ keyframes: AnimationDescription.KeyframeValues,
    rescaledFor times: [Double]?
  ) -> [Tangents] {
    func parameter(_ values: [Double], _ key: Int) -> Double {
      key < values.count ? min(max(values[key].numberOrZero, -1), 1) : 0
    }
    let differences = zip(vectors, vectors.dropFirst()).map { $1.lanes - $0.lanes }
    var tangents = differences.map { Tangents(start: $0, end: $0) }
    for key in 1..<max(differences.count, 1) {
      let (previous, next) = (differences[key - 1], differences[key])
      let tension = parameter(keyframes.tensionValues, key)
      let continuity = parameter(keyframes.continuityValues, key)
      let bias = parameter(keyframes.biasValues, key)
      let before = (1 - tension) * (1 + bias) / 2
      let after = (1 - tension) * (1 - bias) / 2
      var incoming = before * (1 - continuity) * previous + after * (1 + continuity) * next
      var outgoing = before * (1 + continuity) * previous + after * (1 - continuity) * next
      if let times {
        let (first, second) = (times[key] - times[key - 1], times[key + 1] - times[key])
        if first + second > 0 {
          incoming *= 2 * first / (first + second)
          outgoing *= 2 * second / (first + second)
        }
      }
      tangents[key - 1].end = incoming
      tangents[key].start = outgoing
    }
    return tangents
  }

  /// The value at a fraction of the duration, which is clamped to 0…1.
  func value(at fraction: Double) -> AnimationValue {
    let (index, part) = place(at: fraction)
    switch store {
    case .vectors(let kind, let lanes):
      if isDiscrete { return AnimationVector(kind, lanes[index]).value }
      let (a, b) = (lanes[index], lanes[index + 1])
      guard !tangents.isEmpty else { return AnimationVector(kind, mix(a, b, part)).value }
      return AnimationVector(kind, Self.hermite(a, b, tangents[index], part)).value
    case .transforms(let keys):
      return .transform(keys[index].interpolated(to: keys[index + 1], fraction: part).transform)
    case .values(let values):
      if isDiscrete { return values[index] }
      return values[index].interpolated(to: values[index + 1], fraction: part)
    case .path(let segments):
      return .point(segments[index].point(at: isDiscrete ? 0 : part))
    case .pacedPath(let segments, let lengths):
      let (segment, parameter) = Self.place(atFraction: part, segments, lengths)
      return .point(segments[segment].point(at: parameter))
    }
  }

  /// The direction of travel at a fraction of the duration, in radians from the x axis; nil
  /// without a path, or where it stands still.
  func travelAngle(at fraction: Double) -> Double? {
    let (index, part) = place(at: fraction)
    let segment: PathSegment
    let parameter: Double
    switch store {
    case .path(let segments): (segment, parameter) = (segments[index], isDiscrete ? 0 : part)
    case .pacedPath(let segments, let lengths):
      let (index, place) = Self.place(atFraction: part, segments, lengths)
      (segment, parameter) = (segments[index], place)
    default: return nil
    }
    var direction = segment.velocity(at: parameter)
    if direction == .zero {
      // A control point that lies on an end stops the parameter there, not the travel.
      let a = segment.point(at: max(parameter - 1e-3, 0))
      let b = segment.point(at: min(parameter + 1e-3, 1))
      direction = CGVector(dx: b.x - a.x, dy: b.y - a.y)
    }
    return direction == .zero ? nil : atan2(direction.dy, direction.dx)
  }

  /// Which segment, or discrete key, is on at a fraction, and how far into it that is, through its
  /// timing curve.
  private func place(at fraction: Double) -> (index: Int, part: Double) {
    let fraction = min(max(fraction.numberOrZero, 0), 1)
    var (low, high) = (0, keyTimes.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if keyTimes[middle] <= fraction { low = middle } else { high = middle }
    }
    if isDiscrete { return (min(low, unitCount - 1), 0) }
    low = min(low, keyTimes.count - 2)
    let (start, end) = (keyTimes[low], keyTimes[low + 1])
    let part = end > start ? min(max((fraction - start) / (end - start), 0), 1) : 1
    return (low, low < timingCurves.count ? timingCurves[low].value(at: part) : part)
  }

  /// How many values, or segments of a path, there are.
  private var unitCount: Int {
    switch store {
    case .vectors(_, let lanes): lanes.count
    case .transforms(let keys): keys.count
    case .values(let values): values.count
    case .path(let segments), .pacedPath(let segments, _): segments.count
    }
  }

  private static func place(
    atFraction fraction: Double, _ segments: [PathSegment], _ lengths: [Double]
  ) -> (segment: Int, parameter: Double) {
    let distance = fraction * lengths[segments.count]
    var (low, high) = (0, segments.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lengths[middle] <= distance { low = middle } else { high = middle }
    }
    let parameter = segments[low].parameter(
      atLength: distance - lengths[low], of: lengths[low + 1] - lengths[low])
    return (low, parameter)
  }

  private static func hermite(
    _ a: SIMD4<Double>, _ b: SIMD4<Double>, _ tangents: Tangents, _ s: Double
  ) -> SIMD4<Double> {
    let (s2, s3) = (s * s, s * s * s)
    let ends = (2 * s3 - 3 * s2 + 1) * a + (3 * s2 - 2 * s3) * b
    let slopes = (s3 - 2 * s2 + s) * tangents.start + (s3 - s2) * tangents.end
    let value = ends + slopes
    return value.sum().isFinite ? value : mix(a, b, s)
  }
}

/// When a keyframe animation's keys are shown, as fractions of its duration.
private enum KeyTimes {
  /// Given times, made to ascend in 0…1; nil for none.
  static func checked(_ times: [Double]?) -> [Double]? {
    guard let times, !times.isEmpty else { return nil }
    var latest = 0.0
    return times.map { time in
      latest = max(latest, min(max(time.numberOrZero, 0), 1))
      return latest
    }
  }

  /// The starts of `count` equal segments, and the end of the last.
  static func even(_ count: Int) -> [Double] {
    (0...max(count, 1)).map { Double($0) / Double(max(count, 1)) }
  }

  /// Times by the distance that is covered; nil where there is none.
  static func paced(_ vectors: [AnimationVector]) -> [Double]? {
    var sums = [0.0]
    for (a, b) in zip(vectors, vectors.dropFirst()) {
      sums.append(sums[sums.count - 1] + a.distance(to: b))
    }
    let whole = sums[sums.count - 1]
    guard whole > 0, whole.isFinite else { return nil }
    return sums.map { $0 / whole }
  }
}
