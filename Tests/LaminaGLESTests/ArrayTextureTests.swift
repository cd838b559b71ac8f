import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import Testing

@Suite("Small images in array textures")
struct ArrayTextureTests {
  @Test(
    "are drawn the same, to the byte, whichever layer they have, at 20,000 random places",
    arguments: [PixelFormat.bgra8, .rgba16f])
  func placesChangeNothing(format: PixelFormat) throws {
    let seeds: Range<UInt64> = 0..<700
    let frames = seeds.map { PartsTest(seed: $0, forms: .images, sides: 40..<120) }
    #expect(frames.reduce(0) { $0 + $1.firstFrame.items.items.count } > 20_000)
    let alone = try withRenderer { renderer in
      try renderer.uploadPartsTest()
      return try frames.map { try renderer.pixels(of: [$0.firstFrame], on: format) }
    }
    try withRenderer { renderer in
      // The images take layers that others had, and the arrays grow and shrink around them.
      try renderer.upload(1000..<1200, sides: [16, 64])
      try renderer.release(1100..<1150)
      try renderer.uploadPartsTest()
      try renderer.upload(1200..<1700, sides: [16, 64])
      try renderer.release(1000..<1100)
      try renderer.release(1150..<1600)
      let differing = try seeds.filter { seed in
        let frame = frames[Int(seed)].firstFrame
        return try renderer.pixels(of: [frame], on: format) != alone[Int(seed)]
      }
      #expect(differing == [])
    }
  }

  @Test("are drawn in one call if they follow each other and are of one class, else in several")
  func calls() throws {
    /// Draws squares of some sides beside each other.
    func calls(_ sides: [Int], filters: [FramePlan.TextureSource.Filter] = [.nearest]) throws -> Int
    {
      var plan = FramePlan(512, 64)
      for (index, side) in sides.enumerated() {
        plan.share(UInt32(index), side, side, [UInt8](repeating: 200, count: side * side * 4))
        plan.addImage(
          Box(Double(index), 0, Double(index + side), Double(side)),
          .texture(UInt32(index), filters[index % filters.count]))
      }
      return try withRenderer { renderer in
        let surface = try renderer.makeSurface(size: plan.size, format: .bgra8)
        return try renderer.run(plan, on: surface)
      }
    }
    #expect(try calls([Int](repeating: 20, count: 200)) == 1)
    #expect(try calls([17, 20, 25, 32]) == 1)
    #expect(try calls([20, 40, 20, 40]) == 4)
    #expect(try calls([20, 20, 20, 20], filters: [.nearest, .nearest, .linear, .linear]) == 2)
  }

  @Test("keep their pixels while arrays grow, shrink and are emptied")
  func growth() throws {
    try withRenderer { renderer in
      for round in 0..<3 {
        let ids = UInt32(1)..<600
        var upload = FramePlan(1, 1)
        for id in ids { upload.share(id, 16, 16, Self.pixels(of: id, round)) }
        _ = try renderer.draw(upload)
        let kept = ids.filter { $0 % 97 == 5 }
        var release = FramePlan(1, 1)
        release.releases = ids.filter { !kept.contains($0) }.map(TextureID.init)
        _ = try renderer.draw(release)
        var frame = FramePlan(16 * kept.count, 16)
        for (column, id) in kept.enumerated() {
          frame.addImage(Box(Double(16 * column), 0, Double(16 * column + 16), 16), .texture(id))
        }
        let pixels = try renderer.draw(frame)
        for (column, id) in kept.enumerated() {
          #expect(pixels[16 * column + 3, 7] == Array(Self.pixels(of: id, round).prefix(4)))
        }
        try renderer.release(kept[0]..<kept[0] + 600)
      }
    }
  }

