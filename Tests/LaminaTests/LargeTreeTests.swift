import Foundation
import LaminaCommit
import LaminaInProcess
import LaminaValues
import LayerSupport
import Testing

@testable import Lamina

@Suite("Large trees") struct LargeTreeTests {
  /// `count` layers in groups of 100.
  private func tree(_ count: Int) -> (root: CALayer, leaves: [CALayer]) {
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    var leaves: [CALayer] = []
    while leaves.count < count {
      let group = CALayer()
      group.frame = root.bounds
      for _ in 0..<min(100, count - leaves.count) {
        let leaf = CALayer()
        let place = leaves.count
        leaf.frame = CGRect(x: place % 100, y: place / 100 % 100, width: 1, height: 1)
        leaf.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
        group.addSublayer(leaf)
        leaves.append(leaf)
      }
      root.addSublayer(group)
    }
    return (root, leaves)
  }

  @Test("10,000 layers are committed and drawn")
  func draws() throws {
    let (root, leaves) = tree(10_000)
    let renderer = try CARenderer(
      size: CGSize(width: 100, height: 100), server: .process.on(.surfaceless))
    renderer.layer = root
    let image = try renderer.image(at: 0)
    var count = 0
    for y in 0..<100 {
      for x in 0..<100 where image.pixel(x: x, y: y).red == 255 { count += 1 }
    }
    #expect(count == 10_000)
    withoutActions { leaves[5_050].isHidden = true }
    #expect(try renderer.image(at: 0).pixel(x: 50, y: 50).alpha == 0)
  }

  @Test("Moving one layer of 100,000 sends less than 200 bytes")
  func moves() throws {
    let sizes = Lock<[Int]>([])
    let context = LayerContext { commit, _ in
      let writer = ByteWriter()
      ClientMessage.commit(commit).encode(to: writer)
      return sizes.withLock {
        $0.append(writer.bytes.count)
        return UInt64($0.count)
      }
    }
    let layers = LayerTree(context: context, session: SessionID(rawValue: 1), clock: .manual())
    defer { layers.close() }
    let (root, leaves) = tree(100_000)
    layers.root = root
    try layers.commit()
    leaves[77_777].position.x += 1
    try layers.commit()
    let sent = sizes.withLock { $0 }
    #expect(sent.count == 2 && sent[1] < 200, "\(sent)")
  }
}
