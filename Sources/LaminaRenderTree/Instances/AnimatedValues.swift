import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The values of animated layers at a time.
///
/// Between two times, only the properties that animations change differ. So the values are kept,
/// each with the version of its node, and only those properties are updated.
package struct AnimatedValues {
  private struct Origin {
    /// −1 for values that belong to no row of the tree's own layers (frozen subtrees, bitmap
    /// roots), and for those that wait for another layer.
    var row: Int
    /// The version of the node whose values they were; nil if they have never been set.
    var version: UInt64?
    /// nil until the values are brought to a second time.
    var motion: Motion?
    /// The session's time before which they stay the same.
    var nextChange = Double.infinity
    /// The times of the layer in which its animations are known to run.
    var running = 0.0..<0.0
  }

  /// How a layer's values are brought to another time.
  private enum Motion {
    case several
    /// The layer's only animation, which changes only one property.
    case one(StoredProperty, CompiledAnimation)
  }

  private var values: [LayerValues] = []
  private var origins: [Origin] = []
  private var free: [Int] = []
  /// The particles of emitters.
  private var clouds: [Int: ParticleCloud] = [:]
  /// The number of births that were looked at for them.
  private(set) var birthCount = 0

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

  /// The earliest time at which one of them changes without a commit.
  var nextChange: Double { origins.reduce(.infinity) { min($0, $1.nextChange) } }

  /// The rows of which some values change until `time`, or have changed since it.
  func rowsDue(at time: Double, isEarlier: Bool) -> [Int] {
    var rows: [Int] = []
    for origin in origins where origin.row >= 0 && (isEarlier || origin.nextChange <= time) {
      rows.append(origin.row)
    }
    return rows
  }

  /// Adds values that belong to no row of the tree's own layers. Returns their index.
  mutating func add(_ new: LayerValues) -> Int {
    let place = addRow(-1)
    values[place] = new
    return place
  }

  /// Adds values that are still to be set, for a row. Returns their index.
  mutating func addRow(_ row: Int) -> Int {
    if let place = free.popLast() {
      origins[place] = Origin(row: row)
      return place
    }
    values.append(LayerValues())
    origins.append(Origin(row: row))
    return values.count - 1
  }

  mutating func remove(_ place: Int) {
    origins[place] = Origin(row: -1)
    setCloud(nil, of: place)
    free.append(place)
  }

  mutating func setNextChange(of place: Int, _ time: Double) { origins[place].nextChange = time }

  /// The particles of the emitter with these values; nil for any other layer.
  package func cloud(_ place: Int) -> ParticleCloud? { clouds[place] }

  mutating func setCloud(_ cloud: ParticleCloud?, of place: Int) {
    guard cloud != nil || !clouds.isEmpty else { return }
    birthCount += (cloud?.birthCount ?? 0) - (clouds[place]?.birthCount ?? 0)
    clouds[place] = cloud
  }

  /// Notes that something else than the animations changes at a time.
  mutating func addChange(of place: Int, at time: Double) {
    origins[place].nextChange = min(origins[place].nextChange, time)
  }

  /// Whether a layer's animations are known to run at a time of the layer.
  func runs(_ place: Int, at time: Double) -> Bool { origins[place].running.contains(time) }

  mutating func setRunning(_ place: Int, from start: Double, to end: Double) {
    origins[place].running = start..<end
  }

  /// Sets values to those of a node at a time of its layer.
  mutating func move(_ place: Int, to time: Double, _ node: UnsafePointer<RenderTree.Node>) {
    guard origins[place].version == node.pointee.version else {
      values[place] = node.pointee.values
      Node.animate(node, &values[place], at: time)
      (origins[place].version, origins[place].motion) = (node.pointee.version, nil)
      origins[place].running = 0..<0
      return
    }
    let motion = origins[place].motion ?? Self.motion(of: node)
    origins[place].motion = motion
    guard case .one(let property, let motion) = motion else {
      Node.renew(node, &values[place])
      Node.animate(node, &values[place], at: time)
      return
    }
    var isPossible = true
    motion.value(at: time) { transform in
      if property == .transform, transform.isFinite {
        values[place].transform = transform
      } else {
        isPossible = values[place].set(property, to: .transform(transform))
      }
    } other: { value in
      isPossible = values[place].set(property, to: value)
    }
    if !isPossible { Node.renew(node, &values[place]) }
  }

  private typealias Node = RenderTree.Node

  private static func motion(of node: UnsafePointer<Node>) -> Motion {
    guard let (leaf, property) = node.pointee.onlyLeaf else { return .several }
    let committed = LayerValues.value(of: property, at: Node.values(at: node))
    return CompiledAnimation(leaf, over: committed).map { .one(property, $0) } ?? .several
  }
}

extension RenderTree.Node {
  /// Resets the animated properties in a copy of the node's values to the committed ones.
  static func renew(_ node: UnsafePointer<Self>, _ values: inout LayerValues) {
    let committed = Self.values(at: node)
    for property in node.pointee.animatedProperties { values.copy(property, at: committed) }
  }

  /// A node's values in place.
  @usableFromInline @inline(__always)
  package static func values(at node: UnsafePointer<Self>) -> UnsafePointer<LayerValues> {
    // The offset is a constant, which a static variable would look up.
    UnsafeRawPointer(node).advanced(by: MemoryLayout<Self>.offset(of: \.values)!)
      .assumingMemoryBound(to: LayerValues.self)
  }
}

extension RenderTree.Node {
  /// Applies the node's animations at a time of its layer to a copy of its values: in the order in
  /// which they were added, additive ones last.
  func animate(_ values: inout LayerValues, at time: Double) {
    withUnsafePointer(to: self) { Self.animate($0, &values, at: time) }
  }

  /// Does the same for a node in place, without copying the node.
  static func animate(
    _ node: UnsafePointer<Self>, _ values: inout LayerValues, at time: Double
  ) {
    if let onlyLeaf = node.pointee.onlyLeaf {
      values.apply(onlyLeaf.leaf, of: onlyLeaf.property, at: time)
      return
    }
    // By pointer, since copying an animation costs more than applying it.
    node.pointee.animations.withUnsafeBufferPointer { animations in
      for place in animations.indices {
        let track = animations.baseAddress! + place
        values.apply(
          track.pointee.track.leaves, of: track.pointee.track.properties, isAdditive: false,
          at: time)
      }
      for place in animations.indices where animations[place].track.isAdditive {
        let track = animations.baseAddress! + place
        values.apply(
          track.pointee.track.leaves, of: track.pointee.track.properties, isAdditive: true,
          at: time)
      }
    }
  }
}
