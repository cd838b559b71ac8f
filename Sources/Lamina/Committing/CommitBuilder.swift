import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// Makes one commit from a tree's changes. It visits only changed layers, in the order in which
/// they changed; a layer that enters the tree brings its descendants.
struct CommitBuilder {
  private(set) var stores: [StorePixels] = []
  var commit = Commit(sequence: 0)

  let tree: LayerTree
  private let context: LayerContext
  private let time: Double
  /// Visited layers whose sublayers or mask changed.
  private var reshaped: [CALayer] = []
  private var doomed: [CALayer] = []
  private var releasedImages: [ImageID] = []

  // Copies: reaching the static variables takes longer than using them.
  private let crossing = StoredPropertySet.crossing
  private let clock = StoredPropertySet.clock
  private let filters = StoredPropertySet.filters
  /// The properties whose changes involve more than their values.
  private let involved = StoredPropertySet.clock.union(.filters)
  private let pictured = StoredPropertySet.pictured

  /// The caller holds the context's lock.
  init(_ tree: LayerTree) {
    self.tree = tree
    context = tree.context
    time = tree.clock.time
  }

  mutating func build() {
    let orphans = context.takeOrphans()
    for orphan in orphans { commit.edits.append(.remove(child: orphan.id)) }
    let detached = tree.takeDetached()
    findDoomed(among: detached)
    // Some of those that changed are kept by nothing else.
    withExtendedLifetime(detached) { visitLayers() }
    for layer in reshaped { removeSublayers(of: layer) }
    placeRoot()
    for layer in reshaped { insertSublayers(of: layer) }
    for layer in reshaped { finish(layer) }
    destroyDoomed()
    for orphan in orphans { destroy(orphan.id, orphan.images) }
    for image in releasedImages where context.dropUnusedImage(image) {
      commit.releasedStores.append(image)
    }
  }

  // MARK: Finding the layers to visit

  private mutating func findDoomed(among detached: [CALayer]) {
    for layer in detached where !isAttached(layer) {
      layer.forEachInSubtree { layer in
        guard let rendered = layer.rendered, rendered.tree === tree, !rendered.isDoomed else {
          return
        }
        rendered.isDoomed = true
        doomed.append(layer)
      }
    }
  }

  private func isAttached(_ layer: CALayer) -> Bool {
    var ancestor: CALayer? = layer
    while let current = ancestor {
      if current === tree.root { return true }
      ancestor = current.superlayerStorage
    }
    return false
  }

  /// Visits the layers that enter the tree and those that changed. A layer that was visited has
  /// nothing left to send, so that it does no harm if another list has it too.
  private mutating func visitLayers() {
    if let root = tree.root { adopt(root) }
    let (changed, quietlyChanged) = (tree.takeChanged(), tree.quietlyChanged)
    tree.quietlyChanged = []
    commit.changes.reserve(changed.count)
    for layer in changed { layer._withUnsafeGuaranteedRef { visit($0) } }
    for layer in quietlyChanged { visit(layer) }
  }

  @inline(__always)
  private mutating func visit(_ layer: CALayer) {
    borrowing(ifAny: layer.rendered) { rendered in
      // A layer that moved is in the list of the tree that it left, too.
      guard rendered.tree === tree else { return }
      rendered.isListed = false
      if rendered.isDoomed { return }
      send(valuesOf: layer, rendered)
      if rendered.hierarchyChanged { reshape(layer, rendered) }
    }
  }

  private mutating func reshape(_ layer: CALayer, _ rendered: RenderedLayer) {
    guard !rendered.isReshaped else { return }
    rendered.isReshaped = true
    reshaped.append(layer)
    if let mask = layer.maskStorage { adopt(mask) }
    for sublayer in layer.committedSublayers { adopt(sublayer) }
  }

