import Foundation
import LaminaGLES
import LaminaFramePlan
import LaminaValues

/// The platform on which the tests draw: $LAMINA_PLATFORM, or surfaceless by default.
let testPlatform =
  ProcessInfo.processInfo.environment["LAMINA_PLATFORM"].flatMap(RenderPlatform.init)
  ?? .surfaceless

/// Runs `body` with a renderer on the calling thread. A renderer must stay on one thread, and a
/// synchronous test does from start to end; `close()` frees the thread for the next test.
func withRenderer<R>(
  _ platform: RenderPlatform = testPlatform, _ body: (GLESRenderer) throws -> R
) throws -> R {
  let renderer = try GLESRenderer(platform: platform)
  defer { renderer.close() }
  return try body(renderer)
}

/// A frame's pixels: premultiplied BGRA8, the top row first.
struct Pixels {
  var size: PixelSize
  var bytes: [UInt8]

  /// Red, green, blue, alpha.
  subscript(x: Int, y: Int) -> [UInt8] {
    let at = (y * size.width + x) * 4
    return [bytes[at + 2], bytes[at + 1], bytes[at], bytes[at + 3]]
  }

  /// The alpha of each pixel, row by row.
  var alphas: [[Int]] {
    (0..<size.height).map { y in (0..<size.width).map { x in Int(self[x, y][3]) } }
  }
}

extension GLESRenderer {
  /// Draws one frame into a new surface and returns its pixels.
  func draw(
    _ plan: FramePlan,
    stores: [ImageID: (layout: PixelLayout, bytes: [UInt8])] = [:]
  ) throws -> Pixels {
    let surface = try makeSurface(size: plan.size, format: .bgra8)
    defer { releaseSurface(surface) }
    try run(plan, on: surface, stores: stores)
    return try pixels(of: surface, size: plan.size)
  }

  @discardableResult
  func run(
    _ plan: FramePlan, on surface: SurfaceID,
    stores: [ImageID: (layout: PixelLayout, bytes: [UInt8])] = [:]
  ) throws -> Int {
    var copies: [ImageID: UnsafeMutableRawBufferPointer] = [:]
    for (id, store) in stores {
      let copy = UnsafeMutableRawBufferPointer.allocate(
        byteCount: store.bytes.count, alignment: 16)
      copy.copyBytes(from: store.bytes)
      copies[id] = copy
    }
    defer { for copy in copies.values { copy.deallocate() } }
    return try execute(plan, on: surface) { id in
      guard let store = stores[id], let copy = copies[id] else { return nil }
      return (store.layout, UnsafeRawBufferPointer(copy))
    }
  }

  func pixels(of surface: SurfaceID, size: PixelSize) throws -> Pixels {
    var bytes = [UInt8](repeating: 0, count: size.width * size.height * 4)
    try bytes.withUnsafeMutableBytes {
      try readBack(surface, into: $0, stride: size.width * 4)
    }
    return Pixels(size: size, bytes: bytes)
  }
}

/// A rectangle in pixels.
struct Box {
  var minX: Double
  var minY: Double
  var maxX: Double
  var maxY: Double

  init(_ minX: Double, _ minY: Double, _ maxX: Double, _ maxY: Double) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

  var rect: CGRect { CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY) }

  /// Clockwise from the top left.
  var corners: [CGPoint] { rect.corners }

  func outset(_ by: Double) -> Box { Box(minX - by, minY - by, maxX + by, maxY + by) }

  /// The box in units of this many pixels.
  func inUnits(of scale: Double) -> Box {
    Box(minX / scale, minY / scale, maxX / scale, maxY / scale)
  }
}

extension ProjectedQuad.Vertex {
  /// A corner that is at its pixel in the layer's own space too, unless that is given.
  init(
    _ pixel: CGPoint, w: CGFloat = 1, local: CGPoint? = nil, edges: SIMD4<Double> = .zero
  ) {
    self.init(pixel: pixel, w: w, local: local ?? pixel, edges: edges)
  }
}

extension FramePlan {
  init(_ width: Int, _ height: Int) {
    let size = PixelSize(width: width, height: height)
    self.init(size: size, damage: [PixelRect(size)])
    passes = [Pass(target: .surface, parts: [PixelRect(size)])]
  }

  /// Adds a polygon to the last pass, as a batch of its own.
  mutating func add(
    _ item: Item, _ vertices: [ProjectedQuad.Vertex], sources: Sources = [],
    scissor: PixelRect? = nil
  ) {
    let everywhere = PixelRect(minX: -1 << 14, minY: -1 << 14, maxX: 1 << 14, maxY: 1 << 14)
    items.add(item, ProjectedQuad(vertices: vertices), within: everywhere)
    passes[passes.count - 1].batches.append(
      Batch(
        program: item.program, blend: item.blend, sources: sources,
        scissor: scissor ?? everywhere, items: items.items.indices.suffix(1),
        vertexCount: 3 * (vertices.count - 2), isAffine: vertices.allSatisfy { $0.w == 1 }))
  }

