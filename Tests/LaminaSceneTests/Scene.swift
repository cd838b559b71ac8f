import Foundation
import Lamina
import LaminaCAML
import LaminaInProcess
import Testing

@testable import LaminaGraphics

/// The documents beside these tests.
enum Scene {
  private static let tests = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
  static let demo = tests.appendingPathComponent("Demo/demo.ca")

  /// The names of the pairs in Tests/Scenes: NAME.a.caml must look as NAME.b.caml does.
  static let pairs: [String] = {
    let folder = tests.appendingPathComponent("Scenes")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".a.caml") }.map { String($0.dropLast(7)) }.sorted()
  }()

  static func file(_ pair: String, _ side: String) -> URL {
    tests.appendingPathComponent("Scenes/\(pair).\(side).caml")
  }

  /// The tolerance in the pair's file: the largest difference of a channel, and the number of
  /// pixels that may differ by more.
  static func tolerance(of pair: String) throws -> (difference: Int, pixels: Int) {
    let text = try String(contentsOf: file(pair, "a"), encoding: .utf8)
    let match = try #require(text.firstMatch(of: /tolerance (\d+), pixels (\d+)/))
    return (try #require(Int(match.1)), try #require(Int(match.2)))
  }

  /// The tolerance between platforms in a document, if it has one: as above.
  static func platformTolerance(of document: URL) throws -> (difference: Int, pixels: Int) {
    let text = try String(contentsOf: document, encoding: .utf8)
    guard let match = text.firstMatch(of: /platforms (\d+), pixels (\d+)/) else { return (2, 0) }
    return (try #require(Int(match.1)), try #require(Int(match.2)))
  }

  /// Renders a document at some times with one renderer, in that order.
  static func images(
    of document: URL, at times: [Double], scale: CGFloat = 1, server: RenderServer,
    platform: RenderPlatform = .auto
  ) throws -> [CGImage] {
    let document = try CAMLDocument(contentsOf: document) { diagnostic in
      Issue.record("\(diagnostic)")
    }
    let renderer = try CARenderer(
      size: document.size, scale: scale, platform: platform, server: server)
    let layer = document.rootLayer
    layer.position = CGPoint(x: document.size.width / 2, y: document.size.height / 2)
    renderer.layer = layer
    return try times.map { try renderer.image(at: $0) }
  }

  static func image(
    of document: URL, at time: Double = 0.5, scale: CGFloat = 1, server: RenderServer = .inProcess,
    platform: RenderPlatform = .auto
  ) throws -> CGImage {
    try images(of: document, at: [0, time], scale: scale, server: server, platform: platform)[1]
  }
}

/// Expects two images to be equal but for a tolerance, and reports how many pixels differ.
func expectEqual(
  _ a: CGImage, _ b: CGImage, difference: Int = 0, pixels: Int = 0, _ what: String,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let found = try ImageDifference(a, b, tolerance: difference)
  #expect(
    found.differingPixelCount <= pixels,
    "\(what): \(found.differingPixelCount) pixels differ by more than \(difference), most \(found.maximum)",
    sourceLocation: sourceLocation)
}
