import LaminaAnimation

/// The animations that a tree has on screen, and when the next of them starts or stops.
struct AnimationRuns {
  private var runs: [AnimationRun] = []
  /// Of the clock. What is due before that has been dealt with.
  private(set) var next = Double.infinity
  /// Whether times changed since the runs' own were worked out.
  private var isStale = false

  mutating func add(_ run: AnimationRun) {
    runs.append(run)
    next = min(next, run.next)
  }

  /// The timing of layers changed, or which layer is in which.
  mutating func noteTimingChange() { if !runs.isEmpty { isStale = true } }

  /// Takes what has started or stopped by a time of the clock, in the order of their times: each
  /// with the moment at which it did.
  mutating func due(
    at now: Double, in tree: LayerTree
  ) -> [(time: Double, run: AnimationRun, stops: Bool)] {
    if isStale { scheduleAll() }
    guard next <= now else { return [] }
    var due: [(time: Double, run: AnimationRun, stops: Bool)] = []
    var left: [AnimationRun] = []
    next = .infinity
    for run in runs where run.layer?.rendered?.tree === tree {
      if run.isOver {
        guard run.isFinished else { continue }
        // At its very end an animation still shows.
        if run.stop >= now {
          left.append(run)
          next = min(next, run.stop.nextUp)
        } else {
          run.layer?.removeFinished(run)
        }
        continue
      }
      if !run.hasStarted, run.start <= now { due.append((run.start, run, false)) }
      if run.stop <= now { due.append((run.stop, run, true)) }
      if run.stop < now { continue }
      left.append(run)
      next = min(next, run.start > now ? run.start : run.stop > now ? run.stop : now.nextUp)
    }
    runs = left
    // In the order of adding where times are equal, and starts before stops.
    return due.enumerated().sorted { a, b in
      (a.element.time, a.element.stops ? 1 : 0, a.offset)
        < (b.element.time, b.element.stops ? 1 : 0, b.offset)
    }.map(\.element)
  }

  private mutating func scheduleAll() {
    isStale = false
    next = .infinity
    for run in runs {
      if run.isFinished { next = min(next, run.stop.nextUp) }
      guard !run.isOver,
        let keyed = run.layer?.keyedAnimations.first(where: { $0.run === run }), keyed.isSent
      else { continue }
      run.schedule(keyed.description.timing)
      next = min(next, run.next)
    }
  }
}

extension LayerTree {
  /// Tells those concerned what of the animations has started and stopped by now, and takes away
  /// what is over.
  func followAnimations() {
    let now = clock.time
    let due = runs.due(at: now, in: self)
    var callbacks = lateCallbacks
    lateCallbacks = []
    var stopped: [() -> Void] = []
    for (place, event) in due.enumerated() {
      callbacks += event.run.begin()
      if event.stops {
        let end = event.run.end(finished: true)
        if event.time < now { event.run.layer?.removeFinished(event.run) }
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

  /// Has these called after the next frame, or in the next turn of the main queue where that is
  /// where the tree belongs.
  func callLater(_ callbacks: [() -> Void]) {
    let context = TransactionStack.current.context
    if context === ExecutionContext.main {
      context.call(callbacks)
    } else {
      lateCallbacks += callbacks
    }
  }

  /// Calls back in the context that committed the tree, at once where this is it. The threads of a
  /// thread pool are no context of anybody's: there it is at once as well.
  func call(_ callbacks: [() -> Void]) {
    guard let owner, owner === ExecutionContext.main, !ExecutionContext.isMain else {
      for callback in callbacks { callback() }
      return
    }
    owner.call(callbacks)
  }

  /// On the host's clock the next start or stop comes by itself, and so does the next drawing of
  /// what the program itself draws at each frame.
  func scheduleWaking() {
    guard !clock.isManual else { return }
    let now = clock.time
    let next = drawsAnimations(at: now) ? min(runs.next, now + Self.drawingInterval) : runs.next
    guard next < wakingTime, let owner, owner === TransactionStack.current.context else { return }
    wakingTime = next
    owner.perform(after: max(0, next - now)) { [weak self] in self?.wake() }
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
