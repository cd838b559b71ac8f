import Foundation

/// Where ffmpeg's programs are.
struct FilmTools {
  let ffmpeg: String
  let ffprobe: String

  /// Finds them through `PATH`. Throws if one is missing.
  init() throws(UsageError) {
    guard let ffmpeg = Self.executable("ffmpeg"), let ffprobe = Self.executable("ffprobe") else {
      throw UsageError(
        "segments of films need ffmpeg and ffprobe, which are not in PATH: install the package ffmpeg"
      )
    }
    (self.ffmpeg, self.ffprobe) = (ffmpeg, ffprobe)
  }

  /// The path of a program, found through `PATH`; nil if it is not installed.
  static func executable(
    _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }
}
