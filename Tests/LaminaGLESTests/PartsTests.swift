import LaminaFramePlan
import LaminaGLES
import LaminaValues
import Testing

@Suite("A part of a frame drawn again")
struct PartsTests {
  @Test(
    "is the whole frame's, to the byte, with every program, blend, filter and kind of target",
    arguments: [PixelFormat.bgra8, .rgba16f])
  func equalsTheWhole(format: PixelFormat) throws {
    try withRenderer { renderer in
      let differing = try renderer.framesWithDifferingParts(of: 0..<120, on: format)
      #expect(differing == [])
    }
  }

  @Test("is most often smaller than the frame, in the frames that are tested")
  func damageIsSmall() {
    let small = (0..<120 as Range<UInt64>).count { seed in
      let test = PartsTest(seed: seed)
      let area = test.damage.reduce(0) { $0 + $1.width * $1.height }
      return area > 0 && area < test.size.width * test.size.height / 2
    }
    #expect(small > 60)
  }
}
