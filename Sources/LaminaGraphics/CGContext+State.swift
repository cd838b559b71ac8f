import Foundation
import LaminaValues

extension CGContext {
  /// Saves the graphics state: the matrix, the clip, colours, the line's style, the shadow, and all
  /// that has a setter, but neither the path nor the text matrix.
  public func saveGState() {
    targets[targets.count - 1].savedStates.append(state)
  }

  /// Brings back the state saved last; ignored where none was saved since the transparency layer
  /// began.
  public func restoreGState() {
    if let saved = targets[targets.count - 1].savedStates.popLast() { state = saved }
  }

  /// Multiplies all that is drawn from now on by `alpha`, 0…1; 1 at first.
  public func setAlpha(_ alpha: CGFloat) {
    if !alpha.isNaN { state.alpha = min(max(alpha, 0), 1) }
  }

  /// Fades all that is drawn from now on by `factor`, 0…1, besides what `setAlpha` said.
  package func multiplyAlpha(by factor: CGFloat) { setAlpha(state.alpha * factor) }

  /// How drawing is combined with what is there; `normal` at first.
  public func setBlendMode(_ mode: CGBlendMode) { state.blendMode = mode }

  /// Whether edges are smooth; true at first.
  public func setShouldAntialias(_ shouldAntialias: Bool) {
    state.shouldAntialias = shouldAntialias
  }

  /// Whether `setShouldAntialias` has its way; without, edges are never smooth. True at first.
  public func setAllowsAntialiasing(_ allowsAntialiasing: Bool) {
    state.allowsAntialiasing = allowsAntialiasing
  }

  /// How images are scaled; `default` at first.
  public var interpolationQuality: CGInterpolationQuality {
    get { state.interpolationQuality }
    set { state.interpolationQuality = newValue }
  }

  /// How far, in pixels, a curve may be from the lines it is drawn as; 0, at first, is a tenth of a
  /// pixel.
  public func setFlatness(_ flatness: CGFloat) {
    if flatness.isFinite { state.flatness = max(0, flatness) }
  }
}

// MARK: - Lines

extension CGContext {
  /// The width of lines in user space, half on either side; 1 at first, and nothing is drawn with 0.
  public func setLineWidth(_ width: CGFloat) {
    if width.isFinite, width >= 0 { state.lineWidth = width }
  }

  /// How lines end; `butt` at first.
  public func setLineCap(_ cap: CGLineCap) { state.lineCap = cap }

  /// How segments meet; `miter` at first.
  public func setLineJoin(_ join: CGLineJoin) { state.lineJoin = join }

  /// The longest miter, as a multiple of the line's width, before it becomes a bevel; 10 at first.
  public func setMiterLimit(_ limit: CGFloat) {
    if limit.isFinite, limit > 0 { state.miterLimit = limit }
  }

  /// Draws lines as dashes and gaps of these lengths in turn, in user space, beginning `phase` into
  /// them. No lengths, as at first, give a solid line; so do lengths that are all 0. Negative ones
  /// are ignored together.
  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    guard phase.isFinite, lengths.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return }
    state.dashPhase = phase
    state.dashLengths = lengths.contains { $0 > 0 } ? lengths : []
  }
}

// MARK: - Colours

extension CGContext {
  /// What fills and text are painted with; black at first.
  public func setFillColor(_ color: CGColor) {
    guard color.isFinite, !ignoresColors else { return }
    state.fill = .color(color)
    state.fillSpace = color.colorSpace ?? state.fillSpace
  }

  /// What lines are painted with; black at first.
  public func setStrokeColor(_ color: CGColor) {
    guard color.isFinite, !ignoresColors else { return }
    state.stroke = .color(color)
    state.strokeSpace = color.colorSpace ?? state.strokeSpace
  }

  /// `setFillColor` with a colour of the device's RGB space, which is sRGB.
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    setFillColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  /// `setStrokeColor` with a colour of the device's RGB space, which is sRGB.
  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    setStrokeColor(CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  /// `setFillColor` with a gray.
  public func setFillColor(gray: CGFloat, alpha: CGFloat) {
    setFillColor(CGColor(gray: gray, alpha: alpha))
  }

  /// `setStrokeColor` with a gray.
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) {
    setStrokeColor(CGColor(gray: gray, alpha: alpha))
  }

  /// The space of `setFillColor(_:)` with components, and its black as the colour.
  public func setFillColorSpace(_ space: CGColorSpace) {
    setFillColor(CGColor(model: space.model, 0, 0, 0, alpha: 1))
  }

  /// The space of `setStrokeColor(_:)` with components, and its black as the colour.
  public func setStrokeColorSpace(_ space: CGColorSpace) {
    setStrokeColor(CGColor(model: space.model, 0, 0, 0, alpha: 1))
  }

  /// `setFillColor` with components of the space that is set, alpha last.
  public func setFillColor(_ components: UnsafePointer<CGFloat>) {
    if let color = CGColor(colorSpace: state.fillSpace, components: components) {
      setFillColor(color)
    }
  }

  /// `setStrokeColor` with components of the space that is set, alpha last.
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
  /// The straight components in an RGB space, or three times the gray in a gray one, each 0…1.
  func components(
    in space: CGColorSpace
  ) -> (red: Double, green: Double, blue: Double, alpha: Double) {
    func unit(_ v: Double) -> Double { min(max(v, 0), 1) }
    if space.model == .displayP3 || space.model == .gray,
      let color = converted(to: space, intent: .defaultIntent)
    {
      return (unit(color.c0), unit(color.c1), unit(color.c2), unit(color.alpha))
    }
    let (red, green, blue, alpha) = extendedSRGB
    return (unit(red), unit(green), unit(blue), unit(alpha))
  }
}
