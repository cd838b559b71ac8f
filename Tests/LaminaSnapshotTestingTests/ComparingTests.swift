import Foundation
import Lamina
import LaminaCAML
import Testing

@testable import LaminaSnapshotTesting

@Suite("Comparing snapshots") struct ComparingTests {
  /// Two squares beside each other.
  private static func pair(_ right: CGColor) -> CALayer {
    let pair = square(.red, side: 8)
    let half = square(right, side: 8)
    half.frame = CGRect(x: 4, y: 0, width: 4, height: 8)
    pair.addSublayer(half)
    return pair
  }

  /// What an assertion of `result` reports where `reference` was recorded.
  private static func failures(
    _ reference: CALayer, _ result: CALayer,
    as snapshotting: Snapshotting<CALayer, CGImage> = .image
  ) -> [String] {
    let recorder = Recorder()
    _ = recorder.failures(of: reference, as: snapshotting, named: "pair")
    return recorder.failures(of: result, as: snapshotting, named: "pair")
  }

  @Test("A failure says how many pixels differ, by how much, where, and what drew them")
  func message() {
    let message = Self.failures(Self.pair(.red), Self.pair(.nearlyRed)).first ?? ""
    #expect(
      message.contains(
        "differs from its reference: 32 of 64 pixels (50 %) differ; at most by 4 of 255 and 1.12 on"
          + " average; ΔE is "))
    #expect(message.contains("all of it within 4x8 at 4,0"))
    #expect(message.contains("\ndrawn by software ("))
  }

  @Test("A precision is the share of pixels that must match")
  func precision() {
    for (precision, isEnough) in [(1, false), (0.51, false), (0.5, true), (0, true)] {
      let failures = Self.failures(
        Self.pair(.red), Self.pair(.blue), as: .image(precision: precision))
      #expect(failures.isEmpty == isEnough, "\(precision)")
    }
  }

  @Test("A perceptual precision lets colours pass that look alike")
  func perceptualPrecision() {
    for (precision, isEnough) in [(1, false), (0.999, false), (0.98, true), (0.5, true)] {
      let failures = Self.failures(
        square(.red), square(.nearlyRed), as: .image(perceptualPrecision: precision))
      #expect(failures.isEmpty == isEnough, "\(precision)")
    }
    #expect(
      !Self.failures(square(.red), square(.blue), as: .image(perceptualPrecision: 0.9)).isEmpty)
  }

  @Test("A precision that is no share is refused")
  func badPrecision() {
    let failures = Self.failures(square(.red), square(.blue), as: .image(precision: 98))
    #expect(
      failures == ["no snapshot could be taken: a precision is from 0 to 1, not 98.0 and 1.0"])
  }

  @Test("Another size is a difference")
  func sizes() {
    let message = Self.failures(square(.red), square(.red, side: 9)).first ?? ""
    #expect(message.contains("sizes differ: 8x8 and 9x9"))
  }

  @Test("What another platform than software drew may differ by the tolerance, not by more")
  func tolerance() throws {
    let recorder = Recorder()
    _ = recorder.failures(of: square(.red), as: .image, named: "square")
    for (tolerance, isEnough) in [(0, false), (3, false), (4, true)] {
      recorder.configuration.platform = .surfaceless
      recorder.configuration.tolerance = tolerance
      let failures = recorder.failures(of: square(.nearlyRed), as: .image, named: "square")
      #expect(failures.isEmpty == isEnough, "\(tolerance)")
      #expect(failures.allSatisfy { $0.contains("drawn by surfaceless (") })
    }
    recorder.configuration.platform = .software
    #expect(!recorder.failures(of: square(.nearlyRed), as: .image, named: "square").isEmpty)
  }

  @Test("Of every platform, one that draws otherwise fails and is named")
  func agreement() throws {
    let image = try #require(Self.image(of: square(.red)))
    let other = try #require(Self.image(of: square(.nearlyRed)))
    let snapshotting = Snapshotting<Int, CGImage>(pathExtension: "png", diffing: .image()) { _, _ in
      [
        Drawing(snapshots: [image], platform: .software, renderer: "software"),
        Drawing(snapshots: [other], platform: .surfaceless, renderer: "a device"),
      ]
    }
    let recorder = Recorder()
    _ = recorder.failures(of: 0, as: snapshotting, named: "square")
    let failures = recorder.failures(of: 0, as: snapshotting, named: "square")
    #expect(failures.count == 1)
    #expect(failures.first?.contains("a device draws otherwise than software: 64 of 64") == true)
    recorder.configuration.tolerance = 4
    #expect(recorder.failures(of: 0, as: snapshotting, named: "square").isEmpty)
  }

  @Test("Every platform of this machine draws an animation alike, and there are two at least")
  func everyPlatform() throws {
    let layer = square(.red)
    let move = CABasicAnimation(keyPath: "backgroundColor")
    move.toValue = CGColor.blue
    move.duration = 1
    layer.add(move, forKey: "move")
    var configuration = SnapshotTestingConfiguration()
    (configuration.platform, configuration.everyPlatform) = (.software, true)
    let stage = SnapshotStage(times: [0, 0.5, 2], configuration: configuration)
    let drawings = try stage.drawings(of: layer, in: nil, scale: 1)
    #expect(drawings.count >= 2)
    for drawing in drawings {
      #expect(drawing.snapshots.map { $0.pixel(x: 2, y: 2).blue } == [0, 128, 0], "\(drawing)")
    }
  }

  private static func image(of layer: CALayer) -> CGImage? {
    let stage = SnapshotStage(times: [0], configuration: SnapshotTestingConfiguration())
    return try? stage.drawings(of: layer, in: nil, scale: 1).first?.snapshots.first
  }

  @Test("Texts that differ are shown as diff -u shows them")
  func lines() {
    let old = (1...12).map { "line \($0)" }.joined(separator: "\n")
    let new = old.replacingOccurrences(of: "line 6", with: "another\nand one")
    #expect(
      LineDifference(old, new).text == """
        @@ -3,7 +3,8 @@
         line 3
         line 4
         line 5
        -line 6
        +another
        +and one
         line 7
         line 8
         line 9
        """)
    #expect(
      LineDifference("first\n" + old, old + "\nlast").text == """
        @@ -1,4 +1,3 @@
        -first
         line 1
         line 2
         line 3
        @@ -11,3 +10,4 @@
         line 10
         line 11
         line 12
        +last
        """)
  }
}
