/// The platform that the render process draws on.
public enum RenderPlatform: String, Hashable, Sendable, CaseIterable {
  /// The first of the others that works: hardware GBM, then a hardware EGL device, then
  /// surfaceless.
  case auto
  /// Buffers of a DRM node; hardware is preferred to software.
  case gbm
  /// An EGL device other than Mesa's software one.
  case device
  /// Mesa's software renderer, without any device.
  case surfaceless
  /// The CPU alone: no library is needed, and frames have the same bytes on every machine.
  case software
}
