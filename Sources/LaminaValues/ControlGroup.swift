import Foundation

/// The control group whose memory limit a process has, as files of the kernel's.
package struct ControlGroup: Sendable {
  /// The group's folder, then those of the groups around it. In a container the first may not be
  /// there, and the last is the container's own.
  package let folders: [String]
  /// Whether these are the files of cgroups' first version.
  package let isFirstVersion: Bool

  /// Reads the group of a process, by default this one. nil if it has none. `root` is the folder in
  /// which `/proc` and `/sys` are looked for.
  package init?(of process: pid_t? = nil, root: String = "") {
    let file = root + "/proc/\(process.map(String.init) ?? "self")/cgroup"
    guard let groups = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
    // A number, the controllers, and the path of the group.
    let lines = groups.split(separator: "\n").map {
      $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    }.filter { $0.count == 3 }
    // Both versions may be there; only one of them has the memory.
    let first = lines.first { $0[1].split(separator: ",").contains("memory") }
    guard let line = first ?? lines.first(where: { $0[1].isEmpty }) else { return nil }
    isFirstVersion = first != nil
    let mount = root + (isFirstVersion ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup")
    var paths = [line[2] == "/" ? "" : String(line[2])]
    while let last = paths.last, let slash = last.lastIndex(of: "/") {
      paths.append(String(last[..<slash]))
    }
    folders = paths.map { mount + $0 }
  }

  /// The smallest limit of this group and those around it, in bytes; nil for none.
  package var memoryLimit: UInt64? {
    let file = isFirstVersion ? "/memory.limit_in_bytes" : "/memory.max"
    return folders.compactMap { folder in
      let text = try? String(contentsOfFile: folder + file, encoding: .utf8)
      return text.flatMap { UInt64($0.prefix { $0 != "\n" }) }
    }.min()
  }

  /// Number of the group's processes that the kernel has killed because memory ran out; nil if it
  /// does not say. Where the group itself is out of sight, the nearest one around it is asked.
  package var outOfMemoryKills: UInt64? {
    let files =
      isFirstVersion ? ["/memory.oom_control"] : ["/memory.events.local", "/memory.events"]
    for folder in folders {
      for file in files {
        if let count = Self.outOfMemoryKills(in: folder + file) { return count }
      }
    }
    return nil
  }

  private static func outOfMemoryKills(in file: String) -> UInt64? {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
    return line.flatMap { UInt64($0.dropFirst("oom_kill ".count)) }
  }
}
