/// The largest trees. A client refuses to commit a larger one, and a server refuses to accept it.
package enum TreeLimit {
  /// Largest depth of layers, through sublayers and masks. The layer that stands for a renderer's
  /// bounds is not counted.
  package static let levels = 1024
  /// Size in bytes of the stack for planning that many levels. Enough for AddressSanitizer builds,
  /// which have the largest stack frames. Unused stack takes no memory.
  package static let planningStackSize = 256 << 20
  /// Largest number of layers on one connection.
  package static let layers = 1 << 21
}
