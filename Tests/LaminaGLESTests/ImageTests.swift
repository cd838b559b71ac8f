import LaminaGLES
import LaminaFramePlan
import LaminaValues
import Testing

@Suite("Textures")
struct ImageTests {
  /// Opaque pixels whose red is the column and whose green is the row.
  private func grid(_ width: Int, _ height: Int, stride: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: stride * height)
    for y in 0..<height {
      for x in 0..<width {
        bytes.replaceSubrange(
          y * stride + 4 * x..<y * stride + 4 * x + 4, with: [0, UInt8(y), UInt8(x), 255])
      }
    }
    return bytes
  }

  private func plan(uploading upload: FramePlan.Upload) -> FramePlan {
    var plan = FramePlan(upload.size.width, upload.size.height)
    plan.uploads = [upload]
    plan.addImage(
      Box(0, 0, Double(upload.size.width), Double(upload.size.height)),
      FramePlan.TextureSource(texture: .texture(upload.texture), filter: .nearest))
    return plan
  }

  @Test(
    "A part of a store is uploaded, whatever its rows are padded to",
    arguments: [40, 44, 64, 41, 43])
  func partOfStore(stride: Int) throws {
    let plan = plan(
      uploading: FramePlan.Upload(
        texture: TextureID(rawValue: 9), size: PixelSize(width: 6, height: 5), format: .bgra8,
        region: PixelRect(minX: 1, minY: 2, maxX: 5, maxY: 5),
        source: .store(ImageID(rawValue: 3), originX: 4, originY: 3)))
    let layout = PixelLayout(width: 10, height: 8, stride: stride, format: .bgra8)
    let store = (layout: layout, bytes: grid(10, 8, stride: stride))
    let pixels = try withRenderer {
      try $0.draw(plan, stores: [ImageID(rawValue: 3): store])
    }
    for y in 0..<5 {
      for x in 0..<6 {
        let isInside = (1..<5).contains(x) && y >= 2
        let expected = isInside ? [UInt8(x - 1 + 4), UInt8(y - 2 + 3), 0, 255] : [0, 0, 0, 0]
        #expect(pixels[x, y] == expected, "\(x), \(y)")
      }
    }
  }

  @Test("A later upload changes its region and keeps the rest")
  func uploadAgain() throws {
    try withRenderer { renderer in
      let surface = try renderer.makeSurface(
        size: PixelSize(width: 2, height: 2), format: .bgra8)
      var first = FramePlan(2, 2)
      first.upload(1, 2, 2, .bgra8, Array(repeating: 255, count: 16))
      try renderer.run(first, on: surface)
      let second = plan(
        uploading: FramePlan.Upload(
          texture: TextureID(rawValue: 1), size: PixelSize(width: 2, height: 2), format: .bgra8,
          region: PixelRect(minX: 1, minY: 0, maxX: 2, maxY: 1), source: .bytes([1, 2, 3, 255])))
      try renderer.run(second, on: surface)
      let pixels = try renderer.pixels(of: surface, size: PixelSize(width: 2, height: 2))
      #expect(pixels[1, 0] == [3, 2, 1, 255])
      #expect(pixels[0, 0] == [255, 255, 255, 255])
      #expect(pixels[1, 1] == [255, 255, 255, 255])
    }
  }

  @Test("An upload that would read or write outside its pixels throws, and nothing is read")
  func outOfRange() throws {
    func upload(
      _ region: PixelRect, x: Int = 0, y: Int = 0, format: PixelFormat = .bgra8
    ) -> FramePlan.Upload {
      FramePlan.Upload(
        texture: TextureID(rawValue: 1), size: PixelSize(width: 4, height: 4), format: format,
        region: region, source: .store(ImageID(rawValue: 1), originX: x, originY: y))
    }
    let all = PixelRect(minX: 0, minY: 0, maxX: 4, maxY: 4)
    let good = PixelLayout(width: 4, height: 4, stride: 16, format: .bgra8)
    let short = PixelLayout(width: 4, height: 5, stride: 16, format: .bgra8)
    let wrapping = PixelLayout(width: 4, height: 4, stride: .max / 2, format: .bgra8)
    let narrow = PixelLayout(width: 4, height: 4, stride: 12, format: .bgra8)
    let bad: [(FramePlan.Upload, PixelLayout)] = [
      (upload(all, x: 1), good), (upload(all, y: -1), good), (upload(all, x: .max), good),
      (upload(PixelRect(minX: 0, minY: 0, maxX: 5, maxY: 4)), good),
      (upload(PixelRect(minX: -1, minY: 0, maxX: 3, maxY: 4)), good),
      (upload(all, y: 1), short), (upload(all), wrapping), (upload(all), narrow),
      (upload(all, format: .a8), good),
    ]
    try withRenderer { renderer in
      for (upload, layout) in bad {
        let store = (layout: layout, bytes: [UInt8](repeating: 0, count: 64))
        #expect(throws: ExecutorError.self, "\(upload.region) of \(layout)") {
          try renderer.draw(plan(uploading: upload), stores: [ImageID(rawValue: 1): store])
        }
      }
      #expect(throws: ExecutorError.self, "no store") {
        try renderer.draw(plan(uploading: upload(all)))
      }
      #expect(throws: ExecutorError.self, "too few bytes") {
        var plan = FramePlan(2, 2)
        plan.upload(1, 2, 2, .bgra8, [1, 2, 3])
        return try renderer.draw(plan)
      }
      var huge = FramePlan(2, 2)
      huge.upload(1, 1 << 30, 1, .bgra8, [])
      #expect(throws: ExecutorError.self, "larger than any texture") { try renderer.draw(huge) }
    }
  }

  @Test("A tint multiplies every channel of an image")
  func tint() throws {
    var plan = FramePlan(2, 1)
    plan.upload(1, 2, 1, .bgra8, [200, 100, 50, 250, 255, 255, 255, 255])
    plan.addImage(Box(0, 0, 2, 1), .texture(1), tint: [0.2, 0.4, 0.6, 0.8])
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[0, 0] == [10, 40, 120, 200])
    #expect(pixels[1, 0] == [51, 102, 153, 204])
  }

  @Test("An image times any byte is right to a level, the same whatever else is drawn where it is")
  func factors() throws {
    // Too wide for an array texture.
    let size = PixelSize(width: 320, height: 8)
    let all = Box(0, 0, Double(size.width), Double(size.height))
    /// An image times a byte, with or without triangles that leave nothing. In a tile with a
    /// triangle llvmpipe draws by its general rasterizer, in others by its linear one.
    func products(_ factor: Int, besideTriangles: Bool) -> FramePlan {
      var plan = FramePlan(size.width, size.height)
      for x in stride(from: 0, to: besideTriangles ? all.rect.width : 0, by: 16) {
        let vertices = Box(x, 0, x + 9, 8).corners.prefix(3).map {
          ProjectedQuad.Vertex($0, edges: SIMD4(repeating: ProjectedQuad.far))
        }
        plan.add(Item(.solid, color: ItemColor(0, 0, 0, 0)), vertices)
      }
      let part = Double(factor) / 255
      let item = Item(
        .image, color: ItemColor(part, part, part, part),
        parameters: plan.items.map(CGAffineTransform(unitOf: all.rect)))
      plan.add(item, all, sources: [.texture(1)])
      return plan
    }
    try withRenderer { renderer in
      var upload = FramePlan(1, 1)
      let pixelCount = size.width * size.height
      upload.upload(
        1, size.width, size.height, .bgra8, (0..<4 * pixelCount).map { UInt8($0 / 4 % 256) })
      _ = try renderer.draw(upload)
      for factor in 0..<256 {
        let alone = try renderer.draw(products(factor, besideTriangles: false))
        let beside = try renderer.draw(products(factor, besideTriangles: true))
        #expect(alone.bytes == beside.bytes, "\(factor)")
        let found = (0..<256).map { Double(alone[$0, 0][0]) }
        // To the nearest is within a half. A GPU may miss that by a tenth.
        #expect(
          found.enumerated().allSatisfy { abs($1 - Double(factor * $0) / 255) < 0.6 },
          "\(factor)")
      }
    }
  }

  @Test("An image times a colour is put over others alike, whatever else is drawn with or near it")
  func tintsOverGround() throws {
    // Too wide for an array texture.
    let size = PixelSize(width: 320, height: 8)
    let box = Box(0, 0, Double(size.width), Double(size.height))
    let ground = SIMD4<Double>(200, 120, 30, 255)
    func color(_ factor: Int) -> SIMD4<Double> {
      SIMD4(Double(255 - factor), Double(factor * 37 % 256), Double(factor), Double(factor))
    }
    /// An image times a colour over the ground, and below it the same times its `neighbors`. With
    /// triangles that leave nothing, llvmpipe draws by its general rasterizer.
    func frame(
      _ factor: Int, neighbors: [SIMD4<Double>] = [], besideTriangles: Bool = false
    ) -> FramePlan {
      var plan = FramePlan(size.width, size.height * (1 + neighbors.count))
      plan.addSolid(Box(0, 0, box.rect.width, Double(plan.size.height)), SIMD4<Float>(ground / 255))
      for x in stride(from: 0, to: besideTriangles ? box.rect.width : 0, by: 16) {
        let vertices = Box(x, 0, x + 9, 8).corners.prefix(3).map {
          ProjectedQuad.Vertex($0, edges: SIMD4(repeating: ProjectedQuad.far))
        }
        plan.add(Item(.solid, color: ItemColor(0, 0, 0, 0)), vertices)
      }
      for (row, color) in ([color(factor)] + neighbors).enumerated() {
        let place = Box(0, Double(8 * row), box.rect.width, Double(8 * row + 8))
        let item = Item(
          .image, color: ItemColor(color.x / 255, color.y / 255, color.z / 255, color.w / 255),
          parameters: plan.items.map(CGAffineTransform(unitOf: place.rect)))
        plan.add(item, place, sources: [.texture(1)])
      }
      return plan
    }
    try withRenderer { renderer in
      var upload = FramePlan(1, 1)
      upload.upload(
        1, size.width, size.height, .bgra8,
        (0..<4 * size.width * size.height).map { UInt8($0 / 4 % 256) })
      _ = try renderer.draw(upload)
      for factor in 0..<256 {
        let alone = try renderer.draw(frame(factor))
        let beside = try renderer.draw(frame(factor, besideTriangles: true))
        #expect(alone.bytes == beside.bytes, "\(factor) beside triangles")
        for neighbor in [factor, (factor + 1) % 256] {
          let both = try renderer.draw(frame(factor, neighbors: [color(neighbor)]))
          #expect(both.bytes.starts(with: alone.bytes), "\(factor) with \(neighbor)")
        }
        let wrong = (0..<256).filter { byte in
          let source = color(factor) * Double(byte) / 255
          let expected = (source + ground * (1 - source.w / 255)).clamped(
            lowerBound: .zero, upperBound: SIMD4(repeating: 255))
          return (0..<4).contains { abs(Double(alone[byte, 0][$0]) - expected[$0]) > 1.5 }
        }
        #expect(wrong.isEmpty, "\(factor)")
      }
    }
  }

  @Test("Without a colour an image is itself, byte for byte")
  func plainImage() throws {
    var plan = FramePlan(16, 16)
    plan.upload(1, 16, 16, .bgra8, (0..<1024).map { UInt8($0 * 37 % 256) })
    plan.addImage(Box(0, 0, 16, 16), .texture(1), program: .plainImage, blend: .copy)
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels.bytes == (0..<1024).map { UInt8($0 * 37 % 256) })
  }

  @Test("Where BGRA8 is not to be had, frames drawn as RGBA8 are the same bytes")
  func withoutBGRA() throws {
    var plan = FramePlan(4, 2)
    plan.upload(1, 2, 1, .bgra8, [10, 20, 30, 255, 200, 100, 50, 255])
    plan.offscreens = [PixelSize(width: 2, height: 1)]
    plan.passes = [
      .init(
        target: .offscreen(0), parts: [PixelRect(PixelSize(width: 2, height: 1))], isCleared: false),
      .init(target: .surface, parts: [PixelRect(plan.size)]),
    ]
    plan.passes.swapAt(0, 1)
    plan.addImage(Box(0, 0, 2, 1), .texture(1))
    plan.passes.swapAt(0, 1)
    plan.addImage(Box(0, 0, 2, 1), .texture(1))
    plan.addImage(Box(2, 0, 4, 1), .offscreen(0))
    plan.addSolid(Box(0, 1, 4, 2), [1, 0.2, 0, 1])
    let pixels = try [true, false].map { allowsBGRA in
      let renderer = try GLESRenderer(platform: testPlatform, allowsBGRA: allowsBGRA)
      defer { renderer.close() }
      if !allowsBGRA { #expect(renderer.description.framebufferFormat == "RGBA8") }
      return try renderer.draw(plan)
    }
    for pixels in pixels {
      #expect(pixels[0, 0] == [30, 20, 10, 255] && pixels[2, 0] == [30, 20, 10, 255])
      #expect(pixels[1, 0] == [50, 100, 200, 255] && pixels[3, 0] == [50, 100, 200, 255])
      #expect(pixels[2, 1] == [255, 51, 0, 255])
    }
  }

  @Test("An image's edges are antialiased, and its pixels are not")
  func imageEdges() throws {
    var plan = FramePlan(8, 1)
    plan.upload(1, 1, 1, .bgra8, [255, 0, 102, 255])
    let box = Box(1, 0, 7, 1)
    let map = plan.items.map(CGAffineTransform(unitOf: box.rect))
    plan.add(
      Item(.imageEdges, parameters: map), box, edges: 2.5...5.75, sources: [.texture(1)])
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(isNear((0..<8).map { Int(pixels[$0, 0][3]) }, [0, 0, 128, 255, 255, 191, 0, 0]))
    #expect(pixels[3, 0] == [102, 0, 255, 255])
  }

  @Test("Coverage multiplies the colour")
  func coverage() throws {
    var plan = FramePlan(3, 1)
    plan.upload(1, 3, 1, .a8, [0, 51, 255])
    plan.addImage(Box(0, 0, 3, 1), .texture(1), tint: [1, 0.8, 0.2, 1], program: .coverage)
    let pixels = try withRenderer { try $0.draw(plan) }
    #expect(pixels[0, 0] == [0, 0, 0, 0])
    #expect(pixels[1, 0] == [51, 41, 10, 51])
    #expect(pixels[2, 0] == [255, 204, 51, 255])
  }

  @Test("A linear filter blends neighbours, a nearest one does not")
  func filters() throws {
    func alphas(_ filter: FramePlan.TextureSource.Filter) throws -> [Int] {
      var plan = FramePlan(8, 1)
      plan.upload(1, 2, 1, .bgra8, [0, 0, 0, 0, 255, 255, 255, 255])
      plan.addImage(Box(0, 0, 8, 1), .texture(1, filter))
      return try withRenderer { try $0.draw(plan).alphas[0] }
    }
    #expect(try alphas(.nearest) == [0, 0, 0, 0, 255, 255, 255, 255])
    for (found, expected) in zip(try alphas(.linear), [0, 0, 32, 96, 159, 223, 255, 255]) {
      #expect(abs(found - expected) <= 1)
    }
  }

  @Test("Texture coordinates are corrected for perspective")
  func perspective() throws {
    var plan = FramePlan(16, 4)
    plan.upload(1, 2, 1, .bgra8, [255, 255, 255, 255, 0, 0, 0, 255])
    let box = Box(0, 0, 16, 4)
    let map = plan.items.map(CGAffineTransform(unitOf: box.rect))
    plan.add(
      Item(.image, parameters: map),
      zip(box.corners, [1, 3, 3, 1]).map { ProjectedQuad.Vertex($0, w: $1) },
      sources: [.texture(1)])
    let pixels = try withRenderer { try $0.draw(plan) }
    // u = 1/2 lies where s·3⁻¹ / (1 − s + s·3⁻¹) = 1/2: at s = 3/4.
    #expect((0..<16).map { pixels[$0, 2][0] == 255 } == (0..<16).map { $0 < 12 })
  }

  @Test("A released texture is gone")
  func release() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 1, height: 1)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      var plan = FramePlan(1, 1)
      plan.upload(1, 1, 1, .bgra8, [255, 255, 255, 255])
      plan.addImage(Box(0, 0, 1, 1), .texture(1))
      try renderer.run(plan, on: surface)
      plan.uploads = []
      try renderer.run(plan, on: surface)
      plan.releases = [TextureID(rawValue: 1)]
      #expect(throws: ExecutorError.self) { try renderer.run(plan, on: surface) }
    }
  }
}
