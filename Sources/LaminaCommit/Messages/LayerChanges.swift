import LaminaAnimation
import LaminaValues

extension Commit {
  /// New values of some properties of one layer.
  package struct LayerChange: Hashable, Sendable {
    package var layer: LayerID
    package var properties: StoredPropertySet
    /// The new values. Only the `properties` are meaningful.
    package var values: LayerValues

    package init(layer: LayerID, properties: StoredPropertySet, values: LayerValues) {
      (self.layer, self.properties, self.values) = (layer, properties, values)
    }
  }
}

/// The changes of a commit, in order, as the bytes of a message.
///
/// A layer has 450 bytes of values, and most changes set one of them. So a change is encoded at
/// once, and what comes in a message is decoded twice: to check it, and to apply it.
package struct LayerChanges: @unchecked Sendable {
  struct Head {
    var layer: LayerID
    var properties: StoredPropertySet
    /// The place of the change in the bytes.
    var start: Int

    /// The place of its values: the layer takes 8 bytes, and the number of properties one.
    var firstValue: Int { start + 9 }
  }

  private(set) var heads: [Head] = []
  /// Of each change the layer, the number of properties, and of each of these the code and the
  /// value, in the order of the codes. Written only while uniquely referenced; nil for no changes.
  private var writer: ByteWriter?
  /// Whether all of them were decoded once, without an error.
  private var isChecked = false

  package init() {}

  /// Changes that were decoded once, without an error.
  init(checked bytes: UnsafeRawBufferPointer, _ heads: [Head]) {
    self.heads = heads
    writer = ByteWriter(capacity: bytes.count)
    writer?.append(bytes)
    isChecked = true
  }

  var bytes: UnsafeRawBufferPointer {
    writer?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  package func layer(at place: Int) -> LayerID { heads[place].layer }

  package func properties(at place: Int) -> StoredPropertySet { heads[place].properties }

  /// Writes the new values of one change into `values`. Throws if one of them is of a kind that no
  /// layer may have, which a client finds out only now.
  package func apply(at place: Int, to values: inout LayerValues) throws(CommitError) {
    var reader = ByteReader(bytes, from: heads[place].firstValue)
    for property in heads[place].properties {
      _ = try reader.read(UInt8.self)
      try values.decode(property, from: &reader)
    }
  }

  private func change(at place: Int) throws(CommitError) -> Commit.LayerChange {
    var values = LayerValues()
    try apply(at: place, to: &values)
    return Commit.LayerChange(
      layer: layer(at: place), properties: properties(at: place), values: values)
  }

  /// Throws if a change cannot be applied.
  package func check() throws(CommitError) {
    if isChecked { return }
    var values = LayerValues()
    for place in indices { try apply(at: place, to: &values) }
  }

  /// Makes room for changes of one point each.
  package mutating func reserve(_ count: Int) {
    guard count > 0 else { return }
    heads.reserveCapacity(heads.count + count)
    makeUnique()
    writer!.reserve(count * 26)
  }

  /// Adds new values of a layer: those of the `properties` that leave the client, if there are any.
  package mutating func append(
    _ layer: LayerID, _ properties: StoredPropertySet, at values: UnsafePointer<LayerValues>
  ) {
    let properties = properties.intersection(.crossing)
    guard !properties.isEmpty else { return }
    makeUnique()
    borrowing(writer!) { writer in
      let start = writer.count
      layer.encode(to: writer)
      writer.write(UInt8(properties.count))
      heads.append(Head(layer: layer, properties: properties, start: start))
      for property in properties {
        writer.write(property.bit)
        LayerValues.encode(property, at: values, to: writer)
      }
    }
  }

  @inline(__always)
  private mutating func makeUnique() {
    isChecked = false
    if writer == nil || !isKnownUniquelyReferenced(&writer) { copyBytes() }
  }

  private mutating func copyBytes() {
    let copy = ByteWriter(capacity: 2 * bytes.count)
    copy.append(bytes)
    writer = copy
  }

  /// Adds a change of other changes.
  private mutating func append(_ place: Int, of other: LayerChanges) {
    makeUnique()
    var head = other.heads[place]
    let end = place + 1 < other.heads.count ? other.heads[place + 1].start : other.bytes.count
    let change = UnsafeRawBufferPointer(rebasing: other.bytes[head.start..<end])
    head.start = bytes.count
    writer!.append(change)
    heads.append(head)
  }

  /// Removes the changes of some layers.
  mutating func removeAll(of layers: Set<LayerID>) {
    var rest = LayerChanges()
    for place in indices where !layers.contains(layer(at: place)) {
      rest.append(place, of: self)
    }
    self = rest
  }

  /// Adds later changes. Of a layer that has changes already, they are merged into the last one,
  /// unless they cannot be applied.
  mutating func merge(_ later: LayerChanges) {
    var places: [LayerID: Int] = [:]
    places.reserveCapacity(count + later.count)
    for place in indices { places[layer(at: place)] = place }
    var merged: [Int: Commit.LayerChange] = [:]
    for place in later.indices {
      if let known = places[later.layer(at: place)],
        var both = try? merged[known] ?? change(at: known),
        (try? later.apply(at: place, to: &both.values)) != nil
      {
        both.properties.formUnion(later.properties(at: place))
        merged[known] = both
      } else {
        places[later.layer(at: place)] = count
        append(place, of: later)
      }
    }
    if merged.isEmpty { return }
    var all = LayerChanges()
    for place in indices {
      if let change = merged[place] { all.append(change) } else { all.append(place, of: self) }
    }
    self = all
  }
}

extension LayerChanges: RandomAccessCollection, RangeReplaceableCollection,
  ExpressibleByArrayLiteral, Hashable
{
  package var startIndex: Int { 0 }
  package var endIndex: Int { heads.count }

  /// Decodes a change. The values that it does not have are those of a new layer, and so are all if
  /// it cannot be applied.
  package subscript(place: Int) -> Commit.LayerChange {
    (try? change(at: place))
      ?? Commit.LayerChange(
        layer: layer(at: place), properties: properties(at: place), values: LayerValues())
  }

  package init(arrayLiteral changes: Commit.LayerChange...) { self.init(changes) }

  package mutating func append(_ change: Commit.LayerChange) {
    withUnsafePointer(to: change.values) { append(change.layer, change.properties, at: $0) }
  }

  package mutating func replaceSubrange(
    _ places: Range<Int>, with changes: some Collection<Commit.LayerChange>
  ) {
    var all = LayerChanges()
    for place in 0..<places.lowerBound { all.append(place, of: self) }
    for change in changes { all.append(change) }
    for place in places.upperBound..<count { all.append(place, of: self) }
    self = all
  }

  package static func == (a: Self, b: Self) -> Bool { a.bytes.elementsEqual(b.bytes) }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
}
