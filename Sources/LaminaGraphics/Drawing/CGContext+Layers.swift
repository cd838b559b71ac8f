import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Begins a transparency layer: a transparent bitmap that collects drawing until
  /// `endTransparencyLayer` draws it as a whole, with the alpha, blend mode, shadow and clip that
  /// are set now. Within the layer the alpha starts at 1, the blend mode at `normal`, and there is
  /// no shadow and no clip. `auxiliaryInfo` is ignored.
  public func beginTransparencyLayer(auxiliaryInfo: CFDictionary?) {
    beginLayer(within: layerRegion)
  }

  /// Begins a transparency layer that is clipped to a rectangle of user space; its shadow is not.
  public func beginTransparencyLayer(in rect: CGRect, auxiliaryInfo: CFDictionary?) {
    let region = PixelRect(covering: rect.applying(userToPixels), within: layerRegion)
    var shape = Path()
    shape.addRect(rect, transform: userToPixels)
    beginLayer(within: region)
    addClip(shape, .winding)
  }

  /// Draws the open transparency layer with the state from when it began, and restores that state.
  /// Ignored if no layer is open.
  public func endTransparencyLayer() {
    guard targets.count > 1, let layer = targets.popLast(), let enclosing = layer.enclosingState
    else { return }
    state = enclosing
    if recording != nil {
      recording?.append(.endLayer)
      return
    }
    let surface = layer.surface
    if state.alpha < 1 {
      surface.draw { cairo in
        cairo_set_operator(cairo, CAIRO_OPERATOR_DEST_IN)
        cairo_set_source_rgba(cairo, 0, 0, 0, state.alpha)
        cairo_paint(cairo)
      }
    }
    paint(
      PaintOperation(bounds: surface.region.cgRect) {
        cairo_set_source_surface($0, surface.surface, 0, 0)
      } drawShape: {
        cairo_paint($0)
      })
  }

  /// The pixels that a layer may need: the clip, and all that can cast a shadow into it.
  private var layerRegion: PixelRect {
    let clip = clipRegion
    guard let shadow = state.shadow, !clip.isEmpty else { return clip }
    let reach = CGFloat(shadow.blur.reach + 1)
    let casting = clip.cgRect.offsetBy(dx: -shadow.offset.dx, dy: -shadow.offset.dy)
      .insetBy(dx: -reach, dy: -reach)
    // A shadow's offset may be of any size, a surface may not: if the region is too large, the clip
    // alone has to do.
    let limit = CairoSurface.sizeLimit
    let limits = PixelRect(minX: -limit, minY: -limit, maxX: limit, maxY: limit)
    let region = clip.union(PixelRect(covering: casting, within: limits))
    let fits = max(region.width, region.height) <= limit && region.width * region.height < 1 << 26
    return fits ? region : clip
  }

  func beginLayer(within region: PixelRect) {
    // Even an empty layer needs a target until it ends: one pixel, which the clip leaves out.
    let empty = PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1)
    let surface = CairoSurface(region) ?? CairoSurface(empty)
    guard let surface, let layer = DrawTarget(surface, clip: surface.region) else { return }
    recording?.append(.beginLayer(region, state))
    layer.enclosingState = state
    targets.append(layer)
    (state.alpha, state.blendMode, state.shadow) = (1, .normal, nil)
    (state.clips, state.mask) = ([], nil)
  }
}
