import Foundation
import LaminaValues

/// A picture's place in memory of a device: the dma-bufs of a video decoder, a camera, or another
/// GPU program. Programs pass it to a `CAImageQueue`, again and again, each time with another
/// picture.
///
/// Where the render process draws with a device that can, it draws from the dma-buf where it is:
/// nothing is copied or uploaded. It is asked once for each dma-buf, when a picture in it is first
/// shown. Else, as on the platform `software`, the program copies each picture that is shown, which
/// takes a `linear` one; of others the frame throws an error that names the format and the
/// modifier. On Apple's systems the same is an `IOSurface`.
public final class CADMABuf: Sendable {
  /// The order of the components of a pixel in memory.
  public typealias Format = DMABufFormat

  /// A part of a picture's memory. Most arrangements have one.
  public struct Plane: Hashable, Sendable {
    /// The dma-buf. Planes may lie in the same one.
    public var fileDescriptor: Int32
    /// Bytes from the start of the dma-buf.
    public var offset: Int
    /// Bytes from one row to the next.
    public var bytesPerRow: Int

    /// A part of a picture in the dma-buf of a descriptor, with its place and row length in bytes.
    public init(fileDescriptor: Int32, offset: Int = 0, bytesPerRow: Int) {
      (self.fileDescriptor, self.offset, self.bytesPerRow) = (fileDescriptor, offset, bytesPerRow)
    }
  }

  /// The modifier of pixels that lie in rows: `DRM_FORMAT_MOD_LINEAR`.
  public static let linear: UInt64 = 0

  let buffer: DMABuf

  /// A picture of that size in dma-bufs. The descriptors stay the caller's, who may close them.
  /// `modifier` says how the pixels are arranged, by its code in `drm_fourcc.h`; nil if only the
  /// driver knows, as where `gbm_bo_get_modifier` gives `DRM_FORMAT_MOD_INVALID`.
  ///
  /// Throws if a side is not 1 to 65,536 pixels, if there are not one to four planes, if the rows
  /// are too short, if the planes do not lie in their dma-bufs, and if a descriptor is no
  /// dma-buf's.
  public convenience init(
    width: Int, height: Int, format: Format, modifier: UInt64? = CADMABuf.linear, planes: [Plane]
  ) throws(CAPixelBufferError) {
    try self.init(
      width: width, height: height, format: format, modifier: modifier, planes: planes,
      allowingMemoryFiles: false)
  }

  /// `allowingMemoryFiles` is for tests on machines without dma-bufs.
  init(
    width: Int, height: Int, format: Format, modifier: UInt64?, planes: [Plane],
    allowingMemoryFiles: Bool
  ) throws(CAPixelBufferError) {
    var known: [DMABufLayout.Plane] = []
    for plane in planes.prefix(DMABufLayout.planeLimit + 1) {
      guard let offset = UInt32(exactly: plane.offset),
        let stride = UInt32(exactly: plane.bytesPerRow)
      else {
        throw CAPixelBufferError(
          "a plane of a dma-buf at \(plane.offset), \(plane.bytesPerRow) bytes a row")
      }
      known.append(DMABufLayout.Plane(offset: offset, stride: stride))
    }
    let layout = DMABufLayout(
      size: PixelSize(width: width, height: height),
      format: format,
      modifier: modifier == DMABufLayout.unknownModifier ? nil : modifier, planes: known)
    do throws(DMABufError) {
      try layout.check()
      buffer = try DMABuf(
        layout, copying: planes.map(\.fileDescriptor), allowingMemoryFiles: allowingMemoryFiles)
    } catch {
      throw CAPixelBufferError("dma-buf refused: \(error)")
    }
  }

  /// In pixels.
  public var width: Int { buffer.layout.size.width }
  /// In pixels.
  public var height: Int { buffer.layout.size.height }
  /// The order of the components of a pixel in memory.
  public var format: Format { buffer.layout.format }
  /// How the pixels are arranged; nil if only the driver knows.
  public var modifier: UInt64? { buffer.layout.modifier }
}
