import Dispatch
import Foundation
import LaminaValues

/// Calls back for every frame, in time to change what it shows.
///
/// On the host's clock frames come by themselves, 60 a second unless told otherwise. On a manual
/// clock they are the frames that renderers of that clock are asked for: the link is called before
/// each of them is committed, by the thread that asks. Apple's links have a target and a selector;
/// Linux has no selectors, so that here they have a closure.
public final class CADisplayLink: NSObject {
  /// When the last frame before the call was due, in seconds of the clock; on a manual clock, its
  /// time until now. 0 before the first call.
  public private(set) var timestamp: CFTimeInterval = 0
  /// When the frame that the call can still change will be due.
  public private(set) var targetTimestamp: CFTimeInterval = 0
  /// The seconds between two frames. 0 before the first call.
  public private(set) var duration: CFTimeInterval = 0
  /// Whether calls are left out. Default: false.
  public var isPaused = false

  /// How often to call, as far as frames come so often. Default: `default`, every frame.
  public var preferredFrameRateRange = CAFrameRateRange.default {
    didSet { if preferredFrameRateRange != oldValue { restart() } }
  }

  /// The older form of `preferredFrameRateRange`: 0 stands for every frame. Default: 0.
  public var preferredFramesPerSecond: Int {
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

  /// A link that calls `handler` once it is added to a run loop. It follows `clock`: by default the
  /// one that the task has as `MediaClock.current`, else `MediaClock.default`, else the host's.
  public init(clock: MediaClock? = nil, _ handler: @escaping (CADisplayLink) -> Void) {
    self.clock = clock ?? .ambient
    self.handler = handler
  }

  /// Starts the calls, in that run loop. Those in the main one come by way of the main queue, and
  /// so also where no run loop turns. On a manual clock it does not matter which it is.
  public func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) {
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

  /// Ends the calls in that run loop and mode.
  public func remove(from runloop: RunLoop, forMode mode: RunLoop.Mode) {
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
  public func invalidate() {
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

  /// A frame of that time is about to be made, the clock's time being `now`.
  func noteFrame(at target: Double, now: Double) {
    guard duration == 0 || target != targetTimestamp else { return }
    // Half a millisecond early counts as in time.
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
