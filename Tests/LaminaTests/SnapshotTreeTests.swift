import Foundation
import LaminaCommit
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

@Suite("A layer tree as plain values") struct SnapshotTreeTests {
  private func renderer(_ width: Double = 60, scale: CGFloat = 1) throws -> CARenderer {
    try CARenderer(
      size: CGSize(width: width, height: 40), scale: scale, platform: .software,
      server: .inProcess)
  }

  private func plain(_ frame: CGRect) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    layer.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
    return layer
  }

  // The names and values are written out, so that no code of the snapshot's is used again.
  @Test("What 200 random layers show is what their presentations say", arguments: 0..<4)
  func presentations(part: Int) throws {
    let renderer = try renderer()
    var seen = 0
    for seed in part * 12..<part * 12 + 12 {
      var timings = RandomTimings(seed: seed, isHostile: false)
      let layers = timings.layers()
      for layer in layers {
        for _ in 0..<timings.below(3) { layer.add(timings.animation(depth: 2), forKey: nil) }
      }
      renderer.clock.time = 0
      renderer.layer = layers[0]
      for _ in 0..<2 {
        let time = timings.number()
        let snapshot = try renderer.snapshotTree(at: time)
        renderer.clock.time = time
        try #require(snapshot.layers.count == layers.count)
        for (layer, shown) in zip(layers, snapshot.layers) {
          let presented = try #require(layer.presentation())
          seen += 1
          #expect(shown.bounds == presented.bounds)
          #expect(shown.clock.localTime == layer.convertTime(time, from: nil))
          #expect(shown.animations.count == layer.attachedAnimations.count)
          let values = Dictionary(
            uniqueKeysWithValues: shown.properties.map { ($0.name, $0.shown) })
          func number(_ name: String, _ usual: Double) -> LayerTreeSnapshot.Value {
            values[name] ?? .number(usual)
          }
          #expect(number("opacity", 1) == .number(presented.modelValues.opacity))
          #expect(number("zPosition", 0) == .number(Double(presented.zPosition)))
          let position = presented.position
          #expect(
            values["position"] ?? .numbers([0, 0])
              == .numbers([Double(position.x), Double(position.y)]))
          #expect(
            values["transform"] ?? .numbers(CATransform3DIdentity.rows.joined().map { Double($0) })
              == .numbers(presented.transform.rows.joined().map { Double($0) }))
        }
      }
    }
    #expect(seen >= 50)
  }

  @Test("A value says what it was set to and what it shows")
  func setAndShown() throws {
    let renderer = try renderer()
    let layer = plain(CGRect(x: 10, y: 5, width: 20, height: 10))
    layer.name = "box"
    layer.add(CABasicAnimation("opacity", from: 0, to: 1, duration: 2), forKey: "fade")
    renderer.layer = layer
    let shown = try renderer.snapshotTree(at: 0.5).layers[0]
    #expect((shown.name, shown.className, shown.path) == ("box", "CALayer", "0"))
    #expect(shown.frame == layer.frame)
    #expect(
      shown.corners
        == [
          CGPoint(x: 10, y: 5), CGPoint(x: 30, y: 5), CGPoint(x: 30, y: 15),
          CGPoint(x: 10, y: 15),
        ])
    #expect(shown.properties.map(\.name) == ["backgroundColor", "bounds", "opacity", "position"])
    #expect(shown.properties[0].set == .color([0, 0, 1, 1]))
    #expect(shown.properties[2].set == .number(1))
    #expect(shown.properties[2].shown == .number(0.25))
    let fade = shown.animations[0]
    #expect((fade.key, fade.keyPath, fade.className) == ("fade", "opacity", "CABasicAnimation"))
    #expect((fade.begin, fade.end, fade.progress) == (0, 2, 0.25))
    #expect(shown.cost.items == 1)
    #expect(shown.cost.pixels == 200)
  }

  @Test("Places are points at any scale, and a renderer's bounds place the root")
  func places() throws {
    let renderer = try renderer(scale: 2)
    renderer.layer = plain(CGRect(x: 10, y: 5, width: 20, height: 10))
    #expect(try renderer.snapshotTree(at: 0).layers[0].frame.maxX == 30)
    renderer.bounds = CGRect(x: 10, y: 0, width: 30, height: 20)
    let layers = try renderer.snapshotTree(at: 0).layers
    #expect(layers.map(\.path) == ["0"])
    #expect(layers[0].frame == CGRect(x: 0, y: 10, width: 40, height: 20))
    #expect(layers[0].parent == nil)
  }

  @Test("It comes through JSON as it was")
  func roundTrip() throws {
    let renderer = try renderer()
    let root = plain(CGRect(x: 0, y: 0, width: 60, height: 40))
    root.sublayerTransform.m34 = -0.01
    let behind = plain(CGRect(x: 5, y: 5, width: 9, height: 9))
    behind.zPosition = 500
    root.addSublayer(behind)
    let gradient = CAGradientLayer()
    gradient.colors = [CGColor(red: 1, green: 0, blue: 0, alpha: 1), CGColor(gray: 1, alpha: 0)]
    gradient.locations = [0, 1]
    gradient.isHidden = true
    root.addSublayer(gradient)
    let text = CATextLayer()
    text.string = "Ä \"/\""
    root.addSublayer(text)
    let shape = CAShapeLayer()
    shape.path = CGPath(rect: CGRect(x: 0, y: 0, width: 3, height: 3), transform: nil)
    shape.mask = CALayer()
    root.addSublayer(shape)
    renderer.layer = root
    let snapshot = try renderer.snapshotTree(at: 0)
    let data = try JSONEncoder().encode(snapshot)
    #expect(try JSONDecoder().decode(LayerTreeSnapshot.self, from: data) == snapshot)
    #expect(snapshot.layers[1].frame.isNull)
    #expect(snapshot.layers.map(\.className).contains("CATextLayer"))
  }

  @Test("A layer in a transition is there twice, as it is and as it was")
  func transition() throws {
    let renderer = try renderer()
    let root = plain(CGRect(x: 0, y: 0, width: 60, height: 40))
    let layer = plain(CGRect(x: 10, y: 10, width: 20, height: 20))
    layer.addSublayer(plain(CGRect(x: 0, y: 0, width: 5, height: 5)))
    root.addSublayer(layer)
    renderer.layer = root
    _ = try renderer.image(at: 0)
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    layer.sublayers = nil
    let push = CATransition()
    push.type = .push
    layer.add(push, forKey: "push")
    CATransaction.commit()
    let layers = try renderer.snapshotTree(at: 0.1).layers
    #expect(layers.map(\.path) == ["0", "0/0", "0/0/old", "0/0/old/0"])
    #expect(layers[1].layer == layers[2].layer)
    #expect(layers[1].animations.map(\.className) == ["CATransition"])
  }

  @Test("What is cached costs a hit, and a rasterized layer says that it is one")
  func caches() throws {
    let renderer = try renderer()
    let root = plain(CGRect(x: 0, y: 0, width: 60, height: 40))
    let layer = plain(CGRect(x: 10, y: 10, width: 20, height: 20))
    layer.shouldRasterize = true
    layer.addSublayer(plain(CGRect(x: 0, y: 0, width: 5, height: 5)))
    root.addSublayer(layer)
    renderer.layer = root
    let before = try renderer.snapshotTree(at: 0)
    #expect((before.layers[1].cost.hits, before.layers[1].cost.misses) == (0, 1))
    #expect(before.layers[1].cost.isRasterized)
    _ = try renderer.image(at: 0)
    let after = try renderer.snapshotTree(at: 0)
    #expect((after.layers[1].cost.hits, after.layers[1].cost.misses) == (1, 0))
    #expect(after.layers[2].frame == CGRect(x: 10, y: 10, width: 5, height: 5))
    #expect(after.layers[2].cost.items == 1)
  }

  @Test("10,000 layers come from the render process")
  func many() throws {
    let renderer = try CARenderer(
      size: CGSize(width: 100, height: 100), platform: .software, server: .process)
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    for place in 1..<10_000 {
      root.addSublayer(
        plain(CGRect(x: place % 100, y: place / 100, width: 1, height: 1)))
    }
    renderer.layer = root
    let snapshot = try renderer.snapshotTree(at: 0)
    #expect(snapshot.layers.count == 10_000)
    #expect(snapshot.layers[9_999].path == "0/9998")
    #expect(snapshot.layers[9_999].frame == CGRect(x: 99, y: 99, width: 1, height: 1))
    #expect(snapshot.cost.pixels == 9_999)
    #expect(snapshot.layers[1...].allSatisfy { $0.hidden == nil })
  }
}

