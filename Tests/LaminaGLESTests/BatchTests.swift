import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import TestSupport
import Testing

@Suite("Items of one batch")
struct BatchTests {
  /// A random box, upright or turned, which may cross the frame's edges, or a polygon of another
  /// number of corners. Many of its edges run through the middles of pixels.
  private func polygon(
    _ size: PixelSize, _ random: inout SeededGenerator
  ) -> [ProjectedQuad.Vertex] {
    func number(_ range: ClosedRange<Double>) -> Double {
      let number = Double.random(in: range, using: &random)
      return random.one(in: 2) ? (number * 2).rounded() / 2 : number
    }
    let (width, height) = (number(3...30), number(3...20))
    let middle = CGPoint(
      x: number(-5...Double(size.width) + 5), y: number(-5...Double(size.height) + 5))
    let angle = random.one(in: 3) ? number(0...3) : 0
    let box = Box(-width / 2, -height / 2, width / 2, height / 2)
    // What is antialiased reaches a pixel farther.
    var corners = box.outset(1).corners
    if random.one(in: 6) { corners.insert(CGPoint(x: width / 2 + 3, y: 0), at: 2) }
    let turn = CGAffineTransform(rotationAngle: angle)
    return corners.map { corner in
      let place = corner.applying(turn)
      return ProjectedQuad.Vertex(
        CGPoint(x: middle.x + place.x, y: middle.y + place.y), local: corner,
        edges: [
          corner.x - box.minX, box.maxX - corner.x, corner.y - box.minY, box.maxY - corner.y,
        ])
    }
  }

  private func plan(
    _ program: FramePlan.Program, seed: UInt64, inBatches: Bool
  ) -> FramePlan {
    var random = SeededGenerator(seed: seed)
    var plan = FramePlan(60 + random.below(30), 50 + random.below(30))
    let outline = CornerOutline(
      rect: CGRect(x: -9, y: -6, width: 18, height: 12), radii: [3, 3, 3, 3], curve: .circular)
    for _ in 0..<12 {
      func byte() -> Double { Double(random.below(256)) / 255 }
      let alpha = byte()
      let color = ItemColor(byte() * alpha, byte() * alpha, byte() * alpha, alpha)
      let item = Item(program, color: color, outline: plan.items.outline(outline), numbers: [2, 0])
      plan.add(item, polygon(plan.size, &random))
    }
    guard inBatches else { return plan }
    plan.passes[0].batches = [plan.passes[0].batches[0]]
    plan.passes[0].batches[0].items = 0..<plan.items.items.count
    plan.passes[0].batches[0].vertexCount = plan.items.items.reduce(0) { $0 + $1.vertexCount }
    return plan
  }

  @Test(
    "are drawn with the bytes that they have one by one, whatever else is in the batch",
    arguments: [.solid, .solidEdges, .rounded, .roundedBorder] as [FramePlan.Program])
  func sameBytes(program: FramePlan.Program) throws {
    try withRenderer { renderer in
      for seed in 0..<300 as Range<UInt64> {
        let together = try renderer.draw(plan(program, seed: seed, inBatches: true))
        let apart = try renderer.draw(plan(program, seed: seed, inBatches: false))
        #expect(together.bytes == apart.bytes, "seed \(seed)")
      }
    }
  }

  @Test(
    "all with a w of 1 have the bytes that they have if drawn as in perspective",
    arguments: [.solid, .solidEdges] as [FramePlan.Program])
  func perspective(program: FramePlan.Program) throws {
    try withRenderer { renderer in
      for seed in 0..<100 as Range<UInt64> {
        var plan = plan(program, seed: seed, inBatches: true)
        let affine = try renderer.draw(plan)
        plan.passes[0].batches[0].isAffine = false
        #expect(try renderer.draw(plan).bytes == affine.bytes, "seed \(seed)")
      }
    }
  }
}
