import Dispatch
import Foundation
import LaminaValues

/// This machine: a process for each task, some at once, each on processors of its own.
final class LocalEngine: FarmEngine, Sendable {
  private struct State {
    var waiting: [Int] = []
    /// Those to run once all others succeeded.
    var joins: [Int] = []
    /// The running tasks by their slots.
    var running: [Int: (task: Int, process: Process)] = [:]
    var ends: [Int: String] = [:]
    var isCancelled = false
  }

  private let folder: FarmFolder
  private let state = Lock(State())
  /// The processors of each slot, as taskset takes them.
  private let slots: [String]
  /// Held while this process runs the job's tasks.
  private let lock: Int32

  /// Throws if another process runs the job here.
  init(folder: FarmFolder, flags: EngineFlags) throws {
    self.folder = folder
    let processors = Self.processors
    let count = flags.tasksAtOnce ?? max(processors.count, 1)
    slots = (0..<count).map { slot in
      let own = processors.indices.filter {
        count <= processors.count ? $0 % count == slot : $0 == slot % processors.count
      }
      return own.map { "\(processors[$0])" }.joined(separator: ",")
    }
    lock = open(folder.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard lock >= 0 else { throw OutputError.system(folder.lock) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      close(lock)
      throw InputError("\(folder.path): another process runs this job's tasks here")
    }
  }

  deinit { close(lock) }

  /// Whether a process runs the job's tasks on this machine.
  static func isRunning(_ folder: FarmFolder) -> Bool {
    let descriptor = open(folder.lock, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// The numbers of the processors that this process may use.
  private static var processors: [Int] {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    guard
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Cpus_allowed_list") })
    else { return [0] }
    let list = line.drop { $0 != "\t" }.dropFirst()
    return list.split(separator: ",").flatMap { frameRange(String($0)).map(Array.init) ?? [] }
  }

  func submit(_ tasks: [Int], thenJoins joins: [Int]) throws {
    try state.withLock { state in
      for task in tasks { state.ends[task] = nil }
      state.waiting += tasks.isEmpty ? joins : tasks
      if !tasks.isEmpty { state.joins += joins }
      try startTasks(&state)
    }
  }

  private func startTasks(_ state: inout State) throws {
    guard !state.isCancelled else { return }
    for slot in slots.indices where state.running[slot] == nil {
      if state.waiting.isEmpty, state.running.isEmpty, state.ends.isEmpty {
        (state.waiting, state.joins) = (state.joins, [])
      }
      guard !state.waiting.isEmpty else { return }
      let task = state.waiting.removeFirst()
      state.running[slot] = (task, try start(task, slot: slot))
    }
  }

  private func start(_ task: Int, slot: Int) throws -> Process {
    let process = Process()
    let lamina = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let command = [lamina, "farm", "task", folder.path, "\(task)"]
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["taskset", "-c", slots[slot]] + command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let log = "\(folder.logs)/\(FarmFolder.name(task)).log"
    let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw OutputError.system(log) }
    process.standardError = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    process.terminationHandler = { [weak self] process in self?.noteEnd(of: process, slot: slot) }
    try Unfinished.work.withLock { [process] work in try work.runOrderly(process) }
    return process
  }

  private func noteEnd(of process: Process, slot: Int) {
    Unfinished.work.withLock { [process] work in work.noteEnd(of: process) }
    state.withLock { state in
      guard let (task, _) = state.running.removeValue(forKey: slot) else { return }
      let status = process.terminationStatus
      if process.terminationReason == .uncaughtSignal {
        state.ends[task] = "killed by signal \(status)"
      } else if status != 0 {
        state.ends[task] = "ended with status \(status)"
      }
      do {
        try startTasks(&state)
      } catch {
        Report.error(ToolFailure(error).message)
      }
    }
  }

  func look() -> FarmQueue? {
    state.withLock { state in
      var queue = FarmQueue(ends: state.ends)
      for task in state.waiting + state.joins { queue.active[task] = .waiting }
      for (task, _) in state.running.values {
        queue.active[task] = .running(node: UnfinishedOutput.host)
      }
      return queue
    }
  }

  func cancel() {
    let processes = state.withLock { state in
      state.isCancelled = true
      (state.waiting, state.joins) = ([], [])
      return state.running.values.map(\.process.processIdentifier)
    }
    for process in processes { kill(process, SIGTERM) }
    while state.withLock({ !$0.running.isEmpty }) { usleep(10_000) }
  }
}
