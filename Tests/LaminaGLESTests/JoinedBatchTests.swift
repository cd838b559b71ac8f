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

  @Test("are drawn in one call, with the bytes that they have one by one")
  func together() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 120, height: 40)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      defer { renderer.releaseSurface(surface) }
      #expect(try renderer.run(plan(inOnePass: false), on: surface) == 6)
      let apart = try renderer.pixels(of: surface, size: size)
      #expect(apart.bytes.contains { $0 != 0 })
      #expect(try renderer.run(plan(inOnePass: true), on: surface) == 2)
      #expect(try renderer.pixels(of: surface, size: size).bytes == apart.bytes)
    }
  }

  @Test("are drawn one by one, and cut off at their parts, if they reach beyond them")
  func cutOff() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 120, height: 40)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      defer { renderer.releaseSurface(surface) }
      #expect(try renderer.run(plan(beyond: 12, inOnePass: true), on: surface) == 6)
      let drawn = try renderer.pixels(of: surface, size: size)
      for y in 0..<40 {
        for x in 30..<40 { #expect(drawn[x, y] == [0, 0, 0, 0]) }
      }
      let apart = try renderer.draw(plan(beyond: 12, inOnePass: false))
      #expect(apart.bytes == drawn.bytes)
    }
  }
}
