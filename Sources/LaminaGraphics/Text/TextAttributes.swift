import Foundation
import LaminaValues

/// Text attribute: the font, a `CTFont`; 12-point Helvetica by default.
public let kCTFontAttributeName: CFString = "NSFont"
/// Text attribute: the colour, a `CGColor`; black by default.
public let kCTForegroundColorAttributeName: CFString = "CTForegroundColor"
/// Text attribute: whether text is painted in the context's fill colour instead; false by default.
public let kCTForegroundColorFromContextAttributeName: CFString = "CTForegroundColorFromContext"
/// Text attribute: the space added behind each glyph, a number of points; 0 by default. In text
/// from right to left, half of it lies on either side.
public let kCTKernAttributeName: CFString = "NSKern"
/// Text attribute: the underline, a number: 0, the default, for none, any other for a single one.
public let kCTUnderlineStyleAttributeName: CFString = "NSUnderline"

/// The keys of AppKit's and UIKit's attributed strings that text here understands too.
extension NSAttributedString.Key {
  /// A `CTFont`, the same as `kCTFontAttributeName`.
  public static let font = NSAttributedString.Key("NSFont")
  /// A `CGColor`, like `kCTForegroundColorAttributeName`.
  public static let foregroundColor = NSAttributedString.Key("NSColor")
  /// The same as `kCTKernAttributeName`.
  public static let kern = NSAttributedString.Key("NSKern")
  /// The same as `kCTUnderlineStyleAttributeName`.
  public static let underlineStyle = NSAttributedString.Key("NSUnderline")
  /// A `CTParagraphStyle`, the same as `kCTParagraphStyleAttributeName`.
  public static let paragraphStyle = NSAttributedString.Key("NSParagraphStyle")
}
