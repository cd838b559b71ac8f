import Foundation
import Lamina

/// One document file with its layers, before it is placed.
struct DocumentFile {
  /// The size that the root layer's bounds are scaled to fill, in the document's units.
  var size: CGSize
  var root: CALayer
  /// Whether y points up.
  var isYUp: Bool
  /// Whether the document's units are pixels of a screen with three pixels per point.
  var unitsAreScreenPixels: Bool
  /// The layers that have states.
  var layersWithStates: [CALayer]
  /// Where the images came from.
  var sources: [CGImage: BundleFiles.Source]
  /// The videos that layers show.
  var videos: [ObjectIdentifier: CAMLVideo]

  /// Stacks files, of which there must be several, from back to front, centred. Each is scaled by a
  /// factor.
  init(stacking files: [DocumentFile], scales: [Double], size: CGSize) {
    let stack = CALayer()
    stack.bounds = CGRect(origin: .zero, size: size)
    for (file, scale) in zip(files, scales) {
      let layer = file.placed()
      layer.position = CGPoint(x: size.width / 2, y: size.height / 2)
      if scale != 1 { layer.transform = CATransform3DMakeScale(scale, scale, 1) }
      stack.addSublayer(layer)
    }
    self.size = size
    root = stack
    isYUp = false
    unitsAreScreenPixels = files.allSatisfy(\.unitsAreScreenPixels)
    layersWithStates = files.flatMap(\.layersWithStates)
    sources = files.reduce(into: [:]) { $0.merge($1.sources) { first, _ in first } }
    videos = files.reduce(into: [:]) { $0.merge($1.videos) { first, _ in first } }
  }

  /// Reads a bundle: a folder with an `index.xml` or at least a `main.caml`.
  init(bundle: URL, limits: ReadingLimits) throws(CAMLError) {
    let files = BundleFiles(folder: bundle, limits: limits)
    var index = BundleIndex()
    if let url = try Self.find(BundleIndex.fileName, in: files) {
      index = try BundleIndex(try Self.readXML(url), file: url.path)
    }
    guard let url = try Self.find(index.rootDocument, in: files) else {
      throw CAMLError(
        .unreadable, at: CAMLLocation(file: bundle.path), "no \(index.rootDocument) in the bundle")
    }
    try self.init(
      document: url, files: files, index: index, isYUp: !index.isGeometryFlipped, limits: limits)
  }

  /// Reads a single document file. If an index lies beside it, it is read as part of that bundle,
  /// else its y axis points down.
  init(file: URL, limits: ReadingLimits) throws(CAMLError) {
    let files = BundleFiles(folder: file.deletingLastPathComponent(), limits: limits)
    if let url = try Self.find(BundleIndex.fileName, in: files) {
      let index = try BundleIndex(try Self.readXML(url), file: url.path)
      try self.init(
        document: file, files: files, index: index, isYUp: !index.isGeometryFlipped, limits: limits)
    } else {
      try self.init(
        document: file, files: files, index: BundleIndex(), isYUp: false, limits: limits)
    }
  }

  /// Reads a keyed archive of layers.
  init(archive: URL, limits: ReadingLimits) throws(CAMLError) {
    let data = try Self.readData(archive)
    let location = CAMLLocation(file: archive.path)
    let (element, index): (CAMLElement, BundleIndex)
    do throws(BinaryPropertyList.Damage) {
      (element, index) = try ArchiveTranslator.translate(data) {
        limits.log.warn($0, at: location, kind: $1)
      }
    } catch {
      throw CAMLError(.malformed, at: location, "no archive that can be read: \(error.message)")
    }
    let files = BundleFiles(folder: archive.deletingLastPathComponent(), limits: limits)
    try self.init(
      element, of: archive.path, files: files, index: index, isYUp: !index.isGeometryFlipped,
      limits: limits)
    // In an archive whose y axis points down, the root layer is flipped too. Placing it with y up
    // cancels that second flip.
    if root.isGeometryFlipped { self.isYUp = true }
  }

  private init(
    document: URL, files: BundleFiles, index: BundleIndex, isYUp: Bool,
    limits: ReadingLimits
  ) throws(CAMLError) {
    try self.init(
      try Self.readXML(document), of: document.path, files: files, index: index, isYUp: isYUp,
      limits: limits)
  }

