import LaminaRenderTree
import LaminaValues

extension GLESRenderer {
  /// Draws the forms that everything is made of and compares what comes back, because some drivers
  /// draw some of them wrong: in Mesa 22.3, llvmpipe's rasteriser for plain quads on BGRA8 gets
  /// forms near these wrong. It also builds their programs, before the first frame needs them.
  func runSelfTest() throws(GLESError) {
    let test = SelfTestFrame()
    let id = try makeSurface(size: SelfTestFrame.size, format: .bgra8)
    defer { releaseSurface(id) }
    _ = try execute(test.plan, on: id) { _ in nil }
    let (width, height) = (SelfTestFrame.size.width, SelfTestFrame.size.height)
    let pixels = UnsafeMutableRawBufferPointer.allocate(
      byteCount: width * height * 4, alignment: 4)
    defer { pixels.deallocate() }
    try readBack(id, into: pixels, stride: width * 4)
    for (index, expected) in test.expected.enumerated() {
      let found = pixels[index]
      guard abs(Int(found) - Int(expected)) <= SelfTestFrame.tolerance else {
        let (pixel, channel) = index.quotientAndRemainder(dividingBy: 4)
        throw .selfTest(
          "\(test.name(ofColumn: pixel % width)), \(profile.hasBGRA ? "BGRA8" : "RGBA8"): channel"
            + " \(channel) of pixel \(pixel % width), \(pixel / width) is \(found), not \(expected)")
      }
    }
  }
}

/// A frame of 4x4 squares, one for each form, and what its bytes must be.
private struct SelfTestFrame {
  static let size = PixelSize(width: 20, height: 4)
  /// What a rasteriser that blends in 8 bits may be off by.
  static let tolerance = 2
  private static let side = 4

  private(set) var plan = FramePlan(size: size, damage: PixelRect(size))
  private(set) var expected = [UInt8](repeating: 0, count: size.width * size.height * 4)
  private var names: [String] = []

  func name(ofColumn x: Int) -> String { names[x / SelfTestFrame.side] }

  init() {
    let color: [Float] = [0.2, 0.4, 0.6, 0.8]
    let image = FramePlan.TextureSource(
      texture: .texture(TextureID(rawValue: 1)), filter: .nearest)
    let coverage = FramePlan.TextureSource(
      texture: .texture(TextureID(rawValue: 2)), filter: .nearest)
    let group = FramePlan.TextureSource(texture: .offscreen(0), filter: .nearest)
    let square = PixelSize(width: SelfTestFrame.side, height: SelfTestFrame.side)
    let texels = (0..<64).map { UInt8($0 % 4 == 3 ? 192 : 3 * $0 % 192) }
    let alphas = (0..<16).map { UInt8(16 * $0) }
    plan.uploads = [
      .init(
        texture: TextureID(rawValue: 1), size: square, format: .bgra8, region: PixelRect(square),
        source: .bytes(texels)),
      .init(
        texture: TextureID(rawValue: 2), size: square, format: .a8, region: PixelRect(square),
        source: .bytes(alphas)),
    ]
    plan.offscreens = [square]
    plan.passes = [
      .init(target: .offscreen(0), clear: PixelRect(square)),
      .init(target: .surface, clear: PixelRect(SelfTestFrame.size)),
    ]
    draw("image", .image, .copy, [1, 1, 1, 1], [image], pass: 0, at: 0)
    let white: [Float] = [1, 1, 1, 1]
    let squares: [(String, FramePlan.Program, FramePlan.Blend, [Float], [FramePlan.TextureSource])] =
      [
        ("solid", .solid, .copy, color, []),
        ("image", .image, .sourceOver, white, [image]),
        ("color * image", .image, .sourceOver, color, [image]),
        ("coverage", .coverage, .sourceOver, color, [coverage]),
        ("group", .group, .sourceOver, color, [group]),
      ]
    for (index, (name, program, blend, tint, sources)) in squares.enumerated() {
      names.append(name)
      draw(name, program, blend, tint, sources, pass: 1, at: index * SelfTestFrame.side)
      for y in 0..<SelfTestFrame.side {
        for x in 0..<SelfTestFrame.side {
          for channel in 0..<4 {
            let source: Float =
              switch program {
              case .solid: 1
              case .coverage: Float(alphas[y * 4 + x]) / 255
              default: Float(texels[(y * 4 + x) * 4 + channel]) / 255
              }
            let tinted = tint[[2, 1, 0, 3][channel]] * source
            let at = (y * SelfTestFrame.size.width + index * SelfTestFrame.side + x) * 4
            expected[at + channel] = UInt8((tinted * 255).rounded())
          }
        }
      }
    }
  }

  private mutating func draw(
    _ name: String, _ program: FramePlan.Program, _ blend: FramePlan.Blend, _ tint: [Float],
    _ sources: [FramePlan.TextureSource], pass: Int, at x: Int
  ) {
    let side = SelfTestFrame.side
    let first = plan.vertices.count
    for (u, v) in [(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)] as [(Float, Float)] {
      plan.vertices += [Float(x) + u * Float(side), v * Float(side), 1] + tint
      switch program {
      case .solid: break
      case .group: plan.vertices += [Float(-x), 0]
      default: plan.vertices += [u, v]
      }
    }
    plan.passes[pass].batches.append(
      .init(
        program: program, blend: blend, sources: sources,
        scissor: PixelRect(minX: x, minY: 0, maxX: x + side, maxY: side), firstFloat: first,
        vertexCount: 6))
  }
}
