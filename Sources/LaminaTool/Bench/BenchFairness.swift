import Foundation
import Lamina
import LaminaValues

extension BenchCase {
  /// A renderer's frames, alone and beside another of the same connection that asks for as many as
  /// it can. The other's frames take about as long.
  static let fairness = BenchCase(
    name: "fairness", summary: "300 squares in motion, beside a renderer that floods the process"
  ) { stage in
    let run = try BenchRun(.sliding(300, stage.size), on: stage)
    return try [nil, BenchFlood.Kind.requests, .commits].map { kind in
      let flood = kind.map { BenchFlood($0, stage) }
      defer { flood?.stop() }
      let outcome = try run.run(stage.length)
      return BenchResult(
        scene: "fairness", variant: kind?.rawValue ?? "alone", samples: outcome.samples,
        processorTime: outcome.processorTime, statistics: outcome.statistics, showsTail: true)
    }
  }
}

extension BenchScene {
  /// Squares that move by animations, so that frames need no commits.
  fileprivate static func sliding(_ count: Int, _ size: PixelSize) -> BenchScene {
    let root = quads(count, size, .hard).root
    for (index, layer) in (root.sublayers ?? []).enumerated() {
      let slide = CABasicAnimation(keyPath: "position")
      slide.fromValue = CGPoint(
        x: Double(index * 37 % size.width), y: Double(index * 71 % size.height))
      slide.byValue = CGPoint(x: 200, y: 100)
      slide.duration = 2 + Double(index % 7) / 8
      slide.repeatCount = .infinity
      slide.autoreverses = true
      layer.add(slide, forKey: "slide")
    }
    return BenchScene(root: root) { _ in }
  }
}

/// A renderer on a thread of its own that always has as many frames under way as it may.
private final class BenchFlood: Sendable {
  enum Kind: String {
    /// Animated layers, of which nothing but frames is asked.
    case requests
    /// A commit before each frame.
    case commits

    /// Number of frames under way: a session with more than 64 waiting requests ends, and a
    /// connection has eight commits under way.
    var depth: Int { self == .requests ? 48 : 7 }
  }

  private struct State {
    var isStopped = false
    var failure: (any Error)?
  }
  private let state = Lock(State())
  private let room = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// Returns once the flood runs.
  init(_ kind: Kind, _ stage: BenchStage) {
    let runs = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      do {
        try flood(kind, stage) { runs.signal() }
      } catch {
        state.withLock { $0.failure = error }
        runs.signal()
      }
      hasEnded.signal()
    }
    thread.name = "lamina-flood"
    thread.start()
    runs.wait()
  }

  private func flood(_ kind: Kind, _ stage: BenchStage, _ start: () -> Void) throws {
    let scene: BenchScene =
      kind == .requests ? .sliding(300, stage.size) : .quads(300, stage.size, .hard)
    var run = try BenchRun(scene, on: stage)
    run.thread = .flood
    let (trace, process) = (run.trace, run.renderer.serverProcessID)
    _ = try run.draw(0)
    start()
    for _ in 0..<kind.depth { room.signal() }
    var frame = 1
    while state.withLock({ !$0.isStopped && $0.failure == nil }) {
      room.wait()
      if kind == .commits { run.change(frame) }
      try run.renderer.requestFrame(at: Double(frame) / 60) { [self] outcome in
        switch outcome {
        case .success(let statistics): trace?.note(statistics.trace, of: process)
        case .failure(let error): state.withLock { $0.failure = error }
        }
        room.signal()
      }
      frame += 1
    }
    for _ in 0..<kind.depth { room.wait() }
  }

  /// Returns when the last frame is drawn.
  func stop() {
    state.withLock { $0.isStopped = true }
    hasEnded.wait()
    if let failure = state.withLock({ $0.failure }) { warn("the flood ended: \(failure)") }
  }
}
