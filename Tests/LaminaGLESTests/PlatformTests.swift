import Foundation
import LaminaFramePlan
import LaminaValues
import Shaders
import Testing

@testable import LaminaGLES

@Suite("Platforms")
struct PlatformTests {
  @Test("Mesa without a device draws on the CPU, with limits and names")
  func surfaceless() throws {
    try withRenderer(.surfaceless) { renderer in
      let description = renderer.description
      #expect(description.platform == .surfaceless)
      #expect(description.reasons.isEmpty)
      #expect(!description.renderer.isEmpty && description.version.contains("OpenGL ES 3"))
      #expect(description.maxTextureSize >= 2048)
      #expect(renderer.profile.maxTextureSize == description.maxTextureSize)
      #expect(renderer.profile.hasBGRA == (description.framebufferFormat == "BGRA8"))
    }
  }

  @Test("Left to itself, it takes the first of three that can be drawn on and says why not others")
  func automatic() throws {
    try withRenderer(.auto) { renderer in
      let reasons = renderer.description.reasons
      switch renderer.description.platform {
      case .gbm: #expect(!renderer.description.isSoftware)
      case .device:
        #expect(!renderer.description.isSoftware)
        #expect(reasons.contains { $0.hasPrefix("gbm") })
      case .surfaceless:
        #expect(reasons.contains { $0.hasPrefix("gbm") })
        #expect(reasons.contains { $0.hasPrefix("device") })
      case .auto, .software: Issue.record("auto is no platform of GLES, nor is software")
      }
    }
  }

  @Test(
    "A platform that is not there is refused with reasons",
    arguments: [
      (RenderPlatform.gbm, "gbm"), (.device, "device"),
    ])
  func refused(request: RenderPlatform, name: String) throws {
    let renderer: GLESRenderer
    do {
      renderer = try GLESRenderer(platform: request)
    } catch {
      guard case .noPlatform(let reasons) = error else { throw error }
      #expect(reasons.contains { $0.contains(name) })
      return
    }
    #expect(renderer.description.platform == request)
    renderer.close()
  }

  @Test(
    "Where there is a DRM node, frames are drawn into its buffers when that is asked for",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/dri/card0")))
  func gbm() throws {
    try withRenderer(.gbm) { renderer in
      #expect(renderer.description.platform == .gbm)
      #expect(renderer.description.device?.hasPrefix("/dev/dri/") == true)
      var plan = FramePlan(5, 3)
      plan.addSolid(Box(0, 0, 5, 1), [1, 0, 0, 1])
      let pixels = try renderer.draw(plan)
      #expect(pixels[4, 0] == [255, 0, 0, 255])
      #expect(pixels[0, 1] == [0, 0, 0, 0])
    }
  }

  @Test("This device passes the tests that a known one is spared at start")
  func known() throws {
    try withRenderer { renderer in
      try renderer.runSelfTest()
      let drawsPartsExactly = try renderer.checkParts()
      #expect(drawsPartsExactly == renderer.profile.drawsPartsExactly)
    }
  }

  @Test("llvmpipe's threads, when they wake, do not take the core of the one that draws")
  func threads() throws {
    try withRenderer { renderer in
      guard renderer.platform.context.renderer.contains("llvmpipe") else { return }
      let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
      // Other tests' threads may end meanwhile.
      let threads = tasks.compactMap { task in
        try? String(contentsOfFile: "/proc/self/task/\(task)/stat", encoding: .utf8)
      }.filter { $0.contains("(llvmpipe-") }
      #expect(threads.count >= 1)
      for thread in threads {
        // The name, in brackets, is the second field. The policy is the 41st; 3 is a batch's.
        let fields = thread.split(separator: ")").last?.split(separator: " ") ?? []
        #expect(fields.dropFirst(38).first == "3", "\(thread)")
      }
    }
  }

  @Test("The shaders are small, say what they are, and every include is found")
  func shaders() {
    #expect(ShaderSource.byteCount < 40_000)
    let layouts = FramePlan.Program.allCases.flatMap { program in
      [false, true].map { VertexLayout(program: program, hasLayer: $0) }
    }
    for layout in layouts where !layout.hasLayer || layout.program.samplesImages {
      let (program, files) = (layout, layout.shaderFiles)
      for source in [
        ShaderSource.vertex(files.vertex, replacing: files.replaced),
        ShaderSource.fragment(files.fragment, replacing: files.replaced),
      ] {
        let lines = (source ?? "").split(separator: "\n")
        #expect(lines.first == "#version 300 es", "\(program)")
        #expect(lines.dropFirst().first?.hasPrefix("// Inputs: ") == true, "\(program)")
        #expect(!lines.contains { $0.hasPrefix("#include") }, "\(program)")
      }
    }
  }
}
