import Lamina
import LayerSupport
import TestSupport
import Testing

/// A short form of `make hostile`.
@Suite("Hostile trees") struct HostileTreeTests {
  @Test(
    "Each is a picture or an error, and the process that draws them lives and keeps to its memory",
    arguments: [RenderPlatform.software, .surfaceless])
  func drawn(platform: RenderPlatform) throws {
    let budget = 32 << 20
    let trees = try HostileTrees(
      RenderServer.process.on(platform), size: .moderate, memoryBudget: budget)
    _ = try warnings {
      for seed in 0..<120 { try trees.draw(seed: seed) }
    }
    #expect(trees.deathReasons == [])
    #expect(trees.pictures >= 100, "\(trees.errors)")
    let most = sandboxIsOff ? .max : budget + 100 << 20
    #expect((1 << 20..<most).contains(trees.mostMemory.bytes), "\(trees.mostMemory)")
  }
}
