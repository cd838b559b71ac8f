import LaminaCommit
import LaminaValues

/// An image as a layer draws it.
package struct DrawnImage {
  /// Where its pixels are.
  package enum Pixels {
    /// In a store of the client's.
    case living(ImageID)
    /// In rows without gaps, top first; nil if textures hold them.
    case kept([UInt8]?)
  }

  package var image: RenderTree.Image
  package var pixels: Pixels
  /// Whether it replaces what lies below it. Kept pixels may be lost, and then nothing is drawn.
  package var isOpaque: Bool

  package var layout: PixelLayout { image.layout }

  init(_ id: ImageID, _ image: RenderTree.Image) {
    (self.image, pixels, isOpaque) = (image, .living(id), image.isOpaque)
  }

  init(_ kept: RenderTree.KeptImage) {
    (image, pixels, isOpaque) = (kept.image, .kept(kept.bytes), false)
  }
}
