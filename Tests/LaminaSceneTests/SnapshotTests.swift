import Foundation
import Lamina
import LaminaCAML
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import LaminaGraphics

/// Pictures of what is on screen, made in the client by `presentation()!.render(in:)`, beside those
/// of the render process.
@Suite("Snapshots of presentation copies") struct SnapshotTests {
  /// The layer's own space in `width` x `height` pixels, y down.
  private static func snapshot(_ layer: CALayer, _ width: Int, _ height: Int) throws -> CGImage {
    let buffer = try PixelBuffer(width: width, height: height, format: .bgra8, use: .store)
    buffer.clear()
    layer.render(in: try #require(CGContext(buffer: buffer)))
    return CGImage(buffer)
  }

  private static func difference(_ a: CGImage, _ b: CGImage, x: Int, y: Int) -> Int {
    let (p, q) = (a.pixel(x: x, y: y), b.pixel(x: x, y: y))
    return [(p.red, q.red), (p.green, q.green), (p.blue, q.blue), (p.alpha, q.alpha)]
      .map { abs(Int($0.0) - Int($0.1)) }.max()!
  }

  @Test(
    "Half-way through animations, random layers look the same in a context, to 3 of 255",
    arguments: 0..<10)
  func randomLayers(part: UInt64) throws {
    var (judged, all) = (0, 0)
    var wrong: [String] = []
    let (width, height) = (RandomLayers.width, RandomLayers.height)
    let renderer = try CARenderer(
      size: CGSize(width: width, height: height), server: .inProcess)
    for seed in part * 10..<part * 10 + 10 {
      let root = RandomLayers.treeForContexts(seed: seed)
      renderer.layer = root
      let start = Double(seed)
      _ = try renderer.image(at: start)
      let image = try renderer.image(at: start + 0.5)
      let shown = try #require(root.presentation())
      let snapshot = try Self.snapshot(shown, width, height)
      var reference = ReferenceCompositor(width: width, height: height)
      let canvas = reference.picture(of: shown)
      var (off, most) = (0, 0)
      for y in 0..<height {
        for x in 0..<width {
          let place = (y + canvas.margin) * canvas.width + x + canvas.margin
          guard !reference.edges.contains(place) else { continue }
          judged += 1
          let difference = Self.difference(image, snapshot, x: x, y: y)
          if difference > 3 { off += 1 }
          most = max(most, difference)
        }
      }
      all += width * height
      if off > 0 { wrong.append("\(off) pixels in scene \(seed), by up to \(most)") }
    }
    #expect(wrong.isEmpty, "\(wrong)")
    // Edges must not exclude most of the picture.
    #expect(judged * 2 > all)
  }
}

extension SnapshotTests {
  @Test("SURVEY", arguments: Scene.pairs)
  func survey(pair: String) throws {
    let document = try CAMLDocument(contentsOf: Scene.file(pair, "a")) { _ in }
    let renderer = try CARenderer(size: document.size, server: .inProcess)
    let layer = document.rootLayer
    layer.position = CGPoint(x: document.size.width / 2, y: document.size.height / 2)
    renderer.layer = layer
    _ = try renderer.image(at: 0)
    let image = try renderer.image(at: 0.5)
    let snapshot = try Self.snapshot(
      try #require(layer.presentation()), image.width, image.height)
    let found = try ImageDifference(image, snapshot, tolerance: 3)
    print("SURVEY \(pair) \(found.differingPixelCount) \(found.maximum)")
  }
}
