import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("Scenes")
struct SceneTests {
  @Test("There are scenes to compare")
  func scenesExist() {
    #expect(Scene.pairs.count > 60)
  }

  @Test(
    "Two ways to say the same thing look the same, drawn by a device and by the CPU",
    arguments: Scene.pairs)
  func pair(_ name: String) throws {
    let tolerance = try Scene.tolerance(of: name)
    for (platform, scale) in [RenderPlatform.auto, .software].flatMap({ [($0, 1.0), ($0, 2.0)] }) {
      try expectEqual(
        try Scene.image(of: Scene.file(name, "a"), scale: scale, platform: platform),
        try Scene.image(of: Scene.file(name, "b"), scale: scale, platform: platform),
        difference: tolerance.difference, pixels: tolerance.pixels,
        "\(name) at scale \(scale) on \(platform)")
    }
  }

  @Test("The CPU draws every scene as a device does, within 2 of 255", arguments: Scene.pairs)
  func platforms(_ name: String) throws {
    for side in ["a", "b"] {
      let file = Scene.file(name, side)
      let tolerance = try Scene.platformTolerance(of: file)
      try expectEqual(
        try Scene.image(of: file), try Scene.image(of: file, platform: .software),
        difference: tolerance.difference, pixels: tolerance.pixels, "\(name).\(side)")
    }
  }

  @Test("No scene is empty: something differs from its background", arguments: Scene.pairs)
  func notEmpty(_ name: String) throws {
    let image = try Scene.image(of: Scene.file(name, "b"))
    let corner = image.pixel(x: 0, y: image.height - 1)
    let isPlain = (0..<image.height).allSatisfy { y in
      (0..<image.width).allSatisfy { x in image.pixel(x: x, y: y) == corner }
    }
    #expect(!isPlain)
  }

  @Test(
    "The render process and the server in this process draw the same bytes",
    arguments: Scene.pairs)
  func processes(_ name: String) throws {
    for side in ["a", "b"] {
      let file = Scene.file(name, side)
      try expectEqual(
        try Scene.image(of: file, server: .inProcess), try Scene.image(of: file, server: .process),
        "\(name).\(side)")
    }
  }

  @Test("A frame rendered alone equals the same frame in a film, in either process")
  func history() throws {
    let times = [0, 0.4, 0.8, 2.5, 2.5, 0.8]
    let film = try Scene.images(of: Scene.demo, at: times, server: .inProcess)
    let other = try Scene.images(of: Scene.demo, at: times, server: .process)
    for (index, time) in times.enumerated() {
      try expectEqual(film[index], other[index], "in and out of process at \(time)")
      let alone = try Scene.image(of: Scene.demo, at: time)
      try expectEqual(film[index], alone, "alone at \(time)")
    }
  }
}
