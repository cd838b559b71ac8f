import Foundation

extension Path {
  /// The start of the next segment: the last point, or the start of a subpath just closed; nil
  /// before the first move.
  package var currentPoint: CGPoint? {
    switch elements.last {
    case .move(let p), .line(let p), .quad(_, let p), .cubic(_, _, let p): return p
    case .close:
      for case .move(let start) in elements.reversed() { return start }
      return nil
    case nil: return nil
    }
  }

  package mutating func move(to point: CGPoint) { elements.append(.move(point)) }

  /// Prepares for another segment; returns false if there is no current point. After a closed
  /// subpath, adds an explicit move to that subpath's start, so that readers need not infer it.
  private mutating func beginSegment() -> Bool {
    switch elements.last {
    case nil: return false
    case .close:
      guard let start = currentPoint else { return false }
      elements.append(.move(start))
      return true
    default: return true
    }
  }

  package mutating func addLine(to point: CGPoint) {
    if beginSegment() { elements.append(.line(point)) }
  }

  package mutating func addQuad(control: CGPoint, end: CGPoint) {
    if beginSegment() { elements.append(.quad(control: control, end: end)) }
  }

  package mutating func addCubic(control1: CGPoint, control2: CGPoint, end: CGPoint) {
    if beginSegment() {
      elements.append(.cubic(control1: control1, control2: control2, end: end))
    }
  }

  /// Closes the current subpath. Does nothing if there is none or it is closed already.
  package mutating func close() {
    if let last = elements.last, last != .close { elements.append(.close) }
  }

  /// Adds a rectangle from (minX, minY), along the edge y = minY first.
  package mutating func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
    guard !rect.isNull else { return }
    let corners = rect.corners.map { $0.applying(transform) }
    elements.append(.move(corners[0]))
    elements += corners.dropFirst().map { .line($0) }
    elements.append(.close)
  }

  /// Adds an ellipse from (maxX, midY), toward (midX, maxY) first.
  package mutating func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
    guard !rect.isNull else { return }
    var unit = Path()
    unit.addUnitArc(from: 0, sweep: 2 * .pi, joining: false)
    unit.close()
    let place = CGAffineTransform(
      a: rect.width / 2, b: 0, c: 0, d: rect.height / 2, tx: rect.midX, ty: rect.midY)
    elements += unit.applying(place.concatenating(transform)).elements
  }

  /// Adds a rectangle with elliptic corners from (maxX, midY), toward (maxX, maxY) first. Corners
  /// larger than half a side are limited to that. Without corners, this is `addRect`.
  package mutating func addRoundedRect(
    in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat,
    transform: CGAffineTransform = .identity
  ) {
    guard !rect.isNull else { return }
    let width = min(max(cornerWidth, 0), rect.width / 2)
    let height = min(max(cornerHeight, 0), rect.height / 2)
    guard width > 0, height > 0 else { return addRect(rect, transform: transform) }
    func point(_ x: CGFloat, _ y: CGFloat) -> CGPoint { CGPoint(x: x, y: y).applying(transform) }
    // Distance of a quarter's control points from the corner.
    let (dx, dy) = (width * (1 - Path.quarterArc), height * (1 - Path.quarterArc))
    let (minX, minY, maxX, maxY) = (rect.minX, rect.minY, rect.maxX, rect.maxY)
    elements += [
      .move(point(maxX, rect.midY)),
      .line(point(maxX, maxY - height)),
      .cubic(
        control1: point(maxX, maxY - dy), control2: point(maxX - dx, maxY),
        end: point(maxX - width, maxY)),
      .line(point(minX + width, maxY)),
      .cubic(
        control1: point(minX + dx, maxY), control2: point(minX, maxY - dy),
        end: point(minX, maxY - height)),
      .line(point(minX, minY + height)),
      .cubic(
        control1: point(minX, minY + dy), control2: point(minX + dx, minY),
        end: point(minX + width, minY)),
      .line(point(maxX - width, minY)),
      .cubic(
        control1: point(maxX - dx, minY), control2: point(maxX, minY + dy),
        end: point(maxX, minY + height)),
      .close,
    ]
  }
}
