import Foundation
import LaminaGraphics
import LaminaValues
import TestSupport
import Testing

@testable import Lamina

@Suite("Layers that draw asynchronously")
struct AsynchronousDrawingTests {
  @Test("show on a manual clock what they show if they draw at once, whatever they draw again")
  func equalsDrawingAtOnce() throws {
    func frames(_ isAsynchronous: Bool) throws -> [CGImage] {
      let renderer = try makeRenderer()
      let layers = (0..<6).map { place in
        let layer = PaintedLayer()
        layer.frame = CGRect(
          x: CGFloat(place % 3) * 30 + 2.5, y: CGFloat(place / 3) * 40, width: 28, height: 36)
        layer.drawsAsynchronously = isAsynchronous
        layer.isOpaque = place == 4
        layer.setNeedsDisplay()
        renderer.layer?.addSublayer(layer)
        return layer
      }
      var frames = [try renderer.image(at: 0)]
      for (turn, layer) in layers.enumerated() {
        layer.turn = turn + 1
        if turn.isMultiple(of: 2) {
          layer.setNeedsDisplay()
        } else {
          layer.setNeedsDisplay(CGRect(x: 3, y: 4, width: 10, height: 12))
        }
        frames.append(try renderer.image(at: Double(turn) + 1))
      }
      return frames
    }
    let (expected, found) = (try frames(false), try frames(true))
    for (place, (a, b)) in zip(expected, found).enumerated() {
      #expect(try a.difference(from: b).differingPixelCount == 0, "frame \(place)")
    }
    #expect(try expected[0].difference(from: expected[6]).differingPixelCount > 100)
  }

  @Test("hold up neither the commit nor live frames, which show them as they were until then")
  func goesOn() throws {
    let renderer = try makeRenderer(clock: .host)
    let layer = PaintedLayer()
    layer.frame = CGRect(x: 10, y: 10, width: 40, height: 40)
    layer.drawsAsynchronously = true
    renderer.layer?.addSublayer(layer)
    let queue = renderer.tree.drawingQueue
    let door = Door()
    queue.add((0..<DrawingQueue.threadLimit).map { _ in door })
    layer.backgroundColor = .red
    layer.setNeedsDisplay()
    CATransaction.flush()
    #expect(layer.drawCount == 1)
    // The commit is there, and what was recorded is not.
    #expect(try renderer.image(at: MediaClock.host.time).pixel(x: 30, y: 30) == (0, 0, 255, 255))
    door.open()
    queue.waitUntilIdle()
    #expect(try renderer.image(at: MediaClock.host.time).pixel(x: 30, y: 30) == (0, 255, 0, 255))
  }

  @Test("keep the contents that they are given while the drawing waits")
  func otherContents() throws {
    let renderer = try makeRenderer()
    let layer = recordedLayer(in: renderer)
    layer.contents = nil
    layer.backgroundColor = .blue
    #expect(try renderer.image(at: 1).pixel(x: 10, y: 10) == (255, 0, 0, 255))
  }

  @Test("take their pixels along to another renderer, and show them in render(in:)")
  func moving() throws {
    let (first, second) = (try makeRenderer(), try makeRenderer())
    let layer = recordedLayer(in: first)
    second.layer?.addSublayer(layer)
    #expect(try second.image(at: 1).pixel(x: 10, y: 10) == (0, 255, 0, 255))

    layer.turn = 1
    layer.setNeedsDisplay()
    CATransaction.flush()
    let context = try #require(
      CGContext(
        data: nil, width: 20, height: 20, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue
          | CGBitmapInfo.byteOrder32Little.rawValue))
    layer.render(in: context)
    #expect(try #require(context.makeImage()).pixel(x: 10, y: 10) != (0, 255, 0, 255))
  }

  @Test("that draw nothing keep their contents")
  func nothingDrawn() throws {
    let renderer = try makeRenderer()
    let layer = UndrawnLayer()
    layer.frame = CGRect(x: 0, y: 0, width: 20, height: 20)
    layer.drawsAsynchronously = true
    layer.setNeedsDisplay()
    renderer.layer?.addSublayer(layer)
    _ = try renderer.image(at: 0)
    #expect(layer.contents == nil)
  }

  /// A layer whose drawing is committed and waits.
  private func recordedLayer(in renderer: CARenderer) -> PaintedLayer {
    let layer = PaintedLayer()
    layer.frame = CGRect(x: 0, y: 0, width: 20, height: 20)
    layer.drawsAsynchronously = true
    renderer.layer?.addSublayer(layer)
    layer.setNeedsDisplay()
    CATransaction.flush()
    return layer
  }

  private func makeRenderer(clock: MediaClock = .manual()) throws -> CARenderer {
    let renderer = try CARenderer(size: CGSize(width: 100, height: 80), clock: clock)
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 100, height: 80)
    renderer.layer = root
    return renderer
  }
}

/// A layer without a class or delegate that draws.
private final class UndrawnLayer: CALayer {}

/// Draws a green square; in later turns, shapes of many kinds too.
private final class PaintedLayer: CALayer {
  var turn = 0
  private(set) var drawCount = 0

  override func draw(in ctx: CGContext) {
    drawCount += 1
    ctx.setFillColor(CGColor(red: 0, green: 1, blue: 0, alpha: 1))
    ctx.fill(bounds)
    guard turn > 0 else { return }
    ctx.saveGState()
    ctx.setShadow(offset: CGSize(width: 2, height: 3), blur: 4)
    ctx.setFillColor(CGColor(red: 0.8, green: 0.1, blue: CGFloat(turn) / 8, alpha: 0.8))
    ctx.fillEllipse(in: bounds.insetBy(dx: 4, dy: 5))
    ctx.restoreGState()
    ctx.beginTransparencyLayer(auxiliaryInfo: nil)
    ctx.setBlendMode(.multiply)
    ctx.setStrokeColor(CGColor(red: 0, green: 0, blue: 0.5, alpha: 0.5))
    ctx.setLineWidth(3)
    ctx.stroke(bounds.insetBy(dx: 6, dy: 9))
    ctx.endTransparencyLayer()
  }
}

/// A drawing that keeps a thread busy until the door is opened.
private final class Door: BackgroundDrawing, @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false

  func run() {
    condition.withLock { while !isOpen { condition.wait() } }
  }

  func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }
}
