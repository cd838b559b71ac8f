import Foundation
import LaminaValues
import Synchronization

/// What time it is for layers: seconds that go on by themselves, or that the program sets.
public final class MediaClock: Sendable {
  /// The system's monotonic clock.
  public static let host = MediaClock(nil)

  /// A clock that stands until its `time` is set, or a renderer draws a frame of another time: then
  /// delegates of animations and completion blocks are called whose time has come.
  public static func manual(time: CFTimeInterval = 0) -> MediaClock { MediaClock(time) }

  /// The clock that `CACurrentMediaTime()` reads in this task; nil for the system's.
  @TaskLocal public static var current: MediaClock?

  /// Whether the program sets the time.
  public let isManual: Bool
  private let manualTime: Mutex<Double>
  /// The trees whose animations follow the clock.
  private let trees = Mutex<[LayerTree.Reference]>([])

  /// The display links that frames of a manual clock call.
  private let links = Mutex<[Link]>([])

  private struct Link: @unchecked Sendable { let link: CADisplayLink }

  private init(_ time: Double?) {
    if let time { Self.requireFinite(time) }
    isManual = time != nil
    manualTime = Mutex(time ?? 0)
  }

  /// Now, in seconds. Only a manual clock can be set.
  public var time: CFTimeInterval {
    get { isManual ? manualTime.withLock { $0 } : Self.monotonicTime }
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

  /// A frame of that time is about to be made.
  func callLinks(forFrameAt target: Double) {
    guard isManual else { return }
    let now = time
    for link in links.withLock({ $0 }) { link.link.noteFrame(at: target, now: now) }
  }

  func add(_ reference: LayerTree.Reference) {
    trees.withLock { trees in
      trees.removeAll { $0.tree == nil }
      trees.append(reference)
    }
  }

  /// Has the animations of trees that are used here, or on the main queue, follow.
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

  private static var monotonicTime: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }
}

/// Seconds of the task's `MediaClock.current`, or of the system's monotonic clock.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func CACurrentMediaTime() -> CFTimeInterval { (MediaClock.current ?? .host).time }
