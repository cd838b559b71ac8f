import Lamina
import LaminaInProcess
import Testing

@Suite("What a frame's statistics count")
struct FrameStatisticsTests {
  /// A renderer on a server of its own, if no other test has this budget: servers of equal options
  /// are shared, and the bytes of their caches are what they keep for all.
  private func renderer(memory: Int) throws -> CARenderer {
    var server = RenderServer.inProcess.on(.software)
    server.options.memoryBudget = memory
    return try CARenderer(size: CGSize(width: 100, height: 80), server: server)
  }

  /// A layer in which nothing animates by itself.
  private func layer(_ frame: CGRect) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    return layer
  }

  @Test("Passes, pixels and damage are those of what is painted, and nothing counts nothing")
  func painting() throws {
    let renderer = try renderer(memory: 101 << 20)
    let root = layer(CGRect(x: 0, y: 0, width: 100, height: 80))
    let square = layer(CGRect(x: 10, y: 10, width: 20, height: 20))
    for layer in [root, square] { layer.backgroundColor = CGColor(gray: 0.5, alpha: 0.5) }
    root.addSublayer(square)
    renderer.layer = root

    let whole = try renderer.drawFrame(at: 0)
    #expect((whole.passes, whole.shadedPixels, whole.damagedPixels) == (1, 8400, 8000))
    let still = try renderer.drawFrame(at: 1)
    #expect((still.passes, still.shadedPixels, still.damagedPixels) == (0, 0, 0))

    CATransaction.begin()
    CATransaction.setDisableActions(true)
    square.backgroundColor = CGColor(gray: 1, alpha: 0.5)
    CATransaction.commit()
    let changed = try renderer.drawFrame(at: 2)
    // Edges that may lie between pixels reach a pixel further.
    #expect((changed.passes, changed.shadedPixels, changed.damagedPixels) == (1, 884, 484))
  }

  @Test("A path's coverage is missed once, and found in later frames")
  func paths() throws {
    let renderer = try renderer(memory: 102 << 20)
    let root = layer(CGRect(x: 0, y: 0, width: 100, height: 80))
    let shape = CAShapeLayer()
    shape.path = CGPath(ellipseIn: CGRect(x: 5, y: 5, width: 40, height: 40), transform: nil)
    root.addSublayer(shape)
    renderer.layer = root
    let first = try renderer.drawFrame(at: 0)
    #expect((first.cacheHits, first.cacheMisses, first.cacheEvictions) == (0, 1, 0))
    #expect(first.uploadedBytes > 0 && first.cacheBytes >= first.uploadedBytes)

    CATransaction.begin()
    CATransaction.setDisableActions(true)
    shape.fillColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    CATransaction.commit()
    let second = try renderer.drawFrame(at: 1)
    #expect((second.cacheHits, second.cacheMisses, second.cacheEvictions) == (1, 0, 0))
    #expect(second.uploadedBytes == 0 && second.cacheBytes == first.cacheBytes)
  }

  @Test("What is freed to keep to a budget counts, and what a layer gives up does not")
  func evictions() throws {
    // A hundred masks of 64 KiB are more than the budget, and each frame draws one of them.
    let renderer = try renderer(memory: 1 << 20)
    let root = layer(CGRect(x: 0, y: 0, width: 100, height: 80))
    let shapes = (0..<100).map { number in
      let shape = CAShapeLayer()
      let (width, height) = (90.0 - Double(number) / 4, 70.0)
      shape.path = CGPath(
        ellipseIn: CGRect(x: 4, y: 4, width: width, height: height), transform: nil)
      shape.isHidden = true
      root.addSublayer(shape)
      return shape
    }
    renderer.layer = root
    var evictions = 0
    for (number, shape) in shapes.enumerated() {
      CATransaction.begin()
      CATransaction.setDisableActions(true)
      shape.isHidden = false
      if number > 0 { shapes[number - 1].isHidden = true }
      CATransaction.commit()
      let frame = try renderer.drawFrame(at: Double(number))
      #expect(frame.cacheBytes <= 1 << 20)
      evictions += frame.cacheEvictions
    }
    #expect(evictions > 0)

    let roomy = try self.renderer(memory: 103 << 20)
    roomy.layer = root
    _ = try roomy.drawFrame(at: 200)
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    shapes[99].path = CGPath(rect: CGRect(x: 3.5, y: 3, width: 9, height: 9), transform: nil)
    CATransaction.commit()
    #expect(try roomy.drawFrame(at: 201).cacheEvictions == 0)
  }
}
