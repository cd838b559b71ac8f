import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

/// Fills the area that it is asked to draw with its ink, and records the clips.
private final class InkLayer: CALayer {
  var ink = CGColor.red
  /// The part of the bounds to fill; nil for all.
  var area: CGRect?
  var clips: [CGRect] = []
  var whileDrawing: (() -> Void)?

  override func draw(in ctx: CGContext) {
    clips.append(ctx.boundingBoxOfClipPath)
    ctx.setFillColor(ink)
    ctx.fill(area ?? bounds)
    whileDrawing?()
  }
}

private final class Delegate: NSObject, CALayerDelegate {
  var calls: [String] = []
  func layerWillDraw(_ layer: CALayer) {
    calls.append("layerWillDraw")
    layer.isOpaque = true
  }
  func draw(_ layer: CALayer, in ctx: CGContext) {
    calls.append("draw")
    ctx.setFillColor(.red)
    ctx.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
  }
}

private final class Provider: NSObject, CALayerDelegate {
  var calls: [String] = []
  let image: CGImage
  init(_ image: CGImage) { self.image = image }
  func display(_ layer: CALayer) {
    calls.append("display")
    layer.contents = image
  }
  func layerWillDraw(_ layer: CALayer) { calls.append("layerWillDraw") }
}

@Suite("Display") struct DisplayTests {
  private func renderer(
    _ layer: CALayer, size: Double = 8, scale: Double = 1, server: RenderServer = .inProcess
  ) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: size, height: size), scale: scale, server: server.on(.surfaceless))
    renderer.layer = layer
    return renderer
  }

  private func ink(_ frame: CGRect = CGRect(x: 0, y: 0, width: 8, height: 8)) -> InkLayer {
    let layer = InkLayer()
    layer.frame = frame
    return layer
  }

  /// A row of characters for each row of pixels: r for red, b for blue, # for black, a dot for a
  /// transparent pixel, and a question mark for any other.
  private func picture(_ image: CGImage) -> String {
    (0..<image.height).map { y in
      String(
        (0..<image.width).map { x -> Character in
          let p = image.pixel(x: x, y: y)
          return switch (p.red, p.green, p.blue, p.alpha) {
          case (255, 0, 0, 255): "r"
          case (0, 0, 255, 255): "b"
          case (0, 0, 0, 255): "#"
          case (0, 0, 0, 0): "."
          default: "?"
          }
        })
    }.joined(separator: "\n")
  }

  @Test("A layer that needs it is drawn before the next commit, once")
  func lifeCycle() throws {
    let layer = ink()
    let renderer = try renderer(layer)
    _ = try renderer.image(at: 0)
    #expect(!layer.needsDisplay() && layer.clips.isEmpty && layer.contents == nil)
    layer.setNeedsDisplay()
    #expect(layer.needsDisplay() && layer.clips.isEmpty)
    let drawn = try renderer.image(at: 0)
    #expect(!layer.needsDisplay() && layer.clips == [layer.bounds])
    #expect(drawn.pixel(x: 0, y: 0).red == 255)
    _ = try renderer.image(at: 0)
    layer.displayIfNeeded()
    #expect(layer.clips.count == 1)
    layer.display()
    #expect(layer.clips.count == 2)
    #expect(layer.contents != nil && !(layer.contents is CGImage))
  }

  @Test("Layers that come into the tree are drawn with it, sublayers and masks too")
  func newLayers() throws {
    let (root, child, mask) = (CALayer(), ink(), ink())
    child.area = CGRect(x: 0, y: 0, width: 8, height: 4)
    mask.area = CGRect(x: 0, y: 0, width: 4, height: 8)
    for layer in [child, mask] { layer.setNeedsDisplay() }
    child.mask = mask
    let renderer = try renderer(root)
    _ = try renderer.image(at: 0)
    withoutActions { root.addSublayer(child) }
    let row = "rrrr....\n"
    let none = "........\n"
    #expect(
      picture(try renderer.image(at: 0)) + "\n" == String(repeating: row, count: 4)
        + String(repeating: none, count: 4))
    #expect(!child.needsDisplay() && !mask.needsDisplay())
  }

  @Test("y points down in draw(in:), and up below an odd number of flipped layers")
  func flipped() throws {
    for flips in 0...2 {
      let (root, layer) = (CALayer(), ink(CGRect(x: 0, y: 0, width: 2, height: 2)))
      root.frame = layer.frame
      root.addSublayer(layer)
      layer.area = CGRect(x: 0, y: 0, width: 2, height: 1)
      root.isGeometryFlipped = flips > 0
      layer.isGeometryFlipped = flips > 1
      layer.setNeedsDisplay()
      let picture = picture(try renderer(root, size: 2).image(at: 0))
      #expect(picture == (flips == 1 ? "..\nrr" : "rr\n.."), "\(flips) flips")
    }
  }

  @Test("The bounds fill the store at the contents' scale, wherever they begin")
  func scaleAndOrigin() throws {
    let layer = ink(CGRect(x: 0, y: 0, width: 2, height: 1.5))
    layer.bounds.origin = CGPoint(x: 10, y: 20)
    layer.area = CGRect(x: 11, y: 20, width: 1, height: 1)
    layer.contentsScale = 2
    layer.setNeedsDisplay()
    layer.displayIfNeeded()
    let store = try #require(layer.contents as? BackingStore)
    #expect(picture(try #require(store.image)) == "..rr\n..rr\n....")
    #expect(layer.clips == [CGRect(x: 10, y: 20, width: 2, height: 1.5)])
  }

  @Test("A delegate is told before it draws; an opaque store is black where nothing is drawn")
  func drawingDelegate() throws {
    let (layer, delegate) = (CALayer(), Delegate())
    layer.frame = CGRect(x: 0, y: 0, width: 2, height: 2)
    layer.delegate = delegate
    layer.setNeedsDisplay()
    #expect(picture(try renderer(layer, size: 2).image(at: 0)) == "rr\n##")
    #expect(delegate.calls == ["layerWillDraw", "draw"])
  }

  // Measured on Apple's QuartzCore by others.
  @Test("display() clears the flag, and tells the delegate before the layer draws")
  func displayByHand() {
    final class Watching: NSObject, CALayerDelegate {
      var drawnBefore: [Int] = []
      func layerWillDraw(_ layer: CALayer) {
        drawnBefore.append((layer as? InkLayer)?.clips.count ?? -1)
      }
    }
    let (layer, watching) = (ink(), Watching())
    layer.delegate = watching
    for times in 1...2 {
      layer.setNeedsDisplay()
      #expect(layer.needsDisplay())
      layer.display()
      #expect(!layer.needsDisplay() && layer.clips.count == times)
    }
    #expect(watching.drawnBefore == [0, 1])
    let (plain, delegate) = (CALayer(), Delegate())
    plain.bounds = CGRect(x: 0, y: 0, width: 2, height: 2)
    plain.delegate = delegate
    plain.setNeedsDisplay()
    plain.display()
    #expect(!plain.needsDisplay() && delegate.calls == ["layerWillDraw", "draw"])
  }

  @Test("A delegate that displays provides the contents, and nothing is drawn")
  func providingDelegate() throws {
    let provider = Provider(
      try CGImage(width: 1, height: 1, unpremultipliedRGBA: [0, 0, 255, 255]))
    let layer = ink()
    layer.delegate = provider
    layer.setNeedsDisplay()
    #expect(try renderer(layer).image(at: 0).pixel(x: 7, y: 7).blue == 255)
    #expect(provider.calls == ["display"] && layer.clips.isEmpty)
    #expect(layer.contents as? CGImage == provider.image && !layer.needsDisplay())
  }

  @Test("A layer that nobody draws keeps its contents")
  func undrawn() throws {
    final class Quiet: CALayer {}
    let image = try CGImage(width: 1, height: 1, unpremultipliedRGBA: [0, 0, 255, 255])
    for layer in [CALayer(), Quiet()] {
      layer.frame = CGRect(x: 0, y: 0, width: 2, height: 2)
      layer.contents = image
      layer.setNeedsDisplay()
      layer.displayIfNeeded()
      #expect(layer.contents as? CGImage == image && !layer.needsDisplay())
    }
  }

  @Test("Layout comes before display")
  func layoutFirst() throws {
    final class Sizing: CALayer {
      override func layoutSublayers() { sublayers?.first?.bounds.size.width = 4 }
    }
    let (root, layer) = (Sizing(), ink())
    root.addSublayer(layer)
    layer.needsDisplayOnBoundsChange = true
    layer.setNeedsDisplay()
    _ = try renderer(root).image(at: 0)
    #expect(layer.clips == [CGRect(x: 0, y: 0, width: 4, height: 8)])
  }

  @Test("A change of the bounds has a layer drawn that wants it, and no other")
  func boundsChange() {
    let layer = ink()
    layer.bounds.size.width = 9
    #expect(!layer.needsDisplay())
    layer.needsDisplayOnBoundsChange = true
    layer.bounds = layer.bounds
    #expect(!layer.needsDisplay())
    layer.bounds.size.width = 10
    #expect(layer.needsDisplay())
  }

  @Test("What asks to be drawn while it is drawn is drawn with the next commit")
  func again() throws {
    let layer = ink()
    layer.whileDrawing = { [unowned layer] in
      if layer.clips.count < 3 { layer.setNeedsDisplay(CGRect(x: 0, y: 0, width: 1, height: 1)) }
    }
    layer.setNeedsDisplay()
    let renderer = try renderer(layer)
    for count in 1...5 {
      _ = try renderer.image(at: 0)
      #expect(layer.clips.count == min(count, 3))
    }
  }

  @Test("What drawing changes, even in transactions of its own, is in the same commit")
  func changesWhileDrawing() throws {
    let (root, first, layer) = (CALayer(), ink(), ink())
    root.sublayers = [first, layer]
    let commits = Lock<[Commit]>([])
    let context = LayerContext { commit, _ in
      commits.withLock {
        $0.append(commit)
        return UInt64($0.count)
      }
    }
    let tree = LayerTree(context: context, session: SessionID(rawValue: 1), clock: .manual())
    defer { tree.close() }
    tree.root = root
    try tree.commit()
    layer.whileDrawing = {
      CATransaction.begin()
      first.isHidden = true
      CATransaction.commit()
      first.setNeedsDisplay()
    }
    layer.setNeedsDisplay()
    try tree.commit()
    #expect(commits.withLock { $0.count } == 2)
    #expect(first.presentation()?.isHidden == true && first.clips.count == 1)
  }

  @Test(
    "A 10 x 10 rectangle is all that is drawn and uploaded, in a process of its own too",
    arguments: [true, false])
  func partial(isProcess: Bool) throws {
    let layer = ink(CGRect(x: 0, y: 0, width: 100, height: 100))
    let renderer = try renderer(layer, size: 100, server: isProcess ? .process : .inProcess)
    layer.setNeedsDisplay()
    _ = try renderer.image(at: 0)
    #expect(renderer.uploadedBytes == 100 * 100 * 4)
    _ = try renderer.image(at: 0)
    #expect(renderer.uploadedBytes == 0)
    layer.ink = .blue
    let rect = CGRect(x: 20, y: 30, width: 10, height: 10)
    layer.setNeedsDisplay(rect)
    let image = try renderer.image(at: 0)
    #expect(renderer.uploadedBytes == 10 * 10 * 4)
    #expect(layer.clips == [layer.bounds, rect])
    for y in 0..<100 {
      for x in 0..<100 {
        let isInside = rect.contains(CGPoint(x: x, y: y))
        guard (image.pixel(x: x, y: y).blue == 255) != isInside else { continue }
        Issue.record("(\(x), \(y)) is wrong")
        return
      }
    }
  }

  @Test("Rectangles are rounded out to the store's pixels; those that overlap become one")
  func rounding() throws {
    let layer = ink(CGRect(x: 0, y: 0, width: 40, height: 40))
    layer.contentsScale = 2
    let renderer = try renderer(layer, size: 40, scale: 2)
    layer.setNeedsDisplay()
    _ = try renderer.image(at: 0)
    layer.setNeedsDisplay(CGRect(x: 1.1, y: 1.1, width: 1, height: 1))
    _ = try renderer.image(at: 0)
    #expect(renderer.uploadedBytes == 3 * 3 * 4)
    layer.setNeedsDisplay(CGRect(x: 2, y: 2, width: 2, height: 2))
    layer.setNeedsDisplay(CGRect(x: 3, y: 3, width: 2, height: 2))
    layer.setNeedsDisplay(CGRect(x: 30, y: 30, width: 1, height: 1))
    layer.setNeedsDisplay(CGRect(x: 38, y: -5, width: 100, height: 6))
    layer.setNeedsDisplay(CGRect(x: 90, y: 90, width: 6, height: 6))
    layer.setNeedsDisplay(.zero)
    layer.ink = .blue
    let image = try renderer.image(at: 0)
    #expect(renderer.uploadedBytes == (6 * 6 + 2 * 2 + 4 * 2) * 4)
    #expect(layer.clips.count == 3)
    #expect(image.pixel(x: 20, y: 20).red == 255)  // Lies between the rectangles.
    #expect(image.pixel(x: 60, y: 60).blue == 255 && image.pixel(x: 79, y: 0).blue == 255)
    layer.setNeedsDisplay(CGRect(x: 90, y: 90, width: 6, height: 6))
    _ = try renderer.image(at: 0)
    #expect(layer.clips.count == 3 && !layer.needsDisplay())
  }

  @Test("A part cannot be drawn alone where the store's size, scale or direction changed")
  func changedSubject() throws {
    let layer = ink()
    let renderer = try renderer(layer)
    layer.setNeedsDisplay()
    _ = try renderer.image(at: 0)
    let changes: [() -> Void] = [
      { layer.bounds.size.width = 6 }, { layer.contentsScale = 3 },
      { layer.isGeometryFlipped = true }, { layer.bounds.origin.x = 1 }, { layer.isOpaque = true },
    ]
    for change in changes {
      change()
      layer.setNeedsDisplay(CGRect(x: 1, y: 1, width: 1, height: 1))
      _ = try renderer.image(at: 0)
      #expect(layer.clips.last == layer.bounds)
    }
    layer.bounds.size = .zero
    layer.setNeedsDisplay()
    _ = try renderer.image(at: 0)
    #expect(layer.contents == nil && layer.clips.count == 1 + changes.count)
  }

  @Test("However often a layer is drawn, the server holds two of its buffers at most")
  func buffers() throws {
    let layer = ink(CGRect(x: 0, y: 0, width: 64, height: 64))
    // A server of its own, since the stores of other tests would count as well.
    let server = RenderServer(
      launcher: .init(name: "for a layer that draws") {
        () throws(ServerFailure) in try RenderServerLauncher.process.start()
      }, platform: .surfaceless)
    let renderer = try CARenderer(size: CGSize(width: 64, height: 64), server: server)
    renderer.layer = layer
    layer.setNeedsDisplay()
    for place in 0..<50 {
      layer.setNeedsDisplay(CGRect(x: place, y: place, width: 3, height: 3))
      _ = try renderer.image(at: 0)
      #expect(renderer.heldStores <= 2)
    }
    // Without frames the server reads nothing, and even so no buffers pile up.
    for _ in 0..<50 {
      layer.setNeedsDisplay()
      CATransaction.flush()
    }
    _ = try renderer.image(at: 0)
    #expect(renderer.heldStores <= 2)
  }

  @Test("Setting contents takes the place of the store; nil takes it away")
  func replacingStore() throws {
    let layer = ink()
    let renderer = try renderer(layer)
    layer.setNeedsDisplay()
    _ = try renderer.image(at: 0)
    let store = layer.contents
    layer.contents = store
    #expect(layer.contents as? BackingStore === store as? BackingStore)
    layer.contents = nil
    #expect(try renderer.image(at: 0).pixel(x: 0, y: 0).alpha == 0)
    layer.setNeedsDisplay(CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(try renderer.image(at: 0).pixel(x: 7, y: 7).red == 255)  // The whole layer is drawn.
  }

  @Test("Given to another layer, a store is what it shows at that moment")
  func sharedStore() throws {
    let (root, layer, other) = (CALayer(), ink(CGRect(x: 0, y: 0, width: 4, height: 8)), CALayer())
    other.frame = CGRect(x: 4, y: 0, width: 4, height: 8)
    root.sublayers = [layer, other]
    let renderer = try renderer(root)
    layer.setNeedsDisplay()
    layer.displayIfNeeded()
    other.contents = layer.contents
    layer.ink = .blue
    layer.setNeedsDisplay(CGRect(x: 0, y: 0, width: 4, height: 4))
    let image = try renderer.image(at: 0)
    #expect(image.pixel(x: 0, y: 0).blue == 255 && image.pixel(x: 0, y: 7).red == 255)
    #expect(image.pixel(x: 4, y: 0).red == 255 && other.contents is CGImage)
  }

  @Test("A layer that goes to another server takes its drawing along")
  func otherServer() throws {
    let layer = ink()
    layer.setNeedsDisplay()
    let first = try renderer(layer)
    _ = try first.image(at: 0)
    let second = try renderer(layer, server: .process)
    #expect(try second.image(at: 0).pixel(x: 0, y: 0).red == 255)
    #expect(layer.clips.count == 1)
    first.layer = nil
    layer.ink = .blue
    layer.setNeedsDisplay(CGRect(x: 0, y: 0, width: 1, height: 1))
    let image = try second.image(at: 0)
    #expect(image.pixel(x: 0, y: 0).blue == 255 && image.pixel(x: 1, y: 0).red == 255)
  }

  @Test("Hints have their defaults and are kept")
  func hints() {
    let layer = CALayer()
    #expect(!layer.isOpaque && !layer.drawsAsynchronously && !layer.needsDisplayOnBoundsChange)
    #expect(layer.contentsFormat == .RGBA8Uint)
    layer.drawsAsynchronously = true
    layer.contentsFormat = .RGBA16Float
    #expect(layer.drawsAsynchronously && layer.contentsFormat == .RGBA16Float)
    layer.contentsFormat = CALayerContentsFormat(rawValue: "no such format")
    #expect(layer.contentsFormat == .RGBA8Uint)
    #expect(layer.minificationFilterBias == 0)
    layer.minificationFilterBias = 0.1
    #expect(layer.minificationFilterBias == 0.1)
    layer.minificationFilterBias = .nan
    #expect(layer.minificationFilterBias == 0.1)
  }

  @Test("Wishing for content at every scale has a layer drawn again, however it is set")
  func dynamicContentScaling() {
    let layer = CALayer()
    #expect(!layer.wantsDynamicContentScaling)
    layer.wantsDynamicContentScaling = false
    #expect(!layer.needsDisplay())
    layer.wantsDynamicContentScaling = true
    #expect(layer.wantsDynamicContentScaling && layer.needsDisplay())
    layer.displayIfNeeded()
    layer.setValue(false, forKey: "wantsDynamicContentScaling")
    #expect(!layer.wantsDynamicContentScaling && layer.needsDisplay())
  }
}
