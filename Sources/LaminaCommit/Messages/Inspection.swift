import LaminaValues

/// Asks for a stage of the pipeline, for tools and tests.
package struct Inspect: Hashable, Sendable {
  package var request: UInt32
  package var session: SessionID
  package var time: Double
  package var afterSequence: UInt64
  package var subject: Subject

  package enum Subject: Hashable, Sendable {
    /// The evaluated tree, as text.
    case tree
    /// What layers draw, in its groups, as text.
    case items
    /// The frame's plan, as text.
    case plan
    /// The evaluated values of a layer.
    case values(LayerID)
    /// All occurrences of layers.
    case layers
  }

  package init(
    request: UInt32, session: SessionID, time: Double, afterSequence: UInt64, subject: Subject
  ) {
    self.request = request
    self.session = session
    self.time = time
    self.afterSequence = afterSequence
    self.subject = subject
  }
}

/// The answer to an `Inspect`.
package enum Inspection: Hashable, Sendable {
  case text(String)
  /// One for each drawn instance of the layer; none if the layer is hidden, inside a hidden layer,
  /// or not in the session.
  case values([EvaluatedLayer])
  case layers(LayerRecords)
}

/// A layer at a moment, as the render process draws it.
package struct EvaluatedLayer: Hashable, Sendable {
  /// In the layer's own time space, in seconds.
  package var time: Double
  /// The values with all animations applied. Properties that do not cross the process boundary have
  /// their defaults.
  package var values: LayerValues

  package init(time: Double, values: LayerValues) {
    self.time = time
    self.values = values
  }
}

extension Inspect {
  func encode(to writer: ByteWriter) {
    writer.write(request)
    writer.write(session.rawValue)
    writer.write(time)
    writer.write(afterSequence)
    switch subject {
    case .tree: writer.write(0 as UInt8)
    case .plan: writer.write(1 as UInt8)
    case .items: writer.write(3 as UInt8)
    case .layers: writer.write(4 as UInt8)
    case .values(let layer):
      writer.write(2 as UInt8)
      layer.encode(to: writer)
    }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      request: try reader.read(), session: SessionID(rawValue: try reader.read()),
      time: try reader.readFinite("time"), afterSequence: try reader.read(), subject: .tree)
    let code = try reader.read(UInt8.self)
    switch code {
    case 0: subject = .tree
    case 1: subject = .plan
    case 2: subject = .values(try LayerID(from: &reader))
    case 3: subject = .items
    case 4: subject = .layers
    default: throw .unknownCode(of: "subject of an inspection", code: Int(code))
    }
  }
}

extension Inspection {
  func encode(to writer: ByteWriter) {
    switch self {
    case .text(let text):
      writer.write(0 as UInt8)
      writer.write(text)
    case .values(let layers):
      writer.write(1 as UInt8)
      layers.encode(to: writer) { $0.encode(to: $1) }
    case .layers(let records):
      writer.write(2 as UInt8)
      records.encode(to: writer)
    }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    switch code {
    case 0: self = .text(try reader.readString())
    case 1:
      self = .values(
        try reader.readArray(of: "evaluated layers", minimumSize: 8) {
          reader throws(CommitError) in try EvaluatedLayer(from: &reader)
        })
    case 2: self = .layers(try LayerRecords(from: &reader))
    default: throw .unknownCode(of: "inspection", code: Int(code))
    }
  }
}

extension EvaluatedLayer {
  /// Writes the time, then every property that crosses, in the order of their codes.
  package func encode(to writer: ByteWriter) {
    writer.write(time)
    for property in StoredPropertySet.crossing { values.encode(property, to: writer) }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(time: try reader.readNumber(), values: LayerValues())
    for property in StoredPropertySet.crossing { try values.decode(property, from: &reader) }
  }
}
