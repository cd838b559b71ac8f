import CCairo
import LaminaValues

/// A shape that drawing is clipped to, in pixels.
struct ClipShape {
  /// Unique among the shapes of the context.
  let id: UInt64
  let path: Path
  let rule: CGPathFillRule
  let isAntialiased: Bool
}

/// The bitmap or a transparency layer: a surface to draw on and Cairo's context for it.
final class DrawTarget {
  let surface: CairoSurface
  /// The region outside which nothing is drawn.
  let baseClip: PixelRect
  /// The states that `saveGState` saved since this became the target.
  var savedStates: [GraphicsState] = []
  /// The state to restore when this target, a transparency layer, ends.
  var enclosingState: GraphicsState?
  private var cairo: OpaquePointer
  private var appliedClips: [UInt64] = []

  init?(_ surface: CairoSurface, clip: PixelRect) {
    guard let cairo = cairo_create(surface.surface) else { return nil }
    self.surface = surface
    self.cairo = cairo
    baseClip = clip
    applyBaseClip()
  }

  deinit { cairo_destroy(cairo) }

  /// Cairo's context, clipped to `clips`, with the identity as its matrix and no path. A context in
  /// error is replaced, because it would stay in error for good.
  func prepared(clips: [ClipShape]) -> OpaquePointer {
    if cairo_status(cairo) != CAIRO_STATUS_SUCCESS, let fresh = cairo_create(surface.surface) {
      cairo_destroy(cairo)
      cairo = fresh
      appliedClips = []
      applyBaseClip()
    }
    cairo_identity_matrix(cairo)
    cairo_new_path(cairo)
    if !clips.lazy.map(\.id).starts(with: appliedClips) {
      cairo_reset_clip(cairo)
      applyBaseClip()
      appliedClips = []
    }
    for clip in clips.dropFirst(appliedClips.count) {
      clip.path.append(to: cairo)
      cairo_set_fill_rule(cairo, clip.rule.cairo)
      cairo_set_antialias(
        cairo, clip.isAntialiased ? CAIRO_ANTIALIAS_DEFAULT : CAIRO_ANTIALIAS_NONE)
      cairo_clip(cairo)
      appliedClips.append(clip.id)
    }
    return cairo
  }

  private func applyBaseClip() {
    if baseClip.contains(surface.region) { return }
    cairo_rectangle(
      cairo, Double(baseClip.minX), Double(baseClip.minY), Double(baseClip.width),
      Double(baseClip.height))
    cairo_clip(cairo)
  }
}
