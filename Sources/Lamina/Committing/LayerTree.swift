import LaminaCommit
import LaminaValues

/// The layers that one renderer shows, and their changes since the last commit.
final class LayerTree {
  let context: LayerContext
  let session: SessionID
  let clock: MediaClock
  /// The frame in which the renderer shows the layers; nil if there are no frames.
  var frame: FrameGeometry?

  /// The layer that the renderer shows.
  var root: CALayer? {
    didSet {
      guard root !== oldValue else { return }
      if let oldValue { detached.append(oldValue) }
      isReshaped = true
      mayNeedDisplay = true
      noteWork()
    }
  }

  /// Maps the root's superspace to the session's points; nil for the identity.
  var placement: CATransform3D? {
    didSet { if placement != oldValue { placementChanged = true } }
  }

  /// Layers with changes, in the order of their first change. Exclusive access is not checked, to
  /// save time, as for everything that setters use.
  ///
  /// Counting references to them would take as long as all else that a setter does. Each is kept
  /// until the next commit: by `root`, by what was committed of its superlayer, or by `detached`.
  @exclusivity(unchecked) private(set) var changed: [Unmanaged<CALayer>] = []
  /// Layers with finished animations that the render process may drop. These no longer show, so
  /// they need no commit of their own.
  var quietlyChanged: [CALayer] = []
  /// Layers that left their superlayers, or the tree while they were in `changed`; they may have
  /// been added elsewhere.
  private(set) var detached: [CALayer] = []
  /// The layer that the session shows in the render process.
  var renderedRoot: LayerID?
  /// The layer in the render process that applies `placement`.
  var container: LayerID?
  var placementChanged = false
  /// Whether sublayers, masks or the root changed since the last commit.
  @exclusivity(unchecked) var isReshaped = true
  /// Whether changed layers, or those that enter the tree, may have to be drawn before the next
  /// commit.
  @exclusivity(unchecked) var mayNeedDisplay = true
  /// Whether the last commit was not made because it exceeded the render process's limits.
  var isRefused = false
  /// The number of layers that the next commit creates, as last measured.
  var newCount = 0

  /// Filters found by commits that Lamina does not implement.
  var unknownFilters: [UnknownFilter] = []

  /// Layers that could not be drawn.
  private var failed: [CALayer] = []

  /// The animations on screen.
  @exclusivity(unchecked) var runs = AnimationRuns()
  /// The context that last committed the tree. Animation delegates are called there.
  private(set) var owner: ExecutionContext?
  /// The clock time at which the owner wakes by itself to follow the animations; infinite if no
  /// waking is scheduled.
  var wakingTime = Double.infinity
  /// Callbacks to make after the next frame.
  var lateCallbacks: [() -> Void] = []

  /// The last commit that this tree sent.
  private(set) var lastSequence: UInt64 = 0
  /// The context whose transactions will commit this tree.
  private var noted: ExecutionContext?

  init(context: LayerContext, session: SessionID, clock: MediaClock) {
    self.context = context
    self.session = session
    self.clock = clock
    reference.tree = self
    clock.add(reference)
  }

  /// A reference to a tree that is cleared when the tree is closed, for those that do not own it.
  /// Not a weak reference, since once an object has one, retaining it is slower, and every setter
  /// retains the tree.
  final class Reference: Sendable {
    private struct Holder: @unchecked Sendable { var tree: LayerTree? }
    private let holder = Lock(Holder())

    fileprivate(set) var tree: LayerTree? {
      get { holder.withLock { $0 }.tree }
      set {
        let new = Holder(tree: newValue)
        holder.withLock { $0 = new }
      }
    }
  }

  let reference = Reference()

  /// Whether the preparation of a commit is running; the commit itself is still to be sent.
  private var isPreparing = false

  /// Whether a commit would have something to send.
  var hasChanges: Bool {
    needsLayout || !changed.isEmpty || !detached.isEmpty || placementChanged
      || quietlyChanged.count > Self.quietLimit
      || context.hasOrphans
      || (root == nil ? renderedRoot != nil : root?.rendered?.tree !== self || renderedRoot == nil)
  }

