import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaSoftware
import LaminaValues
import Testing

@Suite("The CPU and a device")
struct AgreementTests {
  /// A program with a blend.
  struct Combination: CustomStringConvertible {
    var program: FramePlan.Program
    var blend: FramePlan.Blend
    var description: String { "\(program), \(blend)" }
  }

  private static let blends: [FramePlan.Blend] = [
    .sourceOver, .copy, .plus, .screen, .multiply, .fill, .sourceAtop, .destinationOver,
    .destinationOut, .xor,
  ]
  private static let combinations: [Combination] = FramePlan.Program.allCases.flatMap { program in
    let blends = program == .blended ? BlendMode.allCases.map { .formula($0) } : blends
    return blends.map { Combination(program: program, blend: $0) }
  }

  @Test(
    "draw every program with every blend alike, within 2 of 255 away from hard edges, a GPU within 5",
    arguments: [PixelFormat.bgra8, .rgba16f])
  func everyCombination(format: PixelFormat) throws {
    let device = try GLESRenderer(platform: .surfaceless)
    defer { device.close() }
    let software = SoftwareRenderer()
    var differing: [String] = []
    for combination in Self.combinations {
      let frame = CombinationFrame(combination.program, combination.blend)
      let (a, b) = (
        try software.pixels(of: [frame.plan], on: format),
        try device.pixels(of: [frame.plan], on: format)
      )
      let found = frame.differences(levels(a, format), levels(b, format))
      #expect(found.judged > CombinationFrame.side * CombinationFrame.side / 2)
      if found.most > tolerance(of: combination, isGPU: !device.description.isSoftware) {
        differing.append("\(combination): \(found.most) at \(found.place)")
      }
    }
    #expect(differing == [])
  }

  /// The most that a channel may differ, of 255.
  private func tolerance(of combination: Combination, isGPU: Bool) -> Double {
    // llvmpipe takes the level between two mipmaps by a coarser logarithm than the CPU. GPUs divide
    // less exactly, which shows in the blend modes of hue, and filter in steps of 1/256 of a pixel.
    combination.program.isMipmapped || isGPU ? 5 : 2
  }

  /// Channels out of 255.
  private func levels(_ bytes: [UInt8], _ format: PixelFormat) -> [Double] {
    if format == .bgra8 { return bytes.map(Double.init) }
    return bytes.withUnsafeBytes { $0.bindMemory(to: Float16.self).map { Double($0) * 255 } }
  }
}

/// A background, and one program's items in six places over it: on pixels, between them, mirrored
/// and smaller, turned, in perspective, and beyond the frame's edge.
private struct CombinationFrame {
  static let side = 72
  private(set) var plan: FramePlan
  /// The pixels next to an edge of an item, where a device may find other pixels inside.
  private static let edges = Set(quads.flatMap { edgePixels(of: $0) })

  init(_ program: FramePlan.Program, _ blend: FramePlan.Blend) {
    let size = PixelSize(width: Self.side, height: Self.side)
    plan = FramePlan(size: size)
    plan.uploads = PartsTest.uploads
    plan.mipmaps = PartsTest.mipmaps
    plan.offscreens = [size, size]
    let whole = [PixelRect(size)]
    plan.passes = [
      .init(target: .offscreen(0), parts: whole), .init(target: .surface, parts: whole),
      .init(target: .offscreen(1), parts: whole),
      .init(target: .surface, parts: whole, isCleared: false),
    ]
    addBackground(pass: 0, [0.7, 0.2, 0.4, 0.8], [0.1, 0.3, 0.2, 0.5])
    addBackground(pass: 1, [0.2, 0.5, 0.3, 0.6], [0.6, 0.5, 0.1, 0.9])
    let copy = Item(.group, blend: .copy)
    plan.items.add(copy, whole[0], within: whole[0])
    addBatch(copy, pass: 2, [.init(texture: .surface, filter: .nearest)])
    for (place, quad) in Self.quads.enumerated() { add(program, blend, place, quad) }
  }

  private static let rect = CGRect(x: 0, y: 0, width: 20, height: 22)

  private static let quads: [ProjectedQuad] = {
    var perspective = CATransform3D.identity
    perspective.m34 = -1 / 200
    let transforms = [
      CATransform3D(translationX: 3, y: 4),
      CATransform3D(translationX: 27.3, y: 3.6),
      CATransform3D(scaleX: -1, y: 0.7).concatenating(CATransform3D(translationX: 70.2, y: 4)),
      CATransform3D(rotationAngle: 0.4, x: 0, y: 0, z: 1)
        .concatenating(CATransform3D(translationX: 12, y: 30)),
      CATransform3D(rotationAngle: 0.7, x: 0.3, y: 1, z: 0).concatenating(perspective)
        .concatenating(CATransform3D(translationX: 40, y: 30)),
      // No pixel lies on the edge between two of a texture, where each device would choose another.
      CATransform3D(translationX: 60.55, y: 55.07),
    ]
    return transforms.compactMap {
      ProjectedQuad(rect, through: Projection($0), antialiased: .all)
    }
  }()

  /// A smooth mix of two colours.
  private mutating func addBackground(
    pass: Int, _ first: SIMD4<Double>, _ second: SIMD4<Double>
  ) {
    let ramp = ColorRamp(
      first: first, second: second, from: 0, to: Double(Self.side), across: 1, down: 0, origin: 0)
    let whole = PixelRect(plan.size)
    let item = Item(.solid, color: plan.items.color(ramp))
    plan.items.add(item, whole, within: whole)
    addBatch(item, pass: pass, [])
  }

