import Foundation
import GLESv2
import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import LaminaSnapshotTesting
import LaminaValues
import LayerSupport
import TestSupport
import Testing
import TurningCube

@testable import Lamina

// One after another, since two threads must not be in llvmpipe at once.
@Suite("Layers that draw with OpenGL ES", .serialized) struct GLESLayerTests {
  private static let platforms = [RenderPlatform.software, .surfaceless]

  @Test(
    "turn a cube under a mask, with opacity and a shadow, also if the render process is killed",
    arguments: platforms)
  func cube(platform: RenderPlatform) throws {
    let (stage, disturbed) = (try CubeStage(platform), try CubeStage(platform))
    var films: [[CGImage]] = [[], []]
    for frame in 0..<60 {
      if frame == 20 || frame == 41 {
        kill(try #require(disturbed.renderer.serverProcessID), SIGKILL)
      }
      for (place, stage) in [stage, disturbed].enumerated() {
        films[place].append(try stage.renderer.image(at: Double(frame) / 15))
      }
      let difference = try films[0][frame].difference(from: films[1][frame])
      #expect(difference.differingPixelCount == 0, "frame \(frame)")
    }
    #expect(stage.cube.drawCount == 60)
    #expect(Set(films[0].map(\.unpremultipliedRGBA)).count > 50)
    // Versions of Mesa differ in edges.
    assertSnapshot(
      of: films[0][7], as: .image(precision: 0.97, perceptualPrecision: 0.95), named: "cube")
  }

  @Test("show what another layer would with the same picture as its contents")
  func compositing() throws {
    let (stage, plain) = (try CubeStage(.software), try CubeStage(.software))
    _ = try stage.renderer.image(at: 1)
    let picture = try #require((stage.cube.contents as? LayerStore)?.image)
    let layer = CALayer()
    layer.frame = plain.cube.frame
    layer.opacity = 0.8
    layer.mask = plain.cube.mask
    layer.contents = picture
    layer.shadowOpacity = plain.cube.shadowOpacity
    layer.shadowOffset = plain.cube.shadowOffset
    plain.card.addSublayer(layer)
    plain.cube.removeFromSuperlayer()
    let (shown, expected) = (try stage.renderer.image(at: 1), try plain.renderer.image(at: 1))
    #expect(shown.unpremultipliedRGBA == expected.unpremultipliedRGBA)
    #expect(stage.cube.drawCount == 2)
  }

  @Test("draw when they are asked to, if not always, in the size of their bounds or a chosen one")
  func onDemand() throws {
    let stage = try CubeStage(.software)
    stage.cube.isAsynchronous = false
    stage.cube.contentsScale = 2
    _ = try stage.renderer.image(at: 0)
    #expect(stage.cube.drawCount == 0)
    #expect(stage.cube.contents == nil)
    for (place, size) in [CGSize(width: 7, height: 30), .zero].enumerated() {
      stage.cube.drawableSize = size
      stage.cube.setNeedsDisplay()
      _ = try stage.renderer.image(at: 1)
      _ = try stage.renderer.image(at: 2)
      #expect(stage.cube.drawCount == place + 1)
      let picture = try #require((stage.cube.contents as? LayerStore)?.image)
      #expect(picture.width == (place == 0 ? 7 : 120))
      #expect(picture.height == (place == 0 ? 30 : 120))
    }
  }

  @Test("show what a program presents, upright, opaque unless they say that they are not")
  func drawables() throws {
    let stage = try CubeStage(.software)
    let layer = CAGLESLayer()
    layer.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    withoutActions { stage.renderer.layer = layer }
    for isOpaque in [true, false] {
      layer.isOpaque = isOpaque
      let drawable = try #require(try layer.nextDrawable())
      try drawable.context.makeCurrent()
      drawable.context.paintLowerHalf()
      try drawable.present(at: isOpaque ? 1 : 2)
      let image = try stage.renderer.image(at: isOpaque ? 1 : 2)
      #expect(image.pixel(x: 50, y: 25) == (0, 0, 0, isOpaque ? 255 : 0))
      #expect(image.pixel(x: 50, y: 75) == (0, 0, 128, isOpaque ? 255 : 128))
    }
    // Those that are not presented, or wait, are all that the layer has.
    let waiting = try (0..<2).map { _ in try #require(try layer.nextDrawable()) }
    #expect(try layer.nextDrawable() == nil)
    withExtendedLifetime(waiting) {}
  }

  @Test("say why they cannot be drawn, and throw in the frame")
  func failures() throws {
    let stage = try CubeStage(.software)
    stage.cube.drawableSize = CGSize(width: 20_000, height: 1)
    #expect(throws: CAGLESError.self) { try stage.cube.nextDrawable() }
    #expect(throws: RenderServerError.self) { try stage.renderer.image(at: 0) }
    stage.cube.drawableSize = .zero
    _ = try stage.renderer.image(at: 1)
    #expect(stage.cube.drawCount == 1)
  }
}

extension CAGLESContext {
  /// Half transparent red over nothing.
  fileprivate func paintLowerHalf() {
    glClearColor(0, 0, 0, 0)
    glClear(GLbitfield(GL_COLOR_BUFFER_BIT))
    glEnable(GLenum(GL_SCISSOR_TEST))
    glScissor(0, 0, GLsizei(width), GLsizei(height / 2))
    glClearColor(0.5, 0, 0, 0.5)
    glClear(GLbitfield(GL_COLOR_BUFFER_BIT))
    glDisable(GLenum(GL_SCISSOR_TEST))
  }
}

/// A cube under a round mask on a card with a shadow.
private struct CubeStage {
  let renderer: CARenderer
  let card = CALayer()
  let cube = TurningCube()

  init(_ platform: RenderPlatform) throws {
    let server = RenderServer(
      launcher: RenderServerLauncher(name: "cube \(UUID())") { () throws(ServerFailure) in
        try RenderServerLauncher.process.start()
      })
    renderer = try CARenderer(
      size: CGSize(width: 100, height: 100), clock: .manual(), platform: platform, server: server)
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    root.backgroundColor = CGColor(red: 0.9, green: 0.92, blue: 0.95, alpha: 1)
    card.frame = CGRect(x: 12, y: 12, width: 76, height: 76)
    card.backgroundColor = .white
    card.cornerRadius = 10
    card.shadowOpacity = 0.5
    card.shadowRadius = 4
    cube.frame = CGRect(x: 8, y: 8, width: 60, height: 60)
    cube.isOpaque = false
    cube.isAsynchronous = true
    cube.opacity = 0.8
    let mask = CALayer()
    mask.frame = cube.bounds
    mask.cornerRadius = 30
    mask.backgroundColor = .black
    cube.mask = mask
    cube.shadowOpacity = 0.8
    cube.shadowOffset = CGSize(width: 2, height: 3)
    card.addSublayer(cube)
    root.addSublayer(card)
    renderer.layer = root
  }
}