  /// With more finished animations than this, a commit removes them, since each costs the render
  /// process time at every frame.
  private static let quietLimit = 64

  private var needsLayout: Bool { root?.pending.contains(.layoutBelow) ?? false }

  @inline(__always)
  func noteChange(of layer: CALayer) {
    if changed.isEmpty || isRefused { noteWork() }
    changed.append(.passUnretained(layer))
  }

  /// Takes the layers with changes. The caller has to keep those that are detached until it has
  /// visited these.
  func takeChanged() -> [Unmanaged<CALayer>] {
    let changed = changed
    self.changed = []
    // As many often change again.
    self.changed.reserveCapacity(changed.count)
    return changed
  }

  func takeDetached() -> [CALayer] {
    defer { detached = [] }
    return detached
  }

  /// Notes that there is something to commit, or to do before a commit.
  @inline(never)
  func noteWork() {
    let stack = TransactionStack.current
    guard noted !== stack.context else { return }
    noted = stack.context
    stack.noteChange(of: self)
  }

  func noteDetached(_ layer: CALayer) { detached.append(layer) }

  func noteCommitted(by stack: TransactionStack) {
    if noted === stack.context { noted = nil }
  }

  /// Sends the changes without waiting. Returns the commit, or nil if there was nothing to send.
  @discardableResult
  func commit() throws(RenderServerError) -> Commit? {
    guard !isPreparing, hasChanges else { return nil }
    tilesMayChange = true
    owner = TransactionStack.current.context
    let undrawn = try onClock { Result { () throws(RenderServerError) in try prepare() } }.get()
    // Layers that were marked for display while drawing are drawn before the next commit.
    defer { for layer in undrawn { layer.rendered?.noteInvalid(layer) } }
    defer { scheduleWaking() }
    context.lock.lock()
    defer { context.lock.unlock() }
    try measure()
    newCount = 0
    var builder = CommitBuilder(self)
    builder.build()
    guard !builder.commit.isEmpty else { return nil }
    do throws(ServerFailure) {
      lastSequence = try context.send(builder.commit, builder.stores)
    } catch {
      throw RenderServerError(error)
    }
    builder.commit.sequence = lastSequence
    return builder.commit
  }

  /// Runs the app's layout and display callbacks. A transaction that they end does not commit by
  /// itself: its changes are in the commit that follows. Returns the layers that need to be drawn
  /// again after it.
  private func prepare() throws(RenderServerError) -> [CALayer] {
    isPreparing = true
    defer { isPreparing = false }
    // Layers of a refused commit may have been marked while they are in no tree.
    if isRefused { mayNeedDisplay = true }
    if needsLayout { root?.layOutSubtree() }
    try measureAlone()
    return displayLayers()
  }

  /// Checks the limits before layers are drawn, so that a commit that would be refused draws
  /// nothing.
  private func measureAlone() throws(RenderServerError) {
    context.lock.lock()
    defer { context.lock.unlock() }
    try measure()
  }

  /// Draws the layers that need it. Only changed layers and those that enter the tree can need it.
  /// Returns the layers that need to be drawn again.
  private func displayLayers() -> [CALayer] {
    var drawn: [CALayer] = []
    guard mayNeedDisplay else { return drawn }
    mayNeedDisplay = false
    if let root, root.rendered?.tree !== self { display(allIn: root, &drawn) }
    // Drawing may change other layers, which are then appended to the list.
    var next = 0
    while next < changed.count {
      let layer = changed[next].takeUnretainedValue()
      next += 1
      guard let rendered = layer.rendered, rendered.tree === self else { continue }
      display(layer, &drawn)
      guard rendered.hierarchyChanged else { continue }
      if let mask = layer.maskStorage, mask.rendered?.tree !== self { display(allIn: mask, &drawn) }
      for sublayer in layer.sublayerStorage where sublayer.rendered?.tree !== self {
        display(allIn: sublayer, &drawn)
      }
    }
    // Drawing may also mark layers that were passed already.
    let marked = mayNeedDisplay ? changed.map { $0.takeUnretainedValue() } : []
    return (drawn + marked).filter { $0.needsDisplay() }
  }

