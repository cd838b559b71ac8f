import LaminaAnimation
import LaminaValues

/// What a transaction changed, as plain data. The render process applies it whole or refuses it
/// whole; applied in order, commits make its tree equal to the client's.
///
/// Order of effect: stores, then created layers, tree edits, changes, animations, roots, and at
/// last destroyed layers and released stores.
package struct Commit: Hashable, Sendable {
  /// Counts up from 1 on a connection.
  package var sequence: UInt64
  package var stores: [StoreUpdate] = []
  package var created: [Creation] = []
  package var edits: [TreeEdit] = []
  package var changes: [LayerChange] = []
  package var animations: [AnimationEdit] = []
  package var roots: [RootChange] = []
  /// None of them hangs from a layer that stays: edits took it from there.
  package var destroyed: [LayerID] = []
  package var releasedStores: [ImageID] = []

  package init(sequence: UInt64) { self.sequence = sequence }

  package var isEmpty: Bool {
    stores.isEmpty && created.isEmpty && edits.isEmpty && changes.isEmpty && animations.isEmpty
      && roots.isEmpty && destroyed.isEmpty && releasedStores.isEmpty
  }

  /// Whether the tree as it was before the commit matters after it: a transition shows it.
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
    /// Puts `child` among the sublayers of `parent` at `index`, taking it from where it was.
    case insert(child: LayerID, parent: LayerID, index: UInt32)
    /// Takes `child` from its parent, if it has one, be it as sublayer or as mask.
    case remove(child: LayerID)
    /// Makes `mask` the mask of `layer`, in place of any other.
    case setMask(mask: LayerID, layer: LayerID)
  }

  /// New values of some properties of one layer.
  package struct LayerChange: Hashable, Sendable {
    package var layer: LayerID
    package var properties: LayerPropertySet
    private var storage: LayerStorage

    /// Holds the new values; what `properties` does not name is meaningless here.
    package var values: LayerValues {
      _read { yield storage.values }
      _modify {
        if !isKnownUniquelyReferenced(&storage) { storage = LayerStorage(storage.values) }
        yield &storage.values
      }
    }

    /// A change to the values of a layer as they are now, which the change shares with it.
    package init(layer: LayerID, properties: LayerPropertySet, of storage: LayerStorage) {
      self.layer = layer
      self.properties = properties
      self.storage = storage
    }

    package init(layer: LayerID, properties: LayerPropertySet, values: LayerValues) {
      self.init(layer: layer, properties: properties, of: LayerStorage(values))
    }

    /// Writes the new values over others.
    package func apply(to values: inout LayerValues) {
      for property in properties { values.copy(property, at: &storage.values) }
    }

    /// Writes each property's code and value, in the order of the codes.
    func encode(
      _ properties: LayerPropertySet, inline: LayerPropertySet, to writer: ByteWriter
    ) {
      LayerValues.encode(properties, at: &storage.values, inline: inline, to: writer)
    }
  }

  package enum AnimationEdit: Hashable, Sendable {
    /// Adds an animation as the layer's last, and removes one with the same key. `beginTime` is
    /// set: the client stamped it.
    case add(layer: LayerID, key: String, animation: AnimationDescription)
    /// Nothing happens where there is none.
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

  /// Which layer a session shows; nil for none.
  package struct RootChange: Hashable, Sendable {
    package var session: SessionID
    package var layer: LayerID?
    package init(session: SessionID, layer: LayerID?) {
      self.session = session
      self.layer = layer
    }
  }

  /// Names the memory of an image, new or changed.
  package struct StoreUpdate: Hashable, Sendable {
    package var image: ImageID
    package var memory: MemoryRange
    package var layout: PixelLayout
    /// What differs from the image's last store; nil for everything, as for a new one.
    package var dirty: [PixelRect]?
    package init(
      image: ImageID, memory: MemoryRange, layout: PixelLayout, dirty: [PixelRect]? = nil
    ) {
      self.image = image
      self.memory = memory
      self.layout = layout
      self.dirty = dirty
    }
  }
}

/// Bytes of an arena.
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
