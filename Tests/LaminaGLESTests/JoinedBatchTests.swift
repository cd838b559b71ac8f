import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import TestSupport
import Testing

@Suite("Batches of one state in parts that lie apart")
struct JoinedBatchTests {
  private let parts = [0, 40, 80].map { PixelRect(minX: $0, minY: 5, maxX: $0 + 30, maxY: 35) }

  /// A rounded rectangle and a plain one in each part, which reach `beyond` it: in one pass, those
  /// of a kind one after another, or part by part, each in a pass of its own.
  private func plan(beyond: Double = 0, inOnePass: Bool) -> FramePlan {
    var plan = FramePlan(120, 40)
    plan.passes = []
    var batches: [[FramePlan.Batch]] = [[], []]
    for (number, part) in parts.enumerated() {
      let box = Box(
        Double(part.minX) + 2.25, Double(part.minY) + 3.5, Double(part.maxX) - 3 + beyond,
        Double(part.maxY) - 2)
      let outline = CornerOutline(rect: box.rect, radii: SIMD4(repeating: 5))
      let color = ItemColor(0.5, Double(number) / 3, 0, 0.5)
      let items = [
        Item(.rounded, color: color, outline: plan.items.outline(outline)),
        Item(.solid, color: color),
      ]
      for (kind, item) in items.enumerated() {
        let corners = box.outset(kind == 0 ? 1 : -6).corners
        plan.items.add(
          item, ProjectedQuad(vertices: corners.map { .init($0) }), within: PixelRect(plan.size))
        batches[kind].append(
          FramePlan.Batch(plan.items.items.count - 1, of: plan.items, [], scissor: part))
      }
    }
    if inOnePass {
      plan.passes = [FramePlan.Pass(target: .surface, parts: parts)]
      plan.passes[0].batches = batches.flatMap { $0 }
    } else {
      plan.passes = parts.indices.map { number in
        var pass = FramePlan.Pass(target: .surface, parts: [parts[number]])
        pass.batches = batches.map { $0[number] }
        return pass
      }
    }
    return plan
  }

  /// Draws a plan into a surface, and returns the number of calls too.
  private func drawn(
    _ plan: FramePlan, by renderer: GLESRenderer
  ) throws -> (calls: Int, pixels: Pixels) {
    let surface = try renderer.makeSurface(size: plan.size, format: .bgra8)
    defer { renderer.releaseSurface(surface) }
    let calls = try renderer.run(plan, on: surface)
    return (calls, try renderer.pixels(of: surface, size: plan.size))
  }

  @Test("are drawn in one call, with the bytes that they have one by one")
  func together() throws {
    try withRenderer { renderer in
      let apart = try drawn(plan(inOnePass: false), by: renderer)
      #expect(apart.calls == 6)
      #expect(apart.pixels.bytes.contains { $0 != 0 })
      let together = try drawn(plan(inOnePass: true), by: renderer)
      #expect(together.calls == 2)
      #expect(together.pixels.bytes == apart.pixels.bytes)
    }
  }

  @Test("are drawn one by one, and cut off at their parts, if they reach beyond them")
  func cutOff() throws {
    try withRenderer { renderer in
      let cut = try drawn(plan(beyond: 12, inOnePass: true), by: renderer)
      #expect(cut.calls == 6)
      for y in 0..<40 {
        for x in 30..<40 { #expect(cut.pixels[x, y] == [0, 0, 0, 0]) }
      }
      let apart = try drawn(plan(beyond: 12, inOnePass: false), by: renderer)
      #expect(apart.pixels.bytes == cut.pixels.bytes)
    }
  }

  @Test("are cut off too if only one after the first reaches beyond its part")
  func cutOffLater() throws {
    var plan = FramePlan(120, 40)
    plan.passes = [FramePlan.Pass(target: .surface, parts: parts)]
    for (box, part) in [(Box(4, 8, 20, 30), 0), (Box(10, 8, 38, 30), 0), (Box(45, 8, 60, 30), 1)] {
      plan.addSolid(box, [0, 0, 0.5, 0.5], scissor: parts[part])
    }
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[25, 20] == [0, 0, 128, 128] && pixels[50, 20] == [0, 0, 128, 128])
    #expect(pixels.alphas.allSatisfy { $0[30..<40].allSatisfy { $0 == 0 } })
  }
}
