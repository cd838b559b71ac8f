import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The private tree: what commits made of the client's layers, and the sessions that show them.
///
/// Nodes lie in one flat array and name each other by index, so that nothing here is a reference
/// and a walk touches memory in order. An index is what a `LayerID` holds; its generation says
/// whether the slot still belongs to that layer.
package struct RenderTree {
  struct Node {
    var generation: UInt32
    var isAlive: Bool
    var kind: LayerKind
    var values: LayerValues
    /// −1 where there is none.
    var parent: Int32 = -1
    /// Whether the node is its parent's mask and not one of its sublayers.
    var isMask = false
    /// In tree order, back to front where zPosition is equal.
    var children: [UInt32] = []
    var mask: UInt32?
    /// In the order in which they were added, which is that of their effect.
    var animations: [KeyedAnimation] = [] {
      didSet { noteAnimations() }
    }
    /// What the animations may change.
    private(set) var animatedProperties = StoredPropertySet()
    /// What changes with that.
    private(set) var animationsInvalidate: StoredProperty.Invalidation = []
    /// Whether one of them mixes contents or is a transition.
    private(set) var hasPictureAnimations = false
    /// The only thing that the animations do, where it is one: most often it is.
    private(set) var onlyLeaf: (leaf: AnimationLeaf, property: StoredProperty)?
    /// Differs from what it was whenever the values or the animations changed.
    var version: UInt64 = 0

    private mutating func noteAnimations() {
      animatedProperties = StoredPropertySet()
      hasPictureAnimations = false
      onlyLeaf = nil
      if animations.count == 1, animations[0].track.leaves.count == 1,
        animations[0].track.properties.count == 1, !animations[0].track.isAdditive
      {
        onlyLeaf = (animations[0].track.leaves[0], animations[0].track.properties[0])
      }
      for animation in animations {
        for property in animation.track.properties { animatedProperties.insert(property) }
        if animation.mixesContents || animation.track.transition != nil {
          hasPictureAnimations = true
        }
      }
      animationsInvalidate = animatedProperties.invalidates
    }

    /// Free, waiting for a layer of that generation or a later one.
    static func vacant(generation: UInt32) -> Node {
      Node(generation: generation, isAlive: false, kind: .layer, values: LayerValues())
    }
  }

  struct KeyedAnimation {
    var key: String
    var description: AnimationDescription
    var track: AnimationTrack<StoredProperty>
    /// What a transition starts from.
    var origin = TransitionOrigin.nothing
    /// Whether it goes from image to image, which are drawn mixed.
    let mixesContents: Bool

    /// `kind` is the layer's.
    init(key: String, description: AnimationDescription, kind: LayerKind) {
      self.key = key
      self.description = description
      track = AnimationTrack(description) { kind.property(key: $0) }
      mixesContents = track.properties.contains(.contents)
    }
  }

  package struct Session: Hashable, Sendable {
    package var options: SessionOptions
    var root: LayerID?
  }

  /// An image whose pixels the client holds.
  package struct Image: Hashable, Sendable {
    package var memory: MemoryRange
    package var layout: PixelLayout
    /// Counts the updates of this image.
    var version: UInt64
    /// These pixels' own number: no others of any image have it.
    var stamp: UInt64
    /// What the last updates changed, the latest at the end; nil for everything.
    var recentDirt: [[PixelRect]?]

    /// How many updates are remembered. Whoever has missed more takes the whole image.
    static let memory = 8

    /// What differs between that version and this one; nil for everything.
    func dirt(since version: UInt64) -> [PixelRect]? {
      let missed = self.version &- version
      guard missed <= UInt64(recentDirt.count) else { return nil }
      var rects: [PixelRect] = []
      for dirt in recentDirt.suffix(Int(missed)) {
        guard let dirt else { return nil }
        rects += dirt
      }
      return rects
    }
  }

  /// The most sessions that one connection may have.
  package static let sessionLimit = 256

  var nodes: [Node] = []
  /// The version that the last change gave to a node.
  private var lastVersion: UInt64 = 0
  var sessions: [SessionID: Session] = [:]
  var images: [ImageID: Image] = [:]
  /// How many stores there have been.
  var storeCount: UInt64 = 0
  /// Pixels that only old frozenSubtrees draw any more, by their stamps.
  var keptImages: [UInt64: KeptImage] = [:]
  var keptByteCount = 0
  /// All old frozenSubtrees there are, as long as their transitions hold them.
  var frozenSubtrees: [FrozenSubtreeReference] = []
  /// What became of images since the planner last asked, in order.
  var imageEvents: [ImageEvent] = []
  /// The last commit applied.
  package private(set) var sequence: UInt64 = 0
  /// Differs from what it was whenever a commit was applied.
  private(set) var version: UInt64 = 0

  package init() {}

  package mutating func openSession(
    _ id: SessionID, _ options: SessionOptions
  ) throws(CommitError) {
    guard sessions[id] == nil else { throw .protocolViolation("\(id) is open already") }
    guard sessions.count < Self.sessionLimit else {
      throw .tooMany("sessions", count: sessions.count + 1, limit: Self.sessionLimit)
    }
    guard !options.size.isEmpty, options.size.width <= 16384, options.size.height <= 16384 else {
      throw .outOfRange("session size", value: options.size.description)
    }
    guard options.scale.isFinite, options.scale > 0, options.scale <= 1024 else {
      throw .outOfRange("session scale", value: "\(options.scale)")
    }
    guard options.format != .a8 else {
      throw .outOfRange("session format", value: "a8")
    }
    sessions[id] = Session(options: options, root: nil)
  }

  package mutating func closeSession(_ id: SessionID) { sessions[id] = nil }

  package func options(of session: SessionID) -> SessionOptions? { sessions[session]?.options }

  package func image(_ id: ImageID) -> Image? { images[id] }

  /// The slot of a living layer; nil for one that is gone or never was.
  func slot(of id: LayerID) -> Int? {
    let slot = Int(id.index)
    guard slot < nodes.count, nodes[slot].isAlive, nodes[slot].generation == id.generation else {
      return nil
    }
    return slot
  }

  func id(of slot: Int) -> LayerID {
    LayerID(index: UInt32(slot), generation: nodes[slot].generation)
  }

  /// Called wherever the values or animations of a node change.
  mutating func noteChange(of slot: Int) {
    lastVersion &+= 1
    nodes[slot].version = lastVersion
  }

  /// Applies a commit, or throws and changes nothing.
  ///
  /// `pixels` copies what an image's memory holds, row after row without gaps; nil where the planner
  /// has uploaded it, after which the client may have written there. It is asked when an image is
  /// changed or released that an old picture still draws.
  package mutating func apply(
    _ commit: Commit, pixels: (ImageID, Image) -> [UInt8]? = { _, _ in nil }
  ) throws(CommitError) {
    try checked(commit)
    perform(commit, pixels: pixels)
    sequence = commit.sequence
    version &+= 1
  }

  /// In a function of its own, so that the check's hold on the tree's arrays has ended before they
  /// are written to: else they would be copied.
  private func checked(_ commit: Commit) throws(CommitError) {
    var check = CommitCheck(tree: self)
    try check.run(commit)
  }
}
