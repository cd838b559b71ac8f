import CCairo
import LaminaCAML
import LaminaGraphics
import LaminaValues
import Testing

import struct Foundation.CGFloat
import struct Foundation.CGPoint

/// Bitmaps agree if the mean difference of all 64 × 64 pixels is at most 0.3 steps of 255, and at
/// most four pixels differ by more than 48.
@Suite("1,000 random paths agree with Cairo")
struct CairoAgreementTests {
  static let seeds = 1...1000

  @Test("The outline, filled, covers what Cairo strokes")
  func stroking() {
    var sharpTurns = 0
    for seed in CairoAgreementTests.seeds {
      var numbers = SeededNumbers(seed: seed)
      let (path, pen) = (numbers.path(), numbers.pen())
      let outline = path.stroked(
        width: pen.width, cap: pen.cap, join: pen.join, miterLimit: pen.miterLimit)
      let drawn = CairoRaster(filling: outline)
      var expected = CairoRaster(stroking: path, pen)
      if !drawn.difference(expected).isSmall {
        sharpTurns += 1
        expected.unite(CairoRaster(filling: path.sweep(width: pen.width)))
      }
      let difference = drawn.difference(expected)
      #expect(difference.isSmall, "seed \(seed): \(difference), \(pen), \(path.svgPathData)")
    }
    #expect(sharpTurns <= 20)
  }

  @Test("The dashes, stroked by Cairo, are Cairo's dashes")
  func dashing() {
    var sharpTurns = 0
    for seed in CairoAgreementTests.seeds {
      var numbers = SeededNumbers(seed: seed)
      let (path, pen) = (numbers.path(), numbers.pen())
      let lengths = (0...numbers.integer(4)).map { _ in numbers.number(0.5, 15) }
      let phase = numbers.number(-30, 30)
      let dashed = path.dashed(phase: phase, lengths: lengths.map { CGFloat($0) })
      let difference = difference(of: dashed, from: path, lengths, phase, pen, &sharpTurns)
      #expect(
        difference.isSmall,
        "seed \(seed): \(difference), \(pen), \(lengths) from \(phase), \(path.svgPathData)")
    }
    #expect(sharpTurns <= 60)
  }

  @Test("What trimming leaves, stroked by Cairo, is one dash of Cairo's")
  func trimming() {
    var sharpTurns = 0
    for seed in CairoAgreementTests.seeds {
      var numbers = SeededNumbers(seed: seed)
      let (path, pen) = (numbers.subpath(), numbers.pen())
      let from = numbers.number(0, 0.7)
      let to = from + numbers.number(0.1, 0.25)
      // Inside a curve, only the parameter tells how long the path is up to a fraction.
      func length(to fraction: Double) -> Double {
        Double(path.trimmed(from: 0, to: fraction).length)
      }
      let (start, end) = (length(to: from), length(to: to))
      let difference = difference(
        of: path.trimmed(from: from, to: to), from: path,
        [end - start, Double(path.length) * 10], -start, pen, &sharpTurns)
      #expect(
        difference.isSmall,
        "seed \(seed): \(difference), \(pen), \(from)...\(to), \(path.svgPathData)")
    }
    #expect(sharpTurns <= 10)
  }

  /// The difference between `dashes`, stroked, and the dashes that Cairo makes of `path`.
  private func difference(
    of dashes: Path, from path: Path, _ lengths: [Double], _ phase: Double, _ pen: Pen,
    _ sharpTurns: inout Int
  ) -> RasterDifference {
    func bitmaps(_ magnification: Int) -> (CairoRaster, CairoRaster) {
      (
        CairoRaster(stroking: dashes, pen, magnification: magnification),
        CairoRaster(
          stroking: path, pen, dashes: lengths, phase: phase, magnification: magnification)
      )
    }
    var (drawn, expected) = bitmaps(1)
    if drawn.difference(expected).isSmall { return drawn.difference(expected) }
    (drawn, expected) = bitmaps(8)
    if drawn.difference(expected).isSmall { return drawn.difference(expected) }
    sharpTurns += 1
    let sweep = CairoRaster(filling: dashes.sweep(width: pen.width))
    drawn.unite(sweep)
    expected.unite(sweep)
    return drawn.difference(expected)
  }

  @Test(
    "Pixels' centres are inside where Cairo fills the pixel",
    arguments: [
      CGPathFillRule.winding, .evenOdd,
    ])
  func containment(rule: CGPathFillRule) {
    for seed in CairoAgreementTests.seeds {
      var numbers = SeededNumbers(seed: seed)
      let data = numbers.path()
      let path = CGPath(data)
      let raster = CairoRaster(filling: data, rule)
      for _ in 0..<24 {
        let (x, y) = (numbers.integer(CairoRaster.side), numbers.integer(CairoRaster.side))
        let coverage = raster.coverage[y * CairoRaster.side + x]
        guard coverage == 0 || coverage == 255 else { continue }
        let center = CGPoint(x: Double(x) + 0.5, y: Double(y) + 0.5)
        #expect(
          path.contains(center, using: rule) == (coverage == 255),
          "\(seed): \(center) in \(data.svgPathData)")
      }
    }
  }
}

extension Path {
  /// The area that a line of length `width`, perpendicular to the path's curves, sweeps: many
  /// triangles that all wind the same way. If a curve turns sharply within the pen's reach, Cairo
  /// strokes lines in its place that spread like the fingers of a hand; this area fills the gaps
  /// between them.
  fileprivate func sweep(width: Double) -> Path {
    var sweep = Path()
    for segment in subpaths.flatMap(\.segments) {
      if case .line = segment { continue }
      var last: (CGPoint, CGPoint)?
      for step in 0...128 {
        let t = CGFloat(step) / 128
        let (point, velocity) = (segment.point(at: t), segment.velocity(at: t))
        let speed = (velocity.dx * velocity.dx + velocity.dy * velocity.dy).squareRoot()
        guard speed > 0 else { continue }
        let half = CGVector(
          dx: -velocity.dy / speed * width / 2, dy: velocity.dx / speed * width / 2)
        let ends = (
          CGPoint(x: point.x + half.dx, y: point.y + half.dy),
          CGPoint(x: point.x - half.dx, y: point.y - half.dy)
        )
        if let last {
          sweep.addTriangle(last.0, last.1, ends.0)
          sweep.addTriangle(last.1, ends.0, ends.1)
        }
        last = ends
      }
    }
    return sweep
  }

  private mutating func addTriangle(_ a: CGPoint, _ b: CGPoint, _ c: CGPoint) {
    let isPositive = (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x)
    elements += [.move(a), .line(isPositive ? b : c), .line(isPositive ? c : b), .close]
  }
}
