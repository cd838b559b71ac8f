import Foundation
import Lamina
import LaminaInProcess
import Testing

@testable import LaminaGraphics

@Suite("Contents made small")
struct MipmapTests {
  /// Black and white squares.
  private func chequers(_ side: Int, cell: Int) throws -> CGImage {
    var pixels: [UInt8] = []
    for y in 0..<side {
      for x in 0..<side {
        let value: UInt8 = (x / cell + y / cell).isMultiple(of: 2) ? 0 : 255
        pixels += [value, value, value, 255]
      }
    }
    return try CGImage(width: side, height: side, unpremultipliedRGBA: pixels)
  }

  private func layer(
    _ image: CGImage, _ width: Int, _ height: Int, _ filter: CALayerContentsFilter,
    bias: Float = 0
  ) -> CALayer {
    let layer = CALayer()
    layer.frame = CGRect(x: 0, y: 0, width: width, height: height)
    layer.contents = image
    (layer.minificationFilter, layer.minificationFilterBias) = (filter, bias)
    return layer
  }

  /// All values of red in the drawn layer.
  private func reds(_ layer: CALayer) throws -> Set<Int> {
    let renderer = try CARenderer(size: layer.bounds.size, server: .inProcess)
    renderer.layer = layer
    let image = try renderer.image(at: 0)
    var reds: Set<Int> = []
    for y in 0..<image.height {
      for x in 0..<image.width { reds.insert(Int(image.pixel(x: x, y: y).red)) }
    }
    return reds
  }

  @Test("A trilinear filter averages what nearest and linear ones leave out")
  func average() throws {
    // At a ninth of the size, the middles of the screen's pixels lie in the middles of the image's.
    let image = try chequers(72, cell: 1)
    #expect(try reds(layer(image, 8, 8, .nearest)) == [0, 255])
    #expect(try reds(layer(image, 8, 8, .linear)).isSubset(of: [0, 1, 254, 255]))
    for size in [(8, 8), (24, 24), (72, 8), (8, 40)] {
      let found = try reds(layer(image, size.0, size.1, .trilinear))
      #expect(found.allSatisfy { abs($0 - 128) <= 2 }, "\(size): \(found.sorted())")
    }
  }

  @Test("A bias reads larger or smaller copies, and none makes an enlarged image any but linear")
  func bias() throws {
    let (fine, coarse) = (try chequers(72, cell: 1), try chequers(64, cell: 4))
    // At a third of the size and a bias of two levels down, the image itself is used.
    let sharp = try reds(layer(fine, 24, 24, .trilinear, bias: -2))
    #expect(sharp.allSatisfy { $0 <= 2 || $0 >= 253 })
    #expect(try reds(layer(coarse, 32, 32, .trilinear)).contains { $0 < 16 })
    let blurred = try reds(layer(coarse, 32, 32, .trilinear, bias: 3))
    #expect(blurred.allSatisfy { abs($0 - 128) <= 2 })
    #expect(
      try reds(layer(coarse, 192, 192, .trilinear)) == reds(layer(coarse, 192, 192, .linear)))
  }

  @Test("Copies are made again when a layer draws a part of its contents anew")
  func redrawn() throws {
    final class Painted: CALayer {
      var color = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
      override func draw(in context: CGContext) {
        context.setFillColor(color)
        context.fill(bounds)
      }
    }
    func painted() -> (CALayer, Painted) {
      let (root, layer) = (CALayer(), Painted())
      root.frame = CGRect(x: 0, y: 0, width: 16, height: 16)
      layer.frame = CGRect(x: 0, y: 0, width: 128, height: 128)
      layer.anchorPoint = .zero
      layer.position = .zero
      layer.transform = CATransform3DMakeScale(0.125, 0.125, 1)
      layer.minificationFilter = .trilinear
      root.addSublayer(layer)
      layer.setNeedsDisplay()
      return (root, layer)
    }
    let (root, layer) = painted()
    let renderer = try CARenderer(size: root.bounds.size, server: .inProcess)
    renderer.layer = root
    let before = try renderer.image(at: 0)
    #expect(before.pixel(x: 12, y: 8).red == 255)
    layer.color = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
    layer.setNeedsDisplay(CGRect(x: 64, y: 0, width: 64, height: 128))
    let after = try renderer.image(at: 1)
    let (left, right) = (after.pixel(x: 3, y: 8), after.pixel(x: 12, y: 8))
    #expect(left.red == 255 && left.blue == 0)
    #expect(right.red == 0 && right.blue == 255)
    layer.setNeedsDisplay()
    let all = try renderer.image(at: 2)
    let (fresh, other) = painted()
    other.color = layer.color
    let alone = try CARenderer(size: root.bounds.size, server: .inProcess)
    alone.layer = fresh
    try expectEqual(all, try alone.image(at: 2), "after any history")
  }
}
