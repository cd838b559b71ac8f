import Foundation

/// What `CGPath.apply(info:function:)` calls: with its `info`, and an element that is valid only
/// during the call.
public typealias CGPathApplierFunction =
  (UnsafeMutableRawPointer?, UnsafePointer<CGPathElement>) -> Void

extension CGPath {
  /// The outline of the path's stroke. Filled by the winding rule, it covers what stroking covers;
  /// it may overlap itself. Empty where `lineWidth`, in the path's own units, is not positive.
  ///
  /// A miter whose length over the line width exceeds `miterLimit` becomes a bevel. A subpath
  /// without length is a dot: a disc or a square by the cap, nothing for butt caps. `transform` maps
  /// the outline's points, so it deforms the pen as well.
  public func copy(
    strokingWithWidth lineWidth: CGFloat, lineCap: CGLineCap, lineJoin: CGLineJoin,
    miterLimit: CGFloat, transform: CGAffineTransform = .identity
  ) -> CGPath {
    let outline = storage.stroked(
      width: lineWidth, cap: lineCap, join: lineJoin, miterLimit: miterLimit)
    return CGPath(outline.applying(transform))
  }

  /// The path in dashes, each an open subpath. `lengths` are those of a dash, a gap, a dash and so
  /// on over and over, in the path's own units; every subpath starts `phase` into them. The path
  /// undashed where they have no length at all, or one is negative or not finite, or they would make
  /// more than 100,000 dashes. `transform` maps the dashes' points.
  public func copy(
    dashingWithPhase phase: CGFloat, lengths: [CGFloat], transform: CGAffineTransform = .identity
  ) -> CGPath {
    CGPath(storage.dashed(phase: phase, lengths: lengths).applying(transform))
  }

  /// The path with lines in place of curves, none further than `threshold` from its curve, in the
  /// path's own units. A curve becomes at most 1024 lines.
  public func flattened(threshold: CGFloat) -> CGPath {
    CGPath(storage.flattened(tolerance: threshold))
  }

  /// Whether `point`, mapped by `transform`, is inside the path, every subpath being closed. This is
  /// exact on curves, not on lines in their place.
  ///
  /// A point on an edge is inside where what lies toward greater x is, on a level edge toward
  /// greater y: a rectangle has its least edges and not its greatest, like `CGRect.contains`.
  public func contains(
    _ point: CGPoint, using rule: CGPathFillRule = .winding,
    transform: CGAffineTransform = .identity
  ) -> Bool {
    storage.contains(point.applying(transform), using: rule)
  }

  /// Whether the path is a rectangle parallel to the axes and nothing else; if so, `rect`, which may
  /// be nil, becomes it.
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
