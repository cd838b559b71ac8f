import Foundation
import LaminaFramePlan
import LaminaValues

extension GLESRenderer {
  /// Draws the basic forms and checks the pixels, because some drivers draw some of them wrong: in
  /// Mesa 22.3, llvmpipe's rasteriser for plain quads on BGRA8 fails for similar forms.
  func runSelfTest() throws(ExecutorError) {
    let test = SelfTestFrame()
    let id = try makeSurface(size: SelfTestFrame.size, format: .bgra8)
    defer {
      releaseSurface(id)
      textures.release(test.plan.uploads.map(\.texture))
      textures.shrinkArrays()
    }
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
            + " \(channel) of pixel \(pixel % width), \(pixel / width) is \(found), not \(expected)"
        )
      }
    }
  }
}

extension GLESRenderer {
  /// Whether a part of a frame drawn again equals the whole frame's, in a few frames of basic
  /// forms.
  func checkParts() throws(ExecutorError) -> Bool {
    try framesWithDifferingParts(of: 0..<8, forms: .basic, on: .bgra8).isEmpty
  }
}

/// A frame of 4x4 squares, one for each form, and the expected bytes.
private struct SelfTestFrame {
  static let size = PixelSize(width: side * forms.count, height: side)
  /// Largest error of a rasteriser that blends in 8 bits.
  static let tolerance = 2

  private struct Form {
    var name: String
    var program: FramePlan.Program
    var blend = FramePlan.Blend.sourceOver
    var tint = SelfTestFrame.color
    var sources: FramePlan.Sources = []
  }

  private static let side = 4
  private static let color: SIMD4<Float> = [0.2, 0.4, 0.6, 0.8]
  private static let white: SIMD4<Float> = [1, 1, 1, 1]
  private static let imageID = TextureID(rawValue: 1)
  private static let coverageID = TextureID(rawValue: 2)
  private static let image = FramePlan.TextureSource(texture: .texture(imageID), filter: .nearest)
  private static let coverage = FramePlan.TextureSource(
    texture: .texture(coverageID), filter: .nearest)
  private static let group = FramePlan.TextureSource(texture: .offscreen(0), filter: .nearest)
  private static let forms = [
    Form(name: "solid", program: .solid, blend: .copy),
    Form(name: "solid over nothing", program: .solid),
    Form(name: "image", program: .plainImage, tint: white, sources: [image]),
    Form(name: "color * image", program: .image, sources: [image]),
    Form(name: "coverage", program: .coverage, sources: [coverage]),
    Form(name: "group", program: .group, sources: [group]),
  ]

  private(set) var plan = FramePlan(size: size)
  private(set) var expected = [UInt8](repeating: 0, count: size.width * size.height * 4)
  private let texels = (0..<64 as Range<UInt8>).map { $0 % 4 == 3 ? 192 : 3 * $0 }
  private let alphas = (0..<16 as Range<UInt8>).map { 16 * $0 }

  init() {
    let square = PixelSize(width: SelfTestFrame.side, height: SelfTestFrame.side)
    plan.uploads = [
      upload(SelfTestFrame.imageID, square, .bgra8, texels),
      upload(SelfTestFrame.coverageID, square, .a8, alphas),
    ]
    plan.offscreens = [square]
    plan.passes = [
      .init(target: .offscreen(0), parts: [PixelRect(square)]),
      .init(target: .surface, parts: [PixelRect(SelfTestFrame.size)]),
    ]
    let content = Form(
      name: "group's content", program: .plainImage, blend: .copy, tint: SelfTestFrame.white,
      sources: [SelfTestFrame.image])
    draw(content, pass: 0, column: 0)
    for (column, form) in SelfTestFrame.forms.enumerated() {
      draw(form, pass: 1, column: column)
      expect(form, column: column)
    }
  }

  func name(ofColumn x: Int) -> String { SelfTestFrame.forms[x / SelfTestFrame.side].name }

  private func upload(
    _ id: TextureID, _ size: PixelSize, _ format: PixelFormat, _ bytes: [UInt8]
  ) -> FramePlan.Upload {
    FramePlan.Upload(
      texture: id, size: size, format: format, region: PixelRect(size), source: .bytes(bytes))
  }

  private mutating func draw(_ form: Form, pass: Int, column: Int) {
    let side = SelfTestFrame.side
    let x = column * side
    let square = PixelRect(minX: x, minY: 0, maxX: x + side, maxY: side)
    let tint = SIMD4<Double>(form.tint)
    let item = Item(
      form.program, blend: form.blend, color: ItemColor(tint.x, tint.y, tint.z, tint.w),
      parameters: plan.items.map(CGAffineTransform(unitOf: square.cgRect)))
    plan.items.add(item, square, within: square)
    var sources = form.sources
    if form.program == .group { sources[0].originX = x }
    plan.passes[pass].batches.append(
      FramePlan.Batch(
        program: form.program, blend: form.blend, sources: sources, scissor: square,
        items: plan.items.items.indices.suffix(1), vertexCount: 6, isAffine: true))
  }

  private mutating func expect(_ form: Form, column: Int) {
    let side = SelfTestFrame.side
    let bgra = [form.tint[2], form.tint[1], form.tint[0], form.tint[3]]
    for pixel in 0..<side * side {
      let (y, x) = pixel.quotientAndRemainder(dividingBy: side)
      let at = (y * SelfTestFrame.size.width + column * side + x) * 4
      for channel in 0..<4 {
        let source: Float =
          switch form.program {
          case .solid: 1
          case .coverage: Float(alphas[pixel]) / 255
          default: Float(texels[pixel * 4 + channel]) / 255
          }
        expected[at + channel] = UInt8((bgra[channel] * source * 255).rounded())
      }
    }
  }
}
