import Foundation
import Lamina
import LaminaValues
import TestSupport
import Testing

@testable import LaminaVideo

@Suite("Layers that play videos") struct VideoLayerTests {
  private let folder: FilmFolder

  init() throws { folder = try FilmFolder() }

  @Test("show on a manual clock the frame that is due: playing, at random and backwards")
  func exactFrames() throws {
    let path = try folder.make(Film.bFrames)
    let reference = try FilmReference(path)
    let file = try VideoFile(path: path)
    let stage = try VideoStage([path])
    let layer = stage.layers[0]
    layer.setRate(1, time: 0, atLayerTime: 0)
    var random = SeededGenerator(seed: 3)
    let playing = (0..<40).map { Double($0) / 24 }
    let seeking = (0..<20).map { _ in Double.random(in: -1...11, using: &random) }
    let converter = FrameConverter()
    for time in playing + seeking + playing.reversed() {
      let number = reference.due(at: max(time, 0))
      let expected = try converter.pixels(of: file.frame(number))
      #expect(try stage.pixels(at: time) == expected, "at \(time)")
    }
  }

  @Test("play at a rate, from a time on, backwards, in a loop and paused")
  func courses() throws {
    let path = try folder.make(Film.bFrames)
    let stage = try VideoStage([path])
    let layer = stage.layers[0]
    #expect(layer.videoDuration == 0)
    try layer.open()
    #expect(layer.videoDuration == 10)
    #expect(layer.naturalSize == CGSize(width: 128, height: 72))
    // Nothing plays before it is told to.
    let first = try stage.pixels(at: 5)
    #expect(layer.currentTime == 0)
    layer.play()
    _ = try stage.pixels(at: 6)
    #expect(layer.currentTime == 1)
    layer.rate = -2
    _ = try stage.pixels(at: 6.25)
    #expect(layer.currentTime == 0.5)
    #expect(try stage.pixels(at: 7) == first)
    #expect(layer.currentTime == 0)
    layer.currentTime = 9
    layer.rate = 1
    _ = try stage.pixels(at: 7.5)
    #expect(layer.currentTime == 9.5)
    let last = try stage.pixels(at: 9)
    #expect(layer.currentTime == 10)
    layer.isLooping = true
    #expect(try stage.pixels(at: 9) != last)
    #expect(layer.currentTime == 1)
    layer.pause()
    _ = try stage.pixels(at: 20)
    #expect(layer.currentTime == 1)
    #expect(layer.error == nil)
  }

  @Test("run in their own time: a layer's speed changes the video's")
  func speed() throws {
    let path = try folder.make(Film.bFrames)
    let (slow, plain) = (try VideoStage([path]), try VideoStage([path]))
    slow.layers[0].speed = 0.5
    for stage in [slow, plain] { stage.layers[0].setRate(1, time: 0, atLayerTime: 0) }
    for time in [0, 1, 2.5] {
      #expect(try slow.pixels(at: 2 * time) == plain.pixels(at: time))
    }
  }

