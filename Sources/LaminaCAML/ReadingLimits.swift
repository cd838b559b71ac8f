import Lamina

/// What all files of one document share while they are read: the log of warnings, and the memory
/// for images.
final class ReadingLimits {
  let log: WarningLog
  /// The bytes that the pixels of a document's images may take in all.
  static let maximumImageBytes = 1 << 30
  private var imageBytes = maximumImageBytes

  init(log: WarningLog) { self.log = log }

  /// Limits for the next image.
  var imageLimits: ImageLimits {
    var limits = ImageLimits()
    limits.maximumPixelCount = min(limits.maximumPixelCount, imageBytes / 4)
    return limits
  }

  func noteImage(_ image: CGImage) {
    imageBytes = max(0, imageBytes - image.bytesPerRow * image.height)
  }
}
