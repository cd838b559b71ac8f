import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CALayer {
  /// The committed values with the animations in flight; nil for a layer that was never committed.
  final func presentationValues() -> LayerValues? {
    guard let tree = rendered?.tree else { return nil }
    var values = committed ?? modelValues
    let tracks = keyedAnimations.compactMap(\.track)
    if !tracks.isEmpty {
      AnimationTrack.apply(
        tracks, at: localTime(at: tree.clock.time) { $0.committed ?? $0.modelValues }, to: &values)
    }
    return values
  }

  /// The layer's own time at a time of the clock, by these values of it and those above it.
  final func localTime(at clockTime: Double, by values: (CALayer) -> LayerValues) -> Double {
    var timings: [MediaTiming] = []
    var layer: CALayer? = self
    while let current = layer {
      let values = values(current)
      if values.hasOwnTiming { timings.append(values.timing.mediaTiming) }
      layer = current.superlayerStorage
    }
    return timings.reversed().reduce(clockTime) { $1.localTime(at: $0) }
  }

  /// What is of that ID, among the contents of the layer and its animations.
  final func contents(_ id: ImageID) -> Any? {
    if let store = contentsStorage as? BackingStore, store.id == id { return store }
    return image(id)
  }

  /// The image of that ID, among those that the layer or its animations hold.
  final func image(_ id: ImageID) -> CGImage? {
    if let image = contentsStorage as? CGImage, image.id == id { return image }
    return keyedAnimations.lazy.flatMap(\.images).first { $0.id == id }
  }

  final func setContents(_ contents: Any?) {
    let store = contents as? BackingStore
    if let store, store === contentsStorage as? BackingStore { return }
    let image = store?.image ?? contents as? CGImage
    guard image != nil || contents == nil || contents is NSNull else {
      warn("contents of \(debugName) cannot be of type \(type(of: contents!)): it takes a CGImage")
      return
    }
    if change(.contents, modelValues.contents, image?.id) {
      modelValues.contents = image?.id
      contentsStorage = image
    }
  }
}
