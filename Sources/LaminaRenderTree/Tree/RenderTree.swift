import LaminaAnimation
import LaminaCommit
import LaminaValues

/// The private tree: the client's layers as the commits describe them, and the sessions that show
/// them.
///
/// Nodes lie in one flat array and refer to each other by index, so there are no object references
/// and a walk touches memory in order. A `LayerID` holds such an index; its generation tells
/// whether the slot still belongs to that layer.
@usableFromInline package struct RenderTree {
  @usableFromInline package struct Node: Sendable {
    // What is looked at of every layer that moves comes first, as it does in the values.

    var generation: UInt32
    var isAlive: Bool
    var kind: LayerKind
    /// Whether any animation mixes contents or is a transition.
    private(set) var hasPictureAnimations = false
    /// Whether the animations may move the layer among its siblings, hide it or show it.
    private(set) var movesAmongOthers = false
    /// Whether what the animations do is not followed row by row: the rows are made anew.
    private(set) var isMadeAnew = false
    /// The place of its last entry in the journal.
    fileprivate(set) var journalPlace = -1
    /// Changes whenever the values or the animations change.
    package var version: UInt64 = 0
    /// In the order in which they were added, which is the order of their effect.
    var animations: [KeyedAnimation] = [] {
      didSet { noteAnimations() }
    }
    package var values: LayerValues
    /// −1 for none.
    var parent: Int32 = -1
    /// Whether the node is its parent's mask rather than one of its sublayers.
    var isMask = false
    /// In tree order, which is back to front for equal zPositions.
    var children: [UInt32] = []
    var mask: UInt32?
    /// The properties that the animations may change.
    private(set) var animatedProperties = StoredPropertySet()
    /// The aspects that a change of those properties invalidates.
    private(set) var animationsInvalidate: StoredProperty.Invalidation = []
    /// The animations' only effect if there is just one, as in most cases; otherwise nil.
    private(set) var onlyLeaf: (leaf: AnimationLeaf, property: StoredProperty)?

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
      movesAmongOthers = !animationsInvalidate.isDisjoint(with: [.structure, .order])
      isMadeAnew = hasPictureAnimations || animationsInvalidate.contains(.timing)
    }

    /// Whether the animations may show any image, also as one that a filter reads.
    var animatesPictures: Bool {
      hasPictureAnimations || !animatedProperties.intersection(.pictured).isEmpty
    }

    /// What the coming or going of the animations changes. A transition may show a hidden layer.
    var animationsChange: StoredProperty.Invalidation {
      hasPictureAnimations
        ? animationsInvalidate.union([.appearance, .structure])
        : animationsInvalidate.union(.appearance)
    }

    /// A free slot, waiting for a layer of this generation or a later one.
    static func vacant(generation: UInt32) -> Node {
      Node(generation: generation, isAlive: false, kind: .layer, values: LayerValues())
    }
  }

  struct KeyedAnimation {
    var key: String
    var description: AnimationDescription
    var track: AnimationTrack<StoredProperty>
    /// The state from which a transition starts.
    var origin = TransitionOrigin.nothing
    /// Whether it animates the contents from image to image, which are drawn mixed.
    let mixesContents: Bool

    private static let trackOffset = MemoryLayout<Self>.offset(of: \.track)!

    /// An animation's track in place.
    static func track(
      at animation: UnsafePointer<Self>
    ) -> UnsafePointer<AnimationTrack<StoredProperty>> {
      (UnsafeRawPointer(animation) + trackOffset).assumingMemoryBound(
        to: AnimationTrack<StoredProperty>.self)
    }

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
    package var place: StorePlace
    package var layout: PixelLayout
    /// Whether the client says that every pixel has full alpha.
    package var isOpaque: Bool
    /// Counts the updates of this image.
    package var version: UInt64
    /// A number that only these pixels have, among all pixels of all images.
    package var stamp: UInt64
    /// The areas that the last updates changed, oldest first, since the last one that changed all.
    var recentDirt: [[PixelRect]]

    /// Number of updates remembered. A reader that has missed more takes the whole image.
    static let memory = 8

    /// The areas that differ between `version` and this version; nil for the whole image.
    package func dirt(since version: UInt64) -> [PixelRect]? {
      let missed = self.version &- version
      guard missed <= UInt64(recentDirt.count) else { return nil }
      return recentDirt.suffix(Int(missed)).flatMap(\.self)
    }
  }

  package var nodes: [Node] = []
  /// The version that a node was given last.
  private var lastVersion: UInt64 = 0
  package var sessions: [SessionID: Session] = [:]
  package var images: [ImageID: Image] = [:]
  /// Number of store updates so far.
  var storeCount: UInt64 = 0
  /// Pixels that only frozen subtrees still draw, by stamp.
  var keptImages: [UInt64: KeptImage] = [:]
  package internal(set) var keptByteCount = 0
  /// Largest number of bytes of kept pixels. A frozen subtree loses images that would exceed it.
  package var keptByteLimit = TreeLimit.keptPixelBytes
  /// Largest number of layers that a session shows in copies.
  package var copiedLayerLimit = TreeLimit.copiedLayers
  /// Largest number of particles of a session's emitters.
  package var particleLimit = TreeLimit.particles
  /// Sequence number of the last commit applied.
  package private(set) var sequence: UInt64 = 0
  /// What the commits so far changed.
  private(set) var journal = ChangeJournal()
  /// The layers that draw an image, or are filtered by it.
  var imageUsers: [ImageID: Set<UInt32>] = [:]
  /// The layers whose animations may show any image.
  var pictureAnimated: Set<UInt32> = []

  package init() {}

  /// Lets kept pixels take half of a budget of memory in bytes, and copies and particles as much,
  /// together with those of `others`.
  package mutating func keepToBudget(_ bytes: Int, besides others: [EvaluatedTree] = []) {
    keptByteLimit = min(TreeLimit.keptPixelBytes, bytes / 2)
    copiedLayerLimit = others.reduce(bytes / 2 / TreeLimit.bytesOfCopiedLayer) {
      $0 - $1.copiedRowCount
    }
    copiedLayerLimit = min(max(copiedLayerLimit, 0), TreeLimit.copiedLayers)
    particleLimit = others.reduce(bytes / 2 / TreeLimit.bytesOfParticle) {
      $0 - $1.animatedValues.birthCount
    }
    particleLimit = min(max(particleLimit, 0), TreeLimit.particles)
  }

  package mutating func openSession(
    _ id: SessionID, _ options: SessionOptions
  ) throws(CommitError) {
    guard sessions[id] == nil else { throw .protocolViolation("\(id) is open already") }
    guard sessions.count < ServerLimit.sessions else {
      throw .tooMany("sessions", count: sessions.count + 1, limit: ServerLimit.sessions)
    }
    guard !options.size.isEmpty, options.size.width <= ServerLimit.frameSide,
      options.size.height <= ServerLimit.frameSide
    else {
      throw .outOfRange("session size", value: options.size.description)
    }
    guard options.scale.isFinite, options.scale > 0, options.scale <= ServerLimit.scale else {
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

  /// The slot of a live layer; nil if the layer is gone or never existed.
  func slot(of id: LayerID) -> Int? {
    let slot = Int(id.index)
    guard slot < nodes.count, nodes[slot].isAlive, nodes[slot].generation == id.generation else {
      return nil
    }
    return slot
  }

  package func id(of slot: Int) -> LayerID {
    LayerID(index: UInt32(slot), generation: nodes[slot].generation)
  }

  /// Gives a node a new version. Called whenever the node's values or animations change.
  mutating func noteChange(of slot: Int, _ invalidates: StoredProperty.Invalidation) {
    lastVersion &+= 1
    nodes[slot].version = lastVersion
    note(slot, invalidates)
  }

  /// Called whenever a layer gets another superlayer or another place in it.
  mutating func noteMove(of slot: Int) { note(slot, .structure) }

  private mutating func note(_ slot: Int, _ invalidates: StoredProperty.Invalidation) {
    nodes[slot].journalPlace = journal.end
    journal.note(slot, invalidates, layers: nodes.count)
  }

  /// What changed since a place in the journal. Where the journal has forgotten that, anything may
  /// have changed of the layers that did.
  func changes(since place: Int) -> [ChangeJournal.Entry] {
    if let entries = journal.entries(since: place) { return Array(entries) }
    return nodes.indices.filter { nodes[$0].journalPlace >= place }.map {
      ChangeJournal.Entry(slot: UInt32($0), invalidates: .all)
    }
  }

  /// The stamps of the images that a layer with these values shows, or that its filters read.
  package func stamps(ofImagesOf values: LayerValues) -> [UInt64] {
    values.images.compactMap { images[$0]?.stamp }
  }

  /// Called whenever an image's pixels change.
  mutating func noteChange(of image: ImageID) {
    for slot in (imageUsers[image] ?? []).union(pictureAnimated).sorted() {
      note(Int(slot), .appearance)
    }
  }

  /// Applies a commit, or throws and changes nothing. Returns what became of images and layers, in
  /// order.
  ///
  /// `pixels` is called when an image that a frozen subtree still draws is changed or released. It
  /// copies the pixels from the image's memory, as rows without gaps. It returns nil if the device
  /// has a copy of them already.
  @discardableResult
  package mutating func apply(
    _ commit: Commit, pixels: (ImageID, Image) -> [UInt8]? = { _, _ in nil }
  ) throws(CommitError) -> [Event] {
    try checked(commit)
    sequence = commit.sequence
    return perform(commit, pixels: pixels)
  }

  /// As a function of its own, it ends the check's hold on the tree's arrays before they are
  /// written to. Otherwise they would be copied.
  private func checked(_ commit: Commit) throws(CommitError) {
    var check = CommitCheck(tree: self)
    try check.run(commit)
  }
}

extension LayerValues {
  /// The images that are the layer's contents, or that its filters read.
  var images: [ImageID] {
    (contents.map { [$0] } ?? []) + (hasEffects ? effects.imageIDs : [])
  }
}
