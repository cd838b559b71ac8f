import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaGLES
import LaminaSoftware
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("Parts of groups in one colour")
struct PlainPartTests {
  private static let profile = DeviceProfile(
    maxTextureSize: 8192, hasBGRA: true, sharesTargets: true, drawsPlainParts: true)

  private var scene: TestTree
  private let root: LayerID
  private var planner = FramePlanner(profile: profile)

  init() throws {
    scene = try TestTree(width: 300, height: 240)
    root = scene.layer(frame: CGRect(x: 0, y: 0, width: 300, height: 240))
  }

  /// Adds a card of 120 × 100, at (20, 30), that is half opaque with its border, and blue.
  private mutating func card(_ set: (inout LayerValues) -> Void = { _ in }) -> LayerID {
    scene.layer(frame: CGRect(x: 20, y: 30, width: 120, height: 100), in: root) {
      $0.backgroundColor = .blue
      $0.borderWidth = 3
      $0.borderColor = .white
      $0.opacity = 0.5
      set(&$0)
    }
  }

  private mutating func plan() throws -> FramePlan {
    let plan = try scene.plan(with: &planner)
    try plan.check(for: plan.size, hasTexture: { _ in false }, hasCanvas: { _ in false })
    return plan
  }

  /// What the surface's pass draws, but for the root.
  private mutating func drawn() throws -> [(program: FramePlan.Program, box: PixelRect)] {
    let plan = try plan()
    return plan.passes.last!.batches.flatMap { plan.items.items[$0.items] }
      .map { ($0.program, $0.box) }
  }

  private let inside = PixelRect(minX: 23, minY: 33, maxX: 137, maxY: 127)

  @Test("are drawn in that colour, times the group's opacity, and neither sampled nor painted")
  mutating func drawnAlone() throws {
    _ = card()
    let plan = try plan()
    let items = plan.passes[1].batches.flatMap { plan.items.items[$0.items] }
    let plain = items.filter { $0.program == .solid }
    #expect(plain.map(\.box) == [inside] && plain.map(\.color) == [.bytes(0x80_80_00_00)])
    let sampled = items.filter { $0.program == .group }.map(\.box)
    #expect(sampled.count == 4 && !sampled.contains { $0.meets(inside) })
    #expect(plan.passes[0].unsampled == [inside])
  }

  @Test("end where sublayers paint over them, which are added to the group later")
  mutating func sublayers() throws {
    let card = card()
    let over = scene.layer(frame: CGRect(x: 10, y: 10, width: 30, height: 20), in: card) {
      $0.backgroundColor = .red
      $0.cornerRadius = 4
    }
    var plain = try drawn().filter { $0.program == .solid }.map(\.box)
    #expect(plain.count == 1 && plain[0].minY >= 60 && inside.contains(plain[0]))
    scene.change(over) {
      $0.bounds.size = CGSize(width: 110, height: 90)
      $0.position = CGPoint(x: 60, y: 50)
    }
    plain = try drawn().filter { $0.program == .solid }.map(\.box)
    #expect(plain.count == 1 && inside.contains(plain[0]), "its own")
    scene.change(over) { $0.backgroundColor = CGColor(gray: 0, alpha: 0.5) }
    plain = try drawn().filter { $0.program == .solid }.map(\.box)
    #expect(plain.isEmpty)
  }