  private mutating func addBatch(
    _ item: Item, pass: Int, _ sources: FramePlan.Sources
  ) {
    plan.passes[pass].batches.append(
      FramePlan.Batch(
        program: item.program, blend: item.blend, sources: sources, scissor: PixelRect(plan.size),
        items: plan.items.items.indices.suffix(1),
        vertexCount: plan.items.items.last?.vertexCount ?? 0,
        isAffine: plan.items.items.last?.isAffine == true))
  }

  private mutating func add(
    _ program: FramePlan.Program, _ blend: FramePlan.Blend, _ place: Int, _ quad: ProjectedQuad
  ) {
    let rect = Self.rect
    let colors = [ItemColor(0.5, 0.3, 0.1, 0.6), .white, ItemColor(0.4, 0.4, 0.4, 0.4)]
    // A plain image is always white.
    let color = program == .plainImage ? .white : colors[place % 3]
    var item = Item(program, blend: blend, color: color, numbers: [2, 0.3])
    if program == .radial || program == .conic { item.numbers = [0.8, 0.1] }
    if program.hasOutline {
      let radius = place % 2 == 0 ? 5.0 : 0
      let radii: SIMD4<Double> =
        switch program {
        case .shadow: [radius, radius, radius, radius]
        case .shadowTight: [4.5, 4.5, 4.5, 4.5]
        case .shadowRectangle, .shadowEdge: .zero
        case .shadowCorner: [4.5, 0, 0, 0]
        default: [radius, 3, 6, radius]
        }
      // What sees a corner is far from the opposite edges.
      let outline =
        program == .shadowCorner ? CGRect(x: 0, y: 0, width: 60, height: 60) : rect
      item.outline = plan.items.outline(CornerOutline(rect: outline, radii: radii))
    }
    if program.hasMap { item.parameters = plan.items.map(CGAffineTransform(unitOf: rect)) }
    if program.hasKernel {
      item.parameters = plan.items.kernel(
        BlurKernel(
          sigma: 1.5, center: 0.2, taps: 4, step: [0.8, 0.6], repeatsEdges: place % 2 == 0))
    }
    if program == .colorMatrix {
      item.parameters = plan.items.matrix(
        ColorMatrix(
          columns: [
            [0.3, 0.5, 0.1, 0], [0.4, 0.2, 0.3, 0], [0.2, 0.4, 0.5, 0.1], [0, 0, 0, 0.9],
          ], bias: [0.05, -0.1, 0.1, 0]))
    }
    plan.items.add(item, quad, within: PixelRect(plan.size))
    let choice: FramePlan.TextureSource.Filter = place % 2 == 0 ? .linear : .nearest
    addBatch(item, pass: 3, sources(of: program, filter: choice))
  }

  private func sources(
    of program: FramePlan.Program, filter: FramePlan.TextureSource.Filter
  ) -> FramePlan.Sources {
    let ids = PartsTest.uploads.map(\.texture)
    if program == .coverage { return [.init(texture: .texture(ids[1]), filter: filter)] }
    if program.isMipmapped {
      return [.init(texture: .texture(ids[2]), filter: .trilinear(bias: 0))]
    }
    if program.sourceCount == 2 {
      return [
        .init(texture: .offscreen(0), filter: .nearest),
        .init(texture: .offscreen(1), filter: .nearest),
      ]
    }
    if program.sourceCount == 0 { return [] }
    // Every other image is a layer of an array texture.
    let image = program.samplesImages && filter == .nearest ? ids[3] : ids[0]
    return program.hasMap
      ? [.init(texture: .texture(image), filter: .linear)]
      : [.init(texture: .offscreen(0), filter: program == .gaussian ? .linear : .nearest)]
  }

  /// The pixels within 0.75 pixels of a polygon's sides.
  private static func edgePixels(of quad: ProjectedQuad) -> [Int] {
    var edges: [Int] = []
    let points = quad.vertices.map(\.pixel)
    for (index, a) in points.enumerated() {
      let b = points[(index + 1) % points.count]
      let (dx, dy) = (Double(b.x - a.x), Double(b.y - a.y))
      let length = (dx * dx + dy * dy).squareRoot()
      guard length > 0 else { continue }
      for y in 0..<side {
        for x in 0..<side {
          let (px, py) = (Double(x) + 0.5 - Double(a.x), Double(y) + 0.5 - Double(a.y))
          let along = min(max((px * dx + py * dy) / length, 0), length)
          let (ex, ey) = (px - dx / length * along, py - dy / length * along)
          if ex * ex + ey * ey < 0.75 * 0.75 { edges.append(y * side + x) }
        }
      }
    }
    return edges
  }

  /// The largest difference between channels away from edges, its pixel, and how many were judged.
  func differences(
    _ a: [Double], _ b: [Double]
  ) -> (most: Double, place: String, judged: Int) {
    var (most, place, judged) = (0.0, "", 0)
    for pixel in 0..<Self.side * Self.side where !Self.edges.contains(pixel) {
      judged += 1
      for channel in 0..<4 {
        let (x, y) = (a[pixel * 4 + channel], b[pixel * 4 + channel])
        let difference = abs(x - y)
        if difference <= most, !difference.isNaN { continue }
        most = difference.isNaN ? .infinity : difference
        place = "\(pixel % Self.side), \(pixel / Self.side): \(x), \(y)"
      }
    }
    return (most, place, judged)
  }
}
