import Foundation
import Lamina
import Testing

@testable import LaminaGraphics

@Suite("What looks behind itself")
struct LookingBehindTests {
  /// Stripes, and in front of them a box with a blue card and the layers `inner`.
  private func image(
    of inner: [CALayer], _ change: (CALayer) -> Void = { _ in }
  ) throws -> CGImage {
    let stripes = (0..<8).map { place in
      FilterStage.card(
        CGRect(x: place * 10, y: 0, width: 10, height: 60),
        place % 2 == 0 ? [1, 0.6, 0.2, 1] : [0.3, 0.8, 0.5, 1])
    }
    let box = FilterStage.card(CGRect(x: 10, y: 5, width: 60, height: 50))
    box.addSublayer(FilterStage.card(CGRect(x: 5, y: 5, width: 20, height: 20), [0, 0.2, 0.9, 1]))
    for layer in inner { box.addSublayer(layer) }
    change(box)
    return try FilterStage.image(80, 60, stripes + [box])
  }

  private var blended: CALayer {
    let card = FilterStage.card(CGRect(x: 15, y: 15, width: 30, height: 20), [0.9, 0.5, 0.7, 1])
    card.compositingFilter = "multiply"
    return card
  }

  private var inverting: CALayer {
    let pane = FilterStage.card(CGRect(x: 15, y: 15, width: 30, height: 20))
    pane.backgroundFilters = [FilterStage.filter("colorInvert")]
    return pane
  }

  @Test("Through a clip, whatever its corners and wherever its edges, it sees as without one")
  func clips() throws {
    for inner in [blended, inverting] {
      let open = try image(of: [inner])
      let clips: [(String, (CALayer) -> Void)] = [
        ("on pixels", { _ in }), ("round", { $0.cornerRadius = 3 }),
        ("continuous", { ($0.cornerRadius, $0.cornerCurve) = (3, .continuous) }),
        (
          "off the pixels",
          { box in
            box.bounds = box.bounds.insetBy(dx: 0.5, dy: 0.25)
          }
        ),
      ]
      for (name, change) in clips {
        let clipped = try image(of: [inner]) {
          $0.masksToBounds = true
          change($0)
        }
        try expectEqual(clipped, open, difference: 1, name)
      }
    }
  }

  @Test("Past a shadow, whatever casts it, it sees as without one")
  func shadows() throws {
    for inner in [blended, inverting] {
      let plain = try image(of: [inner])
      // Gives a layer a shadow that falls outside the frame.
      func cast(_ layer: CALayer) {
        layer.shadowOpacity = 1
        layer.shadowOffset = CGSize(width: 200, height: 0)
      }
      let ofPicture = try image(of: [inner], cast)
      try expectEqual(ofPicture, plain, difference: 1, "of a picture")
      let ofPath = try image(of: [inner]) {
        cast($0)
        $0.shadowPath = CGPath(rect: $0.bounds, transform: nil)
      }
      try expectEqual(ofPath, plain, "of a path")
      let clipped = try image(of: [inner]) {
        cast($0)
        ($0.masksToBounds, $0.cornerRadius) = (true, 3)
      }
      try expectEqual(clipped, plain, difference: 1, "clipped")
    }
  }

  @Test("It sees the shadow of the layer that it is in, whatever casts it")
  func shadowBehind() throws {
    // Half of the box's shadow falls into the box, which has nothing in it but the card.
    func image(_ path: Bool) throws -> CGImage {
      try self.image(of: []) { box in
        box.sublayers = nil
        let card = FilterStage.card(box.bounds, [0.9, 0.5, 0.7, 1])
        card.compositingFilter = "multiply"
        box.addSublayer(card)
        (box.opacity, box.shadowOpacity, box.shadowRadius) = (0.7, 0.8, 2)
        box.shadowColor = CGColor(red: 0.3, green: 0.6, blue: 0.9, alpha: 1)
        box.shadowOffset = CGSize(width: 20, height: 0)
        if path { box.shadowPath = CGPath(rect: box.bounds, transform: nil) }
      }
    }
    try expectEqual(try image(false), try image(true), difference: 2, "of a picture and a path")
  }

  @Test(
    "In what is brought to the screen as a whole, it sees only that",
    arguments: ["opacity", "mask", "filters", "backgroundFilters", "compositingFilter", "raster"])
  func groups(_ property: String) throws {
    func group(_ box: CALayer) {
      switch property {
      case "opacity": box.opacity = 0.6
      case "mask": box.mask = FilterStage.card(box.bounds, [0, 0, 0, 0.7])
      case "filters":
        box.filters = [FilterStage.filter("colorSaturate", ["inputAmount": 0.5])]
      case "backgroundFilters":
        box.backgroundFilters = [FilterStage.filter("colorSaturate", ["inputAmount": 0.5])]
      case "compositingFilter": box.compositingFilter = "screen"
      default: box.shouldRasterize = true
      }
    }
    let found = try image(of: [blended], group)
    // The layer has something to multiply only over the blue card; elsewhere it is like any other
    // layer.
    let both = FilterStage.card(
      CGRect(x: 15, y: 15, width: 10, height: 10), [0, 0.1, 0.63, 1])
    let plain = blended
    plain.compositingFilter = nil
    try expectEqual(found, try image(of: [plain, both], group), difference: 1, property)
  }

  @Test("An opacity that fades each piece by itself makes no group")
  func pieces() throws {
    let found = try image(of: [blended]) { ($0.opacity, $0.allowsGroupOpacity) = (0.6, false) }
    let faded = blended
    faded.opacity = 0.6
    let expected = try image(of: [faded]) { $0.sublayers?[0].opacity = 0.6 }
    try expectEqual(found, expected, difference: 1, "faded by pieces")
  }

  @Test("What a clip has cut away is not there for a blur inside it", arguments: [0, 0.5])
  func cutAway(_ cornerRadius: Double) throws {
    let pane = FilterStage.card(CGRect(x: 30, y: 5, width: 30, height: 40))
    pane.backgroundFilters = [FilterStage.blur(4)]
    func card(_ width: Int) -> CALayer {
      FilterStage.card(CGRect(x: 40, y: 0, width: width, height: 50), [0.9, 0.1, 0.3, 1])
    }
    let clipped = try image(of: [card(40), pane]) {
      $0.masksToBounds = true
      $0.cornerRadius = CGFloat(cornerRadius)
    }
    let cut = try image(of: [card(20), pane])
    // Only the pixels of the corners may differ.
    try expectEqual(clipped, cut, difference: 1, pixels: cornerRadius > 0 ? 4 : 0, "cut by hand")
  }

  @Test("In a clip at the frame's edge a backdrop does not fade")
  func frameEdge() throws {
    let pane = FilterStage.card(CGRect(x: -20, y: -20, width: 60, height: 100))
    pane.backgroundFilters = [FilterStage.blur(6)]
    let box = FilterStage.card(CGRect(x: -20, y: -20, width: 60, height: 100))
    (box.masksToBounds, box.cornerRadius) = (true, 5)
    box.addSublayer(pane)
    let ground = FilterStage.card(CGRect(x: 0, y: 0, width: 80, height: 60), [0.2, 0.6, 1, 1])
    let found = try FilterStage.image(80, 60, [ground, box])
    try expectEqual(found, try FilterStage.image(80, 60, [ground]), "all of one colour")
  }
}
