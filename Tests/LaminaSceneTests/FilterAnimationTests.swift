import Foundation
import Lamina
import LayerSupport
import Testing

@testable import LaminaGraphics

@Suite("Filters' inputs change and animate")
struct FilterAnimationTests {
  private func card(_ filters: [CAFilter]) -> CALayer {
    let card = FilterStage.card(CGRect(x: 20, y: 20, width: 40, height: 40), [1, 0.4, 0, 1])
    card.filters = filters
    return card
  }

  private func linear(_ keyPath: String, to value: Any) -> CABasicAnimation {
    let animation = CABasicAnimation(keyPath: keyPath)
    animation.toValue = value
    animation.duration = 4
    return animation
  }

  @Test("A radius animates from what it is, by the filter's name, on screen and in presentations")
  func radius() throws {
    let named = FilterStage.blur(2)
    named.name = "soft"
    for (filter, name) in [(named, "soft"), (FilterStage.blur(2), "gaussianBlur")] {
      let card = card([FilterStage.filter("colorInvert"), filter])
      card.add(linear("filters.\(name).inputRadius", to: 10), forKey: "blur")
      let renderer = try FilterStage.renderer(80, 80, [card])
      for (time, radius) in [(0, 2.0), (1, 4), (3, 8), (5, 2)] {
        let still = self.card([FilterStage.filter("colorInvert"), FilterStage.blur(radius)])
        try expectEqual(
          try renderer.image(at: Double(time)), try FilterStage.image(80, 80, [still]),
          "\(name) at \(time)")
        let shown = card.presentation()?.value(forKeyPath: "filters.\(name).inputRadius")
        #expect((shown as? NSNumber)?.doubleValue == radius)
      }
    }
  }

