import Foundation
import LaminaCommit
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

/// The property that makes a chain's layers be painted in a special way.
enum Nesting: String, CaseIterable {
  case plain, fadedGroup, clipped, masks, shadow, filter, rasterized, space, turned, spaces

  /// A layer for the chain; `level` counts from 1.
  func layer(_ level: Int) -> CALayer {
    let layer = self == .spaces ? CATransformLayer() : CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    switch self {
    case .plain, .masks: break
    case .fadedGroup:
      layer.opacity = 0.999
      layer.backgroundColor = .black
    case .clipped:
      layer.masksToBounds = true
      layer.cornerRadius = 1
    case .shadow:
      // Each shadow takes a group and a blur, and 64 are enough to reach the limit on groups.
      layer.shadowOpacity = level.isMultiple(of: 16) ? 0.1 : 0
      layer.shadowRadius = 1
    case .filter:
      let filter = CAFilter(type: "colorInvert")
      layer.filters = [filter]
    case .rasterized: layer.shouldRasterize = true
    case .space: layer.sublayerTransform.m34 = -1 / 500
    case .turned: layer.transform = CATransform3DMakeRotation(0.001, 0, 1, 0)
    case .spaces: layer.zPosition = 0.01
    }
    return layer
  }

  /// A chain of nested layers. The innermost is a plain one, in red.
  func chain(_ levels: Int) -> (root: CALayer, innermost: CALayer) {
    let root = levels > 1 ? layer(1) : CALayer()
    var last = root
    for level in stride(from: 2, through: levels, by: 1) {
      let next = level == levels ? CALayer() : layer(level)
      next.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
      if self == .masks { last.mask = next } else { last.addSublayer(next) }
      if self == .masks { last.backgroundColor = .red }
      last = next
    }
    last.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    last.backgroundColor = .red
    return (root, last)
  }
}

@Suite("Deep trees") struct DeepTreeTests {
  private static let size = CGSize(width: 8, height: 8)

  private func renderer(_ server: RenderServer) throws -> CARenderer {
    try CARenderer(size: Self.size, server: server.on(.surfaceless))
  }

