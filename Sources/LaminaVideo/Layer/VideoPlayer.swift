import Foundation
import Lamina
import LaminaAnimation
import LaminaValues

/// What a video layer and its presentation copies share: the file, where it is, and the picture
/// that was shown last. For one thread at a time.
final class VideoPlayer {
  var course = VideoCourse()
  var isLooping = false
  var error: VideoError?

  private let url: URL
  private var file: VideoFile?
  private var ahead: FrameQueue?
  private let converter = FrameConverter()
  /// The number of the frame that was shown last.
  private var shownNumber: Int?

  init(_ url: URL) { self.url = url }

  // MARK: The file

  func openFile() throws(VideoError) -> VideoFile {
    if let file { return file }
    let opened = try VideoFile(contentsOf: url)
    file = opened
    return opened
  }

  private var format: VideoFormat? { file?.format ?? ahead?.format }
  private var timeline: VideoTimeline? { file?.timeline ?? ahead?.timeline }

  var duration: Double { timeline?.duration ?? 0 }
  /// Whether the pictures are known to have none if this is false.
  var hasAlpha: Bool { format?.hasAlpha ?? true }
  var naturalSize: CGSize {
    format.map { CGSize(width: $0.shownSize.width, height: $0.shownSize.height) } ?? .zero
  }

  /// When the picture changes, in the layer's time; nil if it does not, or if that is not known
  /// yet.
  var motion: Motion? {
    guard course.rate != 0, duration > 0, let begin = course.layerTime else { return nil }
    let left = course.rate > 0 ? duration - course.time : course.time
    let cycle = duration / abs(course.rate)
    let length = isLooping ? .infinity : max(left, 0) / abs(course.rate)
    return Motion(begin: begin, end: begin + length, cycle: isLooping ? cycle : length)
  }

  // MARK: Showing

  /// The time of the video that is shown at a time of the layer.
  func shownTime(at layerTime: Double?) -> Double {
    let time = course.time(at: layerTime)
    guard duration > 0 else { return max(time, 0) }
    guard isLooping else { return min(max(time, 0), duration) }
    let remainder = time.truncatingRemainder(dividingBy: duration)
    return remainder < 0 ? remainder + duration : remainder
  }

  /// Shows the picture that is due at a time of the layer. Returns whether it could.
  func show(at layerTime: Double, in queue: CAImageQueue) throws(VideoError) -> Bool {
    let file = try openFile()
    let number = file.timeline.frame(dueAt: shownTime(at: layerTime))
    if shownNumber == number { return true }
    return try show(try file.frame(number), number, file.format, in: queue)
  }

  /// Shows the picture that is due, or the last one before it that is decoded. Returns whether the
  /// one that is due is shown.
  func showDecodedAhead(
    at layerTime: Double, in queue: CAImageQueue
  ) throws(VideoError) -> Bool {
    guard url.isFileURL else {
      throw VideoError(name: url.absoluteString, problem: .notAFile)
    }
    let ahead = self.ahead ?? FrameQueue(path: url.path) {}
    self.ahead = ahead
    if let failure = ahead.failure { throw failure }
    guard let timeline = ahead.timeline, let format = ahead.format else { return false }
    let time = shownTime(at: layerTime)
    let number = timeline.frame(dueAt: time)
    if shownNumber == number { return true }
    let step = course.rate > 0 ? 1 : course.rate < 0 ? -1 : 0
    guard let frame = ahead.frame(at: time, step: step, isLoop: isLooping) else { return false }
    if frame.number == number { return try show(frame.frame, number, format, in: queue) }
    if shownNumber != frame.number {
      _ = try show(frame.frame, frame.number, format, in: queue)
    }
    return false
  }

  private func show(
    _ frame: VideoFrame, _ number: Int, _ format: VideoFormat, in queue: CAImageQueue
  ) throws(VideoError) -> Bool {
    let size = format.widened(frame.size)
    let turned = format.orientation.turned(size)
    let buffer: CAPixelBuffer?
    do throws(CAPixelBufferError) {
      buffer = try queue.nextBuffer(width: turned.width, height: turned.height, timeout: 1)
    } catch {
      throw VideoError(name: url.path, problem: .noMemory)
    }
    guard let buffer else { return false }
    try buffer.withUnsafeMutableBytes { bytes throws(VideoError) in
      try converter.write(
        frame, scaledTo: size, turned: format.orientation, to: bytes,
        stride: buffer.bytesPerRow, name: url.path)
    }
    queue.enqueue(buffer)
    shownNumber = number
    return true
  }
}
