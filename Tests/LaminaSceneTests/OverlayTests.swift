import Foundation
import Lamina
import LaminaCAML
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("Debug overlays")
struct OverlayTests {
  private static let folder = Scene.demo.deletingLastPathComponent()

  private func renderer(
    of document: CAMLDocument, _ overlay: CARenderer.DebugOverlay?
  ) throws -> CARenderer {
    let renderer = try CARenderer(
      size: document.size, scale: 2, overlay: overlay, server: .inProcess)
    renderer.layer = document.rootLayer
    document.rootLayer.position = CGPoint(
      x: document.size.width / 2, y: document.size.height / 2)
    return renderer
  }

  @Test("Where nothing changed, nothing flashes")
  func still() throws {
    let document = try CAMLDocument(
      contentsOf: Self.folder.appendingPathComponent("overlays.caml"))
    let renderer = try renderer(of: document, .updates)
    let first = try renderer.image(at: 0.3)
    let second = try renderer.image(at: 0.3)
    let plain = try CAMLDocument(
      contentsOf: Self.folder.appendingPathComponent("overlays.caml"))
    let expected = try self.renderer(of: plain, nil).image(at: 0.3)
    try expectEqual(second, expected, "the second of two equal frames")
    #expect(try ImageDifference(first, expected, tolerance: 0).differingPixelCount == 720 * 440)
  }

  private func pixel(
    _ overlay: CARenderer.DebugOverlay, _ change: (CALayer) -> Void
  ) throws -> (red: UInt8, green: UInt8) {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: 10, height: 10)
    layer.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
    let root = CALayer()
    root.frame = layer.frame
    root.addSublayer(layer)
    change(layer)
    let renderer = try CARenderer(size: root.bounds.size, overlay: overlay, server: .inProcess)
    renderer.layer = root
    let pixel = try renderer.image(at: 0).pixel(x: 5, y: 5)
    return (pixel.red, pixel.green)
  }

  @Test("A layer is opaque where its background is, and nothing above lets others through it")
  func opaque() throws {
    let (red, green) = try pixel(.blended) { _ in }
    #expect(red == 0 && green >= 127, "\(red), \(green)")
    let changes: [(CALayer) -> Void] = [
      { $0.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.9) },
      { $0.opacity = 0.9 }, { $0.superlayer?.opacity = 0.9 }, { $0.cornerRadius = 1 },
      { $0.shouldRasterize = true }, { $0.filters = [CAFilter(type: "colorInvert") as Any] },
      {
        $0.mask = CALayer()
        $0.mask?.frame = $0.bounds
        $0.mask?.backgroundColor = .white
      },
    ]
    for (index, change) in changes.enumerated() {
      let (red, green) = try pixel(.blended, change)
      #expect(red >= 127 && red > green, "change \(index): \(red), \(green)")
    }
  }

  @Test("What takes a target of its own is marked, and else nothing")
  func offscreen() throws {
    for change in [
      { _ in }, { $0.opacity = 0.5 }, { $0.cornerRadius = 3 }, { $0.shadowOpacity = 1 },
      { $0.masksToBounds = true },
    ] as [(CALayer) -> Void] {
      #expect(try pixel(.offscreen, change) == (0, 0))
    }
    for change in [
      { $0.filters = [CAFilter(type: "colorInvert") as Any] },
      {
        $0.cornerRadius = 3
        $0.masksToBounds = true
        $0.addSublayer(CALayer())
      },
      { $0.shouldRasterize = true },
    ] as [(CALayer) -> Void] {
      #expect(try pixel(.offscreen, change).green >= 127)
    }
  }
}
