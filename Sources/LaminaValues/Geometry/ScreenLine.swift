import Foundation

/// A line on the screen: a·x + b·y + c is the distance from it in pixels.
struct ScreenLine {
  var a: CGFloat
  var b: CGFloat
  var c: CGFloat

  init(a: CGFloat, b: CGFloat, c: CGFloat) { (self.a, self.b, self.c) = (a, b, c) }

  /// The line through two points, which may lie behind the eye. With y down, points to the left of
  /// the direction from the first to the second have negative distances.
  init(_ p: Homogeneous, _ q: Homogeneous) {
    // The cross product of homogeneous points is the line through them.
    var (a, b, c) = (p.y * q.w - p.w * q.y, p.w * q.x - p.x * q.w, p.x * q.y - p.y * q.x)
    // The squares of coordinates are far from an overflow.
    var length = (a * a + b * b).squareRoot()
    // If only one of the points is behind the eye, the line runs the other way.
    if p.w * q.w < 0 { length = -length }
    (a, b, c) = (a / length, b / length, c / length)
    (self.a, self.b, self.c) = (a, b, c)
  }

  init(_ p: CGPoint, _ q: CGPoint) {
    self.init(Homogeneous(x: p.x, y: p.y, w: 1), Homogeneous(x: q.x, y: q.y, w: 1))
  }

  var isProper: Bool { a.isFinite && b.isFinite && c.isFinite }

  func distance(_ p: CGPoint) -> CGFloat { a * p.x + b * p.y + c }

  func moved(by distance: CGFloat) -> ScreenLine {
    var line = self
    line.c -= distance
    return line
  }

  /// The point of the line that is nearest to `p`.
  func moved(onto p: CGPoint) -> CGPoint {
    guard isProper else { return p }
    let d = distance(p)
    return CGPoint(x: p.x - a * d, y: p.y - b * d)
  }

  /// How far a corner is moved at most, in pixels.
  static let cornerLimit: CGFloat = 8

  /// The corner between an edge that was moved out and the next one. `old` is where it was.
  static func corner(_ previous: ScreenLine, _ next: ScreenLine, near old: CGPoint) -> CGPoint {
    guard let corner = previous.intersection(next) else { return next.moved(onto: old) }
    // A sharp corner would be moved far out, for coverage too faint to see.
    let (dx, dy) = (corner.x - old.x, corner.y - old.y)
    let square = dx * dx + dy * dy
    if square <= cornerLimit * cornerLimit { return corner }
    let factor = cornerLimit / square.squareRoot()
    return CGPoint(x: old.x + dx * factor, y: old.y + dy * factor)
  }

  func intersection(_ other: ScreenLine) -> CGPoint? {
    let determinant = a * other.b - other.a * b
    guard abs(determinant) > 1e-6 else { return nil }
    return CGPoint(
      x: (b * other.c - other.b * c) / determinant, y: (other.a * c - a * other.c) / determinant)
  }
}
