import Foundation
import Lamina

/// A video that a document shows: an element of Lamina's own, `<CAVideoLayer
/// src="assets/film.mp4"/>`, or a video file that is read as a document. Its time begins with that
/// of the layer.
public struct CAMLVideo: Hashable, Sendable {
  /// The file, which lies in the document's bundle.
  public let url: URL
  /// Seconds of the video in a second of the layer's time: the attribute `rate`. Default: 1.
  public var rate: Float = 1
  /// Whether it begins again when it ends: the attribute `loops`, 0 or 1. Default: false.
  public var loops = false

  init(url: URL) { self.url = url }

  /// Makes the layer that shows a video, with bounds of the video's size. Throws if it cannot be
  /// played.
  public typealias LayerMaker = (CAMLVideo) throws -> CALayer

  /// The attributes of the element that are not the layer's properties.
  static let attributes: Set<String> = ["src", "rate", "loops"]
  static let className = "CAVideoLayer"
  /// The endings of names of files that are read as documents of one video.
  static let pathExtensions: Set<String> = [
    "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "flv", "ogv",
  ]
  /// The largest number of videos of a document. Each has a decoder and an open file.
  static let maximumCount = 64
}

extension DocumentReader {
  /// The layer of a video; nil, with a warning, if there is none.
  func videoLayer(at element: CAMLElement) -> CALayer? {
    guard let makeLayer = limits.makeVideoLayer else {
      warn(element, "videos are not played here: CAVideoLayer is drawn as a plain layer")
      return nil
    }
    guard let src = element["src"] else {
      warn(element, "a video without src")
      return nil
    }
    guard videos.count < CAMLVideo.maximumCount else {
      warn(element, "more than \(CAMLVideo.maximumCount) videos: the rest is left out")
      return nil
    }
    do throws(BundleFiles.Refusal) {
      guard case .file(let url) = try files.source(src) else {
        throw BundleFiles.Refusal(message: "a video has to be a file, not a data: URI")
      }
      var video = CAMLVideo(url: url)
      video.rate = number("rate", of: element).map { Float($0) } ?? 1
      video.loops = number("loops", of: element).map { $0 != 0 } ?? false
      do {
        let layer = try makeLayer(video)
        videos[ObjectIdentifier(layer)] = video
        return layer
      } catch {
        warn(element, "\(error)")
      }
    } catch {
      warn(element, error.message)
    }
    return nil
  }
}

extension DocumentElements {
  /// Makes a layer's element that of a video.
  func add(_ video: CAMLVideo, to element: CAMLElement) {
    guard let source = videoSource(video) else {
      warn("the video \(video.url.lastPathComponent) is left out: a single file cannot contain it")
      return
    }
    element["src"] = source
    if video.rate != 1 { element["rate"] = CAMLText.text(Double(video.rate)) }
    if video.loops { element["loops"] = "1" }
  }
}
