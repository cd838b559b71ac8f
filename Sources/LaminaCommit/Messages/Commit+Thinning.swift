import LaminaValues

/// Removes transients, the layers that a commit both creates and destroys, from its tree edits.
///
/// Removing a transient moves later inserts behind it in the same parent down by one. The
/// transient's place is known from its own insert on, as long as every other layer that leaves is
/// known to stand elsewhere. A layer that was in the tree before the commit is not known to, until
/// an edit moves it. A transient whose place is lost stays in the commit, which is then larger but
/// equally correct.
struct EditThinning {
  private enum Home: Equatable {
    case unknown
    case nowhere
    case sublayer(of: LayerID)
    case mask
  }

  /// Largest number of attempts, each without the transients that failed before. If the last one
  /// fails, all transients stay.
  private static let passLimit = 4

  /// The layers that can be removed, once `thin` has run.
  private(set) var transients: Set<LayerID>
  private let created: Set<LayerID>
  /// Parents that get transients as sublayers: places matter in them only.
  private var watched: Set<LayerID> = []
  private var homes: [LayerID: Home] = [:]
  /// The sublayers of watched parents whose places are known.
  private var siblings: [LayerID: [(child: LayerID, place: Int)]] = [:]
  private var failed: Set<LayerID> = []

  init(created: Set<LayerID>, transients: Set<LayerID>) {
    self.created = created
    self.transients = transients
  }

  mutating func thin(_ edits: [Commit.TreeEdit]) -> [Commit.TreeEdit] {
    for _ in 0..<Self.passLimit where !transients.isEmpty {
      (homes, siblings, failed) = ([:], [:], [])
      watched = []
      for case .insert(let child, let parent, _) in edits where transients.contains(child) {
        watched.insert(parent)
      }
      let thinned = pass(edits)
      if failed.isEmpty { return thinned }
      transients.subtract(failed)
    }
    transients = []
    return edits
  }

  private mutating func pass(_ edits: [Commit.TreeEdit]) -> [Commit.TreeEdit] {
    var thinned: [Commit.TreeEdit] = []
    for edit in edits {
      switch edit {
      case .insert(let child, let parent, let index):
        leave(child)
        let before = transientsBefore(index, in: parent)
        arrive(child, at: index, in: parent)
        if transients.contains(child) { continue }
        // A child that outlives its transient parent must still be taken from its former parent.
        if transients.contains(parent) { failed.insert(parent) }
        thinned.append(.insert(child: child, parent: parent, index: index - before))
      case .remove(let child):
        leave(child)
        homes[child] = .nowhere
        if !transients.contains(child) { thinned.append(edit) }
      case .setMask(let mask, let layer):
        leave(mask)
        homes[mask] = .mask
        switch (transients.contains(mask), transients.contains(layer)) {
        case (true, true): break
        // The transient may replace a mask, which must still leave.
        case (true, false): failed.insert(mask)
        case (false, true): failed.insert(layer)
        case (false, false): thinned.append(edit)
        }
      }
    }
    return thinned
  }

  private func transientsBefore(_ index: UInt32, in parent: LayerID) -> UInt32 {
    guard watched.contains(parent) else { return 0 }
    let before = siblings[parent, default: []].count {
      $0.place < Int(index) && transients.contains($0.child)
    }
    return UInt32(before)
  }

  private mutating func arrive(_ child: LayerID, at index: UInt32, in parent: LayerID) {
    homes[child] = .sublayer(of: parent)
    guard watched.contains(parent) else { return }
    var here = siblings[parent, default: []]
    for i in here.indices where here[i].place >= Int(index) { here[i].place += 1 }
    here.append((child, Int(index)))
    siblings[parent] = here
  }

  private mutating func leave(_ child: LayerID) {
    switch homes[child] ?? (created.contains(child) ? .nowhere : .unknown) {
    case .nowhere, .mask: break
    case .unknown: loseAllPlaces()
    case .sublayer(let parent):
      guard var here = siblings[parent], let i = here.firstIndex(where: { $0.child == child })
      else { break }
      let place = here.remove(at: i).place
      for j in here.indices where here[j].place > place { here[j].place -= 1 }
      siblings[parent] = here
    }
  }

  private mutating func loseAllPlaces() {
    for here in siblings.values {
      for sibling in here {
        homes[sibling.child] = .unknown
        if transients.contains(sibling.child) { failed.insert(sibling.child) }
      }
    }
    siblings = [:]
  }
}