  @Test("show nothing of what was in their layer before, where nothing was uploaded yet")
  func usedLayer() throws {
    try withRenderer { renderer in
      var first = FramePlan(1, 1)
      for id in 0..<4 as Range<UInt32> {
        first.share(id, 16, 16, [UInt8](repeating: 255, count: 1024))
      }
      _ = try renderer.draw(first)
      try renderer.release(1..<2)
      var second = FramePlan(16, 16)
      second.uploads.append(
        FramePlan.Upload(
          texture: TextureID(rawValue: 9), size: PixelSize(width: 16, height: 16),
          format: .bgra8, region: PixelRect(minX: 4, minY: 4, maxX: 5, maxY: 5),
          source: .bytes([10, 20, 30, 255]), sharesTexture: true))
      second.addImage(Box(0, 0, 16, 16), .texture(9))
      let pixels = try renderer.draw(second)
      #expect(pixels[4, 4] == [30, 20, 10, 255])
      #expect(pixels.alphas.joined().reduce(0, +) == 255)
    }
  }

  @Test("have mipmaps of their own pixels, also after these changed")
  func mipmaps() throws {
    func frame(_ isShared: Bool, _ color: UInt8) -> FramePlan {
      var plan = FramePlan(10, 10)
      let pixels = (0..<40 * 24 * 4).map { UInt8(truncatingIfNeeded: $0 * 7) | color | 192 }
      plan.upload(1, 40, 24, .bgra8, pixels)
      plan.uploads[0].sharesTexture = isShared
      plan.mipmaps = [FramePlan.Mipmaps(texture: TextureID(rawValue: 1), count: 5)]
      let map = plan.items.map(CGAffineTransform(unitOf: CGRect(x: 0, y: 0, width: 10, height: 10)))
      plan.add(
        Item(.mipmappedImage, parameters: map), Box(0, 0, 10, 10), edges: -50...50,
        sources: [.texture(1, .trilinear(bias: 0))])
      return plan
    }
    func pixels(_ isShared: Bool) throws -> [[UInt8]] {
      try withRenderer { renderer in
        try [frame(isShared, 0), frame(isShared, 16)].map { try renderer.draw($0).bytes }
      }
    }
    let own = try pixels(false)
    #expect(own[0] != own[1])
    #expect(try pixels(true) == own)
  }

  @Test("are the same bytes where BGRA8 is not to be had")
  func withoutBGRA() throws {
    var plan = FramePlan(20, 20)
    plan.share(1, 20, 20, (0..<1600).map { UInt8($0 * 37 % 256) | ($0 % 4 == 3 ? 255 : 0) })
    plan.addImage(Box(0, 0, 20, 20), .texture(1), program: .plainImage, blend: .copy)
    let renderer = try GLESRenderer(platform: testPlatform, allowsBGRA: false)
    defer { renderer.close() }
    #expect(try renderer.draw(plan).bytes == withRenderer { try $0.draw(plan).bytes })
  }

  @Test("cannot be sampled by programs that know no layers, nor be large")
  func badPlans() throws {
    try withRenderer { renderer in
      var plan = FramePlan(16, 16)
      plan.share(1, 16, 1, [UInt8](repeating: 255, count: 64))
      plan.addAny(.radial, Box(0, 0, 16, 16))
      #expect(throws: ExecutorError.self) { try renderer.draw(plan) }
      var large = FramePlan(16, 16)
      large.share(2, 257, 1, [UInt8](repeating: 255, count: 257 * 4))
      #expect(throws: ExecutorError.self) { try renderer.draw(large) }
    }
  }

  /// Opaque grey, a different one for each texture and round.
  private static func pixels(of id: UInt32, _ round: Int) -> [UInt8] {
    let gray = UInt8(truncatingIfNeeded: Int(id) * 7 + round * 50)
    return (0..<256).flatMap { _ in [gray, gray, gray, 255] }
  }
}

extension GLESRenderer {
  /// Uploads squares of those sides, in turn, with the textures' numbers as their pixels.
  fileprivate func upload(_ ids: Range<UInt32>, sides: [Int]) throws {
    var plan = FramePlan(1, 1)
    for id in ids {
      let side = sides[Int(id) % sides.count]
      plan.share(
        id, side, side, [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: side * side * 4))
    }
    _ = try draw(plan)
  }

  fileprivate func release(_ ids: Range<UInt32>) throws {
    var plan = FramePlan(1, 1)
    plan.releases = ids.map(TextureID.init)
    _ = try draw(plan)
  }
}
