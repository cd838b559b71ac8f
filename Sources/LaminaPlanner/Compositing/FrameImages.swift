import LaminaRenderTree
import LaminaValues

/// The images that a frame draws. Items name them by their numbers.
struct FrameImages {
  /// By number.
  private(set) var drawn: [DrawnImage] = []
  /// The numbers of those with their current pixels.
  private var numbers: [ImageID: Int] = [:]

  func number(of image: ImageID) -> Int? { numbers[image] }

  /// Adds an image and returns its number. `id` is that of one with its current pixels.
  mutating func add(_ image: DrawnImage, id: ImageID?) -> Int {
    drawn.append(image)
    if let id { numbers[id] = drawn.count - 1 }
    return drawn.count - 1
  }

  /// Removes all, and keeps the memory for the next frame.
  mutating func removeAll() {
    drawn.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
  }
}
