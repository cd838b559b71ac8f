import Foundation
import Lamina

/// A path as lines; curves are cut into short ones.
struct ReferencePath {
  struct Line {
    var points: [SIMD2<Double>]
    var isClosed: Bool
  }

  private(set) var lines: [Line] = []

  init(lines: [Line]) { self.lines = lines }

  init(_ path: CGPath) {
    var lines: [Line] = []
    path.applyWithBlock { element in
      let p = (0..<3).map { place -> SIMD2<Double> in
        let point = element.pointee.points[place]
        return [Double(point.x), Double(point.y)]
      }
      let last = lines.last?.points.last ?? .zero
      func add(_ curve: (Double) -> SIMD2<Double>) {
        for step in 1...16 { lines[lines.count - 1].points.append(curve(Double(step) / 16)) }
      }
      switch element.pointee.type {
      case .moveToPoint: lines.append(Line(points: [p[0]], isClosed: false))
      case .addLineToPoint: lines[lines.count - 1].points.append(p[0])
      case .addQuadCurveToPoint:
        add { t in last * ((1 - t) * (1 - t)) + p[0] * (2 * t * (1 - t)) + p[1] * (t * t) }
      case .addCurveToPoint:
        add { t in
          let (a, b) = (last * ((1 - t) * (1 - t) * (1 - t)), p[0] * (3 * t * (1 - t) * (1 - t)))
          return a + b + p[1] * (3 * t * t * (1 - t)) + p[2] * (t * t * t)
        }
      case .closeSubpath: lines[lines.count - 1].isClosed = true
      }
    }
    self.lines = lines.filter { $0.points.count > 1 }
  }

  /// The part from one fraction of the length to another.
  func trimmed(from start: Double, to end: Double) -> ReferencePath {
    let length = lines.reduce(0) { $0 + Self.open($1).length }
    return cut { _ in [(start * length, end * length)] }
  }

  /// The dashes of a pattern of lengths, which each line starts `phase` into.
  func dashed(_ pattern: [Double], phase: Double) -> ReferencePath {
    guard pattern.reduce(0, +) > 0 else { return self }
    var dashes = ReferencePath(lines: [])
    for line in lines {
      dashes.lines +=
        ReferencePath(lines: [line]).cut { length in
          var (at, place, spans) = (-phase, 0, [(Double, Double)]())
          while at < length {
            let dash = pattern[place % pattern.count]
            if place.isMultiple(of: 2) { spans.append((at, at + dash)) }
            (at, place) = (at + dash, place + 1)
          }
          return spans
        }.lines
    }
    return dashes
  }

  /// The parts within some spans of the path's length, measured from its beginning. `spans` is
  /// given the whole length.
  private func cut(_ spans: (Double) -> [(Double, Double)]) -> ReferencePath {
    let all = lines.map { Self.open($0) }
    var parts: [Line] = []
    for (start, end) in spans(all.reduce(0) { $0 + $1.length }) {
      var passed = 0.0
      for line in all {
        var part: [SIMD2<Double>] = []
        for (a, b) in zip(line.points, line.points.dropFirst()) {
          let length = (b - a).length
          let (from, to) = (max(start - passed, 0), min(end - passed, length))
          if from < to {
            if part.isEmpty { part.append(a + (b - a) * (from / length)) }
            part.append(a + (b - a) * (to / length))
          }
          passed += length
        }
        if part.count > 1 { parts.append(Line(points: part, isClosed: false)) }
      }
    }
    return ReferencePath(lines: parts)
  }

  /// A closed line as an open one that returns to its beginning.
  private static func open(_ line: Line) -> Line {
    guard line.isClosed else { return line }
    return Line(points: line.points + [line.points[0]], isClosed: false)
  }
}

extension ReferencePath.Line {
  fileprivate var length: Double {
    zip(points, points.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0).length }
  }
}

extension SIMD2<Double> {
  fileprivate var length: Double { (x * x + y * y).squareRoot() }
  /// The vector after a quarter turn.
  fileprivate var turned: SIMD2 { [-y, x] }
}

/// The inside of a path, by one of the two rules.
struct ReferenceFill: ReferenceFigure {
  /// The ends of all line segments, in pairs.
  private let ends: [SIMD2<Double>]
  private let isEvenOdd: Bool
  let box: Box
  let isThin = true

  init(_ path: ReferencePath, isEvenOdd: Bool) {
    self.isEvenOdd = isEvenOdd
    ends = path.lines.flatMap { line in
      line.points.indices.flatMap {
        [line.points[($0 > 0 ? $0 : line.points.count) - 1], line.points[$0]]
      }
    }
    box = Self.box(ends)
  }

