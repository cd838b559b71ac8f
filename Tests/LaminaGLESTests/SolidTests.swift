import Foundation
import LaminaGLES
import LaminaFramePlan
import LaminaValues
import Testing

@Suite("Solid quads")
struct SolidTests {
  @Test("A quad covers exactly the pixels whose centres it contains, with exact bytes")
  func coversPixelCentres() throws {
    var plan = FramePlan(8, 6)
    plan.addSolid(Box(1.4, 2.6, 5.6, 4.4), [1, 128 / 255, 0, 1])
    let pixels = try withRenderer { try $0.draw(plan) }
    for y in 0..<6 {
      for x in 0..<8 {
        let isInside = (1...5).contains(x) && y == 3
        #expect(pixels[x, y] == (isInside ? [255, 128, 0, 255] : [0, 0, 0, 0]), "\(x), \(y)")
      }
    }
  }

  @Test("A long batch is one draw and equals batches of single quads")
  func longBatch() throws {
    var apart = FramePlan(64, 64)
    for n in 0..<1000 {
      let (x, y) = (Double(n * 7 % 60), Double(n * 11 % 60))
      apart.addSolid(Box(x, y, x + 3.6, y + 3.6), [Float(n % 3) / 5, 0, Float(n % 5) / 9, 0.6])
    }
    var together = apart
    let batches = together.passes[0].batches
    together.passes[0].batches = [batches[0]]
    together.passes[0].batches[0].items = 0..<1000
    together.passes[0].batches[0].vertexCount = 6000
    try withRenderer { renderer in
      let surface = try renderer.makeSurface(size: apart.size, format: .bgra8)
      defer { renderer.releaseSurface(surface) }
      #expect(try renderer.run(together, on: surface) == 1)
      let pixels = try renderer.pixels(of: surface, size: apart.size)
      #expect(try renderer.draw(apart).bytes == pixels.bytes)
    }
  }

