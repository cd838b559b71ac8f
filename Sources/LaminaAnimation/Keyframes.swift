import Foundation
import LaminaValues

/// A keyframe animation's values, checked and ready for evaluation at any fraction.
final class Keyframes: Sendable {
  private enum Store: Sendable {
    case vectors(Column)
    /// Arrays of the same length, as one column for each element.
    case arrays([Column])
    case transforms([TransformDecomposition])
    case values([AnimationValue])
    /// The animation moves along the segments, which have one more key than there are segments.
    case path([PathSegment])
    /// Like `path`, with the arc length before each segment and, last, the total.
    case pacedPath([PathSegment], lengths: [Double])
  }

  /// The slopes at both ends of a segment, per segment and not per second.
  private struct Tangents: Sendable {
    var start: SIMD4<Double>
    var end: SIMD4<Double>
  }

  /// The keys of values that are each one vector.
  private struct Column: Sendable {
    let kind: AnimationVector.Kind
    let lanes: [SIMD4<Double>]
    /// One for each segment; empty if values are interpolated linearly.
    let tangents: [Tangents]
  }

  private let store: Store
  private let keyTimes: KeyTimes
  private let timingCurves: [TimingCurve]
  private let isDiscrete: Bool

  /// nil if there is nothing to interpolate: a single value has no effect. With a value function,
  /// the values are its inputs; nil if it cannot accept one of them.
  init?(_ keyframes: AnimationDescription.KeyframeValues, valueFunction: ValueFunction? = nil) {
    let mode = keyframes.calculationMode
    let isPaced = mode == .paced || mode == .cubicPaced
    isDiscrete = mode == .discrete
    timingCurves = isPaced || isDiscrete ? [] : keyframes.timingCurves
    if let path = keyframes.path {
      guard valueFunction == nil,
        let (store, times) = Self.keys(of: path, keyframes, isPaced: isPaced)
      else {
        return nil
      }
      (self.store, keyTimes) = (store, KeyTimes(times))
      return
    }
    let given = isPaced ? nil : KeyTimes.given(keyframes)
    var values = Array(keyframes.values.prefix(given?.count ?? .max))
    let segmentCount = mode == .discrete ? values.count : values.count - 1
    guard values.count > 1 else { return nil }
    if let valueFunction {
      let inputs = values.compactMap { valueFunction.input(from: $0) }
      guard inputs.count == values.count else { return nil }
      values = inputs
    }
    var times = given.map { Array($0.prefix(values.count)) } ?? KeyTimes.even(segmentCount)
    if let columns = Self.columns(values) {
      if isPaced { times = KeyTimes.paced(columns) ?? times }
      let columns = columns.map { vectors in
        Column(
          kind: vectors[0].kind, lanes: vectors.map(\.lanes),
          tangents: mode == .cubic || mode == .cubicPaced
            ? Self.tangents(vectors, keyframes, at: times) : [])
      }
      if case .array = values[0] { store = .arrays(columns) } else { store = .vectors(columns[0]) }
    } else {
      let transforms = values.compactMap { value in
        if case .transform(let transform) = value { transform } else { nil }
      }
      if transforms.count == values.count {
        // Paced needs distances, and transforms have none.
        guard !isPaced else { return nil }
        store =
          isDiscrete ? .values(values) : .transforms(transforms.map(TransformDecomposition.init))
      } else {
        store = .values(values)
      }
    }
    keyTimes = KeyTimes(times)
  }

  /// The values as vectors: one column, or one for each element of arrays; nil if the values cannot
  /// be vectors.
  private static func columns(_ values: [AnimationValue]) -> [[AnimationVector]]? {
    if let vectors = AnimationVector.aligned(values) { return [vectors] }
    let rows = values.compactMap { value in
      if case .array(let row) = value { row } else { nil }
    }
    guard let count = rows.first?.count, rows.count == values.count,
      rows.allSatisfy({ $0.count == count })
    else { return nil }
    let columns = (0..<count).compactMap { place in
      AnimationVector.aligned(rows.map { $0[place] })
    }
    return columns.count == count ? columns : nil
  }

  private static func keys(
    of path: Path, _ keyframes: AnimationDescription.KeyframeValues, isPaced: Bool
  ) -> (Store, [Double])? {
    // A move is not a segment, so the animation jumps over gaps.
    var segments = path.subpaths.flatMap(\.segments)
    guard !segments.isEmpty, path.isFinite else { return nil }
    if isPaced {
      var lengths = [0.0]
      for segment in segments { lengths.append(lengths[lengths.count - 1] + segment.length()) }
      let isMeasurable = lengths[lengths.count - 1] > 0 && lengths[lengths.count - 1].isFinite
      if isMeasurable { return (.pacedPath(segments, lengths: lengths), [0, 1]) }
    }
    guard !isPaced, let times = KeyTimes.given(keyframes) else {
      return (.path(segments), KeyTimes.even(segments.count))
    }
    let keysPerEnd = keyframes.calculationMode == .discrete ? 0 : 1
    segments.removeLast(max(segments.count - (times.count - keysPerEnd), 0))
    guard !segments.isEmpty else { return nil }
    return (.path(segments), Array(times.prefix(segments.count + 1)))
  }

