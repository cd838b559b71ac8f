import LaminaCommit
import LaminaFramePlan

extension PlatformReport {
  /// Leaves out the sandbox, which an executor does not know.
  init(_ description: DeviceDescription) {
    var reasons = description.reasons
    if let device = description.device { reasons.append("\(description.platform): \(device)") }
    self.init(
      name: description.platform.rawValue, reasons: reasons, vendor: description.vendor,
      renderer: description.renderer, version: description.version,
      maxTextureSize: UInt32(clamping: description.maxTextureSize),
      isSoftware: description.isSoftware, framebufferFormat: description.framebufferFormat,
      isRobust: description.isRobust, importsDMABufs: description.importsDMABufs)
  }
}
