import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// Plans frames for a device profile: the uploads, the passes, and the items that they draw. It
/// never queries the device.
///
/// One planner serves all sessions of a connection, which share textures. What it remembers from
/// frame to frame affects cost only, never pixels.
///
/// A plan paints what differs from the session's last plan, and relies on that having been
/// executed.
package struct FramePlanner {
  var ledger: TextureLedger
  /// The last frame's items, whose memory the next frame takes over: large arrays that come and go
  /// cost the system more than planning does.
  private var spareItems = DrawnItems()
  private var spareImages = FrameImages()
  /// The same of each thread that takes part.
  private var spareThreadItems: [DrawnItems] = []
  /// How loops over rows are shared among threads; nil if they are not.
  var sharing: LoopSharing?
  /// Largest number of layers that a frame composes in pieces.
  private let layersInPiecesLimit: Int
  /// What the sessions show.
  private var trees: [SessionID: MeasuredTree] = [:]
  /// How many times the pixels of a group in which nothing changes are painted before it is kept.
  var paintsBeforeKept = 1
  /// The last number that a group's canvas was given.
  private var lastCanvas: UInt64 = 0
  /// The sessions whose surfaces show marks that are none of the layers'.
  private var overlaid: Set<SessionID> = []
  /// Whether a plan was given up on whose textures are counted as made. Then neither this planner
  /// nor its device can be used any more.
  package private(set) var isSpoiled = false

  /// Records planning; nil if no trace is asked for.
  package var trace: TraceRecorder?
  /// Number of pixels that the last plan's items touch, each as often as it is drawn.
  package private(set) var pixelCount = 0

  /// With a budget of memory, of which layers in pieces may take half. What is large is planned on
  /// several threads, if there are any.
  package init(profile: DeviceProfile, budget: Int = .max, threads: WorkerThreads? = nil) {
    sharing = threads.map(LoopSharing.init)
    ledger = TextureLedger(profile: profile, budget: budget)
    layersInPiecesLimit = min(
      TreeLimit.layersInPieces, budget / 2 / TreeLimit.bytesOfLayerInPieces)
  }

  /// Largest number of bytes that the device's textures, targets and surfaces take, together with
  /// the tree's copies of pixels and what vertices, copies of layers, particles and layers in
  /// pieces take.
  package var budget: Int {
    get { ledger.budget }
    set { ledger.budget = newValue }
  }

  /// Bytes of the surfaces of all sessions, and of the driver.
  package var surfaceByteCount: Int {
    get { ledger.surfaceByteCount }
    set { ledger.surfaceByteCount = newValue }
  }

  /// Bytes of all textures and surfaces, as they are counted.
  package var byteCount: Int { ledger.byteCount }

  /// The last plan's use of the textures that are kept.
  package var textureCounts: TextureCounts { ledger.counts }

  /// Bytes of all textures that are kept, without the surfaces.
  package var textureByteCount: Int { ledger.byteCount - ledger.surfaceByteCount }

  /// Plans a session's frame at `time`. Throws as `plan` does for what a session was brought to.
  package mutating func plan(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> FramePlan {
    try update(tree, session: session, to: time)
    return try plan(tree, session: session)
  }

  /// What the sessions show but for one.
  package func trees(besides session: SessionID) -> [EvaluatedTree] {
    trees.compactMap { $0 == session ? nil : $1.evaluated }
  }

  /// Brings what a session shows to `time`.
  package mutating func update(
    _ tree: RenderTree, session: SessionID, to time: Double
  ) throws(CommitError) {
    if var shown = trees.removeValue(forKey: session) {
      try shown.update(tree, to: time, sharing: sharing)
      trees[session] = shown
    } else {
      trees[session] = MeasuredTree(try tree.evaluate(session: session, at: time))
    }
  }

  /// Plans the frame that shows what a session was brought to. `update` comes before each call.
  ///
  /// Throws if the frame costs more than one may: if it alone needs more memory than the budget, or
  /// too much time to plan. The session has to end then.
  package mutating func plan(
    _ tree: RenderTree, session: SessionID
  ) throws(CommitError) -> FramePlan {
    ledger.beginFrame()
    let damage = measure(tree, session)
    var draft = try draft(tree, session, damage, isSparing: false)
    do {
      try finish(&draft, of: session)
    } catch {
      guard draft.mayTakeLess else { throw error }
      // This is as if another frame followed the one that failed, whose uploads are there.
      ledger.beginFrameAgain(without: draft.plan.canvases)
      let (uploads, mipmaps) = (draft.plan.uploads, draft.plan.mipmaps)
      draft = try self.draft(tree, session, damage, isSparing: true)
      try finish(&draft, of: session)
      let released = Set(draft.plan.releases)
      draft.plan.uploads.insert(
        contentsOf: uploads.lazy.filter { !released.contains($0.texture) }, at: 0)
      draft.plan.mipmaps.insert(
        contentsOf: mipmaps.lazy.filter { !released.contains($0.texture) }, at: 0)
    }
    isSpoiled = false
    return draft.plan
  }

  /// A plan whose cost is not known to be allowed.
  private struct Draft {
    var plan: FramePlan
    /// Why it is refused, whatever memory there is.
    var excess: CommitError?
    var format: PixelFormat
    /// Bytes of the targets that it draws into, and of all but textures and these.
    var targetByteCount: Int
    var otherByteCount: Int
    /// Whether one that is sparing may need less.
    var mayTakeLess: Bool
  }

  /// If it `isSparing`, it keeps no groups and has as few targets as can be.
  private mutating func draft(
    _ tree: RenderTree, _ session: SessionID, _ damage: Damage, isSparing: Bool
  ) throws(CommitError) -> Draft {
    var compositor = compose(tree, session, damage, keepsGroups: !isSparing)
    try compositor.cutting.refuseExcess()
    isSpoiled = true
    let (evaluated, format) = (compositor.evaluated, compositor.format)
    let start = trace?.now
    if format.isEightBit, ledger.profile.drawsPlainParts {
      PlainParts(of: compositor.graph).replaceItems(of: &compositor.graph)
    }
    // The builder takes the ledger and gives it back, so that changing the ledger copies nothing.
    var taken = TextureLedger(profile: ledger.profile, budget: ledger.budget)
    var items = ItemList()
    swap(&taken, &ledger)
    swap(&items, &compositor.graph.drawn.list)
    var builder = PassBuilder(
      compositor.graph, consume items, size: evaluated.size, format: format,
      ledger: consume taken, isSparing: isSparing)
    builder.build()
    trace?.note(.passes, since: start)
    swap(&builder.ledger, &ledger)
    var excess: CommitError?
    do { try builder.refuseExcess() } catch { excess = error }
    pixelCount = builder.pixels
    var plan = builder.plan
    spareItems = compositor.graph.drawn
    spareItems.list = plan.items
    spareItems.forgetPaths()
    spareImages = compositor.graph.images
    spareImages.removeAll()
    let vertexCount = plan.passes.reduce(0) { count, pass in
      pass.batches.reduce(count) { $0 + $1.vertexCount }
    }
    let others =
      tree.keptByteCount + trees.values.reduce(0) { $0 + $1.evaluated.copiesByteCount }
      + compositor.cutting.layersInPieces * TreeLimit.bytesOfLayerInPieces
      + vertexCount * ledger.profile.bytesPerVertex
    let targets = plan.offscreens.reduce(0) {
      $0 + ledger.profile.byteCount(of: $1, format.pixelFormat)
    }
    plan.instances =
      evaluated.changes.touched.count + evaluated.changes.moved.count + compositor.drawnCount
    plan.nextFrameTime = compositor.flashes ? evaluated.time : evaluated.nextChange
    let keepsGroups = compositor.graph.canvases.contains { canvas in
      if case .group = canvas.key { true } else { false }
    }
    return Draft(
      plan: plan, excess: excess, format: format.pixelFormat, targetByteCount: targets,
      otherByteCount: others,
      mayTakeLess: keepsGroups || plan.sharedOffscreens.count > 1)
  }

  private mutating func finish(
    _ draft: inout Draft, of session: SessionID
  ) throws(CommitError) {
    if let excess = draft.excess { throw excess }
    draft.plan.releases = try ledger.endFrame(
      of: session,
      canvasBudget: 2 * TextureLedger.canvasPixelLimit(of: draft.plan.size)
        * draft.format.bytesPerPixel,
      besides: draft.targetByteCount + draft.otherByteCount)
    draft.plan.isShortOfMemory = ledger.isShort
    draft.plan.idleTargetLimit = max(
      ledger.budget - ledger.byteCount - draft.otherByteCount, 0)
  }

  /// Measures what has changed of what a session shows, and returns what that changes on its
  /// surface.
  mutating func measure(_ tree: RenderTree, _ session: SessionID) -> Damage {
    // Taken out, so that changing it copies nothing.
    var shown = trees.removeValue(forKey: session)!
    let damage = shown.measure(
      tree, maxTextureSize: ledger.profile.maxTextureSize, sharing: sharing)
    trees[session] = shown
    let overlay = tree.options(of: session)?.overlay
    let wasOverlaid = overlaid.remove(session) != nil
    if overlay != nil { overlaid.insert(session) }
    return wasOverlaid == (overlay != nil) ? damage : Damage(all: shown.evaluated.area)
  }

  /// Draws what a session shows, which was measured, and nests it into groups. With `isRecorded`,
  /// records which rows added what.
  mutating func compose(
    _ tree: RenderTree, _ session: SessionID, _ damage: Damage, keepsGroups: Bool = true,
    isRecorded: Bool = false
  ) -> Compositor {
    let overlay = tree.options(of: session)?.overlay
    var shown = trees.removeValue(forKey: session)!
    shown.findBitmaps(in: ledger.canvases)
    let mayKeepGroups =
      keepsGroups && overlay == nil && !isRecorded && ledger.byteCount <= ledger.budget / 2
    if !mayKeepGroups, !isRecorded { shown.groupCanvases.removeAll() }
    // Marks may lie anywhere, so a frame with marks is painted whole.
    let isInParts = ledger.profile.drawsPartsExactly && overlay == nil && !damage.isWhole
    let painted = isInParts ? damage : nil
    var graph = CompositingGraph()
    swap(&graph.drawn, &spareItems)
    swap(&graph.images, &spareImages)
    graph.drawn.startAgain()
    var compositor = Compositor(
      shown, of: tree, on: ledger.profile, into: consume graph, damage: painted,
      sharing: sharing)
    compositor.cutting = Compositor.CuttingCost(layerLimit: layersInPiecesLimit)
    swap(&compositor.threadItems, &spareThreadItems)
    if mayKeepGroups { compositor.paintsBeforeKept = paintsBeforeKept }
    if isRecorded {
      compositor.record = CompositionRecord(rowCount: compositor.evaluated.rows.count)
    }
    if overlay == .updates { compositor.mark(damage) }
    if painted?.isEmpty != true {
      swap(&compositor.groupCanvases, &shown.groupCanvases)
      (compositor.canvasNumber, compositor.keptTextures) = (lastCanvas, ledger.canvases)
      compositor.compose()
      lastCanvas = compositor.canvasNumber
      // Given back, so that changing the ledger copies nothing.
      compositor.keptTextures = TextureCache()
      swap(&compositor.groupCanvases, &shown.groupCanvases)
    }
    swap(&compositor.threadItems, &spareThreadItems)
    ledger.release(shown.groupCanvases.takeAbandoned())
    trees[session] = shown
    return compositor
  }

  /// What a session's layers draw at `time`, in its groups, as text.
  package func describeItems(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> String {
    var planner = self
    planner.trees = [:]
    try planner.update(tree, session: session, to: time)
    let damage = planner.measure(tree, session)
    return planner.compose(tree, session, damage).graph.description
  }

  /// Plans a session's whole frame at `time`, which is not executed, as if there had been none.
  package func planAfresh(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> FramePlan {
    var planner = self
    return try planner.planWhole(tree, session: session, time: time)
  }

  /// The same in a copy of the planner, which is of no use for other frames afterwards.
  mutating func planWhole(
    _ tree: RenderTree, session: SessionID, time: Double
  ) throws(CommitError) -> FramePlan {
    trees = [:]
    budget = .max
    trace = nil
    return try plan(tree, session: session, time: time)
  }

  /// Records the effects of a commit on images and layers, in order.
  package mutating func note(_ events: [RenderTree.Event]) {
    for event in events { ledger.note(event) }
  }

  /// Whether the device has a copy of an image's pixels.
  package func holds(_ id: ImageID, _ image: RenderTree.Image) -> Bool { ledger.holds(id, image) }

  /// Forgets everything kept for a session. The next plan of any other session releases its
  /// textures.
  package mutating func closeSession(_ session: SessionID) {
    ledger.closeSession(session)
    trees[session] = nil
    overlaid.remove(session)
    (spareItems, spareImages, spareThreadItems) = (DrawnItems(), FrameImages(), [])
  }
}
