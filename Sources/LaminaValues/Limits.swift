// The largest of what a client may ask of a render process. Whatever exceeds one of these is
// refused by name, where nothing else is said. Beside them there is a budget of memory for pixels,
// and a document has limits of its own before it becomes layers.

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
  /// each copy that it is in, and each copy counts as one more. Copies take no more than half of
  /// the budget of memory, at so many bytes each.
  package static let copiedLayers = 1 << 18
  package static let bytesOfCopiedLayer = 1 << 10
  /// Largest number of particles that a session's emitters evaluate for a frame: those that may be
  /// alive, and those that emit them. They take no more than half of the budget of memory, at so
  /// many bytes each.
  package static let particles = 1 << 19
  package static let bytesOfParticle = 1 << 8
  /// Largest number of layers that a frame composes in pieces, since others in their space cut
  /// them. Each counts once for each of its pieces, and so does each layer in it. They take no more
  /// than half of the budget of memory, at so many bytes each.
  package static let layersInPieces = 1 << 17
  package static let bytesOfLayerInPieces = 1 << 10
  /// Largest number of comparisons of a frame's layers with planes of others in their space.
  package static let depthComparisons = 1 << 26
  /// The most that a frame's new paths may cost to draw, in rows of single edges: a 100 pixels high
  /// line has a hundred. Tangles of thousands of edges in one row count more.
  package static let pathRows = 1 << 24
  /// Largest number of pixels that a frame's items touch, each as often as it is painted: 500 times
  /// those of a screen of 4096 x 2160.
  package static let pixels = 1 << 32
  /// Largest number of cells that an emitter has, those in cells included.
  package static let emitterCells = 1024
  /// How deep emitters' cells may nest.
  package static let emitterCellDepth = 8
  /// How deep groups of animations may nest.
  package static let animationDepth = 16
  /// How deep arrays of animated values may nest.
  package static let animatedArrayDepth = 8
  /// Largest number of layers that all frozen subtrees show together, from which transitions start.
  /// A transition that would exceed it jumps to its end.
  package static let frozenLayers = 1 << 17
  /// How deep frozen subtrees may nest, as they do when transitions interrupt each other. Deeper
  /// ones jump to their end.
  package static let frozenDepth = 8
  /// Largest number of bytes of pixels that are kept for frozen subtrees alone, or half of the
  /// budget of memory if that is less. A frozen subtree loses images that would exceed it.
  package static let keptPixelBytes = 1 << 30
}

/// The most that one connection may ask for.
package enum ServerLimit {
  package static let sessions = 256
  /// Largest width or height of a session's frames, in pixels.
  package static let frameSide = 16_384
  /// Largest width or height of anything in a message, in pixels.
  package static let side = 1 << 16
  /// Largest number of pixels a point.
  package static let scale = 1024.0
  /// Largest number of requests of a session that wait. A client has only three surfaces.
  package static let waitingRequests = 64
  /// Largest number of commits that wait before no more messages are read, and of their bytes. A
  /// client has eight credits.
  package static let waitingCommits = 16
  package static let waitingCommitBytes = 64 << 20
  /// Largest number of bytes of answers that may wait for a client that does not read, while
  /// another is added.
  package static let unreadBytes = 16 << 20
  /// Largest number of arenas, each of which costs a descriptor.
  package static let arenas = 1024
  /// Largest number of dma-bufs, each of which costs up to four descriptors.
  package static let dmaBufs = 128
  /// Largest number of bytes mapped. Mappings take address space only; the pages are the client's.
  package static let mappedBytes: UInt64 = 1 << 40
  /// Largest message, in bytes.
  package static let messageBytes = 256 << 20
}
