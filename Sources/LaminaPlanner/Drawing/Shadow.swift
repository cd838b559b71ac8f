import Foundation
import LaminaCommit
import LaminaFramePlan
import LaminaValues

/// The look of a layer's shadow, independent of what casts it.
struct ShadowStyle {
  /// In the layer's own units.
  var offset: CGSize
  /// Standard deviation of the Gaussian, in the layer's own units.
  var sigma: Double
  /// Includes the shadow's opacity.
  var color: CGColor

  /// How far beyond the caster the closed form is drawn, in the layer's own units: as far as it is
  /// a third of a 255th or more. Pixels of 8 bits show nothing farther away.
  var reach: Double {
    let strength = color.alpha * max(1, color.c0, color.c1, color.c2)
    let least = 1 / (765 * strength)
    guard least < 0.5 else { return 0 }
    // Where the Gaussian's integral is that (Abramowitz and Stegun 26.2.23), rounded up.
    let t = (-2 * 0.693_147_180_6 * PortableMath.binaryLogarithm(least)).squareRoot()
    let sigmas =
      t - (2.515517 + (0.802853 + 0.010328 * t) * t)
      / (1 + (1.432788 + (0.189269 + 0.001308 * t) * t) * t)
    return sigma * (sigmas * 64).rounded(.up) / 64
  }

  /// Smallest standard deviation, in pixels, for the closed form. A narrower shadow is blurred:
  /// pixels resolve it so coarsely that the closed form would differ visibly from a blur of pixels.
  private static let leastClosedSigma = 1.5

  /// Whether the shadow of an outline around `center` is drawn in closed form.
  func isClosed(through projection: Projection, at center: CGPoint) -> Bool {
    Double(projection.scale(at: center)) * sigma >= Self.leastClosedSigma
  }
}

extension LayerValues {
  /// nil if the layer has no shadow.
  var shadow: ShadowStyle? {
    guard hasEffects else { return nil }
    let effects = effects
    let opacity = min(max(effects.shadowOpacity, 0), 1)
    guard opacity > 0, var color = effects.shadowColor, color.alpha > 0 else { return nil }
    color.alpha *= opacity
    let sigma = effects.shadowRadius.isFinite ? max(effects.shadowRadius, 0) : 0
    return ShadowStyle(offset: effects.shadowOffset, sigma: sigma, color: color)
  }
}

extension DrawnItems {
  /// Adds the shadow of a rounded rectangle in closed form, without some of what is `hidden`:
  /// rectangles of the layer's space.
  mutating func addShadow(
    _ style: ShadowStyle, of caster: CornerOutline, hidden: [CGRect], _ layer: LayerDrawing
  ) {
    var outline = caster
    outline.rect = outline.rect.offsetBy(dx: style.offset.width, dy: style.offset.height)
    let color = self.color(style.color, tint: layer.tint, layer.format)
    let reach = outline.rect.insetBy(dx: -style.reach, dy: -style.reach)
    // A pixel is the average over its square, which has a variance of its own.
    let pixel = 1 / max(Double(layer.projection.scale(at: outline.rect.center)), 1e-6)
    let sigma = (style.sigma * style.sigma + pixel * pixel / 12).squareRoot()
    // Slices that the target cuts off would be drawn one by one.
    let shown =
      layer.projection.isAxisAligned
      ? layer.visible.cgRect.applying(layer.projection.affine.inverted()) : reach
    for slice in ShadowSlice.slices(
      of: outline, in: reach, shown: shown, hidden: hidden, sigma: sigma)
    {
      guard let program = slice.program else {
        addSolid(slice.rect, color, edges: .none, of: layer)
        continue
      }
      let item = Item(
        program, blend: layer.blend ?? .sourceOver, color: color,
        outline: list.outline(slice.caster), numbers: [Float(sigma), 0])
      add(item, slice.rect, .none, of: layer)
    }
  }
}

extension LayerDrawing {
  /// Rectangles that what fills the layer's outline hides if it is opaque, one pixel inside its
  /// edges, in the layer's space.
  var opaqueRects: [CGRect] {
    guard tint.w >= 1, blend == nil, values.outline.curve == .circular, projection.isAxisAligned,
      let unit = projection.unitsPerPixel(at: bounds.center)
    else { return [] }
    return values.outline.inscribedRects.map { $0.insetBy(dx: unit.x, dy: unit.y) }
      .filter { !$0.isNull }
  }
}

/// A part of the shadow of a rounded rectangle, in the caster's space.
private struct ShadowSlice {
  var rect: CGRect
  /// The caster with the round corners that show in the slice, and maybe others. All others are
  /// square.
  var caster: CornerOutline
  /// nil for a slice that lies wholly inside the shadow.
  var program: FramePlan.Program?

