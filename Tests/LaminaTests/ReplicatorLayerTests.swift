import Foundation
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

@Suite("Replicator layers") struct ReplicatorLayerTests {
  @Test("A new layer has Apple's defaults")
  func defaults() {
    let layer = CAReplicatorLayer()
    #expect(layer.instanceCount == 1 && layer.instanceDelay == 0 && !layer.preservesDepth)
    #expect(CATransform3DIsIdentity(layer.instanceTransform))
    #expect(layer.instanceColor == .white)
    #expect(layer.instanceRedOffset == 0 && layer.instanceGreenOffset == 0)
    #expect(layer.instanceBlueOffset == 0 && layer.instanceAlphaOffset == 0)
    #expect(CAReplicatorLayer.defaultValue(forKey: "instanceCount") as? Int == 1)
    #expect(CAReplicatorLayer.defaultValue(forKey: "instanceColor") as? CGColor == .white)
    #expect(CALayer.defaultValue(forKey: "instanceCount") == nil)
  }

  @Test("Key-value coding and archives reach every property")
  func keys() throws {
    let layer = CAReplicatorLayer()
    let values: [(String, Any)] = [
      ("instanceCount", 7), ("preservesDepth", true), ("instanceDelay", 0.25),
      ("instanceRedOffset", -0.5), ("instanceGreenOffset", 0.25), ("instanceBlueOffset", 0.5),
      ("instanceAlphaOffset", -0.125), ("instanceColor", CGColor.red),
    ]
    for (key, value) in values { layer.setValue(value, forKey: key) }
    layer.setValue(3, forKeyPath: "instanceTransform.translation.x")
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: layer, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CAReplicatorLayer.self, from: data))
    for layer in [layer, read] {
      #expect(layer.instanceCount == 7 && layer.preservesDepth && layer.instanceDelay == 0.25)
      #expect(layer.instanceRedOffset == -0.5 && layer.instanceGreenOffset == 0.25)
      #expect(layer.instanceBlueOffset == 0.5 && layer.instanceAlphaOffset == -0.125)
      #expect(layer.instanceColor == .red && layer.instanceTransform.m41 == 3)
    }
  }

  @Test("Counts that do not fit and numbers that are none are refused with a warning")
  func refused() {
    let layer = CAReplicatorLayer()
    let said = warnings(of: {
      layer.instanceCount = -1
      layer.instanceCount = Int.max
      layer.instanceDelay = .nan
    })
    #expect(layer.instanceCount == 1 && layer.instanceDelay == 0)
    #expect(said.count == 3 && said.contains { $0.contains("-1") })
  }

  /// A replicator of 40 × 20 with a square that is shown three times, 10 apart.
  private func row() -> (replicator: CAReplicatorLayer, square: CALayer) {
    let replicator = CAReplicatorLayer()
    replicator.frame = CGRect(x: 0, y: 0, width: 40, height: 20)
    (replicator.instanceCount, replicator.instanceTransform) = (
      3, CATransform3DMakeTranslation(10, 0, 0)
    )
    let square = CALayer()
    square.frame = CGRect(x: 2, y: 2, width: 6, height: 6)
    square.backgroundColor = .red
    replicator.addSublayer(square)
    return (replicator, square)
  }

  @Test("A hit test sees the first copy only, and none where there are none")
  func hits() {
    let (replicator, square) = row()
    #expect(replicator.hitTest(CGPoint(x: 5, y: 5)) === square)
    #expect(replicator.hitTest(CGPoint(x: 15, y: 5)) === replicator)
    replicator.instanceCount = 0
    #expect(replicator.hitTest(CGPoint(x: 5, y: 5)) === replicator)
  }

  @Test("A replicator that preserves depth is hit as a CATransformLayer is: only its sublayers are")
  func hitsInDepth() {
    let (replicator, square) = row()
    replicator.preservesDepth = true
    replicator.position.x += 1
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 40, height: 20)
    let behind = CALayer()
    behind.frame = root.frame
    behind.zPosition = -1
    root.sublayers = [replicator, behind]
    square.zPosition = -2
    #expect(root.hitTest(CGPoint(x: 5, y: 5)) === behind)
    square.zPosition = 0
    #expect(root.hitTest(CGPoint(x: 5, y: 5)) === square)
    #expect(root.hitTest(CGPoint(x: 15, y: 5)) === behind)
    #expect(!replicator.contains(CGPoint(x: 5, y: 5)))
    #expect(replicator.hitTest(CGPoint(x: 30, y: 15)) == nil)
  }

  @Test("A context gets all copies, in the sublayers' own colours")
  func rendersInContext() throws {
    let (replicator, square) = row()
    replicator.instanceColor = .blue
    let image = try Drawer.context.draw(replicator, 40, 20)
    for x in [5, 15, 25] { #expect(image.pixel(x: x, y: 5) == image.pixel(x: 5, y: 5)) }
    #expect(image.ink == CGRect(x: 2, y: 2, width: 26, height: 6))
    let byHand = CALayer()
    byHand.frame = replicator.frame
    for number in 0..<3 {
      let copy = CALayer()
      copy.frame = square.frame.offsetBy(dx: CGFloat(10 * number), dy: 0)
      copy.backgroundColor = .red
      byHand.addSublayer(copy)
    }
    #expect(
      try Drawer.context.draw(byHand, 40, 20).unpremultipliedRGBA == image.unpremultipliedRGBA)
  }

  @Test("A context gets a limited number of copies, with one warning")
  func limitInContext() throws {
    let (outer, inner) = (CAReplicatorLayer(), CAReplicatorLayer())
    for layer in [outer, inner] {
      layer.frame = CGRect(x: 0, y: 0, width: 4, height: 4)
      layer.instanceCount = 1_000_000_000
    }
    outer.addSublayer(inner)
    inner.addSublayer(CALayer())
    let said = warnings(of: { _ = try? Drawer.context.draw(outer, 4, 4) })
    #expect(said.count == 1 && said[0].contains("262144 copies"))
  }

  @Test("A frame with a thousand million copies fails, and names the number and the limit")
  func limitInFrame() throws {
    let (replicator, _) = row()
    replicator.instanceCount = 1_000_000_000
    let renderer = try CARenderer(size: CGSize(width: 40, height: 20), server: .inProcess)
    renderer.layer = replicator
    #expect {
      try renderer.image(at: 0)
    } throws: {
      "\($0)".contains("1000000000 layers in copies of replicators, at most 262144 are allowed")
    }
  }

  @Test("The presentation layer of a copied layer is the first copy's")
  func presentation() throws {
    let (replicator, square) = row()
    replicator.instanceDelay = 0.25
    let slide = CABasicAnimation(keyPath: "position.y")
    (slide.fromValue, slide.toValue, slide.duration) = (0, 10, 1)
    square.add(slide, forKey: "slide")
    let renderer = try CARenderer(size: CGSize(width: 40, height: 20), server: .inProcess)
    renderer.layer = replicator
    _ = try renderer.image(at: 0.5)
    #expect(try #require(square.presentation()).position.y == 5)
  }

  @Test("Copied layers that become visible at different times wake up for each of them")
  func wakingUp() throws {
    let (replicator, square) = row()
    replicator.instanceDelay = 1
    let appear = CABasicAnimation(keyPath: "hidden")
    (appear.fromValue, appear.toValue, appear.duration) = (true, false, 0.5)
    appear.beginTime = 1
    appear.fillMode = .both
    appear.isRemovedOnCompletion = false
    square.add(appear, forKey: "appear")
    func image(_ times: [Double]) throws -> CGImage {
      let renderer = try CARenderer(size: CGSize(width: 40, height: 20), server: .inProcess)
      renderer.layer = replicator
      var last: CGImage?
      for time in times { last = try renderer.image(at: time) }
      renderer.layer = nil
      return try #require(last)
    }
    for count in 1...6 {
      let times = (1...count).map { Double($0) * 0.75 }
      let (kept, new) = (try image(times), try image([times[count - 1]]))
      #expect(kept.unpremultipliedRGBA == new.unpremultipliedRGBA, "at \(times[count - 1])")
    }
    let end = try image([4.5])
    #expect(end.ink == CGRect(x: 2, y: 2, width: 26, height: 6))
  }
}
