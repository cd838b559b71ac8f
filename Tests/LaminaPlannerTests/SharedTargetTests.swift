import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaGLES
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("Targets that groups share")
struct SharedTargetTests {
  private static let profile = DeviceProfile(
    maxTextureSize: 8192, hasBGRA: true, drawsPartsExactly: true, sharesTargets: true)

  private var scene: TestTree
  private let root: LayerID
  private var planner = FramePlanner(profile: profile)

  init() throws {
    scene = try TestTree()
    root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
  }

  /// Adds a half-opaque group of two squares. If one is turned, the group's pixels depend on its
  /// place.
  @discardableResult
  private mutating func group(
    x: Double, y: Double, side: Double = 20, isTurned: Bool = false, in parent: LayerID? = nil
  ) -> LayerID {
    let group = scene.layer(
      frame: CGRect(x: x, y: y, width: side, height: side), in: parent ?? root
    ) {
      $0.backgroundColor = .blue
      $0.opacity = 0.5
    }
    scene.layer(frame: CGRect(x: 1, y: 1, width: side / 2, height: side / 2), in: group) {
      $0.backgroundColor = .red
      if isTurned { $0.transform = CATransform3DMakeRotation(0.1, 0, 0, 1) }
    }
    return group
  }

  private mutating func plan() throws -> FramePlan {
    let plan = try scene.plan(with: &planner)
    try plan.check(for: plan.size, hasTexture: { _ in false }, hasCanvas: { _ in false })
    return plan
  }

  private let surface = PixelSize(width: 100, height: 100)

