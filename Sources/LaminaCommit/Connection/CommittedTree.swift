import LaminaAnimation
import LaminaValues

/// What commits have made of the layers, without decoding a value: each layer's fields and
/// animations are slices of the messages that brought them. A server that knows nothing gets it as
/// one commit.
///
/// Stores are left out, since the `StoreLedger` has them, and so are transitions: what they start
/// from is gone, so they are taken to have ended.
struct CommittedTree {
  /// A part of one of the messages.
  private struct Slice {
    var message: Int32
    var offset: UInt32
    var count: UInt32

    /// Messages are much shorter than 2³² bytes.
    init(_ message: Int, _ range: Range<Int>) {
      self.message = Int32(message)
      (offset, count) = (UInt32(range.lowerBound), UInt32(range.count))
    }
  }

  private struct Layer {
    var id: LayerID
    var kind: LayerKind
    var parent: UInt32?
    var isMask = false
    var children: [UInt32] = []
    var mask: UInt32?
    /// The properties that were set, in the order of their codes, with their codes and values.
    var fields: [(property: StoredProperty, slice: Slice)] = []
    /// In the order in which they were added.
    var animations: [(key: String, edit: Slice)] = []
  }

  /// By the indices of their IDs; nil for none.
  private var layers: [Layer?] = []
  private var roots: [SessionID: LayerID] = [:]
  private var messages: [[UInt8]] = []
  private var sequence: UInt64 = 0
  /// Fields are decoded into these to learn where they end.
  private var scratch = LayerValues()

  /// The tree after these messages, each a commit, in order.
  init(_ messages: [[UInt8]]) throws(CommitError) {
    for message in messages {
      self.messages.append(message)
      try message.withBytes { bytes throws(CommitError) in try apply(bytes) }
    }
  }

  // MARK: Applying

  private mutating func apply(_ bytes: UnsafeRawBufferPointer) throws(CommitError) {
    var reader = ByteReader(bytes)
    _ = try reader.read(UInt8.self)
    sequence = try reader.read()
    let sections = Commit.Sections(rawValue: try reader.read())
    if sections.contains(.stores) {
      _ = try reader.readArray(of: "stores", minimumSize: Commit.StoreUpdate.minimumSize) {
        reader throws(CommitError) in try Commit.StoreUpdate(from: &reader)
      }
    }
    if sections.contains(.created) {
      for _ in 0..<Int(try reader.read(UInt32.self)) {
        create(try Commit.Creation(from: &reader))
      }
    }
    if sections.contains(.edits) {
      for _ in 0..<Int(try reader.read(UInt32.self)) {
        perform(try Commit.TreeEdit(from: &reader))
      }
    }
    if sections.contains(.changes) {
      for _ in 0..<Int(try reader.read(UInt32.self)) { try applyChange(from: &reader) }
    }
    if sections.contains(.animations) {
      for _ in 0..<Int(try reader.read(UInt32.self)) { try applyAnimation(from: &reader) }
    }
    if sections.contains(.roots) {
      for _ in 0..<Int(try reader.read(UInt32.self)) {
        let root = try Commit.RootChange(from: &reader)
        roots[root.session] = root.layer
      }
    }
    if sections.contains(.destroyed) {
      for _ in 0..<Int(try reader.read(UInt32.self)) { destroy(try LayerID(from: &reader)) }
    }
  }

  private mutating func create(_ creation: Commit.Creation) {
    let index = Int(creation.layer.index)
    while layers.count <= index { layers.append(nil) }
    layers[index] = Layer(id: creation.layer, kind: creation.kind)
  }

  private mutating func perform(_ edit: Commit.TreeEdit) {
    switch edit {
    case .insert(let child, let parent, let place):
      detach(child.index)
      layers[Int(parent.index)]?.children.insert(child.index, at: Int(place))
      layers[Int(child.index)]?.parent = parent.index
    case .remove(let child): detach(child.index)
    case .setMask(let mask, let layer):
      detach(mask.index)
      if let old = layers[Int(layer.index)]?.mask { detach(old) }
      layers[Int(layer.index)]?.mask = mask.index
      layers[Int(mask.index)]?.parent = layer.index
      layers[Int(mask.index)]?.isMask = true
    }
  }

  private mutating func detach(_ child: UInt32) {
    guard let layer = layers[Int(child)], let parent = layer.parent.map(Int.init) else { return }
    if layer.isMask {
      layers[parent]?.mask = nil
    } else if let place = layers[parent]?.children.lastIndex(of: child) {
      layers[parent]?.children.remove(at: place)
    }
    layers[Int(child)]?.parent = nil
    layers[Int(child)]?.isMask = false
  }

