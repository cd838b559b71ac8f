import Foundation
import Lamina
import LaminaInProcess
import LaminaValues
import Testing

@testable import LaminaGraphics

@Suite("Wide colour")
struct WideColorTests {
  /// Display P3 colours and the same colours in extended sRGB. Computed from the chromaticities of
  /// both spaces' primaries (P3: 0.68 0.32, 0.265 0.69, 0.15 0.06; sRGB: 0.64 0.33, 0.3 0.6, 0.15
  /// 0.06; white: 0.3127 0.329) and the sRGB curve, mirrored below zero.
  private static let p3: [(color: [CGFloat], sRGB: [Double])] = [
    ([1, 0, 0], [1.09307, -0.22674, -0.15013]), ([0, 1, 0], [-0.51160, 1.01827, -0.31067]),
    ([0.5, 0.4, 0.3], [0.51926, 0.39509, 0.28447]),
    ([0.2, 0.7, 0.4], [-0.27220, 0.71212, 0.36564]),
  ]

  private func frame(
    _ layer: CALayer, _ format: CALayerContentsFormat, _ server: RenderServer = .inProcess
  ) throws -> CGImage {
    layer.frame = CGRect(x: 0, y: 0, width: 8, height: 4)
    let renderer = try CARenderer(
      size: layer.bounds.size, contentsFormat: format, server: server)
    renderer.layer = layer
    return try renderer.image(at: 0)
  }

  /// The red, green, blue and alpha of the pixel at (2, 1) in an image of half floats.
  private func halves(_ image: CGImage) throws -> [Double] {
    let layout = image.buffer.layout
    try #require(layout.format == .rgba16f)
    return image.buffer.withUnsafeBytes { bytes in
      (0..<4).map {
        Double(bytes.load(fromByteOffset: layout.stride + 16 + $0 * 2, as: Float16.self))
      }
    }
  }

  private func bytes(_ values: [Double]) -> [UInt8] {
    values.map { UInt8((min(max($0, 0), 1) * 255).rounded()) }
  }

  private func expect(
    _ layer: CALayer, _ expected: [Double], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let pixel = try frame(layer, .RGBA8Uint).pixel(x: 2, y: 1)
    for (found, wanted) in zip([pixel.red, pixel.green, pixel.blue], bytes(expected)) {
      #expect(abs(Int(found) - Int(wanted)) <= 1, sourceLocation: sourceLocation)
    }
    for (found, wanted) in zip(try halves(frame(layer, .RGBA16Float)), expected + [1]) {
      #expect(abs(found - wanted) < 0.002, sourceLocation: sourceLocation)
    }
  }

  @Test("A Display P3 colour is drawn as the same colour in sRGB, cut at its gamut in eight bits")
  func displayP3() throws {
    let space = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    for (color, sRGB) in Self.p3 {
      let (layer, gradient) = (CALayer(), CAGradientLayer())
      layer.backgroundColor = CGColor(colorSpace: space, components: color + [1])
      try expect(layer, sRGB)
      let stop = try #require(layer.backgroundColor)
      gradient.colors = [stop, stop]
      try expect(gradient, sRGB)
    }
  }

  @Test("Extended colours are cut in eight bits and kept in half floats")
  func extended() throws {
    let space = try #require(CGColorSpace(name: CGColorSpace.extendedSRGB))
    let layer = CALayer()
    layer.backgroundColor = CGColor(colorSpace: space, components: [1.5, -0.25, 0.5, 1])
    try expect(layer, [1.5, -0.25, 0.5])
    let bordered = CALayer()
    bordered.borderWidth = 4
    bordered.borderColor = layer.backgroundColor
    try expect(bordered, [1.5, -0.25, 0.5])
  }

  @Test("An image in Display P3 is drawn, and written as a PNG, in sRGB")
  func image() throws {
    let space = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    for (color, sRGB) in Self.p3 {
      let plain = try CGImage(
        width: 1, height: 1, unpremultipliedRGBA: bytes(color.map(Double.init)) + [255])
      let image = CGImage(plain.buffer, colorSpace: space)
      let layer = CALayer()
      layer.contents = image
      let pixel = try frame(layer, .RGBA8Uint).pixel(x: 2, y: 1)
      let read = try CGImage(data: image.pngData(), named: "PNG").pixel(x: 0, y: 0)
      for (at, wanted) in bytes(sRGB).enumerated() {
        let (drawn, written) = (
          [pixel.red, pixel.green, pixel.blue][at], [read.red, read.green, read.blue][at]
        )
        // The image's own eight bits are off by up to half a step even before they are converted.
        #expect(abs(Int(drawn) - Int(wanted)) <= 2 && drawn == written)
      }
    }
  }

  @Test(
    "16 bits a channel go from a PNG through the renderer to a PNG",
    arguments: [RenderServer.inProcess, .process])
  func sixteenBits(server: RenderServer) throws {
    // Half floats from 1/4 to 1/2 have steps of 1/4096, a sixteenth of an 8-bit step.
    let source = try PixelBuffer(width: 8, height: 4, format: .rgba16f, use: .store)
    source.withUnsafeMutableBytes { bytes in
      for y in 0..<4 {
        for x in 0..<8 {
          for channel in 0..<4 {
            let value = channel == 3 ? 1 : 0.25 + Float16(y * 32 + x * 4 + channel) / 4096
            bytes.storeBytes(
              of: value, toByteOffset: y * source.layout.stride + x * 8 + channel * 2,
              as: Float16.self)
          }
        }
      }
    }
    let written = try CGImage(source).pngData()
    let layer = CALayer()
    layer.contents = try CGImage(data: written, named: "PNG", wants16Bits: true)
    layer.contentsFormat = .RGBA16Float
    let drawn = try frame(layer, .RGBA16Float, server)
    #expect(drawn.bitsPerComponent == 16)
    #expect(drawn.unpremultipliedRGBA16 == CGImage(source).unpremultipliedRGBA16)
    let data = try drawn.pngData()
    #expect(data[24] == 16 && data.range(of: Data("sRGB".utf8)) != nil)
    #expect(data == written)
    // The intermediate pictures of groups, masks and round corners are just as wide.
    let group = CALayer()
    (layer.cornerRadius, layer.masksToBounds) = (1, true)
    group.addSublayer(layer)
    group.opacity = 0.5
    let faded = try frame(group, .RGBA16Float, server)
    #expect(try halves(faded)[0] == (0.25 + 40 / 4096) / 2)
    #expect(try frame(group, .RGBA8Uint, server).bitsPerComponent == 8)
  }
}
