import Dispatch
import Foundation
import Lamina
import LaminaValues

/// The pictures of two folders, in pairs by their paths within them.
struct FolderComparison {
  let references: String
  let results: String
  /// Sorted by name.
  var pairs: [PicturePair]

  /// With `ignoresMissing`, the names that only the references have are left out.
  init(references: String, results: String, ignoresMissing: Bool) throws(ImageError) {
    self.references = references
    self.results = results
    let first = Set(try Self.pictures(in: references))
    let second = Set(try Self.pictures(in: results))
    pairs = (ignoresMissing ? second : first.union(second)).sorted().map { name in
      PicturePair(
        name: name, reference: Self.path(name, in: references),
        result: Self.path(name, in: results),
        presence: !second.contains(name)
          ? .referenceOnly : first.contains(name) ? .both : .resultOnly)
    }
  }

  private static let endings: Set = ["png", "jpg", "jpeg", "webp"]

  /// The paths of the pictures in a folder and in those below it. Links to folders are not
  /// followed.
  private static func pictures(in folder: String) throws(ImageError) -> [String] {
    guard access(folder, R_OK | X_OK) == 0,
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { throw ImageError(name: folder, problem: .unreadable(code: errno)) }
    var pictures: [String] = []
    for name in names {
      let path = path(name, in: folder)
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      if !isFolder.boolValue {
        let ending = URL(fileURLWithPath: name).pathExtension.lowercased()
        if endings.contains(ending) { pictures.append(name) }
      } else if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil {
        pictures += try Self.pictures(in: path).map { "\(name)/\($0)" }
      }
    }
    return pictures
  }

  private static func path(_ name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Compares all pairs, on all cores. The result has the order of `pairs`.
  ///
  /// The differences are drawn into files in the folder `drawings`, named as the pairs are.
  func run(
    limits: ComparisonLimits, drawings: String?, forPage: Bool
  ) throws(OutputError) -> [ComparedPair] {
    if let drawings { try Self.makeFolder(drawings) }
    let compared = Lock([ComparedPair?](repeating: nil, count: pairs.count))
    let draws = forPage || drawings != nil
    DispatchQueue.concurrentPerform(iterations: pairs.count) { index in
      let pair = pairs[index]
      var result: ComparedPair
      do {
        result = try pair.compared(limits: limits, draws: draws, measuresPerception: forPage)
        if let drawings, let drawing = result.drawing {
          try Self.write(drawing, to: Self.path(pair.name, in: drawings))
        }
        if !forPage { result.drawing = nil }
      } catch let error as OutputError {
        result = ComparedPair(pair: pair, outcome: .failed(error.message))
      } catch {
        result = ComparedPair(pair: pair, outcome: .failed("\(error)"))
      }
      compared.withLock { [result] in $0[index] = result }
    }
    return compared.withLock { $0.compactMap(\.self) }
  }

  /// Writes a drawing, which is a PNG whatever the pictures are.
  private static func write(_ drawing: Data, to path: String) throws(OutputError) {
    let url = URL(fileURLWithPath: path)
    try makeFolder(url.deletingLastPathComponent().path)
    let isPNG = url.pathExtension.lowercased() == "png"
    try OutputFile.write(drawing, to: isPNG ? path : path + ".png")
  }

  private static func makeFolder(_ path: String) throws(OutputError) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw OutputError("\(path): this folder cannot be made")
    }
  }
}
