import Foundation
import Lamina
import LaminaValues

/// A benchmark case. `name` is its name for `--scene`.
struct BenchCase: Sendable {
  let name: String
  let summary: String
  /// Whether later rounds leave the case out, since those before them would change its result.
  var isMeasuredOnce = false
  let measure: @Sendable (_ stage: BenchStage) throws -> [BenchResult]

  /// The memory case comes first, since memory that other cases leave behind would count.
  static let all =
    [memory, startup, restoring] + scenes + [commit] + trees + [
      animations, replicator, implicit, particles, upload, readback, fairness,
    ]

  private static let scenes = [
    scene("S1a", "1,000 translucent squares, all moving", [.smooth, .hard]) { size, variant in
      BenchScene.quads(1000, size, variant)
    },
    scene("S1b", "10,000 translucent squares, all moving", [.smooth, .hard]) { size, variant in
      BenchScene.quads(10_000, size, variant)
    },
    scene("S2a", "200 sprites of 200 images, all moving", [.smooth, .hard]) { size, variant in
      try BenchScene.sprites(200, size, variant)
    },
    scene("S2b", "2,000 sprites of 200 images, all moving", [.smooth, .hard]) { size, variant in
      try BenchScene.sprites(2000, size, variant)
    },
    scene("S3", "100 translucent cards with border and shadow, moving") { size, _ in
      BenchScene.cards(size)
    },
    scene("S4", "eight images as large as the frame, their opacities changing") { size, _ in
      try BenchScene.stack(size)
    },
    scene("S5", "300 images turning in perspective") { size, _ in
      try BenchScene.turning(size)
    },
    scene("S6", "2,000 still squares and a moving sprite", [.smooth, .hard]) { size, variant in
      try BenchScene.mover(size, variant)
    },
    scene("S7", "50 rounded, half-opaque groups of ten rounded layers, moving") { size, _ in
      BenchScene.groups(size)
    },
    scene(
      "S8", "an image as large as the frame, every time another, under a blur of sigma 10"
    ) { size, _ in
      try BenchScene.blur(size)
    },
    scene(
      "fade", "a group of 500 rounded layers that fades"
    ) { size, _ in
      BenchScene.fade(size)
    },
    scene(
      "overdraw", "opaque layers as large as the frame: one, and twenty, of which one shows",
      [.one, .twenty]
    ) { size, variant in
      BenchScene.overdraw(variant == .one ? 1 : 20, size)
    },
  ]

  /// Makes the case of a scene. If it has several variants, the last is the one to compare with
  /// other programs.
  private static func scene(
    _ name: String, _ summary: String, _ variants: [BenchScene.Variant] = [.standard],
    _ make: @escaping @Sendable (PixelSize, BenchScene.Variant) throws -> BenchScene
  ) -> BenchCase {
    BenchCase(name: name, summary: summary) { stage in
      try variants.map { variant in
        let run = try BenchRun(try make(stage.size, variant), on: stage)
        let outcome = try run.run(stage.length)
        try stage.save(run.renderer, at: outcome.lastFrame, name: "\(name)-\(variant.rawValue)")
        return result(name, variant.rawValue, outcome)
      }
    }
  }

  private static func result(
    _ scene: String, _ variant: String, _ outcome: BenchRun.Outcome, byteCount: Int? = nil
  ) -> BenchResult {
    BenchResult(
      scene: scene, variant: variant, samples: outcome.samples,
      processorTime: outcome.processorTime, statistics: outcome.statistics, byteCount: byteCount)
  }

  /// The size, in bytes, of the commit that leads from a run's last frame to the next frame.
  private static func byteCount(after outcome: BenchRun.Outcome, of run: BenchRun) throws -> Int {
    try run.byteCount(ofChange: outcome.lastFrame + 1)
  }

  private static let commit = BenchCase(
    name: "commit", summary: "10,000 layers get another position: setting and committing"
  ) { stage in
    let run = try BenchRun(.hiddenQuads(10_000, stage.size), on: stage, timing: .commit)
    let outcome = try run.run(stage.length)
    return [
      result("commit", "standard", outcome, byteCount: try byteCount(after: outcome, of: run))
    ]
  }

  private static let trees = [
    tree("tree", "one of 100,000 layers moves: a frame") { $0.moving() },
    tree("tree-insert", "a layer is inserted among 100,000: a frame") { $0.inserting() },
    // One of five rounds takes 83 away at most, and so there are nearly as many as in the others.
    tree("tree-remove", "one of 100,000 layers is removed: a frame") { $0.removing() },
    tree("tree-recolour", "one of 100,000 layers gets another colour: a frame") {
      $0.recoloring()
    },
    tree("nothing", "none of 100,000 layers changes: a frame") { $0.still() },
  ]

  /// Makes the case of a scene in a tree of 100,000 layers.
  private static func tree(
    _ name: String, _ summary: String, _ make: @escaping @Sendable (BenchTree) -> BenchScene
  ) -> BenchCase {
    BenchCase(name: name, summary: summary) { stage in
      let run = try BenchRun(make(BenchTree(100_000, stage.size)), on: stage)
      let outcome = try run.run(stage.length)
      return [result(name, "standard", outcome, byteCount: try byteCount(after: outcome, of: run))]
    }
  }

