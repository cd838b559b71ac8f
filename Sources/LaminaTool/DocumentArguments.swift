import Foundation
import Lamina
import LaminaCAML

/// The renderer chosen by the flags.
struct RendererArguments: Equatable {
  var platform: RenderPlatform
  var isInProcess: Bool
  var isVerbose: Bool
  /// In bytes; nil for the server's own choice.
  var memoryBudget: Int?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    platform = try Self.platform(arguments.value("--platform") ?? "auto")
    isInProcess = arguments.has("--in-process")
    isVerbose = arguments.has("--verbose")
    memoryBudget = try arguments.byteCount("--memory")
  }

  static func platform(_ name: String) throws(UsageError) -> RenderPlatform {
    guard let platform = RenderPlatform(rawValue: name) else {
      throw UsageError("--platform: \"\(name)\" is not \(RenderPlatform.names)")
    }
    return platform
  }
}

/// The document to show, its size and its states.
struct DocumentArguments: Equatable {
  var path: String
  var states: [TimedState]
  /// The frame's size, in points; nil for the document's own.
  var size: CGSize?
  /// Pixels per point.
  var scale: Double
  var renderer: RendererArguments

  init(_ arguments: ParsedArguments) throws(UsageError) {
    path = arguments.positionals[0]
    states = []
    for text in arguments.values["--state"] ?? [] { states.append(try TimedState(text)) }
    size = try arguments.size("--size")
    scale = try arguments.positiveNumber("--scale") ?? 1
    guard (1.0 / 64...64).contains(scale) else {
      throw UsageError("--scale: \(scale) is not from 1/64 to 64")
    }
    renderer = try RendererArguments(arguments)
  }
}

/// A state of the document, and when it is set.
struct TimedState: Equatable {
  var name: String
  /// In seconds; nil for a state that is set from the start, without transitions.
  var time: Double?

  init(name: String, time: Double? = nil) {
    (self.name, self.time) = (name, time)
  }

  /// Reads `NAME` or `NAME@T`. Text after the last `@` that is no number belongs to the name.
  init(_ text: String) throws(UsageError) {
    guard let at = text.lastIndex(of: "@"), let time = Double(text[text.index(after: at)...])
    else {
      self.init(name: text)
      return
    }
    guard (0...1e9).contains(time) else {
      throw UsageError("--state: \"\(text)\" is not at a time from 0 on, in seconds")
    }
    self.init(name: String(text[..<at]), time: time)
  }
}

extension StateChange {
  /// The changes that `states` ask for, by time. States of one time are set together.
  static func changes(_ states: [TimedState]) -> [StateChange] {
    var changes: [StateChange] = []
    for time in Set(states.compactMap(\.time)).sorted() {
      changes.append(
        StateChange(time: time, names: states.filter { $0.time == time }.map(\.name)))
    }
    return changes
  }
}
