import CLinux
import Foundation

/// Memory of a device in which a picture lies, and which others may draw from: the dma-bufs of its
/// planes. What a dma-buf shows may change as often as whoever fills it likes.
package final class DMABuf: Sendable {
  package let id: DMABufID
  package let layout: DMABufLayout
  /// One for each plane. They are this object's, and close on exec.
  package let descriptors: [Int32]
  /// Bytes of the dma-bufs, those of several planes counted once for each.
  package let byteCount: UInt64
  private let isMemoryFile: Bool

  /// Takes copies of descriptors, one for each plane.
  package convenience init(
    _ layout: DMABufLayout, copying descriptors: [Int32], allowingMemoryFiles: Bool = false
  ) throws(DMABufError) {
    var copies: [Int32] = []
    for descriptor in descriptors {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else {
        let code = errno
        for copy in copies { close(copy) }
        throw .system(call: "F_DUPFD_CLOEXEC", code: code)
      }
      copies.append(copy)
    }
    try self.init(
      .unique(), layout, takingOver: copies, allowingMemoryFiles: allowingMemoryFiles)
  }

  /// Takes over descriptors, one for each plane. Throws if the layout contradicts itself, if the
  /// planes do not lie in the dma-bufs, or if one is none. `allowingMemoryFiles` is for tests on
  /// machines without dma-bufs.
  package init(
    _ id: DMABufID, _ layout: DMABufLayout, takingOver descriptors: [Int32],
    allowingMemoryFiles: Bool = false
  ) throws(DMABufError) {
    var counts: [UInt64] = []
    do throws(DMABufError) {
      try layout.check()
      for (plane, descriptor) in descriptors.enumerated() {
        let isDMABuf = lamina_is_dma_buf(descriptor)
        guard isDMABuf >= 0 else { throw .system(call: "fstatfs", code: -isDMABuf) }
        guard isDMABuf == 1 || allowingMemoryFiles else { throw .notDMABuf(plane: plane) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw .system(call: "lseek", code: errno) }
        counts.append(UInt64(end))
      }
      try layout.check(byteCounts: counts)
    } catch {
      for descriptor in descriptors { close(descriptor) }
      throw error
    }
    self.id = id
    self.layout = layout
    self.descriptors = descriptors
    byteCount = counts.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    isMemoryFile = allowingMemoryFiles
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }

  /// Copies the picture as it is now to memory of its own, for a render process that cannot draw
  /// from the dma-buf. Waits until devices have written it. Throws if the pixels do not lie in
  /// rows.
  package func copied() throws(DMABufError) -> PixelBuffer {
    guard layout.isLinear else { throw .notLinear(layout) }
    let target: PixelBuffer
    do throws(SharedMemoryError) {
      target = try PixelBuffer(
        width: layout.size.width, height: layout.size.height, format: .bgra8, use: .store)
    } catch {
      throw .memory(error)
    }
    let (descriptor, count) = (descriptors[0], layout.linearByteCount)
    let base = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let base, base != MAP_FAILED else { throw .system(call: "mmap", code: errno) }
    defer { munmap(base, count) }
    try synchronize(begins: true)
    target.withUnsafeMutableBytes { copyRows(from: base, to: $0, stride: target.layout.stride) }
    try synchronize(begins: false)
    return target
  }

  /// Says that the processor begins, or ends, to read.
  private func synchronize(begins: Bool) throws(DMABufError) {
    if isMemoryFile { return }
    let result = lamina_sync_dma_buf(descriptors[0], begins)
    guard result == 0 else { throw .system(call: "DMA_BUF_IOCTL_SYNC", code: -result) }
  }

  private func copyRows(
    from base: UnsafeRawPointer, to target: UnsafeMutableRawBufferPointer, stride: Int
  ) {
    let plane = layout.planes[0]
    let alpha: UInt32 = layout.format.isOpaque ? 0xff00_0000 : 0
    for y in 0..<layout.size.height {
      let row = base + Int(plane.offset) + y * Int(plane.stride)
      let copy = target.baseAddress! + y * stride
      copy.copyMemory(from: row, byteCount: layout.size.width * 4)
      if layout.format == .argb8888 { continue }
      let pixels = copy.assumingMemoryBound(to: UInt32.self)
      for x in 0..<layout.size.width {
        var pixel = UInt32(littleEndian: pixels[x])
        if layout.format.isRedFirst {
          pixel = pixel & 0xff00_ff00 | (pixel & 0xff) << 16 | (pixel >> 16) & 0xff
        }
        pixels[x] = (pixel | alpha).littleEndian
      }
    }
  }
}

/// A picture in a dma-buf, which stays there as long as this object. The last reference tells
/// whoever fills the dma-buf that it may show another one.
package final class DMABufPicture: Sendable {
  package let buffer: DMABuf
  private let release: @Sendable () -> Void

  package init(_ buffer: DMABuf, release: @escaping @Sendable () -> Void) {
    (self.buffer, self.release) = (buffer, release)
  }

  deinit { release() }
}

/// The pixels of a store, which the client holds for as long as the render process may read them.
package enum StorePixels: Sendable {
  case memory(PixelBuffer)
  case dmaBuf(DMABufPicture)
}
