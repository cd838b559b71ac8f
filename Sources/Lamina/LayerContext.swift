import Foundation
import LaminaCommit
import LaminaValues

/// The IDs and images that are valid on one connection, which the trees of all its renderers
/// share. Its members are used under `lock`, which a commit holds from the first ID it takes until
/// it is sent: so the render process never hears of an image or ID out of order.
final class LayerContext: @unchecked Sendable {
  /// Sends a commit without waiting, and returns the sequence that it was given. `stores` is the
  /// memory that its store updates name.
  typealias Sink =
    @Sendable (_ commit: Commit, _ stores: [PixelBuffer]) throws(LaminaCommit.RenderServerError)
    -> UInt64

  let send: Sink
  /// Whether the render process has read all that it was told of an image's memory.
  let isConsumed: @Sendable (ImageID) -> Bool
  let lock = NSLock()

  private var generations: [UInt32] = []
  private var freeIndices: [UInt32] = []
  /// Indices of destroyed layers. Commits that wait for the render process may merge, and a merged
  /// one creates before it destroys; so an index is free only once a frame was asked for, which
  /// keeps the commits before it from merging with those after it.
  private var resting: [UInt32] = []
  /// How many layers name each image that the render process has.
  private var imageCounts: [ImageID: Int] = [:]
  /// Layers that were given to another connection's renderer, under a lock of their own, since
  /// that one's is held then.
  private let orphans = Lock<[Orphan]>([])

  struct Orphan {
    var id: LayerID
    var images: [ImageID]
  }

  init(
    isConsumed: @escaping @Sendable (ImageID) -> Bool = { _ in true }, send: @escaping Sink
  ) {
    self.isConsumed = isConsumed
    self.send = send
  }

  private struct Holder { weak var context: LayerContext? }
  private static let contexts = Lock<[ObjectIdentifier: Holder]>([:])

  /// The context of that connection, which it keeps alive.
  static func of(_ connection: ServerConnection) -> LayerContext {
    contexts.withLock { contexts in
      if let context = contexts[ObjectIdentifier(connection)]?.context { return context }
      contexts = contexts.filter { $0.value.context != nil }
      let context = LayerContext(isConsumed: { connection.isConsumed($0) }) {
        (commit, stores) throws(LaminaCommit.RenderServerError) in
        try connection.send(commit, stores: stores)
      }
      contexts[ObjectIdentifier(connection)] = Holder(context: context)
      return context
    }
  }

  /// Throws if there are not so many IDs left.
  func require(_ count: Int) throws(LaminaCommit.RenderServerError) {
    guard count > 0 else { return }
    var taken: Int { generations.count - freeIndices.count }
    // The connection merges no commit that takes an index into one that gives it back.
    if taken + count > TreeLimit.layers { noteFrame() }
    guard taken + count <= TreeLimit.layers else {
      throw .tooManyLayers(taken + count, limit: TreeLimit.layers)
    }
  }

  func takeID() -> LayerID {
    if let index = freeIndices.popLast() {
      return LayerID(index: index, generation: generations[Int(index)])
    }
    generations.append(0)
    return LayerID(index: UInt32(generations.count - 1), generation: 0)
  }

  func giveBack(_ id: LayerID) {
    generations[Int(id.index)] &+= 1
    resting.append(id.index)
  }

  /// A frame was asked for after all commits so far.
  func noteFrame() {
    freeIndices.append(contentsOf: resting)
    resting = []
  }

  /// Counts one more use of an image; returns whether the render process does not have it.
  func retainImage(_ id: ImageID) -> Bool {
    let count = imageCounts[id]
    imageCounts[id] = (count ?? 0) + 1
    return count == nil
  }

  func releaseImage(_ id: ImageID) { imageCounts[id, default: 1] -= 1 }

  /// Forgets the image if nothing uses it; returns whether it did.
  func dropUnusedImage(_ id: ImageID) -> Bool {
    guard imageCounts[id] == 0 else { return false }
    imageCounts[id] = nil
    return true
  }

  /// Takes note of a layer that left for another connection.
  func noteOrphan(_ rendered: RenderedLayer) {
    let orphan = Orphan(id: rendered.id, images: rendered.images)
    orphans.withLock { $0.append(orphan) }
  }

  var hasOrphans: Bool { orphans.withLock { !$0.isEmpty } }

  func takeOrphans() -> [Orphan] {
    orphans.withLock { orphans in
      defer { orphans = [] }
      return orphans
    }
  }
}
