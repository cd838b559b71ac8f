import LaminaFramePlan
import LaminaValues
import Testing

@testable import LaminaSoftware

@Suite("A frame drawn by the CPU")
struct SameBytesTests {
  @Test(
    "has the whole frame's bytes in a part drawn again, with every program, blend and filter",
    arguments: [PixelFormat.bgra8, .rgba16f])
  func equalsTheWhole(format: PixelFormat) throws {
    let renderer = SoftwareRenderer()
    #expect(try renderer.framesWithDifferingParts(of: 0..<150, sides: 16..<96, on: format) == [])
  }

  @Test(
    "has the same bytes on 1, 2, 3 and 7 threads", arguments: [PixelFormat.bgra8, .rgba16f])
  func threads(format: PixelFormat) throws {
    let renderers = [1, 2, 3, 7].map { SoftwareRenderer(threads: $0) }
    for renderer in renderers {
      renderer.bands.pixelsWorthThreads = 0
      (renderer.shares.sharing.least, renderer.shares.sharing.part) = (2, 2)
    }
    #expect(renderers.map(\.bands.threads.count) == [1, 2, 3, 7])
    #expect(try framesThatDiffer(between: renderers, on: format) == [])
  }

  @Test(
    "has the same bytes with AVX2 and AVX-512, where the processor has them, and without",
    arguments: [PixelFormat.bgra8, .rgba16f])
  func processors(format: PixelFormat) throws {
    let renderers = InstructionSet.available.map { SoftwareRenderer(instructions: $0) }
    #expect(try framesThatDiffer(between: renderers, on: format) == [])
  }

  @Test("says how many threads draw it, and whether AVX2 or AVX-512 does")
  func description() {
    #expect(SoftwareRenderer(threads: 1).description.renderer == "software, 1 thread")
    #expect(SoftwareRenderer(threads: 5).description.renderer == "software, 5 threads")
    let plain = SoftwareRenderer(instructions: .baseline).description.version
    let wide: [InstructionSet: String] = [.avx2: " with AVX2", .avx512: " with AVX-512"]
    for instructions in InstructionSet.available {
      let version = SoftwareRenderer(instructions: instructions).description.version
      #expect(version == plain + (wide[instructions] ?? ""))
    }
    #expect(
      SoftwareRenderer().description.version
        == SoftwareRenderer(instructions: .widest).description.version)
  }

  /// The seeds of frames that are not the first renderer's on all others.
  private func framesThatDiffer(
    between renderers: [SoftwareRenderer], on format: PixelFormat
  ) throws -> [UInt64] {
    for renderer in renderers { try renderer.uploadPartsTest() }
    return try (0..<20 as Range<UInt64>).filter { seed in
      let test = PartsTest(seed: seed, sides: 40..<120)
      let pictures = try renderers.map {
        try $0.pixels(of: [test.firstFrame, test.update], on: format)
      }
      return pictures.contains { $0 != pictures[0] }
    }
  }
}
