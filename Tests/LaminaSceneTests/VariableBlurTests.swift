import Foundation
import LaminaInProcess
import LayerSupport
import Testing

@testable import Lamina
@testable import LaminaGraphics

@Suite("Variable blurs")
struct VariableBlurTests {
  /// An image of black with the alphas that `alpha` gives.
  private func mask(_ width: Int, _ height: Int, _ alpha: (Int, Int) -> Int) -> CGImage {
    FilterStage.picture(width, height) { SIMD4(0, 0, 0, UInt8(alpha($0, $1))) }
  }

  private func even(_ alpha: Int) -> CGImage { mask(3, 2) { _, _ in alpha } }

  private func blur(_ radius: Double, _ mask: CGImage?, normalized: Bool = false) -> CAFilter {
    let filter = FilterStage.filter(
      "variableBlur", ["inputRadius": radius, "inputNormalizeEdges": normalized])
    filter.setValue(mask, forKey: "inputMaskImage")
    return filter
  }

  /// Stripes of 60 by 40 points, with an edge of their own all around.
  private func stripes(_ filters: [CAFilter], at x: CGFloat = 30) -> CALayer {
    let group = FilterStage.card(CGRect(x: x, y: 30, width: 60, height: 40))
    for place in 0..<10 {
      let shade = place % 2 == 0 ? 1.0 : 0
      group.addSublayer(
        FilterStage.card(
          CGRect(x: place * 6, y: 0, width: 6, height: 40), [shade, 0.4, 1 - shade, 1]))
    }
    group.filters = filters
    return group
  }

  private func image(_ filters: [CAFilter]) throws -> CGImage {
    try FilterStage.image(120, 100, [stripes(filters)])
  }

  @Test(
    "A mask of one alpha blurs by that part of the radius",
    arguments: [(32, 1), (64, 1), (128, 1), (255, 0), (0, 0), (96, 14), (192, 12)])
  func parts(alpha: Int, difference: Double) throws {
    let found = try image([blur(8, even(alpha))])
    let expected = try image([FilterStage.blur(8 * Double(alpha) / 255)])
    // Half way between two levels, the mix of two blurs is not the blur of the mean radius.
    let distance = found.distance(to: expected)
    #expect(distance <= difference, "off by \(distance) of 255")
  }

  @Test("A mask's image lies over the bounds as contents do, flipped too, and its edges go on")
  func place() throws {
    let upper = mask(1, 40) { $1 < 20 ? 255 : 0 }
    for isFlipped in [false, true] {
      func shown(_ layer: CALayer) throws -> CGImage {
        let around = FilterStage.card(CGRect(x: 0, y: 0, width: 120, height: 100))
        around.isGeometryFlipped = isFlipped
        around.addSublayer(layer)
        return try FilterStage.image(120, 100, [around])
      }
      let found = try shown(stripes([blur(3, upper)]))
      let (blurred, sharp) = (try shown(stripes([FilterStage.blur(3)])), try shown(stripes([])))
      let contents = FilterStage.card(CGRect(x: 30, y: 30, width: 60, height: 40))
      contents.contents = upper
      let cover = try shown(contents)
      #expect(cover.channels(60, 40).w != cover.channels(60, 60).w)
      for y in 0..<100 {
        let isCovered = cover.channels(60, min(max(y, 30), 69)).w > 0
        let expected = isCovered ? blurred : sharp
        for x in 0..<120 where found.channels(x, y) != expected.channels(x, y) {
          Issue.record("flipped \(isFlipped): differs at \(x), \(y)")
          return
        }
      }
    }
  }

  @Test("A variable blur in a film equals that frame alone, with what moves in it and behind it")
  func film() throws {
    let ramp = mask(16, 1) { x, _ in x * 17 }
    func renderer() throws -> CARenderer {
      let ground = stripes([blur(6, ramp)], at: 10)
      let moving = CABasicAnimation(keyPath: "position.x")
      moving.toValue = 70
      moving.duration = 4
      ground.sublayers?[3].add(moving, forKey: nil)
      let pane = CABackdropLayer()
      pane.frame = CGRect(x: 40, y: 20, width: 60, height: 60)
      pane.filters = [blur(5, ramp)]
      return try FilterStage.renderer(120, 100, [ground, pane])
    }
    let film = try renderer()
    for time in [0, 0.5, 3, 3.1, 3.1, 1] {
      let frame = try film.image(at: time)
      let alone = try renderer()
      _ = try alone.image(at: 0)
      try expectEqual(frame, try alone.image(at: time), "at \(time)")
    }
  }

