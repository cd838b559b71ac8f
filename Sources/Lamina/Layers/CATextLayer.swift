import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

/// The part of a text too large for its layer that an ellipsis replaces.
public struct CATextLayerTruncationMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The text is cut off at the layer's edges, without an ellipsis.
  public static let none = Self(.none)
  /// The start of the line is replaced.
  public static let start = Self(.start)
  /// The end of the line is replaced.
  public static let end = Self(.end)
  /// The middle of the line is replaced.
  public static let middle = Self(.middle)

  init(_ name: TextTruncation) { rawValue = name.rawValue }
  /// An unknown name counts as `none`.
  var name: TextTruncation { TextTruncation(rawValue: rawValue) ?? .none }
}

/// How the lines of a text layer lie between its left and right edges.
public struct CATextLayerAlignmentMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// As the paragraph styles of an attributed string say, else at the edge at which the paragraph's
  /// script begins.
  public static let natural = Self(.natural)
  /// At the edge of the least x.
  public static let left = Self(.left)
  /// At the edge of the greatest x.
  public static let right = Self(.right)
  /// In the middle.
  public static let center = Self(.center)
  /// Wrapped lines, except a paragraph's last one, are spread from edge to edge.
  public static let justified = Self(.justified)

  init(_ name: TextAlignment) { rawValue = name.rawValue }
  /// An unknown name counts as `natural`.
  var name: TextAlignment { TextAlignment(rawValue: rawValue) ?? .natural }
}

/// A layer that draws text, the first line at its top. Text is always upright, whatever the
/// direction of y.
///
/// The text is drawn in this process into a backing store of `bounds` times `contentsScale`, again
/// whenever something that it shows changes, and during animations of `fontSize` and
/// `foregroundColor` for each frame. Characters that the font lacks are drawn in other fonts.
open class CATextLayer: CALayer {
  package override class var kind: LayerKind { .text }

  /// The text: a String, an NSString or an NSAttributedString. Anything else is refused with a
  /// warning. Default: nil.
  ///
  /// Of attributed strings, `font` (a CTFont), `foregroundColor` (a CGColor), `kern`,
  /// `underlineStyle` and `paragraphStyle` (a CTParagraphStyle) are drawn; where they say nothing,
  /// text is black 12-point Helvetica.
  open var string: Any? {
    get {
      guard let string = modelValues.text.string else { return nil }
      if let attributed = string.attributed { return attributed }
      return string.plain
    }
    set { setText(newValue) }
  }

  /// The font of plain text: a family's or PostScript name, a CTFont, whose size does not matter,
  /// or a CGFont. Anything else is refused with a warning; nil stands for the default. If there is
  /// no such font, a warning says, once, which one is used instead. Default: "Helvetica".
  open var font: CFTypeRef? {
    get {
      let font = modelValues.text.font
      if let object = font.object { return object }
      return font.name
    }
    set { setFont(newValue) }
  }

  /// The size of plain text's font, in points. Text of a size that is not positive is not drawn.
  /// Default: 36.
  open var fontSize: CGFloat {
    get { modelValues.text.fontSize }
    set {
      change(.fontSize, modelValues.text.fontSize, newValue) { $0.text.fontSize = newValue }
    }
  }

  /// The colour of plain text; nil draws nothing. Default: opaque white.
  open var foregroundColor: CGColor? {
    get { modelValues.text.foregroundColor }
    set {
      change(.foregroundColor, modelValues.text.foregroundColor, newValue) {
        $0.text.foregroundColor = newValue
      }
    }
  }

  /// Whether lines are wrapped to fit between the left and right edges. Otherwise they end only at
  /// line breaks. Default: false.
  open var isWrapped: Bool {
    get { modelValues.text.isWrapped }
    set {
      change(.isWrapped, modelValues.text.isWrapped, newValue) { $0.text.isWrapped = newValue }
    }
  }

  /// The part of a line too long for the layer, or of the last line of a wrapped text too high for
  /// it, that an ellipsis replaces. Default: `none`.
  open var truncationMode: CATextLayerTruncationMode {
    get { CATextLayerTruncationMode(modelValues.text.truncationMode) }
    set {
      change(.truncationMode, modelValues.text.truncationMode, newValue.name) {
        $0.text.truncationMode = newValue.name
      }
    }
  }

  /// How lines lie between the left and right edges. Default: `natural`.
  open var alignmentMode: CATextLayerAlignmentMode {
    get {
      let known = modelValues.text.alignmentMode.rawValue
      return CATextLayerAlignmentMode(rawValue: keptName(of: .alignmentMode, known: known))
    }
    set {
      keepName(newValue.rawValue, of: .alignmentMode, known: newValue.name.rawValue)
      change(.alignmentMode, modelValues.text.alignmentMode, newValue.name) {
        $0.text.alignmentMode = newValue.name
      }
    }
  }

  /// A stored value without effect: glyphs are drawn between pixels everywhere. Default: false.
  open var allowsFontSubpixelQuantization: Bool {
    get { modelValues.text.allowsFontSubpixelQuantization }
    set {
      change(
        .allowsFontSubpixelQuantization, modelValues.text.allowsFontSubpixelQuantization, newValue
      ) { $0.text.allowsFontSubpixelQuantization = newValue }
    }
  }

  /// True for `string`, `font`, `fontSize`, `foregroundColor`, `wrapped`, `truncationMode` and
  /// `alignmentMode`.
  open override class func needsDisplay(forKey key: String) -> Bool {
    kind.property(key: key)?.declaration.invalidates.contains(.display)
      ?? super.needsDisplay(forKey: key)
  }

  /// The size of the text, without wrapping unless `isWrapped` is true; the layout manager's answer
  /// if there is one.
  open override func preferredFrameSize() -> CGSize {
    layoutManager == nil ? textSize : super.preferredFrameSize()
  }

  /// Draws the text in the layer's bounds.
  open override func draw(in ctx: CGContext) { drawText(in: ctx) }

  override func shows(_ property: StoredProperty) -> Bool { textShows(property) }

  override var drawing: AnyHashable? { textDrawing }
}
