import LaminaAnimation
import LaminaValues

extension FilterValues: LayerField {
  package static var kind: FieldKind { .filter }
  package func encode(to writer: ByteWriter) {
    writer.write(type)
    name.encode(to: writer)
    writer.write(isEnabled)
    inputs.encode(to: writer)
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(type: try reader.readString(), name: try String?(from: &reader))
    isEnabled = try reader.readBool()
    inputs = try [Input](from: &reader)
  }

  package var animationValue: AnimationValue { .filter(self) }

  /// Accepts a name too, which stands for a filter of that type.
  package init?(_ value: AnimationValue) {
    switch value {
    case .filter(let filter): self = filter
    case .string(let type): self.init(type: type)
    default: return nil
    }
  }
}

extension FilterValues.Input: LayerField {
  package static var kind: FieldKind { .filter }
  package func encode(to writer: ByteWriter) {
    writer.write(key)
    value.encode(to: writer)
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(key: try reader.readString(), value: try FilterInput(from: &reader))
  }

  package var animationValue: AnimationValue { value.animationValue }
  package init?(_ value: AnimationValue) { nil }
}

extension FilterInput: LayerField {
  package static var kind: FieldKind { .filter }
  package func encode(to writer: ByteWriter) {
    switch self {
    case .number(let number):
      writer.write(0 as UInt8)
      number.encode(to: writer)
    case .numbers(let numbers):
      writer.write(1 as UInt8)
      numbers.encode(to: writer)
    case .color(let color):
      writer.write(2 as UInt8)
      color.encode(to: writer)
    case .string(let string):
      writer.write(3 as UInt8)
      string.encode(to: writer)
    case .image(let image):
      writer.write(4 as UInt8)
      image.encode(to: writer)
    }
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    switch code {
    case 0: self = .number(try Double(from: &reader))
    case 1: self = .numbers(try [Double](from: &reader))
    case 2: self = .color(try CGColor(from: &reader))
    case 3: self = .string(try reader.readString())
    case 4: self = .image(try ImageID(from: &reader))
    default: throw .unknownCode(of: "filter input", code: Int(code))
    }
  }
}

extension EffectsValues {
  /// The images of the layer's filters.
  package var imageIDs: [ImageID] {
    (filters ?? []).compactMap(\.image) + (backgroundFilters ?? []).compactMap(\.image)
  }

  /// The type of the first filter or blend mode that does not exist; nil if all do.
  package var unknownFilter: String? {
    let unknown = ((filters ?? []) + (backgroundFilters ?? []))
      .first { FilterKind(type: $0.type) == nil }
    let mode = compositingFilter?.type
    return unknown?.type ?? mode.flatMap { BlendMode(type: $0) == nil ? $0 : nil }
  }
}
