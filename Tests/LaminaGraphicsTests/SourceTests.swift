import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@Suite("Images are drawn in rectangles")
struct ImageDrawingTests {
  /// Red over blue on the left, green over white on the right.
  private func quarters() throws -> CGImage {
    try drawing(2, 2) { context in
      context.fill(.red, 0, 1, 1, 1)
      context.fill(.green, 1, 1, 1, 1)
      context.fill(.blue, 0, 0, 1, 1)
      context.fill(.white, 1, 0, 1, 1)
    }
  }

  @Test("An image is upright where y points up, and upside down where it points down")
  func orientation() throws {
    let quarters = try quarters()
    let image = try drawing(4, 3) {
      $0.draw(quarters, in: CGRect(x: 1, y: 1, width: 2, height: 2))
    }
    #expect(picture(of: image) == [".RG.", ".BW.", "...."])
    let buffer = try PixelBuffer(width: 2, height: 2, format: .bgra8, use: .store)
    buffer.clear()
    let context = try #require(CGContext(buffer: buffer))
    context.draw(quarters, in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(picture(of: CGImage(buffer)) == ["BW", "RG"])
  }

  @Test("Scaled by the nearest pixel, an image has sharp pixels; smoothly, sharp sides still")
  func scaling() throws {
    let quarters = try quarters()
    let sharp = try drawing(4, 4) { context in
      context.interpolationQuality = .none
      context.draw(quarters, in: CGRect(x: 0, y: 0, width: 4, height: 4))
    }
    #expect(picture(of: sharp) == ["RRGG", "RRGG", "BBWW", "BBWW"])
    let smooth = try drawing(10, 10) {
      $0.draw(quarters, in: CGRect(x: 1, y: 1, width: 8, height: 8))
    }
    #expect(pixel(of: smooth, 1, 1) == .red)
    #expect(pixel(of: smooth, 0, 4) == .clear)
    #expect(pixel(of: smooth, 5, 1).red > 20)
    #expect(pixel(of: smooth, 5, 1).alpha == 255)
  }

  @Test("Tiles go on in all directions, and only the clip ends them")
  func tiling() throws {
    let quarters = try quarters()
    let image = try drawing(5, 3) { context in
      context.clip(to: CGRect(x: 0, y: 0, width: 4, height: 3))
      context.draw(quarters, in: CGRect(x: 1, y: 0, width: 2, height: 2), byTiling: true)
    }
    #expect(picture(of: image) == ["WBWB.", "GRGR.", "WBWB."])
  }
}

@Suite("Gradients")
struct GradientTests {
  private func row(
    _ options: CGGradientDrawingOptions, radial: Bool = false
  ) throws -> [String] {
    let gradient = try #require(
      CGGradient(colorsSpace: nil, colors: [CGColor.red, CGColor.red] as CFArray, locations: nil))
    let image = try drawing(6, 1) { context in
      if radial {
        let center = CGPoint(x: 0, y: 0.5)
        context.drawRadialGradient(
          gradient, startCenter: center, startRadius: 2, endCenter: center, endRadius: 4,
          options: options)
      } else {
        context.drawLinearGradient(
          gradient, start: CGPoint(x: 2, y: 0), end: CGPoint(x: 4, y: 0), options: options)
      }
    }
    return picture(of: image)
  }

