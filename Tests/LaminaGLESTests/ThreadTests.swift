import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import Testing

@Suite("Renderers on several threads") struct ThreadTests {
  /// More textures than llvmpipe notes for a scene in one block of memory.
  private static let textureCount = 128
  private static let frameCount = 8

  /// Draws frames that sample many textures, some of them uploaded anew for each.
  private static func draw(_ seed: Int) throws -> [Pixels] {
    try withRenderer { renderer in
      let size = PixelSize(width: 128, height: 128)
      let surface = try renderer.makeSurface(size: size, format: .bgra8)
      return try (0..<frameCount).map { frame in
        var plan = FramePlan(size.width, size.height)
        for place in 0..<textureCount {
          let id = UInt32(1 + place)
          if frame == 0 || place.isMultiple(of: 4) {
            let byte = UInt8(truncatingIfNeeded: seed * 50 + frame * 7 + place * 3)
            plan.upload(id, 1100, 1, .bgra8, Array(repeating: byte, count: 4400))
          }
          let (x, y) = (Double(place % 16 * 8), Double(place / 16 * 8))
          plan.addImage(Box(x, y, x + 8, y + 8), .texture(id))
        }
        try renderer.run(plan, on: surface)
        return try renderer.pixels(of: surface, size: size)
      }
    }
  }

  // Mesa 22.3 crashes here if two threads are in llvmpipe at once: always, if freed memory is
  // overwritten (MALLOC_PERTURB_), else rarely. Not all tests can run so, since llvmpipe also
  // signals fences that were freed, and then hangs.
  @Test("draw what each of them draws alone")
  func several() throws {
    let seeds = 0..<4
    let together = Lock<[Int: [Pixels]]>([:])
    let group = DispatchGroup()
    for seed in seeds {
      group.enter()
      Thread.detachNewThread {
        let pixels = try? Self.draw(seed)
        together.withLock { $0[seed] = pixels }
        group.leave()
      }
    }
    group.wait()
    for seed in seeds {
      let alone = try Self.draw(seed)
      #expect(together.withLock { $0[seed] }?.map(\.bytes) == alone.map(\.bytes), "\(seed)")
    }
  }
}
