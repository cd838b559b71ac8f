import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaRenderTree
import LaminaSoftware
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaPlanner

@Suite("A frame that several threads plan")
struct SharedPlanningTests {
  private static let profile = DeviceProfile(maxTextureSize: 4096, hasBGRA: true)

  /// Shares even two rows.
  private static func sharing(_ threads: Int) -> LoopSharing {
    var sharing = LoopSharing(WorkerThreads(count: threads))
    (sharing.least, sharing.part) = (2, 2)
    return sharing
  }

  @Test(
    "draws the same items in the same order as on one, whatever changes",
    arguments: [2, 3, 7])
  func sameItems(threads: Int) throws {
    let sharing = Self.sharing(threads)
    for seed in 0..<150 as Range<UInt64> {
      var scene = try RandomScene(seed: seed)
      var alone = FramePlanner(profile: Self.profile)
      var together = alone
      together.sharing = sharing
      for step in 0..<6 {
        _ = try scene.apply()
        let session = TestTree.session
        guard (try? alone.update(scene.tree, session: session, to: scene.time)) != nil else {
          break
        }
        try together.update(scene.tree, session: session, to: scene.time)
        let damages = (
          alone.measure(scene.tree, session), together.measure(scene.tree, session)
        )
        #expect(damages.0 == damages.1, "seed \(seed), step \(step)")
        let pictures = (
          alone.compose(scene.tree, session, damages.0, keepsGroups: false).graph.description,
          together.compose(scene.tree, session, damages.1, keepsGroups: false).graph.description
        )
        guard pictures.0 == pictures.1 else {
          Issue.record("seed \(seed), step \(step):\n\(pictures.0)\n\nshared:\n\(pictures.1)")
          break
        }
        _ = scene.edit()
      }
    }
  }

  /// A root with so many sublayers that they are shared: most of them squares, and among them all
  /// that is more than that.
  private struct Crowd {
    var scene: TestTree
    private(set) var layers: [LayerID] = []
    private let root: LayerID

    init(count: Int) throws {
      scene = try TestTree(width: 300, height: 200)
      root = scene.layer(frame: CGRect(x: 0, y: 0, width: 300, height: 200)) {
        $0.backgroundColor = .white
      }
      for number in 0..<count { add(number) }
      try scene.apply()
    }

    private mutating func add(_ number: Int) {
      let place = CGRect(
        x: Double(number * 37 % 290), y: Double(number * 53 % 190), width: 9, height: 11)
      let layer = scene.layer(frame: place, in: root) {
        let part = Double(number % 10) / 10
        $0.backgroundColor = CGColor(srgbRed: part, green: 1 - part, blue: 0.5, alpha: 0.7)
        switch number % 97 {
        case 3: $0.cornerRadius = 4
        case 17: $0.borderWidth = 2
        case 31: $0.opacity = 0.4
        case 32: ($0.opacity, $0.borderWidth) = (0.4, 1)
        case 47: $0.transform = CATransform3D(rotationAngle: 0.3, x: 0, y: 0, z: 1)
        case 61: $0.isHidden = true
        case 62: $0.backgroundColor = nil
        case 71:
          $0.transform = CATransform3D(rotationAngle: .pi, x: 0, y: 1, z: 0)
          $0.isDoubleSided = false
        case 83: $0.effects.shadowOpacity = 1
        default: break
        }
      }
      layers.append(layer)
      guard number % 97 == 90 else { return }
      let inner = CGRect(x: 2, y: 2, width: 20, height: 4)
      scene.layer(frame: inner, in: layer) { $0.backgroundColor = .black }
      scene.layer(frame: inner.offsetBy(dx: 0, dy: 5), in: layer) { $0.backgroundColor = .red }
    }

    /// Moves some layers, all but a few, or none.
    mutating func move(_ step: Int) throws {
      for (number, layer) in layers.enumerated() where step == 0 || number % 7 < step {
        scene.change(layer) {
          $0.position.x += Double(number % 5) - 2.25
          $0.position.y += Double(step % 3)
        }
      }
      if !scene.commit.isEmpty { try scene.apply() }
    }
  }

  @Test("has the same pixels as on one thread if a thousand of its layers move")
  func samePixels() throws {
    var crowd = try Crowd(count: 1300)
    let renderer = SoftwareRenderer(threads: 3)
    var frames: [(FramePlanner, SurfaceID)] = []
    for threads in [nil, renderer.threads] {
      frames.append(
        (
          FramePlanner(profile: renderer.profile, threads: threads),
          try renderer.makeSurface(size: PixelSize(width: 300, height: 200), format: .bgra8)
        ))
    }
    for step in [0, 6, 7, 7, 3, 7, 1] {
      try crowd.move(step)
      let pixels = try frames.indices.map { index in
        let plan = try frames[index].0.plan(
          crowd.scene.tree, session: TestTree.session, time: 0)
        _ = try renderer.execute(plan, on: frames[index].1) { _ in nil }
        var bytes = [UInt8](repeating: 0, count: 300 * 200 * 4)
        try bytes.withUnsafeMutableBytes {
          try renderer.readBack(frames[index].1, region: nil, into: $0, stride: 1200)
        }
        return bytes
      }
      #expect(pixels[0] == pixels[1], "step \(step)")
      #expect(Set(pixels[0]).count > 20)
    }
  }
}