  private init(
    _ element: CAMLElement, of path: String, files: BundleFiles, index: BundleIndex, isYUp: Bool,
    limits: ReadingLimits
  ) throws(CAMLError) {
    func failure(_ element: CAMLElement, _ message: String) -> CAMLError {
      let place = CAMLLocation(file: path, line: element.line, column: element.column)
      return CAMLError(.notADocument, at: place, message)
    }
    guard element.name == "caml" else {
      throw failure(element, "the root element is <\(element.name)>, not <caml>")
    }
    guard let rootElement = element.children.first(where: { !IgnoredNames.contains($0.name) })
    else { throw failure(element, "the document has no layer") }

    let reader = DocumentReader(root: element, file: path, files: files, limits: limits)
    guard let root = reader.layer(rootElement) else {
      throw failure(rootElement, "the document has no layer")
    }
    for other in element.children where other !== rootElement {
      if !IgnoredNames.contains(other.name), !other.isRead {
        reader.warn(other, "only the first layer counts: <\(other.name)> is left out")
        other.isLeftOut = true
      }
    }
    let size = index.documentSize ?? root.bounds.standardized.size
    guard size.width > 0, size.height > 0 else {
      throw failure(rootElement, "neither the root layer's bounds nor an index give a size")
    }
    self.size = size
    self.root = root
    self.isYUp = isYUp
    unitsAreScreenPixels = index.unitsAreScreenPixels
    layersWithStates = reader.readStates(in: element)
    if let failure = reader.failure { throw failure }
    reader.warnAboutUnread(in: element)
    sources = reader.sources
    videos = reader.videos
  }

  /// Makes a document of a video, in its own size.
  init(video url: URL, _ limits: ReadingLimits) throws(CAMLError) {
    let video = CAMLVideo(url: url)
    do {
      root = try limits.makeVideoLayer?(video) ?? CALayer()
    } catch {
      throw CAMLError(.unreadable, at: CAMLLocation(file: url.path), "\(error)")
    }
    size = root.bounds.size
    guard size.width > 0, size.height > 0 else {
      throw CAMLError(.notADocument, at: CAMLLocation(file: url.path), "the video has no size")
    }
    (isYUp, unitsAreScreenPixels) = (false, false)
    (layersWithStates, sources) = ([], [:])
    videos = [ObjectIdentifier(root): video]
  }

  private static func find(_ path: String, in files: BundleFiles) throws(CAMLError) -> URL? {
    do throws(BundleFiles.Refusal) {
      return try files.file(at: path)
    } catch {
      throw CAMLError(.unreadable, at: CAMLLocation(file: files.folder.path), error.message)
    }
  }

  private static func readXML(_ url: URL) throws(CAMLError) -> CAMLElement {
    try CAMLXMLReader.read(try readData(url), file: url.path)
  }

  private static func readData(_ url: URL) throws(CAMLError) -> Data {
    let location = CAMLLocation(file: url.path)
    do throws(FileError) {
      return Data(try readFile(url.path, limit: CAMLXMLReader.maximumFileSize))
    } catch {
      if case .tooLarge(let limit) = error {
        throw CAMLError(.malformed, at: location, "larger than \(limit >> 20) MiB")
      }
      throw CAMLError(.unreadable, at: location, "cannot be read: \(error)")
    }
  }

  /// Places the root layer under a new layer so that its bounds fill `size`, whatever its position
  /// and anchor point. The new layer flips the y axis if the document's points up.
  func placed() -> CALayer {
    let frame = CALayer()
    frame.bounds = CGRect(origin: .zero, size: size)
    frame.isGeometryFlipped = isYUp
    let bounds = root.bounds.standardized
    // sublayerTransform applies about the anchor point, here the centre.
    root.position = CGPoint(
      x: size.width / 2 + (root.anchorPoint.x - 0.5) * bounds.width,
      y: size.height / 2 + (root.anchorPoint.y - 0.5) * bounds.height)
    if bounds.width > 0, bounds.height > 0, bounds.size != size {
      frame.sublayerTransform = CATransform3DMakeScale(
        size.width / bounds.width, size.height / bounds.height, 1)
    }
    frame.addSublayer(root)
    return frame
  }
}
