import Foundation
import LaminaValues
import Testing

@Suite("A process's control group") struct ControlGroupTests {
  /// Runs `body` with a folder that has these files.
  private func withFiles<Result>(
    _ files: [String: String], _ body: (String) throws -> Result
  ) throws -> Result {
    let root = NSTemporaryDirectory() + "/lamina-groups-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (path, text) in files {
      let file = URL(filePath: root + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: false, encoding: .utf8)
    }
    return try body(root)
  }

  @Test(
    "has the smallest limit of its own and those around it",
    arguments: [
      ("", [:], nil),
      ("0::/a/b\n", ["/a/b/memory.max": "max\n", "/a/memory.max": "600\n"], 600),
      ("0::/\n", ["/memory.max": "1000"], 1000),
      (
        "4:cpu,memory:/c\n0::/x\n",
        ["/memory/c/memory.limit_in_bytes": "9223372036854771712", "/x/memory.max": "5000"],
        9_223_372_036_854_771_712
      ), ("7:memory:/gone\n", ["/memory/memory.limit_in_bytes": "200"], 200),
      ("nonsense\n1:cpu:/\n", ["/memory.max": "1000"], nil),
    ] as [(String, [String: String], UInt64?)])
  func limit(groups: String, limits: [String: String], expected: UInt64?) throws {
    var files = ["/proc/7/cgroup": groups]
    for (path, limit) in limits { files["/sys/fs/cgroup" + path] = limit }
    try withFiles(files) { root in
      #expect(ControlGroup(of: 7, root: root)?.memoryLimit == expected)
      #expect(ControlGroup(root: root)?.folders == nil)
    }
  }

  @Test("says how often memory ran out in it")
  func kills() throws {
    let events = "low 0\noom 4\noom_kill 3\noom_group_kill 9\n"
    let files = [
      "/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.events": events,
      "/proc/5/cgroup": "2:memory:/b\n",
      "/sys/fs/cgroup/memory/b/memory.oom_control": "under_oom 0\noom_kill 12\n",
      "/proc/6/cgroup": "0::/c\n", "/proc/8/cgroup": "0::/d/gone\n",
      "/sys/fs/cgroup/d/memory.events": events,
      // This one leaves out what happened in the groups inside.
      "/sys/fs/cgroup/d/memory.events.local": "oom_kill 1\n",
    ]
    try withFiles(files) { root in
      #expect(ControlGroup(root: root)?.outOfMemoryKills == 3)
      #expect(ControlGroup(of: 5, root: root)?.outOfMemoryKills == 12)
      #expect(ControlGroup(of: 6, root: root)?.outOfMemoryKills == nil)
      #expect(ControlGroup(of: 8, root: root)?.outOfMemoryKills == 1)
    }
  }
}
