import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaGraphics

/// An animation on a layer, from when it is added until it ends. Links the object that was added,
/// the description that the render process evaluates, the delegate, and the transaction that waits
/// for the end.
final class AttachedAnimation {
  let key: String
  /// False if it was added without a key; `key` is then one that Lamina made up.
  let hasKey: Bool
  @exclusivity(unchecked) private(set) var description: AnimationDescription
  /// Kept alive as long as the animation.
  let images: [CGImage]
  /// Whether it changes something that the layer draws itself, so that the app has to redraw the
  /// layer for each frame.
  let isDisplayed: Bool
  /// The animation that was added; nil for an implicit animation until `animation` is read.
  private var added: CAAnimation?

  /// The layer that owns the animation. Not reference-counted: the layer clears it when it lets go
  /// of the animation.
  unowned(unsafe) var layer: CALayer?
  /// The execution context in which the animation was added.
  private let context: ExecutionContext
  /// The completion that waits for the animation; nil once it no longer does.
  private var completion: Completion?
  /// Whether it was sent to the render process, with its begin time.
  private(set) var isSent = false
  private(set) var hasStarted = false
  private(set) var isOver = false
  /// Whether it ran to its end instead of being removed before.
  private(set) var isFinished = false

  /// When it starts and stops, in seconds of the media clock; infinite for never.
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

  /// The same animation, to be sent again. No transaction waits for it.
  convenience init(again old: AttachedAnimation, of layer: CALayer) {
    self.init(
      old.description, of: old.animation, images: old.images, key: old.key, hasKey: old.hasKey,
      isDisplayed: old.isDisplayed, layer: layer, in: TransactionStack.current.context)
  }

  // When the layer goes away, so do its animations, and transactions stop waiting for them.
  deinit { if completion != nil { context.call(stopWaiting()) } }

  /// The animation as it was added; once it is sent, with its actual begin time.
  var animation: CAAnimation {
    if let added { return added }
    let made = CABasicAnimation(description) { id in self.images.first { $0.id == id } }
    added = made
    return made
  }

  var isTransition: Bool { added is CATransition }

  /// Stops the transaction's wait for this animation. Returns the completion blocks to call.
  func stopWaiting() -> [() -> Void] {
    defer { completion = nil }
    return completion?.leave() ?? []
  }

  /// The animation prepared for evaluation in this process; nil until it is sent. Made on first
  /// use, for presentation values.
  var track: AnimationTrack<StoredProperty>? { tracks?.stored }
  /// The same for keys that no Lamina class declares; nil if there are none.
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
        AttachedAnimation.isPlainKey($0) && kind.property(key: $0) == nil ? $0 : nil
      }
      undefined = others.isEmpty ? nil : others
    }
  }

  /// Whether a key path is a whole key and names no part of its value.
  static func isPlainKey(_ keyPath: String) -> Bool { PropertyPath(keyPath)?.part == nil }

  /// Prepares the animation for sending. A begin time of 0 becomes `layerTime`.
  func stamp(at layerTime: Double) {
    if description.timing.beginTime == 0 {
      // A layer's time may be infinite; a begin time must be finite.
      let most = Double.greatestFiniteMagnitude
      description.timing.beginTime = min(max(layerTime, -most), most)
      added?.beginTime = description.timing.beginTime
    } else if let layer {
      layer.rendered?.tree.clock.reportForeign(description.timing.beginTime, in: layer)
    }
    isSent = true
    schedule()
  }

  /// Computes the clock times at which the animation starts and stops.
  func schedule() {
    guard let layer else { return }
    let timing = description.timing
    let span = layer.clockTimes(ofLocal: timing.beginTime, timing.endTime)
    (start, stop) = (span.first, span.last)
  }

  /// Clock time of the next event, start or stop; infinite after both.
  var next: Double { isOver ? .infinity : hasStarted ? stop : start }

  /// Whether the animation has a delegate.
  var hasDelegate: Bool { added?.delegate != nil }

  /// Marks the animation as begun. Returns the delegate calls to make.
  func begin() -> [() -> Void] {
    guard !hasStarted else { return [] }
    hasStarted = true
    guard let animation = added, let delegate = animation.delegate else { return [] }
    return [{ delegate.animationDidStart(animation) }]
  }

  /// Ends the animation of a layer that did not enter a tree: it starts and stops at once.
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

  /// Marks the animation as over. Returns the calls to make: first the completion blocks that
  /// waited for it, then the delegate.
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
  /// The clock times at which the layer's local time passes `begin` and `end`, earlier one first.
  /// If the layer or an ancestor has speed 0, a time already reached gives -infinity, any other
  /// infinity.
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
    // If local time runs backwards, an animation starts at its end.
    let isBackwards = timings.count { $0.speed < 0 } % 2 == 1
    return isBackwards ? (end.isFinite ? last : -.infinity, first) : (first, last)
  }
}
