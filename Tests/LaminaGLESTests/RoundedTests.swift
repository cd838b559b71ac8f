import LaminaGLES
import LaminaFramePlan
import LaminaValues
import Testing

@Suite("Rounded rectangles")
struct RoundedTests {
  /// A plan for a rounded rectangle, in pixels, drawn in a quad outset by one so that its edges
  /// have room. Its radii and border are in units of `scale` pixels.
  private func plan(
    _ width: Int, _ height: Int, _ box: Box, radii: CornerOutline.Radii, border: Float? = nil,
    scale: Double = 1
  ) -> FramePlan {
    var plan = FramePlan(width, height)
    let outline = CornerOutline(rect: box.inUnits(of: scale).rect, radii: radii)
    let quad = box.outset(1)
    plan.add(
      Item(
        border == nil ? .rounded : .roundedBorder, outline: plan.items.outline(outline),
        numbers: [border ?? 0, 0]),
      zip(quad.corners, quad.inUnits(of: scale).corners).map { pixel, local in
        ProjectedQuad.Vertex(pixel, local: local)
      })
    return plan
  }

  /// The share of a pixel that lies within a shape, by counting points.
  private func coverage(_ x: Int, _ y: Int, _ contains: (Float, Float) -> Bool) -> Float {
    let steps = 32
    var inside = 0
    for i in 0..<steps {
      for j in 0..<steps {
        let px = Float(x) + (Float(i) + 0.5) / Float(steps)
        let py = Float(y) + (Float(j) + 0.5) / Float(steps)
        if contains(px, py) { inside += 1 }
      }
    }
    return Float(inside) / Float(steps * steps)
  }

  private func expect(
    _ plan: FramePlan, tolerance: Float, covers contains: (Float, Float) -> Bool
  ) throws {
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    for (y, row) in alphas.enumerated() {
      for (x, alpha) in row.enumerated() {
        let exact = coverage(x, y, contains)
        #expect(abs(Float(alpha) / 255 - exact) <= tolerance, "\(x), \(y)")
      }
    }
  }

  @Test("A square of 10 with radius 5 is a disc", arguments: [1, 0.25, 3])
  func disc(scale: Double) throws {
    let plan = plan(
      12, 12, Box(1, 1, 11, 11), radii: SIMD4(repeating: 5 / scale), scale: scale)
    try expect(plan, tolerance: 0.05) { x, y in
      (x - 6) * (x - 6) + (y - 6) * (y - 6) <= 25
    }
  }

  @Test("Each corner has its own radius, clockwise from the top left")
  func fourRadii() throws {
    let plan = plan(22, 18, Box(1, 1, 21, 17), radii: [0, 3, 6, 8])
    try expect(plan, tolerance: 0.08) { x, y in
      guard (1...21).contains(x), (1...17).contains(y) else { return false }
      func isCut(_ radius: Float, _ dx: Float, _ dy: Float) -> Bool {
        dx < radius && dy < radius
          && (radius - dx) * (radius - dx) + (radius - dy) * (radius - dy) > radius * radius
      }
      return !isCut(3, 21 - x, y - 1) && !isCut(6, 21 - x, 17 - y) && !isCut(8, x - 1, 17 - y)
    }
  }

  @Test("Straight edges between pixels are antialiased")
  func straightEdges() throws {
    let plan = plan(12, 10, Box(1.25, 2, 9.5, 8), radii: [0, 0, 0, 0])
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    #expect(isNear(alphas[5], [0, 191, 255, 255, 255, 255, 255, 255, 255, 128, 0, 0]))
    #expect(alphas[1].allSatisfy { $0 == 0 } && alphas[8].allSatisfy { $0 == 0 })
  }

  @Test("A border lies between the outline and the one inset by its width")
  func border() throws {
    let plan = plan(
      20, 20, Box(1, 1, 19, 19), radii: [6, 6, 6, 6], border: 2)
    try expect(plan, tolerance: 0.09) { x, y in
      func isWithin(_ inset: Float, _ radius: Float) -> Bool {
        let half = 9 - inset
        let (qx, qy) = (abs(x - 10) - half + radius, abs(y - 10) - half + radius)
        let (ox, oy) = (max(qx, 0), max(qy, 0))
        return min(max(qx, qy), 0) + (ox * ox + oy * oy).squareRoot() <= radius
      }
      return isWithin(0, 6) && !isWithin(2, 4)
    }
  }

  @Test("A border wider than half its layer fills it")
  func borderFills() throws {
    let plan = plan(8, 8, Box(1, 1, 7, 7), radii: [0, 0, 0, 0], border: 3)
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    #expect((1..<7).allSatisfy { y in (1..<7).allSatisfy { alphas[y][$0] == 255 } })
  }

  @Test("An image is cut by the outline")
  func roundedImage() throws {
    var plan = FramePlan(10, 10)
    plan.upload(1, 1, 2, .bgra8, [0, 0, 255, 255, 255, 0, 0, 255])
    let box = Box(0, 0, 10, 10)
    let disc = CornerOutline(rect: box.rect, radii: [5, 5, 5, 5])
    plan.add(
      Item(
        .roundedImage, outline: plan.items.outline(disc),
        parameters: plan.items.map(CGAffineTransform(unitOf: box.rect))),
      box, sources: [.texture(1)])
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[5, 2] == [255, 0, 0, 255])
    #expect(pixels[5, 7] == [0, 0, 255, 255])
    #expect(pixels[0, 0] == [0, 0, 0, 0])
    #expect(pixels[9, 9] == [0, 0, 0, 0])
  }
}
