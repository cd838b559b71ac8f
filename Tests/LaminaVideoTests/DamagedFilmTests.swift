import Foundation
import LaminaValues
import LaminaVideo
import TestSupport
import Testing

@Suite("Damaged films")
struct DamagedFilmTests {
  private let folder: FilmFolder

  init() throws { folder = try FilmFolder() }

  static let films = [
    Film("small.apng", "\(Film.pattern(12, size: "64x36")) -f apng"),
    Film("h264.mp4", "\(Film.pattern(24, size: "64x36")) -c:v libx264 -bf 3 -g 10"),
    Film("h264.ts", "\(Film.pattern(24, size: "64x36")) -c:v libx264 -bf 3 -g 10"),
    Film("mpeg4.avi", "\(Film.pattern(24, size: "64x36")) -c:v mpeg4 -bf 2 -g 10"),
    Film(
      "vp9.webm",
      Film.pattern(24, size: "64x36", filters: ",format=yuva420p")
        + " -c:v libvpx-vp9 -g 10 -deadline realtime -cpu-used 8"),
    Film("qtrle.mov", Film.pattern(12, size: "64x36", filters: ",format=argb") + " -c:v qtrle"),
  ]

  @Test(
    "A film that is cut off or has changed bytes gives frames or an error that names it",
    .timeLimit(.minutes(30)), arguments: films)
  func damaged(film: Film) throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.make(film)))
    var random = SeededGenerator(seed: whole.count)
    let path = folder.path("damaged-\(film.name)")
    var openCount = 0
    for round in 0..<40 {
      var bytes = [UInt8](whole)
      if round % 2 == 0 {
        bytes.removeLast(random.below(bytes.count))
      } else {
        for _ in 0..<1 + random.below(12) {
          bytes[random.below(bytes.count)] = UInt8(random.below(256))
        }
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      Warnings.$current.withValue(Warnings { #expect($0.contains(path)) }) {
        do {
          let file = try VideoFile(path: path)
          openCount += 1
          let converter = FrameConverter()
          let last = min(file.frameCount, 40)
          for number in Array(0..<last) + [last / 2, 1] + (0..<last).reversed() {
            let frame = try file.frame(number)
            var pixels = [UInt8](repeating: 0, count: frame.width * frame.height * 4)
            try pixels.withUnsafeMutableBytes {
              try converter.write(frame, to: $0, stride: frame.width * 4, name: path)
            }
          }
          #expect(file.duration >= 0)
        } catch let error as VideoError {
          #expect(error.description.hasPrefix(path + ": "))
        } catch {
          Issue.record(error)
        }
      }
    }
    // Else nothing much was tested.
    #expect(openCount > 10)
  }

  @Test("The frame before one that cannot be decoded stays, whichever way leads there")
  func standIn() throws {
    let path = try folder.make(
      Film("holes.mov", "\(Film.pattern(12)) -pix_fmt rgb24 -c:v png"))
    let reference = try FilmReference(path)
    let places = try String(
      decoding: FilmFolder.run(
        "ffprobe", "-v error -show_entries packet=pos,size -of csv=p=0 \(path)".arguments),
      as: UTF8.self
    ).split(separator: "\n").map { $0.split(separator: ",").compactMap { Int($0) }.sorted() }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let holes = [0, 4, 5, 11]
    for hole in holes {
      let (a, b) = (places[hole][0], places[hole][1])
      // Sizes and places are told apart by the films being longer than a frame.
      let range = b > a ? b..<b + a : a..<a + b
      bytes.resetBytes(in: range)
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    let stays = [0: 1, 4: 3, 5: 3, 11: 10]
    let lines = Lock<[String]>([])
    try Warnings.$current.withValue(Warnings { line in lines.withLock { $0.append(line) } }) {
      let file = try VideoFile(path: path)
      for number in Array(0..<12) + (0..<12).reversed() + [5, 11, 0, 4] {
        let frame = try file.frame(number)
        #expect(Data(frame.rawBytes) == reference.frames[stays[number] ?? number], "\(number)")
        let isStandIn = number > 0 && stays[number] != nil
        #expect(frame.condition == (isStandIn ? .inPlaceOfAnother : .whole), "\(number)")
      }
      // The same straight away.
      let again = try VideoFile(path: path).frame(5)
      #expect(Data(again.rawBytes) == reference.frames[3])
    }
    #expect(
      lines.withLock { $0 } == [
        "lamina: warning: \(path): damaged frames are not shown; the ones before them stay"
      ])
  }

  @Test("A file that changes while it is open is an error, or gives the frames that it had")
  func changed() throws {
    let path = try folder.make(
      Film("film.mp4", "\(Film.pattern(60)) -c:v libx264 -bf 0 -g 10"))
    let other = try folder.make(
      Film("other.mp4", "\(Film.pattern(60)) -c:v libx264 -bf 0 -g 10 -crf 40"))
    let file = try VideoFile(path: path)
    _ = try file.frame(3)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: other)))
    try handle.close()
    do throws(VideoError) {
      for number in [50, 3, 20] { _ = try file.frame(number) }
    } catch {
      #expect(error.name == path)
    }
  }
}