  private static let animations = BenchCase(
    name: "animations", summary: "10,000 layers with a running animation each: evaluating the tree"
  ) { stage in
    let run = try BenchRun(.animated(10_000, stage.size), on: stage, timing: .evaluation)
    return [result("animations", "standard", try run.run(stage.length))]
  }

  private static let replicator = BenchCase(
    name: "replicator",
    summary: "10,000 copies of a layer, their transform changing: evaluating and planning"
  ) { stage in
    try [BenchScene.Variant.smooth, .hard].map { variant in
      let run = try BenchRun(.replicator(10_000, stage.size, variant), on: stage, timing: .planning)
      let outcome = try run.run(stage.length)
      try stage.save(run.renderer, at: outcome.lastFrame, name: "replicator-\(variant.rawValue)")
      return result("replicator", variant.rawValue, outcome)
    }
  }

  private static let implicit = BenchCase(
    name: "implicit", summary: "10,000 implicit animations: changing positions and committing"
  ) { stage in
    let run = try BenchRun(.implicitlyAnimated(10_000, stage.size), on: stage, timing: .commit)
    return [result("implicit", "standard", try run.run(stage.length))]
  }

  private static let particles = BenchCase(
    name: "particles", summary: "an emitter with 20,000 particles: evaluating and planning, a frame"
  ) { stage in
    try [(BenchRun.Timing.planning, "planning"), (.frame, "frame")].map { timing, variant in
      let run = try BenchRun(try .particles(20_000, stage.size), on: stage, timing: timing)
      let outcome = try run.run(stage.length)
      try stage.save(run.renderer, at: outcome.lastFrame, name: "particles-\(variant)")
      return result("particles", variant, outcome)
    }
  }

  private static let upload = BenchCase(
    name: "upload", summary: "a new image as large as the frame, in each frame"
  ) { stage in
    let run = try BenchRun(try .newImages(stage.size), on: stage)
    return [result("upload", "standard", try run.run(stage.length))]
  }

  private static let readback = BenchCase(
    name: "readback", summary: "a plain frame, with its pixels as an image"
  ) { stage in
    let run = try BenchRun(.plain(stage.size), on: stage, timing: .image)
    return [result("readback", "standard", try run.run(stage.length))]
  }

  private static let startup = BenchCase(
    name: "startup", summary: "from no render process to the first frame, drawn"
  ) { stage in
    var outcome = BenchRun.Outcome()
    for _ in 0..<(stage.length.share(of: 5)) {
      let processor = BenchClock.processor(with: nil)
      let start = BenchClock.wall
      let run = try BenchRun(.plain(stage.size), on: stage)
      let statistics = try run.draw(1).statistics
      outcome.samples.append(BenchClock.wall - start)
      statistics.map { outcome.statistics.append($0) }
      // The render process is new, so all its processor time counts.
      outcome.processorTime +=
        BenchClock.processor(with: run.renderer.serverProcessID) - processor
    }
    return [result("startup", "standard", outcome)]
  }

  private static let restoring = BenchCase(
    name: "restore", summary: "the render process is killed: until the next frame of 10,000 squares"
  ) { stage in
    var stage = stage
    stage.server.options.deathsAllowed = .max
    // Each death would be told in a line.
    return try Warnings.$current.withValue(Warnings { _ in }) { [stage] in
      let run = try BenchRun(.quads(10_000, stage.size, .hard), on: stage)
      let renderer = run.renderer
      var outcome = BenchRun.Outcome()
      for frame in 0..<(stage.length.share(of: 15)) {
        _ = try run.draw(2 * frame)
        // A server in this process cannot be killed.
        guard let process = renderer.serverProcessID else { return [] }
        let processor = BenchClock.processor(with: nil)
        let start = BenchClock.wall
        kill(process, SIGKILL)
        let statistics = try run.draw(2 * frame + 1).statistics
        outcome.samples.append(BenchClock.wall - start)
        statistics.map { outcome.statistics.append($0) }
        outcome.processorTime +=
          BenchClock.processor(with: renderer.serverProcessID) - processor
      }
      return [result("restore", "standard", outcome)]
    }
  }

  private static let memory = BenchCase(
    name: "memory", summary: "both processes' resident memory: an empty frame, 10,000 layers",
    isMeasuredOnce: true
  ) { stage in
    try [("empty", 0), ("10000", 10_000)].map { variant, count in
      let run = try BenchRun(.quads(count, stage.size, .hard), on: stage)
      let statistics = try run.draw(0).statistics
      let processes = [getpid(), run.renderer.serverProcessID].compactMap(\.self)
      let memory = processes.compactMap(BenchClock.residentMemory).reduce(0, +)
      return BenchResult(
        scene: "memory", variant: variant, unit: "MiB", samples: [memory], processorTime: 0,
        statistics: [statistics].compactMap(\.self))
    }
  }
}
