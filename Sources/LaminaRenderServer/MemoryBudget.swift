import Foundation

/// How much memory the pixels of a process may take if its client does not say.
enum MemoryBudget {
  /// Half of what the machine has, or of the smallest limit of the control groups that this process
  /// is in. `root` is the folder in which `/proc` and `/sys` are looked for.
  static func half(
    of machine: UInt64 = ProcessInfo.processInfo.physicalMemory, root: String = ""
  ) -> UInt64 {
    ([machine] + controlGroupLimits(root)).min()! / 2
  }

  private static func controlGroupLimits(_ root: String) -> [UInt64] {
    let groups = (try? String(contentsOfFile: root + "/proc/self/cgroup", encoding: .utf8)) ?? ""
    return groups.split(separator: "\n").flatMap { line -> [UInt64] in
      // A number, the controllers, and the path of the group.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let isFirstVersion = parts[1].split(separator: ",").contains("memory")
      guard isFirstVersion || parts[1].isEmpty else { return [] }
      let (folder, file) =
        isFirstVersion
        ? ("/sys/fs/cgroup/memory", "/memory.limit_in_bytes") : ("/sys/fs/cgroup", "/memory.max")
      return paths(from: String(parts[2])).compactMap { limit(root + folder + $0 + file) }
    }
  }

  /// A group's path and those above it. In a container the first may not be there, and the last is
  /// the container's own.
  private static func paths(from path: String) -> [String] {
    var paths = [path == "/" ? "" : path]
    while let last = paths.last, let slash = last.lastIndex(of: "/") {
      paths.append(String(last[..<slash]))
    }
    return paths
  }

  /// nil if there is no such file, or no limit.
  private static func limit(_ file: String) -> UInt64? {
    let text = try? String(contentsOfFile: file, encoding: .utf8)
    return text.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }
}