  /// Kochanek-Bartels tangents, rescaled if the segments beside a key differ in duration, so that
  /// the velocity is continuous: checked on macOS. The first and last tangents are the full
  /// adjacent difference.
  private static func tangents(
    _ vectors: [AnimationVector], _ keyframes: AnimationDescription.KeyframeValues,
    at times: [Double]
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
      // If times run backwards, there is no velocity to preserve.
      let (first, second) = (times[key] - times[key - 1], times[key + 1] - times[key])
      if first >= 0, second >= 0, first + second > 0, (first + second).isFinite {
        incoming *= 2 * first / (first + second)
        outgoing *= 2 * second / (first + second)
      }
      tangents[key - 1].end = incoming
      tangents[key].start = outgoing
    }
    return tangents
  }

  /// The value at a fraction of the duration. The fraction is clamped to 0…1.
  func value(at fraction: Double) -> AnimationValue {
    let (index, part) = place(at: fraction)
    switch store {
    case .vectors(let column): return value(of: column, index, part)
    case .arrays(let columns): return .array(columns.map { value(of: $0, index, part) })
    case .transforms(let keys):
      return .transform(keys[index].transform(at: part, to: keys[index + 1]))
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

  private func value(of column: Column, _ index: Int, _ part: Double) -> AnimationValue {
    let (kind, lanes) = (column.kind, column.lanes)
    if isDiscrete { return AnimationVector(kind, lanes[index]).value }
    let (a, b) = (lanes[index], lanes[index + 1])
    guard !column.tangents.isEmpty else { return AnimationVector(kind, mix(a, b, part)).value }
    return AnimationVector(kind, Self.hermite(a, b, column.tangents[index], part)).value
  }

  /// The keys on both sides of a fraction of the duration; nil if values switch or are
  /// interpolated.
  func ends(at fraction: Double) -> ValueMix? {
    guard case .values(let values) = store, !isDiscrete else { return nil }
    let (index, part) = place(at: fraction)
    return ValueMix(
      from: values[index], to: values[index + 1], fraction: min(max(part.numberOrZero, 0), 1))
  }

  /// The direction of travel at a fraction of the duration, in radians from the x axis; nil without
  /// a path, or if it stands still.
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
      // If a control point coincides with an end, the derivative is zero there, but travel
      // continues.
      let a = segment.point(at: max(parameter - 1e-3, 0))
      let b = segment.point(at: min(parameter + 1e-3, 1))
      direction = CGVector(dx: b.x - a.x, dy: b.y - a.y)
    }
    return direction == .zero ? nil : atan2(direction.dy, direction.dx)
  }

  /// The segment or discrete key at a fraction of the duration, and how far into it that is,
  /// through its timing curve.
  private func place(at fraction: Double) -> (index: Int, part: Double) {
    let fraction = min(max(fraction.numberOrZero, 0), 1)
    let key = keyTimes.lastKey(at: fraction)
    if isDiscrete { return (min(key, unitCount - 1), 0) }
    let index = min(key, keyTimes.times.count - 2)
    let (start, end) = (keyTimes.times[index], keyTimes.times[index + 1])
    let part =
      end > start ? min(max(((fraction - start) / (end - start)).numberOrZero, 0), 1) : 1
    return (index, index < timingCurves.count ? timingCurves[index].value(at: part) : part)
  }

  /// Number of values, or of segments in a path.
  private var unitCount: Int {
    switch store {
    case .vectors(let column): column.lanes.count
    case .arrays(let columns): columns.first?.lanes.count ?? 0
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

/// The times of a keyframe animation's keys, as fractions of its duration.
private struct KeyTimes: Sendable {
  /// As given, even outside 0…1 and out of order: checked on macOS.
  let times: [Double]
  /// For each key, the latest time up to it. Ascending.
  private let latest: [Double]

  init(_ times: [Double]) {
    self.times = times
    let isAscending = zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
    guard !isAscending else {
      latest = times
      return
    }
    var maximum = -Double.infinity
    latest = times.map { time in
      maximum = max(maximum, time)
      return maximum
    }
  }

  /// The key before the first one whose time is still to come: 0 if all are, the last if none is.
  func lastKey(at fraction: Double) -> Int {
    var (low, high) = (0, latest.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if latest[middle] <= fraction { low = middle } else { high = middle }
    }
    return low
  }

  /// The key times of an animation; nil if it gives none.
  static func given(_ keyframes: AnimationDescription.KeyframeValues) -> [Double]? {
    guard let times = keyframes.keyTimes, !times.isEmpty else { return nil }
    return times.map(\.numberOrZero)
  }

  /// The starts of `count` equal segments, and the end of the last one.
  static func even(_ count: Int) -> [Double] {
    (0...max(count, 1)).map { Double($0) / Double(max(count, 1)) }
  }

  /// Key times proportional to the distance covered, over all columns together; nil if there is
  /// none.
  static func paced(_ columns: [[AnimationVector]]) -> [Double]? {
    var sums = [0.0]
    for key in 1..<max(columns.first?.count ?? 1, 1) {
      let squares = columns.reduce(0) { $0 + $1[key].squaredDistance(to: $1[key - 1]) }
      sums.append(sums[sums.count - 1] + squares.squareRoot())
    }
    let whole = sums[sums.count - 1]
    guard whole > 0, whole.isFinite else { return nil }
    return sums.map { $0 / whole }
  }
}
