import LaminaAnimation
import LaminaValues
import TestSupport
import Testing

@testable import LaminaCommit

@Suite("Merging commits")
struct MergingTests {
  private func id(_ index: UInt32) -> LayerID { LayerID(index: index, generation: 0) }

  private func moving(_ layer: LayerID, to x: Double, sequence: UInt64) -> Commit {
    var change = Commit.LayerChange(
      layer: layer, properties: StoredPropertySet(), values: LayerValues())
    change.properties.insert(.position)
    change.values.position.x = x
    var commit = Commit(sequence: sequence)
    commit.changes = [change]
    return commit
  }

  @Test(
    "Merged, commits do what they do one after the other", arguments: 0..<400 as Range<UInt64>)
  func equalEffect(seed: UInt64) throws {
    var client = RandomClient(seed: seed)
    for _ in 0..<client.random.below(6) { _ = try client.commit() }
    let before = client.tree
    var merged = try client.commit()
    for _ in 0...client.random.below(4) { merged.merge(try client.commit()) }

    let pixels = client.pixels
    var after = before
    try after.apply(merged) { pixels[$0.offset] ?? [] }
    #expect(after == client.tree)

    // The same across the process boundary.
    let writer = ByteWriter()
    ClientMessage.commit(merged).encode(to: writer)
    guard case .commit(let decoded) = try ClientMessage.decode(writer.bytes) else { return }
    after = before
    try after.apply(decoded) { pixels[$0.offset] ?? [] }
    #expect(after == client.tree)
  }

  @Test("The last value wins, and takes the place of the first")
  func lastValueWins() {
    let merged = moving(id(1), to: 1, sequence: 1).merged(moving(id(1), to: 2, sequence: 2))
    #expect(merged == moving(id(1), to: 2, sequence: 2))
  }

  @Test("Different properties of a layer become one change")
  func union() {
    var opacity = Commit(sequence: 2)
    var change = moving(id(1), to: 9, sequence: 2).changes[0]
    change.properties = StoredPropertySet()
    change.properties.insert(.opacity)
    change.values.opacity = 0.5
    opacity.changes = [change]
    let merged = moving(id(1), to: 1, sequence: 1).merged(opacity)
    #expect(merged.changes.count == 1)
    #expect(Array(merged.changes[0].properties) == [.position, .opacity])
    #expect(merged.changes[0].values.position.x == 1)
    #expect(merged.changes[0].values.opacity == 0.5)
  }

  @Test("A layer created and destroyed leaves nothing, and its siblings move up")
  func transient() {
    var first = Commit(sequence: 1)
    first.created = [.init(layer: id(1), kind: .layer), .init(layer: id(2), kind: .layer)]
    first.edits = [
      .insert(child: id(1), parent: id(0), index: 0),
      .insert(child: id(2), parent: id(0), index: 1),
    ]
    first.changes = moving(id(1), to: 5, sequence: 1).changes
    var second = Commit(sequence: 2)
    second.edits = [.remove(child: id(1))]
    second.destroyed = [id(1)]

    var expected = Commit(sequence: 2)
    expected.created = [.init(layer: id(2), kind: .layer)]
    expected.edits = [.insert(child: id(2), parent: id(0), index: 0)]
    #expect(first.merged(second) == expected)
  }

  @Test("A whole tree created and destroyed leaves nothing")
  func transientTree() {
    var first = Commit(sequence: 1)
    first.created = (1...3).map { .init(layer: id($0), kind: .layer) }
    first.edits = [
      .insert(child: id(2), parent: id(1), index: 0), .setMask(mask: id(3), layer: id(2)),
      .insert(child: id(1), parent: id(0), index: 4),
    ]
    var second = Commit(sequence: 2)
    second.edits = [.remove(child: id(1))]
    second.destroyed = [id(3), id(2), id(1)]
    #expect(first.merged(second).isEmpty)
  }

  @Test("A transient whose place nobody can know stays, rather than shift its siblings wrongly")
  func unknownPlace() {
    var first = Commit(sequence: 1)
    first.created = [.init(layer: id(1), kind: .layer)]
    // 7 was in the tree already, either before or after 1.
    first.edits = [.insert(child: id(1), parent: id(0), index: 2), .remove(child: id(7))]
    var second = Commit(sequence: 2)
    second.edits = [.insert(child: id(8), parent: id(0), index: 2), .remove(child: id(1))]
    second.destroyed = [id(1)]
    let merged = first.merged(second)
    #expect(merged.created == first.created)
    #expect(merged.edits == first.edits + second.edits)
    #expect(merged.destroyed == [id(1)])
  }