  /// Adds a box whose pixels are also the layer's own space. If its program has edges, it fades
  /// out beyond `edges`, its left and right one.
  mutating func add(
    _ item: Item, _ box: Box, edges: ClosedRange<Double>? = nil, sources: Sources = [],
    scissor: PixelRect? = nil
  ) {
    let far = ProjectedQuad.far
    let vertices = box.corners.map { corner in
      let left = edges.map { corner.x - $0.lowerBound } ?? far
      let right = edges.map { $0.upperBound - corner.x } ?? far
      return ProjectedQuad.Vertex(corner, edges: [left, right, far, far])
    }
    add(item, vertices, sources: sources, scissor: scissor)
  }

  /// Makes a new canvas the target of everything added from now on.
  mutating func addCanvas(_ id: UInt32, _ width: Int, _ height: Int) {
    let (texture, size) = (TextureID(rawValue: id), PixelSize(width: width, height: height))
    canvases.append(FramePlan.Canvas(texture: texture, size: size))
    passes.append(.init(target: .canvas(texture), parts: [PixelRect(size)]))
  }

  mutating func addSolid(
    _ box: Box, _ color: SIMD4<Float>, blend: Blend = .sourceOver, scissor: PixelRect? = nil
  ) {
    add(Item(.solid, blend: blend, color: items.color(color)), box, scissor: scissor)
  }

  /// Adds a texture stretched across a box.
  mutating func addImage(
    _ box: Box, _ source: TextureSource, tint: SIMD4<Float> = [1, 1, 1, 1],
    program: Program = .image, blend: Blend = .sourceOver
  ) {
    let item = Item(
      program, blend: blend, color: items.color(tint),
      parameters: items.map(CGAffineTransform(unitOf: box.rect)))
    add(item, box, sources: [source])
  }

  /// Adds a part of one or two sources, pixel on pixel.
  mutating func addGroup(
    _ box: Box, _ sources: TextureSource..., tint: SIMD4<Float> = [1, 1, 1, 1],
    program: Program = .group, blend: Blend = .sourceOver
  ) {
    add(Item(program, blend: blend, color: items.color(tint)), box, sources: Sources(sources))
  }

  /// Adds a box of any program, with entries of its own in the tables that the program needs, and
  /// texture 1 for every source.
  mutating func addAny(_ program: Program, _ box: Box) {
    let parameters =
      if program.hasMap {
        items.map(CGAffineTransform(unitOf: box.rect))
      } else if program.hasKernel {
        items.kernel(BlurKernel(sigma: 1, taps: 1, step: [1, 0], repeatsEdges: true))
      } else {
        items.matrix(.identity)
      }
    let item = Item(
      program, blend: program == .blended ? .formula(.darken) : .sourceOver,
      color: items.color([1, 1, 1, 1]), outline: items.outline(CornerOutline(rect: box.rect)),
      parameters: parameters, numbers: [1, 1])
    let source = TextureSource.texture(1, program.isMipmapped ? .trilinear(bias: 0) : .nearest)
    add(
      item, box, edges: box.minX...box.maxX,
      sources: Sources(repeatElement(source, count: program.sourceCount)))
  }

  mutating func upload(
    _ id: UInt32, _ width: Int, _ height: Int, _ format: PixelFormat, _ bytes: [UInt8]
  ) {
    let size = PixelSize(width: width, height: height)
    uploads.append(
      Upload(
        texture: TextureID(rawValue: id), size: size, format: format, region: PixelRect(size),
        source: .bytes(bytes)))
  }

  /// Uploads an image to a layer of an array texture.
  mutating func share(_ id: UInt32, _ width: Int, _ height: Int, _ bytes: [UInt8]) {
    upload(id, width, height, .bgra8, bytes)
    uploads[uploads.count - 1].sharesTexture = true
  }
}

extension FramePlan.TextureSource {
  static func texture(_ id: UInt32, _ filter: Filter = .nearest) -> Self {
    .init(texture: .texture(TextureID(rawValue: id)), filter: filter)
  }

  static func canvas(_ id: UInt32, _ filter: Filter = .nearest) -> Self {
    FramePlan.TextureSource(texture: .canvas(TextureID(rawValue: id)), filter: filter)
  }

  static func offscreen(_ index: Int, at origin: (x: Int, y: Int) = (0, 0)) -> Self {
    .init(texture: .offscreen(index), filter: .nearest, originX: origin.x, originY: origin.y)
  }
}

/// Whether two rows of bytes differ by at most one: half a byte may be rounded either way.
func isNear(_ found: [Int], _ expected: [Int]) -> Bool {
  found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) <= 1 }
}
