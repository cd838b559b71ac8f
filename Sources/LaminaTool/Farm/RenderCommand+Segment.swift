import Foundation
import Lamina
import LaminaCAML

extension RenderCommand {
  /// The label of a segment, after drawing the film's first frame.
  func segmentLabel(
    stage: DocumentStage, times: FrameTimes, frames: ClosedRange<Int>
  ) async throws -> SegmentLabel {
    let document = try stage.document.digest(path: document.path)
    let film = Digest()
    let lines = try filmLines(stage: stage, times: times, document: document)
    for line in lines { film.add(line: line) }
    // Machines with other fonts, or with other libraries, do not draw parts of one film.
    try await stage.frames(at: [times[0]]) { film.add($0.unpremultipliedRGBA) }
    return SegmentLabel(
      film: film.text, document: document, frames: frames, filmCount: times.count,
      rate: times.rate, isTransparent: background == .none, pieceLength: pieceLength)
  }

  /// Makes the file of a segment or of a piece; nil if that is there already, and whole.
  func makeSegmentSink(
    _ path: String, format: OutputForm.FilmFormat?, stage: DocumentStage, times: FrameTimes,
    frames: ClosedRange<Int>
  ) async throws -> (any FrameSink)? {
    let tools = try FilmTools()
    if let pieceLength, frames.upperBound != min(frames.lowerBound + pieceLength, times.count) - 1 {
      let last = min(frames.lowerBound + pieceLength, times.count) - 1
      throw UsageError("--frames: the piece is of frames \(frames.lowerBound)-\(last)")
    }
    let label = try await segmentLabel(stage: stage, times: times, frames: frames)
    if SegmentFile.isWhole(path, label: label, tools: tools) {
      Report.note("\(path) is there and whole: nothing to do")
      return nil
    }
    let (width, height) = stage.pixelSize
    let arguments =
      if let format {
        FilmEncoding.arguments(for: format, keepsTransparency: label.isTransparent, label: label)
      } else {
        SegmentFile.arguments(width: width, height: height, label: label)
      }
    let encoder = try FFmpegSink(
      ffmpeg: tools.ffmpeg, path: path, width: width, height: height, framesPerSecond: times.rate,
      arguments: arguments)
    return format == nil ? encoder : PieceSink(path: path, encoder: encoder)
  }

  /// The number of the film's frames.
  func frameCount(of document: CAMLDocument) throws -> Int {
    let states = self.document.states
    try document.requireStates(states.map(\.name))
    try document.apply(states: states.filter { $0.time == nil }.map(\.name))
    let last = document.lastMotion(changes: StateChange.changes(states))
    return try times.needsLength
      ? times.times(of: last).count : times.times(until: times.start).count
  }

  /// What decides the pixels of the film's frames, besides the machine.
  private func filmLines(
    stage: DocumentStage, times: FrameTimes, document: String
  ) throws -> [String] {
    let states = self.document.states.map { "\($0.time ?? -1) \($0.name)" }
    let background =
      switch background {
      case .none: "none"
      case .color(let color): "\(color)"
      }
    return [
      SegmentLabel.version, Tool.version, document,
      "\(stage.pixelSize.width)x\(stage.pixelSize.height)", "\(self.document.scale)",
      self.document.size.map { "\($0.width)x\($0.height)" } ?? "",
      "\(times.start) \(times.count) \(times.perSecond)", background,
      overlay?.rawValue ?? "", "\(pieceLength ?? 0)", try stage.renderer.platform.name,
    ] + states
  }
}
