import Lamina

/// What all files of one document share while they are read: the log of warnings, what makes the
/// layers of videos, the memory for images, and which files they are.
final class ReadingLimits {
  let log: WarningLog
  /// The files that the document is made of, so far.
  var files: Set<URL> = []
  /// nil if videos are not played.
  let makeVideoLayer: CAMLVideo.LayerMaker?
  /// The bytes that the pixels of a document's images may take in all.
  static let maximumImageBytes = 1 << 30
  private let allImageBytes: Int
  private var imageBytes: Int

  init(
    log: WarningLog, makeVideoLayer: CAMLVideo.LayerMaker? = nil,
    imageBytes: Int = maximumImageBytes
  ) {
    self.log = log
    self.makeVideoLayer = makeVideoLayer
    allImageBytes = imageBytes
    self.imageBytes = imageBytes
  }

  /// Limits for the next image.
  var imageLimits: ImageLimits {
    var limits = ImageLimits()
    limits.maximumPixelCount = min(limits.maximumPixelCount, imageBytes / 4)
    return limits
  }

  /// A message for an image that is left out only because of those before it; nil for other errors.
  func refusal(_ error: ImageError) -> String? {
    guard case .tooManyPixels(let width, let height, let limits) = error.problem,
      limits.maximumPixelCount < ImageLimits().maximumPixelCount,
      width <= limits.maximumSide, height <= limits.maximumSide
    else { return nil }
    return
      "\(error.name): \(width)x\(height) pixels are too many for the \(allImageBytes) bytes that "
      + "all images of a document may take"
  }

  func noteImage(_ image: CGImage) {
    imageBytes = max(0, imageBytes - image.bytesPerRow * image.height)
  }
}
