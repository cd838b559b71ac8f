import Foundation
import LaminaValues

/// The rule that says which points are inside a path.
public enum CGPathFillRule: Int, Sendable {
  /// Points that the path winds around more often one way than the other.
  case winding = 0
  /// Points from which a ray crosses the path an odd number of times.
  case evenOdd = 1
}

/// How an open subpath's line ends.
public enum CGLineCap: Int32, Sendable {
  /// At the endpoint, square to the line.
  case butt = 0
  /// With a half disc of the line's width about the endpoint.
  case round = 1
  /// Half the line's width past the endpoint, square to the line.
  case square = 2
}

/// How two segments of a line meet.
public enum CGLineJoin: Int32, Sendable {
  /// The outer edges extend until they meet; past the miter limit, a bevel.
  case miter = 0
  /// A disc of the line's width about the corner.
  case round = 1
  /// The outer edges' ends joined by a straight line.
  case bevel = 2
}

extension CGPathFillRule {
  /// Whether a point with this winding number is inside.
  func isInside(_ winding: Int) -> Bool {
    self == .evenOdd ? !winding.isMultiple(of: 2) : winding != 0
  }
}

extension Path {
  package func contains(_ point: CGPoint, using rule: CGPathFillRule) -> Bool {
    rule.isInside(winding(around: point))
  }
}
