import Foundation
import Lamina

/// The files of one bundle. A document cannot reach files outside it, whatever `..` or links its
/// paths use.
struct BundleFiles {
  /// The folder as the caller gave it, for messages.
  let folder: URL
  /// The folder with all links resolved, ending with a slash.
  private let resolvedPath: String
  /// Where the files that were found are noted.
  private let limits: ReadingLimits?

  enum Source: Equatable {
    case file(URL)
    case data(Data)
  }

  struct Refusal: Error, Equatable {
    /// One line, such as "no file assets/a.png in the bundle".
    var message: String
  }

  init(folder: URL, limits: ReadingLimits? = nil) {
    self.folder = folder
    self.limits = limits
    let path = Self.resolve(folder.path) ?? folder.standardizedFileURL.path
    resolvedPath = path.hasSuffix("/") ? path : path + "/"
  }

  /// Returns the file or data that `src` names. `src` is a percent-encoded path relative to the
  /// bundle, an absolute path on the device that wrote the file, of which only the asset's name
  /// counts, or a `data:` URI.
  func source(_ src: String) throws(Refusal) -> Source {
    if src.lowercased().hasPrefix("data:") { return .data(try Self.data(ofURI: src)) }
    let shown = src.count > 120 ? src.prefix(120) + "…" : Substring(src)
    let decoded = src.removingPercentEncoding ?? src
    guard !decoded.contains("\0"), !decoded.isEmpty else {
      throw Refusal(message: "\"\(shown)\" names no file")
    }
    for path in [decoded, src] {
      if let url = try file(at: relativePath(path)) { return .file(url) }
    }
    throw Refusal(message: "no file \"\(shown)\" in the bundle")
  }

  /// Returns the file at `path`, relative to the folder; nil if there is none. Throws if it lies
  /// outside or is not a plain file.
  func file(at path: String) throws(Refusal) -> URL? {
    let url = folder.appendingPathComponent(path)
    guard let resolved = Self.resolve(url.path) else {
      let code = errno
      guard code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG else {
        throw Refusal(message: "\"\(path)\" cannot be read: \(FileError.reason(code))")
      }
      return nil
    }
    guard resolved.hasPrefix(resolvedPath) else {
      throw Refusal(message: "\"\(path)\" lies outside the bundle")
    }
    // Reading a pipe or a device might never end.
    var status = stat()
    guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Refusal(message: "\"\(path)\" is not a plain file")
    }
    limits?.files.insert(url)
    return url
  }

  private func relativePath(_ path: String) -> String {
    guard path.hasPrefix("/") || path.lowercased().hasPrefix("file:") else { return path }
    return "assets/" + (path.split(separator: "/").last.map(String.init) ?? "")
  }

  /// The path with all links resolved; nil if nothing is there. Calls `realpath(3)`.
  private static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func data(ofURI uri: String) throws(Refusal) -> Data {
    guard let comma = uri.firstIndex(of: ",") else {
      throw Refusal(message: "a data: URI without a comma")
    }
    let body = String(uri[uri.index(after: comma)...])
    if uri[..<comma].lowercased().hasSuffix(";base64") {
      let text = body.removingPercentEncoding ?? body
      guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
        throw Refusal(message: "a data: URI whose base64 is broken")
      }
      return data
    }
    guard let text = body.removingPercentEncoding else {
      throw Refusal(message: "a data: URI whose percent-encoding is broken")
    }
    return Data(text.utf8)
  }
}
