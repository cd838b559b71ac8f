import LaminaCommit
import LaminaInProcess
import LaminaValues
import Testing

@testable import Lamina

@Suite("The platform that a renderer draws on")
struct PlatformChoiceTests {
  private func chosen(
    _ platform: RenderPlatform, _ environment: [String: String]
  ) throws(ServerFailure) -> RenderPlatform {
    try RenderServer.inProcess.on(platform).chosenPlatform(Environment(environment))
  }

  @Test("is the one that LAMINA_PLATFORM names, if the program asks for none")
  func environment() throws {
    for platform in RenderPlatform.allCases {
      #expect(try chosen(.auto, ["LAMINA_PLATFORM": platform.rawValue]) == platform)
    }
    #expect(try chosen(.auto, ["LAMINA_PLATFORM": ""]) == .auto)
    #expect(try chosen(.auto, [:]) == .auto)
  }

  @Test("is the one that the program asks for, whatever the environment says")
  func explicit() throws {
    for name in ["surfaceless", "metal", ""] {
      #expect(try chosen(.software, ["LAMINA_PLATFORM": name]) == .software)
    }
  }

  @Test("is not guessed if there is none of that name, and the error lists all names")
  func unknown() {
    for name in ["metal", "Software", " software", "\u{1b}[31m"] {
      let error = #expect(throws: ServerFailure.self) {
        try chosen(.auto, ["LAMINA_PLATFORM": name])
      }
      #expect(error == .unknownPlatform(name))
      #expect(
        error?.description == "LAMINA_PLATFORM: \(name.debugDescription) is not"
          + " auto, gbm, device, surfaceless or software")
    }
  }

  @Test("is the CPU for CARenderer(platform: .software), in this process and in one of its own")
  func software() throws {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    layer.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 0.5)
    var pictures: [[UInt8]] = []
    for server in [RenderServer.inProcess, .process, .process.on(.surfaceless)] {
      let renderer = try CARenderer(
        size: CGSize(width: 8, height: 8), platform: .software, server: server)
      #expect(renderer.platform.name == "software")
      #expect(renderer.platform.isSoftware)
      renderer.layer = layer
      pictures.append(try renderer.image(at: 0).unpremultipliedRGBA)
    }
    #expect(pictures[0][..<4] == [255, 0, 0, 128])
    #expect(pictures.allSatisfy { $0 == pictures[0] })
  }
}
