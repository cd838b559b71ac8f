/// The share of each pixel that lies in a figure: a number for each pixel of a box, and 0
/// elsewhere.
final class ReferenceCoverage {
  let box: ReferenceBox
  /// The pixels near an edge.
  private(set) var edges: [Int] = []
  /// The width of the canvas that pixel indices refer to.
  private let width: Int
  private let across: Int
  private let values: UnsafeMutablePointer<Double>

  deinit { values.deallocate() }

  /// Samples the figure at the middle of each pixel of a canvas and, near an edge, at 16 points of
  /// the pixel.
  init(_ figure: any ReferenceFigure, _ plane: Plane, in canvas: ReferenceCanvas) {
    let margin = canvas.margin
    width = canvas.width
    box = plane.box(of: figure, margin: margin).intersection(canvas.whole)
    across = box.isEmpty ? 0 : box.maxX - box.minX
    let count = box.isEmpty ? 0 : across * (box.maxY - box.minY)
    values = .allocate(capacity: max(count, 1))
    guard count > 0 else { return }
    // Samples at the middles of all pixels and their neighbours and, for thin figures, between
    // these.
    let step = figure.isThin ? 2 : 1
    let (wide, high) = ((across + 1) * step + 1, (count / across + 1) * step + 1)
    let inside = UnsafeMutablePointer<Int>.allocate(capacity: wide * high)
    defer { inside.deallocate() }
    var at = 0
    while at < wide * high {
      let x = Double(box.minX - margin) - 0.5 + Double(at % wide) / Double(step)
      let y = Double(box.minY - margin) - 0.5 + Double(at / wide) / Double(step)
      inside[at] = plane.isInside(figure, x, y) ? 1 : 0
      at += 1
    }
    var place = 0
    while place < count {
      let (x, y) = (place % across, place / across)
      at = (y + 1) * step * wide + (x + 1) * step
      var (found, reach) = (inside[at], step)
      while reach > 0 {
        found += inside[at - reach * (wide + 1)] + inside[at - reach * (wide - 1)]
        found += inside[at + reach * (wide - 1)] + inside[at + reach * (wide + 1)]
        if figure.isThin {
          found += inside[at - reach] + inside[at + reach]
          found += inside[at - reach * wide] + inside[at + reach * wide]
        }
        reach -= 1
      }
      values[place] = Double(inside[at])
      if found > 0, found < (figure.isThin ? 17 : 5) {
        edges.append((box.minY + y) * width + box.minX + x)
        values[place] = Self.coverage(
          figure, plane, Double(box.minX + x - margin), Double(box.minY + y - margin))
      }
      place += 1
    }
  }

  /// The coverage of the pixel with its corner at (x, y).
  private static func coverage(
    _ figure: any ReferenceFigure, _ plane: Plane, _ x: Double, _ y: Double
  ) -> Double {
    var (count, sample) = (0, 0)
    while sample < 16 {
      let sx = x + (Double(sample % 4) + 0.5) / 4
      let sy = y + (Double(sample / 4) + 0.5) / 4
      if plane.isInside(figure, sx, sy) { count += 1 }
      sample += 1
    }
    return Double(count) / 16
  }

  subscript(pixel: Int) -> Double {
    let (x, y) = (pixel % width, pixel / width)
    guard x >= box.minX, x < box.maxX, y >= box.minY, y < box.maxY else { return 0 }
    return values[(y - box.minY) * across + x - box.minX]
  }
}
