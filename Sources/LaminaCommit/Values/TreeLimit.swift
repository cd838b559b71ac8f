/// The largest trees. A client refuses to commit a larger one, and a server refuses to accept it.
package enum TreeLimit {
  /// Largest depth of layers, through sublayers and masks. The layer that stands for a renderer's
  /// bounds is not counted.
  package static let levels = 10_240
  /// Largest number of layers on one connection.
  package static let layers = 1 << 21
  /// Largest distance between a new layer's index and the number of indices in use, since the
  /// indices in between take memory.
  package static let indexGap = 1 << 14
  /// Largest number of layers that a session shows in copies of replicators. Each counts once for
  /// each copy that it is in, and each copy counts as one more.
  package static let copiedLayers = 1 << 18
  /// Largest number of particles that a session's emitters evaluate for a frame: those that may be
  /// alive, and those that emit them.
  package static let particles = 1 << 19
}
