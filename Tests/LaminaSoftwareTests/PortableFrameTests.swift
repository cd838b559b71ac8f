import LaminaFramePlan
import LaminaSoftware
import LaminaValues
import Testing

/// `make test-cpu` runs this on processors of every kind.
@Suite("Frames drawn by the CPU, on every processor")
struct PortableFrameTests {
  @Test("80 frames of every program have the same bytes as when this test was written")
  func bytes() throws {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let renderer = SoftwareRenderer(threads: 2)
    try renderer.uploadPartsTest()
    var programs: Set<FramePlan.Program> = []
    for seed in 0..<80 as Range<UInt64> {
      let test = PartsTest(seed: seed, sides: 24..<64, mostItems: 20)
      let frames = [test.firstFrame, test.update]
      programs.formUnion(test.firstFrame.items.items.map(\.program))
      for byte in try renderer.pixels(of: frames, on: seed % 4 == 0 ? .rgba16f : .bgra8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
      }
    }
    #expect(programs.count == FramePlan.Program.allCases.count)
    #expect(hash == 15_119_734_041_326_629_696)
  }
}
