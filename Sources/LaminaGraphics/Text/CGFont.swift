import Foundation
import LaminaValues

/// A font without a size: one that is installed, or a file's.
///
/// A file's font is drawn as the file has it, whatever fonts of its name are installed. Characters
/// that it lacks are drawn in other fonts.
public final class CGFont: Hashable, Sendable {
  /// The name under which fonts are looked for.
  package let name: String
  /// The bytes of the file; nil for an installed font.
  package let data: Data?

  /// A font by its family name or PostScript name. If there is none, its substitute is used.
  public init?(_ name: CFString) {
    guard !name.isEmpty else { return nil }
    self.name = name
    data = nil
  }

  /// The font of a file's bytes: TrueType, OpenType, or of another format that FreeType reads.
  /// `name` is for messages. A process uses fonts of at most 64 files, of 64 MiB
  /// each and 256 MiB in all.
  public init(data: Data, named name: String) throws(FontError) {
    self.data = data
    var result: Result<String, FontError> = .failure(.notAFont(name))
    TextEngine.shared.withLock { engine in
      do throws(FontError) {
        result = .success(try engine.family(ofFile: data, named: name))
      } catch {
        result = .failure(error)
      }
    }
    self.name = try result.get()
  }

  /// The font of a file.
  public convenience init(contentsOf url: URL) throws(FontError) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try readFile(url.path, limit: TextEngine.largestFile)
    } catch {
      switch error {
      case .system(let code): throw .unreadable(url.path, code: code)
      case .tooLarge: throw .tooLarge(url.path)
      }
    }
    try self.init(data: Data(bytes), named: url.path)
  }

  public static func == (a: CGFont, b: CGFont) -> Bool { a.name == b.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A font at a size in points: 12 if it is not positive, and at most 10,000. `matrix` and
/// `attributes` are ignored.
public func CTFontCreateWithGraphicsFont(
  _ font: CGFont, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?, _ attributes: Any?
) -> CTFont {
  CTFont(name: font.name, size: size, graphicsFont: font.data == nil ? nil : font)
}
