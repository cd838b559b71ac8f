import Foundation
import LaminaValues

extension CGContext {
  /// Saves the graphics state: the matrix, the clip, colours, the line style, the shadow, and all
  /// else that has a setter, except the path and the text matrix.
  public func saveGState() {
    targets[targets.count - 1].savedStates.append(state)
  }

  /// Restores the state saved last; ignored if none was saved since the transparency layer began.
  public func restoreGState() {
    if let saved = targets[targets.count - 1].savedStates.popLast() { state = saved }
  }

  /// Sets the alpha, 0…1, that all later drawing is multiplied by; 1 at first.
  public func setAlpha(_ alpha: CGFloat) {
    if !alpha.isNaN { state.alpha = min(max(alpha, 0), 1) }
  }

  /// Multiplies the alpha that `setAlpha` set by `factor`, 0…1.
  package func multiplyAlpha(by factor: CGFloat) { setAlpha(state.alpha * factor) }

  /// Sets how drawing is combined with what is there; `normal` at first.
  public func setBlendMode(_ mode: CGBlendMode) { state.blendMode = mode }

  /// Sets whether edges are smooth; true at first.
  public func setShouldAntialias(_ shouldAntialias: Bool) {
    state.shouldAntialias = shouldAntialias
  }

  /// Sets whether antialiasing is allowed; if not, edges are hard whatever `setShouldAntialias`
  /// says. True at first.
  public func setAllowsAntialiasing(_ allowsAntialiasing: Bool) {
    state.allowsAntialiasing = allowsAntialiasing
  }

  /// How images are scaled; `default` at first.
  public var interpolationQuality: CGInterpolationQuality {
    get { state.interpolationQuality }
    set { state.interpolationQuality = newValue }
  }

  /// Sets how far, in pixels, a curve may be from the lines that it is drawn as. 0, the default, is
  /// a tenth of a pixel.
  public func setFlatness(_ flatness: CGFloat) {
    if flatness.isFinite { state.flatness = max(0, flatness) }
  }
}

// MARK: - Lines

extension CGContext {
  /// Sets the width of lines in user space, half of it on either side; 1 at first. Lines of width 0
  /// are not drawn.
  public func setLineWidth(_ width: CGFloat) {
    if width.isFinite, width >= 0 { state.lineWidth = width }
  }

  /// Sets how lines end; `butt` at first.
  public func setLineCap(_ cap: CGLineCap) { state.lineCap = cap }

  /// Sets how segments meet; `miter` at first.
  public func setLineJoin(_ join: CGLineJoin) { state.lineJoin = join }

  /// Sets the longest miter, as a multiple of the line width; a longer one becomes a bevel. 10 at
  /// first.
  public func setMiterLimit(_ limit: CGFloat) {
    if limit.isFinite, limit > 0 { state.miterLimit = limit }
  }

  /// Sets the lengths of a line's dashes and gaps in turn, in user space; a line begins `phase`
  /// into them. Lines are solid if there are no lengths, as at first, or all of them are 0. A call
  /// with a negative length or a number that is not finite is ignored.
  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    guard phase.isFinite, lengths.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return }
    state.dashPhase = phase
    state.dashLengths = lengths.contains { $0 > 0 } ? lengths : []
  }
}

// MARK: - Colours

extension CGContext {
  /// Sets the colour of fills and text; black at first.
  public func setFillColor(_ color: CGColor) {
    guard color.isFinite, !ignoresColors else { return }
    state.fill = .color(color)
    state.fillSpace = color.colorSpace ?? state.fillSpace
  }

  /// Sets the colour of lines; black at first.
  public func setStrokeColor(_ color: CGColor) {
    guard color.isFinite, !ignoresColors else { return }
    state.stroke = .color(color)
    state.strokeSpace = color.colorSpace ?? state.strokeSpace
  }

  /// Sets the fill colour in the device's RGB space, which is sRGB.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    setFillColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  /// Sets the stroke colour in the device's RGB space, which is sRGB.
  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    setStrokeColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  /// Sets the fill colour to a gray.
  public func setFillColor(gray: CGFloat, alpha: CGFloat) {
    setFillColor(CGColor(gray: gray, alpha: alpha))
  }

  /// Sets the stroke colour to a gray.
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) {
    setStrokeColor(CGColor(gray: gray, alpha: alpha))
  }

  /// Sets the colour space of `setFillColor(_:)` with components, and the fill colour to its black.
  public func setFillColorSpace(_ space: CGColorSpace) {
    setFillColor(CGColor(kind: space.kind, 0, 0, 0, alpha: 1))
  }

  /// Sets the colour space of `setStrokeColor(_:)` with components, and the stroke colour to its
  /// black.
  public func setStrokeColorSpace(_ space: CGColorSpace) {
    setStrokeColor(CGColor(kind: space.kind, 0, 0, 0, alpha: 1))
  }

  /// Sets the fill colour from components in the fill colour space, alpha last.
  public func setFillColor(_ components: UnsafePointer<CGFloat>) {
    if let color = CGColor(colorSpace: state.fillSpace, components: components) {
      setFillColor(color)
    }
  }

  /// Sets the stroke colour from components in the stroke colour space, alpha last.
  public func setStrokeColor(_ components: UnsafePointer<CGFloat>) {
    if let color = CGColor(colorSpace: state.strokeSpace, components: components) {
      setStrokeColor(color)
    }
  }

  /// A colour's straight components in the context's space, each 0…1.
  func components(of color: CGColor) -> (red: Double, green: Double, blue: Double, alpha: Double) {
    color.components(in: space)
  }
}

extension CGColor {
  /// The straight components in an RGB space, each 0…1; in a gray space all three are the gray.
  func components(
    in space: CGColorSpace
  ) -> (red: Double, green: Double, blue: Double, alpha: Double) {
    func unit(_ v: Double) -> Double { min(max(v, 0), 1) }
    if space.kind == .displayP3 || space.kind == .gray,
      let color = converted(to: space, intent: .defaultIntent)
    {
      return (unit(color.c0), unit(color.c1), unit(color.c2), unit(color.alpha))
    }
    let (red, green, blue, alpha) = extendedSRGB
    return (unit(red), unit(green), unit(blue), unit(alpha))
  }
}
