import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderServer
import LaminaSoftware
import LaminaValues

/// Draws by the CPU, and stands for a device that imports dma-bufs: of memory files, whose pixels
/// are as in `argb8888`, in rows.
package final class ImportingRenderer: WrappingExecutor {
  package let real: any FrameExecutor = SoftwareRenderer()
  private var imported: [DMABufID: (layout: DMABufLayout, memory: UnsafeRawBufferPointer)] = [:]

  /// An arrangement that is said to be this device's own.
  package static let ownModifier: UInt64 = 0x0100_0000_0000_0009

  package init() {}

  package var description: DeviceDescription {
    var description = real.description
    description.importsDMABufs = true
    return description
  }

  package func importDMABuf(
    _ id: DMABufID, _ layout: DMABufLayout, descriptors: [Int32]
  ) throws(ExecutorError) {
    guard layout.isLinear || layout.modifier == Self.ownModifier else {
      throw .notImported("the test's device takes no \(layout)")
    }
    let count = layout.linearByteCount
    let base = mmap(nil, count, PROT_READ, MAP_SHARED, descriptors[0], 0)
    guard let base, base != MAP_FAILED else { throw .notImported("mmap") }
    imported[id] = (layout, UnsafeRawBufferPointer(start: base, count: count))
  }

  package func releaseDMABuf(_ id: DMABufID) {
    guard let memory = imported.removeValue(forKey: id)?.memory else { return }
    munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count)
  }

  package func pixels(ofDMABuf id: DMABufID) -> [UInt8]? {
    guard let (layout, memory) = imported[id] else { return nil }
    let plane = layout.planes[0]
    return (0..<layout.size.height).flatMap { y in
      memory[Int(plane.offset) + y * Int(plane.stride)..<memory.count].prefix(layout.size.width * 4)
    }
  }

  package func execute(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: (ImageID) -> (layout: PixelLayout, bytes: UnsafeRawBufferPointer)?
  ) throws(ExecutorError) -> Int {
    var plan = plan
    for place in plan.uploads.indices {
      guard case .dmaBuf(let id) = plan.uploads[place].source else { continue }
      guard plan.uploads[place].sharesStore, let pixels = pixels(ofDMABuf: id) else {
        throw .badUpload(plan.uploads[place].texture, "there is no \(id)")
      }
      plan.uploads[place].source = .bytes(pixels)
      plan.uploads[place].sharesStore = false
    }
    return try real.execute(plan, on: surface, stores: stores)
  }

  package func close() {
    for id in Array(imported.keys) { releaseDMABuf(id) }
    real.close()
  }
}

extension ServerLoop {
  /// Serves as if memory files were dma-bufs and the device drew from them.
  package convenience init(importingOn socket: Socket) {
    self.init(
      socket: socket, makeRenderer: { _ throws(ExecutorError) in ImportingRenderer() },
      allowingMemoryFiles: true)
  }
}