  @Test("Groups that lie apart are painted one after another in one, each where it is shown")
  mutating func apart() throws {
    for x in [2.0, 32, 62] { group(x: x, y: 10, isTurned: true) }
    let plan = try plan()
    #expect(plan.offscreens == [surface] && plan.sharedOffscreens == [0])
    #expect(plan.passes.map(\.target) == [.offscreen(0), .surface])
    #expect(
      plan.passes[0].parts
        == [0, 30, 60].map { PixelRect(minX: $0, minY: 8, maxX: $0 + 24, maxY: 32) })
    #expect(plan.passes.allSatisfy { $0.originX == 0 && $0.originY == 0 })
    let drawn = plan.passes[1].batches.flatMap { $0.sources.map { [$0.originX, $0.originY] } }
    #expect(!drawn.isEmpty && drawn.allSatisfy { $0 == [0, 0] })
  }

  @Test("What groups that lie apart paint is put together by how it is drawn")
  mutating func byState() throws {
    for x in [2.0, 32, 62] {
      let group = group(x: x, y: 10)
      scene.layer(frame: CGRect(x: 3, y: 3, width: 12, height: 12), in: group) {
        $0.backgroundColor = .white
        $0.cornerRadius = 4
        $0.borderWidth = 1
        $0.borderColor = .black
      }
    }
    let batches = try plan().passes[0].batches
    #expect(batches.count > 6 && batches.allSatisfy { $0.sources.isEmpty })
    var states: [[AnyHashable]] = []
    for batch in batches {
      let state: [AnyHashable] = [batch.program, batch.blend, batch.outlines]
      if states.last != state { states.append(state) }
    }
    // What clears them and what fills them, then each of the others for all three.
    #expect(states.count == Set(states).count)
    #expect(states.count < batches.count / 2)
  }

  @Test("Groups that lie apart are painted together, though others come between them")
  mutating func byLevel() throws {
    for x in [2.0, 12, 52, 62] { group(x: x, y: 10, isTurned: true) }
    let plan = try plan()
    let target = FramePlan.Target.offscreen(0)
    #expect(plan.passes.map(\.target) == [target, .surface, target, .surface])
    #expect(plan.passes[0].parts.map(\.minX) == [0, 50])
    #expect(plan.passes[2].parts.map(\.minX) == [10, 60])
  }

  @Test("What lies between two groups over each other is painted between them")
  mutating func between() throws {
    group(x: 2, y: 10, isTurned: true)
    scene.layer(frame: CGRect(x: 10, y: 15, width: 70, height: 10), in: root) {
      $0.backgroundColor = .white
    }
    for x in [12.0, 52] { group(x: x, y: 10, isTurned: true) }
    let passes = try plan().passes
    #expect(passes.map(\.target) == [.offscreen(0), .offscreen(1), .surface])
    #expect(passes.last?.batches.map(\.program) == [.group, .solid, .group, .group])
  }

  @Test("Two groups over each other are painted in two, and drawn before others over them are")
  mutating func overlapping() throws {
    for place in 0..<10 { group(x: Double(20 + place), y: 20, isTurned: true) }
    let plan = try plan()
    #expect(plan.offscreens == Array(repeating: surface, count: 2))
    let targets = [FramePlan.Target.offscreen(0), .offscreen(1), .surface]
    #expect(plan.passes.map(\.target) == Array(repeating: targets, count: 5).flatMap { $0 })
  }

  @Test("Groups that are the same in any place are painted side by side in a narrow one")
  mutating func sideBySide() throws {
    for place in 0..<10 { group(x: Double(20 + place), y: 20) }
    let plan = try plan()
    #expect(plan.passes.map(\.target) == [.offscreen(0), .surface])
    #expect(plan.offscreens.map(\.width) == [256])
    #expect(
      plan.passes[0].parts
        == (0..<10).map { PixelRect(minX: 24 * $0, minY: 0, maxX: 24 * $0 + 24, maxY: 24) })
    #expect(try samples(of: plan, "side by side") == 10)
  }

  @Test("There are two narrow ones at most: groups are drawn to make room for others")
  mutating func noRoom() throws {
    for place in 0..<30 { group(x: Double(20 + place), y: 20) }
    let plan = try plan()
    #expect(plan.offscreens.map(\.width) == [256, 256])
    let targets = [FramePlan.Target.offscreen(0), .offscreen(1), .surface]
    #expect(plan.passes.map(\.target) == targets + [.offscreen(0), .surface])
    #expect(plan.passes.map(\.parts.count) == [10, 10, 1, 10, 1])
    #expect(try samples(of: plan, "no room") == 30)
  }

  @Test("What is too large, or whose pixels depend on its place, is not moved")
  mutating func notMoved() throws {
    group(x: 0, y: 0, side: 50)
    group(x: 40, y: 60, side: 20)
    group(x: 70, y: 60, isTurned: true)
    let plan = try plan()
    let painted = plan.passes.filter { $0.target != .surface }
    #expect(plan.offscreens == [surface, PixelSize(width: 256, height: 24)])
    #expect(painted.map(\.parts.count) == [2, 1])
  }

  @Test("A shadow that is moved has its corners on 256ths of a pixel, and stays where it was in it")
  func movedShadow() throws {
    let rect = CGRect(x: 3, y: 4, width: 30, height: 20)
    let outline = CornerOutline(rect: rect, radii: SIMD4(5, 0, 0, 0))
    var list = ItemList()
    let item = Item(.shadowCorner, outline: list.outline(outline), numbers: [2, 0])
    let place = CGAffineTransform(a: 1.5, b: 0, c: 0, d: 1.5, tx: 10.123, ty: 7.4567)
    let slice = CGRect(x: -1.1, y: -0.3, width: 12.7, height: 11.9)
    list.add(item, slice, through: Projection(place), within: .everywhere)
    let before = list.corners
    list.move(0, x: 700, y: -300)
    #expect(list.outlineForm(of: list.items[0]) == .upright)
    for (corner, old) in zip(list.corners, before) {
      for coordinate in [corner.x, corner.y] {
        #expect((coordinate * 256).rounded() == coordinate * 256)
      }
      #expect(max(abs(corner.x - 700 - old.x), abs(corner.y + 300 - old.y)) <= 1 / 512)
      #expect(abs(corner.localX * 1.5 + 10.123 + 700 - corner.x) < 1e-9)
      #expect(abs(corner.localY * 1.5 + 7.4567 - 300 - corner.y) < 1e-9)
    }
  }

  @Test("One that is moved and kept is copied from where it was painted")
  mutating func movedAndKept() throws {
    group(x: 20, y: 20)
    let other = group(x: 25, y: 20)
    try scene.apply()
    var plans: [FramePlan] = []
    for step in 0..<4 {
      scene.change(other) { $0.opacity = 0.6 - Double(step) / 10 }
      plans.append(try scene.plan(at: Double(step), with: &planner))
    }
    let copies = plans.flatMap(\.passes).filter {
      if case .canvas = $0.target { true } else { false }
    }
    #expect(!copies.isEmpty)
    for plan in plans { _ = try samples(of: plan, "kept") }
  }

  @Test("Of several that lie apart, one over them is painted once they are drawn")
  mutating func aboveSeveral() throws {
    for x in [2.0, 52, 20] { group(x: x, y: 20, side: 40, isTurned: true) }
    let plan = try plan()
    #expect(plan.offscreens == [surface])
    let target = FramePlan.Target.offscreen(0)
    #expect(plan.passes.map(\.target) == [target, .surface, target, .surface])
  }

  @Test("With little memory there is one, and each group is drawn before the next is painted")
  mutating func littleMemory() throws {
    planner.budget = 1 << 20
    for place in 0..<4 { group(x: Double(20 + place), y: 20) }
    let plan = try plan()
    #expect(plan.offscreens == [surface])
    let targets = [FramePlan.Target.offscreen(0), .surface]
    #expect(plan.passes.map(\.target) == Array(repeating: targets, count: 4).flatMap { $0 })
    let isCleared = plan.passes.filter { $0.target == .surface }.map(\.isCleared)
    #expect(isCleared == [true, false, false, false])
  }

  @Test("Groups in groups are painted before those around them, and not in the same target")
  mutating func nested() throws {
    for x in [2.0, 52] {
      let outer = group(x: x, y: 2, side: 46)
      for y in [1.0, 25] { group(x: 24, y: y, in: outer) }
    }
    let plan = try plan()
    #expect(plan.passes.map(\.target) == [.offscreen(0), .offscreen(1), .surface])
  }

  @Test("A group and its mask are painted in two")
  mutating func masked() throws {
    let group = group(x: 20, y: 20, isTurned: true)
    let mask = scene.looseLayer(frame: CGRect(x: 0, y: 0, width: 20, height: 20)) {
      $0.backgroundColor = .red
    }
    scene.commit.edits.append(.setMask(mask: mask, layer: group))
    let plan = try plan()
    #expect(plan.sharedOffscreens == [0, 1])
    #expect(plan.passes.map(\.target) == [.offscreen(0), .offscreen(1), .surface])
  }

  @Test("Small groups, those in rasterized layers and those that are blurred have their own")
  mutating func notShared() throws {
    group(x: 10, y: 10, side: 2)
    let bitmap = scene.layer(frame: CGRect(x: 40, y: 40, width: 30, height: 30), in: root) {
      $0.effects.shouldRasterize = true
      $0.effects.rasterizationScale = 1
    }
    group(x: 5, y: 5, in: bitmap)
    let blurred = group(x: 70, y: 10)
    try scene.apply()
    var blur = FilterValues(type: "gaussianBlur")
    blur["inputRadius"] = .number(3)
    scene.change(blurred) { [blur] in $0.effects.filters = [blur] }
    let plan = try plan()
    #expect(plan.offscreens.count > 3 && plan.sharedOffscreens.isEmpty)
  }

  @Test("A group that is kept is painted as always, and then copied")
  mutating func kept() throws {
    let group = group(x: 20, y: 20)
    try scene.apply()
    var plans: [FramePlan] = []
    for step in 0..<4 {
      scene.change(group) { $0.opacity = 0.6 - Double(step) / 10 }
      plans.append(try scene.plan(at: Double(step), with: &planner))
    }
    let canvas = try #require(plans[2].canvases.first)
    #expect(plans[0].passes.map(\.target) == [.offscreen(0), .surface])
    #expect(
      plans[2].passes.map(\.target) == [.offscreen(0), .canvas(canvas.texture), .surface])
    #expect(plans[2].passes[0].batches.count == plans[0].passes[0].batches.count)
    #expect(plans[3].passes.map(\.target) == [.surface] && plans[3].offscreens.isEmpty)
  }

  /// Groups over and in each other, some clipped and some masked, that move and change at random.
  private struct RandomGroups {
    var scene: TestTree
    let size = PixelSize(width: 120, height: 90)
    private var random: SeededGenerator
    private var groups: [LayerID] = []
    private var squares: [LayerID] = []

    init(seed: UInt64) throws {
      scene = try TestTree(width: size.width, height: size.height)
      random = SeededGenerator(seed: seed)
      let root = scene.layer(frame: PixelRect(size).cgRect) { $0.backgroundColor = .white }
      for _ in 0..<4 + random.below(12) {
        addGroup(in: random.one(in: 3) && !groups.isEmpty ? random.pick(groups) : root)
      }
      try scene.apply()
    }

    private mutating func addGroup(in parent: LayerID) {
      let side = Double(14 + random.below(40))
      let frame = CGRect(
        x: Double(random.below(100)) - 10.25, y: Double(random.below(80)) - 10.5, width: side,
        height: side)
      let opacity = Double.random(in: 0.2..<0.9, using: &random)
      let isClipped = random.one(in: 3)
      let hasShadow = !isClipped && random.one(in: 2)
      let borderWidth = random.pick([0, 0, 1.5, 4.75])
      let group = scene.layer(frame: frame, in: parent) {
        $0.backgroundColor = .blue
        $0.opacity = opacity
        $0.cornerRadius = isClipped || hasShadow ? 5 : 0
        $0.masksToBounds = isClipped
        $0.borderWidth = borderWidth
        $0.borderColor = .white
        guard hasShadow else { return }
        $0.effects.shadowOpacity = 0.8
        $0.effects.shadowOffset = CGSize(width: 0.3, height: 2)
        $0.effects.shadowRadius = 2
      }
      groups.append(group)
      let isTurned = random.one(in: 2)
      for place in 0..<1 + random.below(3) {
        let turn = isTurned ? Double.random(in: 0..<1, using: &random) : 0
        squares.append(
          scene.layer(
            frame: CGRect(x: Double(place) * 7.3, y: Double(place) * 5.1, width: 12, height: 15),
            in: group
          ) {
            $0.backgroundColor = .red
            $0.cornerRadius = Double(place * 2)
            $0.transform = CATransform3DMakeRotation(turn, 0, 0, 1)
          })
      }
      guard random.one(in: 4) else { return }
      let mask = scene.looseLayer(frame: CGRect(x: 3, y: 2, width: side - 5, height: side)) {
        $0.backgroundColor = .red
        $0.cornerRadius = 6
      }
      scene.commit.edits.append(.setMask(mask: mask, layer: group))
    }

    mutating func edit() {
      let (group, square) = (random.pick(groups), random.pick(squares))
      let x = Double.random(in: 0..<1, using: &random)
      switch random.below(4) {
      case 0: scene.change(group) { $0.position.x += (x * 8).rounded() }
      case 1: scene.change(group) { $0.position.y += x * 6 - 3 }
      case 2: scene.change(group) { $0.opacity = 0.2 + x * 0.7 }
      default: scene.change(square) { $0.backgroundColor = CGColor(gray: x, alpha: 1) }
      }
    }
  }

  @Test("They are sampled only where the plan has painted them, in random groups that change")
  func sampledWherePainted() throws {
    var (sampled, painted, kept, moved) = (0, 0, 0, 0)
    for seed in 0..<100 as Range<UInt64> {
      var groups = try RandomGroups(seed: seed)
      var planner = FramePlanner(profile: Self.profile)
      planner.paintsBeforeKept = Int(seed % 2)
      if seed % 3 == 0 { planner.budget = 1 << 22 }
      for step in 0..<10 {
        let plan = try groups.scene.plan(at: Double(step), with: &planner)
        sampled += try samples(of: plan, "seed \(seed), step \(step)")
        painted += plan.passes.count { $0.target == .surface } > 1 ? 1 : 0
        kept += plan.canvases.count
        moved += plan.offscreens.count { $0.width == 256 }
        groups.edit()
      }
    }
    // In many frames groups are drawn to make room for others, in many some are kept, and in many
    // some are moved.
    #expect(
      sampled > 3000 && painted > 100 && kept > 100 && moved > 100,
      "\(sampled), \(painted), \(kept), \(moved)")
  }

  @Test("No pixel depends on how many there are, on what is painted again, and on what is kept")
  func pixels() throws {
    let (first, second) = (
      try GLESRenderer(platform: .surfaceless), try GLESRenderer(platform: .surfaceless)
    )
    defer {
      first.close()
      second.close()
    }
    #expect(first.profile.sharesTargets)
    for seed in 0..<60 as Range<UInt64> {
      var whole = try Screen(first, seed: seed)
      var inParts = try Screen(second, seed: seed)
      inParts.planner.paintsBeforeKept = Int(seed % 2)
      if seed % 3 == 0 { inParts.planner.budget = 1 << 22 }
      for step in 0..<10 {
        let time = Double(step)
        guard try whole.draw(at: time, inParts: false) == inParts.draw(at: time, inParts: true)
        else {
          Issue.record("seed \(seed), step \(step)")
          break
        }
        whole.groups.edit()
        inParts.groups.edit()
      }
      whole.close()
      inParts.close()
    }
  }

  /// Random groups on a surface that keeps its pixels.
  private struct Screen {
    let renderer: GLESRenderer
    let surface: SurfaceID
    var groups: RandomGroups
    var planner: FramePlanner

    init(_ renderer: GLESRenderer, seed: UInt64) throws {
      self.renderer = renderer
      groups = try RandomGroups(seed: seed)
      planner = FramePlanner(profile: renderer.profile)
      surface = try renderer.makeSurface(size: groups.size, format: .bgra8)
    }

    mutating func draw(at time: Double, inParts: Bool) throws -> [UInt8] {
      if !inParts {
        // One that knows no earlier frame.
        planner = FramePlanner(profile: renderer.profile)
        planner.paintsBeforeKept = .max
      }
      let plan = try groups.scene.plan(at: time, with: &planner)
      if !plan.isEmpty { _ = try renderer.execute(plan, on: surface) { _ in nil } }
      let stride = groups.size.width * 4
      var bytes = [UInt8](repeating: 0, count: groups.size.height * stride)
      try bytes.withUnsafeMutableBytes {
        try renderer.readBack(surface, region: nil, into: $0, stride: stride)
      }
      return bytes
    }

    /// Frees the surface and all textures, whose IDs other groups use again.
    func close() {
      var plan = FramePlan(size: groups.size, damage: [])
      plan.releases = (1...2000).map { TextureID(rawValue: $0) }
      _ = try? renderer.execute(plan, on: surface) { _ in nil }
      renderer.releaseSurface(surface)
    }
  }

  /// Records an issue if a batch samples a shared target where nothing was painted, and returns how
  /// often one is sampled.
  private func samples(of plan: FramePlan, _ name: String) throws -> Int {
    var painted: [Int: [PixelRect]] = [:]
    var count = 0
    for pass in plan.passes {
      for batch in pass.batches {
        for source in batch.sources {
          guard case .offscreen(let index) = source.texture, plan.sharedOffscreens.contains(index)
          else { continue }
          count += 1
          let (x, y) = (pass.originX - source.originX, pass.originY - source.originY)
          for part in pass.parts {
            let shown = part.intersection(batch.scissor)
            for item in plan.items.items[batch.items] {
              let area = item.box.offset(x: -pass.originX, y: -pass.originY).intersection(shown)
                .offset(x: x, y: y)
              guard !area.isEmpty else { continue }
              let isPainted = painted[index, default: []].contains { $0.contains(area) }
              #expect(isPainted, "\(name): \(area) of \(index), \(painted[index] ?? [])")
            }
          }
        }
      }
      if case .offscreen(let index) = pass.target { painted[index, default: []] += pass.parts }
    }
    return count
  }
}