  @Test("Beyond its ends a gradient goes on only where it is told to", arguments: [false, true])
  func ends(_ radial: Bool) throws {
    #expect(try row([], radial: radial) == ["..RR.."])
    #expect(try row(.drawsBeforeStartLocation, radial: radial) == ["RRRR.."])
    #expect(try row(.drawsAfterEndLocation, radial: radial) == ["..RRRR"])
    #expect(
      try row([.drawsBeforeStartLocation, .drawsAfterEndLocation], radial: radial) == ["RRRRRR"])
  }

  @Test("Colours are mixed straight, between locations, and go on from the outermost ones")
  func mixing() throws {
    let locations: [CGFloat] = [0.25, 0.75]
    let gradient = try #require(
      CGGradient(
        colorsSpace: CGColorSpaceCreateDeviceRGB(),
        colors: [CGColor.clear, CGColor.white] as CFArray, locations: locations))
    let image = try drawing(8, 1) {
      $0.drawLinearGradient(gradient, start: .zero, end: CGPoint(x: 8, y: 0), options: [])
    }
    #expect(pixel(of: image, 0, 0) == .clear)
    #expect(pixel(of: image, 7, 0) == .white)
    for x in 2..<6 {
      let t = (Double(x) - 1.5) / 4
      let expected = Pixel(
        UInt8((t * t * 255).rounded()), UInt8((t * t * 255).rounded()),
        UInt8((t * t * 255).rounded()), UInt8((t * 255).rounded()))
      #expect(pixel(of: image, x, 0).isNear(expected, within: 2), "\(x)")
    }
  }

  @Test("A gradient follows the matrix, and colours in another space are mixed there")
  func matrixAndSpace() throws {
    let p3 = CGColorSpace(.displayP3)
    let components: [CGFloat] = [1, 0, 0, 1, 0, 1, 0, 1]
    let gradient = try #require(
      CGGradient(colorSpace: p3, colorComponents: components, locations: nil, count: 2))
    let image = try drawing(1, 8) { context in
      context.rotate(by: .pi / 2)
      context.drawLinearGradient(gradient, start: .zero, end: CGPoint(x: 8, y: 0), options: [])
    }
    for y in 0..<8 {
      let t = (Double(7 - y) + 0.5) / 8
      let color = CGColor(kind: .displayP3, 1 - t, t, 0, alpha: 1)
        .converted(to: CGColorSpaceCreateDeviceRGB(), intent: .defaultIntent)
      let expected = try #require(color?.components).map { UInt8(($0 * 255).rounded()) }
      let wanted = Pixel(expected[0], expected[1], expected[2], 255)
      #expect(pixel(of: image, 0, y).isNear(wanted, within: 4), "\(y)")
    }
  }

  @Test("Where two circles of a gradient overlap, the later one is seen")
  func cone() throws {
    let gradient = try #require(
      CGGradient(colorsSpace: nil, colors: [CGColor.red, CGColor.blue] as CFArray, locations: nil))
    let image = try drawing(20, 8) { context in
      context.drawRadialGradient(
        gradient, startCenter: CGPoint(x: 4, y: 4), startRadius: 3,
        endCenter: CGPoint(x: 14, y: 4), endRadius: 3, options: [])
    }
    #expect(pixel(of: image, 0, 0) == .clear)
    #expect(pixel(of: image, 2, 4).red > 200)
    #expect(pixel(of: image, 15, 4).blue > 200)
    #expect(pixel(of: image, 18, 4) == .clear)
  }

  @Test("A gradient without a length or of anything but colours draws nothing")
  func degenerate() throws {
    #expect(CGGradient(colorsSpace: nil, colors: [], locations: nil) == nil)
    #expect(CGGradient(colorsSpace: nil, colors: ["red"] as CFArray, locations: nil) == nil)
    let gradient = try #require(
      CGGradient(colorsSpace: nil, colors: [CGColor.red] as CFArray, locations: nil))
    let both: CGGradientDrawingOptions = [.drawsBeforeStartLocation, .drawsAfterEndLocation]
    let image = try drawing(2, 1) { context in
      context.drawLinearGradient(gradient, start: .zero, end: .zero, options: both)
      context.drawLinearGradient(
        gradient, start: .zero, end: CGPoint(x: CGFloat.nan, y: 0), options: both)
      context.drawRadialGradient(
        gradient, startCenter: .zero, startRadius: -1, endCenter: .zero, endRadius: 4,
        options: both)
    }
    #expect(picture(of: image) == [".."])
  }
}

@Suite("Patterns")
struct PatternTests {
  @Test("Cells repeat by their steps, from the context's origin, whatever the matrix is")
  func tiling() throws {
    let pattern = try #require(
      CGPattern(
        bounds: CGRect(x: 0, y: 0, width: 2, height: 1), xStep: 3, yStep: 2
      ) { context in
        context.fill(.red, 0, 0, 1, 1)
        context.fill(.blue, 1, 0, 5, 5)
      })
    let image = try drawing(7, 3) { context in
      context.setFillPattern(pattern, colorComponents: [1])
      context.translateBy(x: 1, y: 0)
      context.fill(CGRect(x: 0, y: 0, width: 6, height: 3))
    }
    #expect(picture(of: image) == [".B.RB.R", ".......", ".B.RB.R"])
  }

  @Test("An uncoloured pattern is a stencil; phases move it, matrices scale it")
  func stencil() throws {
    let callbacks = CGPatternCallbacks(
      version: 0,
      drawPattern: { _, context in
        context.setFillColor(.red)  // Has no effect in a stencil.
        context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
      }, releaseInfo: nil)
    let pattern = try #require(
      withUnsafePointer(to: callbacks) {
        CGPattern(
          info: nil, bounds: CGRect(x: 0, y: 0, width: 2, height: 1),
          matrix: CGAffineTransform(scaleX: 2, y: 1), xStep: 2, yStep: 1, tiling: .noDistortion,
          isColored: false, callbacks: $0)
      })
    let image = try drawing(8, 2) { context in
      context.setStrokeColorSpace(CGColorSpaceCreateDeviceRGB())
      context.setStrokePattern(pattern, colorComponents: [0, 1, 0, 1])
      context.setPatternPhase(CGSize(width: 1, height: 0))
      context.strokeLineSegments(between: [CGPoint(x: 0, y: 0.5), CGPoint(x: 8, y: 0.5)])
    }
    #expect(picture(of: image) == ["........", ".GG..GG."])
  }

  @Test("Cells larger than their steps overlap, and a pattern has the state's alpha")
  func overlap() throws {
    let pattern = try #require(
      CGPattern(
        bounds: CGRect(x: 0, y: 0, width: 3, height: 1), xStep: 2, yStep: 1
      ) { context in
        context.fill(.white, 0, 0, 1, 1)
        context.fill(.white, 2, 0, 1, 1)
      })
    let image = try drawing(4, 1) { context in
      context.setAlpha(0.5)
      context.setFillPattern(pattern, colorComponents: [0.5])
      context.fill(CGRect(x: 0, y: 0, width: 4, height: 1))
    }
    #expect(picture(of: image) == ["?.?."])
    #expect(pixel(of: image, 0, 0).isNear(Pixel(64, 64, 64, 64), within: 1))
    #expect(CGPattern(bounds: .zero, xStep: 1, yStep: 1) { _ in } == nil)
  }
}