  private mutating func applyChange(from reader: inout ByteReader) throws(CommitError) {
    let index = Int(try LayerID(from: &reader).index)
    for _ in 0..<Int(try reader.read(UInt8.self)) {
      let start = reader.offset
      let code = try reader.read(UInt8.self)
      guard let property = StoredProperty(rawValue: code) else {
        throw .unknownCode(of: "layer property", code: Int(code))
      }
      try scratch.decode(property, from: &reader)
      let slice = Slice(messages.count - 1, start..<reader.offset)
      let place = layers[index]?.fields.firstIndex { $0.property.rawValue >= code }
      if let place, layers[index]?.fields[place].property == property {
        layers[index]?.fields[place].slice = slice
      } else {
        let end = layers[index]?.fields.count ?? 0
        layers[index]?.fields.insert((property, slice), at: place ?? end)
      }
    }
  }

  private mutating func applyAnimation(from reader: inout ByteReader) throws(CommitError) {
    let start = reader.offset
    let edit = try Commit.AnimationEdit(from: &reader)
    let index = Int(edit.layer.index)
    layers[index]?.animations.removeAll { $0.key == edit.key }
    guard case .add(_, let key, let animation) = edit else { return }
    if case .transition = animation.content { return }
    layers[index]?.animations.append((key, Slice(messages.count - 1, start..<reader.offset)))
  }

  private mutating func destroy(_ id: LayerID) {
    let index = Int(id.index)
    detach(id.index)
    for child in layers[index]?.children ?? [] { layers[Int(child)]?.parent = nil }
    if let mask = layers[index]?.mask {
      layers[Int(mask)]?.parent = nil
      layers[Int(mask)]?.isMask = false
    }
    layers[index] = nil
    for (session, root) in roots where root == id { roots[session] = nil }
  }

  // MARK: Encoding

  /// Forgets what sessions other than these show.
  mutating func keepRoots(of sessions: Set<SessionID>) {
    roots = roots.filter { sessions.contains($0.key) }
  }

  /// Returns one message that makes a tree of nothing equal to this one. `stores` are the images
  /// that there are.
  func encoded(stores: [Commit.StoreUpdate] = []) -> [UInt8] {
    var commit = Commit(sequence: sequence)
    commit.stores = stores
    let alive = layers.compactMap(\.self)
    create(alive.count, in: &commit)
    commit.edits.reserveCapacity(alive.count)
    for layer in alive {
      for (place, child) in layer.children.enumerated() {
        guard let child = layers[Int(child)]?.id else { continue }
        commit.edits.append(.insert(child: child, parent: layer.id, index: UInt32(place)))
      }
      if let mask = layer.mask.flatMap({ layers[Int($0)]?.id }) {
        commit.edits.append(.setMask(mask: mask, layer: layer.id))
      }
    }
    commit.roots = roots.keys.sorted { $0.rawValue < $1.rawValue }
      .map { Commit.RootChange(session: $0, layer: roots[$0]) }

    var changes = Commit.EncodedElements()
    var animations = Commit.EncodedElements()
    for layer in alive {
      if !layer.fields.isEmpty {
        changes.count += 1
        layer.id.encode(to: changes.writer)
        changes.writer.write(UInt8(layer.fields.count))
        for field in layer.fields { copy(field.slice, to: changes.writer) }
      }
      for animation in layer.animations { copy(animation.edit, to: animations.writer) }
      animations.count += UInt32(layer.animations.count)
    }
    let writer = ByteWriter(
      capacity: changes.writer.count + animations.writer.count + 32 * alive.count)
    writer.write(ClientMessage.commitCode)
    commit.encode(to: writer, changes: changes, animations: animations)
    return Array(writer.bytes)
  }

  private func copy(_ slice: Slice, to writer: ByteWriter) {
    messages[Int(slice.message)].withUnsafeBytes { bytes in
      let range = Int(slice.offset)..<Int(slice.offset) + Int(slice.count)
      writer.append(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }

  /// Has the commit create the layers, in the order of their indices. If these are too far apart
  /// for a new tree, it creates and destroys what is missing between them.
  private func create(_ count: Int, in commit: inout Commit) {
    let fillsGaps = layers.count > count + TreeLimit.indexGap
    for (index, layer) in layers.enumerated() {
      if let layer {
        commit.created.append(Commit.Creation(layer: layer.id, kind: layer.kind))
      } else if fillsGaps {
        let id = LayerID(index: UInt32(index), generation: 0)
        commit.created.append(Commit.Creation(layer: id, kind: .layer))
        commit.destroyed.append(id)
      }
    }
  }
}