  @Test("are as large as is worth a draw, and are opaque")
  mutating func worth() throws {
    let card = card()
    func count() throws -> Int { try drawn().count { $0.program == .solid } }
    #expect(try count() == 1)
    scene.change(card) { $0.bounds.size = CGSize(width: 69, height: 69) }
    #expect(try count() == 0)
    scene.change(card) { $0.bounds.size = CGSize(width: 70, height: 70) }
    #expect(try count() == 1)
    scene.change(card) { $0.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.9) }
    #expect(try count() == 0)
    planner = FramePlanner(
      profile: DeviceProfile(maxTextureSize: 8192, hasBGRA: true, sharesTargets: true))
    scene.change(card) { $0.backgroundColor = .blue }
    #expect(try count() == 0, "blended before it is rounded")
  }

  @Test("are painted if something else reads the group: a shadow, a blur, or later frames")
  mutating func readElsewhere() throws {
    let card = card {
      $0.masksToBounds = false
      $0.effects.shadowOpacity = 0.5
      $0.effects.shadowColor = .black
      $0.effects.shadowRadius = 3
      // Such a group is cast as it is.
      $0.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.5)
    }
    scene.layer(frame: CGRect(x: 5, y: 5, width: 100, height: 80), in: card) {
      $0.backgroundColor = .green
    }
    let passes = try plan().passes
    #expect(passes.allSatisfy { $0.unsampled.isEmpty })

    var still = try PlainPartTests()
    still.planner.paintsBeforeKept = 0
    let other = still.scene.layer(
      frame: CGRect(x: 0, y: 0, width: 300, height: 240), in: still.root)
    _ = still.card()
    var canvases = 0
    for step in 0..<3 {
      let plan = try still.plan()
      canvases += plan.canvases.count
      for pass in plan.passes {
        if case .canvas = pass.target { #expect(pass.unsampled.isEmpty) }
      }
      still.scene.change(other) { $0.backgroundColor = CGColor(gray: Double(step) / 4, alpha: 1) }
    }
    #expect(canvases == 1)
  }

  /// Random groups of layers over each other and over stripes: faded, clipped, masked, some with
  /// groups in them.
  private struct Groups {
    let size = PixelSize(width: 300, height: 240)
    var scene: TestTree
    private var random: SeededGenerator
    private var groups: [LayerID] = []

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      scene = try TestTree(width: 300, height: 240)
      let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 300, height: 240))
      for stripe in 0..<5 {
        scene.layer(frame: CGRect(x: 0, y: stripe * 50, width: 300, height: 27), in: root) {
          $0.backgroundColor = CGColor(red: 0.9, green: Double(stripe) / 5, blue: 0.2, alpha: 1)
        }
      }
      for _ in 0..<3 { addGroup(to: root, depth: 0) }
    }

    private mutating func number(_ range: Range<Double>) -> Double {
      let number = Double.random(in: range, using: &random)
      return random.one(in: 3) ? number.rounded() : number
    }

    private mutating func color() -> CGColor {
      CGColor(
        red: number(0..<1), green: number(0..<1), blue: number(0..<1),
        alpha: random.one(in: 5) ? 0.6 : 1)
    }

    private mutating func addGroup(to parent: LayerID, depth: Int) {
      let frame = CGRect(
        x: number(-20..<120), y: number(-20..<90), width: number(90..<190),
        height: number(80..<150))
      let (background, opacity) = (color(), number(0.1..<1))
      let (radius, border) = (Double(random.below(3) * 9), random.one(in: 3) ? 2.0 : 0)
      let (isClipped, hasShadow) = (random.one(in: 2), random.one(in: 3))
      let (hasBackground, isTurned) = (!random.one(in: 3), random.one(in: 8))
      let group = scene.layer(frame: frame, in: parent) {
        if hasBackground { $0.backgroundColor = background }
        $0.opacity = opacity
        $0.cornerRadius = radius
        ($0.borderWidth, $0.borderColor) = (border, .white)
        $0.masksToBounds = isClipped
        if hasShadow {
          ($0.effects.shadowOpacity, $0.effects.shadowColor) = (0.5, .black)
          $0.effects.shadowRadius = 5
        }
        if isTurned { $0.transform = CATransform3DMakeRotation(.pi / 2, 0, 0, 1) }
      }
      groups.append(group)
      for _ in 0..<random.below(4) {
        if depth < 2, random.one(in: 3) {
          addGroup(to: group, depth: depth + 1)
          continue
        }
        let frame = CGRect(
          x: number(-20..<90), y: number(-20..<70), width: number(30..<130),
          height: number(30..<110))
        let (fill, radius) = (color(), Double(random.below(3) * 6))
        scene.layer(frame: frame, in: group) {
          $0.backgroundColor = fill
          $0.cornerRadius = radius
        }
      }
      guard random.one(in: 6) else { return }
      let mask = scene.looseLayer(frame: CGRect(x: 3, y: 2, width: 80, height: 70)) {
        $0.backgroundColor = .red
        $0.cornerRadius = 6
      }
      scene.commit.edits.append(.setMask(mask: mask, layer: group))
    }

    mutating func edit() {
      let group = random.pick(groups)
      let x = number(0..<1)
      switch random.below(3) {
      case 0: scene.change(group) { $0.position.x += x * 9 }
      case 1: scene.change(group) { $0.opacity = 0.1 + x * 0.9 }
      default: scene.change(group) { $0.backgroundColor = CGColor(gray: x, alpha: 1) }
      }
    }
  }

  @Test(
    "have the bytes that they have if they are sampled, in parts and whole",
    arguments: [RenderPlatform.surfaceless, .software])
  func sameBytes(_ platform: RenderPlatform) throws {
    let renderer: any FrameExecutor =
      platform == .software ? SoftwareRenderer() : try GLESRenderer(platform: platform)
    defer { renderer.close() }
    #expect(renderer.profile.drawsPlainParts == (platform == .surfaceless))
    var (plain, sampling) = (renderer.profile, renderer.profile)
    (plain.drawsPlainParts, sampling.drawsPlainParts) = (true, false)
    var (replaced, shown) = (0, 0)
    for seed in 0..<80 as Range<UInt64> {
      var groups = try Groups(seed: seed)
      let surface = try renderer.makeSurface(size: groups.size, format: .bgra8)
      let other = try renderer.makeSurface(size: groups.size, format: .bgra8)
      var planner = FramePlanner(profile: plain)
      planner.paintsBeforeKept = .max
      for step in 0..<4 {
        let plan = try groups.scene.plan(at: Double(step), with: &planner)
        if !plan.isEmpty { _ = try renderer.execute(plan, on: surface) { _ in nil } }
        replaced += plan.passes.count { !$0.unsampled.isEmpty }
        // One that knows no earlier frame.
        var whole = FramePlanner(profile: sampling)
        whole.paintsBeforeKept = .max
        let sampled = try groups.scene.plan(at: Double(step), with: &whole)
        _ = try renderer.execute(sampled, on: other) { _ in nil }
        #expect(sampled.passes.allSatisfy { $0.unsampled.isEmpty })
        let (found, expected) = (
          try Self.bytes(of: surface, groups.size, renderer),
          try Self.bytes(of: other, groups.size, renderer)
        )
        guard found == expected else {
          Issue.record("seed \(seed), step \(step)")
          break
        }
        shown += found.contains { $0 != 0 } ? 1 : 0
        groups.edit()
      }
      renderer.releaseSurface(surface)
      renderer.releaseSurface(other)
    }
    #expect(replaced > 40 && shown == 320, "\(replaced), \(shown)")
  }

  private static func bytes(
    of surface: SurfaceID, _ size: PixelSize, _ renderer: any FrameExecutor
  ) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size.width * size.height * 4)
    try bytes.withUnsafeMutableBytes {
      try renderer.readBack(surface, region: nil, into: $0, stride: size.width * 4)
    }
    return bytes
  }
}
