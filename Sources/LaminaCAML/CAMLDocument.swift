import Foundation
import Lamina

/// A Core Animation document: a `.ca` bundle, a bare `.caml` file, a `.caar` archive, or a folder
/// of bundles; and, for programs that play them, a video file.
///
/// The layers belong to the document, so use a separate document for each place where it is shown.
public struct CAMLDocument {
  /// How the document is placed in a frame of another size.
  public enum Placing: Hashable, Sendable {
    /// Scaled as large as fits, and centred.
    case aspectFit
    /// Centred at its own size: for a document drawn in pixels for screens of any shape.
    case middle
  }

  /// The document's size, in points.
  public let size: CGSize
  /// The layer that shows the document. Its bounds have the origin zero and the size `size`; y
  /// points down in its superlayer, as everywhere outside a document.
  public let rootLayer: CALayer
  /// How the document is placed in a surface of another size.
  public let placing: Placing
  /// The names of all states, in the order of the files.
  public let stateNames: [String]
  /// The files that the document was read from, with its images, fonts and videos, sorted by path.
  /// Files that are named and missing are not among them.
  public let files: [URL]

  /// The layers in the form in which a file has them.
  let content: DocumentFile
  private let path: String
  let layersWithStates: [CALayer]
  let controller: CAStateController

  /// Reads the document at `url` and makes its layers, which are in no tree yet.
  ///
  /// Content that is not understood is left out and reported to `warnings`, and so are images that
  /// are missing or broken: each thing once, some forty lines at most, of which the last ones say
  /// how many more there are. Throws a `CAMLError` if there is no document that can be shown, or if
  /// the process has no memory or no descriptor left for an image or a font.
  ///
  /// `videoLayer` makes the layers that show videos, such as `CAVideoLayer` of the product
  /// LaminaVideo; without it, a video is drawn as a plain layer, with a warning.
  public init(
    contentsOf url: URL, warnings: @escaping (CAMLDiagnostic) -> Void = { _ in },
    videoLayer: CAMLVideo.LayerMaker? = nil
  ) throws(CAMLError) {
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    defer { CATransaction.commit() }
    path = url.path
    var read: Set<URL> = []
    let files = try Self.withLog(warnings) { log throws(CAMLError) in
      let limits = ReadingLimits(log: log, makeVideoLayer: videoLayer)
      let files = try Self.read(url, limits: limits)
      read = limits.files
      return files
    }
    self.files = read.sorted { $0.path < $1.path }
    let inPixels = files.allSatisfy(\.unitsAreScreenPixels)
    // Files in pixels are scaled to points, unless all the document's files are in pixels.
    let scales = files.map { $0.unitsAreScreenPixels && !inPixels ? 1 / 3.0 : 1 }
    let sizes = zip(files, scales).map {
      CGSize(width: $0.size.width * $1, height: $0.size.height * $1)
    }
    let size = sizes.min { $0.width * $0.height < $1.width * $1.height } ?? .zero
    self.size = size
    placing = inPixels ? .middle : .aspectFit
    var names: [String] = []
    layersWithStates = files.flatMap(\.layersWithStates)
    var seen: Set<String> = []
    for state in layersWithStates.flatMap({ $0.states ?? [] })
    where seen.insert(state.name).inserted {
      names.append(state.name)
    }
    stateNames = names
    content =
      files.count == 1 ? files[0] : DocumentFile(stacking: files, scales: scales, size: size)
    rootLayer = content.placed()
    controller = CAStateController(layer: rootLayer)
  }

  /// Reads the document at `path`.
  public init(
    contentsOfFile path: String, warnings: @escaping (CAMLDiagnostic) -> Void = { _ in }
  ) throws(CAMLError) {
    try self.init(contentsOf: URL(fileURLWithPath: path), warnings: warnings)
  }
}

// MARK: - Finding the files

