import Foundation
import LaminaFramePlan
import LaminaGLES
import LaminaSoftware
import LaminaValues
import Testing

@Suite("The programs of shadows")
struct ShadowProgramTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var program: FramePlan.Program
    var size: CGSize
    var radii: SIMD4<Double>
    var sigma: Double

    init(
      _ program: FramePlan.Program, _ width: Double, _ height: Double, _ radii: SIMD4<Double>,
      _ sigma: Double
    ) {
      self.program = program
      size = CGSize(width: width, height: height)
      (self.radii, self.sigma) = (radii, sigma)
    }

    var testDescription: String { "\(program) of \(size), radii \(radii), sigma \(sigma)" }
  }

  private static let side = 96
  private static let cases: [Case] = [
    Case(.shadow, 60, 40, [12, 12, 12, 12], 3),
    // A pill, a circle, and corners that are much larger and a little larger than the Gaussian.
    Case(.shadow, 70, 30, [15, 15, 15, 15], 2),
    Case(.shadow, 50, 50, [25, 25, 25, 25], 4),
    Case(.shadow, 80, 80, [40, 40, 40, 40], 0.8),
    Case(.shadow, 30, 24, [12, 12, 12, 12], 5),
    Case(.shadowTight, 60, 40, [9, 9, 9, 9], 4),
    Case(.shadowTight, 20, 18, [9, 9, 9, 9], 12),
    Case(.shadowTight, 50, 30, [2, 2, 2, 2], 6),
    Case(.shadowUneven, 60, 40, [20, 0, 7, 12], 2.5),
    Case(.shadowUneven, 30, 30, [0, 15, 0, 0], 3),
    Case(.shadowRectangle, 60, 10, .zero, 7),
    Case(.shadowEdge, 60, 60, .zero, 3),
    Case(.shadowCorner, 80, 80, [9, 0, 0, 0], 4),
    Case(.shadowCorner, 80, 80, [0, 0, 9, 0], 5),
  ]

  @Test(
    "draw the outline under a Gaussian, within a 255th and rounding, whatever its corners",
    arguments: cases)
  func exact(example: Case) throws {
    let device = try GLESRenderer(platform: .surfaceless)
    defer { device.close() }
    let plan = plan(of: example)
    let software = SoftwareRenderer()
    // Rows of 8-bit pixels are drawn in another way, and rounded.
    let drawn = [
      (alphas(try software.pixels(of: [plan], on: .bgra8), .bgra8), 1.5),
      (alphas(try software.pixels(of: [plan], on: .rgba16f), .rgba16f), 1),
      (alphas(try device.pixels(of: [plan], on: .rgba16f), .rgba16f), 1),
    ]
    for y in stride(from: 0, to: Self.side, by: 3) {
      for x in stride(from: y % 2, to: Self.side, by: 3) {
        let point = CGPoint(
          x: Double(x) + 0.5 - Double(Self.side) / 2, y: Double(y) + 0.5 - Double(Self.side) / 2)
        if example.program == .shadowCorner, !isNearCorner(point, example) { continue }
        let exact = coverage(at: point, example) * 255
        for (alphas, most) in drawn {
          let alpha = alphas[y * Self.side + x]
          #expect(abs(alpha - exact) < most, "\(alpha) for \(exact) at \(x), \(y)")
        }
      }
    }
  }

  /// The alphas of pixels, out of 255.
  private func alphas(_ bytes: [UInt8], _ format: PixelFormat) -> [Double] {
    let channels =
      format == .bgra8
      ? bytes.map(Double.init)
      : bytes.withUnsafeBytes { $0.bindMemory(to: Float16.self).map { Double($0) * 255 } }
    return stride(from: 3, to: channels.count, by: 4).map { channels[$0] }
  }

  private func plan(of example: Case) -> FramePlan {
    let size = PixelSize(width: Self.side, height: Self.side)
    let whole = PixelRect(size)
    var plan = FramePlan(size: size)
    plan.passes = [.init(target: .surface, parts: [whole])]
    let middle = Double(Self.side) / 2
    let outline = CornerOutline(
      rect: CGRect(
        x: middle - example.size.width / 2, y: middle - example.size.height / 2,
        width: example.size.width, height: example.size.height), radii: example.radii)
    let item = Item(
      example.program, color: .white, outline: plan.items.outline(outline),
      numbers: [Float(example.sigma), 0])
    plan.items.add(item, whole, within: whole)
    plan.passes[0].batches = [
      FramePlan.Batch(
        program: item.program, blend: item.blend, sources: [], scissor: whole, items: 0..<1,
        vertexCount: plan.items.items[0].vertexCount)
    ]
    return plan
  }

  /// Whether a point sees only the round corner, at the top left or at the bottom right.
  private func isNearCorner(_ point: CGPoint, _ example: Case) -> Bool {
    let limit = example.size.width / 2 - 4 * example.sigma
    return example.radii[0] > 0
      ? point.x < limit && point.y < limit : point.x > -limit && point.y > -limit
  }

  /// The coverage at a point from the outline's middle, by thin strips across y.
  private func coverage(at point: CGPoint, _ example: Case) -> Double {
    let (halfWidth, halfHeight) = (example.size.width / 2, example.size.height / 2)
    let count = 1000
    let height = 2 * halfHeight / Double(count)
    let scale = 0.5.squareRoot() / example.sigma
    return (0..<count).reduce(0) { sum, strip in
      let y = -halfHeight + (Double(strip) + 0.5) * height
      let weight =
        erf((y + height / 2 - point.y) * scale) - erf((y - height / 2 - point.y) * scale)
      let (left, right) =
        y < 0 ? (example.radii[0], example.radii[1]) : (example.radii[3], example.radii[2])
      func inset(_ radius: Double) -> Double {
        let over = min(max(abs(y) - (halfHeight - radius), 0), radius)
        return radius - (radius * radius - over * over).squareRoot()
      }
      let across =
        erf((halfWidth - inset(right) - point.x) * scale)
        - erf((inset(left) - halfWidth - point.x) * scale)
      return sum + 0.25 * weight * across
    }
  }
}
