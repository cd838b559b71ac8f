import Dispatch
import Foundation
import LaminaValues

/// The segments of one film, in order.
struct SegmentList {
  let files: [SegmentFile]

  /// Reads all labels. Throws an `InputError` unless the segments are whole, of one film, and all
  /// that it has. Copies of a segment count once, and their order does not matter.
  init(paths: [String], tools: FilmTools) throws {
    guard !paths.isEmpty else { throw InputError("there is no segment to join") }
    let found = Self.read(paths, tools: tools)
    let errors = found.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    if let first = errors.first {
      let rest = errors.count > 1 ? "; so are \(errors.count - 1) more" : ""
      throw InputError(first.message + rest)
    }
    files = try Self.inOrder(found.compactMap { try? $0.get() })
  }

  /// Reads files, on all cores. The results have the order of `paths`.
  private static func read(
    _ paths: [String], tools: FilmTools
  ) -> [Result<SegmentFile, InputError>] {
    let found = Lock([Result<SegmentFile, InputError>?](repeating: nil, count: paths.count))
    DispatchQueue.concurrentPerform(iterations: paths.count) { index in
      let result = Result { () throws(InputError) in
        try SegmentFile(path: paths[index], tools: tools)
      }
      found.withLock { [result] in $0[index] = result }
    }
    return found.withLock { $0.compactMap(\.self) }
  }

  private static func inOrder(_ files: [SegmentFile]) throws(InputError) -> [SegmentFile] {
    var ordered: [SegmentFile] = []
    let first = files[0]
    for file in files.sorted(by: { $0.label.frames.lowerBound < $1.label.frames.lowerBound }) {
      guard file.label.document == first.label.document else {
        throw InputError("\(file.path): is of another document than \(first.path)")
      }
      guard file.label.film == first.label.film, file.label.filmCount == first.label.filmCount,
        file.label.rate == first.label.rate,
        (file.width, file.height) == (first.width, first.height)
      else {
        throw InputError(
          "\(file.path): is of another film than \(first.path): it was drawn with other flags, or"
            + " on a machine that draws the first frame differently, such as for want of a font")
      }
      if file.label.frames == ordered.last?.label.frames { continue }
      let next = (ordered.last?.label.frames.upperBound ?? -1) + 1
      guard file.label.frames.lowerBound >= next else {
        throw InputError(
          "\(file.path): begins with frame \(file.label.frames.lowerBound), which"
            + " \(ordered.last?.path ?? "") has too")
      }
      guard file.label.frames.lowerBound == next else {
        throw InputError(missing(next...file.label.frames.lowerBound - 1))
      }
      ordered.append(file)
    }
    let end = (ordered.last?.label.frames.upperBound ?? -1) + 1
    guard end == first.label.filmCount else {
      throw InputError(missing(end...first.label.filmCount - 1))
    }
    return ordered
  }

  private static func missing(_ frames: ClosedRange<Int>) -> String {
    frames.count == 1
      ? "no segment has frame \(frames.lowerBound)"
      : "no segment has frames \(frames.lowerBound) to \(frames.upperBound)"
  }

  /// Encodes the film. Calls `report` with the number of frames that are done.
  func encode(
    to path: String, format: OutputForm.FilmFormat, tools: FilmTools, report: (Int) -> Void
  ) throws {
    let first = files[0]
    if first.label.pieceLength != nil { return try copy(to: path, format: format, tools: tools) }
    if first.label.isTransparent, let name = OutputForm.film(path: path, format).opaqueFormat {
      throw UsageError("\(path): \(name) has no transparency, which the segments have")
    }
    let sink = try FFmpegSink(
      ffmpeg: tools.ffmpeg, path: path, width: first.width, height: first.height,
      framesPerSecond: first.label.rate,
      arguments: FilmEncoding.arguments(
        for: format, keepsTransparency: first.label.isTransparent))
    var done = 0
    for file in files {
      try file.decode(tools: tools) { bytes in
        try sink.write(bytes)
        done += 1
        report(done)
      }
    }
    try sink.finish()
  }

  /// Joins pieces without encoding them again.
  private func copy(to path: String, format: OutputForm.FilmFormat, tools: FilmTools) throws {
    for file in files {
      guard file.path.lowercased().hasSuffix(".\(format.rawValue)") else {
        throw UsageError("\(path): the pieces are not .\(format.rawValue): \(file.path)")
      }
      try file.verify(tools: tools)
    }
    let pieces = files.map { (path: $0.path, frameCount: $0.count) }
    try FilmPieces.join(
      pieces, rate: files[0].label.rate, to: try OutputFile(path: path), format: format,
      tools: tools)
  }
}
