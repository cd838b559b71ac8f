import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("The rules of compositing")
struct ReferenceTests {
  @Test(
    "The render process draws random layers as the plain rules say, away from edges",
    arguments: 0..<10, [RenderPlatform.auto, .software])
  func randomLayers(part: UInt64, platform: RenderPlatform) throws {
    var (judged, wrong, all) = (0, 0, 0)
    var worst: [String] = []
    let size = CGSize(width: RandomLayers.width, height: RandomLayers.height)
    let renderer = try CARenderer(size: size, platform: platform, server: .inProcess)
    for seed in part * 50..<part * 50 + 50 {
      let root = RandomLayers.tree(seed: seed)
      renderer.layer = root
      let image = try renderer.image(at: 0)
      var reference = ReferenceCompositor(width: image.width, height: image.height)
      let expected = reference.picture(of: root)
      var off = 0
      for pixel in 0..<expected.count where !reference.edges.contains(pixel) {
        let (x, y) = (
          pixel % expected.width - expected.margin, pixel / expected.width - expected.margin
        )
        guard x >= 0, y >= 0, x < image.width, y < image.height else { continue }
        let found = image.pixel(x: x, y: y)
        judged += 1
        let difference = zip([found.red, found.green, found.blue, found.alpha], 0..<4)
          .map { abs(Double($0) - expected[pixel][$1] * 255) }.max()!
        if difference > 3.001 { off += 1 }
      }
      all += image.width * image.height
      wrong += off
      if off > 7 { worst.append("\(off) in scene \(seed)") }
    }
    #expect(Double(wrong) <= 0.001 * Double(judged), "\(wrong) of \(judged) pixels; \(worst)")
    // Edges must not exclude most of the picture.
    #expect(judged * 2 > all)
  }
}
