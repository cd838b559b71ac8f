import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("Rasterized layers")
struct RasterizationTests {
  /// A card with a round sublayer and an empty margin.
  private func card() -> CALayer {
    let card = CALayer()
    card.bounds = CGRect(x: 0, y: 0, width: 30, height: 20)
    let disc = CALayer()
    disc.frame = CGRect(x: 4, y: 3, width: 14, height: 14)
    disc.cornerRadius = 7
    disc.backgroundColor = CGColor(red: 0.8, green: 0.1, blue: 0.3, alpha: 1)
    card.addSublayer(disc)
    let bar = CALayer()
    bar.frame = CGRect(x: 12, y: 8, width: 14, height: 4)
    bar.backgroundColor = CGColor(red: 0, green: 0.3, blue: 0.7, alpha: 0.6)
    card.addSublayer(bar)
    return card
  }

  private func stage(scale: CGFloat, _ layer: CALayer) throws -> CARenderer {
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 50, height: 40)
    // Opaque, since dividing by a small alpha would magnify what rounding leaves of colours.
    root.backgroundColor = CGColor(red: 1, green: 0.9, blue: 0.6, alpha: 1)
    layer.position = CGPoint(x: 25, y: 20)
    root.addSublayer(layer)
    let renderer = try CARenderer(size: root.bounds.size, scale: scale, server: .inProcess)
    renderer.layer = root
    return renderer
  }

  @Test(
    "The bitmap is the layer's own picture at rasterizationScale, stretched as contents are",
    arguments: [1, 2] as [CGFloat], [0, 0.4] as [CGFloat])
  func bitmap(rasterizationScale: CGFloat, angle: CGFloat) throws {
    let alone = card()
    alone.position = CGPoint(x: 15, y: 10)
    let renderer = try CARenderer(
      size: alone.bounds.size, scale: rasterizationScale, server: .inProcess)
    renderer.layer = alone
    let turn = CATransform3DMakeRotation(angle, 0, 0, 1)
    let image = CALayer()
    image.bounds = alone.bounds
    image.contents = try renderer.image(at: 0)
    image.transform = turn
    let rasterized = card()
    rasterized.shouldRasterize = true
    rasterized.rasterizationScale = rasterizationScale
    rasterized.transform = turn
    try expectEqual(
      try stage(scale: 2, rasterized).image(at: 0), try stage(scale: 2, image).image(at: 0),
      difference: 2, "at \(rasterizationScale), turned by \(angle)")
  }

  @Test("A frame that uses the kept bitmap has the bytes of one that makes it")
  func kept() throws {
    let layer = card()
    layer.shouldRasterize = true
    layer.rasterizationScale = 2
    let renderer = try stage(scale: 2, layer)
    let changes: [(CALayer) -> Void] = [
      { _ in }, { $0.position.x += 3.25 }, { $0.opacity = 0.6 },
      { $0.transform = CATransform3DMakeRotation(0.7, 0, 1, 0.2) },
      { $0.sublayers?[0].backgroundColor = .black }, { $0.compositingFilter = "multiplyBlendMode" },
      { $0.sublayers?[1].removeFromSuperlayer() }, { $0.bounds.origin.x = 2 },
    ]
    var done: [(CALayer) -> Void] = []
    for (index, change) in changes.enumerated() {
      CATransaction.begin()
      CATransaction.setDisableActions(true)
      change(layer)
      CATransaction.commit()
      done.append(change)
      let fresh = card()
      fresh.shouldRasterize = true
      fresh.rasterizationScale = 2
      let other = try stage(scale: 2, fresh)
      for change in done { change(fresh) }
      try expectEqual(
        try renderer.image(at: Double(index)), try other.image(at: Double(index)),
        "after \(index + 1) changes")
    }
  }
}
