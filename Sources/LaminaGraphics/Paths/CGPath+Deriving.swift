import Foundation
import LaminaValues

/// A function for `CGPath.apply(info:function:)`. It takes the `info` and an element, which is
/// valid only during the call.
public typealias CGPathApplierFunction =
  (UnsafeMutableRawPointer?, UnsafePointer<CGPathElement>) -> Void

extension CGPath {
  /// The outline of the path's stroke. Filled by the winding rule, it covers what the stroke
  /// covers; it may overlap itself. Empty if `lineWidth`, in the path's own units, is not positive.
  ///
  /// A miter whose length over the line width exceeds `miterLimit` becomes a bevel. A subpath
  /// without length is a dot: a disc or a square, depending on the cap, and nothing for butt caps.
  /// `transform` maps the outline's points, so it deforms the pen as well.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin,
    miterLimit: CGFloat, transform: CGAffineTransform = .identity
  ) -> CGPath {
    let outline = storage.stroked(
      width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit)
    return CGPath(outline.applying(transform))
  }

  /// The path cut into dashes, each an open subpath. `lengths` has the lengths of a dash, a gap, a
  /// dash and so on, repeated, in the path's own units; every subpath starts `phase` into them.
  /// Returns the path undashed if `lengths` is empty or all 0, if a length is negative or not
  /// finite, or if there would be more than 100,000 dashes. `transform` maps the dashes' points.
  public func copy(
    dashingWithPhase phase: CGFloat, lengths: [CGFloat], transform: CGAffineTransform = .identity
  ) -> CGPath {
    CGPath(storage.dashed(phase: phase, lengths: lengths).applying(transform))
  }

  /// The path with lines in place of curves. No line is further than `threshold`, in the path's own
  /// units, from its curve. A curve becomes at most 1024 lines.
  public func flattened(threshold: CGFloat) -> CGPath {
    CGPath(storage.flattened(tolerance: threshold))
  }

  /// Whether `point`, mapped by `transform`, is inside the path; every subpath counts as closed.
  /// Curves are tested exactly, not as lines.
  ///
  /// A point on an edge is inside if the area toward greater x is inside, or on a horizontal edge
  /// the area toward greater y: a rectangle contains its minimum edges and not its maximum ones,
  /// like `CGRect.contains`.
  public func contains(
    _ point: CGPoint, using rule: CGPathFillRule = .winding,
    transform: CGAffineTransform = .identity
  ) -> Bool {
    storage.contains(point.applying(transform), using: rule)
  }

  /// Whether the path is one rectangle parallel to the axes and nothing else. If so, the rectangle
  /// is stored in `rect`, which may be nil.
  public func isRect(_ rect: UnsafeMutablePointer<CGRect>?) -> Bool {
    guard let rectangle = storage.rectangle else { return false }
    rect?.pointee = rectangle
    return true
  }

  /// Calls `function` with `info` and every element in order.
  public func apply(info: UnsafeMutableRawPointer?, function: CGPathApplierFunction) {
    applyWithBlock { function(info, $0) }
  }
}
