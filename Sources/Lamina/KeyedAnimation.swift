import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics

/// An animation of a layer, from being added to its end: what was added, what the render process
/// evaluates, what its delegate is told, and what its transaction waits for.
final class KeyedAnimation {
  let key: String
  /// False where it was added without one; `key` is then one of ours.
  let hasKey: Bool
  @exclusivity(unchecked) private(set) var description: AnimationDescription
  /// Held while the animation lasts.
  let images: [CGImage]
  /// Whether it changes something that the layer draws, which the program then draws at each frame.
  let isDisplayed: Bool
  /// What was added; nil for an implicit animation, of which nobody has seen more than the effect.
  private var added: CAAnimation?

  /// Who has the animation. Not counted: the layer clears it when it lets the animation go.
  unowned(unsafe) var layer: CALayer?
  /// Where the animation was added.
  private let context: ExecutionContext
  /// nil once it has been told of the end.
  private var completion: Completion?
  /// Whether the render process has it, with its begin.
  private(set) var isSent = false
  private(set) var hasStarted = false
  private(set) var isOver = false
  /// Whether it came to its end, and was not removed before.
  private(set) var isFinished = false

  /// When it starts and stops, in seconds of the clock; infinite for never.
  private(set) var start = Double.infinity
  private(set) var stop = Double.infinity

  private init(
    _ description: AnimationDescription, of added: CAAnimation?, images: [CGImage], key: String,
    hasKey: Bool, isDisplayed: Bool, layer: CALayer, in context: ExecutionContext
  ) {
    self.key = key
    self.hasKey = hasKey
    self.description = description
    self.images = images
    self.isDisplayed = isDisplayed
    self.added = added
    self.layer = layer
    self.context = context
  }

  /// An animation that the stack's current transaction waits for.
  convenience init(
    _ description: AnimationDescription, of added: CAAnimation?, images: [CGImage], key: String,
    hasKey: Bool, isDisplayed: Bool, layer: CALayer, in stack: TransactionStack
  ) {
    self.init(
      description, of: added, images: images, key: key, hasKey: hasKey, isDisplayed: isDisplayed,
      layer: layer, in: stack.context)
    completion = stack.completion()
    completion?.enter()
  }

  /// The same animation, to be sent once more. No transaction waits for it.
  convenience init(again old: KeyedAnimation, of layer: CALayer) {
    self.init(
      old.description, of: old.animation, images: old.images, key: old.key, hasKey: old.hasKey,
      isDisplayed: old.isDisplayed, layer: layer, in: TransactionStack.current.context)
  }

  // Where the layer goes, its animations go with it, and are waited for no more.
  deinit { if completion != nil { context.call(stopWaiting()) } }

  /// The animation as it was added; with its begin, once it is sent.
  var animation: CAAnimation {
    if let added { return added }
    let made = CABasicAnimation(description) { id in self.images.first { $0.id == id } }
    added = made
    return made
  }

  var isTransition: Bool { added is CATransition }

  /// Nobody waits for the animation any more; returns whom to tell.
  func stopWaiting() -> [() -> Void] {
    defer { completion = nil }
    return completion?.leave() ?? []
  }

  /// The client's own evaluation; nil until the animation is sent. Made where somebody asks what is
  /// on screen.
  var track: AnimationTrack<StoredProperty>? { tracks?.stored }
  /// The same for keys that no class of ours declares; nil where there are none.
  var undefinedTrack: AnimationTrack<String>? { tracks?.undefined }

  private var tracks: Tracks? {
    guard isSent, let layer else { return nil }
    if madeTracks == nil { madeTracks = Tracks(description, of: type(of: layer).kind) }
    return madeTracks
  }
  private var madeTracks: Tracks?

  private final class Tracks {
    let stored: AnimationTrack<StoredProperty>
    let undefined: AnimationTrack<String>?

