import Foundation
import Lamina
import LaminaCAML

/// `lamina render`.
struct RenderCommand {
  let document: DocumentArguments
  let form: OutputForm
  /// The times of the frames, in seconds, in order.
  let times: FrameTimes
  let background: Background
  let overlay: CARenderer.DebugOverlay?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    document = try DocumentArguments(arguments)
    guard let output = arguments.value("--output") else {
      throw UsageError("render: -o OUT is missing")
    }
    form = try OutputForm(output)
    times = try FrameTimes(arguments, form: form)
    let fallback: Background =
      form.keepsTransparency ? .none : .color(CGColor(red: 0, green: 0, blue: 0, alpha: 1))
    background = try arguments.background("--background") ?? fallback
    overlay = try arguments.overlay("--debug")
  }

  func run() async throws -> ExitStatus {
    let ffmpeg = try findFFmpeg()
    if case .raw = form, isatty(STDOUT_FILENO) == 1 {
      throw UsageError("--output: raw frames do not go to a terminal")
    }
    let stage = try DocumentStage(
      document, background: background, keepsWide: form.hasSixteenBits, overlay: overlay)
    let sink = try makeSink(stage: stage, ffmpeg: ffmpeg)
    let progress = ProgressBar(total: times.count)
    defer { progress.finish() }
    var done = 0
    try await stage.frames(at: times.all) { image in
      try sink.write(image)
      done += 1
      progress.update(done)
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

  private func makeSink(stage: DocumentStage, ffmpeg: String?) throws(OutputError) -> any FrameSink
  {
    let rate = times.rate
    switch form {
    case .png(let path): return PNGSink(file: try OutputFile(path: path))
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

/// The times of a film's frames, in seconds.
struct FrameTimes: Equatable {
  let start: Double
  let count: Int
  let rate: FrameRate

  static let maximumCount = 1_000_000

  init(_ arguments: ParsedArguments, form: OutputForm) throws(UsageError) {
    let at = try arguments.number("--at")
    let from = try arguments.number("--from")
    let to = try arguments.number("--to")
    let fps = try arguments.positiveNumber("--fps", limit: 1000)
    guard at == nil || (from == nil && to == nil && fps == nil) else {
      throw UsageError("--at gives one frame; --from, --to and --fps many: use one or the other")
    }
    guard fps.map({ $0 >= 0.001 }) ?? true else {
      throw UsageError("--fps: less than a frame in 1000 seconds")
    }
    rate = FrameRate(fps ?? 30)
    guard from != nil || to != nil || fps != nil else {
      start = at ?? 0
      count = 1
      return
    }
    guard let to else { throw UsageError("--to is missing: where the film ends, in seconds") }
    start = from ?? 0
    guard to >= start else { throw UsageError("--to \(to) is before --from \(start)") }
    // A film from 0 to 1 at 30 frames a second has 30 frames; the last one ends at 1.
    let frames = max(1, ((to - start) * rate.value - 1e-6).rounded(.up))
    guard frames <= Double(Self.maximumCount) else {
      throw UsageError("a film has at most \(Self.maximumCount) frames")
    }
    count = Int(frames)
    guard form.takesFrames || count == 1 else {
      throw UsageError("--output: one PNG holds one frame; for \(count) of them use x-%04d.png")
    }
  }

  subscript(index: Int) -> Double { start + Double(index) / rate.value }

  var all: [Double] { (0..<count).map { self[$0] } }
}
