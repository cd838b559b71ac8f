import LaminaFramePlan
import LaminaGLES
import LaminaValues
import Testing

@Suite("Programs")
struct ProgramTests {
  private static let box = Box(1, 1, 7, 3)

  private func begin() -> FramePlan {
    var plan = FramePlan(8, 4)
    plan.upload(1, 2, 2, .bgra8, (0..<16).map { UInt8($0) * 9 + 100 })
    plan.addSolid(Box(0, 0, 8, 4), [0.25, 0.5, 0.75, 1])
    return plan
  }

  private func add(_ mode: BlendMode, to plan: inout FramePlan) {
    let source = FramePlan.TextureSource.texture(1)
    plan.addGroup(Self.box, source, source, program: .blended, blend: .formula(mode))
  }

  @Test("Those that were not used lately are given up, and draw the same when they are made again")
  func limit() throws {
    let programs = FramePlan.Program.allCases.filter { !$0.isMipmapped }
    let plans =
      programs.map { program in
        var plan = begin()
        plan.addAny(program, Self.box)
        return plan
      }
      + BlendMode.allCases.map { mode in
        var plan = begin()
        add(mode, to: &plan)
        return plan
      }
    // Those of a frame are all kept for the next one.
    var all = begin()
    for program in programs { all.addAny(program, Self.box) }
    for mode in BlendMode.allCases { add(mode, to: &all) }
    try withRenderer { renderer in
      let first = try plans.map { try renderer.draw($0).bytes }
      let afterOnes = renderer.programCount
      let whole = try renderer.draw(all).bytes
      let count = renderer.programCount
      // What the last frame used comes beside what the limit keeps. On a GPU there is none.
      let most = renderer.description.isSoftware ? renderer.programLimit + 2 : count
      #expect(count > most || !renderer.description.isSoftware)
      #expect(try renderer.draw(all).bytes == whole)
      #expect(renderer.programCount == count)
      let second = try plans.map { try renderer.draw($0).bytes }
      #expect(second == first)
      #expect(afterOnes <= most && renderer.programCount <= most)
      #expect(try renderer.draw(all).bytes == whole)
    }
  }
}
