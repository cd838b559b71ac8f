import Foundation

/// An edge, a middle or a length of a layer's frame.
public enum CAConstraintAttribute: Int32, Sendable, CaseIterable {
  case minX, midX, maxX, width
  case minY, midY, maxY, height
}

/// A layout rule for one attribute of a layer's frame, which it sets to `source * scale + offset`,
/// where `source` is an attribute of another layer. `CAConstraintLayoutManager` applies it.
public final class CAConstraint: NSObject, NSSecureCoding {
  /// The attribute of the constrained layer's frame that the rule sets.
  public let attribute: CAConstraintAttribute
  /// The name of the layer to measure, a sibling of the constrained one. "superlayer" stands for
  /// their superlayer, whose bounds are measured instead of its frame.
  public let sourceName: String
  /// The attribute of the source that is measured.
  public let sourceAttribute: CAConstraintAttribute
  public let scale: CGFloat
  /// Added to the scaled value, in points.
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

  /// A rule that makes the attribute equal to the source's.
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

  /// Reads a rule from an archive; nil if a part of it is missing.
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
