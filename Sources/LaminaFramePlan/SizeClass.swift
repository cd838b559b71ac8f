import LaminaValues

/// The size of the layers of an array texture. Small images lie in the layers of one that is of
/// their class, so that drawing one after another needs no change of texture.
package struct SizeClass: Hashable, Sendable {
  /// Powers of two, so that a pixel of the image has an exact place in the layer.
  package let size: PixelSize

  /// The class of an image; nil if it has a texture of its own, since it is so large that drawing
  /// it costs more than changing the texture, or has no pixels.
  package init?(of image: PixelSize, _ format: PixelFormat) {
    guard format != .rgba16f, !image.isEmpty, max(image.width, image.height) <= 256 else {
      return nil
    }
    func side(_ length: Int) -> Int {
      var side = 16
      while side < length { side *= 2 }
      return side
    }
    size = PixelSize(width: side(image.width), height: side(image.height))
  }
}
