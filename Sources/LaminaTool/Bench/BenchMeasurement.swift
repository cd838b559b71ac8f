import Foundation
import Lamina

/// The number of frames to time in a round.
struct BenchLength: Equatable {
  /// A fixed number; nil for as many as fit the time budget.
  var frameCount: Int?
  /// The number of rounds, which share the budget.
  var roundCount = 1

  /// The number of frames before the timed ones, in which programs are built and caches are filled.
  static let warmUp = 3
  private static let budget = 600.0
  /// The time, in milliseconds, after which three frames are enough.
  private static let patience = 6000.0
  private static let leastCount = 8
  private static let mostCount = 400

  /// A round's length. `frameCount` is the number of frames of all rounds.
  init(frameCount: Int? = nil, round: Int = 0, of roundCount: Int = 1) {
    self.frameCount = frameCount.map {
      $0 * (round + 1) / roundCount - $0 * round / roundCount
    }
    self.roundCount = roundCount
  }

  /// Whether `count` frames that took `elapsed` milliseconds are enough.
  func isReached(count: Int, elapsed: Double) -> Bool {
    if let frameCount { return count >= frameCount }
    // As if all rounds were like this one.
    let (count, elapsed) = (count * roundCount, elapsed * Double(roundCount))
    if count >= Self.mostCount || (elapsed > Self.patience && count >= 3) { return true }
    return elapsed > Self.budget && count >= Self.leastCount
  }

  /// A part of what one round would have if there were no more, for what is not timed by frames.
  func share(of count: Int) -> Int { frameCount ?? max(count / roundCount, 1) }
}

/// Wall-clock time and processor time, in milliseconds.
enum BenchClock {
  static var wall: Double { milliseconds(of: CLOCK_MONOTONIC) }

  /// The processor time of this process and the render process.
  static func processor(with process: Int32?) -> Double {
    let own = milliseconds(of: CLOCK_PROCESS_CPUTIME_ID)
    var clock = clockid_t()
    guard let process, clock_getcpuclockid(process, &clock) == 0 else { return own }
    return own + milliseconds(of: clock)
  }

  private static func milliseconds(of clock: clockid_t) -> Double {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return 0 }
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
  }

  /// A process's resident memory, in MiB, including shared memory; nil if it cannot be read.
  static func residentMemory(of process: Int32) -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8) else {
      return nil
    }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else { return nil }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
  }
}

/// Times the frames of one scene in a renderer.
struct BenchRun {
  let renderer: CARenderer
  let scene: BenchScene
  /// Where frames are recorded; nil if no trace is asked for.
  let trace: BenchTrace?
  /// The thread that asks for the frames.
  var thread = BenchTrace.Track.Thread.bench
  /// The part of a frame that is timed.
  var timing = Timing.frame

  enum Timing {
    /// From the changes and the commit to the answer that the frame is drawn.
    case frame
    /// The changes and the commit: the part of a frame that the app waits for.
    case commit
    /// Like `frame`, including reading back the pixels as an image.
    case image
    /// The time that the render process takes to evaluate the tree.
    case evaluation
    /// The time that it takes to evaluate the tree and to plan the frame.
    case planning
  }

  struct Outcome {
    var samples: [Double] = []
    var processorTime = 0.0
    var statistics: [CARenderer.FrameStatistics] = []
    var lastFrame = 0
  }

  /// Makes a renderer of its own for the scene.
  init(_ scene: BenchScene, on stage: BenchStage, timing: Timing = .frame) throws {
    self.scene = scene
    self.timing = timing
    renderer = try stage.makeRenderer()
    trace = stage.trace
    renderer.layer = scene.root
  }

  func run(_ length: BenchLength) throws -> Outcome {
    var outcome = Outcome()
    for frame in 0..<BenchLength.warmUp { _ = try draw(frame) }
    let processor = processorTime
    let start = BenchClock.wall
    repeat {
      let frame = BenchLength.warmUp + outcome.samples.count
      let (duration, statistics) = try draw(frame)
      outcome.samples.append(duration)
      statistics.map { outcome.statistics.append($0) }
      outcome.lastFrame = frame
    } while !length.isReached(
      count: outcome.samples.count, elapsed: BenchClock.wall - start)
    outcome.processorTime = processorTime - processor
    return outcome
  }

  private var processorTime: Double { BenchClock.processor(with: renderer.serverProcessID) }

  /// Draws a frame. Returns the milliseconds of the timed part, and what drawing cost.
  func draw(_ frame: Int) throws -> (duration: Double, statistics: CARenderer.FrameStatistics?) {
    let time = Double(frame) / 60
    let traceStart = trace?.now
    let start = BenchClock.wall
    change(frame)
    let commitEnd = BenchClock.wall
    let traceWait = trace?.now
    var statistics: CARenderer.FrameStatistics?
    if timing == .image {
      _ = try renderer.image(at: time)
      statistics = renderer.lastStatistics
    } else {
      statistics = try renderer.drawFrame(at: time)
    }
    let end = BenchClock.wall
    if let trace, let traceStart, let traceWait {
      trace.note("wait", since: traceWait, on: thread, frame: frame)
      trace.note("frame", since: traceStart, on: thread, frame: frame)
      trace.note(statistics?.trace ?? [], of: renderer.serverProcessID)
      statistics?.trace = []
    }
    switch timing {
    case .frame, .image: return (end - start, statistics)
    case .commit: return (commitEnd - start, statistics)
    case .evaluation: return ((statistics?.evaluationTime ?? 0) * 1e3, statistics)
    case .planning: return ((statistics?.planningTime ?? 0) * 1e3, statistics)
    }
  }

  /// The size, in bytes, of the commit with a frame's changes.
  func byteCount(ofChange frame: Int) throws -> Int {
    CATransaction.setDisableActions(true)
    scene.change(frame)
    return try renderer.commitByteCount()
  }

  /// Makes a frame's changes and commits them.
  func change(_ frame: Int) {
    let start = trace?.now
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    scene.change(frame)
    if let start { trace?.note("set", since: start, on: thread, frame: frame) }
    let commitStart = trace?.now
    CATransaction.commit()
    if let commitStart { trace?.note("commit", since: commitStart, on: thread, frame: frame) }
  }
}
