import Foundation
import Lamina
import LaminaCAML

/// Runs the command line, from its arguments to its exit status.
enum Tool {
  static let version = "0.1.0"

  static func run(_ arguments: [String]) async -> ExitStatus {
    do {
      return try await dispatch(arguments)
    } catch {
      let failure = ToolFailure(error)
      Report.error(failure.message)
      return failure.status
    }
  }

  private static func dispatch(_ arguments: [String]) async throws -> ExitStatus {
    guard let name = arguments.first else {
      throw UsageError("no command; lamina --help names them")
    }
    switch name {
    case "--help", "-h", "help":
      if let command = Commands.all.first(where: { $0.name == arguments.dropFirst().first }) {
        print(command.helpText)
      } else {
        print(Commands.helpText)
      }
      return .success
    case "--version", "version":
      print("lamina \(version)")
      return .success
    default: break
    }
    guard let command = Commands.all.first(where: { $0.name == name }) else {
      let hint = nearestName(to: name, among: Commands.all.map(\.name))
      throw UsageError("unknown command \(name)\(hint.map { "; did you mean \($0)?" } ?? "")")
    }
    let parsed = try command.parse(Array(arguments.dropFirst()))
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
    default: return try DumpCommand(parsed).run()
    }
  }
}
