import Foundation
import LaminaCommit
import LaminaRenderServer
import LaminaValues
import ServerSupport
import TestSupport
import Testing

/// Sanitizers need what a sandbox forbids.
private let isConfined =
  ProcessInfo.processInfo.environment[Sandbox.environmentVariable] != "off"

@Suite("The sandbox", .serialized, .enabled(if: isConfined))
struct SandboxTests {
  private static let platforms = [RenderPlatform.software, .surfaceless]

  /// What became of each forbidden act, by its name.
  private static func outcomes(
    _ platform: RenderPlatform, _ arguments: [String]
  ) throws -> [String: String] {
    // The program makes it for the acts.
    let folder = NSTemporaryDirectory() + "/lamina-victim-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let connection = try ServerConnection(
      launcher: .faulty(arguments), platform: platform, policy: RestartPolicy(deathsAllowed: 0))
    let session = try connection.openSession(options)
    try connection.send(.filling(session, with: .red))
    let error = #expect(throws: ServerFailure.self) { try connection.frame(.of(session)) }
    let words = "\(try #require(error))".split(separator: " ").map { $0.split(separator: "=") }
    return Dictionary(
      words.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }
    ) { first, _ in first }
  }

  @Test("Whatever a render process has no business with is refused", arguments: platforms)
  func forbidden(platform: RenderPlatform) throws {
    let outcomes = try Self.outcomes(platform, ["tries-forbidden"])
    #expect(outcomes.count == 21)
    for (act, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
      #expect(["EPERM", "EACCES"].contains(outcome), "\(act): \(outcome)")
    }
  }

  @Test("Outside the sandbox the same acts are not refused")
  func unconfined() throws {
    let outcomes = try Self.outcomes(.software, ["tries-forbidden", "unconfined"])
    let done = outcomes.filter { $0.value == "done" }.keys.sorted()
    #expect(
      Set(["read", "create", "delete", "internet", "process", "spawn", "signal"])
        .isSubset(of: Set(done)), "\(done)")
  }

  @Test("A render process says what confines it; one in this process is not", arguments: platforms)
  func report(platform: RenderPlatform) throws {
    let apart = try ServerConnection(launcher: .process, platform: platform).platform.sandbox
    let missing = apart.gaps.compactMap { $0.split(separator: ":").first.map(String.init) }
    #expect(
      Set(apart.measures + missing)
        == ["no_new_privs", "no capabilities", "no core files", "landlock", "seccomp"])
    #expect(apart.measures.starts(with: ["no_new_privs"]))
    let here = try ServerConnection(launcher: .inProcess, platform: platform).platform.sandbox
    #expect(here == SandboxReport())
  }

  @Test("The CPU draws on threads of its own: Dispatch's look where the sandbox lets none look")
  func threads() throws {
    let connection = try ServerConnection(launcher: .process, platform: .software)
    let session = try connection.openSession(
      SessionOptions(size: PixelSize(width: 512, height: 512), scale: 1))
    var commit = Commit.filling(session, with: .red)
    var large = commit.changes[0]
    large.values.bounds = CGRect(x: 0, y: 0, width: 2000, height: 2000)
    commit.changes = [large]
    try connection.send(commit)
    let folder = "/proc/\(try #require(connection.processID))/task"
    let others = min(ProcessInfo.processInfo.activeProcessorCount, 16) - 1
    var names: [String] = []
    let deadline = ContinuousClock.now.advanced(by: .seconds(20))
    // A thread takes its name when it first runs, and no frame waits for that.
    repeat {
      _ = try connection.frame(.of(session))
      names = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8)
      }
    } while names.filter { $0 == "lamina-worker\n" }.count < others
      && ContinuousClock.now < deadline
    #expect(names.filter { $0 == "lamina-worker\n" }.count == others, "\(names)")
    #expect(!names.contains { $0.contains("qos") }, "\(names)")
  }
}
