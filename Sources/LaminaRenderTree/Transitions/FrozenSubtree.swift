import LaminaAnimation
import LaminaCommit
import LaminaValues

/// A layer with its sublayers and masks, as they were before the commit that added a transition to
/// the layer. It never changes: it is evaluated at one time only and draws the pixels of that time.
package final class FrozenSubtree: Sendable {
  /// The layer itself first. `children` and `mask` are indices in this array; `parent` has no
  /// meaning.
  let nodes: [RenderTree.Node]
  /// The nodes' layers, for dumps.
  let layers: [LayerID]
  /// The time at which it is evaluated, in the first layer's own time: when the transition begins.
  let time: Double
  /// Stamps of the pixels that it draws.
  let images: [ImageID: UInt64]
  /// The frozen subtrees that transitions in this one start from.
  let nested: [FrozenSubtree]
  /// How deep frozen subtrees nest, this one included.
  let depth: Int
  /// How deep the rows nest when it is evaluated.
  let levels: Int
  /// Number of layers that it shows. Those of nested frozen subtrees count each time they are
  /// shown.
  let layerCount: Int

  init(
    nodes: [RenderTree.Node], layers: [LayerID], time: Double, images: [ImageID: UInt64],
    nested: [FrozenSubtree], depth: Int, levels: Int, layerCount: Int
  ) {
    self.nodes = nodes
    self.layers = layers
    self.time = time
    self.images = images
    self.nested = nested
    self.depth = depth
    self.levels = levels
    self.layerCount = layerCount
  }
}

/// The state from which a transition starts.
enum TransitionOrigin: Sendable {
  /// The layer was created together with the transition.
  case nothing
  case subtree(FrozenSubtree)
  /// The old state was not kept, so the transition jumps to its end.
  case lost

  var subtree: FrozenSubtree? {
    if case .subtree(let subtree) = self { subtree } else { nil }
  }
}

extension RenderTree {
  /// Pixels of an image that has been changed or released since.
  package struct KeptImage {
    package var image: Image
    /// Rows without gaps, top first; nil if textures hold them.
    package var bytes: [UInt8]?
  }

  /// How deep rows may nest, including those of transitions and frozen subtrees.
  static let rowLevelLimit = TreeLimit.levels + 1 + 2 * TreeLimit.frozenDepth

  /// The origins of the transitions that a commit adds, by index in its animations. They are taken
  /// from the tree as it is before the commit.
  mutating func freeze(for commit: Commit) -> [Int: TransitionOrigin] {
    var origins: [Int: TransitionOrigin] = [:]
    guard commit.addsTransition else { return origins }
    var limit = TreeLimit.frozenLayers
    for subtree in frozenSubtrees { limit -= subtree.layerCount }
    for (place, edit) in commit.animations.enumerated() {
      guard case .add(let layer, _, let animation) = edit,
        case .transition = animation.content, let slot = slot(of: layer)
      else { continue }
      guard let subtree = freeze(slot, at: animation.timing.beginTime, limit: limit) else {
        origins[place] = .lost
        continue
      }
      limit -= subtree.layerCount
      origins[place] = .subtree(subtree)
    }
    return origins
  }

  /// Freezes a layer and everything below it at the layer's own `time`; nil if those are more than
  /// `limit` layers.
  private func freeze(_ top: Int, at time: Double, limit: Int) -> FrozenSubtree? {
    var slots = [top]
    var times = [time]
    var levels = [1]
    var deepest = 1
    var frozen: [Node] = []
    var stamps: [ImageID: UInt64] = [:]
    var depth = 1
    var further = 0
    var nested: [FrozenSubtree] = []
    // `slots` grows while the loop goes through it.
    while frozen.count < slots.count {
      guard slots.count + further <= limit else { return nil }
      let place = frozen.count
      var node = nodes[slots[place]]
      let children = node.children.map(Int.init) + (node.mask.map { [Int($0)] } ?? [])
      let places = children.indices.map { UInt32(slots.count + $0) }
      slots += children
      levels += children.map { _ in levels[place] + 1 }
      deepest = max(deepest, levels[place])
      times += children.map { localTime(of: $0, in: nil, parentTime: times[place]) }
      if node.mask != nil { node.mask = places.last }
      node.children = Array(places.prefix(node.children.count))
      for subtree in node.freezeTransitions(at: times[place]) {
        depth = max(depth, 1 + subtree.depth)
        deepest = max(deepest, levels[place] + subtree.levels)
        further += subtree.layerCount
        nested.append(subtree)
      }
      for id in node.imageIDs { stamps[id] = images[id]?.stamp }
      frozen.append(node)
    }
    guard slots.count + further <= limit else { return nil }
    return FrozenSubtree(
      nodes: frozen, layers: slots.map { id(of: $0) }, time: time, images: stamps,
      nested: nested, depth: depth, levels: 1 + deepest, layerCount: slots.count + further)
  }

  /// The frozen subtrees that transitions start from, each once.
  var frozenSubtrees: [FrozenSubtree] {
    var found: [FrozenSubtree] = []
    var known: Set<ObjectIdentifier> = []
    for slot in pictureAnimated.sorted() {
      for animation in nodes[Int(slot)].animations {
        if let subtree = animation.origin.subtree { found.append(subtree) }
      }
    }
    var place = 0
    while place < found.count {
      if known.insert(ObjectIdentifier(found[place])).inserted {
        found += found[place].nested
        place += 1
      } else {
        found.remove(at: place)
      }
    }
    return found
  }

  /// The stamps of the pixels that frozen subtrees draw.
  func stamps(of frozenSubtrees: [FrozenSubtree]) -> Set<UInt64> {
    var stamps: Set<UInt64> = []
    for subtree in frozenSubtrees {
      for stamp in subtree.images.values { stamps.insert(stamp) }
    }
    return stamps
  }

