import Foundation

/// An edge, a middle or a length of a layer's frame.
public enum CAConstraintAttribute: Int32, Sendable, CaseIterable {
  case minX, midX, maxX, width
  case minY, midY, maxY, height
}

/// A rule of `CAConstraintLayoutManager` for one attribute of a layer's frame: it is that of
/// another layer, `source * scale + offset`.
public final class CAConstraint: NSObject {
  /// What of the layer that has the constraint is ruled.
  public let attribute: CAConstraintAttribute
  /// The name of the layer that is measured, among those with the same superlayer; "superlayer"
  /// names that one, whose bounds are measured.
  public let sourceName: String
  /// What of the source is measured.
  public let sourceAttribute: CAConstraintAttribute
  public let scale: CGFloat
  /// In points.
  public let offset: CGFloat

  /// A rule `source * scale + offset`.
  public init(
    attribute: CAConstraintAttribute, relativeTo source: String,
    attribute sourceAttribute: CAConstraintAttribute, scale: CGFloat, offset: CGFloat
  ) {
    self.attribute = attribute
    sourceName = source
    self.sourceAttribute = sourceAttribute
    self.scale = scale
    self.offset = offset
  }

  /// A rule `source + offset`.
  public convenience init(
    attribute: CAConstraintAttribute, relativeTo source: String,
    attribute sourceAttribute: CAConstraintAttribute, offset: CGFloat
  ) {
    self.init(
      attribute: attribute, relativeTo: source, attribute: sourceAttribute, scale: 1,
      offset: offset)
  }

  /// The same as the source.
  public convenience init(
    attribute: CAConstraintAttribute, relativeTo source: String,
    attribute sourceAttribute: CAConstraintAttribute
  ) {
    self.init(
      attribute: attribute, relativeTo: source, attribute: sourceAttribute, scale: 1, offset: 0)
  }
}
