import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues
import TestSupport
import Testing
import TreeSupport

@testable import LaminaRenderTree

@Suite("Rows that are brought to another time")
struct UpdateTests {
  @Test(
    "are what the render tree evaluates to there, to the bit, whatever is animated",
    arguments: 0..<200)
  func equalsNew(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &* 977 &+ 5)
    var scene = try RandomScene.make(&random)
    var last: EvaluatedTree?
    for step in 0..<8 {
      if step == 5 {
        // After this commit, earlier knowledge of the animations is no longer valid.
        scene.commit.animations = [
          .add(
            layer: LayerID(index: 1, generation: 0), key: "late",
            animation: RandomScene.animation(&random))
        ]
        try scene.apply()
      }
      let time = Double.random(in: -1...6, using: &random)
      let new = try scene.tree.evaluate(session: TestTree.session, at: time)
      guard var updated = last else {
        last = new
        continue
      }
      last = nil
      try scene.tree.update(&updated, to: time)
      let difference = updated.difference(from: new, of: scene.tree)
      #expect(difference == nil, "step \(step)")
      last = updated
    }
  }

  @Test("are those of its time where layers appear and go, or change their order")
  func rowsOfItsTime() throws {
    for (keyPath, values) in [
      ("hidden", [0, 1]), ("zPosition", [1, -1]),
    ] as [(String, [Double])] {
      var scene = try TestTree()
      let frame = CGRect(x: 0, y: 0, width: 10, height: 10)
      let root = scene.layer(frame: frame)
      let first = scene.layer(frame: frame, in: root)
      scene.layer(frame: frame, in: root)
      let animation = AnimationDescription(
        timing: MediaTiming(duration: 2),
        content: .basic(
          .init(keyPath: keyPath), .init(from: .number(values[0]), to: .number(values[1]))))
      scene.commit.animations = [.add(layer: first, key: "a", animation: animation)]
      try scene.apply()
      let early = try scene.tree.evaluate(session: TestTree.session, at: 0)
      var late = early
      try scene.tree.update(&late, to: 1.9)
      let new = try scene.tree.evaluate(session: TestTree.session, at: 1.9)
      #expect(late.difference(from: new, of: scene.tree) == nil)
      #expect(slots(new) != slots(early))
    }
  }

  @Test("differ only where something changed, after however many changes")
  func longJournal() throws {
    var scene = try TestTree()
    let frame = CGRect(x: 0, y: 0, width: 10, height: 10)
    let root = scene.layer(frame: frame)
    let moved = scene.layer(frame: frame, in: root)
    scene.layer(frame: frame, in: root)
    try scene.apply()
    for count in [1, 200_000] {
      var shown = try scene.tree.evaluate(session: TestTree.session, at: 0)
      scene.change(moved) { $0.position.x += 1 }
      scene.commit.changes = LayerChanges(repeating: scene.commit.changes[0], count: count)
      try scene.apply()
      try scene.tree.update(&shown, to: 0)
      #expect(!shown.changes.isAll)
      #expect(shown.changes.changed.map { shown.rows[$0].slot } == [Int(moved.index)])
      let new = try scene.tree.evaluate(session: TestTree.session, at: 0)
      #expect(shown.difference(from: new, of: scene.tree) == nil)
    }
  }

  @Test("are found from no more changes than four a layer, however many there were")
  func boundedJournal() throws {
    for layers in [2, 3000] {
      var journal = ChangeJournal()
      for number in 0..<100_000 { journal.note(number % layers, .geometry, layers: layers) }
      let limit = max(4096, 4 * layers)
      #expect(journal.end == 100_000)
      #expect(journal.entries(since: journal.end - limit - 1) == nil)
      let known = try #require(journal.entries(since: journal.end - limit / 2))
      #expect(known.map { Int($0.slot) } == (100_000 - limit / 2..<100_000).map { $0 % layers })
    }
  }

  @Test("are there for a hidden layer whose own time goes back into its transition")
  func hiddenLayersTime() throws {
    var scene = try TestTree()
    let frame = CGRect(x: 0, y: 0, width: 10, height: 10)
    let root = scene.layer(frame: frame)
    let hidden = scene.layer(frame: frame, in: root)
    try scene.apply()
    scene.change(hidden) { $0.isHidden = true }
    let fade = AnimationDescription(
      timing: MediaTiming(duration: 1), content: .transition(.init(style: .fade)))
    scene.commit.animations = [.add(layer: hidden, key: "transition", animation: fade)]
    try scene.apply()
    var shown = try scene.tree.evaluate(session: TestTree.session, at: 3)
    let before = slots(shown)
    scene.change(hidden) { $0.timing.timeOffset = -2.5 }
    try scene.apply()
    try scene.tree.update(&shown, to: 3)
    let new = try scene.tree.evaluate(session: TestTree.session, at: 3)
    #expect(shown.difference(from: new, of: scene.tree) == nil)
    #expect(before.count == 1 && slots(shown).count > 1)
  }

  private func slots(_ tree: EvaluatedTree) -> [Int] {
    tree.rowsInOrder.map { tree.rows[$0].slot }
  }
}

