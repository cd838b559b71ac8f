import Foundation
import LaminaAnimation
import LaminaValues

/// A type that a field of `LayerValues` may have. Defines, for every property of the type, how the
/// field crosses the process boundary and how the one evaluator sees it.
package protocol LayerField: Hashable, Sendable {
  static var kind: FieldKind { get }
  func encode(to writer: ByteWriter)
  init(from reader: inout ByteReader) throws(CommitError)
  var animationValue: AnimationValue { get }
  /// nil if the value is of another type.
  init?(_ value: AnimationValue)
}

/// The kind of value in a field, for code that reads values from text.
package indirect enum FieldKind: Hashable, Sendable {
  case number, integer, bool, string, point, size, rect, color, transform, path, image, filter
  /// An emitter cell.
  case cell
  /// A name from this list.
  case name([String])
  case list(FieldKind)
}

/// A name from a closed list. It crosses as its index in the list.
package protocol LayerName: LayerField, RawRepresentable, CaseIterable
where RawValue == String, AllCases == [Self] {}

extension LayerName {
  package static var kind: FieldKind { .name(allCases.map(\.rawValue)) }

  package func encode(to writer: ByteWriter) {
    writer.write(UInt8(Self.allCases.firstIndex(of: self)!))
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    let code = Int(try reader.read(UInt8.self))
    let all = Self.allCases
    guard code < all.count else { throw .unknownCode(of: "\(Self.self)", code: code) }
    self = all[code]
  }

  package var animationValue: AnimationValue { .string(rawValue) }

  package init?(_ value: AnimationValue) {
    guard case .string(let name) = value else { return nil }
    self.init(rawValue: name)
  }
}

extension Double: LayerField {
  package static var kind: FieldKind { .number }
  package func encode(to writer: ByteWriter) { writer.write(self) }
  package init(from reader: inout ByteReader) throws(CommitError) { self = try reader.readNumber() }
  package var animationValue: AnimationValue { .number(self) }
  package init?(_ value: AnimationValue) {
    guard case .number(let number) = value, !number.isNaN else { return nil }
    self = number
  }
}

extension Bool: LayerField {
  package static var kind: FieldKind { .bool }
  package func encode(to writer: ByteWriter) { writer.write(self) }
  package init(from reader: inout ByteReader) throws(CommitError) { self = try reader.readBool() }
  package var animationValue: AnimationValue { .number(self ? 1 : 0) }
  /// False only at exactly 0, so that an animated flag is on throughout.
  package init?(_ value: AnimationValue) {
    guard case .number(let number) = value else { return nil }
    self = number != 0
  }
}

extension UInt32: LayerField {
  package static var kind: FieldKind { .integer }
  package func encode(to writer: ByteWriter) { writer.write(self) }
  package init(from reader: inout ByteReader) throws(CommitError) { self = try reader.read() }
  package var animationValue: AnimationValue { .number(Double(self)) }
  package init?(_ value: AnimationValue) {
    guard case .number(let number) = value, let whole = UInt32(exactly: number.rounded()) else {
      return nil
    }
    self = whole
  }
}

extension CGPoint: LayerField {
  package static var kind: FieldKind { .point }
  package func encode(to writer: ByteWriter) { writer.write((Double(x), Double(y))) }
  package init(from reader: inout ByteReader) throws(CommitError) {
    let (x, y) = try reader.read((Double, Double).self)
    guard x.isFinite, y.isFinite else { throw .notFinite("point") }
    self.init(x: x, y: y)
  }
  package var animationValue: AnimationValue { .point(self) }
  package init?(_ value: AnimationValue) {
    guard case .point(let point) = value, point.x.isFinite, point.y.isFinite else { return nil }
    self = point
  }
}

extension CGSize: LayerField {
  package static var kind: FieldKind { .size }
  package func encode(to writer: ByteWriter) { writer.write((Double(width), Double(height))) }
  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(width: try reader.readFinite("size"), height: try reader.readFinite("size"))
  }
  package var animationValue: AnimationValue { .size(self) }
  package init?(_ value: AnimationValue) {
    guard case .size(let size) = value, size.width.isFinite, size.height.isFinite else {
      return nil
    }
    self = size
  }
}

extension CGRect: LayerField {
  package static var kind: FieldKind { .rect }
  package func encode(to writer: ByteWriter) {
    origin.encode(to: writer)
    size.encode(to: writer)
  }
  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      origin: try CGPoint(from: &reader), size: try CGSize(from: &reader))
  }
  package var animationValue: AnimationValue { .rect(self) }
  package init?(_ value: AnimationValue) {
    guard case .rect(let rect) = value, CGPoint(.point(rect.origin)) != nil,
      CGSize(.size(rect.size)) != nil
    else { return nil }
    self = rect
  }
}

