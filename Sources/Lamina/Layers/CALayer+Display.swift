import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// The part of a layer that needs to be redrawn.
struct InvalidRegion {
  private(set) var isWhole = false
  /// In the layer's own space.
  private(set) var rects: [CGRect] = []

  static let whole = InvalidRegion(isWhole: true)

  private init(isWhole: Bool) { self.isWhole = isWhole }
  init() {}

  var isEmpty: Bool { !isWhole && rects.isEmpty }

  mutating func add(_ rect: CGRect) {
    let rect = rect.standardized
    guard !isWhole, !rect.isNull, rect.width > 0, rect.height > 0 else { return }
    // A rectangle that is added repeatedly, as by an animation's frames, is stored once.
    if !rects.contains(where: { $0.contains(rect) }) { rects.append(rect) }
    // Limits the memory of an app that only ever invalidates.
    if rects.count > 64 { rects = [rects.reduce(CGRect.null) { $0.union($1) }] }
  }
}

extension CALayer {
  final func invalidate(_ rect: CGRect?) {
    // A layer that has never drawn has nothing to keep: it draws everything whatever the rectangle.
    if let rect { ownAttachments.invalid.add(rect) } else { ownAttachments.invalid = .whole }
    // A presentation copy shares its model's attachments.
    if let modelLayer { modelLayer.rendered?.tree.mayNeedDisplay = true }
    rendered?.noteInvalid(self)
  }

  final func displayWhereNeeded() {
    guard let attachments, !attachments.invalid.isEmpty else { return }
    let outer = attachments.displaying
    attachments.displaying = attachments.invalid
    attachments.invalid = InvalidRegion()
    defer { attachments.displaying = outer }
    display()
  }

  /// Implements `display()`: asks the delegate, else draws into the backing store.
  final func displayByDelegate() {
    let region = attachments?.displaying ?? .whole
    if attachments?.displaying == nil { attachments?.invalid = InvalidRegion() }
    attachments?.drawing = nil
    if ask(.display, { $0.display(self) }) { return }
    delegate?.layerWillDraw(self)
    guard Swift.type(of: self) != CALayer.self || delegate != nil else { return }
    drawStore(region)
  }

  final func drawByDelegate(in context: CGContext) {
    if !ask(.draw, { $0.draw(self, in: context) }) { attachments?.isDrawn = false }
  }

  private func drawStore(_ region: InvalidRegion) {
    let size = storeSize
    guard size.width >= 1, size.height >= 1 else {
      if contentsStorage is BackingStore { contents = nil }
      return
    }
    guard let pixels = BackingStore.size(size) else { return refuseSize(size) }
    let subject = BackingStore.Subject(
      size: pixels, bounds: modelValues.bounds, isYUp: !contentsAreFlipped(),
      isOpaque: modelValues.client.isOpaque)
    finishDrawing()
    let own = contentsStorage as? BackingStore
    let limits = PixelRect(subject.size)
    var rects: [PixelRect]?
    if own?.subject == subject, !region.isWhole {
      let drawn = [].adding(
        region.rects.map {
          PixelRect(covering: $0.applying(subject.toPixels), within: limits)
        })
      if drawn.isEmpty { return }
      if drawn != [limits] { rects = drawn }
    }
    guard FileDescriptor.canOpen(Self.filesToDraw) else {
      return noteFailedDrawing(String(cString: strerror(EMFILE)))
    }
    do throws(SharedMemoryError) {
      if let tree = attachments?.displayingTree, modelValues.client.drawsAsynchronously {
        return try drawLater(subject, rects, after: own, for: tree)
      }
      let store: BackingStore
      if let own { store = own } else { store = try BackingStore(subject) }
      try store.prepare(for: subject, rects)
      guard let context = store.context(for: rects) else {
        return noteFailedDrawing("no memory for \(subject.size) pixels")
      }
      ownAttachments.isDrawn = true
      noteDrawing()
      draw(in: context)
      store.finish(rects)
      // Neither the class nor the delegate draws this layer, so it keeps its contents.
      if own == nil, attachments?.isDrawn == false, store.isBlank { return }
      show(store)
    } catch {
      noteFailedDrawing("\(error)")
    }
  }

  /// The number of files that fonts need open at a time, when they are found and read. With fewer,
  /// text would be drawn with others, or not at all.
  static let filesToDraw = 8

  /// Notes that the layer could not be drawn: it is drawn again for the next frame, and frames
  /// throw until it could. Live frames, which throw nothing of the layers', are why there is a
  /// warning.
  final func noteFailedDrawing(_ why: String) {
    let attachments = ownAttachments
    if attachments.drawingFailure == nil { warn("\(debugName) could not be drawn: \(why)") }
    attachments.drawingFailure = why
    attachments.invalid = .whole
  }

  final func noteDrawing() { attachments?.drawingFailure = nil }

  /// Redraws the contents for a time of the clock, if an animation changes what the layer draws.
  /// The presentation copy draws, into this layer's store.
  final func displayPresentation(at time: Double) {
    finishDrawing()
    guard let copy = presentation(at: time) else { return }
    let drawing = copy.drawing
    // An animation that is at rest changes nothing.
    if let drawing, drawing == ownAttachments.drawing, contentsStorage is BackingStore { return }
    copy.display()
    // Drawing may have set it to nil.
    ownAttachments.drawing = drawing
    if let store = copy.contentsStorage as? BackingStore {
      show(store)
    } else {
      contents = copy.contents
    }
  }

  final func show(_ store: LayerStore) {
    (modelLayer ?? self).rendered?.storeChanged = true
    if contentsStorage === store {
      rendered?.noteChange(of: self)
    } else {
      // Contents that a layer draws itself do not fade in: the old pixels are already gone.
      noteChange(of: .contents)
      modelValues.contents = store.id
      contentsStorage = store
    }
  }

  /// The size, in whole pixels, of a store for the layer as it is now; it may be 0 or too large.
  private var storeSize: CGSize {
    let bounds = modelValues.bounds
    let scale = modelValues.contentsScale > 0 ? modelValues.contentsScale : 1
    return CGSize(
      width: (bounds.width * scale).rounded(.up), height: (bounds.height * scale).rounded(.up))
  }

  /// Warns, once, that the layer is too large to be drawn.
  private func refuseSize(_ size: CGSize) {
    // A presentation copy draws for its model and is new at each frame, so the model keeps the
    // flag.
    let attachments = (modelLayer ?? self).ownAttachments
    guard !attachments.isTooLarge else { return }
    attachments.isTooLarge = true
    func count(_ side: CGFloat) -> String { Int(exactly: side).map(String.init) ?? "\(side)" }
    warn(
      "\(debugName) is not drawn, for its contents would have \(count(size.width))x"
        + "\(count(size.height)) pixels: layers draw at most \(BackingStore.maximumSide) a side and"
        + " \(BackingStore.maximumPixelCount) in all")
  }
}
