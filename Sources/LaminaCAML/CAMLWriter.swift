import Foundation
import Lamina

/// Writes layers as a Core Animation document, which `CAMLDocument` and Apple's own reader read.
///
/// A document has the layers as they are now, with their masks, filters, animations, states and
/// state transitions. Reading it gives an equal tree, and writing that gives the same bytes. Images
/// that came from a document keep their files' bytes; others become PNGs. Fonts of files and videos
/// are written as files too, and others by their names. Left out, with a warning each: delegates'
/// work such as layout managers, values under keys that no class declares, and numbers that are not
/// finite.
public struct CAMLWriter {
  let root: CALayer
  let size: CGSize
  let isYUp: Bool
  let unitsAreScreenPixels: Bool
  let sources: [CGImage: BundleFiles.Source]
  let videos: [ObjectIdentifier: CAMLVideo]

  /// A document that shows `layer`. `size` is the document's size in points, by default that of the
  /// layer's bounds; the layer's bounds fill it, whatever its position. `isGeometryFlipped` says
  /// whether y points down in the document.
  public init(layer: CALayer, size: CGSize? = nil, isGeometryFlipped: Bool = true) {
    root = layer
    self.size = size ?? layer.bounds.standardized.size
    isYUp = !isGeometryFlipped
    unitsAreScreenPixels = false
    (sources, videos) = ([:], [:])
  }

  /// A document that was read, as its layers are now: values that a state set are written as the
  /// layers' own.
  public init(_ document: CAMLDocument) {
    root = document.content.root
    size = document.content.size
    isYUp = document.content.isYUp
    unitsAreScreenPixels = document.content.unitsAreScreenPixels
    sources = document.content.sources
    videos = document.content.videos
  }

  /// Creates a bundle: a folder with `main.caml`, `index.xml` and, if there are images or fonts of
  /// files, `assets`.
  /// Throws if something is at `url` already, if the layers nest deeper than documents can, or if a
  /// file cannot be written; nothing is left then.
  public func writeBundle(
    to url: URL, warnings: @escaping (CAMLDiagnostic) -> Void = { _ in }
  ) throws(CAMLError) {
    let assets = DocumentAssets(sources: sources)
    let file = url.appendingPathComponent("main.caml")
    let text = try CAMLDocument.withLog(warnings) { log throws(CAMLError) in
      let elements = DocumentElements(
        source: { assets.path(of: $0) }, fontSource: assets.path(of:_:),
        videos: videos, videoSource: { assets.path(of: $0) }
      ) { message, kind in
        log.warn(message, at: CAMLLocation(file: file.path), kind: kind)
      }
      return try self.text(elements, root, file: file)
    }
    try Self.makeFolder(url)
    do throws(CAMLError) {
      try Self.write(Data(text.utf8), to: file)
      try Self.write(Data(index.utf8), to: url.appendingPathComponent(BundleIndex.fileName))
      try write(assets, to: url.appendingPathComponent(DocumentAssets.folder))
    } catch {
      try? FileManager.default.removeItem(at: url)
      throw error
    }
  }

  /// The document as a single `.caml` file, with its images in it. y points down in such a file, so
  /// the root layer of a document whose y axis points up gets a layer around it.
  public func fileText(
    warnings: @escaping (CAMLDiagnostic) -> Void = { _ in }
  ) throws(CAMLError) -> String {
    let file = URL(fileURLWithPath: "main.caml")
    let assets = DocumentAssets(sources: sources)
    let place = CAMLLocation(file: file.lastPathComponent)
    var failure: CAMLError?
    let text = try CAMLDocument.withLog(warnings) { log throws(CAMLError) in
      let elements = DocumentElements(
        source: { image in
          do throws(ImageError) {
            let uri = try assets.dataURI(of: image)
            if uri.utf8.count < CAMLXMLReader.maximumAttributeSize { return uri }
            failure = CAMLError(
              .unwritable, at: place,
              "an image of \(image.width)x\(image.height) pixels is too large for a single file")
          } catch {
            failure = CAMLError(.unwritable, at: place, "\(error)")
          }
          return ""
        },
        fontSource: { _, data in
          let uri = DocumentAssets.dataURI(ofFont: data)
          if uri.utf8.count < CAMLXMLReader.maximumAttributeSize { return uri }
          failure = CAMLError(
            .unwritable, at: place,
            "a font's file of \(data.count) bytes is too large for a single file")
          return ""
        },
        videos: videos, videoSource: { _ in nil },
        report: { log.warn($0, at: place, kind: $1) })
      if unitsAreScreenPixels {
        elements.warn("a single file cannot say that its units are screen pixels")
      }
      let isPlain = !isYUp && root.bounds.standardized.size == size
      return try self.text(elements, isPlain ? root : root.superlayer ?? root, file: file)
    }
    if let failure { throw failure }
    return text
  }

