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
      let reduced = sigma / Double(1 << blur.doublings)
      #expect(reduced < 3 && (reduced >= 1.5 || blur.doublings == 0))
      // Quartering takes the place of two halvings if the blur hides it.
      #expect(blur.quarterings == (reduced < 2.2 ? 0 : blur.doublings / 2))
      for quadruples in [false, true] {
        let kernels = blur.kernels(quadruples: quadruples && blur.mayQuadruple)
        #expect(kernels.allSatisfy { $0.taps <= 11 && $0.isOnPixels })
      }
    }
  }

  @Test("In a stretched plane the narrower axis says how often a picture is halved")
  func stretched() throws {
    let stretch = CGAffineTransform(scaleX: 20, y: 1)
    let blur = GaussianBlur(sigma: 4, through: stretch)
    let kernels = blur.kernels(quadruples: false)
    #expect(blur.doublings == 1 && kernels[0].isOnPixels)
    // Taps lie further apart if a standard deviation has many pixels.
    #expect(kernels[1].step.x > 6 && kernels[1].taps == 20)
    let turned = GaussianBlur(
      sigma: 4, through: stretch.concatenating(CGAffineTransform(rotationAngle: 0.5)))
    #expect(turned.doublings == 1 && turned.kernels(quadruples: false)[1].step.y > 1)
  }

  @Test("A picture is quartered or halved, blurred along each axis, and enlarged again")
  func passes() throws {
    #expect(
      programs(of: try plan([blur(7)])) == [
        .solid, .halved, .halved, .gaussian, .gaussian, .doubled, .doubledDown, .group,
      ])
    #expect(
      programs(of: try plan([blur(20)])) == [
        .solid, .quartered, .halved, .gaussian, .gaussian, .doubled, .quadrupledDown, .group,
      ])
    #expect(programs(of: try plan([blur(2)])) == [.solid, .gaussian, .gaussian, .group])
    #expect(programs(of: try plan([blur(0)])) == [.solid])
  }

  @Test(
    "With 8 bits, what is enlarged last is rounded down, for which the two steps before make up",
    arguments: [
      (3.0, [FramePlan.Program.gaussian, .gaussian], FramePlan.Program.doubledDown),
      (7, [.gaussian, .doubled], .doubledDown),
      (10, [.gaussian, .gaussian], .quadrupledDown),
      (20, [.gaussian, .doubled], .quadrupledDown),
    ])
  func roundedDown(
    _ sigma: Double, lifted: [FramePlan.Program], program: FramePlan.Program
  ) throws {
    func plan(format: PixelFormat) throws -> FramePlan {
      var scene = try TestTree(format: format)
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
      scene.layer(frame: CGRect(x: 40, y: 40, width: 20, height: 20), in: root) {
        $0.backgroundColor = .red
        $0.effects.filters = [blur(sigma)]
      }
      return try scene.plan()
    }
    let eightBit = try plan(format: .bgra8)
    let last = try #require(eightBit.passes.dropLast().last)
    #expect(last.batches.map(\.program) == [program])
    #expect(last.batches.map { $0.sources.first?.filter } == [.linear])
    let lifts = eightBit.paintedItems.filter(\.program.hasKernel).map {
      ($0.program, eightBit.items.kernels[Int($0.parameters)].lift)
    }
    #expect(lifts.filter { $0.1 != 0 }.map(\.0) == lifted)
    #expect(lifts.suffix(3).map(\.1) == [4, 7, 0])
    // The pixels that are mixed, and a column more.
    let (space, source) = (last.originX, try #require(last.batches[0].sources.first))
    let width = last.parts[0].width
    guard case .offscreen(let index) = source.texture else { throw CancellationError() }
    let shift = program == .doubledDown ? 1 : 2
    #expect(source.originX + eightBit.offscreens[index].width > (space + width - 1) >> shift + 2)
    let half = try plan(format: .rgba16f)
    #expect(!programs(of: half).contains { $0 == .doubledDown || $0 == .quadrupledDown })
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
    let blurred: [FramePlan.Program] = [.halved, .gaussian, .gaussian, .doubledDown, .group]
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

  @Test("A blurred image hides what lies behind it if it is opaque and its edges are repeated")
  func opaqueImages() throws {
    func shown(isOpaque: Bool = true, opacity: Double = 1, areEdgesRepeated: Double = 1) throws
      -> [FramePlan.Program]
    {
      var scene = try TestTree(width: 300, height: 300)
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 300, height: 300)) {
        $0.backgroundColor = .red
      }
      let image = scene.image(300, 300, id: 1, isOpaque: isOpaque)
      scene.layer(frame: CGRect(x: 0, y: 0, width: 300, height: 300), in: root) {
        var filter = blur(3)
        filter["inputNormalizeEdges"] = .number(areEdgesRepeated)
        $0.contents = image
        $0.opacity = opacity
        $0.effects.filters = [filter]
      }
      return try scene.plan().passes.last?.batches.map(\.program) ?? []
    }
    #expect(try shown() == [.doubledDown])
    #expect(try shown(isOpaque: false) == [.solid, .group])
    #expect(try shown(opacity: 0.5) == [.solid, .group])
    #expect(try shown(areEdgesRepeated: 0) == [.solid, .group])
  }

  @Test("A group that is all that the surface shows is painted on it, and others are drawn")
  func wholeSurface() throws {
    func plan(
      side: Int = 300, _ change: (inout TestTree, LayerID) -> Void = { _, _ in }
    ) throws -> FramePlan {
      var scene = try TestTree(width: 300, height: 300)
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 300, height: 300))
      let image = scene.image(side, side, id: 1, isOpaque: true)
      let layer = scene.layer(frame: CGRect(x: 0, y: 0, width: side, height: side), in: root) {
        var filter = blur(8)
        filter["inputNormalizeEdges"] = .number(1)
        $0.contents = image
        $0.effects.filters = [filter]
      }
      try scene.apply()
      change(&scene, layer)
      let plan = try scene.plan()
      try plan.check(for: plan.size, hasTexture: { _ in false }, hasCanvas: { _ in false })
      return plan
    }
    let alone = try plan()
    #expect(alone.passes.last?.target == .surface && alone.passes.count == 6)
    #expect(alone.passes.last?.batches.map(\.program) == [.doubledDown])
    #expect(alone.offscreens.count == 5 && !alone.offscreens.contains(alone.size))
    let others: [(inout TestTree, LayerID) -> Void] = [
      { scene, layer in scene.change(layer) { $0.position.x += 1 } },
      { scene, layer in scene.change(layer) { $0.opacity = 0.9 } },
      { scene, layer in
        scene.layer(
          frame: CGRect(x: 0, y: 0, width: 1, height: 1), in: LayerID(index: 0, generation: 0)
        ) {
          $0.backgroundColor = .red
        }
      },
    ]
    for (number, change) in others.enumerated() {
      let plan = try plan(change)
      #expect(plan.passes.last?.batches.last?.program != .doubledDown, "\(number)")
      #expect(plan.passes.contains { $0.batches.contains { $0.program == .group } }, "\(number)")
    }
    #expect(try plan(side: 299).passes.last?.batches.map(\.program) == [.group])
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
