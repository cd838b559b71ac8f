import CCairo
import Foundation
import LaminaValues

/// One drawing operation: the paint and the shape.
struct PaintOperation {
  /// The shape's bounds in pixels; null for an empty shape, infinite for an unbounded one.
  var bounds: CGRect
  /// Sets Cairo's source, with the state's alpha.
  var setSource: (OpaquePointer) -> Void
  /// Draws the shape with Cairo's current source. Cairo's matrix is the identity before the call.
  var drawShape: (OpaquePointer) -> Void
}

extension CGContext {
  var target: DrawTarget { targets[targets.count - 1] }

  /// Cairo's context for the current target, with the state's clip.
  func preparedContext() -> OpaquePointer { target.prepared(clips: state.clips) }

  /// The smallest rectangle of whole pixels around the clip.
  var clipRegion: PixelRect {
    var (minX, minY, maxX, maxY) = (0.0, 0.0, 0.0, 0.0)
    cairo_clip_extents(preparedContext(), &minX, &minY, &maxX, &maxY)
    var region = PixelRect(
      covering: CGRect(x: minX, y: minY, width: maxX - minX, height: maxY - minY),
      within: target.surface.region)
    if let mask = state.mask { region = region.intersection(mask.region) }
    return region
  }

  /// Draws with the state's shadow and blend mode.
  func paint(_ operation: PaintOperation) {
    if recording != nil {
      recording?.append(.paint(operation, state))
      return
    }
    if let shadow = state.shadow { paint(shadow, of: operation) }
    composite(operation)
  }

  /// Draws with the state's blend mode, within its clip and mask, without a shadow.
  func composite(_ operation: PaintOperation) {
    let region = PixelRect(covering: operation.bounds.insetBy(dx: -1, dy: -1), within: clipRegion)
    guard !region.isEmpty else { return }
    let mode = state.blendMode
    switch (mode.cairo, state.mask) {
    case (let cairoOperator?, nil) where !mode.reachesBeyondShapes:
      let cairo = preparedContext()
      apply(operation, to: cairo, with: cairoOperator)
    case (let cairoOperator?, _) where mode.replaces:
      replace(operation, cairoOperator, within: region)
    case (let cairoOperator?, let mask?):
      guard let drawn = CairoSurface(region) else { return }
      drawn.draw { apply(operation, to: $0, with: CAIRO_OPERATOR_OVER) }
      let cairo = preparedContext()
      cairo_set_operator(cairo, cairoOperator)
      cairo_set_source_surface(cairo, drawn.surface, 0, 0)
      cairo_mask_surface(cairo, mask.surface, 0, 0)
    default:
      addDarkness(operation, within: region)
    }
    if targets.count == 1 { memory.didDraw(region) }
  }

  private func apply(
    _ operation: PaintOperation, to cairo: OpaquePointer, with cairoOperator: cairo_operator_t
  ) {
    prepare(cairo, with: cairoOperator)
    operation.setSource(cairo)
    operation.drawShape(cairo)
    // Releases the source, whose pixels may belong to the caller.
    cairo_set_source_rgba(cairo, 0, 0, 0, 0)
  }

  func prepare(_ cairo: OpaquePointer, with cairoOperator: cairo_operator_t) {
    let isSmooth = state.shouldAntialias && state.allowsAntialiasing
    cairo_set_antialias(cairo, isSmooth ? CAIRO_ANTIALIAS_DEFAULT : CAIRO_ANTIALIAS_NONE)
    cairo_set_tolerance(cairo, state.flatness > 0 ? min(max(state.flatness, 0.01), 100) : 0.1)
    cairo_set_operator(cairo, cairoOperator)
  }

  /// A copy of the target's pixels within `region`.
  private func copyOfTarget(_ region: PixelRect) -> CairoSurface? {
    guard let copy = CairoSurface(region) else { return nil }
    copy.draw { cairo in
      cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE)
      cairo_set_source_surface(cairo, target.surface.surface, 0, 0)
      cairo_paint(cairo)
    }
    return copy
  }

  /// Blends the operator's result into the target by the coverage of the shape and the mask. Cairo
  /// does not do so for operators with which a transparent source differs from no source.
  private func replace(
    _ operation: PaintOperation, _ cairoOperator: cairo_operator_t, within region: PixelRect
  ) {
    guard let result = copyOfTarget(region),
      let coverage = CairoSurface(region, format: CAIRO_FORMAT_A8)
    else { return }
    result.draw { cairo in
      cairo_set_operator(cairo, cairoOperator)
      operation.setSource(cairo)
      cairo_paint(cairo)
    }
    coverage.draw { cairo in
      prepare(cairo, with: CAIRO_OPERATOR_OVER)
      cairo_set_source_rgba(cairo, 1, 1, 1, 1)
      operation.drawShape(cairo)
      guard let mask = state.mask else { return }
      cairo_identity_matrix(cairo)
      cairo_set_operator(cairo, CAIRO_OPERATOR_DEST_IN)
      cairo_set_source_surface(cairo, mask.surface, 0, 0)
      cairo_paint(cairo)
    }
    let cairo = preparedContext()
    cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE)
    cairo_set_source_surface(cairo, result.surface, 0, 0)
    cairo_mask_surface(cairo, coverage.surface, 0, 0)
  }

  /// Draws with `CGBlendMode.plusDarker`, which Cairo lacks.
  private func addDarkness(_ operation: PaintOperation, within region: PixelRect) {
    guard let result = copyOfTarget(region), let drawn = CairoSurface(region) else { return }
    drawn.draw { cairo in
      apply(operation, to: cairo, with: CAIRO_OPERATOR_OVER)
      guard let mask = state.mask else { return }
      cairo_identity_matrix(cairo)
      cairo_set_operator(cairo, CAIRO_OPERATOR_DEST_IN)
      cairo_set_source_surface(cairo, mask.surface, 0, 0)
      cairo_paint(cairo)
    }
    drawn.withBytes { source, rowBytes in
      result.withBytes { there, _ in
        for y in 0..<region.height {
          for x in stride(from: 0, to: region.width * 4, by: 4) {
            let (s, d) = (source + y * rowBytes + x, there + y * rowBytes + x)
            let (sourceAlpha, alpha) = (Int(s[3]), Int(d[3]))
            let sum = min(255, sourceAlpha + alpha)
            for channel in 0..<3 {
              let darkness = sourceAlpha - Int(s[channel]) + alpha - Int(d[channel])
              d[channel] = UInt8(min(max(sum - darkness, 0), sum))
            }
            d[3] = UInt8(sum)
          }
        }
      }
    }
    let cairo = preparedContext()
    cairo_rectangle(
      cairo, Double(region.minX), Double(region.minY), Double(region.width), Double(region.height))
    cairo_set_operator(cairo, CAIRO_OPERATOR_SOURCE)
    cairo_set_source_surface(cairo, result.surface, 0, 0)
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE)
    cairo_fill(cairo)
  }
}
