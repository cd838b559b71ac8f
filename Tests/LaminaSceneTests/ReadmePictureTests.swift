import Foundation
import Lamina
import LaminaCAML
import LaminaSnapshotTesting
import Testing

/// The articles Gallery and Measuring show the references of these tests.
@Suite("The pictures in the articles", .snapshots())
struct ReadmePictureTests {
  private static let folder = Scene.demo.deletingLastPathComponent()

  private static func document(_ name: String) throws -> CAMLDocument {
    try CAMLDocument(contentsOf: folder.appendingPathComponent(name)) { diagnostic in
      Issue.record("\(diagnostic)")
    }
  }

  @Test(
    "A picture a class is what Lamina draws, but for how fonts are drawn",
    arguments: [
      "layer", "shape", "gradient", "text", "transform", "backdrop", "replicator", "emitter",
    ])
  func gallery(_ name: String) {
    let time: Double = ["replicator", "emitter"].contains(name) ? 6 : 0
    // Fonts and FreeType differ between systems.
    let hasText = ["text", "backdrop"].contains(name)
    let way = Snapshotting<CAMLDocument, CGImage>.image(
      scale: 2, precision: hasText ? 0.99 : 1, perceptualPrecision: hasText ? 0.9 : 1)
    assertSnapshot(
      of: try Self.document("Gallery/\(name).caml"), as: way, named: name, at: [time],
      testName: "gallery")
  }

  @Test(
    "The second frame of the overlays' document is marked as in the pictures",
    arguments: CARenderer.DebugOverlay.allCases)
  func overlay(_ overlay: CARenderer.DebugOverlay) throws {
    let document = try Self.document("overlays.caml")
    let renderer = try CARenderer(
      size: document.size, scale: 2, overlay: overlay, platform: .software)
    renderer.layer = document.rootLayer
    document.rootLayer.position = CGPoint(
      x: document.size.width / 2, y: document.size.height / 2)
    _ = try renderer.image(at: 0)
    assertSnapshot(
      of: try renderer.image(at: 0.2), as: .image, named: overlay.rawValue, testName: "overlay")
  }
}