extension CAMLDocument {
  private static func read(
    _ url: URL, limits: ReadingLimits
  ) throws(CAMLError) -> [DocumentFile] {
    let location = CAMLLocation(file: url.path)
    var status = stat()
    guard stat(url.path, &status) == 0 else {
      let code = errno
      throw CAMLError(
        .unreadable, at: location,
        code == ENOENT ? "no such file or folder" : "cannot be read: \(FileError.reason(code))")
    }
    if status.st_mode & S_IFMT != S_IFDIR {
      limits.files.insert(url)
      switch url.pathExtension.lowercased() {
      case "caml", "xml": return [try DocumentFile(file: url, limits: limits)]
      case "caar": return [try DocumentFile(archive: url, limits: limits)]
      case let name where CAMLVideo.pathExtensions.contains(name) && limits.makeVideoLayer != nil:
        return [try DocumentFile(video: url, limits)]
      default:
        throw CAMLError(
          .unreadable, at: location, "neither a .caml file, a .ca bundle nor a .caar archive")
      }
    }
    if isBundle(url) { return [try DocumentFile(bundle: url, limits: limits)] }
    var files: [DocumentFile] = []
    for bundle in try bundles(in: url) {
      files.append(try DocumentFile(bundle: bundle, limits: limits))
    }
    guard !files.isEmpty else {
      throw CAMLError(.unreadable, at: location, "no .ca bundle in the folder")
    }
    return files
  }

  private static func isBundle(_ url: URL) -> Bool {
    url.pathExtension.lowercased() == "ca"
      || ["main.caml", BundleIndex.fileName].contains {
        FileManager.default.fileExists(atPath: url.appendingPathComponent($0).path)
      }
  }

  /// The bundles of a folder, from back to front: background, floating, foreground, then any others
  /// by name.
  private static func bundles(in folder: URL) throws(CAMLError) -> [URL] {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = FileError.reason(errno)
      throw CAMLError(
        .unreadable, at: CAMLLocation(file: folder.path), "cannot be read: \(reason)")
    }
    close(descriptor)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    func depth(_ name: String) -> Int {
      let name = name.lowercased()
      return ["background", "floating", "foreground"].firstIndex { name.contains($0) } ?? 3
    }
    return names.filter { $0.lowercased().hasSuffix(".ca") }
      .sorted { (depth($0), $0) < (depth($1), $1) }
      .map { folder.appendingPathComponent($0) }
  }
}

// MARK: - States

extension CAMLDocument {
  /// Undoes what earlier calls set, then applies the named states in order; without names, the
  /// document is left as it was read. A name stands for the states of that name in all bundles.
  /// Throws `unknownState` if there is no state of a name.
  ///
  /// The animations of the document's state transitions run at `transitionSpeed` times their own
  /// speed and begin at the next commit; 0 applies the states without animations.
  public func apply(states names: [String], transitionSpeed: Float = 0) throws(CAMLError) {
    try requireStates(names)
    controller.setStates(
      layersWithStates.map { layer in (layer, names.compactMap { layer.state(withName: $0) }) },
      transitionSpeed: transitionSpeed)
  }

  /// Throws `unknownState` if there is no state of one of the names.
  package func requireStates(_ names: [String]) throws(CAMLError) {
    for name in names where !stateNames.contains(name) {
      let rest = stateNames.count - Self.maximumListed
      let known = stateNames.prefix(Self.maximumListed).map { "\"\($0)\"" }.joined(separator: ", ")
      throw CAMLError(
        .unknownState, at: CAMLLocation(file: path),
        stateNames.isEmpty
          ? "no state \"\(name)\": the document has none"
          : "no state \"\(name)\"; there are \(known)" + (rest > 0 ? " and \(rest) more" : ""))
    }
  }

  /// The largest number of states that an error names.
  private static let maximumListed = 50

  /// Undoes what earlier calls set, then applies one state.
  public func apply(state name: String, transitionSpeed: Float = 0) throws(CAMLError) {
    try apply(states: [name], transitionSpeed: transitionSpeed)
  }
}
