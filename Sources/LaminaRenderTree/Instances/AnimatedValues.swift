import LaminaCommit

/// The values of animated layers at a time, in the order of their rows.
///
/// From one time to the next a layer differs in what its animations change. So the values stay, each
/// with the version of the node that they come from, and only that is brought up to date.
struct AnimatedValues {
  private struct Origin: Equatable {
    /// −1 for values that are nobody's for long.
    var slot: Int
    var version: UInt64
  }

  private var values: [LayerValues] = []
  private var origins: [Origin] = []
  /// How many are in use; what lies behind is of another time.
  private(set) var count = 0

  mutating func startAgain() { count = 0 }

  subscript(place: Int) -> LayerValues {
    _read { yield values[place] }
    _modify { yield &values[place] }
  }

  /// Hands values to `body` where they lie.
  func read<Result>(_ place: Int, _ body: (UnsafePointer<LayerValues>) -> Result) -> Result {
    values.withUnsafeBufferPointer { body($0.baseAddress! + place) }
  }

  /// Hands all values to `body` where they lie.
  mutating func withAll<Result>(_ body: (UnsafeMutablePointer<LayerValues>?) -> Result) -> Result {
    values.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  }

  /// Adds values that are no node's of the tree. Returns their place.
  mutating func add(_ new: LayerValues) -> Int {
    put(new, Origin(slot: -1, version: 0))
    count += 1
    return count - 1
  }

  /// Adds a node's values at a time of its layer. Returns their place.
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

  /// Undoes in a copy of the node's values what its animations did.
  static func renew(_ node: UnsafePointer<Self>, _ values: inout LayerValues) {
    let committed = Self.values(at: node)
    for property in node.pointee.animatedProperties { values.copy(property, at: committed) }
  }

  /// A node's values where they lie.
  static func values(at node: UnsafePointer<Self>) -> UnsafePointer<LayerValues> {
    UnsafeRawPointer(node).advanced(by: valuesOffset).assumingMemoryBound(to: LayerValues.self)
  }
}