  @Test("The first row in memory is the top one")
  func topRowFirst() throws {
    var plan = FramePlan(2, 3)
    plan.addSolid(Box(0, 0, 2, 1), [1, 0, 0, 1])
    plan.addSolid(Box(0, 2, 2, 3), [0, 0, 1, 1])
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[0, 0] == [255, 0, 0, 255])
    #expect(pixels[0, 1] == [0, 0, 0, 0])
    #expect(pixels[0, 2] == [0, 0, 255, 255])
    #expect(Array(pixels.bytes.prefix(4)) == [0, 0, 255, 255], "blue first")
  }

  @Test("Every byte that a colour can be comes back as it went in")
  func colorsAreExact() throws {
    var plan = FramePlan(256, 2)
    for n in 0..<256 {
      let (x, c) = (Double(n), Double(n) / 255)
      plan.addSolid(Box(x, 0, x + 1, 1), [Float(c), 0, 1, Float(c)], blend: .copy)
      plan.add(Item(.solid, blend: .copy, color: ItemColor(c, 0, 1, c)), Box(x, 1, x + 1, 2))
    }
    let pixels = try withRenderer { try $0.draw(plan) }
    for n in 0..<256 {
      #expect(pixels[n, 0] == [UInt8(n), 0, 255, UInt8(n)])
      #expect(pixels[n, 1] == [UInt8(n), 0, 255, UInt8(n)])
    }
  }

  @Test("Premultiplied source over is right to the byte, but for some products a half away")
  func sourceOver() throws {
    var plan = FramePlan(256, 256)
    for n in 0..<256 {
      plan.addSolid(
        Box(0, Double(n), 256, Double(n) + 1), [Float(n) / 255, 0, 0, 1], blend: .copy)
    }
    for n in 0..<256 {
      plan.addSolid(Box(Double(n), 0, Double(n) + 1, 256), [0, 0, 0, Float(n) / 255])
    }
    let pixels = try withRenderer { try $0.draw(plan) }
    var wrong = 0
    for below in 0..<256 {
      for alpha in 0..<256 {
        let exact = Float(below) * Float(255 - alpha) / 255
        let found = Float(pixels[alpha, below][0])
        if found != exact.rounded() { wrong += 1 }
        #expect(abs(found - exact) < 1, "\(below) under \(alpha)")
      }
    }
    // llvmpipe blends in 8 bits and rounds 24 of them wrong.
    #expect(wrong <= 32)
    #expect((0..<256).allSatisfy { Int(pixels[0, $0][0]) == $0 && pixels[255, $0][0] == 0 })
  }

  @Test("Copying replaces what is there, alpha and all")
  func copyReplaces() throws {
    var plan = FramePlan(2, 2)
    plan.addSolid(Box(0, 0, 2, 2), [1, 1, 1, 1])
    plan.addSolid(Box(0, 0, 1, 2), [0, 0.2, 0, 0.4], blend: .copy)
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[0, 1] == [0, 51, 0, 102])
    #expect(pixels[1, 1] == [255, 255, 255, 255])
  }

  @Test("Nothing is touched outside the scissor")
  func scissor() throws {
    var plan = FramePlan(6, 6)
    plan.addSolid(
      Box(0, 0, 6, 6), [1, 1, 1, 1],
      scissor: PixelRect(minX: 1, minY: 0, maxX: 4, maxY: 2))
    let pixels = try withRenderer { try $0.draw(plan) }
    for y in 0..<6 {
      for x in 0..<6 {
        #expect(pixels[x, y][3] == ((1..<4).contains(x) && y < 2 ? 255 : 0), "\(x), \(y)")
      }
    }
  }

  @Test("A half-covered edge gives half, and a sliver its own width")
  func edgeCoverage() throws {
    var plan = FramePlan(10, 3)
    func add(_ left: Double, _ right: Double, row: Double) {
      plan.add(
        Item(.solidEdges), Box(left - 1, row, right + 1, row + 1), edges: left...right)
    }
    add(2.5, 6.5, row: 0)
    add(4.25, 4.5, row: 1)
    add(2, 6, row: 2)
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    #expect(isNear(alphas[0], [0, 0, 128, 255, 255, 255, 128, 0, 0, 0]))
    #expect(isNear(alphas[1], [0, 0, 0, 0, 64, 0, 0, 0, 0, 0]))
    #expect(alphas[2] == [0, 0, 255, 255, 255, 255, 0, 0, 0, 0])
  }

  @Test("In perspective a quad's edges are where its corners project to, and as sharp")
  func perspective() throws {
    var plan = FramePlan(16, 16)
    // The right side is four times as far away; on the screen it is a trapezium.
    let corners: [(x: Double, y: Double)] = [(2, 2), (14, 5), (14, 11), (2, 14)]
    func distance(_ from: Int, _ to: Int, _ x: Double, _ y: Double) -> Double {
      let (a, b) = (corners[from], corners[to])
      let (dx, dy) = (b.x - a.x, b.y - a.y)
      return (dx * (y - a.y) - dy * (x - a.x)) / (dx * dx + dy * dy).squareRoot()
    }
    let outset: [(x: Double, y: Double)] = [(1, 0), (15, 4), (15, 12), (1, 16)]
    plan.add(
      Item(.solidEdges),
      outset.map { x, y in
        ProjectedQuad.Vertex(
          CGPoint(x: x, y: y), w: 1 / (1 - (x - 2) / 16),
          edges: [
            distance(3, 0, x, y), distance(1, 2, x, y), distance(0, 1, x, y), distance(2, 3, x, y),
          ])
      })
    let alphas = try withRenderer { try $0.draw(plan).alphas }
    #expect(alphas[8] == [0, 0] + Array(repeating: 255, count: 12) + [0, 0])
    for x in 2..<14 {
      let covered = (0..<8).map { Float(alphas[$0][x]) / 255 }.reduce(0, +)
      let edge = 2 + (Float(x) + 0.5 - 2) / 4
      #expect(abs(covered - (8 - edge)) < 0.06, "column \(x)")
    }
  }

  @Test("What comes after a batch is found, however many numbers the batch's vertices have")
  func afterAnyProgram() throws {
    let programs = FramePlan.Program.allCases
    var plan = FramePlan(programs.count, 2)
    plan.upload(1, 1, 1, .bgra8, [255, 255, 255, 255])
    let colors: [SIMD4<Float>] = [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]
    for (n, program) in programs.enumerated() {
      let x = Double(n)
      plan.addAny(program, Box(x, 1, x + 1, 2))
      plan.addSolid(Box(x, 0, x + 1, 1), colors[n % 3])
    }
    let pixels = try withRenderer { try $0.draw(plan) }
    for (n, program) in programs.enumerated() {
      let expected = colors[n % 3] * 255
      #expect(pixels[n, 0] == (0..<4).map { UInt8(expected[$0]) }, "after \(program)")
    }
  }

  @Test("What comes after a batch is found, also if nothing of the batch is in its scissor")
  func afterInvisible() throws {
    var plan = FramePlan(2, 1)
    plan.addSolid(Box(0, 0, 1, 1), [1, 0, 0, 1], scissor: .empty)
    plan.addSolid(Box(1, 0, 2, 1), [0, 1, 0, 1])
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[0, 0] == [0, 0, 0, 0])
    #expect(pixels[1, 0] == [0, 255, 0, 255])
  }
}
