import LaminaFramePlan
import LaminaValues

/// An offscreen target, and what the frames before drew into it.
struct OffscreenBitmap: PooledTarget {
  let bitmap: Bitmap
  var drawn = PixelRect.empty

  var size: PixelSize { bitmap.size }
  var format: PixelFormat { bitmap.format }
}
