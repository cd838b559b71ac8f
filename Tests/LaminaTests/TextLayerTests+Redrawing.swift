import Foundation
import LaminaGraphics
import LaminaInProcess
import LaminaValues
import LayerSupport
import TestSupport
import Testing

@testable import Lamina

/// A text layer that counts how often it is drawn.
final class CountedText: CATextLayer {
  var count = 0
  override func draw(in ctx: CGContext) {
    count += 1
    super.draw(in: ctx)
  }
}

/// When text is drawn again, and what it shares with copies.
extension TextLayerTests {
  // MARK: Redrawing

  @Test("Text is drawn again if something that it shows changed, and only then")
  func redrawing() throws {
    let layer = set(CountedText(), "xX")
    let renderer = try CARenderer(
      size: CGSize(width: 60, height: 60), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    var wanted = 1
    let changes: [(what: String, draws: Bool, change: () -> Void)] = [
      ("nothing", true, {}), ("nothing again", false, {}),
      ("position", false, { layer.position.x = 3 }), ("opacity", false, { layer.opacity = 0.5 }),
      ("colour", false, { layer.backgroundColor = .red }),
      ("equal string", false, { layer.string = "xX" }), ("string", true, { layer.string = "Xx" }),
      ("size", true, { layer.fontSize = 12 }), ("equal size", false, { layer.fontSize = 12 }),
      ("colour of text", true, { layer.foregroundColor = .blue }),
      ("font", true, { layer.font = "Sans" }), ("wrapping", true, { layer.isWrapped = true }),
      ("truncation", true, { layer.truncationMode = .end }),
      ("alignment", true, { layer.alignmentMode = .right }),
      ("quantization", false, { layer.allowsFontSubpixelQuantization = true }),
      ("scale", true, { layer.contentsScale = 2 }),
      ("bounds", true, { layer.bounds.size.width = 50 }),
      ("key", true, { layer.setValue(9, forKey: "fontSize") }),
      ("transform", false, { layer.transform = CATransform3DMakeScale(2, 2, 1) }),
      ("string by key", true, { layer.setValue("a", forKey: "string") }),
      ("no string", true, { layer.string = nil }),
      ("size of nothing", false, { layer.fontSize = 30 }),
    ]
    wanted = 0
    for (what, draws, change) in changes {
      withoutActions(change)
      _ = try renderer.image(at: 0)
      if draws { wanted += 1 }
      #expect(layer.count == wanted, "\(what)")
      wanted = layer.count
    }
  }

  @Test("The frame at each time of an animation of the size or colour equals a still one")
  func animated() throws {
    let layer = layer("xX", 80, 40)
    let size = CABasicAnimation("fontSize", from: 10, to: 30)
    let color = CABasicAnimation(
      "foregroundColor", from: CGColor(red: 1, green: 0, blue: 0, alpha: 1),
      to: CGColor(red: 0, green: 0, blue: 1, alpha: 1))
    for animation in [size, color] {
      animation.duration = 1
      layer.add(animation, forKey: animation.keyPath)
    }
    let renderer = try CARenderer(
      size: CGSize(width: 80, height: 40), server: .process.on(.surfaceless))
    layer.anchorPoint = .zero
    renderer.layer = layer
    for time in [0, 0.25, 0.5, 0.75, 0.25, 1, 2] {
      let still = self.layer("xX", 80, 40)
      withoutActions {
        still.fontSize = time <= 1 ? 10 + 20 * time : 10
        still.foregroundColor =
          time <= 1 ? CGColor(red: 1 - time, green: 0, blue: time, alpha: 1) : .white
      }
      #expect(
        try renderer.image(at: time).unpremultipliedRGBA == (try image(still)).unpremultipliedRGBA,
        "at \(time)")
    }
    #expect(layer.fontSize == 10 && layer.foregroundColor == .white)
  }

