import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import TestSupport
import Testing

@Suite("Small images whose pixels are as large as the target's")
struct ShiftedImageTests {
  /// The side of the images, and of the cells in which they are drawn.
  private static let side = 40
  private static let cell = 64
  /// The cells of a frame along each side.
  private static let cells = 8

  /// Images of random premultiplied pixels, textures 1 to `count`.
  private static func upload(_ count: UInt32, sides: [Int] = [side]) -> FramePlan {
    var random = SeededGenerator(seed: 7)
    var plan = FramePlan(1, 1)
    for id in 1...count {
      let side = sides[Int(id) % sides.count]
      plan.share(id, side, side, pixels(side * side, &random))
    }
    return plan
  }

  private static func pixels(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<count).flatMap { _ in
      let alpha = UInt8.random(in: 0...255, using: &random)
      return (0..<3).map { _ in UInt8.random(in: 0...alpha, using: &random) } + [alpha]
    }
  }

  /// Draws texture 1 in each cell, shifted by that and the next ones along columns by so many
  /// 256ths of a pixel, over grey. With triangles that leave nothing, llvmpipe draws by its general
  /// rasterizer.
  private static func frame(_ shiftX: Int, _ shiftY: Int, besideTriangles: Bool) -> FramePlan {
    let length = cells * cell
    var plan = FramePlan(length, length)
    plan.addSolid(Box(0, 0, Double(length), Double(length)), [0.5, 0.5, 0.5, 1])
    for index in 0..<cells * cells {
      let (column, row) = (index % cells, index / cells)
      let left = Double(column * cell) + 3 + Double(shiftX) / 256
      let top = Double(row * cell) + 5 + Double((shiftY + index) % 256) / 256
      if besideTriangles {
        let corner = Box(
          Double(column * cell), Double(row * cell), Double(column * cell + 9),
          Double(row * cell + 9)
        ).corners.prefix(3).map {
          ProjectedQuad.Vertex($0, edges: SIMD4(repeating: ProjectedQuad.far))
        }
        plan.add(Item(.solid, color: ItemColor(0, 0, 0, 0)), corner)
      }
      plan.addImage(
        Box(left, top, left + Double(side), top + Double(side)), .texture(1, .linear),
        program: .plainImage)
    }
    return plan
  }

  @Test("are drawn alike by both of llvmpipe's rasterizers, whatever part of a pixel they lie off")
  func everyShift() throws {
    try withRenderer { renderer in
      _ = try renderer.draw(Self.upload(1))
      // From the third frame on, the linear one draws.
      for _ in 0..<2 { _ = try renderer.draw(Self.frame(0, 0, besideTriangles: false)) }
      for shiftX in [Int](0..<4) + stride(from: 4, to: 252, by: 5) + (252..<256) {
        for shiftY in stride(from: 0, to: 256, by: Self.cells * Self.cells) {
          let alone = try renderer.draw(Self.frame(shiftX, shiftY, besideTriangles: false))
          let beside = try renderer.draw(Self.frame(shiftX, shiftY, besideTriangles: true))
          #expect(alone.bytes == beside.bytes, "\(shiftX), \(shiftY)")
        }
      }
    }
  }

  @Test("are mixed from their four nearest pixels, to 2 of 255")
  func mixture() throws {
    var random = SeededGenerator(seed: 7)
    let image = Self.pixels(Self.side * Self.side, &random)
    func pixel(_ x: Int, _ y: Int, _ channel: Int) -> Double {
      let (x, y) = (min(max(x, 0), Self.side - 1), min(max(y, 0), Self.side - 1))
      return Double(image[(y * Self.side + x) * 4 + channel])
    }
    try withRenderer { renderer in
      _ = try renderer.draw(Self.upload(1))
      for shift in stride(from: 0, to: 256, by: 15) {
        let (partX, partY) = (Double(shift) / 256, Double(shift * 7 % 256) / 256)
        var plan = FramePlan(50, 50)
        plan.addImage(
          Box(partX, partY, 40 + partX, 40 + partY), .texture(1, .linear), program: .plainImage)
        for frame in 0..<3 {
          let drawn = try renderer.draw(plan)
          var most = 0.0
          for y in 1..<39 {
            for x in 1..<39 {
              for channel in 0..<4 {
                let rows = (0..<2).map { row in
                  (1 - partX) * pixel(x, y - row, channel)
                    + partX * pixel(x - 1, y - row, channel)
                }
                let expected = (1 - partY) * rows[0] + partY * rows[1]
                most = max(most, abs(expected - Double(drawn.bytes[(y * 50 + x) * 4 + channel])))
              }
            }
          }
          // Places are rounded to 256ths; each of the two mixtures is rounded down.
          #expect(most < (shift == 0 ? 1e-9 : 3), "\(shift) in frame \(frame)")
        }
      }
    }
  }

  @Test("are the same bytes in every frame, whatever was drawn before and else is there")
  func history() throws {
    var random = SeededGenerator(seed: 3)
    let sides = [12, 16, 40, 64, 100]
    let frames = (0..<200).map { _ in Self.mixedFrame(&random, imageCount: 60, sides) }
    let images = Self.upload(60, sides: sides)
    /// The frames' pixels, and the calls that drew them. Each is drawn whole, then a part of it
    /// again, and if `isNew` after all images were uploaded once more.
    func draw(isNew: (Int) -> Bool) throws -> (pixels: [[UInt8]], calls: Int) {
      try withRenderer { renderer in
        _ = try renderer.draw(images)
        let surface = try renderer.makeSurface(size: frames[0].size, format: .bgra8)
        var calls = 0
        let pixels = try frames.enumerated().map { index, frame in
          for _ in 0..<2 { try renderer.run(frame, on: surface) }
          let whole = try renderer.pixels(of: surface, size: frame.size).bytes
          var part = frame
          let (x, y) = (index * 7 % 150, index * 11 % 90)
          part.passes[0].parts = [PixelRect(minX: x, minY: y, maxX: x + 130, maxY: y + 50)]
          if index % 2 == 0 {
            part.passes[0].parts.append(
              PixelRect(minX: x + 20, minY: y + 60, maxX: x + 90, maxY: y + 95))
          }
          try renderer.run(part, on: surface)
          #expect(
            try renderer.pixels(of: surface, size: frame.size).bytes == whole, "\(index)")
          if isNew(index) { _ = try renderer.draw(images) }
          calls += try renderer.run(frame, on: surface)
          return try renderer.pixels(of: surface, size: frame.size).bytes
        }
        return (pixels, calls)
      }
    }
    let (alone, aloneCalls) = try draw { _ in true }
    let (inTurn, inTurnCalls) = try draw { _ in false }
    #expect(frames.indices.filter { alone[$0] != inTurn[$0] } == [])
    let isSoftware = try withRenderer { $0.description.renderer.contains("llvmpipe") }
    #expect(!isSoftware || inTurnCalls < aloneCalls * 4 / 5)
  }

  /// Images at random places, most of them shifted, with rectangles of other kinds between them and
  /// in some frames triangles.
  private static func mixedFrame(
    _ random: inout SeededGenerator, imageCount: UInt32, _ sides: [Int]
  ) -> FramePlan {
    var plan = FramePlan(300, 200)
    let hasTriangles = Int.random(in: 0..<4, using: &random) == 0
    if Int.random(in: 0..<3, using: &random) == 0 {
      plan.add(Item(.solid, color: ItemColor(0.2, 0.4, 0.6, 1)), Box(-10, 0, 300, 200))
    }
    for _ in 0..<40 {
      let (x, y) = (
        Double.random(in: -40..<280, using: &random), Double.random(in: -40..<180, using: &random)
      )
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        let color = SIMD4<Float>(0.1, 0.2, 0.4, 0.5)
        plan.addSolid(Box(x, y, x + 70, y + 30.5), color)
      case 1 where hasTriangles:
        let corners = Box(x, y, x + 50, y + 50).corners.prefix(3).map {
          ProjectedQuad.Vertex($0, edges: SIMD4(repeating: ProjectedQuad.far))
        }
        plan.add(Item(.solid, color: ItemColor(0.3, 0, 0, 0.5)), corners)
      case let kind:
        let id = UInt32.random(in: 1...imageCount, using: &random)
        let side = Double(sides[Int(id) % sides.count])
        let place = kind == 2 ? Box(x, y, x + side * 1.5, y + side) : Box(x, y, x + side, y + side)
        if kind == 3 {
          plan.addImage(place, .texture(id, .linear), tint: [0.5, 0.25, 0.75, 1])
        } else {
          plan.addImage(place, .texture(id, .linear), program: .plainImage)
        }
      }
    }
    return plan
  }

  @Test("are drawn in one call, of whatever sizes, once they were drawn in two frames unchanged")
  func calls() throws {
    try withRenderer { renderer in
      guard renderer.description.renderer.contains("llvmpipe") else { return }
      let sides = [16, 40, 100]
      let surface = try renderer.makeSurface(
        size: PixelSize(width: 200, height: 200), format: .bgra8)
      _ = try renderer.draw(Self.upload(30, sides: sides))
      var frame = FramePlan(200, 200)
      for id in 1...30 as ClosedRange<UInt32> {
        let (place, side) = (Double(id) * 3.3, Double(sides[Int(id) % sides.count]))
        frame.addImage(
          Box(place, place, place + side, place + side), .texture(id, .linear),
          program: .plainImage)
      }
      // What the first one leaves to the driver is not known.
      #expect(try (0..<4).map { _ in try renderer.run(frame, on: surface) } == [30, 30, 30, 1])
      _ = try renderer.draw(Self.upload(30, sides: sides))
      #expect(try (0..<4).map { _ in try renderer.run(frame, on: surface) } == [30, 30, 1, 1])
    }
  }
}
