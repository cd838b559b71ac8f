import LaminaCommit
import LaminaGLES
import LaminaRenderTree
import LaminaValues

/// The renderer that the server draws with: a `GLESRenderer`, or in tests a double that draws
/// nothing. Used on one thread.
package protocol FrameRenderer: AnyObject {
  var profile: DeviceProfile { get }
  /// Leaves out the sandbox, which the renderer does not know.
  var report: PlatformReport { get }
  func makeSurface(size: PixelSize, format: PixelFormat) throws(GLESError) -> SurfaceID
  func releaseSurface(_ surface: SurfaceID)
  /// Draws a frame, and returns the number of draw calls.
  func execute(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(GLESError) -> Int
  func readBack(
    _ surface: SurfaceID, region: PixelRect?, into memory: UnsafeMutableRawBufferPointer,
    stride: Int
  ) throws(GLESError)
  /// Waits until everything is drawn.
  func finish() throws(GLESError)
  /// Frees everything; no method is called afterwards.
  func close()
}

extension GLESRenderer: FrameRenderer {
  package var report: PlatformReport {
    var reasons = description.reasons
    if let device = description.device { reasons.append("\(description.platform): \(device)") }
    return PlatformReport(
      name: description.platform.rawValue, reasons: reasons, vendor: description.vendor,
      renderer: description.renderer, version: description.version,
      maxTextureSize: UInt32(clamping: description.maxTextureSize),
      isSoftware: description.isSoftware, framebufferFormat: description.framebufferFormat,
      isRobust: description.isRobust, sandbox: [])
  }
}
