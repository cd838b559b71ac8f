import Foundation
import LaminaAnimation
import LaminaValues
import Testing

@testable import LaminaCommit

@Suite("Changes of layers, as bytes")
struct LayerChangesTests {
  private let layer = LayerID(index: 1, generation: 0)

  private func change(
    _ property: StoredProperty, _ set: (inout LayerValues) -> Void
  ) -> Commit.LayerChange {
    var values = LayerValues()
    set(&values)
    return Commit.LayerChange(layer: layer, properties: [property], values: values)
  }

  @Test("A copy does not change with the other one")
  func copies() {
    let (moved, faded) = (
      change(.position) { $0.position.x = 3 }, change(.opacity) { $0.opacity = 0.5 }
    )
    let first: LayerChanges = [moved]
    var second = first
    second.append(faded)
    #expect(first == [moved])
    #expect(second == [moved, faded])
  }

  @Test("What the render process does not need is left out, and so is a change of nothing else")
  func clientProperties() {
    var written = change(.fontSize) { $0.text.fontSize = 9 }
    let changes: LayerChanges = [written]
    #expect(changes.isEmpty)
    written.properties.insert(.opacity)
    #expect(LayerChanges([written]) == [change(.opacity) { _ in }])
  }

  // A client that merges commits must not end for a value that only the render process refuses.
  @Test("A value that no layer may have is refused when it is decoded, also after merging")
  func refused() throws {
    var cell = EmitterCellValues()
    for _ in 0..<TreeLimit.emitterCellDepth {
      var outer = EmitterCellValues()
      outer.cells = [cell]
      cell = outer
    }
    let moved = change(.position) { $0.position.x = 3 }
    let deep = change(.emitterCells) { [cell] in $0.emitter.cells = [cell] }
    let refusal = CommitError.tooDeep("emitter cell", limit: TreeLimit.emitterCellDepth)
    for (first, second) in [(moved, deep), (deep, moved), (deep, deep)] {
      var (commit, later) = (Commit(sequence: 1), Commit(sequence: 2))
      (commit.changes, later.changes) = ([first], [second])
      commit.merge(later)
      #expect(throws: refusal) { try commit.changes.check() }
      let writer = ByteWriter()
      ClientMessage.commit(commit).encode(to: writer)
      #expect(throws: refusal) { try ClientMessage.decode(writer.bytes) }
    }
  }
}
