/// The largest trees. A client refuses to commit a larger one, and a server refuses to accept it.
package enum TreeLimit {
  /// Largest depth of layers, through sublayers and masks. The layer that stands for a renderer's
  /// bounds is not counted.
  package static let levels = 10_240
  /// Largest number of layers on one connection.
  package static let layers = 1 << 21
}
