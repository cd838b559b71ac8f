import Foundation

extension Path {
  /// Largest number of dashes. More would be too fine to see and only take time.
  package static let dashLimit = 100_000

  /// Returns the dashes of the path as open subpaths. `lengths` alternates dashes and gaps, and
  /// repeats; `phase` is the distance into the pattern at which every subpath starts. If the first
  /// and last dashes of a closed subpath both touch its start, they are joined.
  ///
  /// Returns the path itself if the lengths give no dashes: they are empty, all zero, one is
  /// negative or not finite, or there would be more than `dashLimit` dashes.
  package func dashed(phase: CGFloat, lengths: [CGFloat]) -> Path {
    let period = lengths.reduce(0, +)
    guard period > 0, period.isFinite, phase.isFinite, lengths.allSatisfy({ $0 >= 0 }) else {
      return self
    }
    let subpaths = subpaths.filter(\.isFinite)
    let segmentLengths = subpaths.map { $0.segments.map { $0.length() } }
    let total = segmentLengths.reduce(0) { $0 + $1.reduce(0, +) }
    guard total / period * CGFloat(lengths.count) <= CGFloat(Path.dashLimit) else { return self }
    let start = DashPosition(phase: phase, lengths: lengths, period: period)
    var dashes = Path()
    for (subpath, lengths) in zip(subpaths, segmentLengths) {
      var dasher = SubpathDasher(start)
      for (segment, length) in zip(subpath.segments, lengths) { dasher.add(segment, length) }
      dashes.elements += dasher.finish(subpath)
    }
    return dashes
  }
}

/// A position in a pattern of dashes and gaps.
private struct DashPosition {
  let lengths: [CGFloat]
  private(set) var index = 0
  private(set) var isOn = true
  /// Remaining length of the current dash or gap.
  private(set) var rest: CGFloat

  init(phase: CGFloat, lengths: [CGFloat], period: CGFloat) {
    self.lengths = lengths
    // With an odd number of lengths, dashes and gaps swap from one period to the next.
    let cycle = lengths.count % 2 == 0 ? period : 2 * period
    var phase = phase.truncatingRemainder(dividingBy: cycle)
    if phase < 0 { phase += cycle }
    rest = lengths[0]
    // After rounding, the phase may be a whole cycle. The loop is bounded whatever the sums are.
    for _ in 0..<2 * lengths.count where phase > 0 && phase >= rest {
      phase -= rest
      advance()
    }
    rest = max(0, rest - phase)
  }

  mutating func advance() {
    index = (index + 1) % lengths.count
    isOn.toggle()
    rest = lengths[index]
  }

  mutating func use(_ length: CGFloat) { rest -= length }
}

/// Cuts one subpath into dashes.
private struct SubpathDasher {
  private var position: DashPosition
  private let startsOn: Bool
  private var dashes: [[Path.Element]] = []
  private var isDrawing = false

  init(_ start: DashPosition) {
    position = start
    startsOn = start.isOn
  }

  mutating func add(_ segment: PathSegment, _ length: CGFloat) {
    guard length > 0 else { return }
    var (done, parameter) = (CGFloat(0), CGFloat(0))
    while position.rest < length - done {
      done += position.rest
      let next =
        position.rest > 0
        ? max(parameter, segment.parameter(atLength: done, of: length)) : parameter
      draw(segment, from: parameter, to: next)
      parameter = next
      position.advance()
      isDrawing = false
    }
    draw(segment, from: parameter, to: 1)
    position.use(length - done)
  }

  private mutating func draw(_ segment: PathSegment, from: CGFloat, to: CGFloat) {
    guard position.isOn else { return }
    let part = segment.part(from: from, to: to)
    if !isDrawing { dashes.append([.move(part.start)]) }
    isDrawing = true
    // A dash of zero length is a dot: a line to its own start.
    dashes[dashes.count - 1].append(from < to ? part.element : .line(part.start))
  }

  /// Returns the elements of the dashes, once all segments of the subpath were added.
  consuming func finish(_ subpath: Path.Subpath) -> [Path.Element] {
    guard !dashes.isEmpty else {
      // A dot has no length for dashes: it is drawn if the pattern starts with a dash.
      let isDot =
        subpath.segments.allSatisfy { $0.length() == 0 }
        && (subpath.isClosed || !subpath.segments.isEmpty)
      return isDot && startsOn ? [.move(subpath.start), .line(subpath.start)] : []
    }
    if subpath.isClosed, startsOn, isDrawing {
      if dashes.count == 1 {
        dashes[0].append(.close)
      } else {
        dashes[0] = dashes.removeLast() + dashes[0].dropFirst()
      }
    }
    return dashes.flatMap { $0 }
  }
}
