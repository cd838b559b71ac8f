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

  /// Number of standard deviations after which the Gaussian is cut off, as in a blur of pixels. The
  /// rest is less than a sixth of a 255th.
  static let sigmas = 3.25

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
  /// Adds the shadow of a rounded rectangle in closed form, except for `hidden`, a rectangle of the
  /// layer's space.
  mutating func addShadow(
    _ style: ShadowStyle, of caster: CornerOutline, hidden: CGRect, _ layer: LayerDrawing
  ) {
    var outline = caster
    outline.rect = outline.rect.offsetBy(dx: style.offset.width, dy: style.offset.height)
    let color = self.color(style.color, tint: layer.tint, layer.format)
    let spread = CGFloat(ShadowStyle.sigmas * style.sigma)
    let reach = outline.rect.insetBy(dx: -spread, dy: -spread)
    // A pixel is the average over its square, which has a variance of its own.
    let pixel = 1 / max(Double(layer.projection.scale(at: outline.rect.center)), 1e-6)
    let sigma = (style.sigma * style.sigma + pixel * pixel / 12).squareRoot()
    for slice in ShadowSlice.slices(of: outline, in: reach, hidden: hidden, sigma: sigma) {
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
  /// A rectangle that what fills the layer's outline hides if it is opaque, two pixels inside its
  /// edges, in the layer's space; null if there is none.
  var opaqueRect: CGRect {
    guard tint.w >= 1, blend == nil, values.outline.curve == .circular, projection.isAxisAligned,
      let unit = projection.unitsPerPixel(at: bounds.center)
    else { return .null }
    return values.outline.inscribedRects[2].insetBy(dx: 2 * unit.x, dy: 2 * unit.y)
  }
}

/// A part of the shadow of a rounded rectangle, in the caster's space.
private struct ShadowSlice {
  var rect: CGRect
  /// The caster with the one round corner that shows in the slice, or with all of them. The others
  /// are square.
  var caster: CornerOutline
  /// nil for a slice that lies wholly inside the shadow.
  var program: FramePlan.Program?

  /// The slices of a shadow within `reach`, without the part that is `hidden`. There are nine,
  /// since a pixel costs several times as much if round corners show in it, or one if the caster is
  /// too small for nine.
  static func slices(
    of caster: CornerOutline, in reach: CGRect, hidden: CGRect, sigma: Double
  ) -> [ShadowSlice] {
    let slices = slices(of: caster, in: reach, sigma: sigma)
    if hidden.isNull { return slices }
    return slices.flatMap { slice in
      slice.rect.parts(outside: hidden).map {
        ShadowSlice(rect: $0, caster: slice.caster, program: slice.program)
      }
    }
  }

  private static func slices(
    of caster: CornerOutline, in reach: CGRect, sigma: Double
  ) -> [ShadowSlice] {
    let rect = caster.rect
    let radius = caster.radii.max()
    // Three sigmas from a corner, its rounding changes less than a 255th; four sigmas inside, the
    // shadow is complete.
    let margin = CGFloat(max(radius + 3 * sigma, 4 * sigma))
    guard rect.width > 2 * margin, rect.height > 2 * margin else {
      return [ShadowSlice(rect: reach, caster: caster, program: .shadow)]
    }
    // The shader cuts the rows of a corner into four strips, each at most two thirds of a sigma
    // high; those of the whole rectangle into twelve, whatever the radius.
    let isTight = radius <= 8 / 3 * sigma
    let xs = [reach.minX, rect.minX + margin, rect.maxX - margin, reach.maxX]
    let ys = [reach.minY, rect.minY + margin, rect.maxY - margin, reach.maxY]
    // Neighbours have the same program, so that they are drawn together.
    let corners = [(0, 0, 0), (0, 2, 1), (2, 2, 2), (2, 0, 3)].map { row, column, corner in
      var part = caster
      part.radii = .zero
      part.radii[corner] = caster.radii[corner]
      if part.isRectangle { return slice(row, column, part, .shadowEdge) }
      return isTight
        ? slice(row, column, part, .shadowCorner) : slice(row, column, caster, .shadow)
    }
    let square = CornerOutline(rect: rect)
    let edges = [(0, 1), (1, 0), (1, 2), (2, 1)].map { slice($0, $1, square, .shadowEdge) }
    return corners + edges + [slice(1, 1, square, nil)]

    func slice(
      _ row: Int, _ column: Int, _ caster: CornerOutline, _ program: FramePlan.Program?
    ) -> ShadowSlice {
      let place = CGRect(
        x: xs[column], y: ys[row], width: xs[column + 1] - xs[column],
        height: ys[row + 1] - ys[row])
      return ShadowSlice(rect: place, caster: caster, program: program)
    }
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