  @Test("give the same film twice, two of them at different rates")
  func sameTwice() throws {
    let paths = [
      try folder.make(Film.bFrames),
      try folder.make(try #require(Film.all.first { $0.name == "jitter.mp4" })),
    ]
    func film() throws -> [[UInt8]] {
      let stage = try VideoStage(paths)
      stage.layers[0].setRate(1, time: 0, atLayerTime: 0)
      stage.layers[1].setRate(-0.7, time: 3, atLayerTime: 0)
      return try (0..<60).map { try stage.pixels(at: Double($0) / 25) }
    }
    let first = try film()
    #expect(first == (try film()))
    #expect(Set(first).count == 60)
  }

  @Test("are transparent where their videos are, and turned as these say")
  func looks() throws {
    let alpha = try folder.make(
      "alpha.mov",
      ["-f", "lavfi", "-i", "color=red@0.5:s=32x16:d=0.2,format=rgba", "-c:v", "png"])
    let stage = try VideoStage([alpha], size: CGSize(width: 32, height: 16))
    let pixels = try stage.pixels(at: 0)
    #expect(Array(pixels[..<4]) == [0, 0, 127, 127])
    #expect(stage.layers[0].isOpaque == false)

    // The upper left quarter is white.
    let pattern = "color=black:s=32x16:d=0.2,drawbox=0:0:16:8:white:fill"
    let plain = try folder.make(
      "plain.mp4", ["-f", "lavfi", "-i", pattern, "-c:v", "libx264", "-qp", "0"])
    let turned = try folder.make(
      "turned.mp4", ["-i", plain, "-metadata:s:v:0", "rotate=90", "-c", "copy"])
    let tall = try VideoStage([turned], size: CGSize(width: 16, height: 32))
    let reference = try FilmReference.decode(
      turned, turns: true, ["-frames:v", "1", "-pix_fmt", "bgra"])
    _ = try tall.pixels(at: 0)
    #expect(tall.layers[0].naturalSize == CGSize(width: 16, height: 32))
    #expect(try tall.pixels(at: 0).isClose(to: Array(reference)))

    let wide = try folder.make(
      "wide.mp4", ["-f", "lavfi", "-i", pattern + ",setsar=2", "-c:v", "libx264", "-qp", "0"])
    let broad = try VideoStage([wide], size: CGSize(width: 64, height: 16))
    let pixel = try broad.pixels(at: 0)
    #expect(broad.layers[0].naturalSize == CGSize(width: 64, height: 16))
    #expect(pixel[4 * 28] > 200 && pixel[4 * 36] < 50)
  }

  @Test("keep their last picture if the file is damaged or gone, and say why")
  func damage() throws {
    let stage = try VideoStage(["/nowhere/film.mp4"])
    _ = try stage.pixels(at: 0)
    #expect(stage.layers[0].error?.description.contains("/nowhere/film.mp4") == true)
    #expect(throws: VideoError.self) { try stage.layers[0].open() }

    let path = try folder.make("film.avi", ["-f", "lavfi", "-i", "testsrc2=d=2", "-c:v", "mjpeg"])
    let film = try VideoStage([path])
    film.layers[0].setRate(1, time: 0, atLayerTime: 0)
    let good = try film.pixels(at: 0.5)
    try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: path))
    #expect(try film.pixels(at: 1.5) == good)
    #expect(film.layers[0].error != nil)
  }

  @Test("play by themselves on the host's clock")
  @MainActor func hostClock() async throws {
    let path = try folder.make(Film.bFrames)
    let stage = try VideoStage([path], clock: .host)
    // A busy machine may show few of its pictures before it ends.
    stage.layers[0].isLooping = true
    stage.layers[0].play()
    CATransaction.flush()
    var seen: Set<[UInt8]> = []
    for try await frame in stage.renderer.liveFrames(fps: 60) {
      seen.insert(frame.image.unpremultipliedRGBA)
      if seen.count > 8 { break }
    }
    #expect(stage.layers[0].currentTime > 0)
  }

  @Test("are archived with their file")
  func archiving() throws {
    let layer = CAVideoLayer(url: URL(fileURLWithPath: "/films/a film.mp4"))
    layer.isLooping = true
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: layer, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CAVideoLayer.self, from: data))
    #expect(copy.url == layer.url)
    #expect(copy.isLooping)
  }
}

/// A renderer that shows videos, one over the other, in frames of their size.
private struct VideoStage {
  let renderer: CARenderer
  let layers: [CAVideoLayer]

  init(
    _ paths: [String], size: CGSize = CGSize(width: 128, height: 72), clock: MediaClock = .manual()
  ) throws {
    renderer = try CARenderer(size: size, clock: clock, platform: .software)
    let root = CALayer()
    root.frame = CGRect(origin: .zero, size: size)
    layers = paths.map { CAVideoLayer(url: URL(fileURLWithPath: $0)) }
    for (place, layer) in layers.enumerated() {
      let height = size.height / CGFloat(layers.count)
      layer.frame = CGRect(x: 0, y: CGFloat(place) * height, width: size.width, height: height)
      layer.allowsEdgeAntialiasing = false
      root.addSublayer(layer)
    }
    renderer.layer = root
  }

  /// The frame's pixels, premultiplied BGRA.
  func pixels(at time: CFTimeInterval) throws -> [UInt8] { try renderer.image(at: time).bgra }
}

extension CGImage {
  fileprivate var bgra: [UInt8] {
    let layout = buffer.layout
    return buffer.withUnsafeBytes { bytes in
      (0..<layout.height).flatMap { bytes[($0 * layout.stride)...].prefix(layout.width * 4) }
    }
  }
}

extension [UInt8] {
  fileprivate func isClose(to other: [UInt8]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
  }
}

extension FrameConverter {
  /// The frame's pixels in rows without gaps.
  fileprivate func pixels(of frame: VideoFrame) throws -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: frame.width * frame.height * 4)
    try pixels.withUnsafeMutableBytes { bytes in
      try write(frame, to: bytes, stride: frame.width * 4, name: "a test")
    }
    return pixels
  }
}
