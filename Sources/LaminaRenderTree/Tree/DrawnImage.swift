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
}
