import Lamina
import LaminaInProcess
import Testing

@Suite("Sources written for Apple's systems") struct AppleSourcesTests {
  private func renderer(of layer: CALayer) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: 16, height: 16), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    return renderer
  }

  @Test("A presentation layer is of its own class, three deep, and has what the class stores")
  func subclasses() throws {
    let layer = SpeedometerLayer(label: "speed")
    layer.reading.speed = 88
    #expect(layer.presentation() == nil)
    let renderer = try renderer(of: layer)
    _ = try renderer.image(at: 0)
    let untyped: CALayer = layer
    let copy = try #require(untyped.presentation() as? SpeedometerLayer)
    #expect(copy !== layer)
    #expect(copy.reading.speed == 88)
    #expect(copy.label == "speed")
    #expect(copy.ticks == ["0", "50", "100"])
    #expect(copy.backgroundColor == layer.backgroundColor)
    #expect(copy.model() === layer)
    #expect(layer.model() === layer)
    #expect(copy.presentation() === copy)
    #expect(copy.sublayers?.first is CAShapeLayer)
    #expect((copy.sublayers?.first as? CAShapeLayer)?.lineWidth == 3)
    #expect(copy.sublayers?.first !== layer.sublayers?.first)
    #expect(copy.sublayers?.first?.superlayer is SpeedometerLayer)
  }

  @Test("Inherited initializers and generic classes have presentation layers as well")
  func inherited() throws {
    let layer = TextNoteLayer()
    layer.beats = 4
    let renderer = try renderer(of: layer)
    _ = try renderer.image(at: 0)
    let copy = try #require((layer as CALayer).presentation() as? TextNoteLayer)
    #expect(copy.beats == 4)
    #expect(copy.cornerRadius == 8)
  }

  @Test("Overridden properties see the changes")
  func overriddenProperties() {
    let layer = GaugeLayer(label: "x")
    let before = layer.resizes
    layer.frame = CGRect(x: 0, y: 0, width: 5, height: 5)
    #expect(layer.resizes == before + 1)
  }

  @Test("A layer keeps a copy of an animation, of its own class")
  func animationSubclasses() throws {
    let layer = PulseLayer()
    layer.pulse()
    let kept = try #require(layer.animation(forKey: "pulse") as? PulseAnimation)
    #expect(kept.beats == 3)
    #expect(kept.animations?.count == 2)
    #expect((kept.animations?[0] as? CABasicAnimation)?.keyPath == "transform.scale")
    #expect(layer.animationKeys() == ["pulse"])
  }

  @Test("Calling init(layer:) by hand copies nothing of CALayer's")
  func byHand() {
    let layer = CALayer()
    layer.opacity = 0.5
    #expect(CALayer(layer: layer).opacity == 1)
  }
}
