import LaminaAnimation
import LaminaValues
import TestSupport
import Testing

@testable import LaminaCommit

@Suite("The record of commits")
struct CommitRecordTests {
  private let writer = ByteWriter()
  /// Those of `RandomClient`.
  private static let sessions: Set = [SessionID(rawValue: 0), SessionID(rawValue: 1)]

  private func encoded(_ commit: Commit) -> EncodedCommit { EncodedCommit(commit, with: writer) }

  private func decoded(_ message: EncodedCommit) throws -> Commit {
    let decoded = try message.bytes.withUnsafeBytes { try ClientMessage.decode($0) }
    guard case .commit(let commit) = decoded else { throw CommitError.trailingBytes(0) }
    return commit
  }

  /// What a server that knows nothing makes of the record.
  private func tree(
    of record: CommitRecord, stores: [Commit.StoreUpdate] = [],
    pixels: (MemoryRange) -> [UInt64] = { _ in [] }
  ) throws -> ModelTree {
    var tree = ModelTree()
    if let joined = try record.joined(stores: stores, sessions: Self.sessions) {
      try tree.apply(try decoded(joined), pixels: pixels)
    }
    return tree
  }

  @Test(
    "A server that knows nothing becomes what the last one was, but for transitions",
    arguments: 0..<200 as Range<UInt64>)
  func equalTree(seed: UInt64) throws {
    var client = RandomClient(seed: seed)
    var random = SeededGenerator(seed: seed &+ 1)
    var record = CommitRecord()
    var joining: [[UInt8]] = []
    for _ in 0..<30 {
      record.append(encoded(try client.commit()))
      // The record is joined on another thread, while commits arrive.
      if joining.isEmpty, random.chance(0.2) {
        joining = record.startJoining()
      } else if !joining.isEmpty, random.chance(0.4) {
        record.finishJoining(try CommittedTree(joining).encoded())
        joining = []
      }
    }
    let pixels = client.pixels
    let restored = try tree(of: record, stores: client.stores) { pixels[$0.offset] ?? [] }
    #expect(restored == client.tree.withoutTransitions)
    // And again, from what the second server was told.
    var second = CommitRecord()
    try record.joined(stores: client.stores, sessions: Self.sessions).map { second.append($0) }
    for _ in 0..<5 { second.append(encoded(try client.commit())) }
    let later = client.pixels
    #expect(
      try tree(of: second, stores: client.stores) { later[$0.offset] ?? [] }
        == client.tree.withoutTransitions)
  }

  private func moving(_ layers: Range<UInt32>, to x: Double, sequence: UInt64) -> Commit {
    var commit = Commit(sequence: sequence)
    for index in layers {
      var change = Commit.LayerChange(
        layer: LayerID(index: index, generation: 0), properties: StoredPropertySet(),
        values: LayerValues())
      change.properties.insert(.position)
      change.values.position.x = x
      commit.changes.append(change)
    }
    return commit
  }

  private func creating(_ layers: Range<UInt32>) -> Commit {
    var commit = Commit(sequence: 1)
    commit.created = layers.map {
      Commit.Creation(layer: LayerID(index: $0, generation: 0), kind: .layer)
    }
    return commit
  }

  @Test("A program that moves the same layers in each commit costs one such commit")
  func superseded() throws {
    var record = CommitRecord()
    record.append(encoded(creating(0..<100)))
    record.append(encoded(moving(0..<100, to: 1, sequence: 2)))
    let cost = record.cost
    for sequence in 3..<1000 as Range<UInt64> {
      // Two animations in turn are no obstacle.
      let layers = sequence.isMultiple(of: 2) ? 0..<100 as Range<UInt32> : 3..<4
      record.append(encoded(moving(layers, to: Double(sequence), sequence: sequence)))
    }
    #expect(record.cost < cost + 500)
    #expect(!record.shouldJoin)
    let tree = try tree(of: record)
    #expect(tree.layers[LayerID(index: 5, generation: 0)]?.values.position.x == 998)
    #expect(tree.layers[LayerID(index: 3, generation: 0)]?.values.position.x == 999)
  }

  @Test("A record that has grown long is joined, and then again only if it has grown much")
  func joining() throws {
    var record = CommitRecord()
    record.append(encoded(creating(0..<1000)))
    var sequence: UInt64 = 1
    var joins = 0
    for round in 0..<2000 as Range<UInt32> {
      sequence += 1
      // Other layers each time, so that no commit supersedes another.
      let first = round % 900
      record.append(encoded(moving(first..<first + 100, to: Double(round), sequence: sequence)))
      guard record.shouldJoin else { continue }
      record.finishJoining(try CommittedTree(record.startJoining()).encoded())
      #expect(record.cost < 60_000)
      joins += 1
    }
    #expect((1...4).contains(joins))
    let tree = try tree(of: record)
    #expect(tree.layers.count == 1000)
    #expect(tree.layers[LayerID(index: 150, generation: 0)]?.values.position.x == 1950)
    #expect(tree.layers[LayerID(index: 998, generation: 0)]?.values.position.x == 1799)
  }

  @Test("A layer far from the others gets its place, if the tree is new, too")
  func gaps() throws {
    let last = UInt32(TreeLimit.indexGap + 40)
    var record = CommitRecord()
    record.append(encoded(creating(0..<last + 1)))
    var destroying = Commit(sequence: 2)
    destroying.destroyed = creating(0..<last).created.map(\.layer)
    record.append(encoded(destroying))
    let joined = try decoded(try #require(try record.joined(stores: [], sessions: [])))
    #expect(joined.created.count == Int(last) + 1)
    #expect(joined.destroyed == destroying.destroyed)
    #expect(try tree(of: record).layers.keys.map(\.index) == [last])
  }

  @Test("Nothing is restored where nothing was committed")
  func nothing() throws {
    #expect(try CommitRecord().joined(stores: [], sessions: []) == nil)
  }
}

extension ModelTree {
  fileprivate var withoutTransitions: ModelTree {
    var tree = self
    for layer in tree.layers.keys {
      tree.layers[layer]?.animations.removeAll {
        if case .transition = $0.animation.content { true } else { false }
      }
    }
    return tree
  }
}
