import CCairo
import Foundation
import LaminaValues

/// How a pattern's cells are fitted to the pixels. The choice has no effect: a cell is drawn once,
/// on whole pixels, and scaled from there to the exact steps.
public enum CGPatternTiling: Int32, Sendable {
  /// By Apple's names: equal cells, almost equal steps, or equal steps.
  case noDistortion, constantSpacingMinimalDistortion, constantSpacing
}

/// The functions that draw a pattern's cell: Swift closures, unlike Apple's C functions.
public struct CGPatternCallbacks {
  /// The version of the structure, which is 0.
  public var version: UInt32
  /// Draws one cell in pattern space.
  public var drawPattern: ((UnsafeMutableRawPointer?, CGContext) -> Void)?
  /// Called when the pattern is freed.
  public var releaseInfo: ((UnsafeMutableRawPointer?) -> Void)?

  /// The functions of a pattern; nil for one that does nothing.
  public init(
    version: UInt32, drawPattern: ((UnsafeMutableRawPointer?, CGContext) -> Void)?,
    releaseInfo: ((UnsafeMutableRawPointer?) -> Void)?
  ) {
    self.version = version
    self.drawPattern = drawPattern
    self.releaseInfo = releaseInfo
  }
}

/// A cell that is repeated, in rows and columns, over whatever is painted with it.
public final class CGPattern {
  /// The cell's bounds in pattern space, to which its drawing is clipped.
  let bounds: CGRect
  /// The transform from pattern space to the user space that the context began with.
  let matrix: CGAffineTransform
  let xStep: CGFloat
  let yStep: CGFloat
  let isColored: Bool
  let drawCell: (CGContext) -> Void
  private let release: () -> Void

  /// A pattern whose cells have the bounds `bounds` and are `xStep` and `yStep` apart, all in
  /// pattern space, which `matrix` maps to the user space that the context began with. An
  /// uncoloured pattern is a stencil, painted in the colour that is set with it. Nil if the bounds
  /// are empty, a step is zero or a number is not finite.
  public convenience init?(
    bounds: CGRect, matrix: CGAffineTransform = .identity, xStep: CGFloat, yStep: CGFloat,
    tiling: CGPatternTiling = .constantSpacing, isColored: Bool = true,
    draw: @escaping (CGContext) -> Void
  ) {
    self.init(
      bounds: bounds, matrix: matrix, xStep: xStep, yStep: yStep, isColored: isColored,
      drawCell: draw, release: {})
  }

  /// A pattern like that of the initialiser with a closure, with callbacks, which are passed
  /// `info`.
  public convenience init?(
    info: UnsafeMutableRawPointer?, bounds: CGRect, matrix: CGAffineTransform, xStep: CGFloat,
    yStep: CGFloat, tiling: CGPatternTiling, isColored: Bool,
    callbacks: UnsafePointer<CGPatternCallbacks>
  ) {
    guard let draw = callbacks.pointee.drawPattern else { return nil }
    let release = callbacks.pointee.releaseInfo
    self.init(
      bounds: bounds, matrix: matrix, xStep: xStep, yStep: yStep, isColored: isColored,
      drawCell: { draw(info, $0) }, release: { release?(info) })
  }

  private init?(
    bounds: CGRect, matrix: CGAffineTransform, xStep: CGFloat, yStep: CGFloat, isColored: Bool,
    drawCell: @escaping (CGContext) -> Void, release: @escaping () -> Void
  ) {
    let numbers = [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY, xStep, yStep]
    guard numbers.allSatisfy(\.isFinite), !bounds.isEmpty, xStep != 0, yStep != 0 else {
      return nil
    }
    self.bounds = bounds.standardized
    self.matrix = matrix
    (self.xStep, self.yStep) = (abs(xStep), abs(yStep))
    self.isColored = isColored
    self.drawCell = drawCell
    self.release = release
  }

  deinit { release() }

