import LaminaValues

/// Draws frame plans on a device; in tests it may draw nothing. It makes no decisions. All calls
/// come from one thread.
package protocol FrameExecutor: AnyObject {
  var profile: DeviceProfile { get }
  var description: DeviceDescription { get }
  /// Threads that draw, for use between frames as well; nil if there are none.
  var threads: WorkerThreads? { get }
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
  /// From now on measures how long the device takes for each frame, if it can tell.
  func measureDeviceTime()
  /// Seconds that the device took to execute the last plan; nil if that is not known. Waits until
  /// the device is done.
  func deviceTime() throws(ExecutorError) -> Double?
  /// Makes a dma-buf one that plans may upload from, without a copy. The descriptors, one for each
  /// plane, stay the caller's. Throws if the device cannot draw from it.
  func importDMABuf(
    _ id: DMABufID, _ layout: DMABufLayout, descriptors: [Int32]
  ) throws(ExecutorError)
  /// Forgets a dma-buf, if it was imported.
  func releaseDMABuf(_ id: DMABufID)
  /// Copies what a dma-buf shows now, as BGRA8 in rows without gaps; nil if that is not possible.
  func pixels(ofDMABuf id: DMABufID) -> [UInt8]?
  /// Frees everything; no method is called afterwards.
  func close()
}

extension FrameExecutor {
  package var threads: WorkerThreads? { nil }

  // What draws in the calling thread takes as long as the call.

  package func measureDeviceTime() {}

  package func deviceTime() throws(ExecutorError) -> Double? { nil }

  // What draws from memory alone takes no dma-bufs.

  package func importDMABuf(
    _ id: DMABufID, _ layout: DMABufLayout, descriptors: [Int32]
  ) throws(ExecutorError) {
    throw .notImported("the platform does not draw from dma-bufs")
  }

  package func releaseDMABuf(_ id: DMABufID) {}

  package func pixels(ofDMABuf id: DMABufID) -> [UInt8]? { nil }
}
