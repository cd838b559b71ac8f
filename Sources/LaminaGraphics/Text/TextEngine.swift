import CCairo
import CPango
import Foundation
import LaminaValues

/// Pango's fonts and the context that lays out text with them. Pango supports one thread at a time,
/// so all use of it goes through `shared`.
struct TextEngine {
  static let shared = Lock(TextEngine())

  private var fonts: OpaquePointer?
  private var openedContext: OpaquePointer?
  private var isOpened = false

  /// Nil if Pango finds no font at all, or if the process has too few descriptors left to look for
  /// one: then no text can be laid out. What fontconfig cannot open it takes for not being there,
  /// for as long as the process lives.
  var context: OpaquePointer? {
    mutating get {
      guard FileDescriptor.canOpen(Self.filesToOpen) else { return nil }
      if !isOpened { open() }
      return openedContext
    }
  }

  /// The number of files that fontconfig and FreeType have open at a time.
  private static let filesToOpen = 8

  /// The families that fontconfig has instead of those asked for, by the name asked for; an empty
  /// name for none.
  private var substitutes: [String: String] = [:]
  /// The fonts of files, by the files' bytes. They stay, since fontconfig forgets no single font.
  private var fileFonts: [Data: FontFile] = [:]

  /// The font of a file in memory, where fontconfig reads it.
  private final class FontFile {
    let family: String
    let file: FileDescriptor

    init(family: String, file: consuming FileDescriptor) {
      self.family = family
      self.file = file
    }
  }

  /// The context as a value that the compiler lets meet fonts and layouts from elsewhere. Use it
  /// only while the engine is locked.
  struct LockedContext: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  var lockedContext: LockedContext {
    mutating get { LockedContext(pointer: context) }
  }

  private mutating func open() {
    isOpened = true
    fonts = pango_cairo_font_map_new()
    guard let context = fonts.flatMap(pango_font_map_create_context) else { return }
    // Text looks the same at every position and scale, because what is drawn once becomes a texture
    // that moves.
    let options = cairo_font_options_create()
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    pango_cairo_context_set_font_options(context, options)
    cairo_font_options_destroy(options)
    pango_context_set_round_glyph_positions(context, 0)
    let anyFont = pango_font_description_from_string("Sans 12")
    defer { pango_font_description_free(anyFont) }
    guard let font = pango_context_load_font(context, anyFont) else { return }
    g_object_unref(UnsafeMutableRawPointer(font))
    openedContext = context
  }
}

// MARK: - Fonts

/// Why a file's font cannot be used.
public enum FontError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file cannot be read: a system call failed with the errno `code`.
  case unreadable(String, code: Int32)
  /// The file of this path has more bytes than a font may have.
  case tooLarge(String)
  /// The file of this path has no font.
  case notAFont(String)
  /// The process uses as many fonts of files as it can.
  case tooMany(String)
  /// There was no memory for the font of this path.
  case noMemory(String)

  public var description: String {
    switch self {
    case .unreadable(let name, let code): "\(name): cannot be read: \(FileError.reason(code))"
    case .tooLarge(let name):
      "\(name) has more than \(TextEngine.largestFile) bytes, the most that a font may have"
    case .notAFont(let name): "\(name) is no font"
    case .tooMany(let name):
      "\(name) is one too many: a process uses fonts of at most \(TextEngine.maximumFileCount) files"
        + " and \(TextEngine.maximumByteCount) bytes"
    case .noMemory(let name): "there is no memory for \(name)"
    }
  }
}

extension FontError {
  /// Whether the font could be read if the process had more memory or descriptors.
  package var isOfResources: Bool {
    switch self {
    case .unreadable(_, let code): FileError.isOfResources(code)
    case .noMemory: true
    default: false
    }
  }
}

extension TextEngine {
  static let largestFile = 64 << 20
  static let maximumFileCount = 64
  static let maximumByteCount = 256 << 20
  /// The largest number of names whose substitutes are remembered.
  private static let substituteLimit = 1024

