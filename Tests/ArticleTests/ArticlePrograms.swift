import Foundation
import Lamina
import LaminaCAML
import LaminaInProcess
import LaminaSnapshotTesting
import LaminaVideo
import Testing

// The code of the articles, as it stands there: `ArticleTests` compares it with them.

/// A card that slides in from the left.
public func makeCard() -> CALayer {
  let card = CALayer()
  card.frame = CGRect(x: 20, y: 20, width: 160, height: 100)
  card.backgroundColor = CGColor(red: 0.95, green: 0.45, blue: 0.25, alpha: 1)
  card.cornerRadius = 16

  let slide = CABasicAnimation(keyPath: "position.x")
  slide.fromValue = -80
  slide.duration = 0.4
  card.add(slide, forKey: "slide")
  return card
}

/// A layer that draws itself.
final class Gauge: CALayer {
  var part = 0.75 { didSet { setNeedsDisplay() } }

  override func draw(in context: CGContext) {
    context.setStrokeColor(CGColor(red: 0.2, green: 0.5, blue: 1, alpha: 1))
    context.setLineWidth(8)
    context.setLineCap(.round)
    context.addArc(
      center: CGPoint(x: bounds.midX, y: bounds.midY), radius: bounds.width / 2 - 6,
      startAngle: 0, endAngle: 2 * .pi * part, clockwise: false)
    context.strokePath()
  }
}

/// What the app draws with OpenGL ES; it needs no window.
final class Dawn: CAGLESLayer {
  override func draw(in context: CAGLESContext, at time: CFTimeInterval) {
    // Calls of OpenGL ES 3 draw here, into a picture of context.width × context.height pixels.
    print("a picture of \(context.width) × \(context.height) at \(time)")
  }
}

@Suite struct ClockedCardTests {
  @Test func card() {
    assertSnapshot(as: .image, at: [0, 0.5, 1]) {
      let card = makeCard()
      card.beginTime = CACurrentMediaTime() + 0.25
      return card
    }
  }
}

/// Each program of the articles runs, and does what is said of it.
@Suite("The articles' programs") final class ArticlePrograms {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("ArticlePrograms-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test("The model has the value at once, the presentation on the way, and a frame shows it")
  func trees() throws {
    let renderer = try CARenderer(
      size: CGSize(width: 200, height: 40), clock: .manual(), server: .inProcess)
    let dot = CALayer()
    dot.frame = CGRect(x: 0, y: 0, width: 40, height: 40)
    renderer.layer = dot
    _ = try renderer.image(at: 0)

    dot.position.x = 180
    _ = try renderer.image(at: 0.125)
    print(dot.position.x)  // 180: the model tree has it at once.
    print(dot.presentation()?.position.x ?? 0)  // On the way: the animation lasts 0.25 s.

    #expect(dot.position.x == 180)
    let shown = try #require(dot.presentation()?.position.x)
    #expect(shown > 20 && shown < 180)
  }

  @Test("On a manual clock, time is the frames', and what waits for it is called in order")
  func clocks() throws {
    let clock = MediaClock.manual()
    let renderer = try CARenderer(
      size: CGSize(width: 100, height: 100), clock: clock, server: .inProcess)
    let layer = CALayer()
    renderer.layer = layer

    var times: [Double] = []
    let link = CADisplayLink(clock: clock) { link in times.append(link.timestamp) }
    link.add(to: .main, forMode: .default)
    for time in [0, 0.5, 1] { _ = try renderer.image(at: time) }
    link.invalidate()
    print(times)  // One call before each frame; nothing slept.

    #expect(times.count == 3)
  }

  @Test("Layers draw themselves, and show pictures and text")
  func drawing() throws {
    let gauge = Gauge()
    gauge.frame = CGRect(x: 0, y: 0, width: 100, height: 100)
    gauge.contentsScale = 2
    gauge.setNeedsDisplay()

    let label = CATextLayer()
    label.string = "75 %"
    label.fontSize = 20
    label.alignmentMode = .center
    label.foregroundColor = .black
    label.frame = CGRect(x: 0, y: 38, width: 100, height: 24)
    gauge.addSublayer(label)

    let renderer = try CARenderer(
      size: gauge.bounds.size, scale: 2, platform: .software)
    renderer.layer = gauge
    let picture = try renderer.image(at: 0)
    try picture.writePNG(to: folder.appendingPathComponent("gauge.png"))
    let again = try CGImage(contentsOfFile: folder.appendingPathComponent("gauge.png").path)
    let badge = CALayer()
    badge.contents = again
    badge.contentsGravity = .resizeAspect

    #expect(try again.difference(from: picture).differingPixelCount == 0)
  }

  @Test("What a producer passes to a queue is on screen")
  func pictures() throws {
    let camera = CAExternalLayer()
    camera.frame = CGRect(x: 0, y: 0, width: 64, height: 48)
    if let picture = try camera.queue.nextBuffer(width: 64, height: 48, format: .bgra) {
      picture.withUnsafeMutableBytes { bytes in
        for index in bytes.indices { bytes[index] = 255 }
      }
      camera.queue.enqueue(picture)
    }

    let renderer = try CARenderer(
      size: CGSize(width: 64, height: 48), clock: .manual(), platform: .software)
    renderer.layer = camera
    let white = CALayer()
    white.frame = camera.frame
    white.backgroundColor = .white
    let shown = try renderer.image(at: 0)
    renderer.layer = white
    let difference = try renderer.image(at: 1).difference(from: shown)
    #expect(difference.differingPixelCount == 0)
  }

  @Test("A film is a layer with a rate of its own")
  func film() {
    let film = CAVideoLayer(url: folder.appendingPathComponent("film.mp4"))
    film.isLooping = true
    film.play()
    if let error = film.error { print(error) }

    #expect(film.isLooping && film.rate == 1)
    let dawn = Dawn()
    dawn.bounds.size = CGSize(width: 64, height: 48)
    #expect(dawn.bounds.width == 64)
  }

  @Test("A layer tree becomes a document, and the document the same tree")
  func documents() throws {
    let card = makeCard()
    let bundle = folder.appendingPathComponent("card.ca")
    try CAMLWriter(layer: card, size: CGSize(width: 200, height: 140)).writeBundle(to: bundle)

    let document = try CAMLDocument(contentsOf: bundle) { warning in print(warning) }
    print(document.size, document.stateNames)
    let renderer = try CARenderer(size: document.size, platform: .software)
    renderer.layer = document.rootLayer
    let picture = try renderer.image(at: 1)

    #expect(picture.width == 200)
    #expect(document.rootLayer.sublayers?.isEmpty == false)
  }

  @Test("How different two images are is said in pixels and as one sees it")
  func comparing() throws {
    let renderer = try CARenderer(
      size: CGSize(width: 200, height: 140), clock: .manual(), platform: .software)
    renderer.layer = makeCard()
    let reference = try renderer.image(at: 0.1)
    let image = try renderer.image(at: 0.2)

    let difference = try image.difference(from: reference)
    print(difference)  // How many pixels differ, by how much, and where.
    print(difference.perceived())  // How different they look, as ΔE of CIE 1994.
    try difference.picture().writePNG(to: folder.appendingPathComponent("difference.png"))

    #expect(difference.differingPixelCount > 0)
  }
}
