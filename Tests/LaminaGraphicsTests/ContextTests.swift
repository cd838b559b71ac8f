import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("A context draws paths within its state")
struct ContextTests {
  @Test("A bitmap context's y points up from the lower left corner")
  func yUp() throws {
    let image = try drawing(3, 3) { $0.fill(.red, 0, 0, 2, 1) }
    #expect(picture(of: image) == ["...", "...", "RR."])
  }

  @Test("A layer's context draws on its store, scaled, y down, and within its clip")
  func layerStore() throws {
    let buffer = try PixelBuffer(width: 6, height: 4, format: .bgra8, use: .store)
    buffer.clear()
    let context = try #require(
      CGContext(
        buffer: buffer, transform: CGAffineTransform(scaleX: 2, y: 2),
        clip: PixelRect(minX: 0, minY: 0, maxX: 5, maxY: 4)))
    context.fill(.red, 1, 0, 10, 1)
    #expect(picture(of: CGImage(buffer)) == ["..RRR.", "..RRR.", "......", "......"])
    #expect(context.ctm == CGAffineTransform(a: 2, b: 0, c: 0, d: -2, tx: 0, ty: 4))
    context.resetClip()
    context.fill(.blue, 0, 1, 10, 1)
    #expect(picture(of: CGImage(buffer))[2] == "BBBBB.")
    #expect(context.boundingBoxOfClipPath == CGRect(x: 0, y: 0, width: 2.5, height: 2))
  }

  @Test("Where subpaths overlap, the winding rule fills and the even-odd rule does not")
  func fillRules() throws {
    func nested(_ rule: CGPathFillRule) throws -> [String] {
      let image = try drawing(4, 4) { context in
        context.addRects([
          CGRect(x: 0, y: 0, width: 4, height: 4), CGRect(x: 1, y: 1, width: 2, height: 2),
        ])
        context.fillPath(using: rule)
      }
      return picture(of: image)
    }
    #expect(try nested(.winding) == ["KKKK", "KKKK", "KKKK", "KKKK"])
    #expect(try nested(.evenOdd) == ["KKKK", "K..K", "K..K", "KKKK"])
  }

  @Test("Clips intersect, rectangles given together unite, and restoring brings the clip back")
  func clips() throws {
    let image = try drawing(4, 4) { context in
      context.saveGState()
      context.clip(to: CGRect(x: 0, y: 0, width: 3, height: 3))
      context.clip(to: CGRect(x: 1, y: 1, width: 3, height: 3))
      #expect(context.boundingBoxOfClipPath == CGRect(x: 1, y: 1, width: 2, height: 2))
      context.fill(.red, 0, 0, 4, 4)
      context.restoreGState()
      context.clip(to: [
        CGRect(x: 0, y: 0, width: 1, height: 1), CGRect(x: 3, y: 0, width: 1, height: 1),
      ])
      context.fill(.blue, 0, 0, 4, 4)
    }
    #expect(picture(of: image) == ["....", ".RR.", ".RR.", "B..B"])
  }

  @Test("Restoring brings back colours, line and matrix, but not the path")
  func states() throws {
    let image = try drawing(4, 2) { context in
      context.setFillColor(.red)
      context.setLineWidth(3)
      context.saveGState()
      context.setFillColor(.blue)
      context.translateBy(x: 2, y: 0)
      context.addRect(CGRect(x: 0, y: 0, width: 1, height: 2))
      context.restoreGState()
      #expect(context.ctm == .identity)
      #expect(context.boundingBoxOfPath == CGRect(x: 2, y: 0, width: 1, height: 2))
      context.fillPath()
      #expect(context.isPathEmpty)
      context.restoreGState()  // One too many.
      context.fill([CGRect(x: 0, y: 0, width: 1, height: 1)])
    }
    #expect(picture(of: image) == ["..R.", "R.R."])
  }

  @Test("A path keeps its place when the matrix changes, and reads back in the new user space")
  func pathAndMatrix() throws {
    _ = try drawing(4, 4) { context in
      context.move(to: CGPoint(x: 1, y: 1))
      context.scaleBy(x: 0.5, y: 0.5)
      #expect(context.currentPointOfPath == CGPoint(x: 2, y: 2))
      context.addLine(to: CGPoint(x: 6, y: 2))
      #expect(context.path?.boundingBox == CGRect(x: 2, y: 2, width: 4, height: 0))
      #expect(context.convertToDeviceSpace(CGPoint(x: 6, y: 2)) == CGPoint(x: 3, y: 1))
      #expect(context.convertToUserSpace(CGSize(width: 1, height: 1)).width == 2)
    }
  }

  @Test("Lines are as wide as the matrix makes them, dashed in user space")
  func lines() throws {
    let image = try drawing(12, 3) { context in
      context.setStrokeColor(.green)
      context.scaleBy(x: 2, y: 1)
      context.setLineDash(phase: 0, lengths: [1, 2])
      context.move(to: CGPoint(x: 0, y: 1.5))
      context.addLine(to: CGPoint(x: 6, y: 1.5))
      context.strokePath()
    }
    #expect(picture(of: image) == ["............", "GG....GG....", "............"])
  }

  @Test("Caps and joins reach as far as they should")
  func capsAndJoins() throws {
    func corner(_ join: CGLineJoin, _ cap: CGLineCap) throws -> CGImage {
      try drawing(8, 8) { context in
        context.setLineWidth(2)
        context.setLineJoin(join)
        context.setLineCap(cap)
        context.addLines(between: [
          CGPoint(x: 2, y: 2), CGPoint(x: 6, y: 2), CGPoint(x: 6, y: 6),
        ])
        context.strokePath()
      }
    }
    let miter = try corner(.miter, .butt)
    #expect(pixel(of: miter, 6, 6) == .black)
    #expect(pixel(of: miter, 1, 6) == .clear)
    let bevel = try corner(.bevel, .square)
    #expect(pixel(of: bevel, 6, 6).isNear(Pixel(0, 0, 0, 128), within: 3))
    #expect(pixel(of: bevel, 1, 6) == .black)
    #expect(try pixel(of: corner(.round, .round), 6, 6).alpha > 180)
  }

  @Test("Every call that paints a shape forgets the path, and strokes rectangles by their middle")
  func shapes() throws {
    let image = try drawing(6, 6) { context in
      context.addRect(CGRect(x: 0, y: 0, width: 6, height: 6))
      context.stroke(CGRect(x: 1, y: 1, width: 4, height: 4), width: 2)
      #expect(context.isPathEmpty)
      context.setFillColor(.red)
      context.fillEllipse(in: CGRect(x: 2, y: 2, width: 2, height: 2))
      context.clear(CGRect(x: 0, y: 0, width: 6, height: 1))
      context.setStrokeColor(.blue)
      context.strokeLineSegments(between: [
        CGPoint(x: 0, y: 5.5), CGPoint(x: 3, y: 5.5), CGPoint(x: 1, y: 1),
      ])
    }
    let rows = picture(of: image)
    #expect(rows[0] == "BBBKKK")
    #expect(rows[1] == "KKKKKK")
    #expect(rows[2] == "KK??KK")
    #expect(rows[5] == "......")
  }

  @Test("Containment asks the mode's interior or line, in user space")
  func containment() throws {
    _ = try drawing(10, 10) { context in
      context.scaleBy(x: 2, y: 2)
      context.addRect(CGRect(x: 1, y: 1, width: 3, height: 3))
      #expect(context.pathContains(CGPoint(x: 2, y: 2), mode: .fill))
      #expect(!context.pathContains(CGPoint(x: 2, y: 2), mode: .stroke))
      #expect(context.pathContains(CGPoint(x: 1.4, y: 2), mode: .stroke))
      #expect(context.pathContains(CGPoint(x: 0.6, y: 2), mode: .fillStroke))
      #expect(!context.pathContains(CGPoint(x: 4.6, y: 2), mode: .eoFillStroke))
      context.replacePathWithStrokedPath()
      #expect(!context.pathContains(CGPoint(x: 2.5, y: 2.5), mode: .fill))
      #expect(context.pathContains(CGPoint(x: 1.4, y: 2), mode: .fill))
    }
  }

  @Test("Without antialiasing there are whole pixels only")
  func aliased() throws {
    let image = try drawing(16, 16) { context in
      context.setShouldAntialias(false)
      context.fillEllipse(in: CGRect(x: 1, y: 1, width: 13.5, height: 14))
    }
    #expect(!picture(of: image).joined().contains("?"))
  }

  @Test(
    "Numbers that make no sense draw nothing, and drawing goes on after them",
    arguments: [CGFloat.nan, .infinity, -.infinity, 1e300, -1e300, 1e9, 1e-300])
  func nonsense(_ v: CGFloat) throws {
    let gradient = try #require(
      CGGradient(colorsSpace: nil, colors: [CGColor.red] as CFArray, locations: nil))
    let white = try drawing(1, 1) { $0.fill(.white, 0, 0, 1, 1) }
    let image = try drawing(4, 4) { context in
      context.saveGState()
      let rect = CGRect(x: v, y: v, width: v, height: v)
      let point = CGPoint(x: v, y: v)
      context.saveGState()
      context.setLineWidth(v)
      context.setMiterLimit(v)
      context.setLineDash(phase: v, lengths: [v, 1])
      context.setAlpha(v)
      context.setFlatness(v)
      context.setShadow(offset: CGSize(width: v, height: v), blur: v)
      context.setFillColor(red: v, green: v, blue: v, alpha: v)
      for _ in 0..<2 {
        context.fill(rect)
        context.stroke(rect)
        context.strokeEllipse(in: rect)
        context.move(to: .zero)
        context.addLine(to: point)
        context.addQuadCurve(to: point, control: .zero)
        context.addCurve(to: .zero, control1: point, control2: point)
        context.addArc(center: point, radius: v, startAngle: v, endAngle: 1, clockwise: true)
        context.addArc(tangent1End: point, tangent2End: .zero, radius: v)
        _ = context.pathContains(point, mode: .fillStroke)
        context.drawPath(using: .eoFillStroke)
        context.beginTransparencyLayer(in: rect, auxiliaryInfo: nil)
        context.fill(rect)
        context.endTransparencyLayer()
        context.draw(white, in: rect)
        context.draw(white, in: rect, byTiling: true)
        context.drawLinearGradient(gradient, start: .zero, end: point, options: [])
        context.drawRadialGradient(
          gradient, startCenter: point, startRadius: v, endCenter: .zero, endRadius: 1,
          options: .drawsAfterEndLocation)
        context.clip(to: rect)
        context.clip(to: rect, mask: white)
        context.rotate(by: v)
        context.translateBy(x: v, y: v)
        context.scaleBy(x: v, y: v)
        context.setLineWidth(1)
        context.setLineDash(phase: 0, lengths: [1e-12, 0])
      }
      context.restoreGState()
      context.scaleBy(x: 0, y: 0)
      context.stroke(CGRect(x: 0, y: 0, width: 4, height: 4))
      context.restoreGState()
      context.clear(CGRect(x: 0, y: 0, width: 4, height: 4))
      context.fill(.red, 1, 1, 1, 1)
    }
    #expect(picture(of: image) == ["....", "....", ".R..", "...."])
  }

  @Test("An infinite rectangle fills everything")
  func infinite() throws {
    let image = try drawing(2, 2) {
      $0.setFillColor(.red)
      $0.fill(.infinite)
    }
    #expect(picture(of: image) == ["RR", "RR"])
  }
}

