import LaminaCommit

/// The values of animated layers at a time, in row order.
///
/// Between two times, only the properties that animations change differ. So the values are kept,
/// each with the version of its node, and only those properties are updated.
package struct AnimatedValues {
  private struct Origin: Equatable {
    /// −1 for values that belong to no node of the tree (frozen subtrees, bitmap roots).
    var slot: Int
    var version: UInt64
  }

  private var values: [LayerValues] = []
  private var origins: [Origin] = []
  /// Number of values in use. Those after them are left over from another time.
  private(set) var count = 0

  mutating func startAgain() { count = 0 }

  package subscript(place: Int) -> LayerValues {
    _read { yield values[place] }
    _modify { yield &values[place] }
  }

  /// Passes values to `body` in place.
  func read<Result>(_ place: Int, _ body: (UnsafePointer<LayerValues>) -> Result) -> Result {
    values.withUnsafeBufferPointer { body($0.baseAddress! + place) }
  }

  /// Passes all values in place, to be read.
  package func withValues<Result>(_ body: (UnsafePointer<LayerValues>?) -> Result) -> Result {
    values.withUnsafeBufferPointer { body($0.baseAddress) }
  }

  /// Passes all values to `body` in place.
  mutating func withAll<Result>(_ body: (UnsafeMutablePointer<LayerValues>?) -> Result) -> Result {
    values.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  }

  /// Adds values that belong to no node of the tree. Returns their index.
  mutating func add(_ new: LayerValues) -> Int {
    put(new, Origin(slot: -1, version: 0))
    count += 1
    return count - 1
  }

  /// Adds a node's values at a time of its layer. Returns their index.
  mutating func add(_ node: UnsafePointer<RenderTree.Node>, _ slot: Int, at time: Double) -> Int {
    let origin = Origin(slot: slot, version: node.pointee.version)
    if count < origins.count, origins[count] == origin {
      RenderTree.Node.renew(node, &values[count])
    } else {
      put(node.pointee.values, origin)
    }
    RenderTree.Node.animate(node, &values[count], at: time)
    count += 1
    return count - 1
  }

  private mutating func put(_ new: LayerValues, _ origin: Origin) {
    if count < values.count {
      values[count] = new
      origins[count] = origin
    } else {
      values.append(new)
      origins.append(origin)
    }
  }
}

extension RenderTree.Node {
  private static let valuesOffset = MemoryLayout<Self>.offset(of: \.values)!

  /// Resets the animated properties in a copy of the node's values to the committed ones.
  static func renew(_ node: UnsafePointer<Self>, _ values: inout LayerValues) {
    let committed = Self.values(at: node)
    for property in node.pointee.animatedProperties { values.copy(property, at: committed) }
  }

  /// A node's values in place.
  package static func values(at node: UnsafePointer<Self>) -> UnsafePointer<LayerValues> {
    UnsafeRawPointer(node).advanced(by: valuesOffset).assumingMemoryBound(to: LayerValues.self)
  }
}
