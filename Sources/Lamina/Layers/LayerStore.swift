import LaminaCommit
import LaminaGraphics
import LaminaValues

/// Pixels that a layer shows and that change. A store belongs to one layer and keeps its ID through
/// every change.
class LayerStore {
  final let id = ImageID.unique()
  /// The pixels as they are now.
  final var pixels: StorePixels
  /// The rectangles that changed since the last commit; nil for the whole store.
  final var uncommitted: [PixelRect]?
  /// Whether a commit named the buffer.
  final var isCommitted = false
  /// An image that shares the buffer, which therefore must not be written, or its decoded pixels.
  final var frozen: CGImage?

  init(_ pixels: StorePixels) { self.pixels = pixels }

  /// Whether every pixel has full alpha, or counts as if it had.
  var isOpaque: Bool {
    switch pixels {
    case .memory(let buffer): buffer.isOpaque
    case .dmaBuf(let picture): picture.buffer.layout.format.isOpaque
    }
  }

  /// Takes other memory, of which everything, or these rectangles, may differ from what was shown.
  final func replace(_ pixels: StorePixels, uncommitted rects: [PixelRect]? = nil) {
    self.pixels = pixels
    uncommitted = rects
    (isCommitted, frozen) = (false, nil)
  }

  /// The current pixels as an image, which later changes do not change; nil if only a device can
  /// read them.
  final var image: CGImage? {
    if let frozen { return frozen }
    switch pixels {
    case .memory(let buffer): frozen = CGImage(buffer.decoded ?? buffer)
    case .dmaBuf(let picture): frozen = (try? picture.buffer.copied()).map { CGImage($0) }
    }
    return frozen
  }

  final var hasUncommitted: Bool { uncommitted?.isEmpty != true }

  /// The next commit's update of the store. `isNew` tells that the render process does not have it
  /// yet.
  final func update(isNew: Bool) -> Commit.StoreUpdate {
    isCommitted = true
    defer { uncommitted = [] }
    return Commit.StoreUpdate(
      image: id, pixels: pixels, isOpaque: isOpaque, dirty: isNew ? nil : uncommitted)
  }
}

/// A picture of a `CAImageQueue` that a layer shows.
final class QueuedImage: LayerStore {
  /// Whether the layer says that its pictures are opaque.
  private var isDeclaredOpaque: Bool

  init(_ pixels: StorePixels, isOpaque: Bool) {
    isDeclaredOpaque = isOpaque
    super.init(pixels)
  }

  /// Takes another picture.
  func become(_ pixels: StorePixels, isOpaque: Bool) {
    replace(pixels)
    isDeclaredOpaque = isOpaque
  }

  /// Pixels of a picture are not looked at: there may be millions in each frame.
  override var isOpaque: Bool {
    if isDeclaredOpaque { return true }
    return switch pixels {
    case .memory(let buffer): buffer.layout.coding != nil
    case .dmaBuf: super.isOpaque
    }
  }

  /// Copies the picture if it lies in a dma-buf that a render process does not draw from.
  func settle(for context: LayerContext) throws(PictureError) {
    guard case .dmaBuf(let picture) = pixels else { return }
    guard case .refused(let why) = context.offer(picture.buffer) else { return }
    do throws(DMABufError) {
      pixels = .memory(try picture.buffer.copied())
    } catch {
      throw PictureError(description: "\(why), and it cannot be copied: \(error)")
    }
  }
}

/// Why a picture cannot be shown.
struct PictureError: Error, CustomStringConvertible { let description: String }