  private func text(
    _ elements: DocumentElements, _ root: CALayer, file: URL
  ) throws(CAMLError) -> String {
    let sides = [Double(size.width), Double(size.height)]
    guard sides.allSatisfy({ $0 > 0 && $0 <= CAMLText.largestMagnitude }) else {
      throw CAMLError(
        .unwritable, at: CAMLLocation(file: file.path),
        "a document cannot be \(sides[0]) by \(sides[1]) points large")
    }
    do throws(DocumentElements.TooDeep) {
      return try elements.document(root).xmlFile
    } catch {
      throw CAMLError(
        .unwritable, at: CAMLLocation(file: file.path),
        "\(error.layer) lies deeper than the \(DocumentElements.maximumDepth) layers that a"
          + " document can nest")
    }
  }

  /// The `index.xml` of a bundle.
  private var index: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>documentHeight</key>
      <real>\(CAMLText.text(Double(size.height)))</real>
      <key>documentWidth</key>
      <real>\(CAMLText.text(Double(size.width)))</real>
      <key>geometryFlipped</key>
      <\(!isYUp)/>
      <key>rootDocument</key>
      <string>main.caml</string>
      <key>unitsInPixelsInPlayer</key>
      <\(unitsAreScreenPixels)/>
    </dict>
    </plist>

    """
  }

  private func write(_ assets: DocumentAssets, to folder: URL) throws(CAMLError) {
    guard !assets.images.isEmpty || !assets.fonts.isEmpty || !assets.videos.isEmpty else { return }
    try Self.makeFolder(folder)
    for (image, name) in assets.images {
      let url = folder.appendingPathComponent(name)
      let data: Data
      do throws(ImageError) { data = try assets.bytes(of: image) } catch {
        throw CAMLError(.unwritable, at: CAMLLocation(file: url.path), "\(error)")
      }
      try Self.write(data, to: url)
    }
    for (data, name) in assets.fonts {
      try Self.write(data, to: folder.appendingPathComponent(name))
    }
    for (file, name) in assets.videos {
      try Self.copy(file, to: folder.appendingPathComponent(name))
    }
  }

  private static func copy(_ file: URL, to url: URL) throws(CAMLError) {
    do {
      try FileManager.default.copyItem(at: file, to: url)
    } catch {
      throw CAMLError(
        .unwritable, at: CAMLLocation(file: url.path),
        "\(file.lastPathComponent) cannot be copied: \(error.localizedDescription)")
    }
  }

  private static func makeFolder(_ url: URL) throws(CAMLError) {
    guard mkdir(url.path, 0o777) != 0 else { return }
    throw unwritable(url, .system(errno))
  }

  private static func write(_ data: Data, to url: URL) throws(CAMLError) {
    do throws(FileError) { try writeFile(url.path, data) } catch { throw unwritable(url, error) }
  }

  private static func unwritable(_ url: URL, _ error: FileError) -> CAMLError {
    let isThere = error == .system(EEXIST)
    return CAMLError(
      .unwritable, at: CAMLLocation(file: url.path),
      isThere ? "there is something already" : "cannot be written: \(error)")
  }
}
