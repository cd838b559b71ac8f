import Dispatch
import Foundation
import LaminaValues

/// Calls a closure for every frame, in time to change what the frame shows.
///
/// On the host's clock the calls are timed, 60 a second by default. On a manual clock they follow
/// the frames that renderers with that clock are asked for: the link calls before each frame is
/// committed, on the thread that asks. Apple's links have a target and a selector; Linux has no
/// selectors, so here they have a closure.
open class CADisplayLink: NSObject {
  /// The clock's time at the call, in seconds, which stands for the time of the last frame. 0
  /// before the first call.
  open private(set) var timestamp: CFTimeInterval = 0
  /// The clock's time, in seconds, of the frame that the call can still change. 0 before the first
  /// call.
  open private(set) var targetTimestamp: CFTimeInterval = 0
  /// The time between two frames, in seconds. 0 before the first call.
  open private(set) var duration: CFTimeInterval = 0
  /// Whether the calls are suspended. Default: false.
  open var isPaused = false

  /// How often to call, at most once per frame. Default: `default`, every frame.
  open var preferredFrameRateRange = CAFrameRateRange.default {
    didSet { if preferredFrameRateRange != oldValue { restart() } }
  }

  /// The older form of `preferredFrameRateRange`: 0 stands for every frame. Default: 0.
  open var preferredFramesPerSecond: Int {
    get { Int(clamping: Int64(Double(preferredFrameRateRange.preferred ?? 0).rounded())) }
    set {
      let rate = Float(max(0, newValue))
      preferredFrameRateRange =
        rate == 0 ? .default : CAFrameRateRange(minimum: rate, maximum: rate, preferred: rate)
    }
  }

  private let clock: MediaClock
  private let handler: (CADisplayLink) -> Void
  private var places: [(loop: RunLoop, modes: [RunLoop.Mode], timer: Timer?)] = []
  private var mainTimer: (any DispatchSourceTimer)?
  private var isValid = true

  /// Makes a link that calls `handler` once it is added to a run loop. It follows `clock`; by
  /// default the task's `MediaClock.current`, else `MediaClock.default`, else the host's clock.
  public init(clock: MediaClock? = nil, _ handler: @escaping (CADisplayLink) -> Void) {
    self.clock = clock ?? .ambient
    self.handler = handler
  }

  /// Linux has no selectors.
  @available(
    *, unavailable,
    message: "Linux has no selectors: write CADisplayLink { [weak self] link in self?.step(link) }"
  )
  public init(target: Any, selector: Any) {
    programmerError("CADisplayLink has no target and no selector on Linux")
  }

  /// Starts the calls in a run loop. Calls in the main run loop come through the main queue, so
  /// they come even if no run loop runs. On a manual clock the choice of run loop has no effect.
  open func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) {
    guard isValid else { return }
    if let place = places.firstIndex(where: { $0.loop === runloop }) {
      if !places[place].modes.contains(mode) {
        places[place].modes.append(mode)
        if let timer = places[place].timer { runloop.add(timer, forMode: mode) }
      }
      return
    }
    places.append((runloop, [mode], nil))
    if clock.isManual {
      clock.add(self)
    } else {
      start(places.count - 1)
    }
  }

  /// Ends the calls in a run loop and mode.
  open func remove(from runloop: RunLoop, forMode mode: RunLoop.Mode) {
    guard let place = places.firstIndex(where: { $0.loop === runloop }) else { return }
    places[place].modes.removeAll { $0 == mode }
    stop(place)
    if places[place].modes.isEmpty {
      places.remove(at: place)
    } else if !clock.isManual {
      start(place)
    }
    if places.isEmpty { clock.remove(self) }
  }

  /// Ends the calls for good.
  open func invalidate() {
    isValid = false
    for place in places.indices { stop(place) }
    places = []
    clock.remove(self)
  }

  // MARK: On the host's clock

  private static let standardRate = 60.0

  private var interval: Double {
    let range = preferredFrameRateRange
    let wanted = Double(range.preferred ?? range.maximum)
    return 1 / (wanted > 0 ? min(max(wanted, 1), 240) : Self.standardRate)
  }

  private func start(_ place: Int) {
    let loop = places[place].loop
    if loop === RunLoop.main {
      let timer = DispatchSource.makeTimerSource(queue: .main)
      timer.schedule(deadline: .now() + interval, repeating: interval)
      nonisolated(unsafe) let link = self
      timer.setEventHandler { link.tick() }
      timer.resume()
      mainTimer = timer
    } else {
      nonisolated(unsafe) let link = self
      let timer = Timer(timeInterval: interval, repeats: true) { _ in link.tick() }
      for mode in places[place].modes { loop.add(timer, forMode: mode) }
      places[place].timer = timer
    }
  }

  private func stop(_ place: Int) {
    if places[place].loop === RunLoop.main {
      mainTimer?.cancel()
      mainTimer = nil
    }
    places[place].timer?.invalidate()
    places[place].timer = nil
  }

  private func restart() {
    guard !clock.isManual else { return }
    for place in places.indices {
      stop(place)
      start(place)
    }
  }

  private func tick() {
    let now = clock.time
    call(from: now, to: now + interval)
  }

  // MARK: Frames

  /// Notes that a frame for the time `target` is about to be made while the clock's time is `now`.
  func noteFrame(at target: Double, now: Double) {
    guard duration == 0 || target != targetTimestamp else { return }
    // Half a millisecond early counts as on time.
    let range = preferredFrameRateRange
    let isWanted =
      duration == 0 || range == .default || target < targetTimestamp
      || target - targetTimestamp > interval - 0.0005
    if isWanted { call(from: now, to: target) }
  }

  private func call(from now: Double, to target: Double) {
    guard isValid, !isPaused else { return }
    timestamp = now
    targetTimestamp = target
    duration = target > now ? target - now : interval
    handler(self)
  }
}