@Suite("Bitmaps have the pixels that were asked for")
struct BitmapKindTests {
  @Test(
    "A pixel's bytes lie in the order that the info names",
    arguments: [
      (CGImageAlphaInfo.premultipliedFirst, CGBitmapInfo.byteOrder32Little, [30, 20, 10, 255]),
      (.premultipliedFirst, .byteOrder32Big, [255, 10, 20, 30]),
      (.premultipliedLast, .byteOrder32Big, [10, 20, 30, 255]),
      (.premultipliedLast, [], [10, 20, 30, 255]),
      (.premultipliedLast, .byteOrder32Little, [255, 30, 20, 10]),
      (.noneSkipLast, .byteOrder32Big, [10, 20, 30, 255]),
    ] as [(CGImageAlphaInfo, CGBitmapInfo, [UInt8])])
  func byteOrder(_ alpha: CGImageAlphaInfo, _ order: CGBitmapInfo, _ bytes: [UInt8]) throws {
    var memory = [UInt8](repeating: 0, count: 32)
    try memory.withUnsafeMutableBytes { memory in
      let context = try #require(
        CGContext(
          data: memory.baseAddress, width: 2, height: 2, bitsPerComponent: 8, bytesPerRow: 16,
          space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: alpha.rawValue | order.rawValue))
      context.fill(CGColor(red: 10 / 255, green: 20 / 255, blue: 30 / 255, alpha: 1), 1, 0, 1, 1)
      #expect(context.alphaInfo == alpha)
    }
    #expect(Array(memory[20..<24]) == bytes)
    #expect(Array(memory[24..<32]) == [UInt8](repeating: 0, count: 8))
  }

  @Test("What memory holds already is drawn over")
  func existingPixels() throws {
    var memory: [UInt8] = [10, 20, 30, 255, 0, 0, 0, 0]
    let image = try memory.withUnsafeMutableBytes { memory in
      let context = CGContext(
        data: memory.baseAddress, width: 2, height: 1, bitsPerComponent: 8, bytesPerRow: 8,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
      return try #require(context?.makeImage())
    }
    #expect(pixel(of: image, 0, 0) == Pixel(10, 20, 30, 255))
  }

  @Test("Gray without alpha and alpha alone are one byte a pixel")
  func oneByte() throws {
    let gray = try #require(
      CGContext(
        data: nil, width: 2, height: 1, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceGray(), bitmapInfo: CGImageAlphaInfo.none.rawValue))
    gray.fill(CGColor(gray: 0.4, alpha: 1), 0, 0, 1, 1)
    #expect(gray.data?.load(as: UInt8.self) == 102)
    #expect(gray.bitsPerPixel == 8)
    let alpha = try #require(
      CGContext(
        data: nil, width: 2, height: 1, bitsPerComponent: 8, bytesPerRow: 0, space: nil,
        bitmapInfo: CGImageAlphaInfo.alphaOnly.rawValue))
    alpha.fill(CGColor(gray: 1, alpha: 0.6), 1, 0, 1, 1)
    #expect(alpha.data?.load(fromByteOffset: 1, as: UInt8.self) == 153)
    let image = try #require(alpha.makeImage())
    #expect(pixel(of: image, 1, 0) == Pixel(0, 0, 0, 153))
  }

  @Test("Kinds that cannot be drawn on give no context")
  func unknownKinds() {
    func context(
      _ width: Int, _ bits: Int, _ bytesPerRow: Int, _ info: CGImageAlphaInfo
    ) -> CGContext? {
      CGContext(
        data: nil, width: width, height: 4, bitsPerComponent: bits, bytesPerRow: bytesPerRow,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: info.rawValue)
    }
    #expect(context(0, 8, 0, .premultipliedLast) == nil)
    #expect(context(-3, 8, 0, .premultipliedLast) == nil)
    #expect(context(4, 16, 0, .premultipliedLast) == nil)
    #expect(context(4, 8, 8, .premultipliedLast) == nil)
    #expect(context(4, 8, 0, .last) == nil)
    #expect(context(4, 8, -16, .premultipliedLast) == nil)
    #expect(context(Int.max, 8, 0, .premultipliedFirst) == nil)
    #expect(context(4, 8, 0, .premultipliedLast) != nil)
  }

  @Test("Colours are converted to the bitmap's space")
  func colorSpaces() throws {
    let p3 = CGColorSpace(.displayP3)
    let pure = try #require(
      [0, 1, 0, 1].withUnsafeBufferPointer { components in
        components.baseAddress.flatMap { CGColor(colorSpace: p3, components: $0) }
      })
    let inP3 = try drawing(2, 1, space: p3) { context in
      context.fill(pure, 0, 0, 1, 1)
      context.fill(.green, 1, 0, 1, 1)
    }
    #expect(inP3.colorSpace == p3)
    #expect(pixel(of: inP3, 0, 0) == .green)
    // sRGB's green lies well inside Display P3.
    #expect(pixel(of: inP3, 1, 0).isNear(Pixel(117, 251, 76, 255)))
    let inSRGB = try drawing(2, 1) { context in
      context.draw(inP3, in: CGRect(x: 0, y: 0, width: 2, height: 1))
    }
    #expect(pixel(of: inSRGB, 1, 0).isNear(.green, within: 3))
    #expect(pixel(of: inSRGB, 0, 0) == .green)
  }
}
