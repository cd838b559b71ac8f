import Foundation
import LaminaCommit
import LaminaValues

/// The IDs and images that are valid on one connection, shared by the trees of all its renderers.
/// Members are used under `lock`. A commit holds it from the first ID it takes until it is sent, so
/// the render process never learns of an image or ID out of order.
final class LayerContext: @unchecked Sendable {
  /// Sends a commit without waiting and returns the sequence number that it was given. `stores` is
  /// the memory of its store updates.
  typealias Sink =
    @Sendable (_ commit: Commit, _ stores: [StorePixels]) throws(ServerFailure)
    -> UInt64

  let send: Sink
  /// Asks whether the render process draws from a dma-buf, and waits for the answer the first time.
  /// May be used without `lock`.
  let offer: @Sendable (DMABuf) -> DMABufAnswer
  let lock = NSLock()

  private var generations: [UInt32] = []
  private var freeIndices: [UInt32] = []
  /// Indices of destroyed layers that must not be reused yet. Commits waiting for the render
  /// process may be merged, and a merged commit creates before it destroys. So an index becomes
  /// free only once a frame was requested, since commits before and after a frame are not merged.
  private var resting: [UInt32] = []
  /// The use count of each image that the render process has.
  private var imageCounts: [ImageID: Int] = [:]
  /// Layers that moved to another connection's renderer. They have a lock of their own, since the
  /// other context's lock is held when they are added.
  private let orphans = Lock<[Orphan]>([])

  struct Orphan {
    var id: LayerID
    var images: [ImageID]
  }

  init(
    offer: @escaping @Sendable (DMABuf) -> DMABufAnswer = { _ in .refused("nothing takes it") },
    send: @escaping Sink
  ) {
    (self.offer, self.send) = (offer, send)
  }

  private struct Holder { weak var context: LayerContext? }
  private static let contexts = Lock<[ObjectIdentifier: Holder]>([:])

  /// The context of a connection. It keeps the connection alive.
  static func of(_ connection: ServerConnection) -> LayerContext {
    contexts.withLock { contexts in
      if let context = contexts[ObjectIdentifier(connection)]?.context { return context }
      contexts = contexts.filter { $0.value.context != nil }
      let context = LayerContext { buffer in
        do throws(ServerFailure) {
          return try connection.offer(buffer)
        } catch {
          return .refused("\(error)")
        }
      } send: { (commit, stores) throws(ServerFailure) in
        try connection.send(commit, stores: stores)
      }
      contexts[ObjectIdentifier(connection)] = Holder(context: context)
      return context
    }
  }

  /// Throws if fewer than `count` IDs are left.
  func require(_ count: Int) throws(ServerFailure) {
    guard count > 0 else { return }
    var taken: Int { generations.count - freeIndices.count }
    // Safe even without a frame: the connection does not merge a commit that takes an index into
    // one that gives it back.
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

  /// Notes that a frame was requested after all commits so far.
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

  /// Notes a layer that moved to another connection.
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
