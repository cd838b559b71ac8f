import Foundation
import LaminaValues

/// What a session shows at a moment, occurrence by occurrence, for tools and tests.
package struct LayerRecords: Hashable, Sendable {
  /// Each before those inside it, siblings in the order of the tree, masks first.
  package var layers: [LayerRecord] = []
  /// What drawing the whole frame costs.
  package var items: UInt32 = 0
  package var passes: UInt32 = 0
  package var draws: UInt32 = 0
  /// Pixels painted, each as often as it is.
  package var pixels: UInt64 = 0

  package init() {}
}

/// One occurrence of a layer.
package struct LayerRecord: Hashable, Sendable {
  /// What it is to the occurrence that it lies in.
  package enum Place: Hashable, Sendable {
    case root, mask
    /// By its number among the sublayers.
    case sublayer(UInt32)
    /// The state of the same layer from which a transition starts.
    case old
  }

  /// Why nothing of it shows.
  package enum Reason: UInt8, CaseIterable, Sendable {
    case isHidden = 1
    case opacity, empty, noArea, outside, clipped, masked, covered, backFace, time, behindEye
    case parent
  }

  package struct Cost: Hashable, Sendable {
    package var items: UInt32 = 0
    package var passes: UInt32 = 0
    package var pixels: UInt64 = 0
    package var blendedPixels: UInt64 = 0
    package var hits: UInt32 = 0
    package var misses: UInt32 = 0
    package var isRasterized = false

    package init() {}
  }

  package var layer: LayerID
  package var kind: LayerKind
  /// The place among the records of the one that it lies in, which comes before it; nil for a root.
  package var parent: UInt32?
  package var place: Place
  /// Whether it lies in a state from which a transition starts, or is one.
  package var isOld = false
  /// The number of the replicator's copy that it lies in directly; nil if its parent is no
  /// replicator.
  package var copy: UInt32?
  /// The bounds as they show.
  package var bounds: CGRect
  /// Their corners in the surface's pixels: minX minY first, then maxX minY. Empty if a part is
  /// behind the eye.
  package var corners: [CGPoint]
  /// The smallest rectangle around the part of them in front of the eye, in the surface's pixels;
  /// nil if there is none.
  package var frame: CGRect?
  /// Seconds of the layer's own time.
  package var time: Double
  /// The properties that animations may have changed.
  package var animated: StoredPropertySet
  /// Their values, as they show. All others are the defaults.
  package var values: LayerValues
  package var reason: Reason?
  /// The place among the records of the one that is the cause.
  package var cause: UInt32?
  package var cost = Cost()

  /// Of `shown`, the properties in `animated` are kept.
  package init(
    layer: LayerID, kind: LayerKind, parent: UInt32?, place: Place, copy: UInt32?, bounds: CGRect,
    corners: [CGPoint], frame: CGRect?, time: Double, animated: StoredPropertySet,
    of shown: LayerValues
  ) {
    (self.layer, self.kind, self.parent, self.place) = (layer, kind, parent, place)
    (self.copy, self.bounds, self.corners, self.frame) = (copy, bounds, corners, frame)
    (self.time, self.animated, values) = (time, animated, LayerValues())
    for property in animated { values.copy(property, from: shown) }
  }
}

// MARK: Bytes

extension LayerRecords {
  func encode(to writer: ByteWriter) {
    writer.write(items)
    writer.write(passes)
    writer.write(draws)
    writer.write(pixels)
    layers.encode(to: writer) { $0.encode(to: $1) }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    items = try reader.read()
    passes = try reader.read()
    draws = try reader.read()
    pixels = try reader.read()
    layers = try reader.readArray(of: "layer records", minimumSize: LayerRecord.minimumSize) {
      reader throws(CommitError) in try LayerRecord(from: &reader)
    }
    for (index, record) in layers.enumerated() {
      if let parent = record.parent, parent >= index {
        throw .outOfRange("parent of layer record \(index)", value: "\(parent)")
      }
      if let cause = record.cause, cause >= layers.count {
        throw .outOfRange("cause of layer record \(index)", value: "\(cause)")
      }
    }
  }
}