/// Trees of some layers with timings, masks and animations of most kinds.
enum RandomScene {
  static func make(_ random: inout SeededGenerator) throws -> TestTree {
    var scene = try TestTree(scale: [1, 2, 1.5].randomElement(using: &random)!)
    var layers: [LayerID] = []
    for _ in 0..<Int.random(in: 3...14, using: &random) {
      let frame = CGRect(
        x: .random(in: -20...80, using: &random), y: .random(in: -20...80, using: &random),
        width: .random(in: 0...60, using: &random), height: .random(in: 0...60, using: &random))
      let parent = layers.randomElement(using: &random)
      layers.append(scene.layer(frame: frame, in: parent) { change(&$0, &random) })
    }
    if Bool.random(using: &random) {
      let mask = scene.looseLayer(frame: CGRect(x: 0, y: 0, width: 20, height: 20))
      scene.commit.edits.append(.setMask(mask: mask, layer: layers.randomElement(using: &random)!))
      layers.append(mask)
    }
    for layer in layers {
      for number in 0..<[0, 1, 1, 1, 2, 3].randomElement(using: &random)! {
        scene.commit.animations.append(
          .add(layer: layer, key: "\(number)", animation: animation(&random)))
      }
    }
    try scene.apply()
    return scene
  }

  private static func change(_ values: inout LayerValues, _ random: inout SeededGenerator) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: values.isHidden = true
    case 1: values.isGeometryFlipped = true
    case 2: values.transform = CATransform3D(rotationAngle: 1, x: 0.2, y: 1, z: 0.5)
    case 3: values.transform = CATransform3D(scaleX: -1.5, y: 0.5)
    case 4: values.sublayerTransform.m34 = -1 / 300
    case 5: values.timing.speed = .random(in: -2...2, using: &random)
    case 6: values.timing.beginTime = .random(in: -2...2, using: &random)
    case 7: values.zPosition = .random(in: -2...2, using: &random)
    default: break
    }
  }

  static func animation(_ random: inout SeededGenerator, depth: Int = 0) -> AnimationDescription {
    var timing = MediaTiming(duration: .random(in: 0.1...3, using: &random))
    timing.beginTime = .random(in: -1...2, using: &random)
    timing.repeatCount = [0, 1, 2.5, .infinity].randomElement(using: &random)!
    timing.autoreverses = .random(using: &random)
    timing.fillMode =
      [FillMode.removed, .forwards, .backwards, .both].randomElement(using: &random)!
    timing.speed = [1, 1, 2, -1].randomElement(using: &random)!
    let curve = [nil, TimingCurve.default, .easeIn].randomElement(using: &random)!
    let (keyPath, values) = target(&random)
    var described = AnimationDescription.PropertyTarget(keyPath: keyPath)
    described.isAdditive = Int.random(in: 0..<6, using: &random) == 0
    described.isCumulative = Int.random(in: 0..<6, using: &random) == 0
    var ends = AnimationDescription.BasicValues()
    switch Int.random(in: 0..<4, using: &random) {
    case 0: ends.to = values[0]
    case 1: ends.from = values[0]
    case 2: ends.by = values[0]
    default: (ends.from, ends.to) = (values[0], values[1])
    }
    let content: AnimationDescription.Content =
      switch Int.random(in: 0..<7, using: &random) {
      case 0: .keyframe(described, .init(values: values))
      case 1:
        .spring(
          described, ends, .init(mass: 1, stiffness: 90, damping: 6, initialVelocity: 0))
      case 2 where depth < 2:
        .group((0..<2).map { _ in animation(&random, depth: depth + 1) })
      default: .basic(described, ends)
      }
    return AnimationDescription(timing: timing, timingCurve: curve, content: content)
  }

  /// A key path with values that its animation may use.
  private static func target(_ random: inout SeededGenerator) -> (String, [AnimationValue]) {
    func number(_ range: ClosedRange<Double>) -> AnimationValue {
      .number(.random(in: range, using: &random))
    }
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return ("opacity", [number(0...1), number(0...1)])
    case 1, 2:
      return (
        "position", [.point(CGPoint(x: 5, y: 90)), .point(CGPoint(x: 70.25, y: 1))]
      )
    case 3: return ("position.x", [number(0...100), number(0...100)])
    case 4: return ("transform.rotation.z", [number(-4...4), number(-4...4)])
    case 5: return ("transform.rotation.y", [number(-4...4), number(-4...4)])
    case 6: return ("transform.scale", [number(0...2), number(0...2)])
    case 7: return ("transform.translation.x", [number(0...50), number(0...50)])
    case 8:
      return (
        "transform",
        [
          .transform(CATransform3D(rotationAngle: 2, x: 0, y: 0, z: 1)),
          .transform(CATransform3D(scaleX: 2, y: 3)),
        ]
      )
    case 9:
      return (
        "sublayerTransform",
        [.transform(CATransform3D(translationX: 5, y: 2)), .transform(.identity)]
      )
    case 10: return ("backgroundColor", [.color(.red), .color(.green)])
    case 11:
      return (
        "bounds",
        [
          .rect(CGRect(x: 0, y: 0, width: 5, height: 50)),
          .rect(CGRect(x: 3, y: 1, width: 30, height: 2)),
        ]
      )
    // Values of another type, and ones too large for any sum.
    case 12: return ("opacity", [.point(.zero), .string("a")])
    default:
      return (
        "position",
        [.point(CGPoint(x: 1e308, y: -1e308)), .point(CGPoint(x: -1e308, y: 1e308))]
      )
    }
  }
}
