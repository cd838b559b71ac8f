import LaminaValues

/// A commit as it travels, and what it changes.
struct EncodedCommit: Sendable {
  /// One layer, and those of its properties that have new values.
  struct Touch: Equatable, Sendable {
    var layer: LayerID
    var properties: StoredPropertySet
  }

  let sequence: UInt64
  /// The whole message.
  let bytes: [UInt8]
  /// nil if the commit changes more of the tree than values, such as its shape.
  let touches: [Touch]?

  /// Encodes a commit. `writer` is overwritten.
  init(_ commit: Commit, with writer: ByteWriter) {
    sequence = commit.sequence
    touches =
      commit.changesOnlyValues
      ? commit.changes.heads.map { Touch(layer: $0.layer, properties: $0.properties) } : nil
    writer.removeAll()
    ClientMessage.commit(commit).encode(to: writer)
    bytes = Array(writer.bytes)
  }

  init(sequence: UInt64, bytes: [UInt8]) {
    (self.sequence, self.bytes) = (sequence, bytes)
    touches = nil
  }

  /// What the commit takes in memory, about.
  var cost: Int { bytes.count + (touches?.count ?? 0) * MemoryLayout<Touch>.size + 200 }
}

extension Commit {
  /// Stores are no part of the tree.
  fileprivate var changesOnlyValues: Bool {
    !changes.isEmpty && created.isEmpty && edits.isEmpty && animations.isEmpty && roots.isEmpty
      && destroyed.isEmpty
  }
}

/// The commits that the server applied, from which another server can be brought to the same state.
///
/// They are kept as they were sent, which costs a copy of their bytes. What is superseded is
/// dropped in two ways: at once if a commit sets just the same properties of the same layers as one
/// of the last few, as where a program animates by hand; else when the record has grown to a
/// multiple of what it must be, by one `CommittedTree`, on a thread of its own.
struct CommitRecord {
  private var commits: [EncodedCommit] = []
  /// Number of the first commits that a thread is joining now.
  private var joining = 0
  /// What the record cost when it was last joined.
  private var joinedCost = 0
  private(set) var cost = 0

  /// Number of earlier commits that a commit is compared with.
  private static let memory = 4
  /// A record of less is not joined.
  private static let smallCost = 4 << 20

  mutating func append(_ commit: EncodedCommit) {
    if let touches = commit.touches {
      let recent = max(joining, commits.count - Self.memory)..<max(joining, commits.count)
      // No commit in between undoes this: whatever it set is set again now.
      if let place = recent.last(where: { commits[$0].touches == touches }) {
        cost -= commits.remove(at: place).cost
      }
    }
    cost += commit.cost
    commits.append(commit)
  }

  /// Whether joining would save much, and is not under way.
  var shouldJoin: Bool { joining == 0 && cost > max(Self.smallCost, 3 * joinedCost) }

  /// Returns the commits to join. Until `finishJoining`, they stay.
  mutating func startJoining() -> [[UInt8]] {
    joining = commits.count
    return commits.map(\.bytes)
  }

  mutating func finishJoining(_ joined: [UInt8]) {
    let one = EncodedCommit(sequence: commits[joining - 1].sequence, bytes: joined)
    commits.replaceSubrange(..<joining, with: [one])
    joining = 0
    joinedCost = one.cost
    cost = commits.reduce(0) { $0 + $1.cost }
  }

  /// All commits as one message for a server that has these stores and sessions; nil if nothing was
  /// ever committed.
  func joined(
    stores: [Commit.StoreUpdate], sessions: Set<SessionID>
  ) throws(CommitError) -> EncodedCommit? {
    guard let last = commits.last else { return nil }
    var tree = try CommittedTree(commits.map(\.bytes))
    tree.keepRoots(of: sessions)
    return EncodedCommit(sequence: last.sequence, bytes: tree.encoded(stores: stores))
  }
}
