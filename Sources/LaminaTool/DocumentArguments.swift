import Foundation
import Lamina
import LaminaCAML

/// Which renderer draws, as the flags say.
struct RendererArguments: Equatable {
  var platform: RenderPlatform
  var isInProcess: Bool
  var isVerbose: Bool

  init(_ arguments: ParsedArguments) throws(UsageError) {
    let name = arguments.value("--platform") ?? "auto"
    guard let platform = RenderPlatform(rawValue: name) else {
      throw UsageError("--platform: \"\(name)\" is not auto, gbm, device or surfaceless")
    }
    self.platform = platform
    isInProcess = arguments.has("--in-process")
    isVerbose = arguments.has("--verbose")
  }
}

/// Which document is shown, how large and in which state.
struct DocumentArguments: Equatable {
  var path: String
  var states: [String]
  /// In points; nil for the document's own.
  var size: CGSize?
  /// Pixels a point.
  var scale: Double
  var renderer: RendererArguments

  init(_ arguments: ParsedArguments) throws(UsageError) {
    path = arguments.positionals[0]
    states = arguments.values["--state"] ?? []
    size = try arguments.size("--size")
    scale = try arguments.positiveNumber("--scale") ?? 1
    guard (1.0 / 64...64).contains(scale) else {
      throw UsageError("--scale: \(scale) is not from 1/64 to 64")
    }
    renderer = try RendererArguments(arguments)
  }
}
