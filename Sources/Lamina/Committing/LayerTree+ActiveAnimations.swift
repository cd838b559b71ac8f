import LaminaAnimation

/// A tree's animations on screen, and the time at which the next of them starts or stops.
struct AnimationRuns {
  private var animations: [AttachedAnimation] = []
  /// The clock time of the next event. Everything due before it has been handled.
  private(set) var next = Double.infinity
  /// Whether layer timing changed since the animations' start and stop times were computed.
  private var isStale = false

  /// A start or a stop that is due.
  struct Event {
    let time: Double
    let stops: Bool
    let animation: AttachedAnimation
  }

  mutating func add(_ animation: AttachedAnimation) {
    animations.append(animation)
    next = min(next, animation.next)
  }

  /// Notes that the timing or the nesting of layers changed.
  mutating func noteTimingChange() { if !animations.isEmpty { isStale = true } }

  /// Removes and returns the starts and stops due by a clock time, in the order of their times.
  mutating func due(at now: Double, in tree: LayerTree) -> [Event] {
    if isStale { scheduleAll() }
    guard next <= now else { return [] }
    var starts: [Event] = []
    var stops: [Event] = []
    var left: [AttachedAnimation] = []
    next = .infinity
    for animation in animations {
      guard let layer = animation.layer, layer.rendered?.tree === tree else { continue }
      if animation.isOver {
        guard animation.isFinished else { continue }
        // An animation still shows exactly at its end.
        if animation.stop >= now {
          left.append(animation)
          next = min(next, animation.stop.nextUp)
        } else {
          layer.removeFinished(animation)
        }
        continue
      }
      let (start, stop) = (animation.start, animation.stop)
      if !animation.hasStarted, start <= now, animation.hasDelegate {
        starts.append(Event(time: start, stops: false, animation: animation))
      }
      if stop <= now { stops.append(Event(time: stop, stops: true, animation: animation)) }
      if stop < now { continue }
      left.append(animation)
      next = min(next, start > now ? start : stop > now ? stop : now.nextUp)
    }
    animations = left
    // At equal times, starts come before stops, each in the order of adding: the sort is stable.
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
  /// Notes that the committed timing of a layer changed.
  func noteTimingChange(of layer: CALayer) {
    runs.noteTimingChange()
    let timing = layer.modelValues.timing.mediaTiming
    clock.reportForeign(timing.beginTime, in: layer)
    clock.reportForeign(timing.timeOffset, in: layer)
  }

  /// Calls the delegates and completion blocks of animations that started or stopped by now, and
  /// removes finished animations.
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
      // For animations that end at the same time, completion blocks come before delegates.
      if place + 1 == due.count || due[place + 1].time != event.time {
        callbacks += stopped
        stopped = []
      }
    }
    call(callbacks)
    scheduleWaking()
  }

  /// Runs app code with the tree's clock as its media time.
  func onClock<Result>(_ body: () throws -> Result) rethrows -> Result {
    try MediaClock.$current.withValue(clock, operation: body)
  }

  private func onClock(_ callbacks: [() -> Void]) -> () -> Void {
    { [clock] in
      MediaClock.$current.withValue(clock) { for callback in callbacks { callback() } }
    }
  }

  /// Makes the callbacks after the next frame, or, if called on the main queue, in its next turn.
  func callLater(_ callbacks: [() -> Void]) {
    let context = TransactionStack.current.context
    guard !callbacks.isEmpty else { return }
    if context === ExecutionContext.main {
      context.call([onClock(callbacks)])
    } else {
      lateCallbacks += callbacks
    }
  }

  /// Makes the callbacks in the context that committed the tree: at once, unless that is the main
  /// queue and this is another thread. Other threads, such as those of a pool, have no turn to wait
  /// for.
  func call(_ callbacks: [() -> Void]) {
    guard !callbacks.isEmpty else { return }
    let call = onClock(callbacks)
    guard let owner, owner === ExecutionContext.main, !ExecutionContext.isMain else {
      return call()
    }
    owner.call([call])
  }

  /// Schedules, on the host's clock, the handling of the next start or stop and the next drawing of
  /// contents.
  func scheduleWaking() {
    guard !clock.isManual else { return }
    let now = clock.time
    let draws = drawsContents(at: now) || awaitsImages
    let next = draws ? min(runs.next, now + Self.drawingInterval) : runs.next
    guard next < wakingTime, let owner, owner === TransactionStack.current.context else { return }
    wakingTime = next
    owner.perform(after: max(0, next - now)) { [reference] in reference.tree?.wake() }
  }

  private static let drawingInterval = 1.0 / 60

  private func wake() {
    wakingTime = .infinity
    followAnimations()
    // If the server failed, the renderer reports it at its next frame.
    if drawContents(at: clock.time) { _ = try? commitContents() }
    scheduleWaking()
  }
}
