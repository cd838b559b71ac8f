import Foundation
import Lamina
import LaminaInProcess
import LayerSupport
import TestSupport
import Testing

@testable import LaminaGraphics

@Suite("Why a layer does not show") struct WhyHiddenTests {
  typealias Reason = LayerTreeSnapshot.Hidden.Reason

  private static let size = CGSize(width: 96, height: 72)

  private func renderer() throws -> CARenderer {
    try CARenderer(size: Self.size, platform: .software, server: .inProcess)
  }

  /// A red layer.
  private func box(_ frame: CGRect, alpha: CGFloat = 1) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    layer.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: alpha)
    return layer
  }

  private func root(_ sublayers: CALayer...) -> CALayer {
    let root = CALayer()
    root.frame = CGRect(origin: .zero, size: Self.size)
    for sublayer in sublayers { root.addSublayer(sublayer) }
    return root
  }

  /// The reasons of the occurrences, by their paths, each with the path of the cause.
  private func reasons(_ root: CALayer) throws -> [String: String] {
    let renderer = try renderer()
    renderer.layer = root
    let snapshot = try renderer.snapshotTree(at: 0)
    var reasons: [String: String] = [:]
    for layer in snapshot.layers {
      guard let hidden = layer.hidden else { continue }
      reasons[layer.path] =
        hidden.reason.rawValue + (hidden.by.map { " by \(snapshot.layers[$0].path)" } ?? "")
    }
    reasons["0"] = nil
    return reasons
  }

  private let place = CGRect(x: 10, y: 10, width: 20, height: 20)

  @Test("It is hidden, and so is all in it")
  func hidden() throws {
    let layer = box(place)
    layer.addSublayer(box(CGRect(x: 0, y: 0, width: 5, height: 5)))
    layer.isHidden = true
    #expect(try reasons(root(layer)) == ["0/0": "isHidden", "0/0/0": "parent by 0/0"])
  }

  @Test("Of a hidden root, all is told too")
  func hiddenRoot() throws {
    let renderer = try renderer()
    let root = root(box(place))
    root.isHidden = true
    renderer.layer = root
    let layers = try renderer.snapshotTree(at: 0).layers
    #expect(layers.map(\.hidden?.reason) == [.isHidden, .parent])
    #expect(layers[1].frame == place)
  }

  @Test("Its opacity is 0")
  func opacity() throws {
    let layer = box(place)
    layer.opacity = 0
    layer.addSublayer(box(CGRect(x: 0, y: 0, width: 5, height: 5)))
    #expect(try reasons(root(layer)) == ["0/0": "opacity", "0/0/0": "parent by 0/0"])
  }

  @Test("It draws nothing, though what is in it shows")
  func empty() throws {
    let layer = CALayer()
    layer.frame = place
    layer.addSublayer(box(CGRect(x: 0, y: 0, width: 5, height: 5)))
    #expect(try reasons(root(layer)) == ["0/0": "empty"])
  }

  @Test("Its bounds, or its transform, leave no area")
  func noArea() throws {
    let flat = box(CGRect(x: 10, y: 10, width: 0, height: 20))
    let squeezed = box(place)
    squeezed.transform = CATransform3DMakeScale(0, 1, 1)
    #expect(try reasons(root(flat, squeezed)) == ["0/0": "noArea", "0/1": "noArea"])
  }

  @Test("It lies beyond the frame")
  func outside() throws {
    #expect(
      try reasons(root(box(CGRect(x: 200, y: 10, width: 20, height: 20)))) == ["0/0": "outside"])
  }

  @Test("A layer around it clips it, though not the nearest one")
  func clipped() throws {
    let clip = box(place)
    clip.masksToBounds = true
    let between = box(CGRect(x: 5, y: 5, width: 40, height: 40))
    between.addSublayer(box(CGRect(x: 30, y: 30, width: 5, height: 5)))
    clip.addSublayer(between)
    #expect(try reasons(root(clip)) == ["0/0/0/0": "clipped by 0/0"])
  }

  @Test("Its mask lets nothing through")
  func masked() throws {
    let layer = box(place)
    layer.mask = CALayer()
    layer.mask?.frame = CGRect(x: 0, y: 0, width: 20, height: 20)
    let reasons = try reasons(root(layer))
    #expect(
      reasons == ["0/0": "masked by 0/0/mask", "0/0/mask": "parent by 0/0"]
        || reasons == ["0/0": "masked by 0/0/mask", "0/0/mask": "empty"])
  }

  @Test("An opaque layer lies above, unless its corners are round or it is turned")
  func covered() throws {
    let inner = CGRect(x: 12, y: 12, width: 5, height: 5)
    #expect(try reasons(root(box(inner), box(place))) == ["0/0": "covered by 0/1"])
    let round = box(place)
    round.cornerRadius = 4
    #expect(try reasons(root(box(inner), round)) == [:])
    #expect(try reasons(root(box(inner), box(place, alpha: 0.99))) == [:])
    #expect(try reasons(root(box(place), box(inner))) == [:])
  }

  @Test("A backdrop's filter between the two sees what the upper one covers")
  func readBetween() throws {
    let glass = box(CGRect(x: 0, y: 0, width: 60, height: 60), alpha: 0.5)
    glass.backgroundFilters = [CAFilter(type: "gaussianBlur")]
    glass.setValue(6, forKeyPath: "backgroundFilters.gaussianBlur.inputRadius")
    let layers = root(box(place), glass, box(CGRect(x: 5, y: 5, width: 30, height: 30)))
    #expect(try reasons(layers) == [:])
  }

  @Test("It is turned away")
  func backFace() throws {
    let layer = box(place)
    layer.isDoubleSided = false
    layer.transform = CATransform3DMakeRotation(.pi, 0, 1, 0)
    #expect(try reasons(root(layer)) == ["0/0": "backFace"])
  }

  @Test("Its particles begin later")
  func time() throws {
    let emitter = CAEmitterLayer()
    emitter.frame = place
    emitter.beginTime = 5
    let cell = CAEmitterCell()
    (cell.birthRate, cell.lifetime) = (10, 1)
    cell.contents = try renderer().image(at: 0)
    emitter.emitterCells = [cell]
    #expect(try reasons(root(emitter)) == ["0/0": "time"])
  }

  @Test("It lies behind the eye")
  func behindEye() throws {
    let root = root(box(place))
    root.sublayerTransform.m34 = -1 / 100
    root.sublayers?[0].zPosition = 200
    #expect(try reasons(root) == ["0/0": "behindEye"])
  }

  @Test("A replicator's copies have paths of their own, and reasons")
  func copies() throws {
    let replicator = CAReplicatorLayer()
    replicator.frame = place
    replicator.instanceCount = 3
    replicator.instanceTransform = CATransform3DMakeTranslation(60, 0, 0)
    replicator.addSublayer(box(CGRect(x: 0, y: 0, width: 10, height: 10)))
    let renderer = try renderer()
    renderer.layer = root(replicator)
    let layers = try renderer.snapshotTree(at: 0).layers
    #expect(layers.map(\.path) == ["0", "0/0", "0/0/0#0", "0/0/0#1", "0/0/0#2"])
    #expect(layers.map(\.frame.minX) == [0, 10, 10, 70, 130])
    #expect(layers.map(\.hidden?.reason) == [.empty, .empty, nil, nil, .outside])
    #expect(Set(layers[2...].map(\.layer)).count == 1)
  }

  /// A layer of the tree that stands at a path without copies.
  private func layer(at path: String, in root: CALayer) -> CALayer? {
    var layer: CALayer? = root
    for step in path.split(separator: "/").dropFirst() {
      layer = step == "mask" ? layer?.mask : Int(step).flatMap { layer?.sublayers?[$0] }
    }
    return layer
  }

  /// The reasons that say where a layer lies: what is given rarely comes first.
  private static let places: [Reason] = [.covered, .clipped, .outside, .masked]

  /// Whether all layers around one are painted as if it was not there: without a shadow, a mask,
  /// filters or a clip, and not faded.
  private func isAmongPlain(_ layer: CALayer) -> Bool {
    var next = layer.superlayer
    while let outer = next {
      if outer.shadowOpacity > 0 || outer.mask != nil || outer.masksToBounds || outer.opacity < 1
        || outer.filters != nil || outer.compositingFilter != nil || outer.shouldRasterize
        || outer is CATransformLayer || !CATransform3DIsIdentity(outer.sublayerTransform)
      {
        return false
      }
      next = outer.superlayer
    }
    return (layer.superlayer?.sublayers ?? []).allSatisfy {
      CATransform3DIsAffine($0.transform) && !($0 is CATransformLayer)
    }
  }

  @Test(
    "In random trees, a layer for which a reason is given changes no pixel when it is hidden",
    arguments: 0..<10 as Range<UInt64>)
  func pixels(part: UInt64) throws {
    let renderer = try renderer()
    var counts: [Reason: Int] = [:]
    for seed in part * 50..<part * 50 + 50 {
      let root = RandomLayers.tree(seed: seed)
      addOrdinary(to: root, seed: seed)
      renderer.layer = root
      let shown = try renderer.image(at: 0).unpremultipliedRGBA
      let layers = try renderer.snapshotTree(at: 0).layers
      // The reason that takes a layer away with all that is around it.
      func rootReason(_ hidden: LayerTreeSnapshot.Hidden) -> Reason? {
        hidden.reason == .parent ? hidden.by.flatMap { layers[$0].hidden?.reason } : hidden.reason
      }
      var judged: [(rank: Int, layer: CALayer, LayerTreeSnapshot.Layer, Reason)] = []
      for occurrence in layers {
        guard let hidden = occurrence.hidden, let reason = rootReason(hidden) else { continue }
        guard let layer = layer(at: occurrence.path, in: root), !layer.isHidden else { continue }
        // Only the layer's own drawing is meant, and an empty mask hides everything.
        let isOwn = hidden.reason == .empty || hidden.reason == .noArea
        let hasInner = layer.sublayers != nil || layer.mask != nil
        if occurrence.isMask || (isOwn && hasInner) { continue }
        let place = Self.places.firstIndex(of: reason)
        // Others may be painted in another way without it, and then rounded otherwise.
        if reason == .masked || place == nil, !isAmongPlain(layer) { continue }
        judged.append((place ?? 4, layer, occurrence, reason))
      }
      judged.sort { $0.rank < $1.rank }
      // One of those, and now and then one of the others.
      let others = seed % 3 == 0 ? judged.filter { $0.rank == 4 }.prefix(1) : []
      let chosen = judged.filter { $0.rank < 4 }.prefix(1) + others
      for (_, layer, occurrence, reason) in chosen {
        counts[reason, default: 0] += 1
        withoutActions { layer.isHidden = true }
        let without = try renderer.image(at: 0).unpremultipliedRGBA
        withoutActions { layer.isHidden = false }
        let most =
          without == shown ? 0 : zip(shown, without).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(most == 0, "tree \(seed), \(occurrence.path): \(reason), by \(most)")
      }
      renderer.layer = nil
    }
    for reason in [Reason.covered, .clipped, .outside] {
      #expect((counts[reason] ?? 0) > 0, "no layer is said to be \(reason)")
    }
  }

  /// Adds upright layers on whole pixels, which cover and clip each other often.
  private func addOrdinary(to root: CALayer, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func frame() -> CGRect {
      CGRect(
        x: .random(in: -60...90, using: &random), y: .random(in: -40...70, using: &random),
        width: .random(in: 0...50, using: &random), height: .random(in: 4...50, using: &random))
    }
    var layers = [root]
    for _ in 0..<12 {
      let whole = frame()
      let layer = box(
        CGRect(
          x: whole.minX.rounded(), y: whole.minY.rounded(), width: whole.width.rounded(),
          height: whole.height.rounded()), alpha: random.one(in: 4) ? 0.5 : 1)
      if random.one(in: 3) { layer.masksToBounds = true }
      if random.one(in: 8) { layer.backgroundColor = nil }
      if random.one(in: 8) { layer.opacity = random.one(in: 2) ? 0 : 0.5 }
      if random.one(in: 8) { layer.cornerRadius = 6 }
      if random.one(in: 10) { layer.shadowOpacity = 0.5 }
      if random.one(in: 10) {
        layer.mask = box(CGRect(x: random.one(in: 2) ? 80 : 2, y: 2, width: 10, height: 10))
      }
      random.pick([root, root] + layers).addSublayer(layer)
      layers.append(layer)
    }
    // A large one that hides some of them.
    root.addSublayer(
      box(
        CGRect(
          x: random.below(40), y: random.below(30), width: 30 + random.below(30),
          height: 20 + random.below(25))))
  }
}
