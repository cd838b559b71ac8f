import Foundation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaFramePlan
@testable import LaminaPlanner

@Suite("What an opaque layer covers")
struct OcclusionTests {
  private static let whole = CGRect(x: 0, y: 0, width: 100, height: 100)

  /// The plan of a red layer, a triangle, something between if given, and a layer over all of it.
  private func plan(
    between: ((inout LayerValues) -> Void)? = nil, cover: (inout LayerValues) -> Void
  ) throws -> FramePlan {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole) { $0.backgroundColor = .red }
    scene.layer(.shape, frame: Self.whole, in: root) {
      $0.shape.path = Path([
        .move(CGPoint(x: 20, y: 20)), .line(CGPoint(x: 80, y: 30)), .line(CGPoint(x: 40, y: 90)),
      ])
    }
    if let between { scene.layer(frame: Self.whole, in: root, between) }
    scene.layer(frame: Self.whole, in: root) {
      $0.backgroundColor = .blue
      cover(&$0)
    }
    return try scene.plan()
  }

  /// The plan of a red layer and an image over all of it.
  private func imagePlan(
    isOpaque: Bool = true, format: PixelFormat = .bgra8,
    cover: (inout LayerValues) -> Void = { _ in }
  ) throws -> FramePlan {
    var scene = try TestTree(format: format)
    let root = scene.layer(frame: Self.whole) { $0.backgroundColor = .red }
    let image = scene.image(50, 20, id: 1, isOpaque: isOpaque)
    scene.layer(frame: Self.whole, in: root) {
      $0.contents = image
      cover(&$0)
    }
    return try scene.plan()
  }

  private func programs(_ plan: FramePlan) -> [FramePlan.Program] {
    plan.passes.flatMap { $0.batches.map(\.program) }
  }

  @Test("is neither painted nor made")
  func hidden() throws {
    let plan = try plan { _ in }
    #expect(plan.paintedItems.count == 1)
    #expect(plan.uploads.isEmpty)
  }

  @Test("is not painted where only a rounded layer is painted again, away from its corners")
  func roundedCover() throws {
    for apart in [true, false] {
      var planner = FramePlanner(
        profile: DeviceProfile(
          maxTextureSize: 8192, hasBGRA: true, drawsInsidesApart: apart))
      var scene = try TestTree()
      let root = scene.layer(frame: Self.whole) { $0.backgroundColor = .red }
      let below = scene.layer(frame: Self.whole.insetBy(dx: 40, dy: 40), in: root) {
        $0.backgroundColor = .green
      }
      let cover = scene.layer(frame: Self.whole, in: root) {
        $0.backgroundColor = .blue
        $0.cornerRadius = 8
      }
      _ = try scene.plan(with: &planner)
      scene.change(below) { $0.backgroundColor = .red }
      let hidden = try scene.plan(with: &planner)
      #expect(hidden.paintedItems.allSatisfy { $0.color == .bytes(0xffff_0000) }, "\(apart)")
      scene.change(cover) { $0.cornerRadius = 40 }
      _ = try scene.plan(with: &planner)
      scene.change(below) { $0.backgroundColor = .green }
      let shown = try scene.plan(with: &planner)
      #expect(shown.paintedItems.map(\.program) == [.solid, .solid, .rounded], "\(apart)")
    }
  }

  @Test("is painted if something of it could show")
  func visible() throws {
    let covers: [(inout LayerValues) -> Void] = [
      { $0.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.9) },
      { $0.opacity = 0.9 },
      { $0.bounds.size.width = 99.5 },
      { $0.cornerRadius = 1 },
      { $0.transform = CATransform3D(rotationAngle: 0.01, x: 0, y: 0, z: 1) },
      { $0.effects.compositingFilter = FilterValues(type: "plusL") },
      { $0.isHidden = true },
    ]
    for (index, cover) in covers.enumerated() {
      let plan = try plan(cover: cover)
      #expect(programs(plan).contains(.coverage), "\(index)")
      #expect(plan.uploads.count == 1, "\(index)")
    }
  }

  @Test("is not painted below an image without transparent pixels")
  func hiddenByImage() throws {
    let covers: [(inout LayerValues) -> Void] = [
      { _ in },
      { $0.contentsDetail.rect = CGRect(x: 0.5, y: 0.5, width: 4, height: 0.1) },
      { $0.contentsDetail.magnificationFilter = .nearest },
      { $0.transform = CATransform3D(scaleX: -1, y: 1) },
      { $0.masksToBounds = true },
    ]
    for (index, cover) in covers.enumerated() {
      #expect(try programs(imagePlan(cover: cover)) == [.plainImage], "\(index)")
    }
  }

  @Test("is painted below an image of which something lets it show")
  func visibleBelowImage() throws {
    let covers: [(inout LayerValues) -> Void] = [
      { $0.opacity = 0.9 },
      { $0.contentsDetail.multiplyColor = CGColor(red: 1, green: 1, blue: 1, alpha: 0.9) },
      { $0.contentsGravity = .center },
      { $0.bounds.size.width = 99.5 },
      {
        $0.cornerRadius = 1
        $0.masksToBounds = true
      },
      { $0.transform = CATransform3D(rotationAngle: 0.01, x: 0, y: 0, z: 1) },
      {
        $0.transform = CATransform3D(rotationAngle: 0.01, x: 0, y: 0, z: 1)
        $0.allowsEdgeAntialiasing = false
      },
      { $0.effects.compositingFilter = FilterValues(type: "plusL") },
      { $0.isHidden = true },
    ]
    for (index, cover) in covers.enumerated() {
      #expect(try programs(imagePlan(cover: cover)).contains(.solid), "\(index)")
    }
    #expect(try programs(imagePlan(isOpaque: false)) == [.solid, .plainImage])
    #expect(try programs(imagePlan(format: .rgba16f)) == [.solid, .plainImage])
  }

  @Test("is painted again when the image's store has transparent pixels")
  func storeChanges() throws {
    var scene = try TestTree()
    let root = scene.layer(frame: Self.whole) { $0.backgroundColor = .red }
    let image = scene.image(50, 20, id: 1, isOpaque: true)
    scene.layer(frame: Self.whole, in: root) { $0.contents = image }
    var planner = FramePlanner.software
    #expect(try programs(scene.plan(with: &planner)) == [.plainImage])
    _ = scene.image(50, 20, id: 1)
    #expect(try programs(scene.plan(with: &planner)) == [.solid, .plainImage])
    _ = scene.image(50, 20, id: 1, isOpaque: true)
    #expect(try programs(scene.plan(with: &planner)) == [.plainImage])
  }

  @Test("is painted if it is read in between")
  func read() throws {
    let plan = try plan(between: {
      $0.backgroundColor = .green
      $0.effects.compositingFilter = FilterValues(type: "hueBlendMode")
    }) { _ in }
    // What was read is there; what was painted over it is not.
    #expect(programs(plan) == [.solid, .coverage, .group, .solid])
    #expect(plan.passes.map(\.isCleared) == [true, true, false])
  }
}