@Suite("A layer's own picture") struct LayerPictureTests {
  private let renderer: CARenderer
  private let root = CALayer()

  init() throws {
    renderer = try CARenderer(
      size: CGSize(width: 60, height: 40), platform: .software, server: .inProcess)
    root.frame = CGRect(x: 0, y: 0, width: 60, height: 40)
  }

  @Test("It shows the layer alone, without what is in it, and none if nothing is drawn")
  func alone() throws {
    let layer = CALayer()
    layer.frame = CGRect(x: 50, y: 30, width: 20, height: 10)
    layer.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    layer.opacity = 0.5
    layer.transform = CATransform3DMakeRotation(1, 0, 0, 1)
    let inner = CALayer()
    inner.frame = CGRect(x: 0, y: 0, width: 20, height: 5)
    inner.backgroundColor = CGColor(red: 0, green: 1, blue: 0, alpha: 1)
    layer.addSublayer(inner)
    root.addSublayer(layer)
    renderer.layer = root
    let image = try #require(try renderer.picture(of: layer, at: 0, longestSide: 64))
    #expect((image.width, image.height) == (20, 10))
    #expect(Picture(image)[3, 2] == [255, 0, 0, 255])
    let small = try #require(try renderer.picture(of: layer, at: 0, longestSide: 10))
    #expect((small.width, small.height) == (10, 5))
    #expect(try renderer.picture(of: root, at: 0, longestSide: 64) == nil)
  }

