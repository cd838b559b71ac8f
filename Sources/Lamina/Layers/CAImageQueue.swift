import Foundation
import LaminaValues

/// Passes pictures from whoever makes them, such as a decoder or a camera, to a `CAExternalLayer`,
/// each from a time of the layer's clock on.
///
/// A queue may be used from any thread. It never holds more pictures than its capacity says: of one
/// that is filled faster than frames are made, the oldest go unseen.
public final class CAImageQueue: Sendable {
  fileprivate struct Entry {
    var time: CFTimeInterval
    var pixels: StorePixels
  }

  fileprivate struct State: Sendable {
    var capacity: Int
    /// In the order of their times.
    var waiting: [Entry] = []
    var isCleared = false
    var droppedCount = 0
  }

  private let state: Lock<State>
  private let slots = BufferSlots()

  /// The capacities that a queue may have.
  public static let capacities = 2...16

  /// A queue that holds at most `capacity` pictures. A number that is not in `capacities` stops the
  /// program with a message.
  public init(capacity: Int = 3) {
    state = Lock(State(capacity: Self.checked(capacity)))
  }

  private static func checked(_ capacity: Int) -> Int {
    guard capacities.contains(capacity) else {
      programmerError("a queue of pictures holds \(capacities), not \(capacity)")
    }
    return capacity
  }

  /// The largest number of buffers of `nextBuffer` that exist, the one on screen among them, and of
  /// pictures that wait. Default: 3. A number that is not in `capacities` stops the program with a
  /// message.
  public var capacity: Int {
    get { state.withLock { $0.capacity } }
    set {
      let capacity = Self.checked(newValue)
      state.withLock { $0.capacity = capacity }
    }
  }

  // MARK: The producer's side

  /// A buffer for the next picture; nil if all that the queue may have are waiting or shown, and
  /// none became free within `timeout` seconds. Its contents are arbitrary. Throws as
  /// `CAPixelBuffer.init(width:height:format:)` does.
  ///
  /// Buffers become free as frames are made. So the thread that makes them must not wait here.
  public func nextBuffer(
    width: Int, height: Int, format: CAPixelBuffer.Format = .bgra, timeout: TimeInterval = 0
  ) throws(CAPixelBufferError) -> CAPixelBuffer? {
    guard slots.take(of: capacity, timeout: timeout) else { return nil }
    do throws(CAPixelBufferError) {
      return try CAPixelBuffer(width: width, height: height, format) { [slots] in
        slots.giveBack()
      }
    } catch {
      slots.giveBack()
      throw error
    }
  }

  /// Has a picture shown from `time` on, in seconds of the clock of the renderer that shows the
  /// layer; from its next frame on by default. The picture is not written any more. A frame shows
  /// the last picture that is due, and those before it go unseen, as does the first that waits if
  /// there are more than the capacity.
  public func enqueue(_ buffer: CAPixelBuffer, at time: CFTimeInterval = -.infinity) {
    buffer.noteEnqueued()
    enqueue(.memory(buffer.buffer), at: time)
  }

  /// Has a picture shown that lies in a dma-buf, from `time` on, as with those in memory. `release`
  /// is called, on any thread, when nobody reads the picture any more: neither the render process
  /// nor the device that it draws with. Until then the dma-buf must keep it; afterwards it may be
  /// filled and passed again.
  ///
  /// What a device is still drawing is waited for as far as drivers do that by themselves: by the
  /// fences that the kernel keeps with the dma-buf (implicit synchronization).
  public func enqueue(
    _ buffer: CADMABuf, at time: CFTimeInterval = -.infinity,
    release: @escaping @Sendable () -> Void = {}
  ) {
    enqueue(.dmaBuf(DMABufPicture(buffer.buffer, release: release)), at: time)
  }

  private func enqueue(_ pixels: StorePixels, at time: CFTimeInterval) {
    guard !time.isNaN else { programmerError("a picture's time cannot be \(time)") }
    drop { state in
      let place = state.waiting.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
      state.waiting.insert(Entry(time: time, pixels: pixels), at: place)
      return state.drop(state.waiting.count - state.capacity)
    }
  }

  /// Forgets the pictures that wait. The one on screen stays.
  public func flush() { drop { $0.drop($0.waiting.count) } }

  /// Forgets the pictures that wait. From the next frame on, the layer shows none.
  public func flushAndRemoveImage() {
    drop { state in
      state.isCleared = true
      return state.drop(state.waiting.count)
    }
  }

  /// Changes what waits, and frees what goes unseen. It does that without the lock, since whose
  /// memory it is is told.
  private func drop(_ change: (inout State) -> [StorePixels]) {
    let unseen = state.withLock { change(&$0) }
    withExtendedLifetime(unseen) {}
  }

  /// The number of pictures that wait.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// The number of pictures that went unseen.
  public var droppedCount: Int { state.withLock { $0.droppedCount } }

  // MARK: The layer's side

  enum News {
    case image(StorePixels)
    case noImage
  }

  /// Takes the picture that is due at a time, unless it is the one that was taken last.
  func takeNews(at time: CFTimeInterval) -> News? {
    let (news, unseen) = state.withLock { state -> (News?, [StorePixels]) in
      let due = state.waiting.prefix { $0.time <= time }.count
      let isCleared = state.isCleared
      state.isCleared = false
      guard due > 0 else { return (isCleared ? .noImage : nil, []) }
      let unseen = state.drop(due - 1)
      return (.image(state.waiting.removeFirst().pixels), unseen)
    }
    withExtendedLifetime(unseen) {}
    return news
  }

  /// Whether a frame at a time differs from the last one that was made.
  func hasNews(at time: CFTimeInterval) -> Bool {
    state.withLock { $0.isCleared || $0.waiting.first.map { $0.time <= time } == true }
  }
}

extension CAImageQueue.State {
  /// Removes the first pictures that wait, and returns them.
  fileprivate mutating func drop(_ count: Int) -> [StorePixels] {
    guard count > 0 else { return [] }
    defer { waiting.removeFirst(count) }
    droppedCount += count
    return waiting.prefix(count).map(\.pixels)
  }
}

/// Counts the buffers of a queue that exist, in either process.
private final class BufferSlots: @unchecked Sendable {
  // Used while `condition` is locked.
  private var taken = 0
  private let condition = NSCondition()

  /// Waits until there are fewer than `limit`, and counts one more. Returns whether it did.
  func take(of limit: Int, timeout: TimeInterval) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if taken >= limit, timeout > 0 {
      let end = Date(timeIntervalSinceNow: min(timeout, 1e9))
      while taken >= limit, condition.wait(until: end) {}
    }
    guard taken < limit else { return false }
    taken += 1
    return true
  }

  func giveBack() {
    condition.withLock {
      taken -= 1
      condition.signal()
    }
  }
}
