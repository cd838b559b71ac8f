import LaminaAnimation
import LaminaValues

extension Commit {
  /// The kinds of content in a commit, as bits, so that absent ones take no space.
  struct Sections: OptionSet {
    let rawValue: UInt8
    static let stores = Sections(rawValue: 1)
    static let created = Sections(rawValue: 2)
    static let edits = Sections(rawValue: 4)
    static let changes = Sections(rawValue: 8)
    static let animations = Sections(rawValue: 16)
    static let roots = Sections(rawValue: 32)
    static let destroyed = Sections(rawValue: 64)
    static let releasedStores = Sections(rawValue: 128)
  }

  private var sections: Sections {
    var sections: Sections = []
    if !stores.isEmpty { sections.insert(.stores) }
    if !created.isEmpty { sections.insert(.created) }
    if !edits.isEmpty { sections.insert(.edits) }
    if !changes.isEmpty { sections.insert(.changes) }
    if !animations.isEmpty { sections.insert(.animations) }
    if !roots.isEmpty { sections.insert(.roots) }
    if !destroyed.isEmpty { sections.insert(.destroyed) }
    if !releasedStores.isEmpty { sections.insert(.releasedStores) }
    return sections
  }

  package func encode(to writer: ByteWriter) {
    let sections = sections
    encodeStart(sections, to: writer)
    if sections.contains(.changes) {
      writer.write(UInt32(changes.count))
      writer.append(changes.bytes)
    }
    if sections.contains(.animations) { animations.encode(to: writer) { $0.encode(to: $1) } }
    encodeEnd(sections, to: writer)
  }

  /// Elements of a section that are encoded already.
  struct EncodedElements {
    var count: UInt32 = 0
    let writer = ByteWriter()
  }

  /// Encodes the commit with these changes and animations in place of its own.
  func encode(to writer: ByteWriter, changes: EncodedElements, animations: EncodedElements) {
    var sections = sections
    if changes.count > 0 { sections.insert(.changes) }
    if animations.count > 0 { sections.insert(.animations) }
    encodeStart(sections, to: writer)
    for elements in [changes, animations] where elements.count > 0 {
      writer.write(elements.count)
      writer.append(elements.writer.bytes)
    }
    encodeEnd(sections, to: writer)
  }

  private func encodeStart(_ sections: Sections, to writer: ByteWriter) {
    writer.write(sequence)
    writer.write(sections.rawValue)
    if sections.contains(.stores) { stores.encode(to: writer) { $0.encode(to: $1) } }
    if sections.contains(.created) { created.encode(to: writer) { $0.encode(to: $1) } }
    if sections.contains(.edits) { edits.encode(to: writer) { $0.encode(to: $1) } }
  }

  private func encodeEnd(_ sections: Sections, to writer: ByteWriter) {
    if sections.contains(.roots) { roots.encode(to: writer) { $0.encode(to: $1) } }
    if sections.contains(.destroyed) { destroyed.encode(to: writer) { $0.encode(to: $1) } }
    if sections.contains(.releasedStores) {
      releasedStores.encode(to: writer) { $0.encode(to: $1) }
    }
  }

  package init(from reader: inout ByteReader) throws(CommitError) {
    self.init(sequence: try reader.read())
    let sections = Sections(rawValue: try reader.read())
    if sections.contains(.stores) {
      stores = try reader.readArray(of: "stores", minimumSize: Commit.StoreUpdate.minimumSize) {
        reader throws(CommitError) in try StoreUpdate(from: &reader)
      }
    }
    if sections.contains(.created) {
      created = try reader.readArray(of: "created layers", minimumSize: 9) {
        reader throws(CommitError) in try Creation(from: &reader)
      }
    }
    if sections.contains(.edits) {
      edits = try reader.readArray(of: "tree edits", minimumSize: 9) {
        reader throws(CommitError) in try TreeEdit(from: &reader)
      }
    }
    if sections.contains(.changes) {
      changes = try LayerChanges(from: &reader)
    }
    if sections.contains(.animations) {
      animations = try reader.readArray(of: "animation edits", minimumSize: 13) {
        reader throws(CommitError) in try AnimationEdit(from: &reader)
      }
    }
    if sections.contains(.roots) {
      roots = try reader.readArray(of: "roots", minimumSize: 5) {
        reader throws(CommitError) in try RootChange(from: &reader)
      }
    }
    if sections.contains(.destroyed) {
      destroyed = try reader.readArray(of: "destroyed layers", minimumSize: 8) {
        reader throws(CommitError) in try LayerID(from: &reader)
      }
    }
    if sections.contains(.releasedStores) {
      releasedStores = try reader.readArray(of: "released stores", minimumSize: 8) {
        reader throws(CommitError) in try ImageID(from: &reader)
      }
    }
  }
}

extension Commit.Creation {
  func encode(to writer: ByteWriter) {
    layer.encode(to: writer)
    writer.write(kind.rawValue)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(layer: try LayerID(from: &reader), kind: try reader.readCode("layer kind"))
  }
}

