import Foundation
import LaminaVideo
import LaminaValues
import TestSupport
import Testing

@Suite("Video files")
struct FileTests {
  private let folder: FilmFolder

  init() throws { folder = try FilmFolder() }

  @Test("Size, shape of pixels, length, codec and colours are what the header says")
  func properties() throws {
    let film = Film(
      "wide.mp4",
      Film.pattern(90, filters: ",setsar=4/3") + " \(Film.h264) -colorspace bt709 -color_range pc")
    let file = try VideoFile(path: folder.make(film))
    #expect((file.format.size.width, file.format.size.height, file.frameCount) == (128, 72, 90))
    #expect(isClose(file.format.pixelAspectRatio, 4.0 / 3))
    #expect(isClose(file.duration, 3, 1e-9))
    #expect(file.codec == "h264")
    #expect(file.color.matrix == .bt709 && file.color.isFullRange)
    #expect(!file.format.hasAlpha)
    #expect(file.format.orientation == VideoOrientation(quarterTurns: 0))
    #expect(try file.frame(0).pixelFormat.hasPrefix("yuv"))
  }

  @Test("Time 0 is the start of the presentation: of the sound if that comes first")
  func start() throws {
    let sound = "-f lavfi -i sine=r=48000:d=2 \(Film.h264) -c:a aac -fps_mode passthrough"
    let late = try VideoFile(
      path: folder.make(Film("late.mp4", "-itsoffset 0.4 \(Film.pattern(30)) \(sound)")))
    #expect(isClose(late.timeline.time(ofFrame: 0), 0.4, 0.001))
    let broadcast = try VideoFile(
      path: folder.make(
        Film("shifted.ts", "\(Film.pattern(30)) \(Film.h264) -output_ts_offset 300")))
    #expect(broadcast.timeline.time(ofFrame: 0) == 0)
    // Opus begins before 0 with what its decoder needs; then the video begins after 0.
    let opus = try VideoFile(
      path: folder.make(
        Film(
          "opus.mkv",
          "\(Film.pattern(30)) -f lavfi -i sine=r=48000:d=1 \(Film.h264) -c:a libopus")))
    #expect(isClose(opus.timeline.time(ofFrame: 0), 0.007, 1e-9))
    #expect(isClose(opus.duration, 1.007, 0.001))
  }

  /// The first two rows of display matrices, of whole numbers.
  static let matrices = [
    [1, 0, 0, 1], [0, 1, -1, 0], [-1, 0, 0, -1], [0, -1, 1, 0], [-1, 0, 0, 1], [1, 0, 0, -1],
    [0, 1, 1, 0], [0, -1, -1, 0],
  ]

  @Test("A display matrix turns frames as ffmpeg turns them", arguments: matrices)
  func orientation(matrix: [Int]) throws {
    let film = Film("turned.mov", "\(Film.pattern(1, size: "24x16")) -pix_fmt rgb24 -c:v png")
    let path = try folder.make(film)
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    let header = try #require(data.range(of: Data("tkhd".utf8))).lowerBound + 44
    for (place, number) in zip([0, 1, 3, 4], matrix) {
      withUnsafeBytes(of: Int32(number << 16).bigEndian) {
        data.replaceSubrange(header + place * 4..<header + place * 4 + 4, with: $0)
      }
    }
    try data.write(to: URL(fileURLWithPath: path))
    let expected = [UInt8](
      try FilmReference.decode(path, turns: true, ["-pix_fmt", "rgb24"]))
    let file = try VideoFile(path: path)
    let raw = try file.frame(0).rawBytes
    var picture = (0..<16).map { y in
      (0..<24).map { x in Array(raw[(y * 24 + x) * 3..<(y * 24 + x) * 3 + 3]) }
    }
    if file.format.orientation.isMirrored { picture = picture.map { $0.reversed() } }
    for _ in 0..<file.format.orientation.quarterTurns {
      picture = picture[0].indices.map { x in picture.reversed().map { $0[x] } }
    }
    #expect(picture.flatMap { $0.flatMap { $0 } } == expected)
    #expect(picture.count == (file.format.orientation.swapsSides ? 24 : 16))
  }

  private func problem(_ path: String, _ limits: VideoLimits = VideoLimits()) -> VideoError.Problem?
  {
    do {
      _ = try VideoFile(path: path, limits: limits)
      return nil
    } catch {
      #expect(error.name == path)
      #expect(error.description.hasPrefix(path + ": "))
      return error.problem
    }
  }

  @Test("What exceeds the limits is refused")
  func limits() throws {
    let path = try folder.make(Film("film.mp4", "\(Film.pattern(12)) \(Film.h264)"))
    var limits = VideoLimits()
    limits.maximumSide = 127
    #expect(problem(path, limits) == .tooManyPixels(width: 128, height: 72, limits: limits))
    limits = VideoLimits()
    limits.maximumPixelCount = 128 * 72 - 1
    #expect(problem(path, limits) == .tooManyPixels(width: 128, height: 72, limits: limits))
    limits = VideoLimits()
    limits.maximumFrameCount = 11
    #expect(problem(path, limits) == .tooManyFrames(limit: 11))
    limits.maximumFrameCount = 12
    #expect(problem(path, limits) == nil)
  }

  @Test("What is no film in a plain file is an error that says so")
  func noFilms() throws {
    let write = { (name: String, text: String) in
      let path = folder.path(name)
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return path
    }
    #expect(problem(folder.path("nowhere.mp4")) == .unreadable(code: ENOENT))
    #expect(problem(folder.url.path) == .unreadable(code: EISDIR))
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(problem(folder.path("pipe")) == .notAFile)
    #expect(problem("/dev/null") == .notAFile)
    #expect(problem(try write("empty.mp4", "")) == .unknownFormat)
    #expect(problem(try write("words.mp4", "This is no film.\n")) == .unknownFormat)
    let song = try folder.make("song.m4a", "-f lavfi -i sine=d=0.5 -c:a aac".arguments)
    #expect(problem(song) == .noVideo)
    let remote = #expect(throws: VideoError.self) {
      try VideoFile(contentsOf: #require(URL(string: "https://example.com/film.mp4")))
    }
    #expect(remote?.problem == .notAFile)
  }

  @Test("Playlists and other files that would open further ones are refused")
  func playlists() throws {
    let film = try folder.make(Film("film.ts", "\(Film.pattern(12)) \(Film.h264)"))
    for (name, text) in [
      ("list.ffconcat", "ffconcat version 1.0\nfile \(film)\n"),
      (
        "list.m3u8",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(film)\n#EXT-X-ENDLIST\n"
      ),
    ] {
      let path = folder.path(name)
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      guard case .unsupportedFormat = problem(path) else {
        Issue.record("\(name): \(String(describing: problem(path)))")
        continue
      }
    }
  }

  @Test("An error says which packages have FFmpeg's libraries")
  func noLibraries() {
    let error = VideoError(
      name: "film.mp4",
      problem: .noLibraries(reason: "libavformat.so.59: no such file", packages: "libavformat59"))
    #expect(
      error.description
        == "film.mp4: video is decoded by FFmpeg, which cannot be opened: "
        + "libavformat.so.59: no such file; install libavformat59 (Debian's and Ubuntu's packages)"
    )
  }
}

extension String {
  /// The words, as arguments of a program.
  var arguments: [String] { split(separator: " ").map(String.init) }
}
