import LaminaCommit
import LaminaFramePlan
import LaminaRenderServer
import LaminaValues

/// Draws nothing, and checks every plan for what a renderer may expect. Fills the pixels it reads
/// back with the number of frames so far.
package final class RecordingRenderer: FrameExecutor {
  package let profile = DeviceProfile(
    maxTextureSize: 4096, hasBGRA: true, drawsPartsExactly: false)
  package private(set) var frames = 0
  private var surfaces: [SurfaceID: PixelSize] = [:]
  private var lastSurface: UInt32 = 0

  package init() {}

  package let description = DeviceDescription(
    platform: .surfaceless, device: nil, reasons: [], vendor: "", renderer: "", version: "",
    maxTextureSize: 4096, isSoftware: true, framebufferFormat: "BGRA8", isRobust: false)

  package func makeSurface(size: PixelSize, format: PixelFormat) throws(ExecutorError) -> SurfaceID
  {
    guard size.width <= 4096, size.height <= 4096 else {
      throw .unsupportedSize(size, limit: 4096)
    }
    lastSurface += 1
    surfaces[SurfaceID(rawValue: lastSurface)] = size
    return SurfaceID(rawValue: lastSurface)
  }

  package func releaseSurface(_ surface: SurfaceID) { surfaces[surface] = nil }

  package func execute(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int {
    guard let size = surfaces[surface] else { throw .unknownSurface(surface) }
    guard plan.size == size else { throw .badPlan("\(plan.size) on \(size)") }
    for upload in plan.uploads {
      guard PixelRect(upload.size).contains(upload.region) else {
        throw .badUpload(upload.texture, "outside")
      }
      guard case .store(let image, let x, let y) = upload.source else { continue }
      guard let (layout, bytes) = stores(image) else {
        throw .badUpload(upload.texture, "no store")
      }
      let source = PixelRect(
        minX: x, minY: y, maxX: x + upload.region.width, maxY: y + upload.region.height)
      guard PixelRect(layout.size).contains(source), bytes.count >= layout.byteCount ?? .max else {
        throw .badUpload(upload.texture, "outside its store")
      }
    }
    frames += 1
    return plan.passes.reduce(0) { $0 + $1.batches.count }
  }

  package func readBack(
    _ surface: SurfaceID, region: PixelRect?, into memory: UnsafeMutableRawBufferPointer,
    stride: Int
  ) throws(ExecutorError) {
    memory.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: frames))
  }

  package func finish() {}

  package func close() {}
}

extension ServerLoop {
  /// Serves with a renderer that draws nothing.
  package convenience init(recordingOn socket: Socket) {
    self.init(socket: socket) { _ throws(ExecutorError) in RecordingRenderer() }
  }
}
