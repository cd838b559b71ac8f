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
}
