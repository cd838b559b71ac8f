// Has renderers work for long while processes are killed again and again:
//
//     soak SECONDS
//     soak trees COUNT PLATFORM FIRST BUDGET
//
// First 1,000 clients are killed at random moments; nothing may be left of them. Then a film of
// 20,000 frames, each of which shows its number; its render process is killed every 500. Last, live
// frames at 60 a second under 120 commits a second, for SECONDS; the process is killed every 45 s.
// Each commit colours two layers alike, so a frame that shows one and not the other, or less than
// the one before, is wrong. Ends with status 1 if something was left, a frame was wrong or memory
// grew.
//
// `trees` draws so many hostile trees in one render process with a budget of memory. Ends with
// status 1 if the process died or took more.
import Foundation
import Lamina
import LaminaValues
import TestSupport

/// Two layers side by side, whose colour is a number.
struct Counter {
  let root = CALayer()
  private let halves = [CALayer(), CALayer()]

  static let size = CGSize(width: 64, height: 32)

  init() {
    root.frame = CGRect(origin: .zero, size: Self.size)
    for (place, half) in halves.enumerated() {
      half.frame = CGRect(x: 32 * place, y: 0, width: 32, height: 32)
      root.addSublayer(half)
      // Something to restore.
      for index in 0..<100 {
        let layer = CALayer()
        layer.frame = CGRect(x: index % 10, y: 20, width: 1, height: 1)
        half.addSublayer(layer)
      }
    }
  }

  func show(_ number: Int) {
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    for half in halves {
      half.backgroundColor = CGColor(
        red: CGFloat(number >> 16 & 255) / 255, green: CGFloat(number >> 8 & 255) / 255,
        blue: CGFloat(number & 255) / 255, alpha: 1)
    }
    CATransaction.commit()
  }

  /// The number that a frame shows; nil if its halves differ.
  static func number(in image: CGImage) -> Int? {
    func number(_ x: Int) -> Int {
      let pixel = image.channels(x: x, y: 4)
      return pixel.red << 16 | pixel.green << 8 | pixel.blue
    }
    return number(8) == number(40) ? number(8) : nil
  }
}

extension CGImage {
  fileprivate func channels(x: Int, y: Int) -> (red: Int, green: Int, blue: Int) {
    buffer.withUnsafeBytes { bytes in
      let start = y * buffer.layout.stride + x * 4
      return (Int(bytes[start + 2]), Int(bytes[start + 1]), Int(bytes[start]))
    }
  }
}

/// What one part found.
struct Outcome {
  var frames = 0
  var wrong = 0
  var deaths = 0
  /// This process's memory after a tenth of the part, and at its end.
  var memory = (early: 0, late: 0)

  func report(_ name: String) -> Bool {
    let growth = memory.late - memory.early
    print(
      "\(name): \(frames) frames, \(wrong) wrong, \(deaths) deaths, memory \(memory.early >> 10) KB,"
        + " then \(memory.late >> 10) KB")
    return wrong == 0 && growth < 8 << 20
  }
}

extension RenderServer {
  /// One that is always replaced.
  static var immortal: RenderServer {
    var server = process
    server.options.deathsAllowed = .max
    return server
  }
}

/// A film, each frame of which is asked for and read.
func film(_ count: Int) throws -> Outcome {
  let counter = Counter()
  let renderer = try CARenderer(size: Counter.size, clock: .manual(), server: .immortal)
  renderer.layer = counter.root
  var outcome = Outcome()
  for number in 0..<count {
    counter.show(number)
    if number % 500 == 499, let process = renderer.serverProcessID {
      kill(process, SIGKILL)
      outcome.deaths += 1
    }
    if Counter.number(in: try renderer.image(at: Double(number) / 60)) != number {
      outcome.wrong += 1
    }
    outcome.frames += 1
    if number == count / 10 { outcome.memory.early = ownMemory(of: getpid()) }
  }
  outcome.memory.late = ownMemory(of: getpid())
  return outcome
}