extension CATransform3D: LayerField {
  package static var kind: FieldKind { .transform }
  /// Encodes the identity in one byte, any other transform in 129.
  package func encode(to writer: ByteWriter) {
    writer.write(isIdentity)
    if !isIdentity { writer.write(self) }
  }
  package init(from reader: inout ByteReader) throws(CommitError) {
    self = try reader.readBool() ? .identity : try reader.read(CATransform3D.self)
    guard isFinite else { throw .notFinite("transform") }
  }
  package var animationValue: AnimationValue { .transform(self) }
  package init?(_ value: AnimationValue) {
    guard case .transform(let transform) = value, transform.isFinite else { return nil }
    self = transform
  }
}

extension CGColor: LayerField {
  package static var kind: FieldKind { .color }
  package func encode(to writer: ByteWriter) {
    writer.write(spaceKind.rawValue)
    writer.write(c0)
    writer.write(c1)
    writer.write(c2)
    writer.write(Double(alpha))
  }
  package init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    guard let kind = CGColorSpace.Kind(rawValue: code) else {
      throw .unknownCode(of: "colour space", code: Int(code))
    }
    self.init(
      kind: kind, try reader.readFinite("colour"), try reader.readFinite("colour"),
      try reader.readFinite("colour"), alpha: try reader.readFinite("colour"))
  }
  package var animationValue: AnimationValue { .color(self) }
  package init?(_ value: AnimationValue) {
    guard case .color(let color) = value, color.isFinite else { return nil }
    self = color
  }
}

extension Path: LayerField {
  package static var kind: FieldKind { .path }
  package func encode(to writer: ByteWriter) {
    writer.write(UInt32(elements.count))
    for element in elements {
      switch element {
      case .move(let p):
        writer.write(0 as UInt8)
        p.encode(to: writer)
      case .line(let p):
        writer.write(1 as UInt8)
        p.encode(to: writer)
      case .quad(let c, let p):
        writer.write(2 as UInt8)
        c.encode(to: writer)
        p.encode(to: writer)
      case .cubic(let c1, let c2, let p):
        writer.write(3 as UInt8)
        c1.encode(to: writer)
        c2.encode(to: writer)
        p.encode(to: writer)
      case .close: writer.write(4 as UInt8)
      }
    }
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    let count = try reader.readCount(of: "path elements", minimumSize: 1)
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count {
      let code = try reader.read(UInt8.self)
      switch code {
      case 0: elements.append(.move(try CGPoint(from: &reader)))
      case 1: elements.append(.line(try CGPoint(from: &reader)))
      case 2:
        elements.append(
          .quad(control: try CGPoint(from: &reader), end: try CGPoint(from: &reader)))
      case 3:
        elements.append(
          .cubic(
            control1: try CGPoint(from: &reader), control2: try CGPoint(from: &reader),
            end: try CGPoint(from: &reader)))
      case 4: elements.append(.close)
      default: throw .unknownCode(of: "path element", code: Int(code))
      }
    }
    self.init(elements)
  }

  package var animationValue: AnimationValue { .path(self) }
  package init?(_ value: AnimationValue) {
    guard case .path(let path) = value, path.isFinite else { return nil }
    self = path
  }
}

extension ImageID: LayerField {
  package static var kind: FieldKind { .image }
  package func encode(to writer: ByteWriter) { writer.write(rawValue) }
  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(rawValue: try reader.read())
  }
  package var animationValue: AnimationValue { .image(self) }
  package init?(_ value: AnimationValue) {
    guard case .image(let id) = value else { return nil }
    self = id
  }
}

extension String: LayerField {
  package static var kind: FieldKind { .string }
  package func encode(to writer: ByteWriter) { writer.write(self) }
  package init(from reader: inout ByteReader) throws(CommitError) { self = try reader.readString() }
  package var animationValue: AnimationValue { .string(self) }
  package init?(_ value: AnimationValue) {
    guard case .string(let string) = value else { return nil }
    self = string
  }
}

extension Optional: LayerField where Wrapped: LayerField {
  package static var kind: FieldKind { Wrapped.kind }
  package func encode(to writer: ByteWriter) {
    writer.write(self != nil)
    self?.encode(to: writer)
  }
  package init(from reader: inout ByteReader) throws(CommitError) {
    self = try reader.readBool() ? try Wrapped(from: &reader) : nil
  }
  package var animationValue: AnimationValue { self?.animationValue ?? .none }
  package init?(_ value: AnimationValue) {
    if case .none = value {
      self = .none
      return
    }
    guard let wrapped = Wrapped(value) else { return nil }
    self = .some(wrapped)
  }
}

extension Array: LayerField where Element: LayerField {
  package static var kind: FieldKind { .list(Element.kind) }
  package func encode(to writer: ByteWriter) {
    writer.write(UInt32(count))
    for element in self { element.encode(to: writer) }
  }
  package init(from reader: inout ByteReader) throws(CommitError) {
    let count = try reader.readCount(of: "elements", minimumSize: 1)
    self.init()
    reserveCapacity(count)
    for _ in 0..<count { append(try Element(from: &reader)) }
  }
  package var animationValue: AnimationValue { .array(map(\.animationValue)) }
  package init?(_ value: AnimationValue) {
    guard case .array(let values) = value else { return nil }
    let elements = values.compactMap(Element.init)
    guard elements.count == values.count else { return nil }
    self = elements
  }
}
