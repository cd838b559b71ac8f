import LaminaGLES
import LaminaFramePlan
import LaminaValues
import Testing

@Suite("Groups and masks")
struct GroupTests {
  /// Adds a cleared offscreen target of this size at a place, which is drawn into next; returns it
  /// as a source.
  private func begin(
    _ plan: inout FramePlan, at origin: (x: Int, y: Int) = (0, 0), _ width: Int, _ height: Int
  ) -> FramePlan.TextureSource {
    let size = PixelSize(width: width, height: height)
    plan.offscreens.append(size)
    let index = plan.offscreens.count - 1
    plan.passes.append(
      .init(
        target: .offscreen(index), originX: origin.x, originY: origin.y, parts: [PixelRect(size)]))
    return .offscreen(index, at: origin)
  }

  private func surface(_ plan: inout FramePlan) {
    plan.passes.append(.init(target: .surface, parts: [PixelRect(plan.size)], isCleared: false))
  }

  @Test("A half-opaque group is composited once, at its offset")
  func offset() throws {
    var plan = FramePlan(6, 5)
    let group = begin(&plan, at: (2, 1), 3, 3)
    plan.addSolid(Box(2, 1, 4, 4), [1, 0, 0, 1])
    plan.addSolid(Box(3, 1, 5, 4), [0, 0, 1, 1])
    plan.addSolid(Box(2, 3, 5, 4), [0, 1, 0, 1])
    surface(&plan)
    plan.addGroup(Box(2, 1, 5, 4), group, tint: [0.4, 0.4, 0.4, 0.4])
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[2, 1] == [102, 0, 0, 102])
    #expect(pixels[3, 1] == [0, 0, 102, 102])
    #expect(pixels[4, 2] == [0, 0, 102, 102])
    #expect(pixels[2, 3] == [0, 102, 0, 102])
    #expect(pixels[1, 1] == [0, 0, 0, 0])
    #expect(pixels[2, 4] == [0, 0, 0, 0])
  }

  @Test("A group in a group is at its place, wherever their targets start")
  func nested() throws {
    var plan = FramePlan(7, 4)
    let inner = begin(&plan, at: (3, 1), 3, 2)
    plan.addSolid(Box(4, 2, 5, 3), [1, 1, 1, 1])
    let outer = begin(&plan, at: (1, -2), 6, 6)
    plan.addGroup(Box(3, 1, 6, 3), inner)
    surface(&plan)
    plan.addGroup(Box(1, 0, 7, 4), outer)
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    #expect(alphas.flatMap { $0 }.reduce(0, +) == 255)
    #expect(alphas[2][4] == 255)
  }

  @Test("A canvas keeps what a plan drew for later plans of any surface, until it is released")
  func canvas() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 2, height: 1)
      var first = FramePlan(2, 1)
      first.addCanvas(7, 2, 1)
      first.addSolid(Box(1, 0, 2, 1), [1, 0, 0, 1])
      surface(&first)
      var later = FramePlan(2, 1)
      surface(&later)
      later.addImage(Box(0, 0, 2, 1), .canvas(7))
      for plan in [first, later] {
        let surface = try renderer.makeSurface(size: size, format: .bgra8)
        try renderer.run(plan, on: surface)
        let pixels = try renderer.pixels(of: surface, size: size)
        #expect(pixels[0, 0] == [0, 0, 0, 0])
        #expect(pixels[1, 0] == (plan == later ? [255, 0, 0, 255] : [0, 0, 0, 0]))
      }
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      later.releases = [TextureID(rawValue: 7)]
      #expect(throws: ExecutorError.self) { try renderer.run(later, on: surface) }
      var release = FramePlan(2, 1)
      release.releases = later.releases
      try renderer.run(release, on: surface)
      later.releases = []
      #expect(throws: ExecutorError.self) { try renderer.run(later, on: surface) }
    }
  }

  @Test("Outside their targets, a blend mode's sources are transparent")
  func outside() throws {
    var plan = FramePlan(6, 1)
    let group = begin(&plan, at: (2, 0), 2, 1)
    plan.addSolid(Box(2, 0, 4, 1), [1, 1, 1, 1])
    surface(&plan)
    plan.addGroup(
      Box(0, 0, 6, 1), group, group, program: .blended, blend: .formula(.darken))
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    #expect(alphas[0] == [0, 0, 255, 255, 0, 0])
  }

  @Test("A mask's alpha multiplies the group, each at its own offset")
  func masked() throws {
    var plan = FramePlan(6, 1)
    let group = begin(&plan, at: (1, 0), 4, 1)
    plan.addSolid(Box(1, 0, 5, 1), [0.8, 0.4, 0, 0.8])
    let mask = begin(&plan, at: (-3, 0), 8, 1)
    plan.addSolid(Box(2, 0, 3, 1), [0, 0, 0, 1])
    plan.addSolid(Box(3, 0, 4, 1), [1, 1, 1, 0.2])
    surface(&plan)
    plan.addGroup(Box(1, 0, 5, 1), group, mask, program: .groupMasked)
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[1, 0] == [0, 0, 0, 0])
    #expect(pixels[2, 0] == [204, 102, 0, 204])
    #expect(pixels[3, 0] == [41, 20, 0, 41])
    #expect(pixels[4, 0] == [0, 0, 0, 0])
  }

  @Test("A group's edges and corners are antialiased as any other's")
  func shaped() throws {
    var plan = FramePlan(12, 24)
    let group = begin(&plan, 12, 24)
    plan.addSolid(Box(0, 0, 12, 24), [1, 1, 1, 1])
    surface(&plan)
    plan.add(Item(.groupEdges), Box(1.5, 1, 6.5, 3), edges: 2.5...5.5, sources: [group])
    let disc = CornerOutline(rect: Box(1, 12, 11, 22).rect, radii: [5, 5, 5, 5])
    plan.add(
      Item(.groupRounded, outline: plan.items.outline(disc)), Box(0, 11, 12, 23),
      sources: [group])
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    #expect(isNear(alphas[1], [0, 0, 128, 255, 255, 128, 0, 0, 0, 0, 0, 0]))
    #expect(alphas[17][2..<10].allSatisfy { $0 == 255 })
    #expect(alphas[17][0] == 0 && alphas[17][11] == 0)
    #expect(alphas[17][1] > 240 && alphas[17][10] > 240)
    #expect(alphas[12][1] == 0 && alphas[12][10] == 0)
  }

  @Test("Nothing of one frame's offscreens shows in the next, whatever the passes clear")
  func offscreensStartTransparent() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 4, height: 4)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      var first = FramePlan(4, 4)
      _ = begin(&first, 4, 4)
      first.addSolid(Box(0, 0, 4, 4), [1, 1, 1, 1])
      try renderer.run(first, on: surface)
      for isCleared in [false, true] {
        var second = FramePlan(4, 4)
        let group = begin(&second, 4, 4)
        second.passes[second.passes.count - 1].isCleared = isCleared
        second.passes[second.passes.count - 1].parts = [
          PixelRect(minX: 2, minY: 2, maxX: 3, maxY: 3)
        ]
        second.addSolid(Box(2, 2, 3, 3), [1, 1, 1, 1])
        self.surface(&second)
        second.addGroup(Box(0, 0, 4, 4), group)
        try renderer.run(second, on: surface)
        let alphas = try renderer.pixels(of: surface, size: size).alphas
        #expect(alphas.flatMap { $0 }.reduce(0, +) == 255)
        #expect(alphas[2][2] == 255)
      }
    }
  }

  @Test("Two offscreens of one size in one frame are two targets")
  func twoOfOneSize() throws {
    var plan = FramePlan(2, 1)
    let a = begin(&plan, 1, 1)
    plan.addSolid(Box(0, 0, 1, 1), [1, 0, 0, 1])
    let b = begin(&plan, at: (1, 0), 1, 1)
    plan.addSolid(Box(1, 0, 2, 1), [0, 1, 0, 1])
    surface(&plan)
    plan.addGroup(Box(0, 0, 1, 1), a)
    plan.addGroup(Box(1, 0, 2, 1), b)
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[0, 0] == [255, 0, 0, 255])
    #expect(pixels[1, 0] == [0, 255, 0, 255])
  }
}
