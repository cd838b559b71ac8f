import LaminaGLES
import LaminaFramePlan
import LaminaValues
import Testing

@Suite("Surfaces")
struct SurfaceTests {
  @Test("A surface starts out transparent and keeps its pixels from frame to frame")
  func keepsPixels() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 4, height: 1)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      #expect(try renderer.pixels(of: surface, size: size).alphas == [[0, 0, 0, 0]])
      for x in 0..<3 {
        var plan = FramePlan(4, 1)
        plan.passes[0].isCleared = x == 2
        if x == 2 {
          plan.passes[0].parts = [0, 2].map { PixelRect(minX: $0, minY: 0, maxX: $0 + 1, maxY: 1) }
        }
        plan.addSolid(Box(Double(x), 0, Double(x) + 1, 1), [1, 1, 1, 1])
        #expect(try renderer.run(plan, on: surface) == plan.passes[0].parts.count)
      }
      #expect(try renderer.pixels(of: surface, size: size).alphas == [[0, 255, 255, 0]])
    }
  }

  @Test("The device's time is the last frame's, once it is asked for, also after one that failed")
  func deviceTime() throws {
    var plan = FramePlan(400, 300)
    plan.addSolid(Box(0, 0, 400, 300), [1, 1, 1, 1])
    var failing = plan
    failing.uploads = [
      FramePlan.Upload(
        texture: TextureID(rawValue: 1), size: PixelSize(width: 4, height: 4), format: .bgra8,
        region: PixelRect(minX: 0, minY: 0, maxX: 4, maxY: 4),
        source: .store(ImageID(rawValue: 1), originX: 0, originY: 0))
    ]
    try withRenderer { renderer in
      let surface = try renderer.makeSurface(size: plan.size, format: .bgra8)
      try renderer.run(plan, on: surface)
      #expect(try renderer.deviceTime() == nil)
      renderer.measureDeviceTime()
      #expect(try renderer.deviceTime() == nil)
      #expect(throws: ExecutorError.self) { try renderer.run(failing, on: surface) }
      let start = ContinuousClock.now
      try renderer.run(plan, on: surface)
      let time = try #require(try renderer.deviceTime())
      #expect(time > 0 && Duration.seconds(time) < ContinuousClock.now - start)
    }
  }

  @Test("Rows are read to any stride, and only the region asked for")
  func readBackRegion() throws {
    var plan = FramePlan(3, 3)
    plan.addSolid(Box(0, 0, 3, 3), [1, 1, 1, 1])
    try withRenderer { renderer in
      let surface = try renderer.makeSurface(size: plan.size, format: .bgra8)
      try renderer.run(plan, on: surface)
      for stride in [12, 16, 13] {
        var bytes = [UInt8](repeating: 7, count: 3 * stride)
        try bytes.withUnsafeMutableBytes {
          try renderer.readBack(
            surface, region: PixelRect(minX: 1, minY: 1, maxX: 3, maxY: 2), into: $0,
            stride: stride)
        }
        let written = bytes.indices.filter { bytes[$0] == 255 }
        #expect(written == Array(stride + 4..<stride + 12), "stride \(stride)")
        #expect(bytes.filter { $0 == 7 }.count == 3 * stride - 8)
      }
      var small = [UInt8](repeating: 0, count: 35)
      #expect(throws: ExecutorError.self) {
        try small.withUnsafeMutableBytes {
          try renderer.readBack(surface, into: $0, stride: 12)
        }
      }
    }
  }

  @Test("A half-float surface holds what eight bits cannot")
  func halfFloats() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 2, height: 2)
      let surface = try renderer.makeSurface(size: size, format: .rgba16f)
      var plan = FramePlan(2, 2)
      plan.addSolid(Box(0, 1, 2, 2), [2.5, 0.25, -1, 1], blend: .copy)
      try renderer.run(plan, on: surface)
      var halves = [Float16](repeating: 9, count: 16)
      try halves.withUnsafeMutableBytes {
        try renderer.readBack(surface, into: $0, stride: 16)
      }
      #expect(halves == Array(repeating: 0, count: 8) + [2.5, 0.25, -1, 1, 2.5, 0.25, -1, 1])
    }
  }

  @Test("What a plan of one surface uploaded, plans of others draw, also when that one is gone")
  func surfacesShareTextures() throws {
    try withRenderer { renderer in
      let size = PixelSize(width: 1, height: 1)
      let surfaces = try [0, 1].map { _ in try renderer.makeSurface(size: size, format: .bgra8) }
      var plan = FramePlan(1, 1)
      plan.upload(1, 1, 1, .bgra8, [7, 0, 0, 255])
      try renderer.run(plan, on: surfaces[0])
      renderer.releaseSurface(surfaces[0])
      var second = FramePlan(1, 1)
      second.addImage(Box(0, 0, 1, 1), .texture(1))
      try renderer.run(second, on: surfaces[1])
      #expect(try renderer.pixels(of: surfaces[1], size: size)[0, 0] == [0, 0, 7, 255])
    }
  }

  @Test("A resized surface is transparent and keeps its textures")
  func resize() throws {
    try withRenderer { renderer in
      let surface = try renderer.makeSurface(
        size: PixelSize(width: 1, height: 1), format: .bgra8)
      var plan = FramePlan(1, 1)
      plan.upload(1, 1, 1, .bgra8, [1, 2, 3, 255])
      plan.addImage(Box(0, 0, 1, 1), .texture(1))
      try renderer.run(plan, on: surface)
      let size = PixelSize(width: 3, height: 2)
      try renderer.resizeSurface(surface, to: size)
      #expect(try renderer.pixels(of: surface, size: size).bytes.allSatisfy { $0 == 0 })
      var second = FramePlan(3, 2)
      second.addImage(Box(0, 0, 3, 2), .texture(1))
      try renderer.run(second, on: surface)
      #expect(try renderer.pixels(of: surface, size: size)[2, 1] == [3, 2, 1, 255])
    }
  }

  @Test("What no surface can be is refused, and what is gone is unknown")
  func refused() throws {
    try withRenderer { renderer in
      for size in [(0, 1), (1, -1), (1 << 20, 1), (1, .max)] {
        #expect(throws: ExecutorError.self) {
          try renderer.makeSurface(
            size: PixelSize(width: size.0, height: size.1), format: .bgra8)
        }
      }
      let size = PixelSize(width: 1, height: 1)
      #expect(throws: ExecutorError.unsupportedFormat(.a8)) {
        try renderer.makeSurface(size: size, format: .a8)
      }
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      renderer.releaseSurface(surface)
      #expect(throws: ExecutorError.unknownSurface(surface)) {
        try renderer.run(FramePlan(1, 1), on: surface)
      }
    }
  }

  @Test("A plan whose indexes lead nowhere throws before anything is drawn")
  func badPlans() throws {
    func plan(_ change: (inout FramePlan) -> Void) -> FramePlan {
      var plan = FramePlan(2, 2)
      plan.addSolid(Box(0, 0, 2, 2), [1, 1, 1, 1])
      change(&plan)
      return plan
    }
    let bad = [
      plan { $0.size = PixelSize(width: 3, height: 2) },
      plan { $0.passes[0].batches[0].vertexCount = 7 },
      plan { $0.passes[0].batches[0].vertexCount = -1 },
      plan { $0.passes[0].batches[0].vertexCount = 3 },
      plan { $0.passes[0].batches[0].items = 0..<0 },
      plan { $0.passes[0].batches[0].items = 0..<2 },
      plan { $0.passes[0].batches[0].items = 1..<2 },
      plan { $0.passes[0].batches[0].items = -1..<1 },
      plan { $0.passes[0].batches[0].items = .max - 1 ..< .max },
      plan { $0.passes[0].batches[0].program = .solidEdges },
      plan { $0.passes[0].batches[0].blend = .copy },
      plan { $0.passes[0].batches[0].outlines = .even },
      plan { plan in
        plan.addAny(.rounded, Box(0, 0, 1, 1))
        plan.items.items[1].cornerCount = 3
        plan.passes[0].batches[1].vertexCount = 3
        plan.passes[0].batches[1].outlines = .upright
      },
      plan {
        $0.items.items[0].shape = .triangles
        $0.passes[0].batches[0].vertexCount = 4
      },
      plan { $0.passes[0].batches[0].sources = [.texture(1)] },
      plan { $0.passes[0].target = .offscreen(0) },
      plan { $0.addImage(Box(0, 0, 1, 1), .texture(5)) },
      plan { $0.addImage(Box(0, 0, 1, 1), .offscreen(0)) },
      plan {
        $0.offscreens = [PixelSize(width: 2, height: 2)]
        $0.addImage(Box(0, 0, 1, 1), .offscreen(0))
      },
      plan { $0.offscreens = [PixelSize(width: 1 << 20, height: 2)] },
      plan { $0.passes[0].target = .canvas(TextureID(rawValue: 5)) },
      plan { $0.addImage(Box(0, 0, 1, 1), .canvas(5)) },
      plan {
        $0.addCanvas(5, 2, 2)
        $0.passes.removeLast()
        $0.addImage(Box(0, 0, 1, 1), .canvas(5))
      },
      plan {
        $0.addCanvas(5, 2, 2)
        $0.addImage(Box(0, 0, 1, 1), .canvas(5))
      },
      plan {
        $0.addCanvas(5, 2, 2)
        $0.addCanvas(5, 2, 2)
      },
      plan { $0.addCanvas(5, 1 << 20, 2) },
    ]
    try withRenderer { renderer in
      let size = PixelSize(width: 2, height: 2)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      for (index, plan) in bad.enumerated() {
        #expect(throws: ExecutorError.self, "\(index)") { try renderer.run(plan, on: surface) }
      }
      #expect(try renderer.pixels(of: surface, size: size).bytes.allSatisfy { $0 == 0 })
    }
  }

  @Test("An item that points outside its tables throws before anything is drawn")
  func badItems() throws {
    func plan(_ program: FramePlan.Program) -> FramePlan {
      var plan = FramePlan(2, 2)
      plan.upload(1, 1, 1, .bgra8, [255, 255, 255, 255])
      plan.addAny(program, Box(0, 0, 2, 2))
      return plan
    }
    let all = FramePlan.Program.allCases
    let edged: [FramePlan.Program] = [.solidEdges, .imageEdges, .groupEdges, .mipmappedImage]
    let outlined: [FramePlan.Program] =
      [
        .rounded, .roundedBorder, .roundedImage, .groupRounded, .radial, .conic, .continuous,
        .continuousBorder, .continuousImage, .groupContinuous, .continuousRadial, .continuousConic,
        .mipmappedRounded, .mipmappedContinuous,
      ] + all.filter(\.isShadow)
    let withParameters: [FramePlan.Program] = [
      .image, .imageEdges, .roundedImage, .coverage, .plainImage, .radial, .conic,
      .continuousImage, .continuousRadial, .continuousConic, .mipmappedImage, .mipmappedRounded,
      .mipmappedContinuous, .gaussian, .halved, .doubled, .colorMatrix,
    ]
    let bad: [(programs: [FramePlan.Program], change: (inout Item) -> Void)] = [
      (all, { $0.firstCorner = 1 }), (all, { $0.firstCorner = .max }),
      (all, { $0.color = .floats(1) }), (all, { $0.color = .ramp(0) }),
      (edged, { $0.firstEdges = 1 }), (edged, { $0.firstEdges = .max }),
      (outlined, { $0.outline = 1 }), (outlined, { $0.outline = .max }),
      (withParameters, { $0.parameters = 1 }), (withParameters, { $0.parameters = .max }),
    ]
    try withRenderer { renderer in
      let size = PixelSize(width: 2, height: 2)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      for (index, (programs, change)) in bad.enumerated() {
        for program in programs {
          var plan = plan(program)
          change(&plan.items.items[0])
          #expect(throws: ExecutorError.self, "\(program), \(index)") {
            try renderer.run(plan, on: surface)
          }
        }
      }
      #expect(try renderer.pixels(of: surface, size: size).bytes.allSatisfy { $0 == 0 })
      for program in all { #expect(try renderer.run(plan(program), on: surface) == 1) }
    }
  }

  @Test("Renderers on one thread do not disturb each other")
  func twoRenderers() throws {
    try withRenderer { first in
      try withRenderer { second in
        let size = PixelSize(width: 1, height: 1)
        let surfaces = try [first, second].map { try $0.makeSurface(size: size, format: .bgra8) }
        for (renderer, (surface, color)) in zip(
          [first, second], zip(surfaces, [[1, 0, 0, 1], [0, 1, 0, 1]] as [SIMD4<Float>]))
        {
          var plan = FramePlan(1, 1)
          plan.addSolid(Box(0, 0, 1, 1), color)
          try renderer.run(plan, on: surface)
        }
        #expect(try first.pixels(of: surfaces[0], size: size)[0, 0] == [255, 0, 0, 255])
        #expect(try second.pixels(of: surfaces[1], size: size)[0, 0] == [0, 255, 0, 255])
      }
    }
  }
}
