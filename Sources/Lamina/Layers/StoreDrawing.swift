import LaminaGraphics
import LaminaValues

/// What a layer that draws asynchronously recorded in `draw(in:)`, on its way to the layer's
/// backing store.
///
/// It is `@unchecked Sendable` because of rules that the compiler cannot see: context and store
/// belong to the drawing thread until it is finished, then to the layer's; the layer and the tree
/// are used on the layer's thread only.
final class StoreDrawing: BackgroundDrawing, @unchecked Sendable {
  private(set) weak var layer: CALayer?
  /// The tree for whose commit the layer was drawn.
  private(set) weak var tree: LayerTree?
  /// The new pixels, in a store of their own, since frames show the old ones meanwhile.
  let store: BackingStore
  /// What was drawn of it; nil for everything.
  let rects: [PixelRect]?
  private let queue: DrawingQueue
  private let context: CGContext
  private let finished = Lock(false)

  init(
    of layer: CALayer, for tree: LayerTree, in context: CGContext, into store: BackingStore,
    _ rects: [PixelRect]?
  ) {
    self.layer = layer
    self.tree = tree
    queue = tree.drawingQueue
    self.context = context
    self.store = store
    self.rects = rects
  }

  var isFinished: Bool { finished.withLock { $0 } }

  func wait() {
    if !isFinished { queue.wait(for: self) }
  }

  func run() {
    context.playBack()
    store.finish(rects)
    finished.withLock { $0 = true }
  }
}

extension CALayer {
  /// Records what the layer draws, for a tree's queue to draw it while the commit goes on. `own` is
  /// the layer's store, if it has one.
  final func drawLater(
    _ subject: BackingStore.Subject, _ rects: [PixelRect]?, after own: BackingStore?,
    for tree: LayerTree
  ) throws(SharedMemoryError) {
    let store: BackingStore
    if let own {
      store = try own.successor(for: subject, rects)
    } else {
      store = try BackingStore(subject)
      try store.prepare(for: subject, nil)
    }
    guard let context = store.context(for: rects) else {
      return noteFailedDrawing("no memory for \(subject.size) pixels")
    }
    let attachments = ownAttachments
    attachments.isDrawn = true
    noteDrawing()
    context.record { draw(in: context) }
    // Neither the class nor the delegate draws this layer, so it keeps its contents.
    if own == nil, !attachments.isDrawn, !context.hasRecorded { return }
    let drawing = StoreDrawing(of: self, for: tree, in: context, into: store, rects)
    attachments.waitingDrawing = drawing
    tree.add(drawing)
  }

  /// Waits for what the layer recorded last, and shows it.
  final func finishDrawing() {
    // A presentation copy shares its model's attachments.
    let layer = modelLayer ?? self
    guard let drawing = layer.attachments?.waitingDrawing else { return }
    drawing.wait()
    layer.show(drawing)
  }

  /// The same for a layer that enters a tree, which sends its changes next. The tree that the
  /// drawing was recorded for may never show it.
  final func finishDrawing(entering tree: LayerTree) {
    guard let drawing = attachments?.waitingDrawing, drawing.tree !== tree else { return }
    drawing.wait()
    guard let store = take(drawing) else { return }
    written.insert(.contents)
    rendered?.overwritten.keep(modelValues.value(of: .contents), of: .contents)
    rendered?.storeChanged = true
    modelValues.contents = store.id
    contentsStorage = store
  }

  /// Shows a finished drawing, unless the layer has other contents by now.
  final func show(_ drawing: StoreDrawing) {
    if let store = take(drawing) { show(store) }
  }

  /// The layer's store with the pixels of a finished drawing; nil if the layer has other contents
  /// by now.
  private func take(_ drawing: StoreDrawing) -> BackingStore? {
    guard let attachments, attachments.waitingDrawing === drawing else { return nil }
    attachments.waitingDrawing = nil
    guard let own = contentsStorage as? BackingStore else { return drawing.store }
    own.become(drawing.store, drawing.rects)
    return own
  }
}
