import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaGLES
import LaminaRenderTree
import LaminaSoftware
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("A frame that paints only what changed")
struct DamageTests {
  /// Draws a scene's frames on a surface that keeps its pixels.
  private struct Screen {
    let renderer: any FrameExecutor
    let surface: SurfaceID
    let size: PixelSize
    let format: PixelFormat
    var planner: FramePlanner
    private let stores = Stores()

    init(
      _ renderer: any FrameExecutor, _ size: PixelSize, _ format: PixelFormat, inParts: Bool,
      _ threads: WorkerThreads? = nil
    ) throws {
      var profile = renderer.profile
      profile.drawsPartsExactly = inParts
      planner = FramePlanner(profile: profile, threads: threads)
      // Even two rows are shared.
      planner.sharing?.least = 2
      planner.sharing?.part = 2
      (self.renderer, self.size, self.format) = (renderer, size, format)
      surface = try renderer.makeSurface(size: size, format: format)
    }

    /// Returns the plan and the pixels.
    mutating func draw(
      _ scene: RandomScene, _ events: [RenderTree.Event]
    ) throws -> (plan: FramePlan, bytes: [UInt8]) {
      planner.note(events)
      stores.update(scene)
      let plan = try planner.plan(scene.tree, session: TestTree.session, time: scene.time)
      if !plan.isEmpty {
        _ = try renderer.execute(plan, on: surface) { stores[$0] }
      }
      let stride = size.width * format.bytesPerPixel
      var bytes = [UInt8](repeating: 0, count: size.height * stride)
      try bytes.withUnsafeMutableBytes {
        try renderer.readBack(surface, region: nil, into: $0, stride: stride)
      }
      return (plan, bytes)
    }

    /// The same; nil if the scene costs more than a frame may.
    mutating func drawUnlessTooLarge(
      _ scene: RandomScene, _ events: [RenderTree.Event]
    ) throws -> (plan: FramePlan, bytes: [UInt8])? {
      do { return try draw(scene, events) } catch CommitError.tooMany { return nil }
    }

    /// Frees the surface and all textures, whose IDs another scene uses again.
    func close() {
      var plan = FramePlan(size: size, damage: [])
      plan.releases = (1...4000).map { TextureID(rawValue: $0) }
      _ = try? renderer.execute(plan, on: surface) { _ in nil }
      renderer.releaseSurface(surface)
    }
  }

  /// The memory of a scene's images, as a client has it: an image stays where it is until other
  /// pixels take its place, and then its memory is used for something else.
  private final class Stores {
    private var held: [ImageID: (pixels: [UInt8], layout: PixelLayout, memory: Memory)] = [:]

    private typealias Memory = UnsafeMutableRawBufferPointer

    func update(_ scene: RandomScene) {
      for (image, pixels) in scene.pixels where held[image]?.pixels != pixels.bytes {
        free(image)
        let memory = Memory.allocate(byteCount: pixels.bytes.count, alignment: 16)
        memory.copyBytes(from: pixels.bytes)
        held[image] = (pixels.bytes, pixels.layout, memory)
      }
    }

    subscript(image: ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)? {
      held[image].map { ($0.layout, UnsafeRawBufferPointer($0.memory)) }
    }

    private func free(_ image: ImageID) {
      guard let old = held.removeValue(forKey: image) else { return }
      old.memory.initializeMemory(as: UInt8.self, repeating: 0xa5)
      old.memory.deallocate()
    }

    deinit { for image in held.keys { free(image) } }
  }

