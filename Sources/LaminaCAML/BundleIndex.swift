import Foundation
import Lamina

/// The settings in a bundle's `index.xml` that matter for drawing.
struct BundleIndex: Equatable {
  /// The document's file in the bundle.
  var rootDocument = "main.caml"
  /// The document's size, in its units; nil if the index gives none.
  var documentSize: CGSize?
  /// Whether the document's y axis points down.
  var isGeometryFlipped = false
  /// Whether the document's units are pixels of a screen with three pixels per point.
  var unitsAreScreenPixels = false

  static let fileName = "index.xml"

  init() {}

  /// Reads a property list in XML form. Unknown keys are ignored.
  init(_ root: CAMLElement, file: String) throws(CAMLError) {
    guard root.name == "plist", let dictionary = root.firstChild(named: "dict") else {
      throw CAMLError(
        .notADocument, at: CAMLLocation(file: file, line: root.line, column: root.column),
        "not a property list of a dictionary")
    }
    var (width, height): (Double?, Double?)
    for (key, value) in zip(dictionary.children, dictionary.children.dropFirst())
    where key.name == "key" {
      switch key.text {
      case "rootDocument": rootDocument = value.text
      case "documentWidth": width = CAMLText.number(value.text)
      case "documentHeight": height = CAMLText.number(value.text)
      case "geometryFlipped": isGeometryFlipped = Self.bool(value)
      case "unitsInPixelsInPlayer": unitsAreScreenPixels = Self.bool(value)
      default: break
      }
    }
    if let width, let height, width > 0, height > 0 {
      documentSize = CGSize(width: width, height: height)
    }
  }

  private static func bool(_ element: CAMLElement) -> Bool {
    element.name == "true" || CAMLText.bool(element.text) == true
  }
}
