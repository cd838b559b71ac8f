import Foundation
import Lamina

/// A value read from a document.
enum CAMLValue {
  /// No value: a property that can be nil is nil, any other has its default.
  case null
  case number(Double)
  case bool(Bool)
  case string(String)
  case point(CGPoint)
  case size(CGSize)
  case rect(CGRect)
  case color(CGColor)
  case transform(CATransform3D)
  case path(CGPath)
  case image(CGImage)
  case array([CAMLValue])

  /// The value in the form that key-value coding and animations take.
  var object: Any {
    switch self {
    case .null: NSNull()
    case .number(let value): value
    case .bool(let value): value
    case .string(let value): value
    case .point(let value): value
    case .size(let value): value
    case .rect(let value): value
    case .color(let value): value
    case .transform(let value): value
    case .path(let value): value
    case .image(let value): value
    case .array(let values): values.map(\.object)
    }
  }

  var number: Double? {
    switch self {
    case .number(let value): value
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }
}

/// The kind of a property's value, which determines how its attribute is read.
enum CAMLKind: Equatable {
  case number
  /// A number of seconds or of repetitions, which may be infinite.
  case timing
  case integer
  case bool
  case string
  /// One of these words.
  case name([String])
  case point, size, rect, color, transform, path, image
  case numbers, colors

  /// nil for values that documents cannot contain.
  init?(_ kind: FieldKind) {
    switch kind {
    case .number: self = .number
    case .integer: self = .integer
    case .bool: self = .bool
    // A compositing filter is written as its name.
    case .string, .filter: self = .string
    case .name(let names): self = .name(names)
    case .point: self = .point
    case .size: self = .size
    case .rect: self = .rect
    case .color: self = .color
    case .transform: self = .transform
    case .path: self = .path
    case .image: self = .image
    case .list(.number): self = .numbers
    case .list(.color): self = .colors
    case .list, .cell: return nil
    }
  }

  var names: [String]? { if case .name(let names) = self { names } else { nil } }

  /// Reads an attribute's text; nil if it is not a value of this kind.
  func value(from text: String) -> CAMLValue? {
    switch self {
    case .number: CAMLText.number(text).map { .number($0) }
    case .timing: CAMLText.anyNumber(text).map { .number($0) }
    case .integer: CAMLText.integer(text).map { .number(Double($0)) }
    case .bool: CAMLText.bool(text).map { .bool($0) }
    case .string: .string(text)
    case .name(let names): names.contains(text) ? .string(text) : nil
    case .point: CAMLText.point(text).map { .point($0) }
    case .size: CAMLText.size(text).map { .size($0) }
    case .rect: CAMLText.rect(text).map { .rect($0) }
    case .color: CAMLText.color(text).map { .color($0) }
    case .transform: CAMLText.transform(text).map { .transform($0) }
    case .path: (try? Path(svgPathData: text)).map { .path(CGPath($0)) }
    case .numbers:
      (CAMLText.matrix(text) ?? CAMLText.numbers(text)).map { .array($0.map { .number($0) }) }
    case .image, .colors: nil
    }
  }

  /// `value` as this kind, converted if documents mix the two kinds; nil if it is of another kind.
  func accepting(_ value: CAMLValue) -> CAMLValue? {
    switch (self, value) {
    case (_, .null): value
    case (.number, _): value.number.flatMap { $0.isFinite ? .number($0) : nil }
    case (.timing, _): value.number.map { .number($0) }
    case (.integer, _):
      value.number.flatMap { $0.isFinite ? .number($0.rounded(.towardZero)) : nil }
    case (.bool, _): value.number.map { .bool($0 != 0) }
    case (.string, .string): value
    case (.name(let names), .string(let text)): names.contains(text) ? value : nil
    case (.point, .point), (.size, .size), (.rect, .rect), (.color, .color): value
    case (.transform, .transform), (.path, .path), (.image, .image): value
    case (.size, .point(let point)): .size(CGSize(width: point.x, height: point.y))
    case (.point, .size(let size)): .point(CGPoint(x: size.width, y: size.height))
    case (.numbers, .array(let values)):
      values.allSatisfy { $0.number?.isFinite == true } ? value : nil
    case (.colors, .array(let values)):
      values.allSatisfy { if case .color = $0 { true } else { false } } ? value : nil
    default: nil
    }
  }

  /// The kind of a member of this kind, such as `size.width` of a rectangle; nil if there is no
  /// such member.
  func member(_ path: Substring) -> CAMLKind? {
    switch (self, path) {
    case (.point, "x"), (.point, "y"), (.size, "width"), (.size, "height"): .number
    case (.rect, "origin"): .point
    case (.rect, "size"): .size
    case (.rect, "origin.x"), (.rect, "origin.y"): .number
    case (.rect, "size.width"), (.rect, "size.height"): .number
    case (.transform, "translation"): .size
    case (.transform, _): Self.transformMembers.contains(path) ? .number : nil
    default: nil
    }
  }

  private static let transformMembers: Set<Substring> = [
    "rotation", "rotation.x", "rotation.y", "rotation.z", "scale", "scale.x", "scale.y", "scale.z",
    "scale.xy", "shear.x", "shear.y", "shear.z", "translation.x", "translation.y", "translation.z",
  ]

  /// The name of this kind in messages.
  var name: String {
    switch self {
    case .number, .timing: "a number"
    case .integer: "a whole number"
    case .bool: "0 or 1"
    case .string: "text"
    case .name(let names): "one of \(names.joined(separator: ", "))"
    case .point: "a point \"x y\""
    case .size: "a size \"width height\""
    case .rect: "a rectangle \"x y width height\""
    case .color: "a colour \"r g b\""
    case .transform: "a transform"
    case .path: "a path"
    case .image: "an image"
    case .numbers: "numbers"
    case .colors: "colours"
    }
  }
}
