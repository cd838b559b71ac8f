import LaminaAnimation
import LaminaValues

/// The changes of a transaction, as plain data. The render process applies a commit whole or
/// refuses it whole; applied in order, commits make its tree equal to the client's.
///
/// Order of effect: stores, then created layers, tree edits, changes, animations, roots, and
/// finally destroyed layers and released stores.
package struct Commit: Hashable, Sendable {
  /// Counts up from 1 on each connection.
  package var sequence: UInt64
  package var stores: [StoreUpdate] = []
  package var created: [Creation] = []
  package var edits: [TreeEdit] = []
  package var changes = LayerChanges()
  package var animations: [AnimationEdit] = []
  package var roots: [RootChange] = []
  /// Layers that are gone. Edits have taken each from its parent, unless the parent is destroyed
  /// too.
  package var destroyed: [LayerID] = []
  package var releasedStores: [ImageID] = []

  package init(sequence: UInt64) { self.sequence = sequence }

  package var isEmpty: Bool {
    stores.isEmpty && created.isEmpty && edits.isEmpty && changes.isEmpty && animations.isEmpty
      && roots.isEmpty && destroyed.isEmpty && releasedStores.isEmpty
  }

  /// Whether a transition shows the tree as it was before the commit.
  package var addsTransition: Bool {
    animations.contains {
      guard case .add(_, _, let animation) = $0, case .transition = animation.content else {
        return false
      }
      return true
    }
  }

  package struct Creation: Hashable, Sendable {
    package var layer: LayerID
    package var kind: LayerKind
    package init(layer: LayerID, kind: LayerKind) {
      self.layer = layer
      self.kind = kind
    }
  }

  /// A change of the tree's shape. Edits take effect in order.
  package enum TreeEdit: Hashable, Sendable {
    /// Puts `child` among the sublayers of `parent` at `index`, taking it from its old parent.
    case insert(child: LayerID, parent: LayerID, index: UInt32)
    /// Takes `child` from its parent, if it has one, whether it is a sublayer or the mask there.
    case remove(child: LayerID)
    /// Makes `mask` the mask of `layer`, replacing any other.
    case setMask(mask: LayerID, layer: LayerID)
  }

  package enum AnimationEdit: Hashable, Sendable {
    /// Adds an animation as the layer's last, replacing one with the same key. The client has
    /// already set the animation's `beginTime`.
    case add(layer: LayerID, key: String, animation: AnimationDescription)
    /// Removes the animation with that key, if there is one.
    case remove(layer: LayerID, key: String)

    package var layer: LayerID {
      switch self {
      case .add(let layer, _, _), .remove(let layer, _): layer
      }
    }

    package var key: String {
      switch self {
      case .add(_, let key, _), .remove(_, let key): key
      }
    }
  }

  /// The layer that a session shows; nil for none.
  package struct RootChange: Hashable, Sendable {
    package var session: SessionID
    package var layer: LayerID?
    package init(session: SessionID, layer: LayerID?) {
      self.session = session
      self.layer = layer
    }
  }

  /// Names the memory of a new or changed image.
  package struct StoreUpdate: Hashable, Sendable {
    package var image: ImageID
    package var place: StorePlace
    /// How the pixels lie in the memory. Of those in a dma-buf the size is what counts.
    package var layout: PixelLayout
    /// The parts that differ from the image's last store; nil if all may differ, as in a new image.
    package var dirty: [PixelRect]?
    /// Whether the client says that every pixel has full alpha. If that is untrue, the image
    /// replaces what lies below it.
    package var isOpaque: Bool
    package init(
      image: ImageID, memory: MemoryRange, layout: PixelLayout, isOpaque: Bool = false,
      dirty: [PixelRect]? = nil
    ) {
      self.init(
        image: image, place: .memory(memory), layout: layout, isOpaque: isOpaque, dirty: dirty)
    }

    package init(
      image: ImageID, place: StorePlace, layout: PixelLayout, isOpaque: Bool,
      dirty: [PixelRect]? = nil
    ) {
      self.image = image
      self.place = place
      self.layout = layout
      self.isOpaque = isOpaque
      self.dirty = dirty
    }
  }
}

/// Where an image's pixels are.
package enum StorePlace: Hashable, Sendable {
  case memory(MemoryRange)
  /// In a dma-buf that the render process has taken, and which only its device reads.
  case dmaBuf(DMABufID)

  /// nil for a dma-buf.
  package var memory: MemoryRange? {
    if case .memory(let range) = self { range } else { nil }
  }

  package var dmaBuf: DMABufID? {
    if case .dmaBuf(let id) = self { id } else { nil }
  }
}

/// A range of bytes in an arena.
package struct MemoryRange: Hashable, Sendable {
  package var arena: ArenaID
  package var offset: UInt64
  package var count: UInt64
  package init(arena: ArenaID, offset: UInt64, count: UInt64) {
    self.arena = arena
    self.offset = offset
    self.count = count
  }
}