  /// Makes all layers of a subtree this tree's, if they are not already.
  private mutating func adopt(_ top: CALayer) {
    guard top.rendered?.tree !== tree else { return }
    top.forEachInSubtree { layer in
      if let rendered = layer.rendered, rendered.context === context {
        // A layer that merely moves keeps its ID.
        guard rendered.tree !== tree else { return }
        rendered.leaveList(layer)
        rendered.tree = tree
        rendered.hierarchyChanged = true
        enter(layer, rendered)
      } else {
        if let old = layer.rendered {
          old.leaveList(layer)
          old.context.noteOrphan(old)
        }
        let rendered = RenderedLayer(
          id: context.takeID(), context: context, tree: tree, level: level(of: layer))
        layer.rendered = rendered
        commit.created.append(
          Commit.Creation(layer: rendered.id, kind: type(of: layer).kind))
        enter(layer, rendered)
      }
    }
  }

  /// Visits a layer that has just become the tree's; its descendants are the next to be adopted.
  private mutating func enter(_ layer: CALayer, _ rendered: RenderedLayer) {
    // Animations that began while another tree showed the layer are followed by this one.
    for animation in layer.attachedAnimations where animation.isSent { tree.runs.add(animation) }
    if type(of: layer).kind == .tiled { tree.noteTiledLayer(layer) }
    if let external = layer as? CAExternalLayer { tree.note(external) }
    layer.finishDrawing(entering: tree)
    send(valuesOf: layer, rendered)
    rendered.isReshaped = true
    reshaped.append(layer)
  }

  /// The level of a layer whose superlayer already belongs to the tree.
  private func level(of layer: CALayer) -> Int {
    guard layer !== tree.root, let above = layer.superlayerStorage?.rendered else {
      return tree.rootLevel
    }
    return above.level + 1
  }

  // MARK: The tree's shape

  /// Removes the sublayers that left a layer. Done for all layers before any is inserted, so that
  /// no layer is ever inside itself in between.
  private mutating func removeSublayers(of layer: CALayer) {
    guard let rendered = layer.rendered, rendered.hierarchyChanged else { return }
    var leaving = rendered.sublayers.filter {
      $0.superlayerStorage !== layer || layer.maskStorage === $0
    }
    // Removing all sublayers and inserting them again is then cheaper.
    let staying = rendered.sublayers.count - leaving.count
    if leaving.count * staying > SublayerChange.costLimit { leaving = rendered.sublayers }
    for old in leaving.reversed() { remove(old, from: rendered) }
    if let old = rendered.mask, old !== layer.maskStorage { remove(old, from: rendered) }
  }

  private mutating func remove(_ child: CALayer, from parent: RenderedLayer) {
    guard let rendered = child.rendered, rendered.context === context,
      rendered.parent == parent.id
    else { return }
    commit.edits.append(.remove(child: rendered.id))
    rendered.parent = nil
  }

  private mutating func insertSublayers(of layer: CALayer) {
    guard let rendered = layer.rendered, rendered.hierarchyChanged else { return }
    let sublayers = layer.committedSublayers
    let change = SublayerChange(
      from: rendered.sublayers.filter { isChild($0, of: rendered) }, to: sublayers)
    for old in change.leaving.reversed() { remove(old, from: rendered) }
    for place in change.entering { insert(sublayers[place], into: rendered, at: place) }
    if let mask = layer.maskStorage, mask !== rendered.mask, let child = mask.rendered {
      commit.edits.append(.setMask(mask: child.id, layer: rendered.id))
      child.parent = rendered.id
    }
  }

  private func isChild(_ layer: CALayer, of parent: RenderedLayer) -> Bool {
    layer.rendered?.context === context && layer.rendered?.parent == parent.id
  }

  private mutating func insert(_ child: CALayer, into parent: RenderedLayer, at place: Int) {
    guard let rendered = child.rendered else { return }
    commit.edits.append(
      .insert(child: rendered.id, parent: parent.id, index: UInt32(place)))
    rendered.parent = parent.id
  }

  /// Shows the root, inside a container layer if the renderer has a placement.
  private mutating func placeRoot() {
    let root = tree.root?.rendered
    if tree.placementChanged { placeContainer() }
    tree.placementChanged = false
    if let container = tree.container, let root, root.parent != container {
      commit.edits.append(.insert(child: root.id, parent: container, index: 0))
      root.parent = container
    }
    let shown = tree.container ?? root?.id
    // A root that is a sublayer in another tree keeps its place there.
    let owner = tree.root?.superlayerStorage?.rendered?.id
    if tree.container == nil, let root, let parent = root.parent, parent != owner {
      commit.edits.append(.remove(child: root.id))
      root.parent = nil
    }
    guard shown != tree.renderedRoot else { return }
    commit.roots.append(Commit.RootChange(session: tree.session, layer: shown))
    tree.renderedRoot = shown
  }

