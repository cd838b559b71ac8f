import Foundation
import Lamina

/// Text layers: attributed strings, and fonts that lie in the bundle.
///
///     <string type="NSAttributedString" alignmentMode="center">
///       <run font="DejaVu Serif" fontSize="24" foregroundColor="1 0 0">Red</run><run> plain</run>
///     </string>
///     <font src="assets/Title.ttf"/>
extension DocumentReader {
  /// Reads a child of a text layer; returns false if it is a property like others.
  func readText(_ child: CAMLElement, of layer: CATextLayer) -> Bool {
    guard child.name == "string" || child.name == "font" else { return false }
    guard let element = resolve(child) else { return true }
    switch child.name {
    case "string" where element["type"] == "NSAttributedString":
      layer.string = attributedString(element)
    case "font" where element["src"] != nil:
      if let font = font(element) { layer.font = font }
    default: return false
    }
    return true
  }

  private func attributedString(_ element: CAMLElement) -> NSAttributedString {
    let string = NSMutableAttributedString(string: "")
    for child in element.children {
      guard child.name == "run" else {
        warn(child, "<\(child.name)> in an attributed string is left out")
        continue
      }
      child.isRead = true
      let text = child["value"] ?? child.text
      string.append(NSAttributedString(string: text, attributes: attributes(of: child, element)))
    }
    return string
  }

  private func attributes(
    of run: CAMLElement, _ string: CAMLElement
  ) -> [NSAttributedString.Key: Any] {
    var attributes: [NSAttributedString.Key: Any] = [:]
    let size = number("fontSize", of: run) ?? 12
    if let file = run.firstChild(named: "font"), file["src"] != nil, let font = font(file) {
      file.isRead = true
      attributes[.font] = CTFontCreateWithGraphicsFont(font, size, nil, nil)
    } else {
      attributes[.font] = CTFontCreateWithName(run["font"] ?? "Helvetica", size, nil)
    }
    if let text = run["foregroundColor"] {
      attributes[.foregroundColor] = CAMLText.color(text)
      if attributes[.foregroundColor] == nil {
        warn(run, "foregroundColor=\"\(text.prefix(60))\" is not a colour \"r g b\"")
      }
    }
    if let kern = number("kern", of: run) { attributes[.kern] = kern }
    if let style = number("underlineStyle", of: run) { attributes[.underlineStyle] = style }
    attributes[.paragraphStyle] = paragraphStyle(run) ?? paragraphStyle(string)
    return attributes
  }

  func number(_ name: String, of element: CAMLElement) -> Double? {
    guard let text = element[name] else { return nil }
    let number = CAMLText.number(text)
    if number == nil { warn(element, "\(name)=\"\(text.prefix(60))\" is not a number") }
    return number
  }

  /// The style that an attributed string or one of its runs names; nil for none.
  private func paragraphStyle(_ string: CAMLElement) -> CTParagraphStyle? {
    guard string["alignmentMode"] != nil || string["lineSpacing"] != nil else { return nil }
    let name = string["alignmentMode"] ?? "natural"
    let alignment = Self.alignments[name]
    if alignment == nil { warn(string, "alignmentMode=\"\(name.prefix(60))\" is no alignment") }
    return CTParagraphStyle(
      alignment: alignment ?? .natural, lineSpacing: number("lineSpacing", of: string) ?? 0)
  }

  static let alignments: [String: CTTextAlignment] = [
    "natural": .natural, "left": .left, "right": .right, "center": .center,
    "justified": .justified,
  ]

  /// The font that `src` names, a file of the bundle or a data: URI; nil, with a warning, if it
  /// cannot be used.
  private func font(_ element: CAMLElement) -> CGFont? {
    let src = element["src"] ?? ""
    if let known = fonts[src] {
      if known == nil { warn(element, "the font is left out, as above") }
      return known
    }
    let font = readFont(src, at: element)
    fonts[src] = .some(font)
    return font
  }

  private func readFont(_ src: String, at element: CAMLElement) -> CGFont? {
    do throws(BundleFiles.Refusal) {
      let source = try files.source(src)
      do throws(FontError) {
        switch source {
        case .file(let url): return try CGFont(contentsOf: url)
        case .data(let data): return try CGFont(data: data, named: "a data: URI")
        }
      } catch {
        if error.isOfResources { fail(element, "\(error)") } else { warn(element, "\(error)") }
      }
    } catch {
      warn(element, error.message)
    }
    return nil
  }
}