  @Test("Normalized edges keep a layer within its bounds, opaque up to them")
  func normalized() throws {
    for filter in [
      blur(5, nil, normalized: true), blur(5, even(255), normalized: true),
      FilterStage.filter("gaussianBlur", ["inputRadius": 5, "inputNormalizeEdges": true]),
    ] {
      let (found, plain) = (try image([filter]), try image([FilterStage.blur(5)]))
      for y in 0..<100 {
        for x in 0..<120 {
          let isInside = (30..<90).contains(x) && (30..<70).contains(y)
          #expect(found.channels(x, y).w == (isInside ? 255 : 0))
          // Far from the edges it is the same blur.
          guard (48..<72).contains(x), (48..<52).contains(y) else { continue }
          #expect(found.channels(x, y).distance(to: plain.channels(x, y)) <= 1)
        }
      }
    }
  }

  @Test("A layer keeps its filters' images, and another mask shows, by a key path too")
  func images() throws {
    let layer = stripes([])
    let renderer = try FilterStage.renderer(120, 100, [layer])
    let (blurred, sharp) = (try image([FilterStage.blur(4)]), try image([]))
    try expectEqual(try renderer.image(at: 0), sharp, "none")
    withoutActions { layer.filters = [blur(4, even(255))] }
    try expectEqual(try renderer.image(at: 0), blurred, "opaque")
    let read = try #require(layer.value(forKeyPath: "filters.variableBlur.inputMaskImage"))
    #expect((read as? CGImage)?.width == 3)
    let shown = try #require(layer.presentation()?.filters?.first as? CAFilter)
    #expect(shown.value(forKey: "inputMaskImage") as? CGImage == read as? CGImage)
    withoutActions {
      layer.setValue(even(0), forKeyPath: "filters.variableBlur.inputMaskImage")
    }
    try expectEqual(try renderer.image(at: 0), sharp, "clear")
    withoutActions { layer.setValue(9, forKeyPath: "filters.variableBlur.inputRadius") }
    try expectEqual(try renderer.image(at: 0), sharp, "clear, another radius")
    withoutActions { layer.filters = layer.filters }
    try expectEqual(try renderer.image(at: 0), sharp, "as read")
    withoutActions { layer.filters = nil }
    #expect(layer.attachments?.filterImages.isEmpty == true)
    try expectEqual(try renderer.image(at: 0), sharp, "gone")
  }

  @Test("An animation's mask is drawn while it applies")
  func animated() throws {
    let layer = stripes([blur(4, even(255))])
    let clearing = CAKeyframeAnimation(keyPath: "filters.variableBlur.inputMaskImage")
    clearing.values = [even(0), even(255)]
    clearing.calculationMode = .discrete
    clearing.duration = 4
    layer.add(clearing, forKey: nil)
    let renderer = try FilterStage.renderer(120, 100, [layer])
    let (blurred, sharp) = (try image([FilterStage.blur(4)]), try image([]))
    for (time, expected) in [(1.0, sharp), (3, blurred), (5, blurred)] {
      _ = try renderer.image(at: 0)
      try expectEqual(try renderer.image(at: time), expected, "at \(time)")
    }
  }

  @Test("A transition starts from the blur whose mask the layer does not have any more")
  func frozen() throws {
    let layer = stripes([blur(4, even(255))])
    let renderer = try FilterStage.renderer(120, 100, [layer])
    let before = try renderer.image(at: 0)
    let fade = CATransition()
    fade.duration = 4
    layer.add(fade, forKey: nil)
    withoutActions { layer.filters = nil }
    try expectEqual(try renderer.image(at: 0), before, difference: 1, "at its beginning")
    let sharp = try image([])
    let middle = try renderer.image(at: 2)
    for (x, y) in [(29, 50), (36, 50), (60, 40)] {
      let expected = (before.channels(x, y) + sharp.channels(x, y)) / 2
      #expect(middle.channels(x, y).distance(to: expected) <= 2)
    }
  }

  @Test("The mask is an image and nothing else, and no other input is one")
  func inputs() {
    let filter = blur(4, even(255))
    #expect(filter.inputKeys == ["inputMaskImage", "inputNormalizeEdges", "inputRadius"])
    let image = filter.value(forKey: "inputMaskImage") as? CGImage
    #expect(image?.width == 3)
    filter.setValue(3, forKey: "inputMaskImage")
    filter.setValue(even(0), forKey: "inputRadius")
    filter.setValue(even(0), forKey: "inputColor")
    #expect(filter.value(forKey: "inputMaskImage") as? CGImage == image)
    #expect(filter.value(forKey: "inputRadius") as? Double == 4)
    #expect(filter.value(forKey: "inputColor") == nil)
    let copy = filter.copy() as? CAFilter
    #expect(copy == filter && copy?.value(forKey: "inputMaskImage") as? CGImage == image)
    filter.setValue(nil, forKey: "inputMaskImage")
    #expect(filter.value(forKey: "inputMaskImage") == nil)
    let behavior = CAEmitterBehavior(type: "wave")
    behavior.setValue(even(0), forKey: "force")
    #expect(behavior.value(forKey: "force") == nil)
  }
}
