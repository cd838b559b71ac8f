import Foundation
import LaminaValues

/// The drawing of one tile: called on a background thread once, then read by the layer's thread.
///
/// This is the one place in which a layer is used by two threads. It is `@unchecked Sendable`
/// because of these rules, which the compiler cannot see:
/// - Everything here but `outcome` is constant. The store belongs to the drawing thread until
///   `outcome` is set, and to the layer's thread after that; a tile that is drawn again gets
///   another store.
/// - The drawing thread calls nothing of the layer but `draw(in:)`, which for the classes of this
///   library uses nothing but this object. The delegate is taken from the layer beforehand.
/// - What an app's `draw(in:)` reads of its layer is the app's own affair, as on Apple's systems.
///   On a manual clock the layer's thread waits meanwhile, so it may read anything.
final class TileDrawing: BackgroundDrawing, @unchecked Sendable {
  /// The drawing that the current thread makes.
  @TaskLocal static var current: TileDrawing?

  enum Outcome {
    case drawn
    /// There is nothing that draws.
    case nothing
    case failed(String)
  }

  let layer: CATiledLayer
  let store: BackingStore
  /// The state of the layer's content that the drawing shows; see `TileCache`.
  let version: Int
  private let delegate: (any CALayerDelegate)?
  private let clock: MediaClock
  private let result = Lock<Outcome?>(nil)
  /// Whether the layer's class or the delegate draws. Only the drawing thread uses it.
  private var isAnswered = true

  init(of layer: CATiledLayer, into store: BackingStore, version: Int, on clock: MediaClock) {
    self.layer = layer
    self.store = store
    self.version = version
    self.clock = clock
    delegate = layer.delegate
  }

  /// nil until the drawing is finished.
  var outcome: Outcome? { result.withLock { $0 } }

  func run() {
    let outcome = draw()
    result.withLock { $0 = outcome }
  }

  private func draw() -> Outcome {
    guard FileDescriptor.canOpen(CALayer.filesToDraw) else {
      return .failed(String(cString: strerror(EMFILE)))
    }
    do throws(SharedMemoryError) {
      try store.prepare(for: store.subject, nil)
    } catch {
      return .failed("\(error)")
    }
    guard let context = store.context(for: nil) else {
      return .failed("no memory for \(store.subject.size) pixels")
    }
    MediaClock.$current.withValue(clock) {
      Self.$current.withValue(self) { layer.draw(in: context) }
    }
    store.finish(nil)
    return !isAnswered && store.isBlank ? .nothing : .drawn
  }

  /// Implements `CATiledLayer.draw(in:)` for a tile.
  func askDelegate(in context: CGContext) {
    guard let delegate else {
      isAnswered = false
      return
    }
    delegate.draw(layer, in: context)
  }

  /// Called by the default implementation of the delegate's method.
  func noteAbsent() { isAnswered = false }
}
