import Foundation
import LaminaGraphics
import LaminaValues
import Testing

@Suite("Paths that nobody meant")
struct PathExtremesTests {
  static let numbers: [CGFloat] = [
    0, 1, -1, 0.1, 1e-300, 1e300, -1e300, 1e155, .infinity, -.infinity, .nan, -1e-300,
    .greatestFiniteMagnitude,
  ]

  /// Paths of all kinds of segments through every three of the numbers.
  private func paths() -> [Path] {
    var paths = [
      Path(), Path([.close]), Path([.line(.zero)]), Path([.move(.zero), .close, .close]),
    ]
    for a in PathExtremesTests.numbers {
      for b in PathExtremesTests.numbers {
        let (p, q) = (CGPoint(x: a, y: b), CGPoint(x: b, y: 1))
        var path = Path([.move(.zero), .line(p), .quad(control: q, end: p)])
        path.elements.append(.cubic(control1: p, control2: q, end: CGPoint(x: 2, y: a)))
        paths.append(path)
        path.elements += [.close, .line(q), .cubic(control1: p, control2: p, end: p)]
        paths.append(path)
      }
    }
    return paths
  }

  @Test("Whatever the numbers, every operation comes to an end", .timeLimit(.minutes(1)))
  func extremes() {
    for path in paths() {
      for width in [1, 1e-300, 1e300, CGFloat.nan, -1] {
        _ = path.stroked(width: width, cap: .round, join: .round, miterLimit: .nan)
      }
      _ = path.dashed(phase: 1e300, lengths: [1, 2, 1e-9])
      _ = path.dashed(phase: -1e300, lengths: [1e300, 3])
      _ = path.flattened(tolerance: .nan)
      _ = path.trimmed(from: 0.3, to: 0.6)
      _ = path.winding(around: CGPoint(x: 0.5, y: 0.5))
      _ = path.winding(around: CGPoint(x: CGFloat.nan, y: 0.5))
      _ = path.rectangle
      _ = path.tightBounds
    }
  }

  @Test("Areas of extreme numbers are combined or left out", .timeLimit(.minutes(1)))
  func extremeAreas() {
    let paths = paths()
    for index in stride(from: 0, to: paths.count, by: 23) {
      let (a, b) = (CGPath(paths[index]), CGPath(paths[paths.count - 1 - index]))
      _ = a.union(b)
      _ = a.componentsSeparated(using: .evenOdd)
    }
  }

  @Test("A non-finite subpath is left out of a stroke, and the others are not")
  func leavesOut() {
    let path = Path([
      .move(.zero), .line(CGPoint(x: CGFloat.nan, y: 1)), .move(CGPoint(x: 1, y: 1)),
      .line(CGPoint(x: 5, y: 1)),
    ])
    #expect(path.stroked(width: 2).tightBounds == CGRect(x: 1, y: 0, width: 4, height: 2))
  }

  @Test("A path of 100,000 segments takes its time, but not for ever", .timeLimit(.minutes(1)))
  func long() {
    var path = Path([.move(.zero)])
    for index in 1...100_000 {
      let t = CGFloat(index)
      path.addLine(to: CGPoint(x: t * 0.01, y: 10 * sin(t * 0.1)))
    }
    let outline = path.stroked(width: 0.5, join: .round)
    #expect(outline.elements.count > 200_000)
    #expect(path.dashed(phase: 0, lengths: [3, 2]).elements.count > 50_000)
  }
}
