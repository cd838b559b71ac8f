import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("Shadows")
struct ShadowTests {
  @Test("Without blur a shadow is the shape again, moved up and right in a bitmap with y up")
  func offset() throws {
    let image = try drawing(4, 4) { context in
      context.setShadow(offset: CGSize(width: 2, height: 1), blur: 0, color: .blue)
      context.fill(.red, 0, 1, 2, 1)
    }
    #expect(picture(of: image) == ["....", "..BB", "RR..", "...."])
  }

  @Test("The offset and the blur do not follow the matrix")
  func untransformed() throws {
    let image = try drawing(4, 4) { context in
      context.scaleBy(x: 2, y: 2)
      context.rotate(by: .pi)
      context.translateBy(x: -2, y: -2)
      context.setShadow(offset: CGSize(width: 2, height: -2), blur: 0, color: .blue)
      context.fill(.red, 1, 0, 1, 1)
    }
    #expect(picture(of: image) == ["RR..", "RR..", "..BB", "..BB"])
  }

  @Test("In a layer's context the offset is in its points, y down")
  func inLayers() throws {
    let buffer = try PixelBuffer(width: 6, height: 4, format: .bgra8, use: .store)
    buffer.clear()
    let context = try #require(
      CGContext(buffer: buffer, transform: CGAffineTransform(scaleX: 2, y: 2)))
    context.setShadow(offset: CGSize(width: 1, height: 1), blur: 0, color: .blue)
    context.fill(.red, 0, 0, 1, 1)
    #expect(picture(of: CGImage(buffer)) == ["RR....", "RR....", "..BB..", "..BB.."])
  }

  @Test("Blur is a Gaussian of half its value", arguments: [CGFloat(8), 30, 80])
  func gaussian(_ blur: CGFloat) throws {
    let image = try drawing(64, 64) { context in
      context.setShadow(offset: CGSize(width: 0, height: 100), blur: blur, color: .black)
      context.fill(.red, -300, -400, 332, 800)
    }
    func edge(_ x: Double) -> Double { erfc(x / (blur / 2 * 2.0.squareRoot())) / 2 * 255 }
    for x in 32..<64 {
      let alpha = Double(pixel(of: image, x, 32).alpha)
      // Three boxes approximate a wide Gaussian.
      #expect(abs(alpha - edge(Double(x) + 0.5 - 32)) < (blur > 32 ? 4 : 2), "\(x): \(alpha)")
    }
    #expect(pixel(of: image, 20, 32) == .red)
  }

  @Test("What lies outside the clip casts its shadow into it, however far it is moved")
  func castFromOutside() throws {
    let image = try drawing(4, 2) { context in
      context.clip(to: CGRect(x: 1, y: 0, width: 2, height: 2))
      context.setShadow(offset: CGSize(width: 100_000, height: 0), blur: 0, color: .blue)
      context.fill(.red, -100_000, 0, 4, 1)
    }
    #expect(picture(of: image) == ["....", ".BB."])
  }

  @Test("A shadow has the drawing's alpha; nil and a transparent colour end it")
  func alpha() throws {
    let image = try drawing(3, 2) { context in
      context.setShadow(offset: CGSize(width: 0, height: 1), blur: 0)
      context.fill(CGColor(red: 1, green: 0, blue: 0, alpha: 0.5), 0, 0, 1, 1)
      context.setShadow(offset: CGSize(width: 0, height: 1), blur: 0, color: nil)
      context.fill(.red, 1, 0, 1, 1)
      context.setShadow(offset: CGSize(width: 0, height: 1), blur: 0, color: .clear)
      context.fill(.red, 2, 0, 1, 1)
    }
    #expect(pixel(of: image, 0, 0).isNear(Pixel(0, 0, 0, 43)))
    #expect(picture(of: image) == ["?..", "?RR"])
  }

  @Test("A layer casts one shadow; lines and images cast theirs")
  func ofLayersLinesAndImages() throws {
    let red = try drawing(1, 1) { $0.fill(.red, 0, 0, 1, 1) }
    let image = try drawing(4, 3) { context in
      context.setShadow(
        offset: CGSize(width: 0, height: 1), blur: 0, color: CGColor(gray: 0, alpha: 0.5))
      context.beginTransparencyLayer(auxiliaryInfo: nil)
      context.fill(.red, 0, 0, 2, 1)
      context.fill(.red, 1, 0, 1, 1)
      context.endTransparencyLayer()
      context.setStrokeColor(.red)
      context.strokeLineSegments(between: [CGPoint(x: 2, y: 0.5), CGPoint(x: 3, y: 0.5)])
      context.draw(red, in: CGRect(x: 3, y: 0, width: 1, height: 1))
    }
    #expect(picture(of: image) == ["....", "????", "RRRR"])
    for x in 0..<4 { #expect(pixel(of: image, x, 1).isNear(Pixel(0, 0, 0, 128))) }
  }
}
