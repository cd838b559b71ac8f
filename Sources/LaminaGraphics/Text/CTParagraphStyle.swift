import Foundation
import LaminaValues

/// Text attribute: the paragraph's style, a `CTParagraphStyle`.
public let kCTParagraphStyleAttributeName: CFString = "NSParagraphStyle"

/// How the lines of a paragraph lie between the edges of their box.
public enum CTTextAlignment: UInt8, Hashable, Sendable {
  /// At the edge of the least x.
  case left = 0
  /// At the edge of the greatest x, or in the middle.
  case right, center
  /// Wrapped lines, except a paragraph's last one, are spread from edge to edge.
  case justified
  /// At the edge at which the paragraph's script begins.
  case natural
}

/// The part of a line too long for its box that an ellipsis replaces.
public enum CTLineTruncationType: UInt32, Hashable, Sendable {
  /// The start of the line is replaced.
  case start = 0
  /// The end or the middle of the line is replaced.
  case end, middle
}

/// A property of a paragraph style.
public enum CTParagraphStyleSpecifier: UInt32, Hashable, Sendable {
  /// A `CTTextAlignment`; natural by default.
  case alignment = 0
  /// A `CGFloat`: the space added between lines, in points; 0 by default.
  case lineSpacingAdjustment = 17
}

/// A property of a paragraph style and the memory that holds its value.
public struct CTParagraphStyleSetting {
  /// The property.
  public var spec: CTParagraphStyleSpecifier
  /// The number of bytes of the value.
  public var valueSize: Int
  /// The value's memory, which is read while the style is made.
  public var value: UnsafeRawPointer

  /// A property, with a value of `valueSize` bytes.
  public init(spec: CTParagraphStyleSpecifier, valueSize: Int, value: UnsafeRawPointer) {
    self.spec = spec
    self.valueSize = valueSize
    self.value = value
  }
}

/// The style of a paragraph.
public final class CTParagraphStyle: Hashable, Sendable {
  package let alignment: CTTextAlignment
  package let lineSpacing: CGFloat

  package init(alignment: CTTextAlignment = .natural, lineSpacing: CGFloat = 0) {
    self.alignment = alignment
    self.lineSpacing = lineSpacing.isFinite ? max(0, lineSpacing) : 0
  }

  public static func == (a: CTParagraphStyle, b: CTParagraphStyle) -> Bool {
    a.alignment == b.alignment && a.lineSpacing == b.lineSpacing
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(alignment)
    hasher.combine(lineSpacing)
  }
}

/// A paragraph style of `count` settings, which are read at once. A setting of another size than
/// its value's is left out.
public func CTParagraphStyleCreate(
  _ settings: UnsafePointer<CTParagraphStyleSetting>?, _ count: Int
) -> CTParagraphStyle {
  var (alignment, spacing): (CTTextAlignment, CGFloat) = (.natural, 0)
  for setting in UnsafeBufferPointer(start: settings, count: max(0, count)) {
    switch (setting.spec, setting.valueSize) {
    case (.alignment, 1):
      alignment = CTTextAlignment(rawValue: setting.value.load(as: UInt8.self)) ?? .natural
    case (.lineSpacingAdjustment, MemoryLayout<CGFloat>.size):
      spacing = setting.value.loadUnaligned(as: CGFloat.self)
    default: break
    }
  }
  return CTParagraphStyle(alignment: alignment, lineSpacing: spacing)
}