/// Live frames, while a thread commits.
final class LivePart: @unchecked Sendable {
  private let seconds: Double
  private let lock = NSLock()
  private var latencies: [Double] = []
  private var deaths = 0
  private var isOver = false
  private var sequence: CARenderer.LiveFrames?
  private let hasStarted = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(seconds: Double) { self.seconds = seconds }

  /// Commits 120 times a second, and kills the render process every 45 s.
  private func commit() throws {
    let counter = Counter()
    let renderer = try CARenderer(size: Counter.size, clock: .host, server: .immortal)
    renderer.layer = counter.root
    counter.show(0)
    CATransaction.flush()
    lock.withLock { sequence = renderer.liveFrames(fps: 60) }
    hasStarted.signal()
    let start = ContinuousClock.now
    var (number, kills) = (0, 0)
    while true {
      let elapsed = start.duration(to: .now) / .seconds(1)
      if elapsed > seconds { break }
      if elapsed > Double(kills + 1) * 45, let process = renderer.serverProcessID {
        kill(process, SIGKILL)
        kills += 1
      }
      number += 1
      let before = ContinuousClock.now
      counter.show(number)
      CATransaction.flush()
      let latency = before.duration(to: .now) / .milliseconds(1)
      lock.withLock {
        latencies.append(latency)
        deaths = kills
      }
      let rest = Double(number) / 120 - start.duration(to: .now) / .seconds(1)
      if rest > 0 { Thread.sleep(forTimeInterval: rest) }
    }
    lock.withLock { isOver = true }
    hasEnded.wait()
    withExtendedLifetime(renderer) {}
  }

  func run() async throws -> (outcome: Outcome, latencies: [Double]) {
    let thread = Thread {
      do { try self.commit() } catch { fatal("\(error)") }
    }
    thread.start()
    hasStarted.waitForever()
    var outcome = Outcome()
    var last = 0
    let start = ContinuousClock.now
    guard let frames = lock.withLock({ sequence }) else { return (outcome, []) }
    for try await frame in frames {
      let number = Counter.number(in: frame.image)
      if number == nil || number! < last { outcome.wrong += 1 }
      last = number ?? last
      outcome.frames += 1
      if outcome.memory.early == 0, start.duration(to: .now) > .seconds(seconds / 10) {
        outcome.memory.early = ownMemory(of: getpid())
      }
      if lock.withLock({ isOver }) { break }
    }
    outcome.memory.late = ownMemory(of: getpid())
    outcome.deaths = lock.withLock { deaths }
    hasEnded.signal()
    return (outcome, lock.withLock { latencies.sorted() })
  }
}

extension DispatchSemaphore {
  /// Tasks may not wait, by the compiler's rules; this one has nothing else to do.
  fileprivate func waitForever() { wait() }
}

func fatal(_ message: String) -> Never {
  FileHandle.standardError.write(Data("soak: \(message)\n".utf8))
  exit(1)
}

let arguments = CommandLine.arguments.dropFirst()
let seconds = arguments.first.flatMap { Double($0) } ?? 600
do {
  if arguments.first == "client" { try Clients.draw() }
  if arguments.first == "trees" { exit(try Trees.draw(Array(arguments.dropFirst())) ? 0 : 1) }
  let areClientsGone = try Clients.kill(1000)
  let isFilmGood = try film(20_000).report("film")
  let (live, latencies) = try await LivePart(seconds: seconds).run()
  let isLiveGood = live.report("live")
  if let worst = latencies.last {
    let (half, most) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
    print(
      String(
        format: "%d commits: %.3f ms (median), %.3f ms (99 %%), %.3f ms (longest)", latencies.count,
        half, most, worst))
  }
  exit(areClientsGone && isFilmGood && isLiveGood ? 0 : 1)
} catch {
  fatal("\(error)")
}
