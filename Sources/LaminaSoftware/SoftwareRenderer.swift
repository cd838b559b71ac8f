import Foundation
import LaminaFramePlan
import LaminaValues

/// Executes frame plans on the CPU, without decisions of its own and without any library.
///
/// It computes the formulas of the GLES programs, with 8-bit results rounded after each operation.
/// Given equal plans, its bytes are equal on every machine, for any damage and any number of
/// threads: it uses + − × ÷ √ and polynomials of its own, and nothing of the C library's.
package final class SoftwareRenderer: FrameExecutor {
  package let profile = DeviceProfile(
    maxTextureSize: 16384, hasBGRA: true, sharesStores: true, drawsInsidesApart: false,
    bytesPerHalfFloatPixel: PixelFormat.rgba16f.storedBytesPerPixel)
  package let description: DeviceDescription

  var surfaces: [SurfaceID: Bitmap] = [:]
  /// Targets drawn by plans for use in later ones, shared by all surfaces.
  var canvases: [TextureID: Bitmap] = [:]
  var textures: [TextureID: Texture] = [:]
  var offscreens = TargetPool<OffscreenBitmap>()
  var preparation = Preparation()
  let shares: PreparationShares
  let bands: Bands
  package var threads: WorkerThreads? { bands.threads }
  private var nextSurface: UInt32 = 1

  /// Draws with that many threads, by default one for each of the machine's cores.
  package init(threads: Int? = nil, instructions: InstructionSet = .widest) {
    let threads = threads.map { WorkerThreads(count: $0) } ?? WorkerThreads()
    bands = Bands(threads, PixelRows(instructions))
    shares = PreparationShares(threads)
    description = DeviceDescription(
      platform: .software, device: nil, reasons: [], vendor: "Lamina",
      renderer: "software, \(threads.count) \(threads.count == 1 ? "thread" : "threads")",
      version: instructions.description,
      maxTextureSize: profile.maxTextureSize, isSoftware: true, framebufferFormat: "BGRA8",
      isRobust: true)
  }

  package func makeSurface(
    size: PixelSize, format: PixelFormat
  ) throws(ExecutorError) -> SurfaceID {
    let id = SurfaceID(rawValue: nextSurface)
    surfaces[id] = try makeBitmap(size, format)
    nextSurface += 1
    return id
  }

  package func releaseSurface(_ surface: SurfaceID) { surfaces[surface] = nil }

  /// Nothing is left to wait for when `execute` returns.
  package func finish() {}

  package func close() {
    surfaces = [:]
    canvases = [:]
    textures = [:]
    offscreens.removeAll()
  }

  func makeBitmap(_ size: PixelSize, _ format: PixelFormat) throws(ExecutorError) -> Bitmap {
    guard format != .a8 else { throw .unsupportedFormat(format) }
    try check(size)
    return Bitmap(size, format)
  }

  func check(_ size: PixelSize) throws(ExecutorError) {
    let limit = profile.maxTextureSize
    guard !size.isEmpty, size.width <= limit, size.height <= limit else {
      throw .unsupportedSize(size, limit: limit)
    }
  }

  /// Copies a surface's pixels into memory, as `FrameExecutor` says.
  package func readBack(
    _ id: SurfaceID, region: PixelRect?, into memory: UnsafeMutableRawBufferPointer, stride: Int
  ) throws(ExecutorError) {
    guard let surface = surfaces[id] else { throw .unknownSurface(id) }
    let layout = PixelLayout(
      width: surface.size.width, height: surface.size.height, stride: stride,
      format: surface.format)
    let bytesPerPixel = surface.format.bytesPerPixel
    guard layout.byteCount != nil, let base = memory.baseAddress,
      (layout.height - 1) * stride + layout.width * bytesPerPixel <= memory.count
    else {
      throw .badPlan("\(surface.size) pixels \(stride) bytes a row do not fit \(memory.count)")
    }
    let whole = PixelRect(surface.size)
    let region = (region ?? whole).intersection(whole)
    if region.isEmpty { return }
    let texels = surface.texels
    for y in region.minY..<region.maxY {
      let to = base + y * stride + region.minX * bytesPerPixel
      if surface.format == .bgra8 {
        to.copyMemory(from: texels.bytes(y) + region.minX, byteCount: region.width * 4)
        continue
      }
      let floats = texels.floats(y) + region.minX * 4
      for i in 0..<region.width * 4 {
        to.storeBytes(of: Float16(floats[i]), toByteOffset: i * 2, as: Float16.self)
      }
    }
  }
}