extension Commit.TreeEdit {
  func encode(to writer: ByteWriter) {
    switch self {
    case .insert(let child, let parent, let index):
      writer.write(0 as UInt8)
      child.encode(to: writer)
      parent.encode(to: writer)
      writer.write(index)
    case .remove(let child):
      writer.write(1 as UInt8)
      child.encode(to: writer)
    case .setMask(let mask, let layer):
      writer.write(2 as UInt8)
      mask.encode(to: writer)
      layer.encode(to: writer)
    }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    switch code {
    case 0:
      self = .insert(
        child: try LayerID(from: &reader), parent: try LayerID(from: &reader),
        index: try reader.read())
    case 1: self = .remove(child: try LayerID(from: &reader))
    case 2:
      self = .setMask(mask: try LayerID(from: &reader), layer: try LayerID(from: &reader))
    default: throw .unknownCode(of: "tree edit", code: Int(code))
    }
  }
}

extension LayerChanges {
  fileprivate init(from reader: inout ByteReader) throws(CommitError) {
    // What was decoded last of each property.
    var values = LayerValues()
    let count = try reader.readCount(of: "layer changes", minimumSize: 11)
    let (all, first) = (reader.rest, reader.offset)
    var heads: [Head] = []
    heads.reserveCapacity(count)
    // A copy: reaching the static variable takes longer than using it.
    let crossing = StoredPropertySet.crossing
    for _ in 0..<count {
      let start = reader.offset - first
      let layer = try LayerID(from: &reader)
      let count = try reader.read(UInt8.self)
      guard count > 0 else {
        throw .protocolViolation("a change of \(layer) that changes nothing")
      }
      var head = Head(layer: layer, properties: StoredPropertySet(), start: start)
      var last = -1
      for _ in 0..<count {
        let code = try reader.read(UInt8.self)
        guard let property = StoredProperty(rawValue: code),
          crossing.contains(property)
        else {
          throw .unknownCode(of: "layer property", code: Int(code))
        }
        guard Int(code) > last else {
          throw .protocolViolation("properties of \(layer) are out of order")
        }
        last = Int(code)
        head.properties.insert(property)
        try values.decode(property, from: &reader)
      }
      heads.append(head)
    }
    self.init(
      checked: UnsafeRawBufferPointer(rebasing: all[..<(reader.offset - first)]), heads)
  }
}

extension Commit.AnimationEdit {
  func encode(to writer: ByteWriter) {
    switch self {
    case .add(let layer, let key, let animation):
      writer.write(0 as UInt8)
      layer.encode(to: writer)
      writer.write(key)
      animation.encode(to: writer)
    case .remove(let layer, let key):
      writer.write(1 as UInt8)
      layer.encode(to: writer)
      writer.write(key)
    }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    guard code < 2 else { throw .unknownCode(of: "animation edit", code: Int(code)) }
    let layer = try LayerID(from: &reader)
    let key = try reader.readString()
    self =
      code == 0
      ? .add(layer: layer, key: key, animation: try AnimationDescription(from: &reader))
      : .remove(layer: layer, key: key)
  }
}

extension Commit.RootChange {
  func encode(to writer: ByteWriter) {
    writer.write(session.rawValue)
    writer.write(layer != nil)
    layer?.encode(to: writer)
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      session: SessionID(rawValue: try reader.read()),
      layer: try reader.readBool() ? try LayerID(from: &reader) : nil)
  }
}

extension StorePlace {
  func encode(to writer: ByteWriter) {
    switch self {
    case .memory(let range):
      writer.write(0 as UInt8)
      range.encode(to: writer)
    case .dmaBuf(let id):
      writer.write(1 as UInt8)
      writer.write(id.rawValue)
    }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    let code = try reader.read(UInt8.self)
    switch code {
    case 0: self = .memory(try MemoryRange(from: &reader))
    case 1: self = .dmaBuf(DMABufID(rawValue: try reader.read()))
    default: throw .unknownCode(of: "place of a store", code: Int(code))
    }
  }
}

extension Commit.StoreUpdate {
  /// Bytes of an update of which nothing is left out: that of a dma-buf.
  static let minimumSize = 29

  func encode(to writer: ByteWriter) {
    image.encode(to: writer)
    place.encode(to: writer)
    layout.encode(to: writer)
    writer.write(isOpaque)
    writer.write(dirty != nil)
    dirty?.encode(to: writer) { $0.encode(to: $1) }
  }

  init(from reader: inout ByteReader) throws(CommitError) {
    self.init(
      image: try ImageID(from: &reader), place: try StorePlace(from: &reader),
      layout: try PixelLayout(from: &reader), isOpaque: try reader.readBool())
    switch place {
    case .memory(let memory):
      guard let needed = layout.byteCount, UInt64(needed) <= memory.count else {
        throw .outOfRange("memory of \(image)", value: "\(memory.count) bytes for \(layout)")
      }
    case .dmaBuf(let id):
      guard layout.format == .bgra8, layout.coding == nil else {
        throw .outOfRange("pixels of \(image)", value: "\(layout.format) in \(id)")
      }
    }
    guard try reader.readBool() else { return }
    let bounds = PixelRect(layout.size)
    dirty = try reader.readArray(of: "dirty rectangles", minimumSize: 16) {
      reader throws(CommitError) in
      let rect = try PixelRect(from: &reader)
      guard bounds.contains(rect) else {
        throw .outOfRange("dirty rectangle", value: "\(rect) of \(bounds.size)")
      }
      return rect
    }
  }
}
