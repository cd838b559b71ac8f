import LaminaValues

/// Draws frame plans on a device; in tests it may draw nothing. It makes no decisions. All calls
/// come from one thread.
package protocol FrameExecutor: AnyObject {
  var profile: DeviceProfile { get }
  var description: DeviceDescription { get }
  func makeSurface(size: PixelSize, format: PixelFormat) throws(ExecutorError) -> SurfaceID
  func releaseSurface(_ surface: SurfaceID)
  /// Draws a frame, and returns the number of draw calls.
  func execute(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int
  func readBack(
    _ surface: SurfaceID, region: PixelRect?, into memory: UnsafeMutableRawBufferPointer,
    stride: Int
  ) throws(ExecutorError)
  /// Waits until everything is drawn.
  func finish() throws(ExecutorError)
  /// Frees everything; no method is called afterwards.
  func close()
}