  /// The pixels that repeat, and the transform from pattern space to them. Nil if out of memory.
  fileprivate func tile(
    pixelsPerStep: CGSize, color: CGColor, space: CGColorSpace, alpha: CGFloat
  ) -> (surface: CairoSurface, toTile: CGAffineTransform)? {
    func count(_ pixels: CGFloat) -> Int { Int(min(max(pixels.rounded(), 1), 4096)) }
    let (width, height) = (count(pixelsPerStep.width), count(pixelsPerStep.height))
    let toTile = CGAffineTransform(translationX: -bounds.minX, y: -bounds.minY).concatenating(
      CGAffineTransform(scaleX: CGFloat(width) / xStep, y: CGFloat(height) / yStep))
    let memory = BitmapMemory(
      nil, width: width, height: height, stride: 0, format: CAIRO_FORMAT_ARGB32, order: .native)
    guard let memory,
      let context = CGContext(
        memory: memory, space: space, info: [], transform: toTile, clip: nil)
    else { return nil }
    if !isColored {
      context.setFillColor(color)
      context.setStrokeColor(color)
      context.ignoresColors = true
    }
    // Cells larger than the steps overlap the following cells.
    let columns = min(Int(min((bounds.width / xStep).rounded(.up), 16)), 16)
    let rows = min(Int(min((bounds.height / yStep).rounded(.up), 16)), 16)
    for row in (0..<max(rows, 1)).reversed() {
      for column in (0..<max(columns, 1)).reversed() {
        context.saveGState()
        context.translateBy(x: -CGFloat(column) * xStep, y: -CGFloat(row) * yStep)
        context.clip(to: bounds)
        drawCell(context)
        context.restoreGState()
      }
    }
    // A copy with its own memory: the context's is freed with the context.
    let copy = memory.surface.faded(by: alpha * (isColored ? color.alpha : 1))
    return copy.map { ($0, toTile) }
  }
}

extension CGColorSpace {
  /// The colour space to set before an uncoloured pattern: the space of the pattern's colour
  /// components.
  public convenience init?(patternBaseSpace baseSpace: CGColorSpace?) {
    self.init(baseSpace?.kind ?? .sRGB)
  }
}

extension CGContext {
  /// Sets the pattern that fills are painted with. `components` holds the alpha of a coloured
  /// pattern, or the colour of an uncoloured one in the fill colour space, alpha last.
  public func setFillPattern(_ pattern: CGPattern, colorComponents: UnsafePointer<CGFloat>) {
    guard !ignoresColors, let color = color(for: pattern, state.fillSpace, colorComponents)
    else { return }
    state.fill = .pattern(pattern, color: color)
  }

  /// Sets the pattern that lines are painted with. `components` holds the alpha of a coloured
  /// pattern, or the colour of an uncoloured one in the stroke colour space, alpha last.
  public func setStrokePattern(_ pattern: CGPattern, colorComponents: UnsafePointer<CGFloat>) {
    guard !ignoresColors, let color = color(for: pattern, state.strokeSpace, colorComponents)
    else { return }
    state.stroke = .pattern(pattern, color: color)
  }

  /// Sets the distance by which patterns are moved, in the user space that the context began with.
  public func setPatternPhase(_ phase: CGSize) {
    if phase.width.isFinite, phase.height.isFinite { state.patternPhase = phase }
  }

  private func color(
    for pattern: CGPattern, _ space: CGColorSpace, _ components: UnsafePointer<CGFloat>
  ) -> CGColor? {
    let color =
      pattern.isColored
      ? CGColor(gray: 0, alpha: components[0])
      : CGColor(colorSpace: space, components: components)
    return color?.isFinite == true ? color : nil
  }

  /// A closure that sets Cairo's source to a pattern; nil if the pattern paints nothing.
  func source(of pattern: CGPattern, color: CGColor) -> ((OpaquePointer) -> Void)? {
    let phase = state.patternPhase
    let toPixels = pattern.matrix
      .concatenating(CGAffineTransform(translationX: phase.width, y: phase.height))
      .concatenating(baseTransform)
    guard toPixels.cairo != nil else { return nil }
    func length(_ x: CGFloat, _ y: CGFloat) -> CGFloat { (x * x + y * y).squareRoot() }
    let step = CGSize(
      width: length(toPixels.a, toPixels.b) * pattern.xStep,
      height: length(toPixels.c, toPixels.d) * pattern.yStep)
    let tile = pattern.tile(
      pixelsPerStep: step, color: color, space: space, alpha: state.alpha)
    guard let (surface, toTile) = tile else { return nil }
    let place = toTile.inverted().concatenating(toPixels)
    guard place.cairo != nil else { return nil }
    return { [self] cairo in setSource(cairo, surface, place: place, extend: CAIRO_EXTEND_REPEAT) }
  }
}
