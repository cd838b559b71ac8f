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

/// A rectangle in pixels, for vertices.
struct Box {
  var minX: Float
  var minY: Float
  var maxX: Float
  var maxY: Float

  init(_ minX: Float, _ minY: Float, _ maxX: Float, _ maxY: Float) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

  var corners: [(x: Float, y: Float)] {
    [(minX, minY), (maxX, minY), (maxX, maxY), (minX, maxY)]
  }

  func outset(_ by: Float) -> Box { Box(minX - by, minY - by, maxX + by, maxY + by) }
}

/// The corners of a box in its own coordinates, 0…1 in both directions.
let unitCorners: [(Float, Float)] = [(0, 0), (1, 0), (1, 1), (0, 1)]

extension FramePlan {
  init(_ width: Int, _ height: Int) {
    let size = PixelSize(width: width, height: height)
    self.init(size: size, damage: PixelRect(size))
    passes = [Pass(target: .surface, clear: PixelRect(size))]
  }

  /// Adds a quad to the last pass: `vertices` has its corners' numbers, clockwise from the top
  /// left.
  mutating func add(
    _ program: Program, _ vertices: [[Float]], blend: Blend = .sourceOver,
    sources: [TextureSource] = [], scissor: PixelRect? = nil
  ) {
    let first = self.vertices.count
    for corner in [0, 1, 2, 0, 2, 3] { self.vertices += vertices[corner] }
    let whole = PixelRect(minX: 0, minY: 0, maxX: 1 << 14, maxY: 1 << 14)
    passes[passes.count - 1].batches.append(
      Batch(
        program: program, blend: blend, sources: sources, scissor: scissor ?? whole,
        firstFloat: first, vertexCount: 6))
  }

  /// Makes a new canvas the target of everything added from now on.
  mutating func addCanvas(_ id: UInt32, _ width: Int, _ height: Int) {
    let (texture, size) = (TextureID(rawValue: id), PixelSize(width: width, height: height))
    canvases.append(FramePlan.Canvas(texture: texture, size: size))
    passes.append(.init(target: .canvas(texture), clear: PixelRect(size)))
  }

  mutating func addSolid(
    _ box: Box, _ color: [Float], blend: Blend = .sourceOver, scissor: PixelRect? = nil
  ) {
    add(
      .solid, box.corners.map { [$0.x, $0.y, 1] + color }, blend: blend, scissor: scissor)
  }

  /// Adds a texture stretched across a box.
  mutating func addImage(
    _ box: Box, _ source: TextureSource, tint: [Float] = [1, 1, 1, 1],
    program: Program = .image, blend: Blend = .sourceOver
  ) {
    let vertices = zip(box.corners, unitCorners).map { corner, unit in
      [corner.x, corner.y, 1] + tint + [unit.0, unit.1]
    }
    add(program, vertices, blend: blend, sources: [source])
  }

  /// Adds a box whose corners have the same numbers after position and colour.
  mutating func addConstant(
    _ program: Program, _ box: Box, _ rest: [Float], tint: [Float] = [1, 1, 1, 1],
    sources: [TextureSource] = [], blend: Blend = .sourceOver
  ) {
    add(
      program, box.corners.map { [$0.x, $0.y, 1] + tint + rest }, blend: blend, sources: sources)
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
}

extension FramePlan.TextureSource {
  static func texture(_ id: UInt32, _ filter: Filter = .nearest) -> Self {
    .init(texture: .texture(TextureID(rawValue: id)), filter: filter)
  }

  static func canvas(_ id: UInt32, _ filter: Filter = .nearest) -> Self {
    FramePlan.TextureSource(texture: .canvas(TextureID(rawValue: id)), filter: filter)
  }

  static func offscreen(_ index: Int, _ filter: Filter = .nearest) -> Self {
    .init(texture: .offscreen(index), filter: filter)
  }
}

/// Whether two rows of bytes differ by at most one: half a byte may be rounded either way.
func isNear(_ found: [Int], _ expected: [Int]) -> Bool {
  found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) <= 1 }
}
