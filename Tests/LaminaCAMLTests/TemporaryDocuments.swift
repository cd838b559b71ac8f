import Foundation
import Lamina
import Testing

@testable import LaminaCAML

/// A folder for documents that a test writes; deleted with this object.
final class TemporaryDocuments {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("LaminaCAMLTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @discardableResult
  func write(_ text: String, to path: String) throws -> URL {
    try write(Data(text.utf8), to: path)
  }

  @discardableResult
  func write(_ data: Data, to path: String) throws -> URL {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    return url
  }

  /// Writes a bare document around `layer` and reads it.
  func document(_ layer: String, warnings: Warnings = Warnings()) throws -> CAMLDocument {
    let url = try write(Self.caml(layer), to: "document.caml")
    return try CAMLDocument(contentsOf: url, warnings: warnings.add)
  }

  /// The root layer of a bare document around `layer`.
  func root(_ layer: String, warnings: Warnings = Warnings()) throws -> CALayer {
    try #require(try document(layer, warnings: warnings).rootLayer.sublayers?.first)
  }

  static func caml(_ layer: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <caml xmlns="http://www.apple.com/CoreAnimation/1.0">
    \(layer)
    </caml>
    """
  }

  static func index(_ entries: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict>\(entries)</dict></plist>
    """
  }

  /// A PNG of `width` × `height` pixels in one colour.
  static func png(width: Int = 2, height: Int = 2) throws -> Data {
    let pixels = [UInt8](repeating: 255, count: width * height * 4)
    return try CGImage(width: width, height: height, unpremultipliedRGBA: pixels).pngData()
  }
}

/// The warnings of a reader.
final class Warnings {
  private(set) var all: [CAMLDiagnostic] = []
  func add(_ diagnostic: CAMLDiagnostic) { all.append(diagnostic) }
  var messages: [String] { all.map(\.message) }
}
