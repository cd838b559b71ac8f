import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("The rows that may show in what is painted again")
struct PaintedRowsTests {
  private static let area = PixelRect(minX: 0, minY: 0, maxX: 300, maxY: 200)

  private static func measured(_ scene: TestTree, at time: Double = 0) throws -> MeasuredTree {
    var measured = MeasuredTree(try scene.tree.evaluate(session: TestTree.session, at: time))
    _ = measured.measure(scene.tree, maxTextureSize: 4096)
    return measured
  }

  private static func damage(_ rects: [PixelRect]) -> Damage {
    rects.reduce(into: Damage(of: area, margin: 0)) { $0.add($1) }
  }

  @Test("are, among groups that lie everywhere, those in which something meets it")
  func groups() throws {
    var scene = try TestTree(width: 300, height: 200)
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 300, height: 200))
    // By group: the group, its square near the corner of the surface, and the one far from it.
    var groups: [[LayerID]] = []
    let sets: [(inout LayerValues) -> Void] = [
      { _ in }, { $0.backgroundColor = .green }, { $0.borderWidth = 1 }, { $0.opacity = 0.5 },
      { $0.masksToBounds = true }, { $0.effects.shadowOpacity = 1 },
      { $0.effects.shouldRasterize = true },
    ]
    for set in sets {
      let group = scene.layer(
        frame: CGRect(x: 0, y: 0, width: 300, height: 200), in: root, set)
      let squares = [0.0, 190].map { place in
        scene.layer(frame: CGRect(x: place, y: place, width: 10, height: 10), in: group) {
          $0.backgroundColor = .red
        }
      }
      groups.append([group] + squares)
    }
    try scene.apply()
    let measured = try Self.measured(scene)
    func found(_ rect: PixelRect) -> [[Bool]] {
      let painted: PaintedRows? = measured.rows(in: Self.damage([rect]))
      var found: [[Bool]] = []
      painted.withBits { bits in
        found = groups.map {
          $0.map { bits![measured.evaluated.row(ofSlot: Int($0.index))] }
        }
      }
      return found
    }
    let corner = found(PixelRect(minX: 0, minY: 0, maxX: 2, maxY: 2))
    #expect(corner.dropLast() == [[Bool]](repeating: [true, true, false], count: sets.count - 1))
    // What is painted again lies between the squares: all are drawn that may draw there.
    let middle = found(PixelRect(minX: 100, minY: 100, maxX: 102, maxY: 102))
    #expect(middle.first == [false, false, false])
    #expect(middle.dropFirst().allSatisfy { $0[0] })
  }

  @Test("are those that meet it and paint, or hold one that does", arguments: [1, 3])
  func meeting(threads: Int) throws {
    var sharing = LoopSharing(WorkerThreads(count: threads))
    (sharing.least, sharing.part) = (2, 1)
    var counts = [0, 0]
    for seed in 0..<20 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      func rect(_ size: Int) -> PixelRect {
        let (x, y) = (random.below(45), random.below(30))
        return PixelRect(minX: x, minY: y, maxX: x + size, maxY: y + size)
      }
      var scene = try TestTree(width: 300, height: 200)
      var layers = [scene.layer(frame: Self.area.cgRect)]
      var (parents, paints) = ([-1], [false])
      for _ in 0..<random.below(500) {
        parents.append(random.below(layers.count))
        paints.append(random.one(in: 2))
        layers.append(
          scene.layer(frame: rect(9).cgRect, in: layers[parents.last!]) {
            $0.backgroundColor = paints.last! ? .red : nil
          })
      }
      try scene.apply()
      let measured = try Self.measured(scene)
      let damage = Self.damage((0..<3).map { _ in rect(30) })
      let rows = layers.map { measured.evaluated.row(ofSlot: Int($0.index)) }
      let meets = rows.map { damage.meets(measured.extents.box(of: $0)) }
      // Each comes after its superlayer.
      var leads = meets.indices.map { meets[$0] && paints[$0] }
      for place in leads.indices.reversed() where leads[place] && parents[place] >= 0 {
        leads[parents[place]] = true
      }
      let painted: PaintedRows? = measured.rows(in: damage, sharing: sharing)
      painted.withBits { bits in
        for (place, row) in rows.enumerated() {
          #expect(bits![row] == (meets[place] && leads[place]), "seed \(seed), layer \(place)")
          counts[bits![row] ? 1 : 0] += 1
        }
      }
    }
    #expect(counts.min()! > 300)
  }
}
