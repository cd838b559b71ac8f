import Foundation

/// The form of the output, chosen by the output's name.
enum OutputForm: Equatable {
  case png(path: String)
  /// One PNG file per frame. A name is `start`, the frame's number with at least `digits` digits,
  /// and `end`.
  case pngSequence(start: String, digits: Int, end: String)
  case film(path: String, FilmFormat)
  case y4m(path: String)
  /// A part of a film or all of it, as it was drawn, for `lamina join`.
  case segment(path: String)
  /// Raw frames on the standard output.
  case raw

  /// The formats that ffmpeg makes.
  enum FilmFormat: String, CaseIterable {
    case mp4, webm, gif, apng
  }

  init(_ name: String) throws(UsageError) {
    if name == "-" {
      self = .raw
      return
    }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let suffix = name[dot...].dropFirst().lowercased()
    if suffix == "png" {
      self = try Self.png(name)
    } else if suffix == "y4m" {
      self = .y4m(path: name)
    } else if suffix == "mkv" {
      self = .segment(path: name)
    } else if let format = FilmFormat(rawValue: suffix) {
      self = .film(path: name, format)
    } else {
      throw UsageError(
        "--output: \"\(name)\" ends in none of .png, .mp4, .webm, .gif, .apng, .y4m, .mkv, and"
          + " is not -")
    }
  }

  /// In the name, `%d` or `%04d` stands for the frame's number and `%%` for a percent sign.
  private static func png(_ name: String) throws(UsageError) -> OutputForm {
    guard name.contains("%") else { return .png(path: name) }
    var pieces = [""]
    var digits = 0
    var rest = name[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        pieces[pieces.count - 1].append(character)
        continue
      }
      if rest.first == "%" {
        rest.removeFirst()
        pieces[pieces.count - 1].append("%")
        continue
      }
      let width = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(width.count)
      guard rest.popFirst() == "d", width.count <= 2, pieces.count == 1 else {
        throw UsageError("--output: \"\(name)\" takes one %d or %04d for the frame's number")
      }
      digits = Int(width) ?? 0
      pieces.append("")
    }
    return pieces.count == 1
      ? .png(path: pieces[0])
      : .pngSequence(start: pieces[0], digits: digits, end: pieces[1])
  }

  /// The name of a format that has no transparency; nil if the output's has.
  var opaqueFormat: String? {
    switch self {
    case .film(_, .mp4): ".mp4"
    case .y4m: ".y4m"
    case .film, .png, .pngSequence, .raw, .segment: nil
    }
  }

  /// Whether frames keep their transparency if no background is asked for.
  var keepsTransparency: Bool {
    switch self {
    case .png, .pngSequence, .raw: true
    case .film, .y4m, .segment: false
    }
  }

  /// Whether frames can be written with 16 bits per channel.
  var hasSixteenBits: Bool {
    switch self {
    case .png, .pngSequence: true
    case .film, .y4m, .raw, .segment: false
    }
  }

  /// Whether the output is a single PNG file: one frame, or a sheet of them.
  var isOnePNG: Bool {
    if case .png = self { true } else { false }
  }

  /// Whether the output is of many frames even if no flag asks for them.
  var isFilm: Bool {
    switch self {
    case .film, .y4m, .pngSequence, .segment: true
    case .png, .raw: false
    }
  }
}
