import LaminaValues

/// What a file says of its pictures.
package struct VideoFormat: Hashable, Sendable {
  /// Size in pixels as stored, before the shape of pixels and the orientation apply.
  package var size: PixelSize
  /// Width of a pixel divided by its height.
  package var pixelAspectRatio: Double
  /// How the pictures are to be turned for showing.
  package var orientation: VideoOrientation
  /// Whether pictures have an alpha channel.
  package var hasAlpha: Bool

  /// The size in square pixels, after turning.
  package var shownSize: PixelSize {
    orientation.turned(widened(size))
  }

  /// The size of a picture in square pixels: as high as it is, and wider or narrower.
  func widened(_ size: PixelSize) -> PixelSize {
    let width = (Double(size.width) * pixelAspectRatio).rounded()
    // A damaged file may say anything.
    guard width >= 1, width <= Double(VideoLimits().maximumSide) else { return size }
    return PixelSize(width: Int(width), height: size.height)
  }
}
