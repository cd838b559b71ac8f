import Foundation
import Lamina
import LaminaCAML
import Testing

@testable import LaminaSnapshotTesting

@Suite("Ways to take a snapshot") struct StrategyTests {
  /// Records a value, and expects the next assertion of it to pass. Returns the reference.
  private func record<Value, Format>(
    _ value: @autoclosure () throws -> Value, as snapshotting: Snapshotting<Value, Format>
  ) throws -> Data {
    let recorder = Recorder()
    #expect(recorder.failures(of: try value(), as: snapshotting, named: "it").count == 1)
    let name = try #require(recorder.names.first)
    #expect(recorder.failures(of: try value(), as: snapshotting, named: "it") == [])
    return try Data(contentsOf: recorder.references.appendingPathComponent(name))
  }

  private func image(_ data: Data) throws -> CGImage { try CGImage(data: data, named: "reference") }

  @Test("A layer's picture shows its frame, wherever that is, or the rectangle that is given")
  func layer() throws {
    let layer = square(.red)
    layer.position = CGPoint(x: -50, y: 300)
    let whole = try image(try record(layer, as: .image(scale: 2)))
    #expect((whole.width, whole.height) == (16, 16))
    #expect(whole.pixel(x: 0, y: 0) == (0, 0, 255, 255))
    let part = try image(
      try record(layer, as: .image(in: CGRect(x: -50, y: 300, width: 8, height: 8))))
    #expect(part.pixel(x: 3, y: 3) == (0, 0, 255, 255))
    #expect(part.pixel(x: 4, y: 3).alpha == 0)
  }

  @Test("A layer that is in a tree already stays there")
  func sublayer() throws {
    let (parent, child) = (square(.red, side: 20), square(.blue))
    parent.addSublayer(child)
    _ = try record(child, as: .image)
    #expect(child.superlayer === parent)
    let renderer = try CARenderer(size: CGSize(width: 20, height: 20), platform: .software)
    renderer.layer = parent
    let before = try renderer.image(at: 0)
    _ = try record(child, as: .image)
    #expect(try renderer.image(at: 0).difference(from: before).greatest == 0)
  }

  @Test("A filmstrip is the pictures of its times in rows")
  func filmstrip() throws {
    func fading() -> CALayer {
      let layer = square(.red)
      let fade = CABasicAnimation(keyPath: "opacity")
      fade.fromValue = 0
      fade.toValue = 1
      fade.duration = 1
      layer.add(fade, forKey: "fade")
      return layer
    }
    let strip = try image(try record(fading(), as: .filmstrip(times: [0, 0.2, 0.6], columns: 2)))
    #expect((strip.width, strip.height) == (16, 16))
    let alphas = [(2, 2), (10, 2), (2, 10), (10, 10)].map { strip.pixel(x: $0.0, y: $0.1).alpha }
    #expect(alphas == [0, 51, 153, 0])
    let row = try image(try record(fading(), as: .filmstrip(times: [0.2, 0.6, 0.8])))
    #expect((row.width, row.height) == (24, 8))
  }

  @Test("A value is made on the snapshot's clock, which begins at 0")
  func clock() throws {
    let recorder = Recorder()
    var times: [Double] = []
    func appearing() -> CALayer {
      times.append(CACurrentMediaTime())
      let layer = square(.red)
      let show = CABasicAnimation(keyPath: "opacity")
      (show.fromValue, show.toValue) = (0, 1)
      show.beginTime = CACurrentMediaTime() + 1
      (show.duration, show.fillMode) = (1, .backwards)
      layer.add(show, forKey: nil)
      return layer
    }
    _ = recorder.failures(of: appearing(), as: .image, at: [0.5, 1.5, 3])
    let alphas = try recorder.names.map { name in
      try CGImage(contentsOf: recorder.references.appendingPathComponent(name)).pixel(x: 1, y: 1)
        .alpha
    }
    #expect(alphas == [0, 128, 255])
    _ = recorder.failures(of: appearing(), as: .recursiveDescription, at: [1])
    #expect(times == [0, 0])
  }

