import Foundation
import Lamina
import LaminaCAML

/// The renderer chosen by the flags.
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

/// The document to show, its size and its states.
struct DocumentArguments: Equatable {
  var path: String
  var states: [String]
  /// The frame's size, in points; nil for the document's own.
  var size: CGSize?
  /// Pixels per point.
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
