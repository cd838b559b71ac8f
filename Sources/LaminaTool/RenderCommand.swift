import Foundation
import Lamina
import LaminaCAML
import LaminaValues

/// `lamina render`.
struct RenderCommand {
  let document: DocumentArguments
  let form: OutputForm
  /// How frames lie on a sheet; nil if the output is no sheet.
  let sheet: SheetGrid?
  let times: FrameTimesArguments
  let background: Background
  let overlay: CARenderer.DebugOverlay?
  /// Which of the film's frames are asked for; nil for all.
  let frames: ClosedRange<Int>?
  /// The number of frames that are encoded together; nil for all.
  let pieceLength: Int?
  /// The digest that the document must have; nil for any.
  var expectedDocument: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    var document = try DocumentArguments(arguments)
    frames = try arguments.frames("--frames")
    pieceLength = try arguments.integer("--pieces", in: 2...FrameTimesArguments.maximumCount)
    // The same bytes on unlike machines, if nothing else is asked for.
    if frames != nil, document.renderer.platform == .auto,
      Environment.process["LAMINA_PLATFORM"] == nil
    {
      document.renderer.platform = .software
    }
    self.document = document
    guard let output = arguments.value("--output") else {
      throw UsageError("render: -o OUT is missing")
    }
    form = try OutputForm(output)
    sheet = try arguments.value("--tile").map { text throws(UsageError) in try SheetGrid(text) }
    if sheet != nil, !form.isOnePNG {
      throw UsageError("--tile: frames lie side by side in a PNG, x.png, and in nothing else")
    }
    times = try FrameTimesArguments(arguments, form: form, sheet: sheet)
    let fallback: Background =
      form.keepsTransparency ? .none : .color(CGColor(red: 0, green: 0, blue: 0, alpha: 1))
    background = try arguments.background("--background") ?? fallback
    if background == .none, let name = form.opaqueFormat {
      throw UsageError(
        "--background none: \(name) has no transparency; .webm, .gif, .apng, PNG files and raw"
          + " frames have")
    }
    overlay = try arguments.overlay("--debug")
    try checkSegment()
  }

  /// Throws if a part of a film is asked for that cannot be one.
  private func checkSegment() throws(UsageError) {
    var (isSegment, isInPieces) = (false, false)
    switch form {
    case .segment: isSegment = true
    case .film(_, .mp4), .film(_, .webm): isInPieces = pieceLength != nil
    default: break
    }
    guard pieceLength == nil || isInPieces else {
      throw UsageError("--pieces: only .mp4 and .webm are made of pieces")
    }
    guard let frames else { return }
    guard isSegment || isInPieces else {
      throw UsageError("--frames: a part of a film is a segment, x.mkv, which lamina join takes")
    }
    if let pieceLength, frames.lowerBound % pieceLength != 0 {
      throw UsageError(
        "--frames: a piece of \(pieceLength) frames does not begin with \(frames.lowerBound)")
    }
    guard overlay != .cache && overlay != .updates else {
      throw UsageError(
        "--debug: what it marks of the cache and of updates depends on the frames before, so a"
          + " part of a film cannot show it")
    }
  }

  /// Renders. Calls `report` with the number of frames that are done.
  func run(report: ((Int) -> Void)? = nil) async throws -> ExitStatus {
    let ffmpeg = try findFFmpeg()
    if case .raw = form, isatty(STDOUT_FILENO) == 1 {
      throw UsageError("--output: raw frames do not go to a terminal")
    }
    let stage = try DocumentStage(
      document, background: background, keepsWide: form.hasSixteenBits, overlay: overlay)
    try sheet?.requireRoom(for: stage.pixelSize)
    if let expectedDocument, try stage.document.digest(path: document.path) != expectedDocument {
      throw InputError("\(document.path): is not the document that the job was made of")
    }
    let times =
      times.needsLength
      ? try times.times(of: stage.lastMotion) : try times.times(until: times.start)
    let frames = frames ?? 0...times.count - 1
    guard frames.upperBound < times.count else {
      throw UsageError(
        "--frames: the film has \(times.count) frames, from 0 to \(times.count - 1)")
    }
    guard
      let sink = try await makeSink(stage: stage, times: times, frames: frames, ffmpeg: ffmpeg)
    else { return .success }
    let progress = ProgressBar(total: frames.count)
    defer { progress.finish() }
    var done = 0
    try await stage.frames(at: frames.map { times[$0] }) { image in
      try sink.write(image)
      done += 1
      progress.update(done)
      report?(done)
    }
    if let sheet, times.count < sheet.cellCount {
      let empty = try stage.emptyFrame()
      for _ in times.count..<sheet.cellCount { try sink.write(empty) }
    }
    try sink.finish()
    return .success
  }

  /// Returns ffmpeg's path if the output is a film. Throws before any work if ffmpeg is missing.
  private func findFFmpeg() throws(UsageError) -> String? {
    guard case .film(_, let format) = form else { return nil }
    guard let path = FilmTools.executable("ffmpeg") else {
      throw UsageError(
        ".\(format.rawValue) needs ffmpeg, which is not in PATH: install it, or write x-%04d.png"
          + " or x.y4m")
    }
    return path
  }

  /// nil if the output is a segment that is there already.
  private func makeSink(
    stage: DocumentStage, times: FrameTimes, frames: ClosedRange<Int>, ffmpeg: String?
  ) async throws -> (any FrameSink)? {
    switch form {
    case .segment(let path):
      return try await makeSegmentSink(
        path, format: nil, stage: stage, times: times, frames: frames)
    case .png(let path):
      if let sheet { return try SheetSink(path: path, grid: sheet) }
      return PNGSink(file: try OutputFile(path: path))
    case .pngSequence(let start, let digits, let end):
      return try PNGSequenceSink(start: start, digits: digits, end: end)
    case .raw:
      return RawSink(stream: ByteStream(descriptor: STDOUT_FILENO, name: "the standard output"))
    case .y4m(let path): return try Y4MSink(path: path, framesPerSecond: times.rate)
    case .film(let path, let format) where self.frames != nil:
      return try await makeSegmentSink(
        path, format: format, stage: stage, times: times, frames: frames)
    case .film(let path, let format):
      if let pieceLength {
        return try PiecesSink(
          path: path, format: format, pieceLength: pieceLength, size: stage.pixelSize,
          rate: times.rate, isTransparent: background == .none)
      }
      return try FFmpegSink(
        ffmpeg: ffmpeg ?? "ffmpeg", path: path, width: stage.pixelSize.width,
        height: stage.pixelSize.height, framesPerSecond: times.rate,
        arguments: FilmEncoding.arguments(for: format, keepsTransparency: background == .none))
    }
  }
}
