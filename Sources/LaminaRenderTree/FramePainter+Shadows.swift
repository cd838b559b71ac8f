import Foundation
import LaminaCommit
import LaminaValues

/// The shadow of a rounded rectangle, which has a closed form: no pixels need to be blurred.
struct RectangleShadow {
  /// Where it falls, offset included, in the layer's own space.
  var rect: CGRect
  /// As of `rect`; the layer's corners cast it too.
  var hasCorners: Bool
  /// The Gaussian's, in the layer's own units.
  var sigma: Double
  /// With the shadow's opacity and that of what casts it.
  var color: CGColor

  /// All that shows of it.
  var reach: CGRect { rect.insetBy(dx: -CGFloat(4 * sigma), dy: -CGFloat(4 * sigma)) }
}

extension LayerValues {
  /// The layer's shadow where a rectangle casts it: a shadow path that is one, or the background.
  /// nil where there is none. What is clipped to the bounds casts none that could be seen.
  var shadow: RectangleShadow? {
    guard hasEffects else { return nil }
    let effects = effects
    let opacity = min(max(effects.shadowOpacity, 0), 1)
    guard opacity > 0, !masksToBounds, var color = effects.shadowColor, color.alpha > 0 else {
      return nil
    }
    let caster: CGRect
    if let path = effects.shadowPath {
      guard let rect = path.rectangle else { return nil }
      caster = rect
      color.alpha *= opacity
    } else {
      guard let background = backgroundColor, background.alpha > 0 else { return nil }
      caster = bounds
      color.alpha *= opacity * min(background.alpha, 1)
    }
    let offset = effects.shadowOffset
    let sigma = effects.shadowRadius.isFinite ? max(effects.shadowRadius, 0) : 0
    return RectangleShadow(
      rect: caster.offsetBy(dx: offset.width, dy: offset.height),
      hasCorners: effects.shadowPath == nil, sigma: sigma, color: color)
  }
}

extension FramePainter {
  /// Behind all that the layer draws.
  mutating func paintShadow(of row: Int, _ values: LayerValues, in context: Context) {
    guard let shadow = values.shadow else { return }
    let projection = Projection(evaluated.rows[row].toSurface, origin: context.region)
    let tint = premultiplied(shadow.color, context.opacity)
    let rect = shadow.rect
    var outline = CornerOutline(rect: rect)
    if shadow.hasCorners {
      (outline.radii, outline.curve) = (values.outline.radii, values.outline.curve)
    }
    let scale = projection.scale(at: rect.center)
    // A blur of less than a fifth of a pixel is an edge like any other.
    guard Double(scale) * shadow.sigma > 0.2 else {
      fill(outline, tint, projection, in: context)
      return
    }
    guard let quad = ProjectedQuad(shadow.reach, through: projection, antialiased: []) else {
      return
    }
    let sigma = Float(shadow.sigma)
    add(.shadow, quad: quad, in: context) { vertex, out in
      out.append(tint)
      Self.emitCorners(vertex, outline, &out)
      out.append(sigma)
    }
  }
}