  @Test(
    "equals the whole frame, to the byte, whatever changes",
    arguments: [PixelFormat.bgra8, .rgba16f], [RenderPlatform.surfaceless, .software])
  func equalsTheWhole(format: PixelFormat, platform: RenderPlatform) throws {
    func makeRenderer() throws -> any FrameExecutor {
      platform == .software ? SoftwareRenderer() : try GLESRenderer(platform: platform)
    }
    let threads = WorkerThreads(count: 3)
    // Each has textures of its own.
    let (first, second) = (try makeRenderer(), try makeRenderer())
    defer {
      first.close()
      second.close()
    }
    var small: [RandomScene.Edit: (small: Int, all: Int)] = [:]
    var keptGroups = 0
    // Drawing by the CPU is slow in a debug build.
    let count: UInt64 = (format == .bgra8 ? 200 : 60) / (platform == .software ? 5 : 1)
    // The last are scenes that few random ones are like: a group in which something begins to
    // read what lies behind it, a rasterized replicator that preserves depth, sharp corners.
    let seeds = try Self.wantedSeeds() ?? Array(0..<count) + [2263, 3185, 2628]
    for seed in seeds {
      var scene = try RandomScene(seed: seed, format: format)
      // Every other scene is planned on several threads.
      var parts = try Screen(
        first, scene.size, format, inParts: true, seed % 2 == 0 ? nil : threads)
      defer { parts.close() }
      // Groups are kept soon, or late.
      parts.planner.paintsBeforeKept = Int(seed / 2 % 2)
      var edits: [RandomScene.Edit] = []
      for step in 0..<12 {
        let events = try scene.apply()
        // Nothing of earlier frames is left for the whole ones.
        var whole = try Screen(second, scene.size, format, inParts: false)
        defer { whole.close() }
        guard let atOnce = try whole.drawUnlessTooLarge(scene, []) else {
          #expect(try parts.drawUnlessTooLarge(scene, events) == nil, "seed \(seed)")
          break
        }
        let inParts = try parts.draw(scene, events)
        guard inParts.bytes == atOnce.bytes else {
          Issue.record("seed \(seed), step \(step), after \(edits): \(inParts.plan.damage)")
          break
        }
        keptGroups += inParts.plan.passes.reduce(0) { $0 + $1.batches.count(where: drawsKeptGroup) }
        if let edit = edits.last {
          small[edit, default: (0, 0)].all += 1
          if inParts.plan.damage != [PixelRect(scene.size)] { small[edit]!.small += 1 }
        }
        edits.append(scene.edit())
      }
    }
    let (painted, all) = small.values.reduce((0, 0)) { ($0.0 + $1.small, $0.1 + $1.all) }
    // Many changes leave a part of the frame alone.
    #expect(painted * 3 > all, "\(small)")
    #expect(keptGroups > seeds.count / 4, "\(keptGroups)")
  }

  /// The seeds that `make test-seeds` asks for, as "first count"; nil if it does not.
  private static func wantedSeeds() throws -> [UInt64]? {
    guard let wanted = ProcessInfo.processInfo.environment["LAMINA_SEEDS"] else { return nil }
    let numbers = wanted.split(separator: " ").compactMap { UInt32($0) }.map(UInt64.init)
    try #require(numbers.count == 2, "LAMINA_SEEDS is \(wanted), not two numbers")
    return Array(numbers[0]..<numbers[0] + numbers[1])
  }

  /// Whether a batch draws the canvas of a group. Those of rasterized layers are drawn as images.
  private func drawsKeptGroup(_ batch: FramePlan.Batch) -> Bool {
    guard case .canvas = batch.sources.first?.texture else { return false }
    return !batch.program.samplesImages
  }

  /// The pixels of a story's frames, and the number of textures that were uploaded whole; nil if a
  /// frame costs more than one may. With no memory to spare, everything that a frame does not draw
  /// is freed before it.
  private func story(
    _ seed: UInt64, _ format: PixelFormat, on renderer: any FrameExecutor, isShort: Bool
  ) throws -> (frames: [[UInt8]], uploads: Int)? {
    var scene = try RandomScene(seed: seed, format: format)
    var screen = try Screen(renderer, scene.size, format, inParts: true)
    defer { screen.close() }
    var (frames, uploads) = ([[UInt8]](), 0)
    for _ in 0..<12 {
      let events = try scene.apply()
      if isShort {
        screen.planner.budget = try memoryNeeded(scene, events, screen.planner)
      }
      guard let drawn = try screen.drawUnlessTooLarge(scene, events) else { return nil }
      frames.append(drawn.bytes)
      uploads += drawn.plan.uploads.count { $0.region == PixelRect($0.size) }
      #expect(screen.planner.byteCount <= screen.planner.budget)
      _ = scene.edit()
    }
    return (frames, uploads)
  }

  /// Bytes that the next frame needs for itself.
  private func memoryNeeded(
    _ scene: RandomScene, _ events: [RenderTree.Event], _ planner: FramePlanner
  ) throws -> Int {
    var planner = planner
    planner.note(events)
    planner.budget = 0
    do {
      _ = try planner.plan(scene.tree, session: TestTree.session, time: scene.time)
    } catch CommitError.tooMany(_, let needed, _) {
      return needed
    }
    return 0
  }

  @Test(
    "is the same if memory is so short that nothing is kept",
    arguments: [PixelFormat.bgra8, .rgba16f], [RenderPlatform.surfaceless, .software])
  func littleMemory(format: PixelFormat, platform: RenderPlatform) throws {
    let renderer: any FrameExecutor =
      platform == .software ? SoftwareRenderer() : try GLESRenderer(platform: platform)
    defer { renderer.close() }
    var uploads = (plenty: 0, short: 0)
    for seed in try Self.wantedSeeds() ?? Array(0..<12) + [26, 60, 12192] {
      guard let plenty = try story(seed, format, on: renderer, isShort: false) else { continue }
      let short = try #require(
        try story(seed, format, on: renderer, isShort: true), "seed \(seed) lacks memory")
      #expect(short.frames == plenty.frames, "seed \(seed)")
      uploads = (uploads.plenty + plenty.uploads, uploads.short + short.uploads)
    }
    #expect(uploads.short > uploads.plenty, "\(uploads)")
  }
}
