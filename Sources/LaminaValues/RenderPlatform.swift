/// The platform that the render process draws on.
public enum RenderPlatform: String, Hashable, Sendable, CaseIterable {
  /// The platform that `LAMINA_PLATFORM` in the environment names, if it does; otherwise the first
  /// that works of hardware GBM, a hardware EGL device and surfaceless.
  case auto
  /// Buffers of a DRM node; hardware is preferred to software.
  case gbm
  /// An EGL device other than Mesa's software one.
  case device
  /// Mesa's software renderer, without any device.
  case surfaceless
  /// The CPU alone: no library is needed, and frames have the same bytes on every machine.
  case software

  /// All names, for messages: "auto, gbm, … or software".
  package static var names: String {
    let names = allCases.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
  }
}
