import LaminaCommit
import LaminaGraphics
import LaminaInProcess
import TestSupport
import Testing

@testable import Lamina

@Suite("Renderers") struct RendererTests {

  private func renderer(_ layer: CALayer, size: Double = 8, scale: Double = 1) throws -> CARenderer
  {
    let renderer = try CARenderer(
      size: CGSize(width: size, height: size), scale: scale, server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    return renderer
  }

  private func square(_ color: CGColor, _ frame: CGRect) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    layer.backgroundColor = color
    return layer
  }

  /// Each pixel's alpha, row by row.
  private func alpha(_ image: CGImage) -> [[UInt8]] {
    let layout = image.buffer.layout
    return image.buffer.withUnsafeBytes { bytes in
      (0..<image.height).map { y in
        (0..<image.width).map { bytes[y * layout.stride + $0 * 4 + 3] }
      }
    }
  }

  /// Each pixel's bytes, row by row.
  private func bytes(_ image: CGImage) -> [[UInt8]] {
    let layout = image.buffer.layout
    return image.buffer.withUnsafeBytes { bytes in
      (0..<image.height).map {
        Array(bytes[$0 * layout.stride..<$0 * layout.stride + image.width * 4])
      }
    }
  }

  private func covered(_ image: CGImage) -> Int {
    alpha(image).joined().reduce(0) { $0 + ($1 == 255 ? 1 : 0) }
  }

  /// The description of the error that `body` throws.
  private func error(_ body: () throws -> some Any) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("An image has the size in pixels, the first row on top")
  func image() throws {
    let layer = square(.red, CGRect(x: 0, y: 0, width: 8, height: 2))
    let image = try renderer(layer, scale: 2).image(at: 0)
    #expect(image.width == 16 && image.height == 16)
    let rows = alpha(image).map { $0[8] }
    #expect(rows[0...3].allSatisfy { $0 == 255 } && rows[4...].allSatisfy { $0 == 0 })
  }

  @Test("bounds choose what of the layer's superspace fills the frame")
  func bounds() throws {
    let layer = square(.red, CGRect(x: 10, y: 10, width: 2, height: 4))
    let renderer = try renderer(layer)
    #expect(covered(try renderer.image(at: 0)) == 0)
    renderer.bounds = CGRect(x: 10, y: 10, width: 4, height: 4)
    #expect(covered(try renderer.image(at: 0)) == 32)
    renderer.bounds = CGRect(x: 8, y: 8, width: 8, height: 8)
    #expect(covered(try renderer.image(at: 0)) == 8)
    renderer.bounds = CGRect(x: 0, y: 0, width: 8, height: 8)
    #expect(covered(try renderer.image(at: 0)) == 0)
  }

  @Test("A film's frames are those that images of the same times are, in order")
  func film() async throws {
    let layer = square(.red, CGRect(x: 0, y: 0, width: 0, height: 8))
    layer.anchorPoint = .zero
    layer.position = .zero
    let grow = CABasicAnimation(keyPath: "bounds.size.width")
    grow.toValue = 8
    grow.duration = 8
    layer.add(grow, forKey: nil)
    let film = try renderer(layer)
    let frames = film.frames(from: 0, to: 4, fps: 2)
    #expect(frames.count == 8)
    var seen: [(Double, Int)] = []
    for try await frame in frames { seen.append((frame.time, covered(frame.image))) }
    #expect(seen.map(\.0) == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5])
    #expect(seen.filter { $0.0.rounded() == $0.0 }.map(\.1) == [0, 8, 16, 24])
    #expect(film.clock.time == 3.5)
    #expect(layer.presentation()?.bounds.width == 3.5)
  }

  @Test(
    "Frames of no size, of too large a one and of strange scales are refused with their values",
    arguments: [
      (CGSize(width: 0, height: 8), 1), (CGSize(width: 8, height: CGFloat.nan), 1),
      (CGSize(width: -8, height: 8), 1), (CGSize(width: 1e300, height: 8), 1),
      (CGSize(width: CGFloat.infinity, height: 8), 1), (CGSize(width: 8, height: 8), .nan),
      (CGSize(width: 8, height: 8), 0), (CGSize(width: 8, height: 8), 1e300),
      (CGSize(width: 8, height: 8), 65), (CGSize(width: 8, height: 8), -1),
    ] as [(CGSize, CGFloat)])
  func badSize(size: CGSize, scale: CGFloat) {
    let text = "frames cannot be \(size.width)x\(size.height) points at \(Double(scale)) pixels"
    let error = error {
      try CARenderer(size: size, scale: scale, server: .inProcess.on(.surfaceless))
    }
    #expect(error?.hasPrefix(text) == true, "\(error ?? "none")")
  }

