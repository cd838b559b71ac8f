import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

/// Images of 64 x 64 pixels, of which one layer shows one at a time.
@Suite("A budget of memory") struct MemoryBudgetTests {
  private var scene: TestTree
  private let images: [ImageID]
  private let layer: LayerID
  private static let profile = DeviceProfile(maxTextureSize: 8192, hasBGRA: true)
  private static let imageBytes = profile.byteCount(
    of: PixelSize(width: 64, height: 64), .bgra8)

  init() throws {
    var scene = try TestTree(width: 64, height: 64)
    images = (1...4).map { scene.image(64, 64, id: $0) }
    layer = scene.layer(frame: CGRect(x: 0, y: 0, width: 64, height: 64))
    try scene.apply()
    self.scene = scene
  }

  private mutating func plan(
    showing image: Int?, with planner: inout FramePlanner
  ) throws -> FramePlan {
    let shown = image.map { images[$0] }
    scene.change(layer) { $0.contents = shown }
    return try scene.plan(with: &planner)
  }

  @Test("What was drawn longest ago is freed first, and uploaded again when it is drawn")
  mutating func leastRecent() throws {
    // Three fit; an eighth more is freed than must be.
    var planner = FramePlanner(profile: Self.profile, budget: Self.imageBytes * 7 / 2)
    let plans = try [0, 1, 2, 0].map { try plan(showing: $0, with: &planner) }
    #expect(plans.map(\.uploads.count) == [1, 1, 1, 0])
    #expect(plans.flatMap(\.releases) == [])
    let textures = plans.prefix(3).map { $0.uploads[0].texture }
    let fourth = try plan(showing: 3, with: &planner)
    #expect(fourth.releases == [textures[1]])
    #expect(planner.byteCount == 3 * Self.imageBytes)
    let again = try plan(showing: 0, with: &planner)
    #expect(again.uploads.isEmpty)
    #expect(again.releases.isEmpty)
    let second = try plan(showing: 1, with: &planner)
    #expect(second.uploads.map(\.region) == [PixelRect(PixelSize(width: 64, height: 64))])
    #expect(second.releases == [textures[2]])
  }

  @Test("A frame that alone needs more fails, with both numbers")
  mutating func tooMuch() throws {
    let budget = Self.imageBytes - 1
    var planner = FramePlanner(profile: Self.profile, budget: budget)
    do {
      _ = try plan(showing: 0, with: &planner)
      Issue.record("it was planned")
    } catch {
      let words = "\(Self.imageBytes) bytes of memory for one frame, at most \(budget) are allowed"
      #expect("\(error)" == words)
    }
  }

  @Test("A plan that is only looked at may need more")
  mutating func lookedAt() throws {
    let planner = FramePlanner(profile: Self.profile, budget: Self.imageBytes - 1)
    scene.change(layer) { [images] in $0.contents = images[0] }
    try scene.apply()
    let plan = try planner.planAfresh(scene.tree, session: TestTree.session, time: 0)
    #expect(plan.uploads.count == 1)
  }

  @Test("A small image counts as its layer of an array texture, and its mipmaps as a copy of it")
  mutating func arrayTextures() throws {
    var profile = Self.profile
    profile.sharesTextures = true
    var planner = FramePlanner(profile: profile)
    let wide = scene.image(65, 40, id: 9)
    scene.change(layer) { $0.contents = wide }
    let plan = try scene.plan(with: &planner)
    #expect(plan.uploads.map(\.sharesTexture) == [true])
    let layerBytes = profile.byteCount(of: PixelSize(width: 128, height: 64), .bgra8)
    #expect(planner.byteCount == layerBytes)
    scene.change(layer) {
      $0.contentsDetail.minificationFilter = .trilinear
      $0.bounds.size = CGSize(width: 20, height: 20)
    }
    _ = try scene.plan(with: &planner)
    let imageBytes = profile.byteCount(of: PixelSize(width: 65, height: 40), .bgra8)
    #expect(planner.byteCount == layerBytes + imageBytes + imageBytes / 3)

    let large = scene.image(300, 4, id: 10)
    scene.change(layer) { $0.contents = large }
    #expect(try scene.plan(with: &planner).uploads.map(\.sharesTexture) == [false])
  }

