import Foundation
import LaminaAnimation
import LaminaCommit

/// One animation of one layer, from being added to its end: what its delegate is told, and what its
/// transaction waits for.
final class AnimationRun {
  private(set) weak var layer: CALayer?
  let animation: CAAnimation
  /// Where the animation was added.
  private let context: ExecutionContext
  /// nil once it has been told of the end.
  private var completion: Completion?
  private(set) var hasStarted = false
  private(set) var isOver = false
  /// Whether it came to its end, and was not removed before.
  private(set) var isFinished = false

  /// When it starts and stops, in seconds of the clock; infinite for never.
  private(set) var start = Double.infinity
  private(set) var stop = Double.infinity

  init(_ animation: CAAnimation, of layer: CALayer, in stack: TransactionStack) {
    self.animation = animation
    self.layer = layer
    context = stack.context
    completion = stack.completion()
    completion?.enter()
  }

  // Where the layer goes, its animations go with it, and are waited for no more.
  deinit { context.call(stopWaiting()) }

  /// Nobody waits for the animation any more; returns whom to tell.
  func stopWaiting() -> [() -> Void] {
    defer { completion = nil }
    return completion?.leave() ?? []
  }

  /// What is evaluated, with the begin that it was given.
  private var description: AnimationDescription?
  private var kind = LayerKind.layer
  /// Made where somebody asks what is on screen.
  private(set) lazy var track = description.map { [kind] description in
    AnimationTrack<StoredProperty>(description) { kind.property(key: $0) }
  }
  private(set) lazy var undefinedTrack = description.flatMap { [kind] description in
    let track = AnimationTrack<String>(description) { path in
      KeyedAnimation.isPlainKey(path) && kind.property(key: path) == nil ? path : nil
    }
    return track.isEmpty ? nil : track
  }

  /// The animation goes to the screen. `kind` is its layer's.
  func follow(_ description: AnimationDescription, _ kind: LayerKind) {
    self.description = description
    self.kind = kind
    schedule(description.timing)
  }

  /// Works out when the animation, with the begin that it was given, starts and stops.
  func schedule(_ timing: MediaTiming) {
    guard let layer else { return }
    let span = layer.clockTimes(ofLocal: timing.beginTime, timing.endTime)
    (start, stop) = (span.first, span.last)
  }

  /// What is due next.
  var next: Double { isOver ? .infinity : hasStarted ? stop : start }

  /// The animation began; returns whom to tell.
  func begin() -> [() -> Void] {
    guard !hasStarted else { return [] }
    hasStarted = true
    guard let delegate = animation.delegate else { return [] }
    return [{ [animation] in delegate.animationDidStart(animation) }]
  }

  /// The animation is over; returns whom to tell: the blocks that waited for it, and the delegate
  /// after them.
  func end(finished: Bool) -> (blocks: [() -> Void], delegate: [() -> Void]) {
    guard !isOver else { return ([], []) }
    isOver = true
    isFinished = finished
    let blocks = stopWaiting()
    guard let delegate = animation.delegate else { return (blocks, []) }
    return (
      blocks, [{ [animation] in delegate.animationDidStop(animation, finished: finished) }]
    )
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
      let values = current.committed ?? current.modelValues
      if values.hasOwnTiming { timings.append(values.timing.mediaTiming) }
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
