import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("The rules of compositing")
struct ReferenceTests {
  @Test(
    "Random layers are drawn as the plain rules say, away from edges, on both kinds of platform",
    arguments: 0..<10 as Range<UInt64>)
  func randomLayers(part: UInt64) throws {
    let size = CGSize(width: RandomLayers.width, height: RandomLayers.height)
    var outcomes = try [RenderPlatform.auto, .software].map {
      Outcome(try CARenderer(size: size, platform: $0, server: .inProcess))
    }
    for seed in part * 50..<part * 50 + 50 {
      let root = RandomLayers.tree(seed: seed)
      var reference = ReferenceCompositor(
        width: RandomLayers.width, height: RandomLayers.height)
      let expected = reference.picture(of: root)
      for index in outcomes.indices {
        let renderer = outcomes[index].renderer
        renderer.layer = root
        outcomes[index].judge(
          try renderer.image(at: 0), by: expected, without: reference.edges, seed)
        renderer.layer = nil
      }
    }
    for outcome in outcomes {
      let (wrong, judged) = (outcome.wrong, outcome.judged)
      #expect(
        Double(wrong) <= 0.001 * Double(judged),
        "\(outcome.renderer.platform.name): \(wrong) of \(judged) pixels; \(outcome.worst)")
      // Edges must not exclude most of the picture.
      #expect(judged * 2 > outcome.all)
    }
  }

  /// How the frames of one renderer compare with the reference's.
  private struct Outcome {
    let renderer: CARenderer
    var (judged, wrong, all) = (0, 0, 0)
    var worst: [String] = []

    init(_ renderer: CARenderer) { self.renderer = renderer }

    mutating func judge(
      _ image: CGImage, by expected: ReferenceCanvas, without edges: Set<Int>, _ seed: UInt64
    ) {
      var off = 0
      for pixel in 0..<expected.count where !edges.contains(pixel) {
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
  }
}