  /// What is `shown` of a shadow's slices within `reach`, each without what one of the `hidden`
  /// rectangles hides of it: the one that hides most. Along an axis on which the caster is large
  /// beside the Gaussian there are three slices, since a pixel that sees less costs less; otherwise
  /// there is one.
  static func slices(
    of caster: CornerOutline, in reach: CGRect, shown: CGRect, hidden: [CGRect], sigma: Double
  ) -> [ShadowSlice] {
    var slices: [ShadowSlice] = []
    slices.reserveCapacity(16)
    var parts: [CGRect] = []
    for slice in Self.slices(of: caster, in: reach, sigma: sigma) {
      let rect = slice.rect.overlap(with: shown)
      if rect.isNull { continue }
      parts.removeAll(keepingCapacity: true)
      let most = hidden.max { $0.area(sharedWith: rect) < $1.area(sharedWith: rect) }
      if let most { rect.addParts(outside: most, to: &parts) } else { parts.append(rect) }
      for part in parts {
        slices.append(ShadowSlice(rect: part, caster: slice.caster, program: slice.program))
      }
    }
    return slices
  }

  private static func slices(
    of caster: CornerOutline, in reach: CGRect, sigma: Double
  ) -> [ShadowSlice] {
    let rect = caster.rect
    // So far from a corner, its rounding changes a tenth of a 255th at most, and so far inside no
    // more is missing of the shadow.
    let margin = CGFloat(max(caster.radii.max() + 2.25 * sigma, 3.4 * sigma))
    let square = CornerOutline(rect: rect)
    let isTight = caster.radii.max() <= FramePlan.Program.tightShadow * sigma
    let isEven = caster.radii == .init(repeating: caster.radii[0])
    let program: FramePlan.Program =
      caster.isRectangle
      ? .shadowRectangle : !isEven ? .shadowUneven : isTight ? .shadowTight : .shadow
    var slices: [ShadowSlice] = []
    slices.reserveCapacity(9)
    let (xs, ys) = (
      SIMD4(reach.minX, rect.minX + margin, rect.maxX - margin, reach.maxX),
      SIMD4(reach.minY, rect.minY + margin, rect.maxY - margin, reach.maxY)
    )
    switch (rect.width > 2 * margin, rect.height > 2 * margin) {
    case (false, false): add(nil, nil, caster, program)
    case (true, false):
      add(0, nil, caster, program)
      add(2, nil, caster, program)
      add(1, nil, square, .shadowRectangle)
    case (false, true):
      add(nil, 0, caster, program)
      add(nil, 2, caster, program)
      add(nil, 1, square, .shadowRectangle)
    case (true, true):
      // Neighbours have the same program, so that they are drawn together.
      for (corner, (column, row)) in [(0, 0), (2, 0), (2, 2), (0, 2)].enumerated() {
        var part = square
        part.radii[corner] = caster.radii[corner]
        if part.isRectangle {
          add(column, row, square, .shadowEdge)
        } else if isTight {
          add(column, row, part, .shadowCorner)
        } else {
          add(column, row, caster, program)
        }
      }
      for (column, row) in [(1, 0), (0, 1), (2, 1), (1, 2)] {
        add(column, row, square, .shadowEdge)
      }
      add(1, 1, square, nil)
    }
    return slices

    /// Adds the slice in one of three columns and rows, or in all.
    func add(
      _ column: Int?, _ row: Int?, _ caster: CornerOutline, _ program: FramePlan.Program?
    ) {
      let (left, right) = column.map { (xs[$0], xs[$0 + 1]) } ?? (reach.minX, reach.maxX)
      let (top, bottom) = row.map { (ys[$0], ys[$0 + 1]) } ?? (reach.minY, reach.maxY)
      slices.append(
        ShadowSlice(
          rect: CGRect(x: left, y: top, width: right - left, height: bottom - top),
          caster: caster, program: program))
    }
  }
}

extension CGRect {
  fileprivate func area(sharedWith other: CGRect) -> CGFloat {
    let shared = overlap(with: other)
    return shared.isNull ? 0 : shared.width * shared.height
  }
}

extension CornerOutline {
  /// Whether its shadow has a closed form.
  var hasClosedShadow: Bool { isRectangle || curve == .circular }

  /// Rectangles inside the outline: one as wide as the outline, one as high, and one whose corners
  /// lie on the curves of the outline's corners.
  var inscribedRects: [CGRect] {
    let radius = CGFloat(radii.max())
    // 1 - sqrt(1/2) of a radius, rounded up.
    let corner = radius * 0.293
    return [(0, radius), (radius, 0), (corner, corner)].map { rect.insetBy(dx: $0, dy: $1) }
  }
}
