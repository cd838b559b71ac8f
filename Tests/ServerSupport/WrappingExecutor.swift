import LaminaFramePlan
import LaminaValues

/// Draws as another executor does, but for what it declares itself.
package protocol WrappingExecutor: FrameExecutor {
  var real: any FrameExecutor { get }
}

extension WrappingExecutor {
  package var profile: DeviceProfile { real.profile }

  package var description: DeviceDescription { real.description }

  package func makeSurface(size: PixelSize, format: PixelFormat) throws(ExecutorError) -> SurfaceID
  {
    try real.makeSurface(size: size, format: format)
  }

  package func releaseSurface(_ surface: SurfaceID) { real.releaseSurface(surface) }

  package func execute(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int {
    try real.execute(plan, on: surface, stores: stores)
  }

  package func readBack(
    _ surface: SurfaceID, region: PixelRect?, into memory: UnsafeMutableRawBufferPointer,
    stride: Int
  ) throws(ExecutorError) {
    try real.readBack(surface, region: region, into: memory, stride: stride)
  }

  package func finish() throws(ExecutorError) { try real.finish() }

  package func measureDeviceTime() { real.measureDeviceTime() }

  package func deviceTime() throws(ExecutorError) -> Double? { try real.deviceTime() }

  package func close() { real.close() }
}