  /// Whether the point is inside, by the winding of the segments that cross the ray to its right.
  func contains(_ x: Double, _ y: Double) -> Bool {
    var (windings, at) = (0, 0)
    while at < ends.count {
      let (a, b) = (ends[at], ends[at + 1])
      at += 2
      guard (a.y > y) != (b.y > y) else { continue }
      if x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x) { windings += a.y < b.y ? 1 : -1 }
    }
    return isEvenOdd ? !windings.isMultiple(of: 2) : windings != 0
  }
}

/// The area that a pen covers along a path: convex polygons for lines, joins and caps, and round
/// discs.
struct ReferenceStroke: ReferenceFigure {
  private var polygons: [(box: Box, points: [SIMD2<Double>])] = []
  private var discs: [SIMD2<Double>] = []
  private let radius: Double
  private(set) var box: Box = (0, 0, 0, 0)
  let isThin = true

  init(_ path: ReferencePath, width: Double, cap: String, join: String, miterLimit: Double) {
    radius = width / 2
    for line in path.lines {
      var points: [SIMD2<Double>] = []
      for point in line.points where points.last != point { points.append(point) }
      if line.isClosed, points.last == points.first { points.removeLast() }
      let count = points.count
      for place in 0..<(line.isClosed ? count : count - 1) {
        let (a, b) = (points[place], points[(place + 1) % count])
        let way = (b - a) / (b - a).length * radius
        let isFirst = place == 0 && !line.isClosed
        let isLast = place == count - 2 && !line.isClosed
        let (from, to) = (
          isFirst && cap == "square" ? a - way : a, isLast && cap == "square" ? b + way : b
        )
        add([from + way.turned, to + way.turned, to - way.turned, from - way.turned])
        if cap == "round" {
          if isFirst { discs.append(a) }
          if isLast { discs.append(b) }
        }
        if !isLast {
          add(join, at: b, way, to: points[(place + 2) % count], miterLimit: miterLimit)
        }
      }
    }
    let reach = radius
    let (low, high) = (discs.map { $0 - reach }, discs.map { $0 + reach })
    box = Self.box(polygons.flatMap(\.points) + low + high)
  }

  private mutating func add(_ polygon: [SIMD2<Double>]) {
    polygons.append((Self.box(polygon), polygon))
  }

  /// Adds the join on the outer side of a bend at `b`, which is reached along `way`.
  private mutating func add(
    _ join: String, at b: SIMD2<Double>, _ way: SIMD2<Double>, to c: SIMD2<Double>,
    miterLimit: Double
  ) {
    let next = (c - b) / (c - b).length * radius
    if join == "round" {
      discs.append(b)
      return
    }
    let turn = way.x * next.y - way.y * next.x
    let side = turn > 0 ? -1.0 : 1
    let (from, to) = (b + way.turned * side, b + next.turned * side)
    // The cosine of the angle between the two ways. A miter's length is 1 / cos of half that angle.
    let cosine = (way.x * next.x + way.y * next.y) / (radius * radius)
    let half = max((1 + cosine) / 2, 0).squareRoot()
    if join == "miter", half > 0, 1 / half <= miterLimit {
      let middle = way.turned * side + next.turned * side
      add([b, from, b + middle / middle.length * (radius / half), to])
    } else {
      add([b, from, to])
    }
  }

  func contains(_ x: Double, _ y: Double) -> Bool {
    var at = 0
    while at < discs.count {
      let (dx, dy) = (x - discs[at].x, y - discs[at].y)
      if dx * dx + dy * dy < radius * radius { return true }
      at += 1
    }
    at = 0
    while at < polygons.count {
      let box = polygons[at].box
      if x >= box.minX, x <= box.maxX, y >= box.minY, y <= box.maxY,
        Self.isInside(polygons[at].points, x, y)
      {
        return true
      }
      at += 1
    }
    return false
  }

  private static func isInside(_ polygon: [SIMD2<Double>], _ x: Double, _ y: Double) -> Bool {
    var (isLeft, isRight) = (true, true)
    var (a, at) = (polygon[polygon.count - 1], 0)
    while at < polygon.count {
      let b = polygon[at]
      let cross = (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
      if cross < 0 { isLeft = false }
      if cross > 0 { isRight = false }
      (a, at) = (b, at + 1)
    }
    return isLeft || isRight
  }
}