  @Test("A committed layer animates its size and colour by itself, as numbers in between show")
  func implicit() throws {
    let layer = layer("xX", 80, 40)
    layer.anchorPoint = .zero
    let renderer = try CARenderer(
      size: CGSize(width: 80, height: 40), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    let before = try renderer.image(at: 0).ink
    CATransaction.begin()
    CATransaction.setAnimationDuration(1)
    layer.fontSize = 30
    CATransaction.commit()
    #expect(layer.animation(forKey: "fontSize") is CABasicAnimation)
    #expect(try renderer.image(at: 0).ink == before)
    let middle = try renderer.image(at: 0.5).ink
    #expect(middle.width > 25 && middle.width < 60)
    #expect(try renderer.image(at: 2).ink == box(0, 0, 60, 24))
  }

  @Test("An animation at rest draws nothing, however long it holds its value")
  func resting() throws {
    let layer = layer("xX", 80, 40)
    let animation = CABasicAnimation("fontSize", from: 10, to: 20)
    animation.duration = 1
    animation.fillMode = .both
    animation.isRemovedOnCompletion = false
    layer.add(animation, forKey: nil)
    let renderer = try CARenderer(
      size: CGSize(width: 80, height: 40), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    let uploads = try [0, 0.5, 1, 2, 3, 0.5].map { try renderer.drawFrame(at: $0).uploadedBytes }
    #expect(uploads.map { $0 > 0 } == [true, true, true, false, false, true])
    // A change of what the text shows is drawn all the same.
    withoutActions { layer.string = "Xx" }
    #expect(try renderer.drawFrame(at: 4).uploadedBytes > 0)
    withoutActions { layer.position.x += 1 }
    #expect(try renderer.drawFrame(at: 5).uploadedBytes == 0)
  }

  // MARK: Keys, copies, archives

  @Test("Keys, styles and defaults of subclasses reach the properties")
  func keys() {
    final class Title: CATextLayer {
      override class func defaultValue(forKey key: String) -> Any? {
        key == "fontSize" ? 12 : super.defaultValue(forKey: key)
      }
    }
    let layer = Title()
    #expect(layer.fontSize == 12)
    let string = NSAttributedString(string: "styled")
    layer.style = ["string": string, "alignmentMode": "center", "font": blocks]
    #expect(layer.string as? NSAttributedString == string && layer.alignmentMode == .center)
    #expect(layer.font as? CGFont == blocks)
    layer.setValue(true, forKey: "wrapped")
    layer.setValue("middle", forKey: "truncationMode")
    #expect(layer.isWrapped && layer.truncationMode == .middle)
    #expect(layer.value(forKey: "string") as? NSAttributedString == string)
    #expect(layer.value(forKey: "font") as? CGFont == blocks)
    #expect(CALayer().value(forKey: "string") == nil)
    layer.setValue(nil, forKey: "string")
    #expect(layer.string == nil)
  }

  @Test("A presentation copy has the text and the font as they were set")
  func presentation() throws {
    let string = attributed([("x", [.foregroundColor: CGColor.red])])
    let layer = layer(string)
    let renderer = try CARenderer(
      size: CGSize(width: 60, height: 10), server: .inProcess.on(.surfaceless))
    renderer.layer = layer
    _ = try renderer.image(at: 0)
    let copy = try #require(layer.presentation())
    #expect(copy.string as? NSAttributedString == string && copy.font as? CGFont == blocks)
  }

  @Test("The preferred size is the text's: of its lines, or of as many as the width needs")
  func preferredSize() {
    let layer = layer("xx XX", 30, 10)
    #expect(layer.preferredFrameSize() == CGSize(width: 50, height: 10))
    layer.isWrapped = true
    #expect(layer.preferredFrameSize() == CGSize(width: 20, height: 20))
    layer.string = nil
    #expect(layer.preferredFrameSize() == .zero)
  }

  @Test("render(in:) draws the text that the layer shows")
  func renderInContext() throws {
    let layer = layer("xXא")
    layer.displayIfNeeded()
    #expect(blocks(in: try Drawer.context.draw(layer, 60, 10)) == "aAh   ")
  }

  @Test(
    "Strange values draw what they can",
    arguments: [
      "", "\0\n\r\u{202e}x", String(repeating: "x ", count: 300_000),
      String(repeating: "\n", count: 20_000), "\u{d7ff}\u{fffe}",
    ])
  func strange(_ text: String) throws {
    for size in [-3, 0, 1e-9, 9, 5_000, 1e12, CGFloat.infinity] {
      let layer = layer(text, 30, 20)
      layer.fontSize = size
      for mode in [CATextLayerTruncationMode.none, .middle] {
        layer.truncationMode = mode
        layer.isWrapped = mode == .middle
        layer.display()
      }
    }
    let layer = layer(text)
    _ = warnings { layer.fontSize = .nan }
    #expect(layer.fontSize == 10)
  }
}
