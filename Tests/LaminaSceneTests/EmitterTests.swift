import Foundation
import Lamina
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import LaminaGraphics

/// Emitters through the API.
@Suite("Emitters") struct EmitterTests {
  private static let size = CGSize(width: 80, height: 60)

  private static func image() throws -> CGImage {
    let buffer = try PixelBuffer(width: 8, height: 8, format: .bgra8, use: .store)
    buffer.withUnsafeMutableBytes { bytes in
      for place in bytes.indices { bytes[place] = 255 }
    }
    return CGImage(buffer)
  }

  private static func cell(_ name: String = "a") throws -> CAEmitterCell {
    let cell = CAEmitterCell()
    cell.name = name
    cell.contents = try image()
    (cell.birthRate, cell.lifetime, cell.velocity) = (10, 2, 20)
    return cell
  }

  private static func emitter(_ cells: [CAEmitterCell]) -> CAEmitterLayer {
    let layer = CAEmitterLayer()
    layer.frame = CGRect(origin: .zero, size: size)
    layer.emitterPosition = CGPoint(x: 20, y: 30)
    layer.emitterCells = cells
    return layer
  }

  private static func renderer(_ layer: CALayer) throws -> CARenderer {
    let renderer = try CARenderer(size: size, server: .inProcess)
    renderer.layer = layer
    return renderer
  }

  private static func isEmpty(_ image: CGImage) -> Bool {
    image.unpremultipliedRGBA.allSatisfy { $0 == 0 }
  }

  /// The most different cell: everything at random.
  private static func lively() throws -> CAEmitterCell {
    let cell = try cell()
    (cell.lifetimeRange, cell.velocityRange, cell.emissionRange) = (1, 30, 6.3)
    (cell.spin, cell.spinRange, cell.scaleRange, cell.alphaSpeed) = (1, 2, 0.5, -0.3)
    (cell.redRange, cell.greenRange, cell.yAcceleration) = (1, 1, 20)
    let spark = try Self.cell("spark")
    (spark.birthRate, spark.scale) = (3, 0.5)
    cell.emitterCells = [spark]
    return cell
  }

  @Test("Jumping to a time equals playing there, pixel for pixel")
  func seeking() throws {
    let played = try Self.renderer(Self.emitter([try Self.lively()]))
    for frame in 0...100 { _ = try played.image(at: Double(frame) / 10) }
    let jumped = try Self.renderer(Self.emitter([try Self.lively()]))
    try expectEqual(try played.image(at: 10), try jumped.image(at: 10), "at 10 s")
    try expectEqual(try played.image(at: 3), try jumped.image(at: 3), "back at 3 s")
    #expect(!Self.isEmpty(try jumped.image(at: 3)))
  }

  @Test("Animated emitters, too, are the same played and jumped to")
  func seekingAnimations() throws {
    func renderer() throws -> CARenderer {
      let emitter = Self.emitter([try Self.lively()])
      for (keyPath, from, to) in [
        ("emitterPosition.x", 0.0, 80.0), ("birthRate", 0, 3), ("emitterCells.a.velocity", 0, 50),
      ] {
        let animation = CABasicAnimation(keyPath: keyPath)
        (animation.fromValue, animation.toValue, animation.duration) = (from, to, 3)
        (animation.autoreverses, animation.repeatCount) = (true, .infinity)
        emitter.add(animation, forKey: keyPath)
      }
      return try Self.renderer(emitter)
    }
    let (played, jumped) = (try renderer(), try renderer())
    _ = try jumped.image(at: 0)
    for frame in 0...50 { _ = try played.image(at: Double(frame) / 10) }
    try expectEqual(try played.image(at: 5), try jumped.image(at: 5), "at 5 s")
    #expect(!Self.isEmpty(try jumped.image(at: 5)))
  }

