import Foundation
import Lamina
import LaminaValues
import LayerSupport

/// Many hostile trees.
enum Trees {
  private static let budget = 64 << 20
  /// What a process may have beside its budget of pixels and as much again, for copies and
  /// particles: layers, commits, plans, and memory that is freed but not given back. A driver that
  /// draws by the CPU keeps a compiled program for each state of blending and format that it has met.
  private static func rest(on platform: RenderPlatform) -> Int {
    platform == .software ? 100 << 20 : 200 << 20
  }

  /// Draws as many as the first argument says, on the platform that the second one names. Returns
  /// whether the render process lived and kept to its memory.
  static func draw(_ arguments: [String]) throws -> Bool {
    guard let count = arguments.first.flatMap({ Int($0) }), arguments.count >= 2,
      let platform = RenderPlatform(rawValue: arguments[1])
    else { fatal("trees COUNT PLATFORM [FIRST]") }
    let first = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
    let trees = try HostileTrees(
      RenderServer.process.on(platform), size: .extreme, memoryBudget: budget)
    for seed in first..<first + count { try trees.draw(seed: seed) }
    print("\(platform): \(count) trees, \(trees.pictures) drawn")
    for (error, count) in trees.errors.sorted(by: { $0.value > $1.value }) {
      print("  \(count): \(error)")
    }
    print(
      "  most memory: \(trees.mostMemory.bytes >> 20) MB (tree \(trees.mostMemory.seed)), longest: "
        + String(format: "%.2f s (tree %d)", trees.longest.seconds, trees.longest.seed))
    print("  memory at the end: \(trees.memory >> 20) MB")
    for reason in trees.deathReasons { print("  died: \(reason)") }
    return trees.deathReasons.isEmpty && trees.mostMemory.bytes <= 2 * budget + rest(on: platform)
      && trees.pictures > count / 2
  }
}
