import Foundation
import LaminaFramePlan
import LaminaValues
import TestSupport
import Testing

@testable import LaminaGLES

@Suite("Rounded rectangles that hide each other")
struct VisiblePieceTests {
  /// Rounded rectangles over each other, most of them opaque, some enlarged, some turned, some
  /// beyond the frame, and others in between: one in so many.
  private struct Stack {
    let size: PixelSize
    private(set) var list = ItemList()

    init(
      seed: UInt64, _ size: PixelSize = PixelSize(width: 180, height: 140), count: Int = 14,
      others: Int = 5
    ) {
      self.size = size
      var random = SeededGenerator(seed: seed)
      for _ in 0..<count {
        let (width, height) = (Double(20 + random.below(100)), Double(20 + random.below(80)))
        let scale = random.pick([1, 1, 0.75, 2.0])
        let (x, y) = (
          Double.random(in: -30...Double(size.width - 30), using: &random),
          Double.random(in: -30...Double(size.height - 30), using: &random)
        )
        // Some lie on the pixels, some half a pixel beside them.
        let step = random.pick([1, 0.5, 1e-9])
        let (left, top) = ((x / step).rounded() * step, (y / step).rounded() * step)
        let box = Box(left, top, left + width, top + height)
        let outline = CornerOutline(
          rect: box.inUnits(of: scale).rect,
          radii: SIMD4(repeating: Double(random.below(12)) / scale),
          curve: random.one(in: 3) ? .continuous : .circular)
        let alpha = random.one(in: 4) ? 0.5 : 1
        let color = ItemColor(Double(random.below(256)) / 255 * alpha, 0, 0.25 * alpha, alpha)
        let item = Item(
          random.one(in: others) ? .solid : .rounded.along(outline.curve), color: color,
          outline: list.outline(outline))
        let angle = random.one(in: others + 3) ? 0.1 : 0
        let turn = CGAffineTransform(rotationAngle: angle)
        let outset = box.outset(1)
        list.add(
          item,
          ProjectedQuad(
            vertices: zip(outset.corners, outset.inUnits(of: scale).corners).map { pixel, local in
              ProjectedQuad.Vertex(pixel.applying(turn), local: local)
            }), within: PixelRect(size))
      }
    }

    /// A plan in whose passes the items are drawn, each in one. Only parts are painted.
    func plan(_ passes: [Range<Int>], parts: [PixelRect]) -> FramePlan {
      var plan = FramePlan(size: size, damage: parts)
      plan.items = list
      plan.passes = passes.enumerated().map { number, items in
        var pass = FramePlan.Pass(target: .surface, parts: parts, isCleared: number == 0)
        for item in items {
          let last = pass.batches.count - 1
          if last >= 0 {
            let taken = pass.batches[last].extend(
              by: item..<item + 1, of: list, [], scissor: PixelRect(size))
            if taken == 1 { continue }
          }
          pass.batches.append(
            FramePlan.Batch(item, of: list, [], scissor: PixelRect(size)))
        }
        return pass
      }
      return plan
    }
  }

  @Test("have the same bytes if what is hidden is drawn too, and if parts are drawn again")
  func sameBytes() throws {
    var (saved, all) = (0, 0)
    try withRenderer { renderer in
      for seed in 0..<150 as Range<UInt64> {
        let stack = Stack(seed: seed)
        let items = stack.list.items.indices
        let whole = [PixelRect(stack.size)]
        let once = stack.plan([items], parts: whole)
        let oneByOne = stack.plan(items.map { $0..<$0 + 1 }, parts: whole)
        let drawn = try renderer.draw(once)
        #expect(try renderer.draw(oneByOne).bytes == drawn.bytes, "seed \(seed)")

        let surface = try renderer.makeSurface(size: stack.size, format: .bgra8)
        defer { renderer.releaseSurface(surface) }
        try renderer.run(once, on: surface)
        let part = PixelRect(minX: 31, minY: 17, maxX: 96, maxY: 90)
        let touched = stack.list.items.indices.filter { stack.list.items[$0].box.meets(part) }
        try renderer.run(stack.plan([items], parts: [part]), on: surface)
        #expect(try renderer.pixels(of: surface, size: stack.size).bytes == drawn.bytes)
        let again = stack.plan(touched.map { $0..<$0 + 1 }, parts: [part])
        try renderer.run(again, on: surface)
        #expect(try renderer.pixels(of: surface, size: stack.size).bytes == drawn.bytes)

        var pieces = VisiblePieces()
        pieces.cut(once.passes[0], stack.list)
        for item in items {
          let box = stack.list.items[item].box
          all += box.width * box.height
          guard let shown = pieces.pieces(of: item) else { continue }
          #expect(shown.allSatisfy { box.contains($0) && !$0.isEmpty })
          saved += box.width * box.height - shown.reduce(0) { $0 + $1.width * $1.height }
        }
      }
    }
    #expect(saved > all / 10)
  }

