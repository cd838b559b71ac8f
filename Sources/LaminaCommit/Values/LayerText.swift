import Foundation
import LaminaAnimation
import LaminaValues

/// A text layer's text, plain or attributed. Only the client draws it: in messages and animations
/// it is plain.
package struct TextString: LayerField {
  package let plain: String
  private let styled: Styled?

  /// Never changed after the initialiser, which copies it.
  private final class Styled: @unchecked Sendable {
    let string: NSAttributedString
    init(_ string: NSAttributedString) { self.string = string }
  }

  package init(_ plain: String) {
    self.plain = plain
    styled = nil
  }

  package init(_ string: NSAttributedString) {
    plain = string.string
    styled = Styled(NSAttributedString(attributedString: string))
  }

  /// The text with its attributes; nil if it is plain.
  package var attributed: NSAttributedString? { styled?.string }

  package static func == (a: TextString, b: TextString) -> Bool {
    a.plain == b.plain && (a.styled === b.styled || a.attributed == b.attributed)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(plain) }

  package static var kind: FieldKind { .string }
  package func encode(to writer: ByteWriter) { plain.encode(to: writer) }
  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(try String(from: &reader))
  }
  package var animationValue: AnimationValue { .string(plain) }
  package init?(_ value: AnimationValue) {
    guard case .string(let text) = value else { return nil }
    self.init(text)
  }
}

/// A text layer's font: its name, or an object that has one. Only the client draws with it: in
/// messages and animations it is the name.
package struct TextFont: LayerField {
  package let name: String
  /// The font as the program set it; nil if it set the name.
  package let object: (any AnyObject & Sendable)?

  package init(name: String, object: (any AnyObject & Sendable)? = nil) {
    self.name = name
    self.object = object
  }

  // The size of a font object has no meaning to a text layer, so the name tells fonts apart.
  package static func == (a: TextFont, b: TextFont) -> Bool {
    a.name == b.name && a.objectType == b.objectType
  }

  private var objectType: ObjectIdentifier? { object.map { ObjectIdentifier(type(of: $0)) } }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  package static var kind: FieldKind { .string }
  package func encode(to writer: ByteWriter) { name.encode(to: writer) }
  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(name: try String(from: &reader))
  }
  package var animationValue: AnimationValue { .string(name) }
  package init?(_ value: AnimationValue) {
    guard case .string(let name) = value else { return nil }
    self.init(name: name)
  }
}