    init(_ description: AnimationDescription, of kind: LayerKind) {
      stored = AnimationTrack(description) { kind.property(key: $0) }
      let others = AnimationTrack<String>(description) {
        KeyedAnimation.isPlainKey($0) && kind.property(key: $0) == nil ? $0 : nil
      }
      undefined = others.isEmpty ? nil : others
    }
  }

  /// Whether a key path names no part of what is under a key.
  static func isPlainKey(_ keyPath: String) -> Bool { PropertyPath(keyPath)?.part == nil }

  /// The animation goes to the screen. Fixes the begin: `layerTime` for an animation that says 0.
  func stamp(at layerTime: Double) {
    if description.timing.beginTime == 0 {
      // A layer's time may be infinite, a begin is a number.
      let most = Double.greatestFiniteMagnitude
      description.timing.beginTime = min(max(layerTime, -most), most)
      added?.beginTime = description.timing.beginTime
    } else if let layer {
      layer.rendered?.tree.clock.reportForeign(description.timing.beginTime, in: layer)
    }
    isSent = true
    schedule()
  }

  /// Works out when the animation, with the begin that it was given, starts and stops.
  func schedule() {
    guard let layer else { return }
    let timing = description.timing
    let span = layer.clockTimes(ofLocal: timing.beginTime, timing.endTime)
    (start, stop) = (span.first, span.last)
  }

  /// What is due next.
  var next: Double { isOver ? .infinity : hasStarted ? stop : start }

  /// Whether somebody is told of the begin.
  var isHeeded: Bool { added?.delegate != nil }

  /// The animation began; returns whom to tell.
  func begin() -> [() -> Void] {
    guard !hasStarted else { return [] }
    hasStarted = true
    guard let animation = added, let delegate = animation.delegate else { return [] }
    return [{ delegate.animationDidStart(animation) }]
  }

  /// Ends the animation of a layer that has come into no tree: it starts and stops at once.
  func endOutsideTree() {
    guard !isSent, !isOver else { return }
    let layer = layer
    if description.timing.beginTime == 0 {
      let now = MediaClock.ambient.time
      added?.beginTime = layer?.localTime(at: now, by: \.modelTiming) ?? now
    }
    let started = begin()
    let end = end(finished: false)
    layer?.dropUnplaced(self)
    for callback in started + end.delegate + end.blocks { callback() }
  }

  /// The animation is over; returns whom to tell: the blocks that waited for it, and the delegate
  /// after them.
  func end(finished: Bool) -> (blocks: [() -> Void], delegate: [() -> Void]) {
    guard !isOver else { return ([], []) }
    isOver = true
    isFinished = finished
    let blocks = stopWaiting()
    guard let animation = added, let delegate = animation.delegate else { return (blocks, []) }
    return (blocks, [{ delegate.animationDidStop(animation, finished: finished) }])
  }
}

extension CALayer {
  /// The moments of the clock at which the layer's time passes `begin` and `end`, in the order in
  /// which they come. Under a stopped clock both are now or never.
  fileprivate final func clockTimes(
    ofLocal begin: Double, _ end: Double
  ) -> (first: Double, last: Double) {
    var timings: [MediaTiming] = []  // Takes no memory while it is empty.
    var layer: CALayer? = self
    while let current = layer {
      if let timing = current.committedTiming { timings.append(timing) }
      layer = current.superlayerStorage
    }
    guard timings.allSatisfy({ $0.speed != 0 }) else {
      let now = timings.reversed().reduce(0) { $1.localTime(at: $0) }
      return (now >= begin ? -.infinity : .infinity, now >= end ? -.infinity : .infinity)
    }
    func atRoot(_ time: Double) -> Double {
      time.isFinite ? timings.reduce(time) { $1.parentTime(at: $0) } : time
    }
    let (first, last) = (atRoot(begin), atRoot(end))
    // Where time runs backwards, an animation starts at its end.
    let isBackwards = timings.count { $0.speed < 0 } % 2 == 1
    return isBackwards ? (end.isFinite ? last : -.infinity, first) : (first, last)
  }
}
