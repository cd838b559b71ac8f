import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import Testing

@Suite("The ground of a pass")
struct GroundTests {
  private static let size = PixelSize(width: 40, height: 30)
  private static let ground = ItemColor(0.2, 0.6, 1 / 255, 1)

  /// A plan with a form at the bottom and two squares over it, as one batch.
  private func plan(_ boxes: [Box], _ color: ItemColor = ground) -> FramePlan {
    var plan = FramePlan(Self.size.width, Self.size.height)
    for box in boxes { plan.add(Item(.solid, color: color), box) }
    let square = Item(.solid, color: ItemColor(0.3, 0, 0.1, 0.5))
    plan.add(square, Box(3, 4, 20, 15))
    plan.add(square, Box(10.4, 8.6, 37.5, 50))
    let count = boxes.count + 2
    plan.passes[0].batches = [plan.passes[0].batches[0]]
    plan.passes[0].batches[0].items = 0..<count
    plan.passes[0].batches[0].vertexCount = 6 * count
    return plan
  }

  /// The same in halves, of which none covers the frame.
  private func halves(_ color: ItemColor = ground) -> FramePlan {
    plan([Box(0, 0, 17, 30), Box(17, 0, 40, 30)], color)
  }

  @Test("is cleared with the bytes with which it is drawn, and what lies over it is drawn")
  func sameBytes() throws {
    try withRenderer { renderer in
      let expected = try renderer.draw(halves()).bytes
      #expect(try renderer.draw(plan([Box(0, 0, 40, 30)])).bytes == expected)
      #expect(try renderer.draw(plan([Box(-9, -1, 99, 31)])).bytes == expected)
    }
  }

  @Test("takes no draw if nothing lies over it")
  func noDraw() throws {
    var plan = FramePlan(Self.size.width, Self.size.height)
    plan.add(Item(.solid, color: Self.ground), Box(0, 0, 40, 30))
    try withRenderer { renderer in
      let surface = try renderer.makeSurface(size: plan.size, format: .bgra8)
      defer { renderer.releaseSurface(surface) }
      #expect(try renderer.run(plan, on: surface) == 0)
      let pixels = try renderer.pixels(of: surface, size: plan.size)
      #expect(pixels[0, 0] == [51, 153, 1, 255])
      #expect(pixels.bytes == (0..<40 * 30).flatMap { _ in [1, 153, 51, 255] as [UInt8] })
    }
  }

  @Test(
    "is no rectangle that lets something through or leaves something out",
    arguments: [
      [Box(0, 0, 39, 30)], [Box(0, 1, 40, 30)], [Box(0.5, 0, 40, 30)], [Box(0, 0, 40, 29.4)],
    ])
  func leftOut(boxes: [Box]) throws {
    try withRenderer { renderer in
      let pixels = try renderer.draw(plan(boxes))
      let shown = try renderer.draw(halves())
      // The last row and column, and the first ones, are only there where a box is.
      for (x, y) in [(0, 0), (39, 0), (0, 29), (39, 29)] {
        let isInside = boxes.contains { box in
          (box.minX...box.maxX).contains(Double(x) + 0.5)
            && (box.minY...box.maxY).contains(Double(y) + 0.5)
        }
        #expect(pixels[x, y][3] == (isInside ? 255 : pixels[x, y][3]), "\(x), \(y)")
        #expect((pixels[x, y] == shown[x, y]) == isInside, "\(x), \(y)")
      }
    }
  }

  @Test("is nothing translucent, and nothing turned")
  func others() throws {
    let translucent = ItemColor(0.1, 0.3, 0, 0.5)
    var turned = FramePlan(Self.size.width, Self.size.height)
    let corners = [
      CGPoint(x: 20, y: 0), CGPoint(x: 40, y: 15), CGPoint(x: 20, y: 30), CGPoint(x: 0, y: 15),
    ]
    turned.add(Item(.solid, color: Self.ground), corners.map { .init($0) })
    try withRenderer { renderer in
      #expect(
        try renderer.draw(plan([Box(0, 0, 40, 30)], translucent)).bytes
          == renderer.draw(halves(translucent)).bytes)
      let pixels = try renderer.draw(turned)
      #expect(pixels[0, 0] == [0, 0, 0, 0])
      #expect(pixels[20, 15] == [51, 153, 1, 255])
    }
  }

  @Test("covers each of several parts, and leaves what is between them")
  func parts() throws {
    let parts = [
      PixelRect(minX: 2, minY: 3, maxX: 12, maxY: 9),
      PixelRect(minX: 20, minY: 12, maxX: 40, maxY: 30),
    ]
    func draw(_ whole: FramePlan, _ renderer: GLESRenderer) throws -> [UInt8] {
      var under = FramePlan(Self.size.width, Self.size.height)
      under.add(Item(.solid, color: ItemColor(0, 0.5, 0.5, 0.5)), Box(0, 0, 30, 20))
      let surface = try renderer.makeSurface(size: whole.size, format: .bgra8)
      defer { renderer.releaseSurface(surface) }
      try renderer.run(under, on: surface)
      var plan = whole
      plan.damage = parts
      plan.passes[0].parts = parts
      try renderer.run(plan, on: surface)
      return try renderer.pixels(of: surface, size: plan.size).bytes
    }
    try withRenderer { renderer in
      let cleared = try draw(plan([Box(0, 0, 40, 30)]), renderer)
      #expect(try cleared == draw(halves(), renderer))
      // It must cover all of them.
      let half = try draw(plan([Box(0, 0, 15, 30)]), renderer)
      #expect(half != cleared)
      #expect(try half == draw(plan([Box(0, 0, 15, 14), Box(0, 14, 15, 30)]), renderer))
    }
  }
}
