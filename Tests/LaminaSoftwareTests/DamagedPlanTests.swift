import LaminaFramePlan
import LaminaGLES
import LaminaSoftware
import LaminaValues
import Testing

@Suite("A damaged plan")
struct DamagedPlanTests {
  @Test(
    "is refused or drawn, and leaves alone what it does not draw into, on the CPU",
    arguments: 0..<10 as Range<UInt64>)
  func software(part: UInt64) throws {
    try drawDamaged(part * 1000..<part * 1000 + 1000, on: SoftwareRenderer(threads: 3))
  }

  @Test("is refused or drawn, and leaves alone what it does not draw into, on a device")
  func device() throws {
    let renderer = try GLESRenderer(platform: .surfaceless)
    defer { renderer.close() }
    try drawDamaged(50_000..<50_200, on: renderer)
  }

  /// Draws damaged plans, and after some of them frames of which no pixel may have changed.
  private func drawDamaged(_ seeds: Range<UInt64>, on renderer: some FrameExecutor) throws {
    let format = seeds.lowerBound % 2000 == 0 ? PixelFormat.bgra8 : .rgba16f
    let whole = PlanDamage.plan(seed: seeds.lowerBound)
    let picture = try renderer.pixels(of: [whole], on: format)
    // Nobody draws into this one.
    let witness = try renderer.makeSurface(size: whole.size, format: format)
    defer { renderer.releaseSurface(witness) }
    _ = try renderer.execute(whole, on: witness) { _ in nil }
    var (drawn, refused) = (0, 0)
    for seed in seeds {
      var plan = PlanDamage.plan(seed: seed)
      let size = plan.size
      var damage = PlanDamage(seed: seed)
      damage.damage(&plan)
      let surface = try renderer.makeSurface(size: size, format: format)
      defer { renderer.releaseSurface(surface) }
      do {
        _ = try renderer.execute(plan, on: surface) { _ in nil }
        drawn += 1
      } catch {
        refused += 1
      }
      guard (seed + 1).isMultiple(of: 50) else { continue }
      #expect(try renderer.pixels(of: [whole], on: format) == picture, "after \(seed)")
      #expect(try pixels(of: witness, whole.size, format, on: renderer) == picture)
    }
    #expect(drawn > seeds.count / 10)
    #expect(refused > seeds.count / 10)
  }

  private func pixels(
    of surface: SurfaceID, _ size: PixelSize, _ format: PixelFormat,
    on renderer: some FrameExecutor
  ) throws -> [UInt8] {
    let stride = size.width * format.bytesPerPixel
    var bytes = [UInt8](repeating: 0, count: size.height * stride)
    try bytes.withUnsafeMutableBytes {
      try renderer.readBack(surface, region: nil, into: $0, stride: stride)
    }
    return bytes
  }
}
