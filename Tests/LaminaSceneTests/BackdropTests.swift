import Foundation
import Lamina
import Testing

@testable import LaminaGraphics

@Suite("Filtered backdrops")
struct BackdropTests {
  /// Stripes behind a pane in the middle, 80 by 60.
  private func shown(
    scale: CGFloat = 1, sigma: Double = 3, _ change: (CALayer) -> Void = { _ in },
    ground: [CALayer]? = nil
  ) throws -> CGImage {
    let pane = FilterStage.card(CGRect(x: 20, y: 10, width: 40, height: 40))
    pane.backgroundFilters = [FilterStage.blur(sigma)]
    change(pane)
    return try FilterStage.image(80, 60, scale: scale, (ground ?? stripes) + [pane])
  }

  private var stripes: [CALayer] {
    (0..<8).map { place in
      let shade = place % 2 == 0 ? 1.0 : 0
      return FilterStage.card(
        CGRect(x: place * 10, y: 0, width: 10, height: 60), [shade, 0.4, 1 - shade, 1])
    }
  }

  /// The same picture blurred as a whole, as it must be seen in the pane.
  private func blurred(_ layers: [CALayer], _ sigma: Double, scale: CGFloat = 1) throws -> CGImage {
    let group = FilterStage.card(CGRect(x: 0, y: 0, width: 80, height: 60))
    for layer in layers { group.addSublayer(layer) }
    group.filters = [FilterStage.blur(sigma)]
    return try FilterStage.image(80, 60, scale: scale, [group])
  }

  @Test("Inside the bounds is what is behind, blurred, and outside nothing changes")
  func bounds() throws {
    for scale in [1, 2] {
      let found = try shown(scale: CGFloat(scale))
      let inside = try blurred(stripes, 3, scale: CGFloat(scale))
      let outside = try shown(scale: CGFloat(scale)) { $0.backgroundFilters = nil }
      let pane = (x: 20 * scale..<60 * scale, y: 10 * scale..<50 * scale)
      for y in 0..<found.height {
        for x in 0..<found.width {
          let isInside = pane.x.contains(x) && pane.y.contains(y)
          let expected = (isInside ? inside : outside).channels(x, y)
          guard found.channels(x, y).distance(to: expected) > (isInside ? 1 : 0) else { continue }
          Issue.record("\(found.channels(x, y)) at \(x), \(y), not \(expected)")
          return
        }
      }
    }
  }

  @Test("The corners' shape holds the filter, whether or not it clips")
  func corners() throws {
    let found = try shown(sigma: 6) { $0.cornerRadius = 20 }
    let plain = try shown { $0.backgroundFilters = nil }
    let square = try shown(sigma: 6)
    for (x, y) in [(21, 11), (58, 48), (22, 47), (57, 12)] {
      #expect(found.channels(x, y) == plain.channels(x, y))
    }
    for (x, y) in [(40, 12), (22, 30), (40, 30), (50, 40)] {
      #expect(found.channels(x, y) == square.channels(x, y))
    }
  }

  @Test("The layer's own picture, its sublayers and its border lie over its filtered backdrop")
  func order() throws {
    let found = try shown {
      $0.backgroundColor = CGColor(red: 0, green: 1, blue: 0, alpha: 0.5)
      $0.borderWidth = 3
      $0.addSublayer(FilterStage.card(CGRect(x: 5, y: 5, width: 5, height: 5), [1, 1, 1, 1]))
    }
    let behind = try shown()
    let expected = behind.channels(40, 30) * 0.5 + SIMD4(0, 127.5, 0, 127.5)
    #expect(found.channels(40, 30).distance(to: expected) <= 1.5)
    #expect(found.channels(27, 17) == SIMD4(repeating: 255))
    #expect(found.channels(21, 30) == SIMD4(0, 0, 0, 255))
  }

