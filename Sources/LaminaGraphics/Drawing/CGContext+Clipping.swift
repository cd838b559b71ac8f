import CCairo
import Foundation
import LaminaValues

extension CGContext {
  /// Intersects the clip with the interior of the current path, and clears the path. Ignored if the
  /// path is empty.
  public func clip(using rule: CGPathFillRule = .winding) {
    let path = pixelPath
    beginPath()
    if !path.isEmpty { addClip(path, rule) }
  }

  /// Intersects the clip with a rectangle, and clears the current path.
  public func clip(to rect: CGRect) {
    beginPath()
    addRect(rect)
    let path = pixelPath
    beginPath()
    addClip(path, .winding)
  }

  /// Intersects the clip with the union of `rects`, and clears the current path. Ignored if `rects`
  /// is empty.
  public func clip(to rects: [CGRect]) {
    guard !rects.isEmpty else { return }
    beginPath()
    addRects(rects.map(\.standardized))
    let path = pixelPath
    beginPath()
    addClip(path, .winding)
  }

  /// Intersects the clip with a rectangle and multiplies all later drawing by an image stretched
  /// over the rectangle: by the image's luminance if it is gray, otherwise by its alpha; by an
  /// image mask's samples, of which 0 lets everything through and the highest nothing.
  public func clip(to rect: CGRect, mask: CGImage) {
    let place = imageToPixels(mask, in: rect)
    let bounds = rect.applying(userToPixels)
    let region = PixelRect(covering: bounds, within: clipRegion)
    guard let coverage = mask.coverage(), place.cairo != nil,
      let surface = CairoSurface(region, format: CAIRO_FORMAT_A8)
    else { return addClip(Path(), .winding) }
    surface.draw { cairo in
      prepare(cairo, with: CAIRO_OPERATOR_OVER)
      setSource(cairo, coverage, place: place, extend: CAIRO_EXTEND_PAD)
      var shape = Path()
      shape.addRect(rect, transform: userToPixels)
      shape.append(to: cairo)
      cairo_fill(cairo)
      guard let previous = state.mask else { return }
      cairo_set_operator(cairo, CAIRO_OPERATOR_DEST_IN)
      cairo_set_source_surface(cairo, previous.surface, 0, 0)
      cairo_paint(cairo)
    }
    state.mask = surface
  }

  /// Restores the clip to what it was when drawing on the bitmap or on the transparency layer
  /// began.
  public func resetClip() {
    state.clips = []
    state.mask = nil
  }

  /// The smallest rectangle, in user space, around the clip; null if the clip is empty.
  public var boundingBoxOfClipPath: CGRect {
    var (minX, minY, maxX, maxY) = (0.0, 0.0, 0.0, 0.0)
    cairo_clip_extents(preparedContext(), &minX, &minY, &maxX, &maxY)
    var box = CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    if let mask = state.mask { box = box.intersection(mask.region.cgRect) }
    return box.isEmpty ? .null : box.applying(userToPixels.inverted())
  }

  func addClip(_ path: Path, _ rule: CGPathFillRule) {
    let isAntialiased = state.shouldAntialias && state.allowsAntialiasing
    state.clips.append(
      ClipShape(id: clipIDs, path: path, rule: rule, isAntialiased: isAntialiased))
    clipIDs += 1
  }
}
