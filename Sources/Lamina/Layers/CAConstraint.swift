import Foundation

/// An edge, a middle or a length of a layer's frame.
public enum CAConstraintAttribute: Int32, Sendable, CaseIterable {
  /// Along x: the least, the middle, the greatest, and the length between them, in points.
  case minX, midX, maxX, width
  /// Along y: the least, the middle, the greatest, and the length between them, in points.
  case minY, midY, maxY, height
}

/// A layout rule for one attribute of a layer's frame, which it sets to `source * scale + offset`,
/// where `source` is an attribute of another layer. `CAConstraintLayoutManager` applies it.
open class CAConstraint: NSObject, NSSecureCoding {
  /// The attribute of the constrained layer's frame that the rule sets.
  open private(set) var attribute: CAConstraintAttribute
  /// The name of the layer to measure, a sibling of the constrained one. "superlayer" stands for
  /// their superlayer, whose bounds are measured instead of its frame.
  open private(set) var sourceName: String
  /// The attribute of the source that is measured.
  open private(set) var sourceAttribute: CAConstraintAttribute
  /// The factor of the source's value.
  open private(set) var scale: CGFloat
  /// Added to the scaled value, in points.
  open private(set) var offset: CGFloat

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

  open class var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(Double(attribute.rawValue), forKey: "attribute")
    coder.encode(NSString(string: sourceName), forKey: "sourceName")
    coder.encode(Double(sourceAttribute.rawValue), forKey: "sourceAttribute")
    coder.encode(Double(scale), forKey: "scale")
    coder.encode(Double(offset), forKey: "offset")
  }

  /// Reads a rule from an archive; nil if a part of it is missing.
  public required init?(coder: NSCoder) {
    func attribute(_ key: String) -> CAConstraintAttribute? {
      coder.archivedNumber(forKey: key).flatMap { Int32(exactly: $0) }
        .flatMap(CAConstraintAttribute.init(rawValue:))
    }
    guard let ruled = attribute("attribute"), let measured = attribute("sourceAttribute"),
      let name = coder.archivedValue(forKey: "sourceName") as? String,
      let scale = coder.archivedNumber(forKey: "scale"),
      let offset = coder.archivedNumber(forKey: "offset")
    else { return nil }
    self.attribute = ruled
    sourceName = name
    sourceAttribute = measured
    self.scale = CGFloat(scale)
    self.offset = CGFloat(offset)
  }
}
