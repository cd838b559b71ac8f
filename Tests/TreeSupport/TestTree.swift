import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaFramePlan
import LaminaPlanner
import LaminaRenderTree
import LaminaValues

/// Builds a render tree through commits, as a client would: one session with one root.
package struct TestTree {
  package static let session = SessionID(rawValue: 1)

  package var tree = RenderTree()
  package var commit = Commit(sequence: 1)
  private var events: [RenderTree.Event] = []
  private var nextLayer: UInt32 = 0
  private var childCounts: [LayerID: UInt32] = [:]

  package init(
    width: Int = 100, height: Int = 100, scale: Double = 1, format: PixelFormat = .bgra8
  ) throws {
    try tree.openSession(
      Self.session,
      SessionOptions(
        size: PixelSize(width: width, height: height), scale: scale, format: format))
  }

  /// Adds a layer whose frame is `frame`, as the root or under `parent`.
  @discardableResult
  package mutating func layer(
    _ kind: LayerKind = .layer, frame: CGRect, in parent: LayerID? = nil,
    _ set: (inout LayerValues) -> Void = { _ in }
  ) -> LayerID {
    let id = LayerID(index: nextLayer, generation: 0)
    nextLayer += 1
    commit.created.append(Commit.Creation(layer: id, kind: kind))
    if let parent {
      let index = childCounts[parent, default: 0]
      commit.edits.append(.insert(child: id, parent: parent, index: index))
      childCounts[parent] = index + 1
    } else {
      commit.roots.append(Commit.RootChange(session: Self.session, layer: id))
    }
    var values = LayerValues(kind: kind)
    values.bounds = CGRect(origin: .zero, size: frame.size)
    values.position = frame.center
    set(&values)
    change(id, from: LayerValues(kind: kind), to: values)
    return id
  }

  /// Adds a layer that is not in the tree yet.
  package mutating func looseLayer(
    frame: CGRect, _ set: (inout LayerValues) -> Void = { _ in }
  ) -> LayerID {
    let roots = commit.roots
    defer { commit.roots = roots }
    return layer(frame: frame, set)
  }

  package mutating func image(
    _ width: Int, _ height: Int, id: UInt64, isOpaque: Bool = false
  ) -> ImageID {
    let image = ImageID(rawValue: id)
    let layout = PixelLayout(width: width, height: height, stride: width * 4, format: .bgra8)
    commit.stores.append(
      Commit.StoreUpdate(
        image: image,
        memory: MemoryRange(
          arena: ArenaID(rawValue: 1), offset: 0, count: UInt64(layout.byteCount!)),
        layout: layout, isOpaque: isOpaque))
    return image
  }

  /// An image in a dma-buf.
  package mutating func image(_ width: Int, _ height: Int, id: UInt64, in dmaBuf: UInt32) -> ImageID
  {
    let image = ImageID(rawValue: id)
    commit.stores.append(
      Commit.StoreUpdate(
        image: image, place: .dmaBuf(DMABufID(rawValue: dmaBuf)),
        layout: PixelLayout(width: width, height: height, format: .bgra8)!, isOpaque: false))
    return image
  }

  /// Changes a committed layer.
  package mutating func change(_ id: LayerID, _ set: (inout LayerValues) -> Void) {
    let old = tree.values(of: id)!
    var new = old
    set(&new)
    change(id, from: old, to: new)
  }

  private mutating func change(_ id: LayerID, from old: LayerValues, to values: LayerValues) {
    var changed = StoredPropertySet()
    for property in StoredProperty.allCases
    where old.value(of: property) != values.value(of: property) {
      changed.insert(property)
    }
    commit.changes.append(Commit.LayerChange(layer: id, properties: changed, values: values))
  }

  package mutating func apply() throws {
    try apply { _, _ in nil }
  }

  /// Applies the commit, and keeps for the next plan what became of images.
  package mutating func apply(
    pixels: (ImageID, RenderTree.Image) -> [UInt8]?
  ) throws {
    events += try tree.apply(commit, pixels: pixels)
    commit = Commit(sequence: commit.sequence + 1)
  }

  package mutating func plan(
    at time: Double = 0, with planner: inout FramePlanner
  ) throws -> FramePlan {
    if !commit.isEmpty { try apply() }
    planner.note(events)
    events.removeAll()
    return try planner.plan(tree, session: Self.session, time: time)
  }

  /// What the layers draw, in its groups.
  package mutating func describeItems(at time: Double = 0) throws -> String {
    if !commit.isEmpty { try apply() }
    return try FramePlanner.software.describeItems(tree, session: Self.session, time: time)
  }

  package mutating func plan(at time: Double = 0) throws -> FramePlan {
    var planner = FramePlanner.software
    return try plan(at: time, with: &planner)
  }
}

extension FramePlanner {
  /// Plans whole frames.
  package static var software: FramePlanner {
    FramePlanner(
      profile: DeviceProfile(
        maxTextureSize: 8192, hasBGRA: true, drawsPartsExactly: false))
  }
}

extension FramePlan {
  /// The items of all passes, in the order in which they are painted.
  package var paintedItems: [Item] {
    passes.flatMap { $0.batches.flatMap { items.items[$0.items] } }
  }
}