  private func expectTooDeep(
    _ renderer: CARenderer, levels: Int, named name: String = "CALayer"
  ) {
    do {
      _ = try renderer.image(at: 0)
      Issue.record("\(levels) levels were drawn")
    } catch {
      let cause = (error as? Lamina.RenderServerError)?.cause
      #expect(
        cause == .tooDeep(layer: name, levels: levels, limit: TreeLimit.levels), "\(error)")
    }
  }

  @Test(
    "As many layers as may lie in each other are drawn, whatever they are, in a process or in this",
    arguments: Nesting.allCases, [RenderServer.process, .inProcess])
  func drawsTheLimit(nesting: Nesting, server: RenderServer) throws {
    let renderer = try renderer(server)
    renderer.layer = nesting.chain(TreeLimit.levels).root
    let pixel = try renderer.image(at: 0).pixel(x: 4, y: 4)
    #expect(pixel.alpha > 0, "\(pixel)")
    if nesting == .plain { #expect(pixel.red == 255 && pixel.alpha == 255) }
    // With these bounds the renderer adds a placement around the root, which is one more layer.
    renderer.bounds = CGRect(x: 0, y: 0, width: 4, height: 4)
    #expect(try renderer.image(at: 0).pixel(x: 4, y: 4).alpha > 0)
  }

  @Test(
    "One more is refused with the layer's name, and what was committed before stays",
    arguments: [RenderServer.process, .inProcess])
  func refusesOneMore(server: RenderServer) throws {
    let (renderer, other) = (try renderer(server), try renderer(server))
    let (root, innermost) = Nesting.plain.chain(TreeLimit.levels)
    renderer.layer = root
    other.layer = Nesting.plain.chain(2).root
    #expect(try renderer.image(at: 0).pixel(x: 4, y: 4).red == 255)
    let extra = CALayer()
    extra.name = "extra"
    extra.addSublayer(CALayer())
    withoutActions { innermost.addSublayer(extra) }
    let levels = TreeLimit.levels + 2
    expectTooDeep(renderer, levels: levels, named: "CALayer \"extra\"")
    expectTooDeep(renderer, levels: levels, named: "CALayer \"extra\"")
    #expect(extra.rendered == nil && innermost.rendered?.hierarchyChanged == true)
    #expect(try other.image(at: 0).pixel(x: 4, y: 4).red == 255)
    withoutActions {
      extra.removeFromSuperlayer()
      innermost.backgroundColor = CGColor(red: 0, green: 1, blue: 0, alpha: 1)
    }
    let pixel = try renderer.image(at: 0).pixel(x: 4, y: 4)
    #expect(pixel.green == 255 && pixel.red == 0)
  }

  @Test("A transaction commits a tree as soon as it is no longer too deep")
  func transactionsGoOn() throws {
    let renderer = try renderer(.inProcess)
    let (root, innermost) = Nesting.plain.chain(TreeLimit.levels)
    renderer.layer = root
    _ = try renderer.image(at: 0)
    let extra = CALayer()
    CATransaction.begin()
    innermost.addSublayer(extra)
    CATransaction.commit()
    let refused = renderer.tree.lastSequence
    CATransaction.begin()
    extra.removeFromSuperlayer()
    CATransaction.commit()
    #expect(renderer.tree.lastSequence > refused)
    #expect(!renderer.tree.isRefused)
  }

  @Test("What moves takes its levels along, and what stays is not measured again")
  func moving() throws {
    let renderer = try renderer(.inProcess)
    let root = CALayer()
    let length = TreeLimit.levels - 424
    let (upper, upperEnd) = Nesting.plain.chain(length)
    let (lower, lowerEnd) = Nesting.plain.chain(400)
    root.sublayers = [upper, lower]
    renderer.layer = root
    _ = try renderer.image(at: 0)
    #expect(lowerEnd.rendered?.level == 401)
    upperEnd.addSublayer(lower)
    _ = try renderer.image(at: 0)
    #expect(lowerEnd.rendered?.level == length + 401)
    lowerEnd.addSublayer(Nesting.plain.chain(24).root)
    expectTooDeep(renderer, levels: TreeLimit.levels + 1)
    // The same commit makes room above.
    root.addSublayer(lower)
    _ = try renderer.image(at: 0)
    #expect(lowerEnd.rendered?.level == 401)
    // Upside down, so that each is committed in another place than before.
    lowerEnd.sublayers = nil
    lowerEnd.addSublayer(upper)
    upperEnd.addSublayer(Nesting.plain.chain(23).root)
    _ = try renderer.image(at: 0)
    upperEnd.addSublayer(Nesting.plain.chain(24).root)
    expectTooDeep(renderer, levels: TreeLimit.levels + 1)
    upperEnd.sublayers = nil
    _ = try renderer.image(at: 0)
  }

  @Test("100,000 layers in each other are refused while another renderer draws")
  func veryDeep() throws {
    let (renderer, other) = (try renderer(.process), try renderer(.process))
    let count = 100_000
    other.layer = Nesting.plain.chain(10).root
    var root: CALayer? = Nesting.plain.chain(count).root
    renderer.layer = root
    expectTooDeep(renderer, levels: count)
    #expect(try other.image(at: 0).pixel(x: 4, y: 4).red == 255)
    renderer.layer = Nesting.plain.chain(2).root
    #expect(try renderer.image(at: 0).pixel(x: 4, y: 4).red == 255)
    root = nil
  }

  @Test("1,000 random trees, deep or wide, are drawn or refused by name", arguments: 0..<10)
  func randomTrees(part: Int) throws {
    let renderer = try renderer(part.isMultiple(of: 2) ? .process : .inProcess)
    var drawn = 0
    for seed in 0..<100 {
      var random = SeededGenerator(seed: part * 100 + seed)
      let (root, levels) = randomTree(&random)
      renderer.layer = root
      do {
        _ = try renderer.image(at: Double(seed) / 10)
        #expect(levels <= TreeLimit.levels, "part \(part), seed \(seed)")
        drawn += 1
      } catch {
        let cause = (error as? Lamina.RenderServerError)?.cause
        guard case .tooDeep(_, levels, TreeLimit.levels)? = cause else {
          Issue.record("part \(part), seed \(seed): \(error)")
          continue
        }
      }
    }
    #expect(drawn > 50)
  }

  /// A tree and how many levels it has.
  private func randomTree(_ random: inout SeededGenerator) -> (root: CALayer, levels: Int) {
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    var layers: [(layer: CALayer, level: Int)] = [(root, 1)]
    var deepest = 1
    let isDeep = Int.random(in: 0..<4, using: &random) > 0
    let reachesLimit = Int.random(in: 0..<100, using: &random) == 0
    let limit = TreeLimit.levels
    let count = Int.random(
      in: reachesLimit ? limit * 9 / 10...limit * 11 / 10 : 1...60, using: &random)
    // Trees have few kinds, since long runs of one kind go deepest.
    let kinds = (0..<3).map { _ in
      Nesting.allCases.filter { $0 != .shadow }.randomElement(using: &random)!
    }
    for _ in 0..<count {
      let isBranch =
        !isDeep || Int.random(in: 0..<(reachesLimit ? 8 * count : 40), using: &random) == 0
      let (parent, level) = isBranch ? layers.randomElement(using: &random)! : layers.last!
      let kind = kinds.randomElement(using: &random)!
      let layer = kind.layer(level)
      if Int.random(in: 0..<10, using: &random) == 0 {
        layer.add(CATransition(), forKey: nil)
      }
      if kind == .masks, parent.mask == nil {
        parent.mask = layer
      } else {
        parent.addSublayer(layer)
      }
      layers.append((layer, level + 1))
      deepest = max(deepest, level + 1)
    }
    layers.last!.layer.backgroundColor = .red
    return (root, deepest)
  }
}

@Suite("Chains of layers") struct ChainTests {
  /// More than any thread's stack would hold with a call for each layer.
  private static let count = 30_000

