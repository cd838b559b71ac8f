import Foundation
import Lamina
import LaminaCommit

/// Programs that are killed while their render processes work.
enum Clients {
  /// Draws until it is killed.
  static func draw() throws {
    let counter = Counter()
    let renderer = try CARenderer(size: Counter.size, clock: .manual())
    renderer.layer = counter.root
    for number in 0... {
      counter.show(number)
      _ = try renderer.image(at: Double(number) / 60)
    }
  }

  /// Kills clients at moments from their start to some frames later, and looks for what is left of
  /// them. Returns whether nothing is.
  static func kill(_ count: Int) throws -> Bool {
    // By its path, their render process is told from all others.
    let folder = FileManager.default.temporaryDirectory.path + "/lamina-soak-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = folder + "/lamina-render-server"
    let real = try RenderServerLauncher.findProgram(
      named: ProcessInfo.processInfo.environment[RenderServerLauncher.environmentVariable])
    try FileManager.default.copyItem(atPath: real, toPath: server)

    var before = (memory: sharedMemory, files: openFiles)
    var servers = 0
    for number in 0..<count {
      // Foundation opens files of its own with the first.
      if number == count / 20 { before = (sharedMemory, openFiles) }
      let client = Process()
      client.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      client.arguments = ["client"]
      client.environment = ProcessInfo.processInfo.environment.merging(
        [RenderServerLauncher.environmentVariable: server]
      ) { $1 }
      try client.run()
      // Prime numbers, so that the moments differ: 0 to 60 ms.
      Thread.sleep(forTimeInterval: Double(number * 7919 % 601) / 10_000)
      if !processes(of: server).isEmpty { servers += 1 }
      Glibc.kill(client.processIdentifier, SIGKILL)
      client.waitUntilExit()
    }
    let deadline = ContinuousClock.now.advanced(by: .seconds(5))
    while !processes(of: server).isEmpty, ContinuousClock.now < deadline {
      Thread.sleep(forTimeInterval: 0.01)
    }
    let left = processes(of: server).count
    let after = (memory: sharedMemory, files: openFiles)
    print(
      "clients: \(count) killed, \(servers) of them with a render process; \(left) of these left,"
        + " shared memory \(before.memory) kB, then \(after.memory) kB, open files"
        + " \(before.files), then \(after.files)")
    return servers > count / 4 && left == 0 && after.memory - before.memory < 8192
      && after.files <= before.files + 2
  }

  /// The processes that run a program.
  private static func processes(of program: String) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")) == program
    }
  }

  /// The machine's shared memory, memory files included, in kB.
  private static var sharedMemory: Int {
    let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("Shmem:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  private static var openFiles: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}
