import Foundation
import Lamina
import LaminaValues

/// What the app's threads and the render processes did and when, in the Trace Event Format that
/// Perfetto and Chrome show. There is one only where a trace was asked for.
final class BenchTrace: Sendable {
  /// A row of the time line: a thread of a process.
  struct Track: Hashable {
    let process: Int32
    let thread: Thread

    enum Thread: Int, CaseIterable {
      case bench = 1
      /// The thread of the renderer that floods the process, in the scene `fairness`.
      case flood
      /// The render process's one thread, in that process or in this one.
      case render

      var name: String {
        switch self {
        case .bench: "bench"
        case .flood: "flood"
        case .render: "render"
        }
      }
    }

    /// The number that stands for the thread. No two of a trace have the same.
    var number: Int { Int(process) * 10 + thread.rawValue }

    /// A thread of this process.
    static func app(_ thread: Thread) -> Track { Track(process: getpid(), thread: thread) }
  }

  /// Something that took time, in nanoseconds of CLOCK_MONOTONIC.
  private struct Event {
    let name: String
    let track: Track
    let start: UInt64
    let end: UInt64
    var frame: Int?
  }

  private let events = Lock<[Event]>([])

  /// The time, for a `note` that follows.
  var now: UInt64 { MonotonicTime.nanoseconds }

  /// Records what a thread of this process did from `start` until now.
  func note(_ name: String, since start: UInt64, on thread: Track.Thread, frame: Int? = nil) {
    let event = Event(name: name, track: .app(thread), start: start, end: now, frame: frame)
    events.withLock { $0.append(event) }
  }

  /// Records what a render process did; nil for a server in this process.
  func note(_ stages: [TraceEvent], of process: Int32?) {
    let track = Track(process: process ?? getpid(), thread: .render)
    events.withLock { events in
      events += stages.map {
        Event(name: "\($0.stage)", track: track, start: $0.start, end: $0.end)
      }
    }
  }

  /// The trace as JSON. Events are in the order of time, those that contain others first.
  func json(version: String = Tool.version) -> Data {
    let events = events.withLock { $0 }.sorted {
      ($0.start, $1.end, $0.track.thread.rawValue) < ($1.start, $0.end, $1.track.thread.rawValue)
    }
    let first = events.first?.start ?? 0
    /// Microseconds.
    func time(_ nanoseconds: UInt64) -> String {
      String(format: "%.3f", Double(nanoseconds) / 1e3)
    }
    var lines = names(of: Set(events.map(\.track)))
    for event in events {
      let frame = event.frame.map { ",\"args\":{\"frame\":\($0)}" } ?? ""
      lines.append(
        "{\"ph\":\"X\",\"name\":\"\(event.name)\",\(ids(event.track)),"
          + "\"ts\":\(time(event.start - first)),\"dur\":\(time(event.end - event.start))\(frame)}")
    }
    return Data(
      """
      {"displayTimeUnit":"ms","otherData":{"program":"lamina \(version)"},"traceEvents":[
      \(lines.joined(separator: ",\n"))
      ]}

      """.utf8)
  }

  private func ids(_ track: Track) -> String {
    "\"pid\":\(track.process),\"tid\":\(track.number)"
  }

  /// The events that name processes and threads.
  private func names(of tracks: Set<Track>) -> [String] {
    let sorted = tracks.sorted {
      ($0.process, $0.thread.rawValue) < ($1.process, $1.thread.rawValue)
    }
    var named: Set<Int32> = []
    return sorted.flatMap { track in
      func name(_ what: String, _ name: String) -> String {
        "{\"ph\":\"M\",\"name\":\"\(what)\",\(ids(track)),\"args\":{\"name\":\"\(name)\"}}"
      }
      let thread = name("thread_name", track.thread.name)
      guard named.insert(track.process).inserted else { return [thread] }
      return [
        name("process_name", track.process == getpid() ? "lamina" : "lamina-render-server"), thread,
      ]
    }
  }
}
