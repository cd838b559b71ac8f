import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Sends drawing to a transparent layer, until `endTransparencyLayer` draws it all at once with
  /// the alpha, the blend mode and the shadow that are set now. In the layer these are 1, `normal`
  /// and none at first, and the clip is not applied yet. `auxiliaryInfo` means nothing.
  public func beginTransparencyLayer(auxiliaryInfo: CFDictionary?) {
    beginLayer(within: layerRegion)
  }

  /// `beginTransparencyLayer` for drawing within a rectangle of user space, to which the layer is
  /// cut; its shadow is not.
  public func beginTransparencyLayer(in rect: CGRect, auxiliaryInfo: CFDictionary?) {
    let region = PixelRect(covering: rect.applying(userToPixels), within: layerRegion)
    var shape = Path()
    shape.addRect(rect, transform: userToPixels)
    beginLayer(within: region)
    addClip(shape, .winding)
  }

  /// Draws the layer, with the state that was set when it began, and brings that back. Ignored where
  /// no layer is open.
  public func endTransparencyLayer() {
    guard targets.count > 1, let layer = targets.popLast(), let enclosing = layer.enclosingState
    else { return }
    state = enclosing
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

  /// What a layer may need: what the clip leaves, and what casts a shadow there.
  private var layerRegion: PixelRect {
    let clip = clipRegion
    guard let shadow = state.shadow, !clip.isEmpty else { return clip }
    let reach = CGFloat(shadow.blur.reach + 1)
    let casting = clip.cgRect.offsetBy(dx: -shadow.offset.dx, dy: -shadow.offset.dy)
      .insetBy(dx: -reach, dy: -reach)
    // An offset may be anything, but a surface has an end: then what the clip leaves must do.
    let limit = CairoSurface.sizeLimit
    let limits = PixelRect(minX: -limit, minY: -limit, maxX: limit, maxY: limit)
    let region = clip.union(PixelRect(covering: casting, within: limits))
    let fits = max(region.width, region.height) <= limit && region.width * region.height < 1 << 26
    return fits ? region : clip
  }

  private func beginLayer(within region: PixelRect) {
    // A layer of nothing still has to end: one pixel that the clip leaves out.
    let empty = PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1)
    let surface = CairoSurface(region) ?? CairoSurface(empty)
    guard let surface, let layer = DrawTarget(surface, clip: surface.region) else { return }
    layer.enclosingState = state
    targets.append(layer)
    (state.alpha, state.blendMode, state.shadow) = (1, .normal, nil)
    (state.clips, state.mask) = ([], nil)
  }
}
