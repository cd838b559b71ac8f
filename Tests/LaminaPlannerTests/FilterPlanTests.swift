import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner
@testable import LaminaRenderTree

@Suite("What plans say of filters")
struct FilterPlanTests {
  private func blur(_ radius: Double) -> FilterValues {
    var filter = FilterValues(type: "gaussianBlur")
    filter["inputRadius"] = .number(radius)
    return filter
  }

  private func programs(of plan: FramePlan) -> [FramePlan.Program] {
    plan.passes.flatMap { $0.batches.map(\.program) }
  }

  private func plan(_ filters: [FilterValues]) throws -> FramePlan {
    var scene = try TestTree()
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    scene.layer(frame: CGRect(x: 40, y: 40, width: 20, height: 20), in: root) {
      $0.backgroundColor = .red
      $0.effects.filters = filters
    }
    return try scene.plan()
  }

  @Test("A blur runs where its standard deviation is between one and a half pixels and three")
  func resolution() throws {
    for sigma in stride(from: 0.3, to: 200, by: 0.37) {
      let blur = GaussianBlur(sigma: sigma, through: .identity)
      let reduced = sigma / Double(1 << blur.halvings)
      #expect(reduced < 3 && (reduced >= 1.5 || blur.halvings == 0))
      #expect(blur.kernels.allSatisfy { $0.taps <= 11 && $0.isOnPixels })
    }
  }

  @Test("In a stretched plane the narrower axis says how often a picture is halved")
  func stretched() throws {
    let stretch = CGAffineTransform(scaleX: 20, y: 1)
    let blur = GaussianBlur(sigma: 4, through: stretch)
    #expect(blur.halvings == 1 && blur.kernels[0].isOnPixels)
    // Taps lie further apart if a standard deviation has many pixels.
    #expect(blur.kernels[1].step.x > 6 && blur.kernels[1].taps == 21)
    let turned = GaussianBlur(
      sigma: 4, through: stretch.concatenating(CGAffineTransform(rotationAngle: 0.5)))
    #expect(turned.halvings == 1 && turned.kernels[1].step.y > 1)
  }

  @Test("A picture is halved, blurred along each axis, and doubled again")
  func passes() throws {
    #expect(
      programs(of: try plan([blur(7)])) == [
        .solid, .halved, .halved, .gaussian, .gaussian, .doubled, .doubled, .group,
      ])
    #expect(programs(of: try plan([blur(2)])) == [.solid, .gaussian, .gaussian, .group])
    #expect(programs(of: try plan([blur(0)])) == [.solid])
  }

  @Test("A large image that lies pixel on pixel is halved where it is, else as a group paints it")
  func images() throws {
    func programs(
      _ side: Int, at place: CGFloat = 20, _ change: (inout LayerValues) -> Void = { _ in }
    ) throws -> [FramePlan.Program] {
      var scene = try TestTree(width: 400, height: 400)
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 400, height: 400))
      let image = scene.image(side, side, id: 1)
      scene.layer(frame: CGRect(x: place, y: 20, width: 300, height: 300), in: root) {
        $0.contents = image
        $0.effects.filters = [blur(3)]
        change(&$0)
      }
      return self.programs(of: try scene.plan())
    }
    let blurred: [FramePlan.Program] = [.halved, .gaussian, .gaussian, .doubled, .group]
    #expect(try programs(300) == blurred)
    var normalized = blur(3)
    normalized["inputNormalizeEdges"] = .number(1)
    #expect(try programs(300) { $0.effects.filters = [normalized] } == blurred)
    #expect(try programs(300, at: 20.5).suffix(5) == blurred)
    #expect(try programs(300, at: 20.5).count == 6, "between the pixels")
    #expect(try programs(200).count == 6, "stretched, and in an array")
    #expect(try programs(300, at: 200).count == 6, "partly outside of the frame")
    #expect(try programs(300) { $0.backgroundColor = .red }.count == 7, "over a colour")
    #expect(try programs(300) { $0.transform.m11 = -1 }.count == 6, "mirrored")
  }

  @Test("Colour filters are one matrix unless the first may be cut off")
  func matrices() throws {
    let inverted = FilterValues(type: "colorInvert")
    var gray = FilterValues(type: "colorSaturate")
    gray["inputAmount"] = .number(0.25)
    var brighter = FilterValues(type: "colorBrightness")
    brighter["inputAmount"] = .number(0.25)
    #expect(
      programs(of: try plan([inverted, gray, brighter])) == [.solid, .colorMatrix, .group])
    #expect(
      programs(of: try plan([brighter, inverted])) == [
        .solid, .colorMatrix, .colorMatrix, .group,
      ])
  }

  @Test("Modes that the device can blend read no backdrop; for the others it is copied, once each")
  func modes() throws {
    func passes(_ mode: String) throws -> [FramePlan.Pass] {
      var scene = try TestTree()
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100)) {
        $0.backgroundColor = .white
      }
      scene.layer(frame: CGRect(x: 40, y: 40, width: 20, height: 20), in: root) {
        $0.backgroundColor = .red
        $0.effects.compositingFilter = FilterValues(type: mode)
      }
      return try scene.plan().passes
    }
    for mode in ["multiplyBlendMode", "screenBlendMode", "plusL", "xor", "sourceAtop"] {
      #expect(try passes(mode).count == 2, "\(mode)")
    }
    for mode in ["overlayBlendMode", "hueBlendMode", "plusD", "destIn"] {
      let passes = try passes(mode)
      #expect(passes.count == 4, "\(mode)")
      // The surface's drawing continues in another pass.
      #expect(passes.last?.target == .surface && passes.last?.isCleared == false)
    }
  }

  @Test("Unknown filters are refused by name, and the tree stays as it was")
  func unknown() throws {
    let changes: [(inout LayerValues) -> Void] = [
      { $0.effects.filters = [FilterValues(type: "vortex")] },
      { $0.effects.backgroundFilters = [FilterValues(type: "vortex")] },
      { $0.effects.compositingFilter = FilterValues(type: "vortex") },
    ]
    for change in changes {
      var scene = try TestTree()
      let layer = scene.layer(frame: CGRect(x: 0, y: 0, width: 9, height: 9)) { change(&$0) }
      #expect(throws: CommitError.unknownFilter("vortex", layer)) { try scene.apply() }
    }
  }
}