  @Test(
    "A frame at no time is refused, and the renderer goes on", arguments: [Double.nan, .infinity])
  func badTime(time: Double) async throws {
    let renderer = try renderer(square(.red, CGRect(x: 0, y: 0, width: 4, height: 4)))
    let text = "there is no frame at \(time)"
    #expect(error { try renderer.image(at: time) } == text)
    #expect(error { try renderer.treeDescription(at: time) } == text)
    #expect(error { try renderer.drawFrame(at: time) } == text)
    renderer.beginFrame(atTime: time, timeStamp: nil)
    renderer.addUpdate(renderer.bounds)
    renderer.render()
    renderer.endFrame()
    #expect(renderer.failure?.description == text)
    var frames = renderer.frames(at: [time, 1]).makeAsyncIterator()
    await #expect(throws: (any Error).self) { _ = try await frames.next(isolation: nil) }
    #expect(try await frames.next(isolation: nil).map { covered($0.image) } == 16)
  }

  @Test("Frames larger than can be drawn are refused before there is memory for them; others go on")
  func tooLarge() throws {
    let small = try renderer(square(.red, CGRect(x: 0, y: 0, width: 4, height: 4)))
    _ = try small.image(at: 0)
    for side in [16_385.0, 60_000] {
      let refused = error { _ = try CARenderer(size: CGSize(width: side, height: 1)) }
      #expect(
        refused == "frames cannot be \(side)x1.0 points at 1.0 pixels a point: they have 1 to 16384"
          + " pixels a side, at scales from 1/64 to 64")
    }
    #expect(covered(try small.image(at: 1)) == 16)
    let widest = try CARenderer(
      size: CGSize(width: 16_384, height: 1), server: .inProcess.on(.surfaceless))
    widest.layer = square(.red, CGRect(x: 16_380, y: 0, width: 8, height: 1))
    #expect(covered(try widest.image(at: 0)) == 4)
  }

  @Test("A film of a billion years has its frames, one at a time")
  func longFilm() async throws {
    let renderer = try renderer(square(.red, CGRect(x: 0, y: 0, width: 4, height: 4)))
    let frames = renderer.frames(from: 0, to: 3e14, fps: 30)
    #expect(frames.count == 9_000_000_000_000_000)
    for try await frame in frames {
      #expect(covered(frame.image) == 16)
      if frame.time > 0.1 { break }
    }
    #expect(renderer.frames(from: 1, to: -1e300, fps: 30).count == 0)
  }

  @Test("A film's frames say where they differ, and are the same pixels as when drawn alone")
  func damage() async throws {
    func scene(moves: Bool) -> CALayer {
      let root = CALayer()
      root.frame = CGRect(x: 0, y: 0, width: 8, height: 8)
      root.backgroundColor = .white
      let mark = square(.red, CGRect(x: 1, y: 1, width: 1, height: 1))
      if moves {
        let move = CABasicAnimation(keyPath: "position.x")
        move.fromValue = 1.5
        move.toValue = 5.5
        move.duration = 4
        mark.add(move, forKey: nil)
      }
      root.addSublayer(mark)
      return root
    }
    let whole = CGRect(x: 0, y: 0, width: 8, height: 8)
    var number = 0
    for try await frame in try renderer(scene(moves: true)).frames(from: 0, to: 8, fps: 1) {
      // The square's pixels, then and now, with one around them.
      switch number {
      case 0: #expect(frame.damage == [whole])
      case 1...4:
        let place = CGRect(x: number - 1, y: 0, width: 4, height: 3)
        #expect(frame.damage == [place], "\(number)")
      case 5: #expect(frame.damage.count == 2)
      default: #expect(frame.damage == [], "\(number)")
      }
      let alone = try renderer(scene(moves: true)).image(at: frame.time)
      let (found, expected) = (bytes(frame.image), bytes(alone))
      #expect(found == expected, "\(number)")
      number += 1
    }
    #expect(number == 8)
  }

  @Test("A frame in which nothing has changed draws nothing")
  func still() throws {
    let layer = square(.red, CGRect(x: 0, y: 0, width: 4, height: 4))
    let renderer = try renderer(layer)
    #expect(try renderer.drawFrame(at: 0).drawCalls == 1)
    #expect(try renderer.drawFrame(at: 1).drawCalls == 0)
    #expect(covered(try renderer.image(at: 2)) == 16)
    layer.opacity = 0.5
    #expect(try renderer.drawFrame(at: 3).drawCalls == 1)
  }

  @Test("What changes between two frames of a film shows in the second")
  func changesDuringFilm() async throws {
    let layer = square(.red, CGRect(x: 0, y: 0, width: 1, height: 8))
    let renderer = try renderer(layer)
    var seen: [Int] = []
    for try await frame in renderer.frames(at: [0, 1, 2, 3]) {
      seen.append(covered(frame.image))
      if frame.time == 1 { layer.frame = CGRect(x: 0, y: 0, width: 3, height: 8) }
    }
    #expect(seen == [8, 8, 24, 24])
  }

  @Test("A frame is drawn where something changed, and says when the next will")
  func frames() throws {
    let layer = square(.red, CGRect(x: 0, y: 0, width: 4, height: 4))
    let renderer = try renderer(layer)
    renderer.endFrame()
    #expect(renderer.updateBounds().isNull)
    renderer.beginFrame(atTime: 0, timeStamp: nil)
    #expect(renderer.updateBounds() == renderer.bounds)
    renderer.render()
    renderer.endFrame()
    #expect(renderer.failure == nil)
    #expect(renderer.renderedImage.map(covered) == 16)
    #expect(renderer.nextFrameTime() == .infinity)

    renderer.beginFrame(atTime: 1, timeStamp: nil)
    #expect(renderer.updateBounds().isNull)
    renderer.addUpdate(CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(renderer.updateBounds() == CGRect(x: 0, y: 0, width: 1, height: 1))
    renderer.endFrame()

    layer.opacity = 0.5
    #expect(renderer.nextFrameTime() < .infinity)
    let fade = CABasicAnimation(keyPath: "opacity")
    fade.fromValue = 0
    fade.beginTime = 10
    fade.duration = 1
    layer.add(fade, forKey: nil)
    renderer.beginFrame(atTime: 2, timeStamp: nil)
    renderer.render()
    renderer.endFrame()
    #expect(renderer.nextFrameTime() == 10)
  }

  // Measured on Apple's QuartzCore by others, except for the bounds, which are null there.
  @Test("Outside a frame nothing is to be updated and nothing pends, and its end is harmless")
  func noFrame() throws {
    let size = CGSize(width: 8, height: 4)
    let renderer = try CARenderer(size: size, server: .inProcess.on(.surfaceless))
    func expectNothing(_ location: SourceLocation = #_sourceLocation) {
      #expect(renderer.updateBounds().isNull, sourceLocation: location)
      #expect(renderer.nextFrameTime() == .infinity, sourceLocation: location)
      #expect(renderer.failure == nil, sourceLocation: location)
    }
    #expect(renderer.bounds == CGRect(origin: .zero, size: size))
    expectNothing()
    renderer.endFrame()
    renderer.addUpdate(renderer.bounds)
    renderer.render()
    renderer.endFrame()
    expectNothing()
    #expect(renderer.renderedImage == nil)
    renderer.layer = square(.red, CGRect(x: 0, y: 0, width: 2, height: 2))
    renderer.beginFrame(atTime: 0, timeStamp: nil)
    #expect(renderer.updateBounds() == renderer.bounds)
    renderer.render()
    renderer.endFrame()
    renderer.endFrame()
    expectNothing()
    #expect(renderer.renderedImage.map(covered) == 4)
  }

  // Measured on Apple's QuartzCore by others.
  @Test("A commit that matches no begin is harmless")
  func unmatchedCommit() throws {
    let layer = square(.red, CGRect(x: 0, y: 0, width: 2, height: 2))
    let renderer = try renderer(layer)
    CATransaction.commit()
    #expect(covered(try renderer.image(at: 0)) == 4)
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    layer.frame.size.width = 3
    CATransaction.commit()
    CATransaction.commit()
    CATransaction.commit()
    #expect(!CATransaction.disableActions())
    // A begin still opens one transaction, and one commit ends it.
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    layer.frame.size.width = 4
    #expect(covered(try renderer.image(at: 0)) == 6)
    CATransaction.commit()
    #expect(covered(try renderer.image(at: 0)) == 8)
  }

  @Test("Two renderers of one server show a layer in turn")
  func sharedServer() throws {
    let layer = square(.red, CGRect(x: 0, y: 0, width: 2, height: 2))
    let (first, second) = (try renderer(layer), try renderer(CALayer()))
    #expect(covered(try first.image(at: 0)) == 4)
    second.layer = layer
    #expect(covered(try second.image(at: 0)) == 4)
    layer.bounds.size.width = 4
    #expect(covered(try first.image(at: 0)) >= 4)
    first.layer = nil
    #expect(covered(try first.image(at: 0)) == 0)
    #expect(covered(try second.image(at: 0)) > 4)
  }

  @Test("Both kinds of server give the same pixels")
  func samePixels() throws {
    let layer = square(.red, CGRect(x: 1.5, y: 1, width: 5, height: 6))
    layer.cornerRadius = 2
    layer.transform = CATransform3DMakeRotation(0.3, 0, 0, 1)
    let here = try renderer(layer, size: 16).image(at: 0)
    let process = try CARenderer(
      size: CGSize(width: 16, height: 16), server: .process.on(.surfaceless))
    process.layer = layer
    let there = try process.image(at: 0)
    #expect(here.bytes == there.bytes)
  }

  @Test("If no death is allowed, the server's is an error, and a new renderer starts another")
  func killed() throws {
    // A server that no other test uses.
    var server = RenderServer(
      launcher: .init(name: "to be killed") {
        () throws(ServerFailure) in try RenderServerLauncher.process.start()
      }, platform: .surfaceless)
    server.options.deathsAllowed = 0
    let layer = square(.red, CGRect(x: 0, y: 0, width: 2, height: 2))
    let first = try CARenderer(size: CGSize(width: 8, height: 8), server: server)
    first.layer = layer
    #expect(covered(try first.image(at: 0)) == 4)
    kill(try #require(first.serverProcessID), SIGKILL)
    let error = #expect(throws: Lamina.RenderServerError.self) {
      // Frames that were under way may still arrive.
      for _ in 0..<100_000 { _ = try first.image(at: 0) }
    }
    #expect(error?.description.contains("killed by signal 9") == true)
    first.beginFrame(atTime: 0, timeStamp: nil)
    first.render()
    #expect(first.failure == error)
    let second = try CARenderer(size: CGSize(width: 8, height: 8), server: server)
    second.layer = layer
    #expect(covered(try second.image(at: 0)) == 4)
  }

  @Test("A renderer that is gone leaves its layers as if never committed, and its server goes")
  func released() throws {
    let server = RenderServer(
      launcher: .init(name: "to be left") {
        () throws(ServerFailure) in try RenderServerLauncher.process.start()
      }, platform: .surfaceless)
    let layer = CALayer()
    var renderer: CARenderer? = try CARenderer(size: CGSize(width: 8, height: 8), server: server)
    weak let connection = renderer?.connection
    #expect(connection != nil)
    renderer?.layer = layer
    _ = try renderer?.image(at: 0)
    layer.opacity = 0.5
    #expect(layer.presentation() != nil)
    renderer = nil
    #expect(layer.presentation() == nil)
    // The server ends with its connection.
    #expect(connection == nil)
  }

  @Test("The model tree as text")
  func modelTree() {
    let (layer, shape, mask) = (CALayer(), CAShapeLayer(), CALayer())
    layer.name = "root"
    layer.addSublayer(shape)
    layer.mask = mask
    layer.opacity = 0.5
    layer.frame = CGRect(x: 0, y: 0, width: 4, height: 2)
    shape.lineWidth = 3
    #expect(
      layer.treeDescription() == """
        CALayer "root" bounds=(0.0 0.0 4.0x2.0) position=(2.0 1.0) opacity=0.5
          mask CALayer
          CAShapeLayer lineWidth=3.0
        """)
  }

  @Test("A server that is not there is an error that says so")
  func noServer() throws {
    let server = RenderServer(
      launcher: .init(name: "nowhere") { () throws(ServerFailure) in
        throw .notFound(lookedAt: ["/nowhere"])
      })
    let error = #expect(throws: Lamina.RenderServerError.self) {
      try CARenderer(size: CGSize(width: 1, height: 1), server: server)
    }
    #expect(error?.description.contains("/nowhere") == true)
  }
}

extension CGImage {
  fileprivate var bytes: [UInt8] { buffer.withUnsafeBytes { Array($0) } }
}