  @Test("render(in:) draws the particles of its renderer's time, and a copy those of animations")
  func pictures() throws {
    let emitter = Self.emitter([try Self.cell()])
    let renderer = try Self.renderer(emitter)
    _ = try renderer.image(at: 0)
    let plain = try renderer.image(at: 1.25)
    #expect(!Self.isEmpty(plain))
    for layer in [emitter, try #require(emitter.presentation())] {
      try expectEqual(plain, try CGImage.picture(of: layer, 80, 60), difference: 1, "at 1.25 s")
    }
    let animation = CABasicAnimation(keyPath: "emitterPosition.y")
    (animation.fromValue, animation.toValue, animation.duration) = (0, 60, 2)
    emitter.add(animation, forKey: nil)
    _ = try renderer.image(at: 1.5)
    withoutActions { emitter.birthRate = 3 }
    let animated = try renderer.image(at: 2.25)
    let picture = try CGImage.picture(of: try #require(emitter.presentation()), 80, 60)
    try expectEqual(animated, picture, difference: 1, pixels: 8, "animated")
    let model = try CGImage.picture(of: emitter, 80, 60)
    #expect(try ImageDifference(animated, model, tolerance: 1).differingPixelCount > 100)
  }

  @Test("A birth rate of 0 ends emission, and particles that live live on")
  func stopping() throws {
    let ended = Self.emitter([try Self.cell()])
    let renderer = try Self.renderer(ended)
    _ = try renderer.image(at: 1.95)
    withoutActions { ended.birthRate = 0 }
    let before = try renderer.image(at: 2)
    let later = try renderer.image(at: 3)
    let over = try renderer.image(at: 4.1)
    // The same from a cell that emits until then.
    let cell = try Self.cell()
    cell.duration = 1.95
    let other = try Self.renderer(Self.emitter([cell]))
    try expectEqual(before, try other.image(at: 2), "at once")
    try expectEqual(later, try other.image(at: 3), "a second later")
    #expect(!Self.isEmpty(later) && Self.isEmpty(over))
    // Emission begins anew, and not with particles of the time between.
    withoutActions { ended.birthRate = 1 }
    let again = try renderer.image(at: 4.3)
    let begun = try Self.cell()
    begun.beginTime = 4.1
    // Births are multiples of a tenth of a second in the layer's time, then and now.
    let fresh = try Self.renderer(Self.emitter([begun]))
    try expectEqual(again, try fresh.image(at: 4.3), "begun again")
  }

  @Test("An implicit animation of the birth rate lets it fade, and is kept when it is over")
  func fadingOut() throws {
    let emitter = Self.emitter([try Self.cell()])
    let renderer = try Self.renderer(emitter)
    _ = try renderer.image(at: 1)
    CATransaction.begin()
    CATransaction.setAnimationDuration(0.5)
    emitter.birthRate = 0
    CATransaction.commit()
    _ = try renderer.image(at: 1)
    let running = try renderer.image(at: 1.4)
    for time in [1.6, 1.7, 1.8] { _ = try renderer.image(at: time) }
    #expect(emitter.animationKeys() == nil)
    // The render process hears of the end with the next commit.
    withoutActions { emitter.zPosition = 1 }
    _ = try renderer.image(at: 1.8)
    try expectEqual(running, try renderer.image(at: 1.4), "after its end")
    #expect(!Self.isEmpty(try renderer.image(at: 2.9)))
    #expect(Self.isEmpty(try renderer.image(at: 3.6)))
  }

  @Test("Each particle keeps the place where it was born while the emitter is moved")
  func trail() throws {
    let emitter = Self.emitter([try Self.cell()])
    emitter.emitterCells?.first?.velocity = 0
    emitter.setValue(0, forKeyPath: "emitterCells.a.velocity")
    let renderer = try Self.renderer(emitter)
    for frame in 0...20 {
      withoutActions { emitter.emitterPosition = CGPoint(x: 5 + CGFloat(frame) * 3, y: 30) }
      _ = try renderer.image(at: Double(frame) / 10)
    }
    let image = try renderer.image(at: 2)
    // Births at the frames' times, each at the place of its frame.
    for frame in [2, 10, 19] {
      #expect(image.pixel(x: 5 + frame * 3, y: 30).alpha == 255)
    }
    #expect(image.pixel(x: 75, y: 30).alpha == 0)
  }

  @Test("Particles of earlier cells keep their images, and rasterized emitters move on")
  func otherCells() throws {
    let (old, new) = (try Self.cell("old"), try Self.cell("new"))
    (old.color, new.color) = (.red, .blue)
    new.birthRate = 0
    let layer = Self.emitter([old])
    let renderer = try Self.renderer(layer)
    _ = try renderer.image(at: 1)
    withoutActions { layer.emitterCells = [new] }
    _ = try renderer.image(at: 1)
    let later = try renderer.image(at: 2)
    old.duration = 0.999
    let other = Self.emitter([old])
    other.shouldRasterize = true
    let rasterized = try Self.renderer(other)
    _ = try rasterized.image(at: 0.5)
    try expectEqual(later, try rasterized.image(at: 2), "the old cell's particles")
    #expect(!Self.isEmpty(later))
  }

  // MARK: Key-value coding

  @Test("Cells are kept by identity, and key paths reach them by name")
  func keyPaths() throws {
    let (a, b) = (try Self.cell("a"), try Self.cell("b"))
    a.emitterCells = [try Self.cell("inner")]
    let layer = Self.emitter([a, b])
    #expect(layer.emitterCells?.first === a && layer.emitterCells?.last === b)
    layer.setValue(7, forKeyPath: "emitterCells.b.birthRate")
    layer.setValue(0.5, forKeyPath: "emitterCells.a.emitterCells.inner.scale")
    layer.setValue(0.25, forKeyPath: "emitterCells.a.contentsRect.size.width")
    #expect(b.birthRate == 7 && a.birthRate == 10)
    #expect(layer.value(forKeyPath: "emitterCells.b.birthRate") as? Double == 7)
    #expect(layer.value(forKeyPath: "emitterCells.a.emitterCells.inner.scale") as? Double == 0.5)
    #expect(a.contentsRect == CGRect(x: 0, y: 0, width: 0.25, height: 1))
    #expect(layer.value(forKeyPath: "emitterCells.c.birthRate") == nil)
    // A change of the object counts when the cells are set again.
    let renderer = try Self.renderer(layer)
    let first = try renderer.image(at: 1)
    b.velocity = 60
    try expectEqual(first, try renderer.image(at: 1), "unchanged")
    layer.emitterCells = [a, b]
    let second = try renderer.image(at: 1.5)
    #expect(try ImageDifference(first, second, tolerance: 0).differingPixelCount > 0)
  }

  @Test("A cell's property is animated under its key path, and shown by presentations")
  func animatedCell() throws {
    let layer = Self.emitter([try Self.cell()])
    let animation = CABasicAnimation(keyPath: "emitterCells.a.birthRate")
    (animation.fromValue, animation.toValue, animation.duration) = (0, 100, 2)
    layer.add(animation, forKey: nil)
    let renderer = try Self.renderer(layer)
    _ = try renderer.image(at: 0)
    _ = try renderer.image(at: 0.5)
    let shown = try #require(layer.presentation())
    #expect(shown.value(forKeyPath: "emitterCells.a.birthRate") as? Double == 25)
    #expect(shown.emitterCells?.first?.birthRate == 25)
    #expect(layer.emitterCells?.first?.birthRate == 10)
  }

  @Test("Cells have their properties under keys, with defaults")
  func cellKeys() throws {
    let cell = CAEmitterCell()
    #expect(cell.duration == .infinity && cell.scale == 1 && cell.contentsScale == 1)
    #expect(cell.isEnabled && cell.birthRate == 0 && cell.color != nil)
    #expect(CAEmitterCell.defaultValue(forKey: "scale") as? Double == 1)
    #expect(CAEmitterCell.defaultValue(forKey: "nonsense") == nil)
    cell.setValue(3, forKey: "velocity")
    cell.setValue(nil, forKey: "scale")
    cell.setValue("nearest", forKey: "minificationFilter")
    cell.setValue(false, forKey: "enabled")
    cell.setValue("x", forKey: "nonsense")
    #expect(cell.velocity == 3 && cell.scale == 1 && !cell.isEnabled)
    #expect(cell.minificationFilter == "nearest")
    #expect(cell.value(forKey: "nonsense") as? String == "x")
    cell.setValue("fast", forKey: "velocity")
    cell.contents = "no image"
    #expect(cell.velocity == 3 && cell.contents == nil)
  }

  @Test("A cell in itself is cut, and too many cells are refused")
  func limits() throws {
    let cell = try Self.cell()
    cell.emitterCells = [cell]
    let layer = Self.emitter([cell])
    #expect(!Self.isEmpty(try Self.renderer(layer).image(at: 1)))
    cell.emitterCells = nil
    layer.emitterCells = Array(repeating: cell, count: 1025)
    #expect(layer.emitterCells?.isEmpty == true)
  }

  @Test("Layers with cells and behaviours go through archives")
  func archives() throws {
    let cell = try Self.lively()
    cell.contentsRect = CGRect(x: 0, y: 0, width: 0.5, height: 1)
    let layer = Self.emitter([cell])
    (layer.renderMode, layer.emitterShape, layer.seed) = (.oldestLast, .circle, 5)
    layer.emitterSize = CGSize(width: 9, height: 0)
    let wave = CAEmitterBehavior(type: "wave")
    wave.name = "w"
    wave.setValue([0, 40, 0], forKey: "force")
    wave.setValue(2, forKey: "frequency")
    layer.emitterBehaviors = [wave]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: layer, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CAEmitterLayer.self, from: data))
    #expect(copy.emitterBehaviors == [wave])
    #expect(copy.value(forKeyPath: "emitterBehaviors.w.frequency") as? Double == 2)
    try expectEqual(
      try Self.renderer(layer).image(at: 2), try Self.renderer(copy).image(at: 2), "the copy")
  }

  @Test("A document's states reach cells, and unknown attributes are named")
  func documentNames() throws {
    let layer = Self.emitter([try Self.cell()])
    layer.setValue([CAEmitterBehavior(type: "attractor")], forKey: "emitterBehaviors")
    #expect(layer.emitterBehaviors?.first?.type == "attractor")
    layer.setValue(3, forKeyPath: "emitterBehaviors.attractor.stiffness")
    #expect(layer.value(forKeyPath: "emitterBehaviors.attractor.stiffness") as? Double == 3)
  }
}
