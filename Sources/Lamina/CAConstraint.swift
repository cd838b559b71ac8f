import Foundation

/// An edge, a middle or a length of a layer's frame.
public enum CAConstraintAttribute: Int32, Sendable, CaseIterable {
  case minX, midX, maxX, width
  case minY, midY, maxY, height
}

/// A rule of `CAConstraintLayoutManager` for one attribute of a layer's frame: it is that of
/// another layer, `source * scale + offset`.
public final class CAConstraint: NSObject, NSSecureCoding {
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

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(Double(attribute.rawValue), forKey: "attribute")
    coder.encode(NSString(string: sourceName), forKey: "sourceName")
    coder.encode(Double(sourceAttribute.rawValue), forKey: "sourceAttribute")
    coder.encode(Double(scale), forKey: "scale")
    coder.encode(Double(offset), forKey: "offset")
  }

  /// A rule from an archive; nil where something of it is missing.
  public convenience init?(coder: NSCoder) {
    func attribute(_ key: String) -> CAConstraintAttribute? {
      coder.archivedNumber(forKey: key).flatMap { Int32(exactly: $0) }
        .flatMap(CAConstraintAttribute.init(rawValue:))
    }
    guard let ruled = attribute("attribute"), let measured = attribute("sourceAttribute"),
      let name = coder.archivedValue(forKey: "sourceName") as? String,
      let scale = coder.archivedNumber(forKey: "scale"),
      let offset = coder.archivedNumber(forKey: "offset")
    else { return nil }
    self.init(
      attribute: ruled, relativeTo: name, attribute: measured, scale: CGFloat(scale),
      offset: CGFloat(offset))
  }
}
