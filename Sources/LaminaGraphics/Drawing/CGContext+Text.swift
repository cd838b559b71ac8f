import CCairo
import Foundation
import LaminaValues

/// Which parts of text are painted, and whether the text then clips later drawing.
public enum CGTextDrawingMode: Int32, Sendable {
  /// The glyphs' outlines are filled.
  case fill = 0
  /// The outlines are filled, stroked, both or neither; the words with `clip` also clip what
  /// follows.
  case stroke, fillStroke, invisible, fillClip, strokeClip, fillStrokeClip, clip

  var fills: Bool { [.fill, .fillStroke, .fillClip, .fillStrokeClip].contains(self) }
  var strokes: Bool { [.stroke, .fillStroke, .strokeClip, .fillStrokeClip].contains(self) }
  var clips: Bool { [.clip, .fillClip, .strokeClip, .fillStrokeClip].contains(self) }
}

extension CGContext {
  /// The point at which the next line of text begins, in user space: the text matrix's translation.
  public var textPosition: CGPoint {
    get { CGPoint(x: textMatrix.tx, y: textMatrix.ty) }
    set { (textMatrix.tx, textMatrix.ty) = (newValue.x, newValue.y) }
  }

  /// Sets which parts of text are painted; `fill` at first.
  public func setTextDrawingMode(_ mode: CGTextDrawingMode) { state.textDrawingMode = mode }

  /// Does nothing: text has no colours at its edges here, which is how Apple's systems smooth
  /// fonts.
  public func setShouldSmoothFonts(_ shouldSmoothFonts: Bool) {}
  /// Does nothing: text has no colours at its edges here, which is how Apple's systems smooth
  /// fonts.
  public func setAllowsFontSmoothing(_ allowsFontSmoothing: Bool) {}
  /// Does nothing: glyphs are drawn between pixels everywhere.
  public func setShouldSubpixelPositionFonts(_ shouldSubpixelPositionFonts: Bool) {}
  /// Does nothing: glyphs are drawn between pixels everywhere.
  public func setAllowsFontSubpixelPositioning(_ allowsFontSubpixelPositioning: Bool) {}
  /// Does nothing: glyphs are drawn between pixels everywhere.
  public func setShouldSubpixelQuantizeFonts(_ shouldSubpixelQuantizeFonts: Bool) {}
  /// Does nothing: glyphs are drawn between pixels everywhere.
  public func setAllowsFontSubpixelQuantization(_ allowsFontSubpixelQuantization: Bool) {}

  /// Largest font size, in pixels, at which text is drawn as glyphs, which Cairo caches as bitmaps.
  /// Larger text is drawn as a path.
  private static let largestGlyph: CGFloat = 256

  /// Draws text in the text matrix's space.
  func draw(_ text: some DrawnText) {
    let toPixels = textMatrix.concatenating(userToPixels)
    let size = text.fontSize * toPixels.largestScale
    guard toPixels.cairo != nil, size > 0.01, size < 50_000 else { return }
    let isSmooth = state.shouldAntialias && state.allowsAntialiasing
    let asPath = size > Self.largestGlyph || !isSmooth
    let ink = text.ink.applying(toPixels)
    let mode = state.textDrawingMode
    if mode.fills, let setSource = source(of: state.fill) {
      let isPath = asPath || state.blendMode.reachesBeyondShapes
      // Where the paint replaces what is there, the outline is only its coverage.
      let isCoverage = isPath && state.blendMode.replaces
      let coloring = TextRun.Coloring(space: space, alpha: state.alpha)
      paint(
        PaintOperation(bounds: ink.insetBy(dx: -2, dy: -2), setSource: setSource) { cairo in
          text.show(
            on: cairo, in: toPixels, asPath: isPath, coloring: isCoverage ? nil : coloring)
          if isPath { cairo_fill(cairo) }
        })
    }
    guard mode.strokes || mode.clips else { return }
    let path = outline(of: text, in: toPixels)
    if mode.strokes { stroke(path) }
    if mode.clips { addClip(path, .winding) }
  }

  /// The glyphs' outlines in pixels.
  private func outline(of text: some DrawnText, in toPixels: CGAffineTransform) -> Path {
    let cairo = preparedContext()
    defer { cairo_new_path(cairo) }
    text.show(on: cairo, in: toPixels, asPath: true, coloring: nil)
    return Path(of: cairo)
  }
}

extension Path {
  /// A copy of `cairo`'s current path.
  init(of cairo: OpaquePointer) {
    self.init()
    guard let copy = cairo_copy_path(cairo) else { return }
    defer { cairo_path_destroy(copy) }
    guard copy.pointee.status == CAIRO_STATUS_SUCCESS, let data = copy.pointee.data else { return }
    func point(_ index: Int) -> CGPoint { CGPoint(x: data[index].point.x, y: data[index].point.y) }
    var index = 0
    while index < Int(copy.pointee.num_data) {
      switch data[index].header.type {
      case CAIRO_PATH_MOVE_TO: move(to: point(index + 1))
      case CAIRO_PATH_LINE_TO: addLine(to: point(index + 1))
      case CAIRO_PATH_CURVE_TO:
        addCubic(
          control1: point(index + 1), control2: point(index + 2), end: point(index + 3))
      case CAIRO_PATH_CLOSE_PATH: close()
      default: break
      }
      index += max(1, Int(data[index].header.length))
    }
  }
}
