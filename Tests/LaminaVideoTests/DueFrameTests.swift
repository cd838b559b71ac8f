import Foundation
import LaminaVideo
import TestSupport
import Testing

@Suite("The frame that is due")
struct DueFrameTests {
  private let folder: FilmFolder

  init() throws { folder = try FilmFolder() }

  @Test("Playing, random seeks and going backwards give ffmpeg's bytes", arguments: Film.all)
  func sameBytes(film: Film) throws {
    let path = try folder.make(film)
    let reference = try FilmReference(path, decoder: film.decoder)
    let file = try VideoFile(path: path)
    let count = reference.times.count
    for number in 0..<count { try check(file, reference, at: reference.times[number], "playing") }
    let seeker = try VideoFile(path: path)
    var random = SeededGenerator(seed: count)
    for _ in 0..<40 {
      let time = Double.random(in: -0.2...file.duration + 0.2, using: &random)
      try check(seeker, reference, at: time, "seeking")
    }
    for number in (0..<count).reversed() {
      try check(file, reference, at: reference.times[number], "backwards")
    }
    // Containers with an index, or time stamps, are not read from their start.
    #expect(file.rewindCount == 0 && seeker.rewindCount == 0)
  }

  private func check(
    _ file: VideoFile, _ reference: FilmReference, at time: Double, _ way: String
  ) throws {
    let frame = try file.frame(at: time)
    let number = reference.due(at: time)
    let bytes = Data(frame.rawBytes)
    #expect(frame.condition == .whole)
    guard bytes == reference.frames[number] else {
      let found = reference.frames.firstIndex(of: bytes)
      Issue.record(
        "\(way), at \(time): frame \(found.map(String.init) ?? "none") in place of \(number)")
      return
    }
  }

  @Test("Going backwards through a group of any length keeps no more bytes than the limit")
  func longGroup() throws {
    let path = try folder.make(Film("long.mp4", "\(Film.pattern(200)) -c:v libx264 -g 1000 -bf 3"))
    let reference = try FilmReference(path)
    var limits = VideoLimits()
    limits.maximumKeptByteCount = 24 * 128 * 72 * 3 / 2
    let file = try VideoFile(path: path, limits: limits)
    for number in (0..<200).reversed() {
      try check(file, reference, at: reference.times[number], "backwards")
      #expect(file.keptFrames.byteCount <= limits.maximumKeptByteCount)
    }
    for number in 0..<200 {
      try check(file, reference, at: reference.times[number], "playing")
      #expect(file.keptFrames.byteCount <= limits.maximumKeptByteCount)
    }
    #expect(file.keptFrames.count <= 3)
  }

  @Test("With room for no frame at all, each is still decoded")
  func noRoom() throws {
    let path = try folder.make(Film("short.mp4", "\(Film.pattern(12)) \(Film.h264)"))
    let reference = try FilmReference(path)
    var limits = VideoLimits()
    limits.maximumKeptByteCount = 0
    let file = try VideoFile(path: path, limits: limits)
    for number in [3, 3, 11, 0, 7, 6, 5] {
      try check(file, reference, at: reference.times[number], "seeking")
      #expect(file.keptFrames.count == 1)
    }
  }

  @Test("Times without sense are before the start or after the end")
  func odd() throws {
    let path = try folder.make(Film("short.mp4", "\(Film.pattern(12)) \(Film.h264)"))
    let timeline = try VideoFile(path: path).timeline
    for time in [-1, -1e300, -.infinity, .nan, 0, -0.0, 1e-300] {
      #expect(timeline.frame(dueAt: time) == 0, "\(time)")
    }
    for time in [0.4, 12, 1e18, 1e300, .infinity] {
      #expect(timeline.frame(dueAt: time) == 11, "\(time)")
    }
  }

  @Test("A frame is due at the time that is computed for it, not a moment earlier")
  func edges() throws {
    let path = try folder.make(Film("edges.mp4", "\(Film.pattern(60)) \(Film.h264)"))
    let timeline = try VideoFile(path: path).timeline
    for number in 1..<60 {
      let time = timeline.time(ofFrame: number)
      #expect(isClose(time, Double(number) / 30, 1e-12))
      #expect(timeline.frame(dueAt: Double(number) * (1.0 / 30)) == number)
      #expect(timeline.frame(dueAt: time - 1e-6) == number - 1)
    }
  }
}
