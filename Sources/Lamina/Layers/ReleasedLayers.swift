import Foundation
import LaminaValues

/// Layers that another layer releases in its `deinit`.
///
/// They go one after the other, and the layers that each of them releases in turn join the list, so
/// that a long chain costs memory and not the thread's stack.
private final class ReleasedLayers {
  /// The next one is last.
  private var layers: [CALayer] = []

  func add(_ layer: CALayer) { layers.append(layer) }

  func releaseAll() { while !layers.isEmpty { layers.removeLast() } }

  /// The key of the thread's list of layers, which exists only while they are being released.
  static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    guard status == 0 else {
      programmerError("no room for a thread's released layers: error \(status)")
    }
    return key
  }()
}

extension CALayer {
  /// Releases the sublayers and the mask of this layer, which is itself being deallocated.
  final func releaseLayers() {
    if let outer = pthread_getspecific(ReleasedLayers.key) {
      return hand(to: Unmanaged<ReleasedLayers>.fromOpaque(outer).takeUnretainedValue())
    }
    let released = ReleasedLayers()
    pthread_setspecific(ReleasedLayers.key, Unmanaged.passUnretained(released).toOpaque())
    hand(to: released)
    released.releaseAll()
    pthread_setspecific(ReleasedLayers.key, nil)
  }

  private func hand(to released: ReleasedLayers) {
    for layer in rendered?.sublayers.reversed() ?? [] { released.add(layer) }
    if let mask = rendered?.mask { released.add(mask) }
    if let maskStorage { hand(maskStorage, to: released) }
    maskStorage = nil
    for layer in sublayerStorage.reversed() { hand(layer, to: released) }
    sublayerList = SublayerList()
  }

  private func hand(_ layer: CALayer, to released: ReleasedLayers) {
    if layer.superlayerStorage === self { layer.superlayerStorage = nil }
    released.add(layer)
  }
}
