import LaminaAnimation

/// The animations that a tree has on screen, and when the next of them starts or stops.
struct AnimationRuns {
  private var animations: [KeyedAnimation] = []
  /// Of the clock. What is due before that has been dealt with.
  private(set) var next = Double.infinity
  /// Whether times changed since the animations' own were worked out.
  private var isStale = false

  /// A start or a stop that is due.
  struct Event {
    let time: Double
    let stops: Bool
    let animation: KeyedAnimation
  }

  mutating func add(_ animation: KeyedAnimation) {
    animations.append(animation)
    next = min(next, animation.next)
  }

  /// The timing of layers changed, or which layer is in which.
  mutating func noteTimingChange() { if !animations.isEmpty { isStale = true } }

  /// Takes what has started or stopped by a time of the clock, in the order of their times: each
  /// with the moment at which it did.
  mutating func due(at now: Double, in tree: LayerTree) -> [Event] {
    if isStale { scheduleAll() }
    guard next <= now else { return [] }
    var starts: [Event] = []
    var stops: [Event] = []
    var left: [KeyedAnimation] = []
    next = .infinity
    for animation in animations {
      guard let layer = animation.layer, layer.rendered?.tree === tree else { continue }
      if animation.isOver {
        guard animation.isFinished else { continue }
        // At its very end an animation still shows.
        if animation.stop >= now {
          left.append(animation)
          next = min(next, animation.stop.nextUp)
        } else {
          layer.removeFinished(animation)
        }
        continue
      }
      let (start, stop) = (animation.start, animation.stop)
      if !animation.hasStarted, start <= now, animation.isHeeded {
        starts.append(Event(time: start, stops: false, animation: animation))
      }
      if stop <= now { stops.append(Event(time: stop, stops: true, animation: animation)) }
      if stop < now { continue }
      left.append(animation)
      next = min(next, start > now ? start : stop > now ? stop : now.nextUp)
    }
    animations = left
    // In the order of adding where times are equal, and starts before stops: sorting keeps it.
    return (starts + stops).sorted { $0.time < $1.time }
  }

  private mutating func scheduleAll() {
    isStale = false
    next = .infinity
    for animation in animations {
      if animation.isFinished { next = min(next, animation.stop.nextUp) }
      guard !animation.isOver, animation.layer != nil else { continue }
      animation.schedule()
      next = min(next, animation.next)
    }
  }
}

extension LayerTree {
  /// The committed timing of a layer changed.
  func noteTimingChange(of layer: CALayer) {
    runs.noteTimingChange()
    let timing = layer.modelValues.timing.mediaTiming
    clock.reportForeign(timing.beginTime, in: layer)
    clock.reportForeign(timing.timeOffset, in: layer)
  }

  /// Tells those concerned what of the animations has started and stopped by now, and takes away
  /// what is over.
  func followAnimations() {
    let now = clock.time
    let due = runs.due(at: now, in: self)
    var callbacks = lateCallbacks
    lateCallbacks = []
    var stopped: [() -> Void] = []
    for (place, event) in due.enumerated() {
      callbacks += event.animation.begin()
      if event.stops {
        let end = event.animation.end(finished: true)
        if event.time < now { event.animation.layer?.removeFinished(event.animation) }
        callbacks += end.blocks
        stopped += end.delegate
      }
      // Of what ends together, completion blocks come before delegates.
      if place + 1 == due.count || due[place + 1].time != event.time {
        callbacks += stopped
        stopped = []
      }
    }
    call(callbacks)
    scheduleWaking()
  }

  /// Runs the program's code: to it, the tree's clock tells the time.
  func onClock<Result>(_ body: () throws -> Result) rethrows -> Result {
    try MediaClock.$current.withValue(clock, operation: body)
  }

  private func onClock(_ callbacks: [() -> Void]) -> () -> Void {
    { [clock] in
      MediaClock.$current.withValue(clock) { for callback in callbacks { callback() } }
    }
  }

  /// Has these called after the next frame, or in the next turn of the main queue where that is
  /// where the tree belongs.
  func callLater(_ callbacks: [() -> Void]) {
    let context = TransactionStack.current.context
    guard !callbacks.isEmpty else { return }
    if context === ExecutionContext.main {
      context.call([onClock(callbacks)])
    } else {
      lateCallbacks += callbacks
    }
  }

  /// Calls back in the context that committed the tree, at once where this is it. The threads of a
  /// thread pool are no context of anybody's: there it is at once as well.
  func call(_ callbacks: [() -> Void]) {
    guard !callbacks.isEmpty else { return }
    let call = onClock(callbacks)
    guard let owner, owner === ExecutionContext.main, !ExecutionContext.isMain else {
      return call()
    }
    owner.call([call])
  }

  /// On the host's clock the next start or stop comes by itself, and so does the next drawing of
  /// what the program itself draws at each frame.
  func scheduleWaking() {
    guard !clock.isManual else { return }
    let now = clock.time
    let next = drawsAnimations(at: now) ? min(runs.next, now + Self.drawingInterval) : runs.next
    guard next < wakingTime, let owner, owner === TransactionStack.current.context else { return }
    wakingTime = next
    owner.perform(after: max(0, next - now)) { [reference] in reference.tree?.wake() }
  }

  private static let drawingInterval = 1.0 / 60

  private func wake() {
    wakingTime = .infinity
    followAnimations()
    // A renderer whose server failed says so at its next frame.
    if drawAnimations(at: clock.time) { _ = try? commit() }
    scheduleWaking()
  }
}