  @Test("Surfaces, targets and mipmaps count as well")
  mutating func everything() throws {
    var planner = FramePlanner(profile: Self.profile)
    planner.surfaceByteCount = 1000
    _ = try plan(showing: 0, with: &planner)
    #expect(planner.byteCount == 1000 + Self.imageBytes)
    scene.change(layer) {
      $0.contentsDetail.minificationFilter = .trilinear
      $0.bounds.size = CGSize(width: 20, height: 20)
    }
    let small = try scene.plan(with: &planner)
    #expect(small.mipmaps.count == 1)
    #expect(planner.byteCount == 1000 + Self.imageBytes + Self.imageBytes / 3)
    scene.commit.releasedStores = images
    scene.change(layer) {
      $0.contents = nil
      $0.opacity = 0.5
      $0.backgroundColor = .red
      $0.borderWidth = 3
      $0.borderColor = .blue
    }
    let group = try scene.plan(with: &planner)
    #expect(planner.byteCount == 1000)
    #expect(group.offscreens.count == 1)
    #expect(group.idleTargetLimit == .max - 1000)
  }

  @Test("Pixels that a transition draws and nothing else has are not freed")
  mutating func onlyCopy() throws {
    // The transition draws into a target as large as an image.
    var planner = FramePlanner(profile: Self.profile, budget: Self.imageBytes * 3)
    let first = try plan(showing: 0, with: &planner)
    scene.change(layer) { [images] in $0.contents = images[1] }
    scene.commit.animations = [
      .add(
        layer: layer, key: "transition",
        animation: AnimationDescription(
          timing: MediaTiming(beginTime: 10, duration: 1, fillMode: .removed),
          content: .transition(.init(style: .fade))))
    ]
    scene.commit.releasedStores = [images[0]]
    // Before its time the transition shows its end.
    let second = try scene.plan(with: &planner)
    let third = try plan(showing: 2, with: &planner)
    #expect(second.uploads.count == 1)
    #expect(!second.releases.contains(first.uploads[0].texture))
    #expect(third.releases == [second.uploads[0].texture])
  }

  @Test("A frame has fewer targets if it fits into memory with these alone")
  func fewTargets() throws {
    var scene = try TestTree(width: 100, height: 100)
    let root = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
    let image = scene.image(2000, 2000, id: 1)
    _ = scene.layer(frame: CGRect(x: 0, y: 0, width: 100, height: 100), in: root) {
      $0.contents = image
    }
    // Groups over each other, of which each is painted while the one before it is drawn.
    for place in 0..<4 {
      let side = 30 + 2 * Double(place)
      let group = scene.layer(frame: CGRect(x: 5, y: 5, width: side, height: side), in: root) {
        $0.opacity = 0.5
        $0.backgroundColor = .blue
      }
      _ = scene.layer(frame: CGRect(x: 2, y: 2, width: 10, height: 10), in: group) {
        $0.backgroundColor = .red
      }
    }
    try scene.apply()
    func plan(budget: Int) throws -> FramePlan {
      var (scene, profile) = (scene, Self.profile)
      profile.sharesTargets = true
      var planner = FramePlanner(profile: profile, budget: budget)
      return try scene.plan(with: &planner)
    }
    let error = try #require(throws: CommitError.self) { try plan(budget: 0) }
    guard case .tooMany(_, let needed, _) = error else { throw error }
    #expect(try plan(budget: 2 * needed).offscreens.count > 1)
    #expect(throws: CommitError.self) { try plan(budget: needed - 1) }
    let few = try plan(budget: needed)
    #expect(few.offscreens.count == 1)
    #expect(few.uploads.count == 1 && few.releases.isEmpty)
  }
}