  @Test("have the same bytes if their insides are drawn first, as plain rectangles")
  func insides() throws {
    var runCount = 0
    try withRenderer { renderer in
      for seed in 0..<60 as Range<UInt64> {
        let stack = Stack(seed: seed, PixelSize(width: 500, height: 400), count: 40, others: 15)
        let items = stack.list.items.indices
        let whole = [PixelRect(stack.size)]
        let once = stack.plan([items], parts: whole)
        let drawn = try renderer.draw(once)
        let oneByOne = stack.plan(items.map { $0..<$0 + 1 }, parts: whole)
        #expect(try renderer.draw(oneByOne).bytes == drawn.bytes, "seed \(seed)")

        let surface = try renderer.makeSurface(size: stack.size, format: .bgra8)
        defer { renderer.releaseSurface(surface) }
        try renderer.run(once, on: surface)
        let parts = [
          PixelRect(minX: 31, minY: 17, maxX: 260, maxY: 190),
          PixelRect(minX: 240, minY: 190, maxX: 460, maxY: 380),
        ]
        try renderer.run(stack.plan([items], parts: parts), on: surface)
        #expect(try renderer.pixels(of: surface, size: stack.size).bytes == drawn.bytes)
        // Each in one of the parts.
        func scissored(_ plan: FramePlan) -> FramePlan {
          var plan = plan
          for pass in plan.passes.indices {
            plan.passes[pass].batches = plan.passes[pass].batches.flatMap { batch in
              batch.items.map {
                FramePlan.Batch($0, of: stack.list, [], scissor: parts[$0 / 3 % 2])
              }
            }
          }
          return plan
        }
        let apart = try renderer.draw(scissored(stack.plan([items], parts: parts)))
        let apartOneByOne = scissored(stack.plan(items.map { $0..<$0 + 1 }, parts: parts))
        #expect(try renderer.draw(apartOneByOne).bytes == apart.bytes, "seed \(seed)")
        var pieces = VisiblePieces()
        pieces.cut(once.passes[0], stack.list)
        runCount += pieces.insides.runs.count
        for run in pieces.insides.runs {
          let rects = pieces.insides.rects[run.rects].map(\.rect)
          #expect(
            rects.indices.allSatisfy { place in
              rects[..<place].allSatisfy { !$0.meets(rects[place]) }
            })
        }
      }
    }
    #expect(runCount > 20)
  }

  @Test("cover all pixels between their corners, and no others than those that their sides meet")
  func areas() {
    func rounded(
      _ box: Box, _ curve: CornerOutline.Curve = .circular
    ) -> (areas: [PixelRect], covered: PixelRect) {
      var list = ItemList()
      let outline = CornerOutline(rect: box.rect, radii: SIMD4(repeating: 4), curve: curve)
      let item = Item(
        .rounded.along(curve), color: .bytes(0xFF00_00FF), outline: list.outline(outline))
      list.add(
        item, ProjectedQuad(vertices: box.outset(1).corners.map { .init($0) }),
        within: PixelRect(minX: 0, minY: 0, maxX: 100, maxY: 100))
      let (areas, covered) = list.coverage(of: 0)
      return ([areas.0, areas.1], covered)
    }
    let whole = rounded(Box(10, 20, 70, 80))
    #expect(
      whole.areas == [
        PixelRect(minX: 10, minY: 24, maxX: 70, maxY: 76),
        PixelRect(minX: 14, minY: 20, maxX: 66, maxY: 80),
      ])
    #expect(whole.covered == PixelRect(minX: 10, minY: 20, maxX: 70, maxY: 80))
    // Sides that are as near to a pixel's as a sum of fractions gets.
    let near = rounded(Box(0.1 + 0.2 + 9.7, 20, 70, 79.9 + 0.1))
    #expect(near.areas == whole.areas && near.covered == whole.covered)
    let between = rounded(Box(10.5, 20.25, 70.5, 80.25))
    #expect(
      between.areas == [
        PixelRect(minX: 11, minY: 25, maxX: 70, maxY: 76),
        PixelRect(minX: 15, minY: 21, maxX: 66, maxY: 80),
      ])
    #expect(between.covered == PixelRect(minX: 10, minY: 20, maxX: 71, maxY: 81))
    // Whose sides are nowhere straight.
    let continuous = rounded(Box(10, 20, 70, 80), .continuous)
    #expect(continuous.areas[0].minX == 11 && continuous.covered.minX == 9)
  }

  @Test("are drawn whole under what is translucent, turned or elsewhere, and in other passes")
  func notHidden() {
    func pieces(_ set: (inout FramePlan) -> Void) -> Int? {
      var plan = FramePlan(100, 100)
      var list = ItemList()
      let outline = CornerOutline(
        rect: CGRect(x: 10, y: 10, width: 60, height: 60), radii: SIMD4(repeating: 4))
      for color in [ItemColor.black, .white] {
        let item = Item(.rounded, color: color, outline: list.outline(outline))
        list.add(
          item, ProjectedQuad(vertices: Box(9, 9, 71, 71).corners.map { .init($0) }),
          within: PixelRect(plan.size))
      }
      plan.items = list
      set(&plan)
      plan.passes[0].batches = (0..<2).map {
        FramePlan.Batch($0, of: plan.items, [], scissor: PixelRect(plan.size))
      }
      var pieces = VisiblePieces()
      pieces.cut(plan.passes[0], plan.items)
      return pieces.pieces(of: 0)?.count
    }
    // What shows is at the corners: a rectangle along the first side, and one along the last.
    #expect(pieces { _ in } == 2)
    #expect(pieces { $0.items.items[1].color = .bytes(0x8080_8080) } == nil)
    #expect(pieces { $0.items.items[1].blend = .screen } == nil)
    #expect(pieces { $0.items.items[0].program = .groupRounded } == nil)
    for program in [FramePlan.Program.roundedBorder, .shadowCorner] {
      // They may show in all of their rectangles.
      #expect(pieces { $0.items.items[0].program = program } == 4)
    }
    #expect(pieces { plan in for corner in 4..<8 { plan.items.corners[corner].x += 80 } } == nil)
    #expect(pieces { plan in for corner in 0..<4 { plan.items.corners[corner].w = 2 } } == nil)
    #expect(
      pieces { plan in
        let corners = plan.items.corners
        for corner in 0..<4 {
          plan.items.corners[corner].localX = corners[(corner + 1) % 4].localX
          plan.items.corners[corner].localY = corners[(corner + 1) % 4].localY
        }
      } == nil)
  }
}
