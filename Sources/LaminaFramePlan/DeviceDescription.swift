import LaminaValues

/// The chosen device, described for people and bug reports.
package struct DeviceDescription: Hashable, Sendable {
  /// The platform that was chosen; never `auto`.
  package var platform: RenderPlatform
  /// The DRM node or the EGL device, if there is one.
  package var device: String?
  /// Why other platforms were refused before this one: one line each, in the order tried.
  package var reasons: [String]
  package var vendor: String
  package var renderer: String
  package var version: String
  package var maxTextureSize: Int
  package var isSoftware: Bool
  /// The storage of 8-bit frames on the device: "BGRA8" or "RGBA8".
  package var framebufferFormat: String
  /// Whether a reset of the device is reported instead of causing undefined behaviour.
  package var isRobust: Bool
  /// Whether the device may draw from dma-bufs where they are.
  package var importsDMABufs: Bool

  package init(
    platform: RenderPlatform, device: String?, reasons: [String], vendor: String, renderer: String,
    version: String, maxTextureSize: Int, isSoftware: Bool, framebufferFormat: String,
    isRobust: Bool, importsDMABufs: Bool = false
  ) {
    self.platform = platform
    self.device = device
    self.reasons = reasons
    self.vendor = vendor
    self.renderer = renderer
    self.version = version
    self.maxTextureSize = maxTextureSize
    self.isSoftware = isSoftware
    self.framebufferFormat = framebufferFormat
    self.isRobust = isRobust
    self.importsDMABufs = importsDMABufs
  }
}