  private final class Counted: CALayer {
    nonisolated(unsafe) static var gone = 0
    let onEnd: () -> Void
    init(_ onEnd: @escaping () -> Void) {
      self.onEnd = onEnd
      super.init()
    }
    required init?(coder: NSCoder) { nil }
    override init(layer: Any) {
      onEnd = {}
      super.init(layer: layer)
    }
    deinit { onEnd() }
  }

  @Test("A chain of any length lets go of its layers, those of program classes too")
  func lettingGo() {
    var ended: [Int] = []
    var root: CALayer? = CALayer()
    var last = root!
    for place in 0..<Self.count {
      let next = place.isMultiple(of: 1000) ? Counted { ended.append(place) } : CALayer()
      if place.isMultiple(of: 3) { last.mask = next } else { last.addSublayer(next) }
      last = next
    }
    last = CALayer()
    root = nil
    #expect(ended == Array(stride(from: 0, to: Self.count, by: 1000)))
  }

  @Test(
    "Layers go in the order in which they lie in each other, and whoever else holds one keeps it")
  func orderOfLettingGo() {
    var ended: [Int] = []
    func layer(_ number: Int) -> CALayer { Counted { ended.append(number) } }
    var root: CALayer? = layer(0)
    let kept = layer(2)
    let inner = layer(1)
    inner.sublayers = [kept, layer(3)]
    root?.sublayers = [inner, layer(5)]
    inner.mask = layer(4)
    root = nil
    #expect(ended == [0, 5] && inner.superlayer == nil && kept.superlayer === inner)
    withExtendedLifetime((kept, inner)) {}
  }

  @Test("Hit testing finds the innermost layer of a chain of any length")
  func hitTesting() {
    let (root, innermost) = Nesting.plain.chain(Self.count)
    #expect(root.hitTest(CGPoint(x: 4, y: 4)) === innermost)
    innermost.isHidden = true
    #expect(root.hitTest(CGPoint(x: 4, y: 4)) === innermost.superlayer)
    #expect(root.hitTest(CGPoint(x: 9, y: 4)) == nil)
  }

  private class Quiet: CALayer {}
  private final class QuietToo: Quiet {
    override func contains(_ p: CGPoint) -> Bool { super.contains(p) }
  }
  private class Shy: CALayer {
    override func hitTest(_ p: CGPoint) -> CALayer? { name == "hidden" ? nil : super.hitTest(p) }
  }
  private final class Heir: Shy {}

  @Test("Classes of the program are asked if they override hitTest, and else take no stack")
  func hitTestingOfProgramClasses() {
    #expect(!Quiet().overridesHitTest && !QuietToo().overridesHitTest)
    #expect(Shy().overridesHitTest && Heir().overridesHitTest && !CALayer().overridesHitTest)
    let root = Quiet()
    root.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
    var last: CALayer = root
    for place in 0..<Self.count {
      let next = place.isMultiple(of: 2) ? Quiet() : QuietToo()
      next.frame = root.frame
      last.addSublayer(next)
      last = next
    }
    let heir = Heir()
    heir.frame = root.frame
    last.addSublayer(heir)
    #expect(root.hitTest(CGPoint(x: 4, y: 4)) === heir)
    heir.name = "hidden"
    #expect(root.hitTest(CGPoint(x: 4, y: 4)) === last)
  }

  @Test("What a layer draws into a context may be in any number of others")
  func renderInContext() throws {
    let (root, _) = Nesting.plain.chain(Self.count)
    let context = try #require(
      CGContext(
        data: nil, width: 8, height: 8, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpace(name: CGColorSpace.sRGB)!,
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    root.render(in: context)
    #expect(try #require(context.makeImage()).pixel(x: 4, y: 4).red == 255)
  }

  @Test("A chain may be built from its top, its bottom and its middle")
  func building() {
    let layers = (0..<Self.count).map { _ in CALayer() }
    for place in layers.indices.dropFirst() { layers[place - 1].addSublayer(layers[place]) }
    for layer in layers { layer.removeFromSuperlayer() }
    for place in layers.indices.dropFirst().reversed() {
      layers[place - 1].addSublayer(layers[place])
    }
    for layer in layers { layer.removeFromSuperlayer() }
    // Chains of three layers, each put below the last.
    for place in layers.indices.dropFirst() where !place.isMultiple(of: 3) {
      layers[place - 1].addSublayer(layers[place])
    }
    for place in layers.indices.dropFirst() where place.isMultiple(of: 3) {
      layers[place - 1].addSublayer(layers[place])
    }
    #expect(
      layers[0].superlayer == nil && layers[Self.count - 1].superlayer === layers[Self.count - 2])
  }

  @Test("Layout reaches every layer of a chain")
  func layout() {
    let (root, innermost) = Nesting.plain.chain(Self.count)
    root.layoutIfNeeded()
    #expect(!innermost.needsLayout() && !root.needsLayout())
    innermost.addSublayer(CALayer())
    #expect(innermost.needsLayout())
    root.layoutIfNeeded()
    #expect(!innermost.needsLayout())
  }
}