extension LayerRecord {
  /// Fewest bytes of a record.
  static let minimumSize = 100
  /// Stands for no record and no copy.
  private static let none = UInt32.max

  func encode(to writer: ByteWriter) {
    layer.encode(to: writer)
    writer.write(kind.rawValue)
    writer.write(parent ?? Self.none)
    place.encode(to: writer)
    writer.write(isOld)
    writer.write(copy ?? Self.none)
    bounds.encode(to: writer)
    corners.encode(to: writer) { $0.encode(to: $1) }
    writer.write(frame != nil)
    frame?.encode(to: writer)
    writer.write(time)
    writer.write(UInt8(animated.count))
    for property in animated {
      writer.write(property.rawValue)
      values.encode(property, to: writer)
    }
    writer.write(reason?.rawValue ?? 0)
    writer.write(cause ?? Self.none)
    cost.encode(to: writer)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    let (layer, kind) = (
      try LayerID(from: &reader), try reader.readCode("kind of layer") as LayerKind
    )
    let (parent, place) = (try Self.readOptional(&reader), try Place(from: &reader))
    let isOld = try reader.readBool()
    self.init(
      layer: layer, kind: kind, parent: parent, place: place,
      copy: try Self.readOptional(&reader), bounds: try CGRect(from: &reader),
      corners: try reader.readArray(of: "corners", minimumSize: 16) {
        reader throws(CommitError) in try CGPoint(from: &reader)
      },
      frame: try reader.readBool() ? CGRect(from: &reader) : nil, time: try reader.readNumber(),
      animated: StoredPropertySet(), of: LayerValues())
    for _ in 0..<(try reader.read(UInt8.self)) {
      let property: StoredProperty = try reader.readCode("property")
      guard property.declaration.crosses else {
        throw .unknownCode(of: "property that crosses", code: Int(property.rawValue))
      }
      animated.insert(property)
      try values.decode(property, from: &reader)
    }
    self.isOld = isOld
    guard corners.isEmpty || corners.count == 4 else {
      throw .outOfRange("number of corners", value: "\(corners.count)")
    }
    let code = try reader.read(UInt8.self)
    if code != 0 {
      guard let reason = Reason(rawValue: code) else {
        throw .unknownCode(of: "reason", code: Int(code))
      }
      self.reason = reason
    }
    cause = try Self.readOptional(&reader)
    cost = try Cost(from: &reader)
  }

  private static func readOptional(_ reader: inout ByteReader) throws(CommitError) -> UInt32? {
    let number = try reader.read(UInt32.self)
    return number == none ? nil : number
  }
}

extension LayerRecord.Place {
  fileprivate func encode(to writer: ByteWriter) {
    let (code, number): (UInt8, UInt32) =
      switch self {
      case .root: (0, 0)
      case .mask: (1, 0)
      case .old: (2, 0)
      case .sublayer(let number): (3, number)
      }
    writer.write(code)
    writer.write(number)
  }

  fileprivate init(from reader: inout ByteReader) throws(CommitError) {
    let (code, number) = (try reader.read(UInt8.self), try reader.read(UInt32.self))
    switch code {
    case 0: self = .root
    case 1: self = .mask
    case 2: self = .old
    case 3: self = .sublayer(number)
    default: throw .unknownCode(of: "place of a layer", code: Int(code))
    }
  }
}

extension LayerRecord.Cost {
  fileprivate func encode(to writer: ByteWriter) {
    writer.write(items)
    writer.write(passes)
    writer.write(pixels)
    writer.write(blendedPixels)
    writer.write(hits)
    writer.write(misses)
    writer.write(isRasterized)
  }

  fileprivate init(from reader: inout ByteReader) throws(CommitError) {
    self.init()
    items = try reader.read()
    passes = try reader.read()
    pixels = try reader.read()
    blendedPixels = try reader.read()
    hits = try reader.read()
    misses = try reader.read()
    isRasterized = try reader.readBool()
  }
}
