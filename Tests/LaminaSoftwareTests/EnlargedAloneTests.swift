import LaminaFramePlan
import LaminaSoftware
import LaminaValues
import TestSupport
import Testing

@testable import LaminaGLES

/// llvmpipe enlarges an image, rounding down, by a rasterizer that is four times as fast, if
/// nothing else is painted into the target.
@Suite("An image that is enlarged and rounded down")
struct EnlargedAloneTests {
  @Test(
    "has the same bytes alone in a target, drawn twice, and painted by the CPU",
    arguments: [FramePlan.Program.doubledDown, .quadrupledDown])
  func sameBytes(_ program: FramePlan.Program) throws {
    let device = try GLESRenderer(platform: .surfaceless)
    defer { device.close() }
    let software = SoftwareRenderer()
    var random = SeededGenerator(seed: 5)
    for place in 0..<80 {
      let frame = EnlargedFrame(program, &random, replacesTexture: place > 0)
      let (alone, twice) = (frame.plan(times: 1), frame.plan(times: 2))
      #expect(frame.isAlone(in: alone) && !frame.isAlone(in: twice), "\(frame)")
      let expected = try software.pixels(of: [alone], on: .bgra8)
      #expect(try device.pixels(of: [alone], on: .bgra8) == expected, "alone: \(frame)")
      #expect(try device.pixels(of: [twice], on: .bgra8) == expected, "twice: \(frame)")
    }
  }
}

/// A frame that shows a random image at twice or four times its resolution, wherever both begin.
private struct EnlargedFrame: CustomStringConvertible {
  private let program: FramePlan.Program
  private let region: PixelRect
  private let source: PixelRect
  private let pixels: [UInt8]
  private let replacesTexture: Bool
  private static let texture = TextureID(rawValue: 1)

  init(
    _ program: FramePlan.Program, _ random: inout SeededGenerator, replacesTexture: Bool
  ) {
    (self.program, self.replacesTexture) = (program, replacesTexture)
    let shift = program == .doubledDown ? 1 : 2
    let (x, y) = (random.below(400) - 200, random.below(400) - 200)
    let (width, height) = (1 + random.below(300), 1 + random.below(150))
    region = PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + height)
    source = PixelRect(
      minX: (region.minX >> shift) - 1 - random.below(3),
      minY: (region.minY >> shift) - 1 - random.below(3),
      maxX: (region.maxX - 1) >> shift + 3 + random.below(3),
      maxY: (region.maxY - 1) >> shift + 2 + random.below(3))
    pixels = (0..<4 * source.width * source.height).map { _ in UInt8(random.below(256)) }
  }

  var description: String { "\(program), \(region) of \(source)" }

  /// The image is painted into a group, which is enlarged that many times.
  func plan(times: Int) -> FramePlan {
    var plan = FramePlan(size: region.size)
    if replacesTexture || times > 1 { plan.releases = [Self.texture] }
    plan.uploads = [
      FramePlan.Upload(
        texture: Self.texture, size: source.size, format: .bgra8, region: PixelRect(source.size),
        source: .bytes(pixels))
    ]
    plan.offscreens = [source.size, region.size]
    let image = Item(
      .plainImage, blend: .copy,
      parameters: plan.items.map(CGAffineTransform(unitOf: source.cgRect)))
    add(
      image, source, .init(texture: .texture(Self.texture), filter: .nearest), .offscreen(0), &plan)
    let enlarged = Item(
      program, blend: .copy, parameters: plan.items.kernel(BlurKernel(repeatsEdges: false)))
    let sampled = FramePlan.TextureSource(
      texture: .offscreen(0), filter: .linear, originX: source.minX, originY: source.minY)
    for _ in 0..<times { add(enlarged, region, sampled, .offscreen(1), &plan) }
    let shown = FramePlan.TextureSource(
      texture: .offscreen(1), filter: .nearest, originX: region.minX, originY: region.minY)
    add(Item(.group, blend: .copy), region, shown, .surface, &plan)
    return plan
  }

  /// Whether the device sees that the image is enlarged alone.
  func isAlone(in plan: FramePlan) -> Bool {
    program.bitsOfEnlarging.map {
      plan.passes[1].isEnlargedAlone(bits: $0, on: region.size, from: source.size, plan)
    } == true
  }

  private func add(
    _ item: Item, _ rect: PixelRect, _ source: FramePlan.TextureSource, _ target: FramePlan.Target,
    _ plan: inout FramePlan
  ) {
    plan.items.add(item, rect, within: rect)
    if plan.passes.last?.target != target {
      plan.passes.append(
        .init(
          target: target, originX: rect.minX, originY: rect.minY, parts: [PixelRect(rect.size)]))
    }
    plan.passes[plan.passes.count - 1].batches.append(
      FramePlan.Batch(
        program: item.program, blend: item.blend, sources: [source],
        scissor: PixelRect(rect.size), items: plan.items.items.indices.suffix(1), vertexCount: 6,
        isAffine: true))
  }
}
