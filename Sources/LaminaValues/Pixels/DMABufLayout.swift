import Glibc

/// The order of a pixel's bytes in a dma-buf, by its code in `drm_fourcc.h`: `CADMABuf.Format`. All
/// have eight bits a channel. Colour is premultiplied with the alpha. The first row is the top one.
public enum DMABufFormat: UInt32, Sendable, CaseIterable {
  /// Blue, green, red, alpha: `DRM_FORMAT_ARGB8888`, "AR24".
  case argb8888 = 0x3432_5241
  /// Blue, green, red, and a byte that means nothing; opaque: `DRM_FORMAT_XRGB8888`, "XR24".
  case xrgb8888 = 0x3432_5258
  /// Red, green, blue, alpha: `DRM_FORMAT_ABGR8888`, "AB24".
  case abgr8888 = 0x3432_4241
  /// Red, green, blue, and a byte that means nothing; opaque: `DRM_FORMAT_XBGR8888`, "XB24".
  case xbgr8888 = 0x3432_4258

  package var isOpaque: Bool { self == .xrgb8888 || self == .xbgr8888 }
  package var isRedFirst: Bool { self == .abgr8888 || self == .xbgr8888 }

  /// The four characters of the code, such as "AR24".
  package var name: String {
    String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) }, as: UTF8.self)
  }
}

/// How a picture lies in one or more dma-bufs.
package struct DMABufLayout: Hashable, Sendable, CustomStringConvertible {
  /// A part of the picture's memory: the pixels, or what a modifier has besides them.
  package struct Plane: Hashable, Sendable {
    /// Bytes from the start of the plane's dma-buf.
    package var offset: UInt32
    /// Bytes from row to row.
    package var stride: UInt32

    package init(offset: UInt32, stride: UInt32) { (self.offset, self.stride) = (offset, stride) }
  }

  package var size: PixelSize
  package var format: DMABufFormat
  /// The arrangement of the pixels, by its code in `drm_fourcc.h`; nil if only the driver knows it.
  package var modifier: UInt64?
  package var planes: [Plane]

  package init(size: PixelSize, format: DMABufFormat, modifier: UInt64?, planes: [Plane]) {
    (self.size, self.format, self.modifier, self.planes) = (size, format, modifier, planes)
  }

  /// `DRM_FORMAT_MOD_LINEAR`: rows of pixels, one after the other.
  package static let linear: UInt64 = 0
  /// `DRM_FORMAT_MOD_INVALID`, by which drivers say that they do not tell.
  package static let unknownModifier: UInt64 = 0x00ff_ffff_ffff_ffff
  /// Largest number of planes that drivers know.
  package static let planeLimit = 4
  /// Largest number of bytes from row to row.
  package static let strideLimit: UInt32 = 1 << 20

  package var isLinear: Bool { modifier == Self.linear }

  /// The layout of the pixels wherever they are drawn or copied.
  package var pixels: PixelLayout {
    PixelLayout(width: size.width, height: size.height, stride: size.width * 4, format: .bgra8)
  }

  /// The bytes that linear pixels take, from the start of their dma-buf. Valid in a checked layout.
  package var linearByteCount: Int {
    Int(planes[0].offset) + Int(planes[0].stride) * (size.height - 1) + size.width * 4
  }

  /// Throws unless the numbers make sense and, if the sizes of the planes' dma-bufs are given, the
  /// planes lie in them. Of an arrangement that only drivers know, no more can be told than that
  /// each plane begins there.
  package func check(byteCounts: [UInt64]? = nil) throws(DMABufError) {
    let sides = 1...ServerLimit.side
    guard sides.contains(size.width), sides.contains(size.height) else { throw .badSize(size) }
    guard (1...Self.planeLimit).contains(planes.count), !isLinear || planes.count == 1 else {
      throw .badPlaneCount(planes.count, self)
    }
    for (index, plane) in planes.enumerated() {
      guard plane.stride > 0, plane.stride <= Self.strideLimit,
        !isLinear || Int(plane.stride) >= size.width * 4
      else { throw .badStride(plane.stride, plane: index, self) }
    }
    guard let byteCounts else { return }
    guard byteCounts.count == planes.count else { throw .badPlaneCount(byteCounts.count, self) }
    for (index, (plane, count)) in zip(planes, byteCounts).enumerated() {
      let needed = isLinear ? UInt64(linearByteCount) : UInt64(plane.offset) + 1
      guard needed <= count else {
        throw .tooSmall(plane: index, needed: needed, actual: count)
      }
    }
  }

  package var description: String {
    let arrangement =
      switch modifier {
      case nil: "no modifier"
      case Self.linear: "linear"
      case let modifier?: "modifier 0x\(String(modifier, radix: 16))"
      }
    return "\(size) \(format.name), \(arrangement)"
  }
}

/// Why a dma-buf was refused.
package enum DMABufError: Error, Hashable, Sendable, CustomStringConvertible {
  case badSize(PixelSize)
  case badPlaneCount(Int, DMABufLayout)
  case badStride(UInt32, plane: Int, DMABufLayout)
  case tooSmall(plane: Int, needed: UInt64, actual: UInt64)
  /// A descriptor is that of another file.
  case notDMABuf(plane: Int)
  /// Only a device can read the arrangement.
  case notLinear(DMABufLayout)
  case system(call: String, code: Int32)
  case memory(SharedMemoryError)

  package var description: String {
    switch self {
    case .badSize(let size): "sides are 1 to \(ServerLimit.side) pixels, and not \(size)"
    case .badPlaneCount(let count, let layout): "\(layout) cannot have \(count) planes"
    case .badStride(let stride, let plane, let layout):
      "rows of \(stride) bytes in plane \(plane) of \(layout)"
    case .tooSmall(let plane, let needed, let actual):
      "the dma-buf of plane \(plane) has \(actual) bytes, and \(needed) are needed"
    case .notDMABuf(let plane): "the descriptor of plane \(plane) is no dma-buf's"
    case .notLinear(let layout): "only a device can read pixels that lie as in \(layout)"
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    case .memory(let error): "\(error)"
    }
  }
}
