import LaminaCommit
import LaminaValues

/// The layers that one renderer shows, and what of them changed since the last commit.
final class LayerTree {
  let context: LayerContext
  let session: SessionID
  let clock: MediaClock

  /// The layer that the renderer shows.
  var root: CALayer? {
    didSet {
      guard root !== oldValue else { return }
      if let oldValue { detached.append(oldValue) }
      isReshaped = true
      noteWork()
    }
  }

  /// Maps the root's superspace to the session's points; nil for the identity.
  var placement: CATransform3D? {
    didSet { if placement != oldValue { placementChanged = true } }
  }

  /// Layers with changes, in the order of their first ones. Not checked for exclusive access, as what
  /// setters use of a layer is not.
  @exclusivity(unchecked) var changed: [CALayer] = []
  /// Layers whose finished animations the render process may forget. They show nothing any more,
  /// so that takes no commit of its own.
  var quietlyChanged: [CALayer] = []
  /// Layers that left their places, and may have come to others.
  var detached: [CALayer] = []
  /// What the session shows in the render process.
  var renderedRoot: LayerID?
  /// The layer that stands for `placement` there.
  var container: LayerID?
  var placementChanged = false
  /// Whether sublayers, masks or the root changed since the last commit.
  @exclusivity(unchecked) var isReshaped = true
  /// Whether the last commit would have been more than the render process takes, and was not made.
  var isRefused = false
  /// How many layers the next commit makes, as far as it was measured.
  var newCount = 0

  /// What commits found of filters that there are none of.
  var unknownFilters: [UnknownFilter] = []

  /// The animations that are on screen.
  @exclusivity(unchecked) var runs = AnimationRuns()
  /// Where the tree was last committed: its animations' delegates are called there.
  private(set) var owner: ExecutionContext?
  /// When the owner will look after the animations by itself.
  var wakingTime = Double.infinity
  /// Whom to call after the next frame.
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

  /// How those that do not own a tree keep it in mind: until it is closed. A weak reference would do
  /// if its mere existence did not make all others slower to count, which every setter does.
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

  /// Whether what comes before a commit is going on, which is then still to be sent.
  private var isPreparing = false

  /// Whether a commit would have anything to say.
  var hasChanges: Bool {
    needsLayout || !changed.isEmpty || !detached.isEmpty || placementChanged
      || quietlyChanged.count > Self.quietLimit
      || context.hasOrphans
      || (root == nil ? renderedRoot != nil : root?.rendered?.tree !== self || renderedRoot == nil)
  }

  /// So many finished animations cost the render process something at each frame.
  private static let quietLimit = 64

  private var needsLayout: Bool { root?.pending.contains(.layoutBelow) ?? false }

  func noteChange(of layer: CALayer) {
    if changed.isEmpty || isRefused { noteWork() }
    changed.append(layer)
  }

  /// There is something to commit, or to do before.
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

  /// Sends what changed, without waiting. Returns it, or nil where there was nothing to send.
  @discardableResult
  func commit() throws(RenderServerError) -> Commit? {
    guard !isPreparing, hasChanges else { return nil }
    owner = TransactionStack.current.context
    let undrawn = try onClock { Result { () throws(RenderServerError) in try prepare() } }.get()
    // What drawing itself asked to be drawn is drawn before the next commit.
    defer { for layer in undrawn { layer.rendered?.noteChange(of: layer) } }
    defer { scheduleWaking() }
    context.lock.lock()
    defer { context.lock.unlock() }
    try measure()
    newCount = 0
    var builder = CommitBuilder(self)
    builder.build()
    guard !builder.commit.isEmpty else { return nil }
    do throws(LaminaCommit.RenderServerError) {
      lastSequence = try context.send(builder.commit, builder.buffers)
    } catch {
      throw RenderServerError(error)
    }
    builder.commit.sequence = lastSequence
    return builder.commit
  }

  /// Has the program's own code do what comes before a commit. A transaction that this code ends
  /// commits nothing by itself: its changes are in the commit that follows.
  /// Returns the layers that need to be drawn again after it.
  private func prepare() throws(RenderServerError) -> [CALayer] {
    isPreparing = true
    defer { isPreparing = false }
    if needsLayout { root?.layOutSubtree() }
    try measureAlone()
    return displayLayers()
  }

  /// Before layers are drawn for nothing.
  private func measureAlone() throws(RenderServerError) {
    context.lock.lock()
    defer { context.lock.unlock() }
    try measure()
  }

  /// Only layers with changes and those that come into the tree can need to be drawn.
  private func displayLayers() -> [CALayer] {
    var drawn: [CALayer] = []
    if let root, root.rendered?.tree !== self { display(allIn: root, &drawn) }
    // Drawing may change other layers, which then come last in the list.
    var next = 0
    while next < changed.count {
      let layer = changed[next]
      next += 1
      guard let rendered = layer.rendered, rendered.tree === self else { continue }
      display(layer, &drawn)
      guard rendered.hierarchyChanged else { continue }
      if let mask = layer.maskStorage, mask.rendered?.tree !== self { display(allIn: mask, &drawn) }
      for sublayer in layer.sublayerStorage where sublayer.rendered?.tree !== self {
        display(allIn: sublayer, &drawn)
      }
    }
    return drawn.filter { $0.needsDisplay() }
  }

  private func display(allIn top: CALayer, _ drawn: inout [CALayer]) {
    top.forEachInSubtree { display($0, &drawn) }
  }

  private func display(_ layer: CALayer, _ drawn: inout [CALayer]) {
    guard layer.needsDisplay() else { return }
    drawn.append(layer)
    layer.displayIfNeeded()
  }

  // MARK: Animations that the program draws

  /// Layers with animations of what they draw. A layer stays until these are removed: times may go
  /// backwards.
  private var drawnAnimations: [Drawn] = []

  private struct Drawn {
    weak var layer: CALayer?
    /// Whether what was drawn last is something else than the model.
    var isDifferent = false
  }

  func noteDrawnAnimation(of layer: CALayer) {
    guard !drawnAnimations.contains(where: { $0.layer === layer }) else { return }
    drawnAnimations.append(Drawn(layer: layer))
  }

  /// Whether a frame at that time takes drawing that the last one did not need.
  func drawsAnimations(at time: Double) -> Bool {
    drawnAnimations.contains { $0.isDifferent || $0.layer?.isDrawnDifferently(at: time) == true }
  }

  /// Has layers drawn as they are at a time of the clock. What they drew is in the next commit.
  /// Returns whether anything was drawn.
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
        drawnAnimations[place].isDifferent = true
        hasDrawn = true
      } else if drawnAnimations[place].isDifferent {
        layer.display()
        drawnAnimations[place].isDifferent = false
        hasDrawn = true
      } else if !layer.keyedAnimations.contains(where: \.isDisplayed) {
        drawnAnimations.remove(at: place)
      }
    }
    return hasDrawn
  }

  /// Takes the whole tree out of the render process; layers are as if never committed.
  func close() {
    root = nil
    placement = nil
    _ = try? commit()
    reference.tree = nil
    TransactionStack.current.context.call(lateCallbacks)
  }
}