  private mutating func placeContainer() {
    guard let placement = tree.placement else {
      if let container = tree.container { destroy(container, []) }
      tree.container = nil
      return
    }
    var id = tree.container
    if id == nil {
      id = context.takeID()
      commit.created.append(Commit.Creation(layer: id!, kind: .layer))
      tree.container = id
    }
    var values = LayerValues()
    values.sublayerTransform = placement
    commit.changes.append(
      Commit.LayerChange(layer: id!, properties: [.sublayerTransform], values: values))
  }

  // MARK: Values

  @inline(__always)
  private mutating func send(valuesOf layer: CALayer, _ rendered: RenderedLayer) {
    let changed = rendered.isNew ? layer.written : rendered.overwritten.properties
    var properties = changed.intersection(crossing)
    let isEmitter = layer.attachments?.emitterCells != nil
    if isEmitter {
      noteEmission(of: layer, rendered, &properties)
      if !properties.isEmpty { layer.forgetPastCellImages() }
    }
    if !properties.isEmpty {
      if properties.intersection(involved).isEmpty {
        layer.withValues { commit.changes.append(rendered.id, properties, at: $0) }
      } else {
        send(involved: properties, of: layer, rendered)
      }
    }
    rendered.overwritten.removeAll()
    let imagesChanged = rendered.storeChanged || !properties.intersection(pictured).isEmpty
    if imagesChanged || rendered.animationsChanged { send(attachmentsOf: layer, rendered) }
    if isEmitter { rendered.emissionAnimations = Self.emissionAnimations(of: layer) }
    rendered.isNew = false
  }

  private mutating func send(
    involved properties: StoredPropertySet, of layer: CALayer, _ rendered: RenderedLayer
  ) {
    var values = layer.modelValues
    if !properties.intersection(filters).isEmpty,
      let known = tree.effectsWithoutUnknownFilters(of: layer)
    {
      values.effects = known
    }
    commit.changes.append(
      Commit.LayerChange(layer: rendered.id, properties: properties, values: values))
    if !properties.intersection(clock).isEmpty { tree.noteTimingChange(of: layer) }
  }

  /// Keeps what an emitter was set to until now, if that is another from now on: its particles live
  /// on with it.
  private func noteEmission(
    of layer: CALayer, _ rendered: RenderedLayer, _ properties: inout StoredPropertySet
  ) {
    let before = rendered.emissionAnimations
    let isMoved = !properties.intersection(clock).isEmpty
    guard !rendered.isNew, !isMoved else {
      // In another time of the layer, nothing is what it was.
      guard !layer.modelValues.emitter.history.spans.isEmpty else { return }
      layer.modelValues.emitter.history = EmissionHistory()
      properties.insert(.emissionHistory)
      return
    }
    guard
      !properties.intersection(.emission).isEmpty
        || before != Self.emissionAnimations(of: layer)
    else { return }
    var old = layer.modelValues
    rendered.overwritten.restore(in: &old)
    old.emitter.history = EmissionHistory()
    let now = layer.localTime(at: time, by: \.committedTiming)
    guard now.isFinite else { return }
    layer.modelValues.emitter.history.add(
      EmissionHistory.Span(end: now, values: old.emitter, animations: before))
    properties.insert(.emissionHistory)
  }

  private static func emissionAnimations(of layer: CALayer) -> [AnimationDescription] {
    layer.attachedAnimations.map(\.description).filter(\.changesEmission)
  }

  /// Sends a layer's animations, if they changed, and the images of the layer and its animations.
  private mutating func send(attachmentsOf layer: CALayer, _ rendered: RenderedLayer) {
    if rendered.animationsChanged { send(animationsOf: layer, rendered) }
    send(imagesOf: layer, rendered)
    rendered.animationsChanged = false
    rendered.storeChanged = false
  }

