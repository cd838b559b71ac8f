import Foundation
import LaminaValues

/// The source of time for layers, in seconds: the system's clock, or a manual clock that the app
/// sets.
public final class MediaClock: Sendable {
  /// The system's monotonic clock.
  public static let host = MediaClock(nil)

  /// A clock that stands still until its `time` is set or a renderer draws a frame for another
  /// time. The animation delegates and completion blocks that are due then are called.
  public static func manual(time: CFTimeInterval = 0) -> MediaClock { MediaClock(time) }

  /// The clock that `CACurrentMediaTime()` and layers in no tree read in this task, in preference
  /// to `default`. In a renderer's callbacks it is the renderer's clock. Default: nil.
  @TaskLocal public static var current: MediaClock?

  /// The app's clock, used by `CACurrentMediaTime()`, by layers in no tree, and by renderers made
  /// without a clock. If nil, the first two use the system's clock, and each such renderer gets a
  /// manual clock of its own. Default: nil.
  public static var `default`: MediaClock? {
    get { standard.withLock { $0 } }
    set { standard.withLock { $0 = newValue } }
  }

  private static let standard = Lock<MediaClock?>(nil)

  /// The clock that applies outside of trees.
  static var ambient: MediaClock { current ?? `default` ?? .host }

  /// Whether the app sets the time.
  public let isManual: Bool
  private let manualTime: Lock<Double>
  /// The trees whose animations follow the clock.
  private let trees = Lock<[LayerTree.Reference]>([])

  /// The display links to call before frames, if the clock is manual.
  private let links = Lock<[Link]>([])

  private struct Link: @unchecked Sendable { let link: CADisplayLink }

  private init(_ time: Double?) {
    if let time { Self.requireFinite(time) }
    isManual = time != nil
    manualTime = Lock(time ?? 0)
  }

  /// The current time, in seconds. Only a manual clock can be set, to a finite time.
  public var time: CFTimeInterval {
    get { isManual ? manualTime.withLock { $0 } : MonotonicTime.seconds }
    set {
      Self.requireFinite(newValue)
      guard isManual else { programmerError("the host's clock cannot be set to \(newValue)") }
      manualTime.withLock { $0 = newValue }
      tellTrees()
    }
  }

  private static func requireFinite(_ time: CFTimeInterval) {
    guard time.isFinite else { programmerError("a clock's time cannot be \(time)") }
  }

  func add(_ link: CADisplayLink) {
    let link = Link(link: link)
    links.withLock { $0.append(link) }
  }

  func remove(_ link: CADisplayLink) {
    let link = Link(link: link)
    links.withLock { links in links.removeAll { $0.link === link.link } }
  }

  /// Calls the display links for a frame that is about to be made.
  func callLinks(forFrameAt target: Double) {
    guard isManual else { return }
    let now = time
    Self.$current.withValue(self) {
      for link in links.withLock({ $0 }) { link.link.noteFrame(at: target, now: now) }
    }
  }

  func add(_ reference: LayerTree.Reference) {
    trees.withLock { trees in
      trees.removeAll { $0.tree == nil }
      trees.append(reference)
    }
  }

  /// Updates the animations of the trees that belong to this context or to the main queue.
  private func tellTrees() {
    for reference in trees.withLock({ $0 }) {
      guard let tree = reference.tree, let owner = tree.owner else { continue }
      if owner === TransactionStack.current.context {
        tree.followAnimations()
      } else if owner === ExecutionContext.main {
        owner.call([{ reference.tree?.followAnimations() }])
      }
    }
  }

  /// Whether a layer's time was probably taken from the system's clock by mistake: this clock is
  /// manual and more than a minute from the system's, and the time is within an hour of the
  /// system's and nearer to it than to this one.
  func isForeign(_ time: Double, hostTime: Double = MonotonicTime.seconds) -> Bool {
    let distance = abs(time - hostTime)
    return isManual && distance < 3600 && distance < abs(time - self.time)
      && abs(self.time - hostTime) > 60
  }

  /// Warns, once, if a layer's time was probably taken from the system's clock, since it is then
  /// never reached.
  func reportForeign(_ time: Double, in layer: CALayer) {
    guard isForeign(time) else { return }
    warn(
      "\(layer.debugName) has the time \(time) of the host's clock, while its renderer has a manual "
        + "clock at \(self.time): set MediaClock.default, or add to the renderer's clock.time",
      onceFor: "clock")
  }
}

/// The current time, in seconds, of the task's `MediaClock.current`, else of `MediaClock.default`,
/// else of the system's monotonic clock.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CACurrentMediaTime() -> CFTimeInterval { MediaClock.ambient.time }
