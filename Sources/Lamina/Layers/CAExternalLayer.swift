import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

/// A layer that shows pictures that somebody else makes: a decoder, a camera, or another process.
///
/// Whoever makes them passes them to the layer's `queue`, on any thread, in memory
/// (`CAPixelBuffer`) or in a device's (`CADMABuf`). Each frame shows the last picture that is due
/// at the frame's time; the clock may be the host's or manual. Pictures may differ in size and
/// format, and are placed as contents are: by `contentsGravity`, `contentsRect` and so on. If the
/// producer stops, the last picture stays, also if the render process had to be replaced.
///
/// `isOpaque` says that all pictures are opaque, which saves drawing what lies behind; pictures in
/// formats without alpha are. `contents` that are set otherwise are shown until the next picture is
/// due. On Apple's systems `AVSampleBufferDisplayLayer` and layers with `IOSurface` contents do the
/// same.
open class CAExternalLayer: CALayer {
  /// The pictures to show. Presentation copies have their model's.
  public final let queue: CAImageQueue

  public override init() {
    queue = CAImageQueue()
    super.init()
  }

  public override init(layer: Any) {
    queue = (layer as? CAExternalLayer)?.queue ?? CAImageQueue()
    super.init(layer: layer)
  }

  /// Reads a layer from an archive. Pictures are not archived.
  public required init?(coder: NSCoder) {
    queue = CAImageQueue()
    super.init(coder: coder)
  }

  /// Whether `prepareImage(forLayerTime:)` is called for each frame; else it is called for the next
  /// frame after `setNeedsDisplay()`. Without effect where a class does not override that. Default:
  /// false.
  open var isAsynchronous = false

  /// Called before a renderer makes a frame, on the thread that uses the layer, with the frame's
  /// time in the layer's own time; see `isAsynchronous`. What is passed to the queue here, without
  /// a time, is in that frame. On the host's clock it is called sixty times a second. Does nothing
  /// by itself.
  open func prepareImage(forLayerTime time: CFTimeInterval) {}

  /// Has `prepareImage(forLayerTime:)` called for the next frame.
  open override func display() { mustMakeImage = true }

  /// When the layer's pictures change, in its own time, if that is known.
  package final var imageMotion: Motion?

  private var mustMakeImage = false
  /// Whether the last picture can be neither drawn where it is nor copied.
  private var isUnreadable = false
}

extension CAExternalLayer {
  /// Whether a renderer shows the layer, as of the last commit.
  package final var isInTree: Bool { rendered != nil }
  /// Whether that renderer's clock is the host's.
  package final var isOnHostClock: Bool { rendered.map { !$0.tree.clock.isManual } ?? false }
  /// The layer's own time now, by the clock of that renderer.
  package final var currentLayerTime: CFTimeInterval {
    let clock = rendered?.tree.clock ?? MediaClock.ambient
    return localTime(at: clock.time, by: \.modelTiming)
  }

  /// Whether a frame at a time of the clock may show another picture.
  final func mayShowImage(at time: Double) -> Bool {
    isAsynchronous || mustMakeImage || queue.hasNews(at: time)
  }

  /// Shows the picture that is due at a time of the clock. Returns whether it is another one,
  /// or could not be made.
  final func showImage(at time: Double) -> Bool {
    if isAsynchronous || mustMakeImage {
      mustMakeImage = false
      let layerTime = localTime(at: time, by: \.committedTiming)
      if layerTime.isFinite { prepareImage(forLayerTime: layerTime) }
    }
    switch queue.takeNews(at: time) {
    case nil:
      settleShownImage()
      return attachments?.drawingFailure != nil
    case .noImage: showNothing()
    case .image(let pixels): show(pixels)
    }
    return true
  }

  /// Another render process may not draw from what the last one drew from.
  private func settleShownImage() {
    if let image = contentsStorage as? QueuedImage { _ = settle(image) }
  }

  /// Returns false, and notes why, if the render process can be given a picture in no way.
  private func settle(_ picture: QueuedImage) -> Bool {
    guard let context = rendered?.context else { return true }
    do throws(PictureError) {
      try picture.settle(for: context)
      return true
    } catch {
      isUnreadable = true
      noteFailedDrawing("\(error)")
      return false
    }
  }

  private func show(_ pixels: StorePixels) {
    let isOpaque = modelValues.client.isOpaque
    let picture = QueuedImage(pixels, isOpaque: isOpaque)
    guard settle(picture) else { return }
    if isUnreadable { noteDrawing() }
    isUnreadable = false
    if let image = contentsStorage as? QueuedImage {
      image.become(picture.pixels, isOpaque: isOpaque)
      show(image)
    } else {
      show(picture)
    }
  }

  private func showNothing() {
    guard contentsStorage is QueuedImage else { return }
    noteChange(of: .contents)
    modelValues.contents = nil
    contentsStorage = nil
  }
}

// What a tree's frames show of such layers.
extension LayerTree {
  /// Notes a layer that entered the tree.
  func note(_ layer: CAExternalLayer) {
    guard !externalLayers.contains(where: { $0.layer === layer }) else { return }
    externalLayers.append(Shown(layer: layer))
  }

  /// Whether a frame at a time of the clock may show other pictures.
  func mayShowImages(at time: Double) -> Bool {
    externalLayers.contains { entry in
      guard let layer = entry.layer, layer.rendered?.tree === self else { return false }
      return layer.mayShowImage(at: time)
    }
  }

  /// Whether other pictures may come at any time.
  var awaitsImages: Bool { externalLayers.contains { $0.layer?.rendered?.tree === self } }

  /// Shows the pictures that are due. Returns whether there is something to commit.
  func showImages(at time: Double) -> Bool {
    guard !externalLayers.isEmpty else { return false }
    externalLayers.removeAll { $0.layer?.rendered?.tree !== self }
    let layers = externalLayers.compactMap(\.layer)
    return onClock {
      var isChanged = false
      for layer in layers where layer.showImage(at: time) {
        isChanged = true
        noteFailure(of: layer)
      }
      return isChanged
    }
  }
}
