import Foundation
import Lamina

/// What a segment, or a piece, says of itself, in the tags of its file.
struct SegmentLabel: Equatable {
  /// Digest of everything that decides the film's frames: the document, the flags of its rendering,
  /// the times of all frames, and the pixels of the first. Segments of one film have the same.
  var film: String
  /// Digest of the document's files.
  var document: String
  /// The numbers of the segment's frames, the film's first being 0.
  var frames: ClosedRange<Int>
  /// The number of the whole film's frames.
  var filmCount: Int
  var rate: FrameRate
  var isTransparent: Bool
  /// The number of frames of the film's pieces; nil if it is encoded as a whole.
  var pieceLength: Int?

  /// The version of segments. Those of another one are not joined.
  static let version = "1"

  /// Matroska's names of tags are in capitals.
  private enum Key: String, CaseIterable {
    case version = "LAMINA_SEGMENT"
    case film = "LAMINA_FILM"
    case document = "LAMINA_DOCUMENT"
    case frames = "LAMINA_FRAMES"
    case count = "LAMINA_COUNT"
    case rate = "LAMINA_RATE"
    case transparent = "LAMINA_TRANSPARENT"
    case pieces = "LAMINA_PIECES"
  }

  private func text(_ key: Key) -> String {
    switch key {
    case .version: Self.version
    case .film: film
    case .document: document
    case .frames: "\(frames.lowerBound)-\(frames.upperBound)"
    case .count: "\(filmCount)"
    case .rate: "\(rate.numerator)/\(rate.denominator)"
    case .transparent: isTransparent ? "1" : "0"
    case .pieces: "\(pieceLength ?? 0)"
    }
  }

  /// The tags, as ffmpeg's arguments.
  var arguments: [String] {
    Key.allCases.flatMap { ["-metadata", "\($0.rawValue)=\(text($0))"] }
  }
}

extension SegmentLabel {
  /// Reads the tags of a file. nil if they are not a segment's.
  init?(tags: [String: String]) {
    func text(_ key: Key) -> String? { tags[key.rawValue] }
    guard text(.version) == Self.version, let film = text(.film), let document = text(.document),
      let frames = text(.frames).flatMap(frameRange(_:)),
      let count = text(.count).flatMap({ Int($0) }),
      let rate = text(.rate).flatMap({ FrameRate(fraction: $0) }),
      let transparent = text(.transparent), let pieces = text(.pieces).flatMap({ Int($0) }),
      pieces >= 0, (1...FrameTimesArguments.maximumCount) ~= count,
      frames.upperBound < count
    else { return nil }
    self.init(
      film: film, document: document, frames: frames, filmCount: count, rate: rate,
      isTransparent: transparent == "1", pieceLength: pieces > 0 ? pieces : nil)
  }
}

/// Reads `A-B`, the numbers of a film's frames, or `A` for one of them. nil if the text is neither.
func frameRange(_ text: String) -> ClosedRange<Int>? {
  let parts = text.split(separator: "-", omittingEmptySubsequences: false)
  let numbers = parts.compactMap { Int($0) }
  guard numbers.count == parts.count, (1...2) ~= parts.count, numbers[0] >= 0,
    let last = numbers.last, last >= numbers[0], last < FrameTimesArguments.maximumCount
  else { return nil }
  return numbers[0]...last
}

extension FrameRate {
  /// Reads `N/D`. nil if that is no rate that films can have.
  init?(fraction text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard parts.count == 2, (1...1_001_000) ~= parts[0], (1...1001) ~= parts[1] else { return nil }
    (numerator, denominator) = (parts[0], parts[1])
  }
}
