import LaminaValues

/// The device's limits, and the properties that decide how frames are planned for it.
package struct DeviceProfile: Hashable, Sendable {
  package var maxTextureSize: Int
  /// Whether BGRA8 targets work; if not, frames are drawn as RGBA8 and swizzled.
  package var hasBGRA: Bool
  /// Whether a part of a frame that is drawn again equals, to the byte, that part of the whole
  /// frame. If not, every frame is drawn whole.
  package var drawsPartsExactly: Bool
  /// Whether textures of 8 bits a channel can lie in the stores that clients share.
  package var sharesStores: Bool
  /// Whether small images lie in the layers of array textures, by `SizeClass`.
  package var sharesTextures: Bool
  /// Whether it takes long to change targets, so that groups which lie apart are painted in one.
  package var sharesTargets: Bool
  /// Whether the inside of a rounded rectangle is drawn faster apart from its frame.
  package var drawsInsidesApart: Bool
  /// Whether a part of a group in one colour is drawn faster in that colour than from the group's
  /// target, and with the same bytes on 8 bits, since colours are rounded before they are blended.
  package var drawsPlainParts: Bool
  /// Bytes that a pixel of RGBA16F takes on the device.
  package var bytesPerHalfFloatPixel: Int
  /// Bytes that a texture or target takes beside its pixels.
  package var bytesBesidePixels: Int
  /// Bytes that a frame's vertex takes, in all its forms.
  package var bytesPerVertex: Int
  /// Bytes that count as the driver's own, whatever is drawn.
  package var driverByteCount: Int

  package init(
    maxTextureSize: Int, hasBGRA: Bool, drawsPartsExactly: Bool = true,
    sharesStores: Bool = false, sharesTextures: Bool = false, sharesTargets: Bool = false,
    drawsInsidesApart: Bool = true, drawsPlainParts: Bool = false, bytesPerHalfFloatPixel: Int = 8,
    bytesBesidePixels: Int = 1024, bytesPerVertex: Int = 0, driverByteCount: Int = 0
  ) {
    self.maxTextureSize = maxTextureSize
    self.hasBGRA = hasBGRA
    self.drawsPartsExactly = drawsPartsExactly
    self.sharesStores = sharesStores
    self.sharesTextures = sharesTextures
    self.sharesTargets = sharesTargets
    self.drawsInsidesApart = drawsInsidesApart
    self.drawsPlainParts = drawsPlainParts
    self.bytesPerHalfFloatPixel = bytesPerHalfFloatPixel
    self.bytesBesidePixels = bytesBesidePixels
    self.bytesPerVertex = bytesPerVertex
    self.driverByteCount = driverByteCount
  }

  /// Bytes of a texture or target on the device, about: rows are rounded up. Sides that no device
  /// has count as the longest that one could have.
  package func byteCount(of size: PixelSize, _ format: PixelFormat) -> Int {
    let pixel = format == .rgba16f ? bytesPerHalfFloatPixel : format.bytesPerPixel
    let longest = 1 << 17
    let (width, height) = (
      min(max(size.width, 0), longest), min(max(size.height, 0), longest)
    )
    return ((width * pixel + 63) & ~63) * height + bytesBesidePixels
  }

  /// The class of an image that lies in an array texture; nil if it has a texture of its own.
  package func sizeClass(of image: PixelSize, _ format: PixelFormat) -> SizeClass? {
    sharesTextures ? SizeClass(of: image, format) : nil
  }

  /// Bytes of an image's texture, or of its layer in an array texture.
  package func byteCount(ofImage size: PixelSize, _ format: PixelFormat) -> Int {
    byteCount(of: sizeClass(of: size, format)?.size ?? size, format)
  }

  /// Bytes of an image's mipmaps. Those of an image in an array texture come with a copy of it.
  package func byteCount(ofMipmapsOf size: PixelSize, _ format: PixelFormat) -> Int {
    let byteCount = byteCount(of: size, format)
    return sizeClass(of: size, format) == nil ? byteCount / 3 : byteCount + byteCount / 3
  }
}
