import Foundation
import Lamina
import LaminaValues
import LayerSupport

/// Many hostile trees.
enum Trees {
  /// Draws as many as the first argument says, on the platform that the second one names, with a
  /// budget of memory in megabytes. Returns whether the render process lived and kept to its
  /// memory: the budget, and 100 MB for layers, plans, itself, and a driver with its compiled
  /// programs.
  static func draw(_ arguments: [String]) throws -> Bool {
    let numbers = arguments.enumerated().compactMap { $0.offset == 1 ? nil : Int($0.element) }
    guard arguments.count == 4, numbers.count == 3,
      let platform = RenderPlatform(rawValue: arguments[1])
    else { fatal("trees COUNT PLATFORM FIRST BUDGET") }
    let (count, first, budget) = (numbers[0], numbers[1], numbers[2] << 20)
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
    return trees.deathReasons.isEmpty && trees.mostMemory.bytes <= budget + 100 << 20
      && trees.pictures > count / 2
  }
}
