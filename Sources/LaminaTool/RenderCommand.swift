import Foundation
import Lamina
import LaminaCAML

/// `lamina render`.
struct RenderCommand {
  let document: DocumentArguments
  let form: OutputForm
  /// How frames lie on a sheet; nil if the output is no sheet.
  let sheet: SheetGrid?
  let times: FrameTimesArguments
  let background: Background
  let overlay: CARenderer.DebugOverlay?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    document = try DocumentArguments(arguments)
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
  }

  func run() async throws -> ExitStatus {
    let ffmpeg = try findFFmpeg()
    if case .raw = form, isatty(STDOUT_FILENO) == 1 {
      throw UsageError("--output: raw frames do not go to a terminal")
    }
    let stage = try DocumentStage(
      document, background: background, keepsWide: form.hasSixteenBits, overlay: overlay)
    try sheet?.requireRoom(for: stage.pixelSize)
    let times =
      times.needsLength
      ? try times.times(of: stage.lastMotion) : try times.times(until: times.start)
    let sink = try makeSink(stage: stage, rate: times.rate, ffmpeg: ffmpeg)
    let progress = ProgressBar(total: times.count)
    defer { progress.finish() }
    var done = 0
    try await stage.frames(at: times.all) { image in
      try sink.write(image)
      done += 1
      progress.update(done)
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
    guard let path = FFmpegSink.executable() else {
      throw UsageError(
        ".\(format.rawValue) needs ffmpeg, which is not in PATH: install it, or write x-%04d.png"
          + " or x.y4m")
    }
    return path
  }

  private func makeSink(
    stage: DocumentStage, rate: FrameRate, ffmpeg: String?
  ) throws(OutputError) -> any FrameSink {
    switch form {
    case .png(let path):
      if let sheet { return try SheetSink(path: path, grid: sheet) }
      return PNGSink(file: try OutputFile(path: path))
    case .pngSequence(let start, let digits, let end):
      return try PNGSequenceSink(start: start, digits: digits, end: end)
    case .raw:
      return RawSink(stream: ByteStream(descriptor: STDOUT_FILENO, name: "the standard output"))
    case .y4m(let path): return try Y4MSink(path: path, framesPerSecond: rate)
    case .film(let path, let format):
      return try FFmpegSink(
        ffmpeg: ffmpeg ?? "ffmpeg", path: path, format: format, width: stage.pixelSize.width,
        height: stage.pixelSize.height, framesPerSecond: rate,
        keepsTransparency: background == .none)
    }
  }
}