  @Test("Of two stores of an image the later is read, in both dirty areas")
  func stores() {
    let layout = PixelLayout(width: 16, height: 16, format: .bgra8)!
    func store(_ offset: UInt64, _ dirty: PixelRect) -> Commit.StoreUpdate {
      Commit.StoreUpdate(
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: offset, count: 1024),
        layout: layout, dirty: [dirty])
    }
    let (a, b) = (
      PixelRect(minX: 0, minY: 0, maxX: 2, maxY: 2), PixelRect(minX: 8, minY: 8, maxX: 9, maxY: 9)
    )
    var commit = Commit(sequence: 1)
    commit.stores = [store(0, a)]
    var later = Commit(sequence: 2)
    later.stores = [store(1024, b)]
    commit.merge(later)
    #expect(commit.stores.map(\.place.memory?.offset) == [1024])
    #expect(commit.stores.first?.dirty == [a, b])
  }

  @Test("An image let go and drawn again is uploaded whole, and not let go")
  func revivedStore() {
    var commit = Commit(sequence: 1)
    commit.releasedStores = [ImageID(rawValue: 1), ImageID(rawValue: 2)]
    var later = Commit(sequence: 2)
    later.stores = [
      Commit.StoreUpdate(
        image: ImageID(rawValue: 1),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: 0, count: 1024),
        layout: PixelLayout(width: 16, height: 16, format: .bgra8)!, dirty: [])
    ]
    commit.merge(later)
    #expect(commit.releasedStores == [ImageID(rawValue: 2)])
    #expect(commit.stores.first?.dirty == nil)
  }
}

@Suite("Commits as text")
struct DescriptionTests {
  @Test("Every item has a line")
  func lines() {
    let id = LayerID(index: 4, generation: 1)
    var commit = Commit(sequence: 12)
    commit.stores = [
      Commit.StoreUpdate(
        image: ImageID(rawValue: 3),
        memory: MemoryRange(arena: ArenaID(rawValue: 1), offset: 4096, count: 16384),
        layout: PixelLayout(width: 64, height: 64, format: .bgra8)!,
        dirty: [PixelRect(minX: 0, minY: 0, maxX: 8, maxY: 8)])
    ]
    commit.created = [.init(layer: id, kind: .shape)]
    commit.edits = [.insert(child: id, parent: LayerID(index: 1, generation: 0), index: 0)]
    var values = LayerValues()
    values.position.x = 10.5
    values.effects.compositingFilter = FilterValues(type: "plusL")
    values.shape.lineDashPattern = [2, 4]
    var properties = StoredPropertySet()
    for property in [StoredProperty.position, .isHidden, .compositingFilter, .lineDashPattern] {
      properties.insert(property)
    }
    commit.changes = [.init(layer: id, properties: properties, values: values)]
    commit.animations = [
      .add(
        layer: id, key: "fade",
        animation: AnimationDescription(
          timing: MediaTiming(beginTime: 2, duration: 0.25, fillMode: .both),
          timingCurve: .easeIn, isRemovedOnCompletion: false,
          content: .group([
            AnimationDescription(
              timing: MediaTiming(duration: 1),
              content: .basic(
                .init(keyPath: "opacity", isAdditive: true), .init(from: .number(0), to: .number(1))
              )
            )
          ]))),
      .remove(layer: id, key: "old\n"),
    ]
    commit.roots = [.init(session: SessionID(rawValue: 1), layer: id)]
    commit.destroyed = [LayerID(index: 2, generation: 0)]
    commit.releasedStores = [ImageID(rawValue: 1)]
    #expect(
      commit.description == #"""
        commit 12
          store image 3 64x64 bgra8, 256 bytes a row, in arena 1 at 4096, changed: (0,0 8x8)
          create #4.1 shape
          insert #4.1 into #1 at 0
          set #4.1 position = (10.5,0)
          set #4.1 hidden = false
          set #4.1 compositingFilter = plusL()
          set #4.1 lineDashPattern = [2, 4]
          animate #4.1 "fade": group of 1, begin 2 duration 0.25 fill both, curve [0.42 0 1 1], stays
            basic, opacity additive, from 0 to 1, begin 0 duration 1
          stop #4.1 "old\n"
          root of session 1: #4.1
          destroy #2
          release image 1
        """#)
  }

  @Test(
    "The same commit has the same text, and any commit has one", arguments: 0..<20 as Range<UInt64>)
  func stable(seed: UInt64) {
    func text() -> String {
      var random = SeededGenerator(seed: seed)
      return Commit.arbitrary(&random).description
    }
    #expect(text() == text())
  }
}
