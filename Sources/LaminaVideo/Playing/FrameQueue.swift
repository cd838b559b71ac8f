import Dispatch
import LaminaValues

/// Decodes a video ahead of a clock, on a thread of its own. It may be used from any thread.
///
/// Whoever shows the video asks for the frame that is due, and never waits: if it is not decoded
/// yet, the last one stays. The thread keeps the frame that was asked for and the next few, in the
/// direction of playing. Where decoding is slower than playing, frames are left out.
package final class FrameQueue: Sendable {
  private let work: Work

  /// Starts a thread that opens the file. `changed` is called on that thread each time that there
  /// is something new: the timeline, a frame that was asked for, or an error.
  package init(
    path: String, limits: VideoLimits = VideoLimits(), changed: @escaping @Sendable () -> Void
  ) {
    let work = Work(changed: changed)
    self.work = work
    let code = DetachedThread.start(named: "lamina-video") { work.run(path: path, limits: limits) }
    if code != 0 {
      work.fail(VideoError(name: path, problem: .noMemory))
    }
  }

  /// Ends the thread once it has finished the frame that it decodes.
  deinit { work.cancel() }

  /// When each frame is shown; nil until the file is open.
  package var timeline: VideoTimeline? { work.state.withLock { $0.timeline } }

  /// What the file says of its pictures; nil until it is open.
  package var format: VideoFormat? { work.state.withLock { $0.format } }

  /// A frame and its number.
  package struct Numbered: Sendable {
    package var number: Int
    package var frame: VideoFrame
  }

  /// Why no more frames come; nil if they do.
  package var failure: VideoError? { work.state.withLock { $0.failure } }

  /// The frame that is due at a time in seconds, or the one before it that is there; nil as long as
  /// none is. `step` is the direction in which the clock runs: 1, -1, or 0 if it stands. If the
  /// video is a loop, its first frame follows the last.
  package func frame(at time: Double, step: Int = 1, isLoop: Bool = false) -> Numbered? {
    work.frame(at: time, step: step.signum(), isLoop: isLoop)
  }

  /// What the thread and those who ask share.
  private final class Work: Sendable {
    struct State {
      var timeline: VideoTimeline?
      var format: VideoFormat?
      var failure: VideoError?
      var isCancelled = false
      /// The numbers of the frame that was asked for and of those that follow.
      var wanted: [Int] = []
      var frames: [Int: VideoFrame] = [:]
      /// The frame that was given last.
      var shown: Numbered?
    }

    let state = Lock(State())
    private let changed: @Sendable () -> Void
    /// Signalled when there may be something to do.
    private let wake = DispatchSemaphore(value: 0)

    /// The number of frames that are kept: the one that is due and those ahead of it.
    private static let capacity = 4

    init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

    func frame(at time: Double, step: Int, isLoop: Bool) -> Numbered? {
      defer { wake.signal() }
      return state.withLock { state in
        guard let timeline = state.timeline else { return nil }
        let (first, count) = (timeline.frame(dueAt: time), timeline.frameCount)
        let ahead = step == 0 ? 1 : min(Self.capacity, count)
        state.wanted = (0..<ahead).compactMap { distance in
          let number = first + distance * step
          if isLoop { return (number + count) % count }
          return (0..<count).contains(number) ? number : nil
        }
        let wanted = state.wanted
        state.frames = state.frames.filter { wanted.contains($0.key) }
        if let frame = state.frames[first] {
          state.shown = Numbered(number: first, frame: frame)
        }
        return state.shown
      }
    }

    func cancel() {
      state.withLock { $0.isCancelled = true }
      wake.signal()
    }

    func fail(_ error: VideoError) {
      state.withLock { $0.failure = error }
      changed()
    }

    /// The thread's own.
    func run(path: String, limits: VideoLimits) {
      do throws(VideoError) {
        let file = try VideoFile(path: path, limits: limits)
        state.withLock { ($0.timeline, $0.format) = (file.timeline, file.format) }
        changed()
        while let number = nextNumber() {
          let frame = try file.frame(number)
          let isDue = state.withLock { state in
            // One that is late by now is still newer than what is shown.
            if state.wanted.contains(number) {
              state.frames[number] = frame
            } else {
              state.shown = Numbered(number: number, frame: frame)
            }
            return state.wanted.first == number || state.frames[number] == nil
          }
          if isDue { changed() }
        }
      } catch {
        fail(error)
      }
    }

    /// Waits for a frame to decode; nil once the queue is gone.
    private func nextNumber() -> Int? {
      while true {
        let (isCancelled, number) = state.withLock { state in
          (state.isCancelled, state.wanted.first { state.frames[$0] == nil })
        }
        if isCancelled { return nil }
        if let number { return number }
        wake.wait()
      }
    }
  }
}
