import Foundation
import Lamina
import LaminaCAML
import LaminaInProcess
import LaminaValues
import LayerSupport
import Testing

@testable import LaminaGraphics

/// Pictures of what is on screen, made in the client by `presentation()!.render(in:)`, beside those
/// of the render process.
@Suite("Pictures of presentation copies") struct PresentationPictureTests {
  /// Expects the picture of a renderer and that of a copy of its layer to agree to 3 of 255 but for
  /// a number of pixels.
  private static func expectSame(
    _ image: CGImage, as layer: CALayer, pixels: Int = 0, _ what: String
  ) throws {
    let copy = try #require(layer.presentation())
    let picture = try CGImage.picture(of: copy, image.width, image.height)
    try expectEqual(image, picture, difference: 3, pixels: pixels, what)
  }

  private static func difference(_ a: CGImage, _ b: CGImage, x: Int, y: Int) -> Int {
    let (p, q) = (a.pixel(x: x, y: y), b.pixel(x: x, y: y))
    return [(p.red, q.red), (p.green, q.green), (p.blue, q.blue), (p.alpha, q.alpha)]
      .map { abs(Int($0.0) - Int($0.1)) }.max()!
  }

  @Test(
    "Half-way through animations, random layers look the same in a context, to 3 of 255",
    arguments: 0..<4)
  func randomLayers(part: UInt64) throws {
    var (judged, nextToEdges, all) = (0, 0, 0)
    var wrong: [String] = []
    let (width, height) = (RandomLayers.width, RandomLayers.height)
    let renderer = try CARenderer(
      size: CGSize(width: width, height: height), server: .inProcess)
    for seed in part * 25..<part * 25 + 25 {
      let root = RandomLayers.treeForContexts(seed: seed)
      renderer.layer = root
      let start = Double(seed)
      _ = try renderer.image(at: start)
      let image = try renderer.image(at: start + 0.5)
      let shown = try #require(root.presentation())
      let picture = try CGImage.picture(of: shown, width, height)
      var reference = ReferenceCompositor(width: width, height: height)
      let canvas = reference.picture(of: shown)
      for y in 0..<height {
        for x in 0..<width {
          let place = (y + canvas.margin) * canvas.width + x + canvas.margin
          guard !reference.edges.contains(place) else { continue }
          judged += 1
          let difference = Self.difference(image, picture, x: x, y: y)
          guard difference > 3 else { continue }
          // Where exactly coverage ends depends on who computes it.
          let isNextToEdge = [-canvas.width, 0, canvas.width].contains { row in
            (-1...1).contains { reference.edges.contains(place + row + $0) }
          }
          if isNextToEdge {
            nextToEdges += 1
          } else {
            wrong.append("\(difference) at \(x), \(y) in scene \(seed)")
          }
        }
      }
      all += width * height
    }
    #expect(wrong.isEmpty)
    #expect(nextToEdges * 10_000 <= judged)
    // Edges must not exclude most of the picture.
    #expect(judged * 2 > all)
  }

  /// Documents without depth, blurs, colours of copies and soft edges that both would draw alike.
  private static let plainPairs = Scene.pairs.filter { pair in
    let kinds = [
      "animated-", "blend-", "bounds-origin", "border-above", "contents-", "emitter-", "group-",
      "gravity-", "mask-", "multiply-", "nested-group", "no-group", "replicator-bounds",
      "replicator-delay", "replicator-mask", "replicator-transform", "shape-", "stroke-", "text-",
      "twice-flipped", "z-position",
    ]
    let others = [
      "contents-trilinear", "contents-trilinear-bias", "emitter-depth", "emitter-trilinear",
      "emitter-z-position", "mask-and-clip", "text-shadow",
    ]
    return kinds.contains { pair.hasPrefix($0) } && !others.contains(pair)
  }

  @Test(
    "Text, particles, copies, contents and all else of a document are in its picture",
    arguments: plainPairs)
  func documents(pair: String) throws {
    let document = try CAMLDocument(contentsOf: Scene.file(pair, "a")) { _ in }
    let renderer = try CARenderer(size: document.size, server: .inProcess)
    let layer = document.rootLayer
    layer.position = CGPoint(x: document.size.width / 2, y: document.size.height / 2)
    renderer.layer = layer
    _ = try renderer.image(at: 0)
    try Self.expectSame(try renderer.image(at: 0.5), as: layer, pixels: 2, pair)
  }

  @Test("A picture is of what is on screen: not of layers, masks and drawings not yet committed")
  func uncommitted() throws {
    let (root, layer) = (CALayer(), CALayer())
    (root.frame, layer.frame) = (Self.frame(0, 0, 8, 8), Self.frame(0, 0, 4, 8))
    root.addSublayer(layer)
    layer.backgroundColor = .black
    let renderer = try CARenderer(size: root.bounds.size, server: .inProcess)
    renderer.layer = root
    let image = try renderer.image(at: 0)
    try withoutActions {
      let (new, mask) = (CALayer(), CALayer())
      (new.frame, mask.frame) = (root.frame, Self.frame(0, 0, 1, 1))
      new.backgroundColor = .black
      root.addSublayer(new)
      layer.mask = mask
      layer.frame.origin.x = 2
      layer.setNeedsDisplay()
      try Self.expectSame(image, as: root, "before the commit")
      #expect(layer.needsDisplay())
    }
    let later = try renderer.image(at: 0)
    try Self.expectSame(later, as: root, "after it")
    #expect(try ImageDifference(image, later, tolerance: 0).differingPixelCount > 0)
  }

  private static func frame(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> CGRect {
    CGRect(x: x, y: y, width: width, height: height)
  }
}

extension CGImage {
  /// A layer's own space in `width` x `height` pixels, y down, by `render(in:)`.
  static func picture(of layer: CALayer, _ width: Int, _ height: Int) throws -> CGImage {
    let buffer = try PixelBuffer(width: width, height: height, format: .bgra8, use: .store)
    buffer.clear()
    layer.render(in: try #require(CGContext(buffer: buffer)))
    return CGImage(buffer)
  }
}
