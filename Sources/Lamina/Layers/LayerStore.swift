import LaminaCommit
import LaminaGraphics
import LaminaValues

/// Pixels that a layer shows and that change. A store belongs to one layer and keeps its ID through
/// every change.
class LayerStore {
  final let id = ImageID.unique()
  /// The pixels as they are now.
  final var buffer: PixelBuffer
  /// The rectangles that changed since the last commit; nil for the whole store.
  final var uncommitted: [PixelRect]?
  /// Whether a commit named the buffer.
  final var isCommitted = false
  /// An image that shares the buffer, which therefore must not be written, or its decoded pixels.
  final var frozen: CGImage?

  init(_ buffer: PixelBuffer) { self.buffer = buffer }

  /// Whether every pixel has full alpha, or counts as if it had.
  var isOpaque: Bool { buffer.isOpaque }

  /// Takes other memory, of which everything, or these rectangles, may differ from what was shown.
  final func replace(_ buffer: PixelBuffer, uncommitted rects: [PixelRect]? = nil) {
    self.buffer = buffer
    uncommitted = rects
    (isCommitted, frozen) = (false, nil)
  }

  /// The current pixels as an image, which later changes do not change.
  final var image: CGImage {
    if let frozen { return frozen }
    let image = CGImage(buffer.decoded ?? buffer)
    frozen = image
    return image
  }

  final var hasUncommitted: Bool { uncommitted?.isEmpty != true }

  /// The next commit's update of the store. `isNew` tells that the render process does not have it
  /// yet.
  final func update(isNew: Bool) -> Commit.StoreUpdate {
    isCommitted = true
    defer { uncommitted = [] }
    return Commit.StoreUpdate(
      image: id, buffer: buffer, isOpaque: isOpaque, dirty: isNew ? nil : uncommitted)
  }
}

/// A picture of a `CAImageQueue` that a layer shows.
final class QueuedImage: LayerStore {
  /// Whether the layer says that its pictures are opaque.
  private var isDeclaredOpaque: Bool

  init(_ buffer: PixelBuffer, isOpaque: Bool) {
    isDeclaredOpaque = isOpaque
    super.init(buffer)
  }

  /// Takes another picture.
  func become(_ buffer: PixelBuffer, isOpaque: Bool) {
    replace(buffer)
    isDeclaredOpaque = isOpaque
  }

  /// Pixels of a picture are not looked at: there may be millions in each frame.
  override var isOpaque: Bool { isDeclaredOpaque || buffer.layout.coding != nil }
}