  @Test("Amounts, colours, angles and matrices animate, in keyframes too")
  func others() throws {
    let gray = [0.2, 0.2, 0.2, 0, 0.4, 0.2, 0.2, 0.2, 0, 0, 0.2, 0.2, 0.2, 0, 0, 0, 0, 0, 1, 0]
    let identity = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0.0]
    let half = zip(gray, identity).map { ($0 + $1) / 2 }
    let cases: [(type: String, key: String, to: Any, half: Any)] = [
      ("colorSaturate", "inputAmount", 0.5, 0.75), ("colorBrightness", "inputAmount", 0.5, 0.25),
      ("colorHueRotate", "inputAngle", 2.0, 1.0), ("colorMatrix", "inputColorMatrix", gray, half),
      (
        "multiplyColor", "inputColor", CGColor(red: 0, green: 0.5, blue: 1, alpha: 0.5),
        CGColor(red: 0.5, green: 0.75, blue: 1, alpha: 0.75)
      ),
    ]
    for (type, key, to, half) in cases {
      let still = try FilterStage.image(80, 80, [card([FilterStage.filter(type, [key: half])])])
      let path = "filters.\(type).\(key)"
      let keyframes = CAKeyframeAnimation(keyPath: path)
      keyframes.values = [half, half]
      keyframes.duration = 4
      for animation in [linear(path, to: to), keyframes] {
        let card = card([FilterStage.filter(type)])
        card.add(animation, forKey: nil)
        let renderer = try FilterStage.renderer(80, 80, [card])
        _ = try renderer.image(at: 0)
        try expectEqual(try renderer.image(at: 2), still, difference: 1, path)
      }
    }
  }

  @Test("A backdrop's filter animates, and adding and enabling work as for any property")
  func backdrop() throws {
    func pane(_ radius: Double) -> [CALayer] {
      let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 40, height: 80), [0.2, 0.4, 1, 1])
      let pane = FilterStage.card(CGRect(x: 20, y: 20, width: 40, height: 40))
      pane.backgroundFilters = [FilterStage.blur(radius)]
      return [ground, pane]
    }
    let moving = pane(3)
    let animation = linear("backgroundFilters.gaussianBlur.inputRadius", to: 2)
    animation.isAdditive = true
    moving[1].add(animation, forKey: nil)
    let renderer = try FilterStage.renderer(80, 80, moving)
    _ = try renderer.image(at: 0)
    try expectEqual(
      try renderer.image(at: 2), try FilterStage.image(80, 80, pane(4)), "half of 2 added to 3")
    withoutActions {
      moving[1].setValue(false, forKeyPath: "backgroundFilters.gaussianBlur.enabled")
    }
    try expectEqual(
      try renderer.image(at: 2), try FilterStage.image(80, 80, [pane(0)[0]]), "not enabled")
  }

  @Test("A frame in a film equals the frame alone, whatever was drawn before")
  func film() throws {
    func renderer() throws -> CARenderer {
      let blurred = card([FilterStage.blur(0)])
      blurred.add(linear("filters.gaussianBlur.inputRadius", to: 16), forKey: nil)
      blurred.add(linear("position.x", to: 90), forKey: nil)
      let pane = FilterStage.card(CGRect(x: 50, y: 10, width: 30, height: 60))
      pane.backgroundFilters = [FilterStage.blur(5)]
      pane.cornerRadius = 8
      pane.add(linear("opacity", to: 0), forKey: nil)
      let top = FilterStage.card(CGRect(x: 10, y: 30, width: 90, height: 20), [0.5, 0.5, 1, 0.7])
      top.compositingFilter = "hardLightBlendMode"
      return try FilterStage.renderer(110, 80, [blurred, pane, top])
    }
    let film = try renderer()
    for time in [0, 0.5, 3, 3.5, 1, 2] {
      let frame = try film.image(at: time)
      let alone = try renderer()
      _ = try alone.image(at: 0)
      try expectEqual(frame, try alone.image(at: time), "at \(time)")
    }
  }

  @Test("Filters are read back as they are; a mode that was set as a string is one")
  func properties() throws {
    let layer = CALayer()
    #expect(layer.filters == nil && layer.backgroundFilters == nil)
    #expect(layer.compositingFilter == nil)
    let filter = FilterStage.blur(4)
    filter.name = "soft"
    layer.filters = [filter, CAFilter(type: "colorInvert")]
    // The layer has copies of the filters.
    filter.setValue(9, forKey: "inputRadius")
    let read = try #require(layer.filters as? [CAFilter])
    #expect(read.map(\.type) == ["gaussianBlur", "colorInvert"])
    #expect(read[0].name == "soft")
    #expect(read[0].value(forKey: "inputRadius") as? Double == 4)
    layer.setValue(6, forKeyPath: "filters.soft.inputRadius")
    #expect(layer.value(forKeyPath: "filters.soft.inputRadius") as? Double == 6)
    #expect(layer.value(forKeyPath: "filters.hard.inputRadius") == nil)
    layer.setValue("red", forKeyPath: "filters.soft.inputRadius")
    #expect(layer.value(forKeyPath: "filters.soft.inputRadius") as? Double == 6)
    layer.compositingFilter = "multiplyBlendMode"
    #expect(layer.compositingFilter as? String == "multiplyBlendMode")
    layer.compositingFilter = CAFilter(type: "screenBlendMode")
    #expect((layer.compositingFilter as? CAFilter)?.type == "screenBlendMode")
    layer.compositingFilter = nil
    layer.filters = nil
    #expect(layer.compositingFilter == nil && layer.filters == nil)
  }

  @Test("A filter has its type's inputs and defaults, and takes what they can be")
  func filters() {
    let blur = CAFilter(type: "gaussianBlur")
    #expect(blur.inputKeys == ["inputNormalizeEdges", "inputRadius"])
    #expect(blur.value(forKey: "inputRadius") as? Double == 10)
    blur.setValue(Float(2.5), forKey: "inputRadius")
    #expect(blur.value(forKey: "inputRadius") as? Double == 2.5)
    blur.setValue("wide", forKey: "inputRadius")
    #expect(blur.value(forKey: "inputRadius") as? Double == 2.5)
    blur.setDefaults()
    #expect(blur.value(forKey: "inputRadius") as? Double == 10)
    let matrix = CAFilter(name: "colorMatrix")
    var half = CAColorMatrix()
    half.m11 = 0.5
    for value in [half, NSValue(caColorMatrix: half)] as [Any] {
      matrix.setDefaults()
      matrix.setValue(value, forKey: "inputColorMatrix")
      let numbers = matrix.value(forKey: "inputColorMatrix") as? [NSNumber]
      #expect(numbers?.map(\.doubleValue).prefix(7) == [0.5, 0, 0, 0, 0, 0, 1])
    }
    #expect(CAFilter.filterTypes().contains("gaussianBlur"))
    #expect(blur.copy() as? CAFilter == blur)
  }

  @Test("An unknown filter is an error that names it and its layer, until it is gone")
  func unknown() throws {
    let card = card([])
    card.name = "card"
    let renderer = try FilterStage.renderer(80, 80, [card])
    let plain = try renderer.image(at: 0)
    let changes: [(CALayer) -> Void] = [
      { $0.filters = [FilterStage.blur(2), CAFilter(type: "vortex")] },
      { $0.backgroundFilters = [CAFilter(type: "vortex")] },
      { $0.compositingFilter = "vortex" }, { $0.compositingFilter = CAFilter(type: "vortex") },
      { $0.mask = self.masked("vortex") },
    ]
    for change in changes {
      withoutActions { change(card) }
      for _ in 0..<2 {
        let error = #expect(throws: RenderServerError.self) { try renderer.image(at: 0) }
        #expect(error?.description.contains("\"vortex\"") == true)
        #expect(error?.description.contains("CALayer") == true)
      }
      withoutActions {
        card.filters = nil
        card.backgroundFilters = nil
        card.compositingFilter = nil
        card.mask = nil
      }
      try expectEqual(try renderer.image(at: 0), plain, "without it")
    }
  }

  private func masked(_ type: String) -> CALayer {
    let mask = CALayer()
    mask.filters = [CAFilter(type: type)]
    return mask
  }
}