  private func display(allIn top: CALayer, _ drawn: inout [CALayer]) {
    top.forEachInSubtree { display($0, &drawn) }
  }

  private func display(_ layer: CALayer, _ drawn: inout [CALayer]) {
    guard layer.needsDisplay() else { return }
    drawn.append(layer)
    layer.attachments?.displayingTree = self
    layer.displayIfNeeded()
    layer.attachments?.displayingTree = nil
    noteFailure(of: layer)
  }

  func noteFailure(of layer: CALayer) {
    if layer.attachments?.drawingFailure != nil { failed.append(layer) }
  }

  /// Throws if a layer could not be drawn. The next frame draws it again.
  func requireDrawn() throws(RenderServerError) {
    guard !failed.isEmpty else { return }
    let layers = failed
    failed = []
    for layer in layers where layer.rendered?.tree === self {
      guard let why = layer.attachments?.drawingFailure else { continue }
      throw RenderServerError(.notDrawn(layer: layer.debugName, why))
    }
  }

  // MARK: Animations that the app draws

  /// Layers with animations of properties that they draw themselves. A layer stays until these are
  /// removed, since time may run backwards.
  private var drawnAnimations: [Drawn] = []

  private struct Drawn {
    weak var layer: CALayer?
    /// Whether the last drawing differs from the model values.
    var isDifferent = false
  }

  func noteDrawnAnimation(of layer: CALayer) {
    guard !drawnAnimations.contains(where: { $0.layer === layer }) else { return }
    drawnAnimations.append(Drawn(layer: layer))
  }

  /// Whether layers have to be drawn for a frame at `time`, in seconds of the clock.
  func drawsAnimations(at time: Double) -> Bool {
    drawnAnimations.contains { $0.isDifferent || $0.layer?.isDrawnDifferently(at: time) == true }
  }

  /// Draws layers with their values at a clock time, for the next commit. Returns whether anything
  /// was drawn.
  func drawAnimations(at time: Double) -> Bool {
    guard !drawnAnimations.isEmpty else { return false }
    return onClock { displayAnimations(at: time) }
  }

  private func displayAnimations(at time: Double) -> Bool {
    var hasDrawn = false
    for place in drawnAnimations.indices.reversed() {
      guard let layer = drawnAnimations[place].layer, layer.rendered?.tree === self else {
        drawnAnimations.remove(at: place)
        continue
      }
      if layer.isDrawnDifferently(at: time) {
        layer.displayPresentation(at: time)
        noteFailure(of: layer)
        drawnAnimations[place].isDifferent = true
        hasDrawn = true
      } else if drawnAnimations[place].isDifferent {
        layer.display()
        noteFailure(of: layer)
        drawnAnimations[place].isDifferent = false
        hasDrawn = true
      } else if !layer.attachedAnimations.contains(where: \.isDisplayed) {
        drawnAnimations.remove(at: place)
      }
    }
    return hasDrawn
  }

  // MARK: Drawing in the background

  /// The tiled layers of the tree, and some that left it.
  var tiledLayers: [Shown<CATiledLayer>] = []
  /// Whether anything changed since tiles were last asked for.
  var tilesMayChange = false
  /// What layers recorded and no frame shows yet.
  var storeDrawings: [StoreDrawing] = []
  /// What draws tiles, and what layers recorded.
  private(set) lazy var drawingQueue = DrawingQueue()

  /// A layer that the tree shows, unless it has left.
  struct Shown<Layer: CALayer> { weak var layer: Layer? }

  /// The layers of the tree that show pictures from queues, and some that left it.
  var externalLayers: [Shown<CAExternalLayer>] = []

  /// Removes the whole tree from the render process. Its layers are then as if never committed.
  func close() {
    _ = showStoreDrawings(waiting: true)
    root = nil
    placement = nil
    _ = try? commit()
    forgetTiledLayersThatLeft()
    reference.tree = nil
    TransactionStack.current.context.call(lateCallbacks)
  }
}