  @Test("Of an animated layer, it shows the moment, and the contents as they lie in the layer")
  func moment() throws {
    let layer = CAGradientLayer()
    layer.frame = CGRect(x: 0, y: 0, width: 20, height: 10)
    layer.colors = [
      CGColor(red: 1, green: 0, blue: 0, alpha: 1), CGColor(red: 0, green: 0, blue: 1, alpha: 1),
    ]
    layer.add(CABasicAnimation("bounds.size.width", from: 20, to: 40), forKey: nil)
    root.addSublayer(layer)
    renderer.layer = root
    let image = try #require(try renderer.picture(of: layer, at: 0.5, longestSide: 64))
    #expect((image.width, image.height) == (30, 10))
    #expect(Picture(image)[10, 0][0] > 200)
    // Flipped, a layer's smallest y is at the bottom of the frame, and images stay upright there.
    let picture = CALayer()
    picture.frame = layer.frame
    picture.contents = try renderer.picture(of: layer, at: 2, longestSide: 64)
    root.addSublayer(picture)
    let upright = try #require(try renderer.picture(of: picture, at: 2, longestSide: 64))
    #expect(Picture(upright)[5, 0][0] > 200)
    root.isGeometryFlipped = true
    let flipped = try #require(try renderer.picture(of: picture, at: 2, longestSide: 64))
    #expect(Picture(flipped)[5, 0][0] < 50)
  }

  /// Draws its tiles green.
  private final class Drawer: NSObject, CALayerDelegate {
    func draw(_ layer: CALayer, in context: CGContext) {
      context.setFillColor(CGColor(red: 0, green: 1, blue: 0, alpha: 1))
      context.fill(context.boundingBoxOfClipPath)
    }
  }

  @Test("Text, shapes, particles and tiles have pictures, and a transform layer has none")
  func kinds() throws {
    let dot = CALayer()
    dot.frame = CGRect(x: 0, y: 0, width: 4, height: 4)
    dot.backgroundColor = CGColor(red: 1, green: 1, blue: 0, alpha: 1)
    root.addSublayer(dot)
    renderer.layer = root
    let text = CATextLayer()
    text.string = "MMM"
    let shape = CAShapeLayer()
    shape.path = CGPath(rect: CGRect(x: 2, y: 3, width: 5, height: 5), transform: nil)
    let emitter = CAEmitterLayer()
    (emitter.emitterPosition, emitter.beginTime) = (CGPoint(x: 10, y: 10), -5)
    let cell = CAEmitterCell()
    (cell.birthRate, cell.lifetime) = (100, 1)
    cell.contents = try renderer.picture(of: dot, at: 0, longestSide: 8)
    emitter.emitterCells = [cell]
    let tiles = CATiledLayer()
    let drawer = Drawer()
    tiles.delegate = drawer
    let space = CATransformLayer()
    for layer in [text, shape, emitter, tiles, space] {
      layer.frame = CGRect(x: 0, y: 0, width: 40, height: 30)
      root.addSublayer(layer)
    }
    func picture(_ layer: CALayer) throws -> Picture? {
      try renderer.picture(of: layer, at: 1, longestSide: 64).map { Picture($0) }
    }
    #expect(try picture(text) != nil)
    #expect(try picture(shape)?[4, 5] == [0, 0, 0, 255])
    #expect(try picture(shape)?[9, 9] == [0, 0, 0, 0])
    #expect(try picture(emitter)?[10, 10] == [255, 255, 0, 255])
    #expect(try picture(space) == nil)
    // The first frame draws the tiles.
    _ = try renderer.image(at: 1)
    #expect(try picture(tiles)?[10, 10] == [0, 255, 0, 255])
  }
}
