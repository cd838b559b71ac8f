import Foundation
import LaminaInProcess
import LaminaValues
import Testing

@testable import Lamina

/// Counts how often it draws.
private final class Sheet: CALayer {
  var count = 0
  override func draw(in ctx: CGContext) {
    count += 1
    ctx.setFillColor(CGColor(red: 1, green: 0, blue: 0, alpha: 1))
    ctx.fill(bounds)
  }
}

@Suite("Layers too large to draw") struct LargeLayerTests {
  private func sheet(_ width: CGFloat, _ height: CGFloat, scale: CGFloat = 1) -> Sheet {
    let layer = Sheet()
    layer.name = "sheet"
    layer.anchorPoint = .zero
    layer.bounds.size = CGSize(width: width, height: height)
    layer.contentsScale = scale
    return layer
  }

  private func storeSize(_ layer: CALayer) -> PixelSize? {
    (layer.contentsStorage as? BackingStore)?.buffer.size
  }

  @Test(
    "Is a layer too large, it is not drawn, and a warning says so once, with its name and its size",
    arguments: [
      (100_000, 100_000, 1, "100000x100000"), (1, 32_768, 1, "1x32768"),
      (4097, 32_767, 1, "4097x32767"), (6000, 6000, 2, "12000x12000"),
      (1e300, 8, 1, "1e+300x8"), (8, 1e300, 1e300, "8e+300xinf"),
    ] as [(CGFloat, CGFloat, CGFloat, String)])
  func tooLarge(width: CGFloat, height: CGFloat, scale: CGFloat, size: String) throws {
    let layer = sheet(width, height, scale: scale)
    layer.setNeedsDisplay()
    let said = try warnings {
      let renderer = try CARenderer(
        size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
      renderer.layer = layer
      #expect(try renderer.image(at: 0).ink.isNull)
      layer.setNeedsDisplay()
      #expect(try renderer.image(at: 1).ink.isNull)
    }
    #expect(
      said == [
        "lamina: warning: Sheet \"sheet\" is not drawn, for its contents would have \(size) pixels:"
          + " layers draw at most 32767 a side and 134217728 in all"
      ])
    #expect(layer.count == 0)
    #expect(layer.contents == nil)
  }

  @Test("A layer that grows too large keeps what it drew, and draws again when it fits")
  func grows() throws {
    let layer = sheet(8, 8)
    let said = warnings {
      layer.display()
      layer.bounds.size.width = 40_000
      layer.display()
      #expect(storeSize(layer) == PixelSize(width: 8, height: 8))
      #expect(layer.count == 1)
      layer.bounds.size.width = 16
      layer.display()
    }
    #expect(layer.count == 2)
    #expect(storeSize(layer) == PixelSize(width: 16, height: 8))
    #expect(said.count == 1)
  }

  @Test("A layer of the longest side there may be is drawn to its end", arguments: [false, true])
  func longest(isTall: Bool) throws {
    let layer = isTall ? sheet(2, 32_767) : sheet(32_767, 2)
    layer.setNeedsDisplay()
    let renderer = try CARenderer(
      size: CGSize(width: 8, height: 8), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    layer.position = isTall ? CGPoint(x: 0, y: 4 - 32_767) : CGPoint(x: 4 - 32_767, y: 0)
    let ink = CGRect(x: 0, y: 0, width: isTall ? 2 : 4, height: isTall ? 4 : 2)
    #expect(try renderer.image(at: 0).ink == ink)
    #expect(layer.count == 1)
  }
}
