import Foundation
import Testing

/// A short form of `make soak`'s first part.
@Suite("Clients that die") struct DyingClientTests {
  /// A render process of its own, by which it is told from all others.
  private final class OwnServer {
    let folder = try? ToolFolder()
    let path: String

    init() throws {
      guard let folder else { throw CocoaError(.fileWriteUnknown) }
      path = folder.path("lamina-render-server")
      try FileManager.default.copyItem(
        atPath: ToolRun.built("lamina-render-server").path, toPath: path)
    }

    /// The processes that run it.
    var processes: Set<Int32> {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return Set(
        names.compactMap { Int32($0) }.filter {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")) == path
        })
    }
  }

  @Test(
    "Whenever a client is killed, its render process ends", arguments: ["software", "surfaceless"])
  func killed(platform: String) throws {
    let server = try OwnServer()
    var clientsWithProcess = 0
    for number in 0..<30 {
      let client = Process()
      client.executableURL = ToolRun.built("drawing-client")
      client.arguments = ["forever"]
      client.environment = ProcessInfo.processInfo.environment.merging(
        ["LAMINA_RENDER_SERVER": server.path, "LAMINA_PLATFORM": platform]) { $1 }
      let before = server.processes
      try client.run()
      // Half of them are killed some time after their start, the others once they have a process.
      while number % 2 == 1, client.isRunning, server.processes.isSubset(of: before) { usleep(500) }
      // Prime numbers, so that the moments differ: 0 to 100 ms.
      usleep(UInt32(number * 7919 % 101) * 1000)
      if !server.processes.isSubset(of: before) { clientsWithProcess += 1 }
      kill(client.processIdentifier, SIGKILL)
      client.waitUntilExit()
    }
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    while !server.processes.isEmpty, ContinuousClock.now < deadline { usleep(10_000) }
    let left = server.processes
    #expect(left == [])
    for process in left { kill(process, SIGKILL) }
    #expect(clientsWithProcess >= 15)
  }
}
