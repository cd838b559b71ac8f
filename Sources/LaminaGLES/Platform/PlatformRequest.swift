/// Which way to the device is asked for.
package enum PlatformRequest: String, Hashable, Sendable, CaseIterable {
  /// Hardware GBM, else a hardware EGL device, else surfaceless.
  case auto
  /// A DRM node, hardware before software.
  case gbm
  /// An EGL device that is not Mesa's software one.
  case device
  /// Mesa without any device.
  case surfaceless
}

/// What was chosen, for people and for bug reports.
package struct DeviceDescription: Hashable, Sendable {
  /// Never `auto`.
  package var platform: PlatformRequest
  /// The DRM node or the EGL device, where there is one.
  package var device: String?
  /// A line for each platform that was refused first, in the order tried.
  package var reasons: [String]
  package var vendor: String
  package var renderer: String
  package var version: String
  package var maxTextureSize: Int
  package var isSoftware: Bool
  /// How 8-bit frames are stored on the device: "BGRA8" or "RGBA8".
  package var framebufferFormat: String
  /// Whether a reset of the device is reported instead of undefined.
  package var isRobust: Bool
}
