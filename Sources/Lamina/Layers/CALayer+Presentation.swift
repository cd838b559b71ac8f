import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CALayer {
  /// The committed values with the animations in flight applied, at a time of the renderer's clock.
  final func presentationValues(at time: Double) -> LayerValues {
    presentationValues(ownTime: committedTime(at: time))
  }

  /// The same, at a time of the layer's own.
  private func presentationValues(ownTime: @autoclosure () -> Double) -> LayerValues {
    var values = committedValues
    let tracks = attachedAnimations.compactMap(\.track)
    if !tracks.isEmpty { AnimationTrack.apply(tracks, at: ownTime(), to: &values) }
    return values
  }

  /// The copy that shows the layer at a time of its renderer's clock; nil if it was never
  /// committed.
  final func presentation(at time: Double) -> Self? {
    isCommitted ? presentation(ownTime: committedTime(at: time)) : nil
  }

  /// The copy that shows the layer at a time of its own.
  final func presentation(ownTime: @autoclosure () -> Double) -> Self {
    presentationSeed = PresentationSeed(presentationValues(ownTime: ownTime()))
    defer { presentationSeed = nil }
    let copy = makePresentationCopy()
    let tracks = attachedAnimations.compactMap(\.undefinedTrack)
    guard !tracks.isEmpty else { return copy }
    var values = UndefinedValues(layer: self)
    AnimationTrack.apply(tracks, at: ownTime(), to: &values)
    for (key, value) in values.changed {
      copy.undefinedValues[key] = self.value(value, ofKindUnder: key)
    }
    return copy
  }

  /// The value as an object, a number as the type that the model has under the key: NSNumbers do
  /// not cast to CGFloat.
  private func value(_ value: AnimationValue, ofKindUnder key: String) -> Any? {
    guard case .number(let number) = value, let usual = self.value(forKey: key) else {
      return value.publicValue(image: image)
    }
    return switch type(of: usual) {
    case is CGFloat.Type: CGFloat(number)
    case is Double.Type: number
    case is Float.Type: Float(number)
    default: NSNumber(value: number)
    }
  }

  private func committedTime(at clockTime: Double) -> Double {
    localTime(at: clockTime, by: \.committedTiming)
  }

  /// Whether an animation has an effect, at a time of the clock, on a property that the layer's
  /// drawing depends on.
  final func isDrawnDifferently(at clockTime: Double) -> Bool {
    let time = committedTime(at: clockTime)
    return attachedAnimations.contains {
      $0.isDisplayed && $0.description.timing.progress(at: time) != nil
    }
  }

  /// The layer's own time at a time of the clock, by the given timings of the layer and its
  /// superlayers.
  final func localTime(at clockTime: Double, by timing: (CALayer) -> MediaTiming?) -> Double {
    var timings: [MediaTiming] = []  // Takes no memory while it is empty.
    var layer: CALayer? = self
    while let current = layer {
      if let timing = timing(current) { timings.append(timing) }
      layer = current.superlayerStorage
    }
    return timings.reversed().reduce(clockTime) { $1.localTime(at: $0) }
  }

  /// How the layer's time runs in its superlayer's; nil if the two are the same.
  final var modelTiming: MediaTiming? { setsClock ? modelValues.timing.mediaTiming : nil }

  /// `modelTiming` as the render process knows it.
  final var committedTiming: MediaTiming? {
    setsClock ? committedValues.timing.mediaTiming : nil
  }

  private var setsClock: Bool { !written.intersection(.clock).isEmpty }

  /// The values as the render process knows them.
  final var committedValues: LayerValues {
    var values = modelValues
    rendered?.overwritten.restore(in: &values)
    return values
  }

  /// One of the committed values.
  final func committedValue(of property: StoredProperty) -> AnimationValue {
    guard let rendered, rendered.overwritten.properties.contains(property) else {
      return modelValues.value(of: property)
    }
    return rendered.overwritten.value(of: property) ?? .none
  }

  /// The backing store or image with the given ID, among the contents of the layer and its
  /// animations.
  final func contents(_ id: ImageID) -> AnyObject? {
    if let store = contentsStorage as? LayerStore, store.id == id { return store }
    return image(id)
  }

  /// The image with the given ID, among those that the layer or its animations hold.
  final func image(_ id: ImageID) -> CGImage? {
    if let image = contentsStorage as? CGImage, image.id == id { return image }
    if let image = cellImages.first(where: { $0.id == id }) { return image }
    if let image = attachments?.filterImages.first(where: { $0.id == id }) { return image }
    return attachedAnimations.lazy.flatMap(\.images).first { $0.id == id }
  }

  final func setContents(_ contents: Any?) {
    attachments?.waitingDrawing = nil
    let store = contents as? LayerStore
    if let store, store === contentsStorage as? LayerStore { return }
    let image = store?.image ?? contents as? CGImage
    guard image != nil || contents == nil || contents is NSNull else {
      warn("contents of \(debugName) cannot be of type \(type(of: contents!)): it takes a CGImage")
      return
    }
    guard modelValues.contents != image?.id else { return }
    let reaction = reaction(to: .contents)
    noteChange(of: .contents)
    modelValues.contents = image?.id
    contentsStorage = image
    if let reaction { run(reaction, to: .contents) }
  }
}

/// The values of keys that no class declares, while animations change them.
private struct UndefinedValues: AnimationTarget {
  let layer: CALayer
  var changed: [String: AnimationValue] = [:]

  func animationValue(of key: String) -> AnimationValue {
    changed[key] ?? AnimationValue(layer.value(forKey: key) ?? layer.unsetValue(forKey: key))
      ?? .none
  }

  mutating func setAnimationValue(_ value: AnimationValue, of key: String) { changed[key] = value }
}
