import Foundation
import LaminaValues

/// How much memory the pixels of a process may take if its client does not say.
enum MemoryBudget {
  /// That of this process.
  static let usual = half()

  /// Half of what the machine has, or of the smallest limit of the control groups that this process
  /// is in. `root` is the folder in which `/proc` and `/sys` are looked for.
  static func half(
    of machine: UInt64 = ProcessInfo.processInfo.physicalMemory, root: String = ""
  ) -> UInt64 {
    min(machine, ControlGroup(root: root)?.memoryLimit ?? .max) / 2
  }
}