  @Test("At the frame's edges a backdrop does not fade: what is all of one colour stays so")
  func frameEdges() throws {
    let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 80, height: 60), [0.2, 0.6, 1, 1])
    let found = try shown(
      sigma: 12, { $0.frame = CGRect(x: -10, y: -10, width: 50, height: 100) }, ground: [ground])
    for (x, y) in [(0, 0), (0, 30), (39, 59), (20, 0)] {
      #expect(found.channels(x, y) == SIMD4(51, 153, 255, 255))
    }
  }

  @Test("The backdrop is that of the nearest group")
  func group() throws {
    let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 80, height: 60), [1, 1, 1, 1])
    let group = FilterStage.card(CGRect(x: 0, y: 0, width: 80, height: 60))
    group.addSublayer(FilterStage.card(CGRect(x: 0, y: 0, width: 40, height: 60), [1, 0, 0, 1]))
    let pane = FilterStage.card(CGRect(x: 20, y: 10, width: 40, height: 40))
    pane.backgroundFilters = [FilterStage.filter("colorInvert")]
    group.addSublayer(pane)
    group.opacity = 0.5
    let found = try FilterStage.image(80, 60, [ground, group])
    // Half of the inverted red; where the group is empty, the white of the ground.
    #expect(found.channels(30, 30).distance(to: [128, 255, 255, 255]) <= 1)
    #expect(found.channels(50, 30) == SIMD4(repeating: 255))
    #expect(found.channels(10, 30).distance(to: [255, 128, 128, 255]) <= 1)
  }

  @Test("A group shows no more than fits in it, but backdrops see what lies beyond")
  func clippedGroup() throws {
    // The group is clipped to the pane, but the stripes around it still count in the blur.
    func window(_ change: (CALayer) -> Void) throws -> CGImage {
      let window = FilterStage.card(CGRect(x: 20, y: 10, width: 40, height: 40))
      let inner = FilterStage.card(CGRect(x: -20, y: -10, width: 80, height: 60))
      for stripe in stripes { inner.addSublayer(stripe) }
      let pane = FilterStage.card(CGRect(x: 20, y: 10, width: 40, height: 40))
      pane.backgroundFilters = [FilterStage.blur(4)]
      inner.addSublayer(pane)
      inner.opacity = 0.5
      window.addSublayer(inner)
      change(window)
      return try FilterStage.image(80, 60, [window])
    }
    let clipped = try window { $0.masksToBounds = true }
    let open = try window { _ in }
    for y in 10..<50 {
      for x in 20..<60 where clipped.channels(x, y) != open.channels(x, y) {
        Issue.record("differs at \(x), \(y)")
        return
      }
    }
  }

  @Test("A faded layer shows its filtered backdrop faded, and a masked one masked")
  func faded() throws {
    let plain = try shown { $0.backgroundFilters = nil }
    let whole = try shown()
    let faded = try shown { $0.opacity = 0.4 }
    let masked = try shown {
      $0.mask = FilterStage.card(CGRect(x: 0, y: 0, width: 20, height: 40), [0, 0, 0, 0.4])
    }
    for y in 0..<60 {
      for x in 0..<80 {
        let mixed = plain.channels(x, y) * 0.6 + whole.channels(x, y) * 0.4
        #expect(faded.channels(x, y).distance(to: mixed) <= 1)
        let expected = x < 40 ? mixed : plain.channels(x, y)
        #expect(masked.channels(x, y).distance(to: expected) <= 1.6)
      }
    }
  }

  @Test("Panes over each other: the upper one sees the lower one's outcome")
  func stacked() throws {
    let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 80, height: 60), [0.8, 0.2, 0.4, 1])
    let panes = [
      CGRect(x: 10, y: 10, width: 40, height: 40), CGRect(x: 30, y: 10, width: 40, height: 40),
    ]
    .map { frame in
      let pane = FilterStage.card(frame)
      pane.backgroundFilters = [FilterStage.filter("colorInvert")]
      return pane
    }
    let found = try FilterStage.image(80, 60, [ground] + panes)
    #expect(found.channels(20, 30).distance(to: [51, 204, 153, 255]) <= 1)
    #expect(found.channels(40, 30).distance(to: [204, 51, 102, 255]) <= 1)
    #expect(found.channels(60, 30).distance(to: [51, 204, 153, 255]) <= 1)
  }

  @Test("On the root, which has nothing behind it, backdrops' filters are ignored")
  func root() throws {
    let root = FilterStage.card(CGRect(x: 0, y: 0, width: 20, height: 20))
    root.backgroundFilters = [FilterStage.filter("colorInvert")]
    root.addSublayer(FilterStage.card(CGRect(x: 4, y: 4, width: 8, height: 8), [1, 0, 0, 1]))
    let renderer = try CARenderer(size: root.bounds.size, server: .inProcess)
    renderer.layer = root
    let image = try renderer.image(at: 0)
    #expect(image.channels(0, 0) == .zero)
    #expect(image.channels(6, 6) == SIMD4(255, 0, 0, 255))
  }

  @Test("Backdrops of a group in a film equal that frame alone, whichever comes and goes")
  func groupFilm() throws {
    func animation(_ keyPath: String, _ values: [Any]) -> CAKeyframeAnimation {
      let animation = CAKeyframeAnimation(keyPath: keyPath)
      animation.values = values
      animation.duration = 6
      return animation
    }
    func renderer() throws -> CARenderer {
      func member(_ frame: CGRect, _ filter: CAFilter) -> CABackdropLayer {
        let member = CABackdropLayer()
        member.frame = frame
        member.groupName = "bar"
        member.filters = [filter]
        return member
      }
      let first = member(CGRect(x: 4, y: 4, width: 12, height: 12), CAFilter(type: "colorInvert"))
      let second = member(CGRect(x: 60, y: 5, width: 30, height: 50), FilterStage.blur(2))
      let third = member(
        CGRect(x: 110, y: 20, width: 30, height: 30), CAFilter(type: "colorInvert"))
      let between = FilterStage.card(CGRect(x: 70, y: 10, width: 10, height: 10), [1, 0, 0, 1])
      let other = FilterStage.card(CGRect(x: 120, y: 10, width: 10, height: 30), [1, 1, 0, 1])
      between.add(animation("position.y", [10, 50]), forKey: nil)
      first.add(animation("hidden", [0, 0, 1, 1, 0]), forKey: nil)
      second.add(animation("opacity", [1, 1, 0, 0.5, 1]), forKey: nil)
      let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 160, height: 60), [0.2, 0.6, 1, 1])
      return try FilterStage.renderer(160, 60, [ground, first, between, second, other, third])
    }
    let film = try renderer()
    for time in [0, 0.5, 1, 2.5, 3.2, 4, 5, 5.9, 0.2] {
      let frame = try film.image(at: time)
      let alone = try renderer()
      _ = try alone.image(at: 0)
      try expectEqual(frame, try alone.image(at: time), "at \(time)")
    }
  }
}