  /// The family that is used for a family that was not found; nil if it was found.
  mutating func substitute(for family: String) -> String? {
    if let known = substitutes[family] { return known.isEmpty ? nil : known }
    let families = Self.families(for: family)
    func plain(_ name: String) -> String { name.lowercased().filter { $0 != " " } }
    let isFound =
      families.isEmpty || families.contains { plain($0) == plain(family) }
      || ["sans", "sans-serif", "serif", "monospace", "system-ui"].contains(plain(family))
    if substitutes.count < Self.substituteLimit {
      substitutes[family] = isFound ? "" : families[0]
    }
    return isFound ? nil : families[0]
  }

  /// The names of the family that fontconfig finds for a name.
  private static func families(for name: String) -> [String] {
    guard let pattern = FcPatternCreate() else { return [] }
    defer { FcPatternDestroy(pattern) }
    _ = FcPatternAddString(pattern, "family", name)
    _ = FcConfigSubstitute(nil, pattern, UInt32(LAMINA_FC_MATCH_PATTERN))
    FcDefaultSubstitute(pattern)
    var result: UInt32 = 0
    guard let match = FcFontMatch(nil, pattern, &result) else { return [] }
    defer { FcPatternDestroy(match) }
    return names(of: match, "family")
  }

  private static func names(of pattern: OpaquePointer, _ property: String) -> [String] {
    var names: [String] = []
    var name: UnsafeMutablePointer<UInt8>?
    while FcPatternGetString(pattern, property, Int32(names.count), &name)
      == UInt32(LAMINA_FC_RESULT_MATCH), let found = name
    {
      names.append(String(cString: found))
    }
    return names
  }

  /// Makes the font of a file known under a family name of its own, which no name in a document or
  /// of another font matches, and returns that name. `name` is for messages.
  mutating func family(ofFile data: Data, named name: String) throws(FontError) -> String {
    if let known = fileFonts[data] { return known.family }
    guard data.count <= Self.largestFile else {
      throw .tooLarge(name)
    }
    let byteCount = fileFonts.keys.reduce(data.count) { $0 + $1.count }
    guard fileFonts.count < Self.maximumFileCount, byteCount <= Self.maximumByteCount else {
      throw .tooMany(name)
    }
    let file: FileDescriptor
    do throws(SharedMemoryError) {
      file = try Self.memoryFile(data)
    } catch {
      throw data.isEmpty ? .notAFont(name) : .noMemory(name)
    }
    let before = Self.applicationFonts.count
    let isAdded = FcConfigAppFontAddFile(nil, "/proc/self/fd/\(file.rawValue)") != 0
    let added = Self.applicationFonts.dropFirst(before)
    guard isAdded, !added.isEmpty else { throw .notAFont(name) }
    let family = "lamina font file \(fileFonts.count + 1)"
    for font in added {
      _ = FcPatternDel(font, "family")
      _ = FcPatternAddString(font, "family", family)
    }
    fileFonts[data] = FontFile(family: family, file: file)
    if let fonts { pango_fc_font_map_config_changed(fonts) }
    return family
  }

  private static func memoryFile(_ data: Data) throws(SharedMemoryError) -> FileDescriptor {
    let bytes = [UInt8](data)
    var result: Result<Int32, SharedMemoryError> = .failure(.badSize(0))
    bytes.withUnsafeBytes { bytes in
      do throws(SharedMemoryError) {
        let file = try SharedMemory.createFile(of: bytes)
        result = .success(file.take())
      } catch {
        result = .failure(error)
      }
    }
    return FileDescriptor(rawValue: try result.get())
  }

  /// The fonts that this process added.
  private static var applicationFonts: [OpaquePointer] {
    guard let set = FcConfigGetFonts(nil, UInt32(LAMINA_FC_SET_APPLICATION)) else { return [] }
    return (0..<Int(set.pointee.count)).compactMap { set.pointee.fonts[$0] }
  }
}

/// Lengths in Pango's units.
extension CGFloat {
  init(pango units: Int32) { self = CGFloat(units) / CGFloat(LAMINA_PANGO_SCALE) }

  var pangoUnits: Int32 {
    Int32(clamping: Int((self * CGFloat(LAMINA_PANGO_SCALE)).clamped(to: 1e9).rounded()))
  }

  func clamped(to limit: CGFloat) -> CGFloat {
    isNaN ? 0 : Swift.min(Swift.max(self, -limit), limit)
  }
}
