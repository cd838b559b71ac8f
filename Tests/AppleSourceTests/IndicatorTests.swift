import CoreGraphics
import LaminaInProcess
import QuartzCore
import Testing

/// Indicators that use only Apple's names, at ten moments each.
@Suite("Activity indicators written for Apple's systems") struct IndicatorTests {
  /// A known value of an indicator's first part at a moment.
  struct Fact: Sendable {
    var keyPath: String
    var time: Double
    var value: Double
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var make: @Sendable () -> any Indicator
    var facts: [Fact]

    init(
      _ name: String, _ make: @Sendable @escaping () -> any Indicator,
      _ facts: (String, Double, Double)...
    ) {
      testDescription = name
      self.make = make
      self.facts = facts.map { Fact(keyPath: $0.0, time: $0.1, value: $0.2) }
    }
  }

  static let rows = [
    Row(
      "RisingBars", { RisingBars() }, ("transform.scale.y", 0, 0.25), ("transform.scale.y", 0.5, 1),
      ("transform.scale.y", 7.5, 1)),
    Row(
      "SwellingCircle", { SwellingCircle() }, ("opacity", 0.2, 0.65), ("opacity", 0.4, 0.3),
      ("transform.scale", 0.6, 0.7)),
    Row(
      "Ripples", { Ripples() }, ("opacity", 0.42, 0.45), ("opacity", 0.84, 0.9),
      ("transform.scale", 0, 0.1)),
    // A third of the way, since it started half a second ago.
    Row("TriangleChase", { TriangleChase() }, ("position.x", 0, 50.785), ("position.y", 0, 42)),
    Row(
      "BlinkingTiles", { BlinkingTiles() }, ("opacity", 0, 1), ("opacity", 0.2, 0.55),
      ("opacity", 0.7, 0.1)),
    Row(
      "BouncingBall", { BouncingBall() }, ("position.y", 0.6, 52), ("transform.scale.x", 0.6, 1.4)),
    Row(
      "GrowingArc", { GrowingArc() }, ("transform.rotation.z", 0.425, .pi / 2),
      ("strokeStart", 0.4, 0)),
    Row(
      "LeaningSquare", { LeaningSquare() }, ("transform.rotation.z", 1.35, -.pi / 2),
      ("transform.rotation.z", 1.85, .pi / 2)),
    Row("TumblingTile", { TumblingTile() }, ("transform.rotation.x", 0.5, .pi)),
    Row(
      "TurnedFlag", { TurnedFlag() }, ("transform.rotation.z", 0.45, .pi / 4),
      ("transform.scale.x", 0.45, -1), ("transform.scale.x", 0.1, -1)),
    Row("AddedWaves", { AddedWaves() }),
    Row(
      "MarchingWheel", { MarchingWheel() }, ("transform.rotation.z", 0.175, .pi / 12),
      ("transform.rotation.z", 0.8, .pi / 2)),
  ]

  static let size = CGSize(width: 60, height: 60)

  private func images(of indicator: any Indicator, in renderer: CARenderer, start: Double) throws
    -> [[UInt8]]
  {
    let root = CALayer()
    root.frame = CGRect(origin: .zero, size: Self.size)
    renderer.layer = root
    indicator.start(
      in: root, size: Self.size, color: CGColor(red: 0.1, green: 0.4, blue: 0.9, alpha: 1))
    return try (0..<10).map { moment in
      try bytes(renderer.image(at: start + 0.05 + Double(moment) * 0.17))
    }
  }

  private func bytes(_ image: CGImage) throws -> [UInt8] {
    let context = try #require(
      CGContext(
        data: nil, width: image.width, height: image.height, bitsPerComponent: 8,
        bytesPerRow: image.width * 4, space: CGColorSpace(name: CGColorSpace.sRGB),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
    context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
    let data = try #require(context.data)
    return Array(UnsafeRawBufferPointer(start: data, count: image.width * image.height * 4))
  }

  @Test(
    "Each plays on the clock that the task has, with what is known at known moments",
    arguments: rows)
  func plays(row: Row) throws {
    let clock = MediaClock.manual(time: 5000)
    try MediaClock.$current.withValue(clock) {
      let renderer = try CARenderer(
        size: Self.size, clock: clock, server: .inProcess.on(.surfaceless))
      let images = try images(of: row.make(), in: renderer, start: 5000)
      #expect(images.allSatisfy { $0.contains { $0 != 0 } })
      #expect(Set(images).count >= 8)
      let part = try #require(renderer.layer?.sublayers?.first)
      for fact in row.facts {
        _ = try renderer.image(at: 5000 + fact.time)
        let value = try #require(
          part.presentation()?.value(forKeyPath: fact.keyPath) as? NSNumber)
        #expect(abs(value.doubleValue - fact.value) < 2e-3, "\(fact)")
      }
    }
  }

  @Test("Paths are added where they can be, and replace where they cannot")
  func addedPaths() throws {
    let clock = MediaClock.manual(time: 3)
    try MediaClock.$current.withValue(clock) {
      let renderer = try CARenderer(
        size: Self.size, clock: clock, server: .inProcess.on(.surfaceless))
      _ = try images(of: AddedWaves(), in: renderer, start: 3)
      let lines = try #require(renderer.layer?.sublayers as? [CAShapeLayer])
      func box(_ line: CAShapeLayer, at time: Double) throws -> CGRect {
        _ = try renderer.image(at: time)
        return try #require(line.presentation()?.path).boundingBoxOfPath
      }
      // The wave's highest and lowest points lie 24 points from the middle.
      #expect(try box(lines[0], at: 3.1) == CGRect(x: 0, y: 6, width: 60, height: 48))
      #expect(try box(lines[0], at: 3.35) == CGRect(x: 0, y: 30, width: 60, height: 0))
      #expect(try box(lines[1], at: 3.1) == CGRect(x: 0, y: 0, width: 60, height: 60))
      #expect(try box(lines[1], at: 3.05) == CGRect(x: 0, y: 30, width: 60, height: 0))
    }
  }

  @Test("All play on the program's clock, in a renderer that was given none")
  func defaultClock() async {
    await #expect(processExitsWith: .success) {
      MediaClock.default = .manual(time: 70)
      let tests = IndicatorTests()
      for row in IndicatorTests.rows {
        let renderer = try CARenderer(
          size: IndicatorTests.size, server: .inProcess.on(.surfaceless))
        let start = CACurrentMediaTime()
        let images = try tests.images(of: row.make(), in: renderer, start: start)
        try #require(Set(images).count >= 8)
        renderer.layer = nil
      }
      try #require(CACurrentMediaTime() > 80)
    }
  }
}
