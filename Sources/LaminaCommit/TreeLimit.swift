/// How large a tree may be. A client refuses to commit a larger one, and a server to be sent it.
package enum TreeLimit {
  /// The most layers that may lie in each other, as sublayers and as masks. The one that stands for
  /// a renderer's bounds is not counted.
  package static let levels = 1024
  /// The stack for planning so many levels, in bytes: enough for a build for AddressSanitizer too,
  /// where a level's frames are largest. What is not used takes no memory.
  package static let planningStackSize = 256 << 20
  /// The most layers that one connection may have.
  package static let layers = 1 << 21
}
