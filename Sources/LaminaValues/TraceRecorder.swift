/// A stage of a frame's way to pixels, and when it began and ended.
package struct TraceEvent: Hashable, Sendable {
  package enum Stage: UInt8, Sendable, CaseIterable {
    /// A commit is checked and applied to the render tree.
    case apply
    /// A frame, from its turn to its answer, with the stages that follow.
    case frame
    /// The layers' instances are brought to the frame's time.
    case instances
    /// The frame is planned: what changed, items in groups, and the passes.
    case planning
    /// Groups become passes, and items get their textures.
    case passes
    /// The plan is executed, and waited for unless pixels are read.
    case execution
    /// The frame is waited for, and its pixels are copied into the client's memory.
    case readBack
  }

  package var stage: Stage
  /// Nanoseconds of `MonotonicTime`.
  package var start: UInt64
  package var end: UInt64

  package init(_ stage: Stage, start: UInt64, end: UInt64) {
    (self.stage, self.start, self.end) = (stage, start, end)
  }
}

/// Records what a thread does. There is one only where a trace was asked for: elsewhere it is nil,
/// and neither a clock is read nor memory taken.
package final class TraceRecorder {
  private var events: [TraceEvent] = []

  /// Largest number of events that are kept; later ones are lost until they are taken. A frame has
  /// seven and a commit one.
  package static let limit = 1024

  package init() {}

  package var now: UInt64 { MonotonicTime.nanoseconds }

  /// Records a stage that began at `start`, if there is one, and ends now.
  package func note(_ stage: TraceEvent.Stage, since start: UInt64?) {
    guard let start, events.count < Self.limit else { return }
    events.append(TraceEvent(stage, start: start, end: now))
  }

  /// Removes and returns what was recorded.
  package func take() -> [TraceEvent] {
    defer { events.removeAll() }
    return events
  }
}