  @Test("A description has the values on screen, and those that are animated")
  func recursiveDescription() throws {
    let recorder = Recorder()
    func layer() -> CALayer {
      let (layer, sublayer) = (square(.red), square(.blue))
      sublayer.name = "sub"
      let fade = CABasicAnimation(keyPath: "opacity")
      (fade.toValue, fade.duration) = (0, 1)
      sublayer.add(fade, forKey: "fade")
      layer.addSublayer(sublayer)
      return layer
    }
    _ = recorder.failures(of: layer(), as: .recursiveDescription, at: [0.25, 2])
    let texts = try recorder.names.map {
      try String(contentsOf: recorder.references.appendingPathComponent($0), encoding: .utf8)
    }
    #expect(
      texts[0] == """
        CALayer bounds=(0.0 0.0 8.0x8.0) backgroundColor=(1.0 0.0 0.0 1.0)
          CALayer "sub" bounds=(0.0 0.0 8.0x8.0) backgroundColor=(0.0 0.0 1.0 1.0) opacity=0.75 animation fade

        """)
    #expect(!texts[1].contains("opacity"))
  }

  @Test("A document's text is what CAMLWriter writes, and its picture has its size")
  func document() throws {
    let folder = FileManager.default.temporaryDirectory
    let url = folder.appendingPathComponent("lamina-\(UUID().uuidString).ca")
    defer { try? FileManager.default.removeItem(at: url) }
    try CAMLWriter(layer: square(.blue, side: 12)).writeBundle(to: url)
    let picture = try image(try record(CAMLDocument(contentsOf: url), as: .image))
    #expect((picture.width, picture.height) == (12, 12))
    #expect(picture.pixel(x: 6, y: 6) == (255, 0, 0, 255))
    let text = try record(CAMLDocument(contentsOf: url), as: .caml)
    #expect(String(decoding: text, as: UTF8.self).contains("<caml"))
    let layerText = try record(square(.blue), as: .caml)
    #expect(
      try String(decoding: layerText, as: UTF8.self) == CAMLWriter(layer: square(.blue)).fileText())
    _ = try record(CAMLDocument(contentsOf: url), as: .recursiveDescription)
    _ = try record(CAMLDocument(contentsOf: url), as: .filmstrip(times: [0, 1]))
  }

  @Test("A path is drawn in its box, and written element by element")
  func path() throws {
    let path = CGMutablePath()
    path.addRect(CGRect(x: 3, y: 4, width: 10, height: 6))
    let filled = try image(try record(path, as: .image))
    #expect((filled.width, filled.height) == (10, 6))
    #expect(filled.pixel(x: 0, y: 0).alpha == 255)
    let stroked = try image(try record(path, as: .image(drawingMode: .stroke)))
    #expect((stroked.width, stroked.height) == (11, 7))
    #expect(stroked.pixel(x: 5, y: 3).alpha == 0)
    let elements = try record(path, as: .elementsDescription)
    #expect(
      String(decoding: elements, as: UTF8.self) == """
        move (3.0, 4.0)
        line (13.0, 4.0)
        line (13.0, 10.0)
        line (3.0, 10.0)
        close

        """)
  }

  @Test("Ways for other types come from those that are there")
  func pullback() throws {
    struct Badge { var color: CGColor }
    let badges = Snapshotting<CALayer, CGImage>.image.pullback { (badge: Badge) in
      square(badge.color)
    }
    let picture = try image(try record(Badge(color: .blue), as: badges))
    #expect(picture.pixel(x: 1, y: 1) == (255, 0, 0, 255))
    _ = try record(picture, as: .image)
    _ = try record("a line", as: .lines)
  }

  @Test(
    "What cannot be drawn says why",
    arguments: [
      ([0.0], "the layer's frame is empty"), ([-1], "are no times from 0 on"),
      ([.nan], "are no times from 0 on"), ([], "are no times from 0 on"),
    ])
  func mistakes(_ times: [Double], words: String) {
    let failures = Recorder().failures(of: CALayer(), as: .image, named: "it", at: times)
    #expect(failures.count == 1)
    #expect(failures.first?.contains(words) == true)
  }

  @Test("A path without an area, and a rectangle without one, have no picture")
  func nothing() {
    let line = CGMutablePath()
    line.move(to: .zero)
    line.addLine(to: CGPoint(x: 9, y: 0))
    #expect(
      Recorder().failures(of: line, as: .image, named: "it") == [
        "no snapshot could be taken: there is nothing to draw in a rectangle of 9.0x0.0 points"
      ])
    #expect(Recorder().failures(of: line, as: .image(drawingMode: .stroke), named: "it").count == 1)
    #expect(
      Recorder().failures(of: square(.red), as: .image(in: .zero), named: "it") == [
        "no snapshot could be taken: there is nothing to draw in a rectangle of 0.0x0.0 points"
      ])
  }

  @Test("What is the same at all times has none, and a value that cannot be made is a failure")
  func more() {
    let recorder = Recorder()
    #expect(
      recorder.failures(of: "text", as: .lines, named: "it", at: [0, 1]) == [
        "no snapshot could be taken: what is asserted is the same at all times: leave out at:"
      ])
    func broken() throws -> String { throw SnapshotError("it is broken") }
    #expect(
      recorder.failures(of: try broken(), as: .lines, named: "it") == [
        "no snapshot could be taken: it is broken"
      ])
    #expect(recorder.names.isEmpty)
  }

  @Test("Assertions share one render process, which stays")
  func oneProcess() throws {
    func process() throws -> Int32? {
      _ = try record(square(.red), as: .image)
      let renderer = try CARenderer(
        size: CGSize(width: 1, height: 1), server: .process.on(.software))
      return renderer.serverProcessID
    }
    let first = try #require(try process())
    #expect(try process() == first)
  }
}
