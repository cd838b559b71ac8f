import Foundation
import TestSupport
import Testing

@testable import LaminaValues

@Suite("Dma-bufs") struct DMABufTests {
  private func layout(
    _ width: Int = 4, _ height: Int = 3, _ format: DMABufFormat = .argb8888,
    modifier: UInt64? = DMABufLayout.linear, planes: [(offset: UInt32, stride: UInt32)] = [(0, 16)]
  ) -> DMABufLayout {
    DMABufLayout(
      size: PixelSize(width: width, height: height), format: format, modifier: modifier,
      planes: planes.map { DMABufLayout.Plane(offset: $0.offset, stride: $0.stride) })
  }

  @Test("Formats have the names of drm_fourcc.h")
  func names() {
    #expect(DMABufFormat.allCases.map(\.name) == ["AR24", "XR24", "AB24", "XB24"])
  }

  @Test("A layout is refused that contradicts itself or its dma-bufs, with the numbers")
  func checks() {
    func error(_ layout: DMABufLayout, _ counts: [UInt64]? = nil) -> DMABufError? {
      do throws(DMABufError) {
        try layout.check(byteCounts: counts)
        return nil
      } catch {
        return error
      }
    }
    #expect(error(layout(), [48]) == nil)
    #expect(error(layout(), [47]) == .tooSmall(plane: 0, needed: 48, actual: 47))
    #expect(error(layout(planes: [(1, 16)]), [48]) == .tooSmall(plane: 0, needed: 49, actual: 48))
    // The last row need not be followed by anything.
    #expect(error(layout(planes: [(0, 20)]), [56]) == nil)
    #expect(error(layout(0, 3)) == .badSize(PixelSize(width: 0, height: 3)))
    #expect(error(layout(4, 65_537)) == .badSize(PixelSize(width: 4, height: 65_537)))
    #expect(error(layout(-1, .max)) == .badSize(PixelSize(width: -1, height: .max)))
    for stride in [0, 15, 1 << 20 + 1, .max] as [UInt32] {
      let bad = layout(planes: [(0, stride)])
      #expect(error(bad) == .badStride(stride, plane: 0, bad))
    }
    let far = layout(65_536, 65_536, planes: [(.max, 1 << 20)])
    #expect(error(far) == nil)
    #expect(error(far, [1 << 36]) != nil)
    for count in [0, 2, 5] {
      let bad = layout(planes: Array(repeating: (0, 16), count: count))
      #expect(error(bad) == .badPlaneCount(count, bad))
    }
    // Of other arrangements no more is known than where they begin.
    for modifier in [nil, 0x0100_0000_0000_0001] as [UInt64?] {
      let tiled = layout(modifier: modifier, planes: [(0, 8), (64, 8)])
      #expect(error(tiled, [1, 65]) == nil)
      #expect(error(tiled, [1, 64]) == .tooSmall(plane: 1, needed: 65, actual: 64))
      #expect(error(tiled, [1]) == .badPlaneCount(1, tiled))
    }
  }

  @Test("A memory file is no dma-buf, nor is a pipe or what is not open")
  func otherFiles() throws {
    let memory = try SharedMemory.create(byteCount: 4096)
    #expect(throws: DMABufError.notDMABuf(plane: 0)) {
      try DMABuf(layout(), copying: [memory.descriptor])
    }
    let pipe = Pipe()
    #expect(throws: DMABufError.notDMABuf(plane: 0)) {
      try DMABuf(layout(), copying: [pipe.fileHandleForReading.fileDescriptor])
    }
    #expect(throws: DMABufError.system(call: "F_DUPFD_CLOEXEC", code: EBADF)) {
      try DMABuf(layout(), copying: [-1])
    }
    #expect(throws: DMABufError.self) { try DMABuf(layout(), copying: []) }
    // Not even where memory files pass for them, if they are too small.
    #expect(throws: DMABufError.tooSmall(plane: 0, needed: 4097, actual: 4096)) {
      try DMABuf(
        layout(planes: [(4049, 16)]), copying: [memory.descriptor], allowingMemoryFiles: true)
    }
  }

  @Test("A copy has blue first and, if nothing is said of alpha, full alpha", arguments: [0, 12])
  func copies(offset: UInt32) throws {
    let memory = try SharedMemory.create(byteCount: 4096)
    let rows = memory.base + Int(offset)
    for y in 0..<3 {
      for (place, byte) in ([1, 2, 3, 4, 5, 6, 7, 8] as [UInt8]).enumerated() {
        rows.storeBytes(
          of: byte + UInt8(y * 10), toByteOffset: y * 20 + place, as: UInt8.self)
      }
    }
    for format in DMABufFormat.allCases {
      let buffer = try DMABuf(
        layout(2, 3, format, planes: [(offset, 20)]), copying: [memory.descriptor],
        allowingMemoryFiles: true)
      let copy = try buffer.copied()
      #expect(copy.size == PixelSize(width: 2, height: 3))
      for y in 0..<3 as Range<UInt8> {
        let row = copy.withUnsafeBytes {
          Array($0[Int(y) * copy.layout.stride..<Int(y) * copy.layout.stride + 8])
        }
        let expected: [UInt8] =
          switch format {
          case .argb8888: [1, 2, 3, 4, 5, 6, 7, 8].map { $0 + y * 10 }
          case .xrgb8888: [1, 2, 3, 255, 5, 6, 7, 255].map { $0 == 255 ? 255 : $0 + y * 10 }
          case .abgr8888: [3, 2, 1, 4, 7, 6, 5, 8].map { $0 + y * 10 }
          case .xbgr8888: [3, 2, 1, 255, 7, 6, 5, 255].map { $0 == 255 ? 255 : $0 + y * 10 }
          }
        #expect(row == expected, "\(format)")
      }
    }
  }

  @Test("Pixels that do not lie in rows are not copied, and the error names format and modifier")
  func tiled() throws {
    let memory = try SharedMemory.create(byteCount: 4096)
    for (modifier, words) in [
      (0x0100_0000_0000_0002, "modifier 0x100000000000002"), (nil, "no modifier"),
    ]
      as [(UInt64?, String)]
    {
      let buffer = try DMABuf(
        layout(modifier: modifier), copying: [memory.descriptor], allowingMemoryFiles: true)
      let error = #expect(throws: DMABufError.self) { try buffer.copied() }
      #expect(
        error?.description == "only a device can read pixels that lie as in 4x3 AR24, \(words)")
    }
  }

  @Test("A picture tells that it is free when its last holder is gone")
  func release() throws {
    let memory = try SharedMemory.create(byteCount: 4096)
    let buffer = try DMABuf(layout(), copying: [memory.descriptor], allowingMemoryFiles: true)
    let count = Counter()
    var pictures = (0..<2).map { _ in
      DMABufPicture(buffer) { count.add() }
    }
    #expect(count.value == 0)
    pictures.removeLast()
    #expect(count.value == 1)
    pictures = []
    #expect(count.value == 2)
  }
}
