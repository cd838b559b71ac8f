import Foundation
import Lamina
import LaminaCAML

/// Runs the command line, from its arguments to its exit status. What waits for nothing runs on the
/// main thread, where most apps have their layers.
@MainActor
enum Tool {
  nonisolated static let version = "0.1.0"

  /// Ends the process. Libraries' handlers of `exit` are not called: they free what the system
  /// frees.
  static func main(_ arguments: [String]) async -> Never {
    let status = await run(arguments)
    fflush(nil)
    _exit(status.rawValue)
  }

  private static func run(_ arguments: [String]) async -> ExitStatus {
    do {
      return try await dispatch(arguments)
    } catch {
      let failure = ToolFailure(error)
      Report.error(failure.message)
      return failure.status
    }
  }

  private static func dispatch(_ arguments: [String]) async throws -> ExitStatus {
    guard var name = arguments.first else {
      throw UsageError("no command; lamina help names them")
    }
    var rest = Array(arguments.dropFirst())
    // The name of such a command is two words.
    if name == "farm", let second = rest.first, !second.hasPrefix("-") {
      name += " " + rest.removeFirst()
    }
    switch name {
    case "--help", "-h":
      print(Commands.helpText)
      return .success
    case "--version", "version":
      print("lamina \(version)")
      return .success
    default: break
    }
    if arguments == ["farm"] || arguments == ["farm", "--help"] {
      print(Commands.rows(Commands.farm).joined(separator: "\n"))
      return .success
    }
    let command = try Commands.command(named: name)
    let parsed = try command.parse(rest)
    if parsed.has("--help") {
      print(command.helpText)
      return .success
    }
    switch command.name {
    case "render": return try await RenderCommand(parsed).run()
    case "join": return try JoinCommand(parsed).run()
    case "compare": return try CompareCommand(parsed).run()
    case "convert": return try ConvertCommand(parsed).run()
    case "bench": return try BenchCommand(parsed).run()
    case "info": return try InfoCommand(parsed).run()
    case "dump": return try DumpCommand(parsed).run()
    case "preview": return try PreviewCommand(parsed).run()
    case "inspect": return try InspectCommand(parsed).run()
    case "help": return try HelpCommand(parsed).run()
    default: return try await runFarm(command.name, parsed)
    }
  }

  private static func runFarm(_ name: String, _ parsed: ParsedArguments) async throws -> ExitStatus
  {
    switch name {
    case "farm render": try FarmRender(parsed).run()
    case "farm compare": try FarmCompare(parsed).run()
    case "farm bench": try FarmBench(parsed).run()
    case "farm status": try FarmControl(parsed).status()
    case "farm resume": try FarmControl(parsed).resume()
    case "farm cancel": try FarmControl(parsed).cancel()
    default: try await FarmTask(parsed).run()
    }
  }
}
