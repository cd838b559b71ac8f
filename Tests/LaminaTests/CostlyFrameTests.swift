import Foundation
import Lamina
import LayerSupport
import TestSupport
import Testing

/// Frames of few layers that would take minutes or for ever.
@Suite("A frame that would take too long") struct CostlyFrameTests {
  private static let area = CGRect(x: 0, y: 0, width: 64, height: 64)

  enum Tree: CaseIterable, CustomTestStringConvertible {
    case crossings, dashes, noise, overdraw, backdrops

    var testDescription: String { "\(self)" }

    /// What the error says of it.
    var words: String {
      switch self {
      case .crossings: "layers in pieces that others cut, at most 131072 are allowed"
      case .dashes, .noise: "rows of edges in paths, at most 16777216 are allowed"
      case .overdraw: "pixels of items in a frame, at most 4294967296 are allowed"
      case .backdrops: "size of a group, in pixels is out of range"
      }
    }

    func make() -> CALayer {
      switch self {
      case .crossings: CostlyFrameTests.crossings(levels: 40)
      case .dashes: CostlyFrameTests.dashes(0.0005)
      case .noise: CostlyFrameTests.noise(samples: 200_000)
      case .overdraw: CostlyFrameTests.overdraw(copies: 30_000)
      case .backdrops: CostlyFrameTests.backdrops(40)
      }
    }
  }

  private static func layer() -> CALayer {
    let layer = CALayer()
    layer.frame = area
    return layer
  }

  /// Two layers that cross, in one of them two others, and so on. Each level has twice as many
  /// pieces as the one before.
  private static func crossings(levels: Int) -> CALayer {
    let root = layer()
    var inner = root
    for _ in 0..<levels {
      let (level, tilted) = (layer(), layer())
      tilted.transform = CATransform3DMakeRotation(0.5, 0, 1, 0)
      tilted.backgroundColor = .white
      inner.sublayers = [level, tilted]
      inner = level
    }
    inner.backgroundColor = .white
    return root
  }

  private static func dashes(_ length: Double) -> CALayer {
    let shape = CAShapeLayer()
    shape.frame = area
    let path = CGMutablePath()
    path.move(to: CGPoint(x: 2, y: 2))
    path.addCurve(
      to: CGPoint(x: 60, y: 60), control1: CGPoint(x: 60, y: 2), control2: CGPoint(x: 2, y: 60))
    shape.path = path
    (shape.strokeColor, shape.fillColor, shape.lineWidth) = (.white, nil, 5000)
    shape.lineDashPattern = [length, length] as [NSNumber]
    return shape
  }

  /// A recording's samples.
  private static func noise(samples: Int) -> CALayer {
    let shape = CAShapeLayer()
    shape.frame = area
    var random = SeededGenerator(seed: 1)
    let path = CGMutablePath()
    path.move(to: .zero)
    for number in 0..<samples {
      path.addLine(
        to: CGPoint(
          x: Double(number) / Double(samples) * 64, y: Double.random(in: 0...64, using: &random)))
    }
    shape.path = path
    (shape.strokeColor, shape.fillColor) = (.white, nil)
    return shape
  }

  /// A blur of copies over each other that are larger than what shows.
  private static func overdraw(copies: Int) -> CALayer {
    let (root, copier, copied) = (layer(), CAReplicatorLayer(), layer())
    copier.frame = area
    (copier.instanceCount, copier.instanceAlphaOffset) = (copies, -0.00001)
    copied.frame = area.insetBy(dx: -1000, dy: -1000)
    copied.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.5)
    copier.addSublayer(copied)
    let blur = CAFilter(type: "gaussianBlur")
    blur.setValue(100, forKey: "inputRadius")
    root.filters = [blur]
    root.addSublayer(copier)
    return root
  }

  /// A group of backdrops, each of which blurs what those before it have blurred, as far around as
  /// its blur reaches.
  private static func backdrops(_ count: Int) -> CALayer {
    let (root, group) = (layer(), layer())
    group.opacity = 0.5
    root.addSublayer(group)
    group.sublayers = (0..<count).map { _ in
      let wide = layer()
      wide.frame = area.insetBy(dx: -50_000, dy: 0)
      wide.backgroundColor = CGColor(gray: 1, alpha: 0.1)
      return wide
    }
    for wide in group.sublayers ?? [] {
      let backdrop = CABackdropLayer()
      backdrop.frame = area
      let blur = CAFilter(type: "gaussianBlur")
      blur.setValue(400, forKey: "inputRadius")
      backdrop.backgroundFilters = [blur]
      group.insertSublayer(backdrop, above: wide)
    }
    return root
  }

  private func renderer(
    _ root: CALayer, on platform: RenderPlatform, memoryBudget: Int? = nil
  ) throws -> CARenderer {
    var server = RenderServer.process.on(platform)
    server.options.memoryBudget = memoryBudget
    // Debug builds and sanitizers take seconds to find that a frame costs too much.
    server.options.responseTimeout = 300
    let renderer = try CARenderer(size: Self.area.size, clock: .manual(), server: server)
    renderer.layer = root
    return renderer
  }

  @Test(
    "ends its session by the name of what is too much, and the process goes on with others",
    arguments: Tree.allCases, [RenderPlatform.software, .surfaceless])
  func refused(tree: Tree, platform: RenderPlatform) throws {
    let red = Self.layer()
    red.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    let other = try renderer(red, on: platform)
    let before = try other.image(at: 0).unpremultipliedRGBA
    let costly = try renderer(tree.make(), on: platform)
    #expect(costly.serverProcessID == other.serverProcessID)
    let error = #expect(throws: RenderServerError.self) { try costly.image(at: 0) }
    #expect(error?.description.contains(tree.words) == true, "\(String(describing: error))")
    let process = other.serverProcessID
    #expect(try other.image(at: 1).unpremultipliedRGBA == before)
    #expect(other.serverProcessID == process)
  }

  @Test("has fewer pieces of layers where the budget of memory is small")
  func fewerPieces() throws {
    let budgeted = try renderer(
      Self.crossings(levels: 14), on: .software, memoryBudget: 16 << 20)
    let error = #expect(throws: RenderServerError.self) { try budgeted.image(at: 0) }
    let words = "layers in pieces that others cut, at most 8192 are allowed"
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
  }

  @Test("is beyond ten crossings in each other, fine dashes and a recording of 20,000 samples")
  func allowed() throws {
    for tree in [
      Self.crossings(levels: 10), Self.dashes(0.5), Self.noise(samples: 20_000),
    ] {
      let image = try renderer(tree, on: .software).image(at: 0)
      #expect(image.pixel(x: 32, y: 32).alpha > 64)
    }
  }
}
