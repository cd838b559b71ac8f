import LaminaCommit
import LaminaGraphics
import LaminaValues

/// Pixels that a layer shows and that change. A store belongs to one layer and keeps its ID through
/// every change.
class LayerStore {
  final let id = ImageID.unique()
  /// The pixels as they are now.
  final var buffer: PixelBuffer

  init(_ buffer: PixelBuffer) { self.buffer = buffer }

  /// The current pixels as an image, which later changes do not change.
  var image: CGImage { CGImage(buffer) }

  var hasUncommitted: Bool { false }

  /// The next commit's update of the store. `isNew` tells that the render process does not have it
  /// yet.
  func update(isNew: Bool) -> Commit.StoreUpdate {
    Commit.StoreUpdate(image: id, buffer: buffer, isOpaque: buffer.isOpaque)
  }
}

/// A picture of a `CAImageQueue` that a layer shows.
final class QueuedImage: LayerStore {
  private(set) var hasNews = true
  /// Whether the layer says that its pictures are opaque.
  private var isOpaque: Bool
  /// The decoded pixels, once they were asked for.
  private var decoded: CGImage?

  init(_ buffer: PixelBuffer, isOpaque: Bool) {
    self.isOpaque = isOpaque
    super.init(buffer)
  }

  /// Takes another picture.
  func become(_ buffer: PixelBuffer, isOpaque: Bool) {
    (self.buffer, self.isOpaque) = (buffer, isOpaque)
    (hasNews, decoded) = (true, nil)
  }

  override var image: CGImage {
    if let decoded { return decoded }
    let image = CGImage(buffer.decoded ?? buffer)
    decoded = image
    return image
  }

  override var hasUncommitted: Bool { hasNews }

  override func update(isNew: Bool) -> Commit.StoreUpdate {
    hasNews = false
    return Commit.StoreUpdate(
      image: id, buffer: buffer, isOpaque: isOpaque || buffer.layout.coding != nil)
  }
}
