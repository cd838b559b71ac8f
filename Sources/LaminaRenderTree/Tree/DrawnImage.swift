import LaminaCommit
import LaminaValues

/// An image as a layer draws it.
package enum DrawnImage {
  case living(ImageID, RenderTree.Image)
  case kept(RenderTree.KeptImage)

  package var layout: PixelLayout {
    switch self {
    case .living(_, let image): image.layout
    case .kept(let kept): kept.image.layout
    }
  }

  /// Whether it replaces what lies below it. Kept pixels may be lost, and then nothing is drawn.
  package var isOpaque: Bool {
    switch self {
    case .living(_, let image): image.isOpaque
    case .kept: false
    }
  }
}
