import Foundation
import Testing

@testable import LaminaTool

@Suite("The trace of a bench")
struct BenchTraceTests {
  /// An event with a duration.
  private struct Event {
    let name: String
    let process: Int
    let thread: Int
    /// Microseconds.
    let start: Double
    let end: Double
    let frame: Int?
  }

  private struct Trace {
    var events: [Event] = []
    /// The names of processes by their numbers.
    var processes: [Int: String] = [:]
    /// Number of events that name threads.
    var namedThreads: Set<Int> = []

    /// The names of a process's events.
    func names(_ process: String) -> Set<String> {
      Set(events.filter { processes[$0.process] == process }.map(\.name))
    }

    func events(_ name: String, of process: String) -> [Event] {
      events.filter { $0.name == name && processes[$0.process] == process }
    }
  }

  private func trace(_ arguments: String...) throws -> Trace {
    let folder = try ToolFolder()
    let run = try ToolRun(
      ["bench", "--size", "320x256", "--frames", "4", "--rounds", "1", "--platform", "software"]
        + ["--trace", folder.path("trace.json")] + arguments)
    #expect(run.status == 0, "\(run.errors)")
    let data = try Data(contentsOf: folder.url.appendingPathComponent("trace.json"))
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    var trace = Trace()
    for object in try #require(root["traceEvents"] as? [[String: Any]]) {
      let name = try #require(object["name"] as? String)
      let process = try #require(object["pid"] as? Int)
      let thread = try #require(object["tid"] as? Int)
      let arguments = object["args"] as? [String: Any]
      switch try #require(object["ph"] as? String) {
      case "M" where name == "process_name":
        #expect(trace.processes[process] == nil)
        trace.processes[process] = try #require(arguments?["name"] as? String)
      case "M" where name == "thread_name":
        #expect(trace.namedThreads.insert(thread).inserted)
      case "X":
        let start = try #require(object["ts"] as? NSNumber).doubleValue
        let duration = try #require(object["dur"] as? NSNumber).doubleValue
        #expect(duration >= 0)
        trace.events.append(
          Event(
            name: name, process: process, thread: thread, start: start, end: start + duration,
            frame: arguments?["frame"] as? Int))
      case let kind: Issue.record("an event of kind \(kind), \(name)")
      }
    }
    return trace
  }

  @Test("Both processes are on one time line, with every stage of every frame")
  func stages() throws {
    let trace = try trace("--scene", "S3")
    #expect(trace.processes.values.sorted() == ["lamina", "lamina-render-server"])
    #expect(trace.names("lamina") == ["S3", "frame", "set", "commit", "wait"])
    #expect(
      trace.names("lamina-render-server")
        == ["apply", "frame", "instances", "planning", "passes", "execution"])
    // Three frames come before the four that are timed.
    for name in ["frame", "set", "commit", "wait"] {
      #expect(trace.events(name, of: "lamina").map(\.frame) == Array(0..<7))
    }
    for name in ["frame", "apply", "instances", "planning", "passes", "execution"] {
      #expect(trace.events(name, of: "lamina-render-server").count == 7, "\(name)")
    }
    // Each frame is drawn while the app waits for it, and a commit is applied after it was begun.
    let waits = trace.events("wait", of: "lamina")
    for (wait, frame) in zip(waits, trace.events("frame", of: "lamina-render-server")) {
      #expect(wait.start <= frame.start && frame.end <= wait.end)
    }
    let commits = trace.events("commit", of: "lamina")
    for (commit, apply) in zip(commits, trace.events("apply", of: "lamina-render-server")) {
      #expect(commit.start <= apply.start)
    }
  }

  @Test("Events are in the order of time from 0 on, and a thread's nest")
  func nesting() throws {
    let trace = try trace("--scene", "S6", "fairness", "readback")
    #expect(!trace.events("readBack", of: "lamina-render-server").isEmpty)
    #expect(trace.events.first?.start == 0)
    #expect(zip(trace.events, trace.events.dropFirst()).allSatisfy { $0.start <= $1.start })
    // Each scene's variant has a process of its own, but that fairness has one for all.
    #expect(trace.processes.count == 5)
    let threads = Dictionary(grouping: trace.events, by: \.thread)
    #expect(Set(threads.keys) == trace.namedThreads)
    // Two threads of the app ask for frames, and one of each render process draws.
    #expect(threads.count == 6)
    for events in threads.values {
      #expect(Set(events.map(\.process)).count == 1)
      var open: [Event] = []
      for event in events {
        // Times are written as microseconds with three decimals.
        open.removeAll { $0.end <= event.start + 0.001 }
        if let around = open.last {
          #expect(event.end <= around.end + 0.002, "\(event) in \(around)")
        }
        open.append(event)
      }
    }
  }

  @Test("A server in the app's process is a thread of it")
  func inProcess() throws {
    let trace = try trace("--scene", "S3", "--in-process")
    #expect(Array(trace.processes.values) == ["lamina"])
    #expect(trace.namedThreads.count == 2)
    #expect(trace.names("lamina").isSuperset(of: ["wait", "apply", "planning", "execution"]))
  }
}
