import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("Groups that round corners clip")
struct PixelOutlineTests {
  private static let size = PixelSize(width: 100, height: 100)

  /// A half-opaque group of two squares that reach beyond its outline.
  private func scene(
    _ frame: CGRect, _ set: (inout LayerValues) -> Void
  ) throws -> TestTree {
    var scene = try TestTree()
    let root = scene.layer(frame: PixelRect(Self.size).cgRect) { $0.backgroundColor = .white }
    let group = scene.layer(frame: frame, in: root) {
      $0.opacity = 0.5
      $0.masksToBounds = true
      set(&$0)
    }
    let inner = min(4.25, frame.width / 4, frame.height / 4)
    for (inset, color) in [(-3, CGColor.red), (inner, .blue)] {
      scene.layer(
        frame: CGRect(origin: .zero, size: frame.size).insetBy(dx: inset, dy: inset), in: group
      ) {
        $0.backgroundColor = color
      }
    }
    return scene
  }

  private func plan(_ scene: inout TestTree, sharesTargets: Bool = true) throws -> FramePlan {
    var planner = FramePlanner(
      profile: DeviceProfile(maxTextureSize: 8192, hasBGRA: true, sharesTargets: sharesTargets))
    return try scene.plan(with: &planner)
  }

  @Test("What lies outside is erased where they are painted, after all else")
  func erased() throws {
    var scene = try scene(CGRect(x: 10.25, y: 20, width: 60.5, height: 40)) {
      $0.cornerRadius = 8
    }
    let plan = try plan(&scene)
    let painted = try #require(plan.passes.first { $0.target != .surface })
    let erasing = painted.batches.suffix(2)
    #expect(erasing.map(\.program) == [.roundedBorder, .solid])
    #expect(erasing.allSatisfy { $0.blend == .destinationOut })
    // The corners; and the left and the right side, which do not lie between pixels.
    let boxes = erasing.map { plan.items.items[$0.items].map(\.box) }
    #expect(boxes[0].map(\.size) == Array(repeating: PixelSize(width: 9, height: 8), count: 4))
    #expect(boxes[1].map(\.size) == Array(repeating: PixelSize(width: 1, height: 24), count: 2))
    let drawn = plan.passes.flatMap(\.batches).filter { !$0.sources.isEmpty }
    #expect(drawn.map(\.program) == [.group])
  }

  @Test("They are clipped when they are drawn if they are turned, stretched or otherwise uneven")
  func drawnClipped() throws {
    let sets: [(inout LayerValues) -> Void] = [
      { $0.transform = CATransform3DMakeRotation(0.3, 0, 0, 1) },
      { $0.transform = CATransform3DMakeScale(1.25, 1, 1) },
      { $0.maskedCorners = 3 },
      { $0.cornerCurve = .continuous },
      { $0.cornerRadius = 0.25 },
    ]
    for (number, set) in sets.enumerated() {
      var scene = try scene(CGRect(x: 10.25, y: 20, width: 60.5, height: 40)) {
        $0.cornerRadius = 8
        set(&$0)
      }
      let batches = try plan(&scene).passes.flatMap(\.batches)
      #expect(!batches.contains { $0.blend == .destinationOut }, "\(number)")
      #expect(batches.contains { $0.program.basic == .groupRounded }, "\(number)")
    }
  }

  @Test("They have the pixels of groups that are clipped when they are drawn, but for two 255ths")
  func pixels() throws {
    let renderer = try GLESRenderer(platform: .surfaceless)
    defer { renderer.close() }
    let surface = try renderer.makeSurface(size: Self.size, format: .bgra8)
    func draw(_ scene: inout TestTree, sharesTargets: Bool) throws -> [UInt8] {
      let plan = try plan(&scene, sharesTargets: sharesTargets)
      _ = try renderer.execute(plan, on: surface) { _ in nil }
      var bytes = [UInt8](repeating: 0, count: Self.size.width * Self.size.height * 4)
      try bytes.withUnsafeMutableBytes {
        try renderer.readBack(surface, region: nil, into: $0, stride: Self.size.width * 4)
      }
      return bytes
    }
    var random = SeededGenerator(seed: 4)
    var differences = 0
    for number in 0..<200 {
      func length(_ range: Range<Double>) -> Double { .random(in: range, using: &random) }
      let frame = CGRect(
        x: length(-20..<60), y: length(-20..<60), width: length(2..<60), height: length(2..<60))
      let radius = length(0.5..<40)
      let scale = random.pick([1, 0.75, -1.5])
      var scene = try scene(frame) {
        $0.cornerRadius = radius
        $0.transform = CATransform3DMakeScale(scale, abs(scale), 1)
      }
      let erased = try draw(&scene, sharesTargets: true)
      let clipped = try draw(&scene, sharesTargets: false)
      let most = zip(erased, clipped).map { abs(Int($0) - Int($1)) }.max() ?? 0
      // What is erased is rounded before it is drawn.
      #expect(most <= 2, "\(number): \(frame), radius \(radius), scale \(scale)")
      if most > 0 { differences += 1 }
    }
    #expect(differences > 0)
  }
}
