import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues

/// The client's dma-bufs that the device draws from. Nothing here maps one.
struct ClientDMABufs {
  private var buffers: [DMABufID: DMABuf] = [:]
  private var byteCount: UInt64 = 0

  /// All of them, in order.
  var all: [DMABuf] { buffers.keys.sorted().compactMap { buffers[$0] } }

  func contains(_ id: DMABufID) -> Bool { buffers[id] != nil }

  /// Takes over the descriptors of an offered dma-buf and imports it. Returns why that is not
  /// possible, if it is not. Those taken may have `budget` bytes.
  mutating func take(
    _ id: DMABufID, _ layout: DMABufLayout, _ descriptors: [Int32], on renderer: any FrameExecutor,
    budget: Int, allowingMemoryFiles: Bool
  ) -> String? {
    do throws(DMABufError) {
      let buffer = try DMABuf(
        id, layout, takingOver: descriptors, allowingMemoryFiles: allowingMemoryFiles)
      guard buffers.count < ServerLimit.dmaBufs else {
        return "\(buffers.count + 1) dma-bufs, at most \(ServerLimit.dmaBufs) are taken"
      }
      let (sum, overflow) = byteCount.addingReportingOverflow(buffer.byteCount)
      guard !overflow, sum <= UInt64(max(budget, 0)) else {
        return "\(sum) bytes of dma-bufs, at most \(budget) are taken"
      }
      do throws(ExecutorError) {
        try renderer.importDMABuf(id, layout, descriptors: buffer.descriptors)
      } catch {
        return "\(error)"
      }
      buffers[id] = buffer
      byteCount += buffer.byteCount
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Gives a dma-buf back. Throws if it is none of these, or if one of the images lies in it.
  mutating func release(
    _ id: DMABufID, besides images: some Sequence<RenderTree.Image>
  ) throws(CommitError) {
    guard !images.contains(where: { $0.place.dmaBuf == id }) else {
      throw .badMemory("\(id) is given back while an image lies in it")
    }
    guard let buffer = buffers.removeValue(forKey: id) else { throw .badMemory("no \(id)") }
    byteCount -= buffer.byteCount
  }

  /// Throws unless every store of a commit that is in a dma-buf is in one of these, and is as
  /// large.
  func check(_ stores: [Commit.StoreUpdate]) throws(CommitError) {
    for store in stores {
      guard let id = store.place.dmaBuf else { continue }
      guard let buffer = buffers[id] else { throw .badMemory("no \(id) for \(store.image)") }
      guard store.layout.size == buffer.layout.size else {
        throw .badMemory(
          "\(store.image) of \(store.layout.size) in \(id) of \(buffer.layout.size)")
      }
    }
  }
}
