import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CATextLayer {
  final func setText(_ object: Any?) {
    let text: TextString?
    switch object {
    case nil, is NSNull: text = nil
    case let string as NSAttributedString: text = TextString(string)
    case let string as String: text = TextString(string)
    case let string as NSString: text = TextString(String(describing: string))
    case let object?:
      return warn(
        "string of \(debugName) cannot be a \(Swift.type(of: object)): it takes a String or an"
          + " NSAttributedString")
    }
    change(.string, modelValues.text.string, text) { $0.text.string = text }
  }

  final func setFont(_ object: Any?) {
    let font: TextFont
    switch object {
    case nil, is NSNull: font = TextValues.defaults.font
    case let object as CTFont: font = TextFont(name: object.name, object: object)
    case let object as CGFont: font = TextFont(name: object.name, object: object)
    case let name as String: font = TextFont(name: name)
    case let object?:
      return warn(
        "font of \(debugName) cannot be a \(Swift.type(of: object)): it takes a name, a CTFont or a"
          + " CGFont")
    }
    change(.fontName, modelValues.text.font, font) { $0.text.font = font }
  }

  /// Whether a change of a property changes what the text looks like.
  final func textShows(_ property: StoredProperty) -> Bool {
    guard let string = modelValues.text.string, !string.plain.isEmpty else {
      return property == .string
    }
    return switch property {
    case .fontName, .fontSize, .foregroundColor: string.attributed == nil
    default: true
    }
  }

  /// All that the text's picture depends on.
  private struct Drawing: Hashable {
    var text: TextValues
    var bounds: CGRect
    var scale: CGFloat
    var isYUp: Bool
    var isOpaque: Bool
  }

  /// All that the picture depends on; nil if a subclass or the delegate may draw something else.
  final var textDrawing: AnyHashable? {
    guard Swift.type(of: self) == CATextLayer.self, delegate == nil else { return nil }
    return Drawing(
      text: modelValues.text, bounds: modelValues.bounds, scale: modelValues.contentsScale,
      isYUp: !contentsAreFlipped(), isOpaque: modelValues.client.isOpaque)
  }

  /// The text with its attributes; nil if there is nothing to draw.
  private var attributedText: NSAttributedString? {
    let text = modelValues.text
    guard let string = text.string, !string.plain.isEmpty else { return nil }
    if let attributed = string.attributed { return attributed }
    guard let color = text.foregroundColor, text.fontSize > 0 else { return nil }
    let font =
      switch text.font.object {
      case let font as CTFont: font.sized(text.fontSize)
      case let font as CGFont: CTFontCreateWithGraphicsFont(font, text.fontSize, nil, nil)
      default: CTFontCreateWithName(text.font.name, text.fontSize, nil)
      }
    return NSAttributedString(
      string: string.plain, attributes: [.font: font, .foregroundColor: color])
  }

  private func frame(of string: NSAttributedString, size: CGSize) -> TextFrame {
    let text = modelValues.text
    var form = TextFrame.Form(size: size)
    form.isWrapped = text.isWrapped
    form.truncation =
      switch text.truncationMode {
      case .none: nil
      case .start: .start
      case .middle: .middle
      case .end: .end
      }
    form.alignment =
      switch text.alignmentMode {
      case .natural: .natural
      case .left: .left
      case .right: .right
      case .center: .center
      case .justified: .justified
      }
    return TextFrame(string, form)
  }

  final func drawText(in context: CGContext) {
    guard let string = attributedText else {
      // There is no need for a store without a pixel.
      (modelLayer ?? self).attachments?.isDrawn = false
      return
    }
    let bounds = modelValues.bounds
    let frame = frame(of: string, size: bounds.size)
    warnOfMissing(frame.missingFonts)
    let isYUp = !contentsAreFlipped()
    frame.draw(
      in: context, at: CGPoint(x: bounds.minX, y: isYUp ? bounds.maxY : bounds.minY), isYUp: isYUp)
  }

  final var textSize: CGSize {
    guard let string = attributedText else { return .zero }
    let height = CGFloat.greatestFiniteMagnitude
    let width = modelValues.text.isWrapped ? modelValues.bounds.width : height
    let size = frame(of: string, size: CGSize(width: width, height: height)).size
    return CGSize(width: size.width.rounded(.up), height: size.height.rounded(.up))
  }

  private func warnOfMissing(_ fonts: [(name: String, substitute: String)]) {
    for (name, substitute) in fonts {
      // Nobody asked for the default font.
      if name == TextValues.defaults.font.name, !(modelLayer ?? self).isExplicit(.fontName) {
        continue
      }
      Warnings.current.report(
        "there is no font \"\(name.prefix(60))\": \(substitute) is used instead", onceFor: name,
        ofKind: "font", limit: 16)
    }
  }
}
