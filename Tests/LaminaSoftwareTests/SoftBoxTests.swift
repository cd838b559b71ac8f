import Foundation
import LaminaFramePlan
import LaminaValues
import TestSupport
import Testing

@testable import LaminaSoftware

@Suite("A box whose sides lie between pixels, drawn by the CPU")
struct SoftBoxTests {
  private static let size = PixelSize(width: 320, height: 40)

  /// A box moved by less than a pixel, or with a side of less than one, or of whole pixels.
  private static func box(_ random: inout SeededGenerator) -> CGRect {
    func span(_ room: Int) -> (start: CGFloat, length: CGFloat) {
      let start = CGFloat(random.below(room / 2)) - 2
      let length = CGFloat(random.pick([0, 1, 2, random.below(room)]))
      return (
        start + CGFloat(random.pick([0, random.below(256)])) / 256,
        length + CGFloat(random.pick([0, 64, random.below(256)])) / 256
      )
    }
    let (x, y) = (span(size.width), span(size.height))
    return CGRect(x: x.start, y: y.start, width: x.length, height: y.length)
  }

  /// A plan of the box with antialiased sides, over pixels of one colour, painted in some parts.
  private func plan(_ box: CGRect, _ color: UInt32, parts: [PixelRect]) -> FramePlan {
    var plan = FramePlan(size: Self.size, damage: parts)
    plan.passes = [.init(target: .surface, parts: parts)]
    let whole = PixelRect(Self.size)
    func append(_ program: FramePlan.Program, _ place: Int) {
      guard plan.items.items.count > place else { return }
      plan.passes[0].batches.append(
        FramePlan.Batch(
          program: program, blend: plan.items.items[place].blend, sources: [], scissor: whole,
          items: place..<place + 1, vertexCount: plan.items.items[place].vertexCount))
    }
    plan.items.add(Item(.solid, blend: .copy, color: .bytes(Self.below)), whole, within: whole)
    append(.solid, 0)
    let place = Projection(CATransform3D.identity)
    SoftCorners.find(box, through: place, antialiased: .all) {
      plan.items.add(
        Item(.solidEdges, blend: .sourceOver, color: .bytes(color)), $0, within: whole)
    }
    append(.solidEdges, 1)
    return plan
  }

  private static let below: UInt32 = 0xff40_80c0

  /// What a pixel shows: the colour in the part of it that the box covers, over what is below.
  private func expected(_ box: CGRect, _ color: UInt32, x: Int, y: Int) -> UInt32 {
    func covered(_ low: CGFloat, _ high: CGFloat, _ pixel: Int) -> Float {
      let middle = CGFloat(pixel) + 0.5
      let sum = min(Float(middle - low), 0.5) + min(Float(high - middle), 0.5)
      return min(max(sum, 0), 1)
    }
    let part = covered(box.minX, box.maxX, x) * covered(box.minY, box.maxY, y)
    let source = Pixel.scaled(Pixel.swapped(color), by: Pixel.byte(part))
    return Pixel.over(source, Pixel.swapped(Self.below))
  }

  private func pixels(_ frames: [FramePlan], _ renderer: SoftwareRenderer) throws -> [UInt32] {
    try renderer.pixels(of: frames, on: .bgra8).withUnsafeBytes {
      Array($0.bindMemory(to: UInt32.self))
    }
  }

  @Test("covers of each pixel the part that lies inside, to 1 of 255, in any part drawn again")
  func coverage() throws {
    var random = SeededGenerator(seed: 41)
    let renderers = InstructionSet.available.reversed().map { SoftwareRenderer(instructions: $0) }
    for index in 0..<300 {
      let box = Self.box(&random)
      let color = random.pick([0xff11_2233, 0x8000_4080, 0x0900_0405 as UInt32])
      let whole = plan(box, color, parts: [PixelRect(Self.size)])
      let drawn = try pixels([whole], renderers[0])
      for renderer in renderers.dropFirst() {
        #expect(try pixels([whole], renderer) == drawn, "\(box)")
      }
      let (x, y) = (random.below(Self.size.width), random.below(Self.size.height))
      let part = PixelRect(
        minX: x, minY: y, maxX: x + 1 + random.below(Self.size.width - x),
        maxY: y + 1 + random.below(Self.size.height - y))
      #expect(
        try pixels([whole, plan(box, color, parts: [part])], renderers[0]) == drawn,
        "\(box) in \(part)")
      var most = 0
      for (place, pixel) in drawn.enumerated() {
        let (y, x) = place.quotientAndRemainder(dividingBy: Self.size.width)
        let wanted = expected(box, color, x: x, y: y)
        for shift in [0, 8, 16, 24] {
          most = max(most, abs(Int(pixel >> shift & 255) - Int(wanted >> shift & 255)))
        }
      }
      #expect(most <= 1, "\(index): \(box)")
    }
  }
}