  /// Keeps the pixels of an image that is about to change or to be released, if `drawn` has their
  /// stamp.
  mutating func keep(
    _ id: ImageID, ifIn drawn: Set<UInt64>, _ events: inout [Event],
    _ pixels: (ImageID, Image) -> [UInt8]?
  ) {
    guard let image = images[id], drawn.contains(image.stamp),
      keptByteCount + image.tightByteCount <= keptByteLimit
    else { return }
    keptByteCount += image.tightByteCount
    keptImages[image.stamp] = KeptImage(image: image, bytes: pixels(id, image))
    events.append(.kept(id, stamp: image.stamp))
  }

  /// Forgets the pixels that only frozen subtrees drew that are gone.
  mutating func forgetKeptImages(_ events: inout [Event]) {
    guard !keptImages.isEmpty else { return }
    let drawn = stamps(of: frozenSubtrees)
    for stamp in keptImages.keys.sorted() where !drawn.contains(stamp) {
      keptByteCount -= keptImages.removeValue(forKey: stamp)?.image.tightByteCount ?? 0
      events.append(.dropped(stamp: stamp))
    }
  }

  /// An image as a row draws it: with its current pixels or, in a frozen subtree, those of then.
  /// nil if they are gone.
  package func drawnImage(
    _ id: ImageID, of row: EvaluatedTree.Row, in evaluated: EvaluatedTree
  ) -> DrawnImage? {
    drawnImage(id, frozenIn: row.frozen, of: evaluated)
  }

  /// The same for a row of that frozen subtree, or of none if the number is negative.
  package func drawnImage(
    _ id: ImageID, frozenIn frozen: Int, of evaluated: EvaluatedTree
  ) -> DrawnImage? {
    guard frozen >= 0 else { return images[id].map { DrawnImage(id, $0) } }
    guard let stamp = evaluated.frozenSubtrees[frozen].images[id] else { return nil }
    if let image = images[id], image.stamp == stamp { return DrawnImage(id, image) }
    return keptImages[stamp].map { DrawnImage($0) }
  }
}

extension RenderTree.Image {
  /// Without gaps between rows.
  fileprivate var tightByteCount: Int {
    layout.width * layout.height * layout.format.bytesPerPixel
  }
}

extension RenderTree.Node {
  /// Drops the transitions that are over at a time of the layer, and the frozen subtrees that nest
  /// too deep. Returns the remaining frozen subtrees.
  fileprivate mutating func freezeTransitions(at time: Double) -> [FrozenSubtree] {
    var subtrees: [FrozenSubtree] = []
    for place in animations.indices.reversed() where animations[place].track.transition != nil {
      guard let progress = animations[place].track.transitionProgress(at: time), progress < 1 else {
        animations.remove(at: place)
        continue
      }
      guard case .subtree(let subtree) = animations[place].origin else { continue }
      if subtree.depth < TreeLimit.frozenDepth {
        subtrees.append(subtree)
      } else {
        animations[place].origin = .lost
      }
    }
    return subtrees
  }

  /// The images that the layer draws without its animations, or that its filters read.
  var ownImages: [ImageID] {
    var images = values.images
    if kind == .emitter, let cells = values.emitter.cells { images += cells.flatMap(\.imageIDs) }
    return images
  }

  /// The images that the layer may draw at any time, or that its filters may read.
  fileprivate var imageIDs: [ImageID] {
    let animated = animations.filter {
      $0.track.properties.contains { StoredPropertySet.pictured.contains($0) }
    }
    return ownImages + animated.flatMap { $0.description.imageIDs }
  }

  /// The transition that applies at a time of the layer, which is the last one with an effect. nil
  /// if there is none, if it is over, or if its old state was not kept.
  func transition(
    at time: Double
  ) -> (values: AnimationDescription.TransitionValues, progress: Double, origin: TransitionOrigin)?
  {
    for animation in animations.reversed() {
      guard let values = animation.track.transition,
        let progress = animation.track.transitionProgress(at: time)
      else { continue }
      if case .lost = animation.origin { return nil }
      return progress < 1 ? (values, progress, animation.origin) : nil
    }
    return nil
  }

  /// The two images between which the layer's contents are; nil if they are a single image.
  func contentsMix(at time: Double) -> EvaluatedTree.ContentsMix? {
    var underlying = values.value(of: .contents)
    var mix: ValueMix?
    for animation in animations where animation.mixesContents {
      guard let ends = animation.track.ends(of: .contents, at: time, over: underlying) else {
        continue
      }
      mix = ends
      underlying = ends.from.interpolated(to: ends.to, fraction: ends.fraction)
    }
    guard let mix, mix.from != mix.to, mix.fraction > 0, mix.fraction < 1 else { return nil }
    return EvaluatedTree.ContentsMix(
      from: mix.from.imageID, to: mix.to.imageID, fraction: mix.fraction)
  }
}

extension AnimationDescription {
  fileprivate var imageIDs: [ImageID] {
    switch content {
    case .basic(_, let values), .spring(_, let values, _):
      [values.from, values.to, values.by].flatMap(\.imageIDs)
    case .keyframe(_, let values): values.values.flatMap(\.imageIDs)
    case .group(let members): members.flatMap(\.imageIDs)
    case .transition: []
    }
  }
}

extension AnimationValue {
  fileprivate var imageID: ImageID? {
    if case .image(let id) = self { id } else { nil }
  }

  /// The images in the value. Cells of emitters are not animated as a whole.
  fileprivate var imageIDs: [ImageID] {
    switch self {
    case .image(let id): [id]
    case .filter(let filter): filter.image.map { [$0] } ?? []
    case .array(let values): values.flatMap(\.imageIDs)
    default: []
    }
  }
}