  private mutating func send(animationsOf layer: CALayer, _ rendered: RenderedLayer) {
    let animations = layer.attachedAnimations
    if !rendered.removedAnimations.isEmpty {
      let left = Set(animations.map(\.key))
      for key in rendered.removedAnimations where !left.contains(key) {
        commit.animations.append(.remove(layer: rendered.id, key: key))
      }
      rendered.removedAnimations.removeAll(keepingCapacity: true)
    }
    if animations.contains(where: \.isDisplayed) { tree.noteDrawnAnimation(of: layer) }
    for animation in animations {
      if !animation.isSent {
        animation.stamp(at: layer.localTime(at: time, by: \.modelTiming))
        tree.runs.add(animation)
      } else if !rendered.isNew || animation.isTransition {
        // The transition's frozen subtree went away with the layer that it was taken from.
        continue
      }
      commit.animations.append(
        .add(layer: rendered.id, key: animation.key, animation: animation.description))
    }
  }

  private mutating func send(imagesOf layer: CALayer, _ rendered: RenderedLayer) {
    let isAnimated = layer.attachedAnimations.contains { !$0.images.isEmpty }
    var images = layer.cellImages + (layer.attachments?.filterImages ?? [])
    guard
      layer.contentsStorage != nil || isAnimated || !images.isEmpty || !rendered.images.isEmpty
    else { return }
    images += layer.attachedAnimations.flatMap(\.images)
    if let image = layer.contentsStorage as? CGImage { images.append(image) }
    for image in images where context.retainImage(image.id) {
      let buffer = image.sRGBBuffer
      commit.stores.append(
        Commit.StoreUpdate(image: image.id, buffer: buffer, isOpaque: image.isOpaque))
      stores.append(.memory(buffer))
    }
    for image in rendered.images { release(image) }
    rendered.images = images.map(\.id)
    if let store = layer.contentsStorage as? LayerStore { send(store, of: layer, rendered) }
  }

  private mutating func send(
    _ store: LayerStore, of layer: CALayer, _ rendered: RenderedLayer
  ) {
    if let picture = store as? QueuedImage {
      // What another render process draws from, this one may not.
      do throws(PictureError) {
        try picture.settle(for: context)
      } catch {
        layer.noteFailedDrawing("\(error)")
        return tree.noteFailure(of: layer)
      }
    }
    rendered.images.append(store.id)
    let isNew = context.retainImage(store.id)
    guard isNew || store.hasUncommitted else { return }
    commit.stores.append(store.update(isNew: isNew))
    stores.append(store.pixels)
  }

  private mutating func release(_ image: ImageID) {
    context.releaseImage(image)
    releasedImages.append(image)
  }

  // MARK: The end

  private func finish(_ layer: CALayer) {
    guard let rendered = layer.rendered else { return }
    tree.runs.noteTimingChange()
    rendered.hierarchyChanged = false
    rendered.isReshaped = false
    rendered.sublayers = layer.committedSublayers
    rendered.mask = layer.maskStorage
  }

  private mutating func destroyDoomed() {
    for layer in doomed {
      guard let rendered = layer.rendered else { continue }
      destroy(rendered.id, rendered.images)
      if !layer.attachedAnimations.isEmpty { tree.callLater(layer.endAnimationsOutsideTree()) }
      // A program's own code, run since the visit, may have changed it.
      rendered.leaveList(layer)
      layer.rendered = nil
    }
  }

  private mutating func destroy(_ id: LayerID, _ images: [ImageID]) {
    commit.destroyed.append(id)
    context.giveBack(id)
    for image in images { release(image) }
  }
}

extension AnimationDescription {
  /// Whether it animates something that an emitter's particles are born with.
  fileprivate var changesEmission: Bool {
    switch content {
    case .basic(let target, _), .keyframe(let target, _), .spring(let target, _, _):
      let key = target.keyPath.prefix { $0 != "." }
      return StoredProperty(key: String(key)).map { StoredPropertySet.emission.contains($0) }
        ?? false
    case .group(let members): return members.contains(where: \.changesEmission)
    case .transition: return false
    }
  }
}
