import Foundation
import LaminaInProcess
import LayerSupport
import Testing

@testable import Lamina
@testable import LaminaGraphics

/// Draws a diagonal cross over a colour, again whenever the colour is set.
private final class CrossLayer: CALayer {
  var ground = CGColor.white {
    didSet { setNeedsDisplay() }
  }

  override func draw(in ctx: CGContext) {
    ctx.setFillColor(ground)
    ctx.fill(bounds)
    ctx.setStrokeColor(.black)
    ctx.setLineWidth(2)
    ctx.move(to: .zero)
    ctx.addLine(to: CGPoint(x: bounds.maxX, y: bounds.maxY))
    ctx.move(to: CGPoint(x: 0, y: bounds.maxY))
    ctx.addLine(to: CGPoint(x: bounds.maxX, y: 0))
    ctx.strokePath()
  }
}

/// A card on a background; the card's look changes.
private final class Stage {
  enum Look: CaseIterable, Sendable {
    case first, second
  }

  static let size = 64.0
  let root = CALayer()
  let card = CALayer()
  private var sublayers: [CALayer] = []

  init(_ look: Look = .first) {
    root.frame = CGRect(x: 0, y: 0, width: Self.size, height: Self.size)
    root.backgroundColor = CGColor(red: 0.9, green: 0.9, blue: 0.8, alpha: 1)
    card.frame = CGRect(x: 16, y: 20, width: 32, height: 24)
    root.addSublayer(card)
    dress(look)
  }

  /// Keeps what both looks have in common, and replaces everything else.
  func dress(_ look: Look) { withoutActions { change(to: look) } }

  private func change(to look: Look) {
    for layer in sublayers { layer.removeFromSuperlayer() }
    let inner = CALayer()
    let drawn = CrossLayer()
    switch look {
    case .first:
      card.backgroundColor = CGColor(red: 0.8, green: 0.2, blue: 0.2, alpha: 1)
      card.cornerRadius = 6
      card.opacity = 0.75
      inner.frame = CGRect(x: 4, y: 4, width: 10, height: 30)
      inner.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 0.5)
      drawn.frame = CGRect(x: 16, y: 4, width: 12, height: 12)
      drawn.ground = CGColor(red: 1, green: 1, blue: 0, alpha: 1)
    case .second:
      card.backgroundColor = CGColor(red: 0.1, green: 0.5, blue: 0.3, alpha: 1)
      card.cornerRadius = 0
      card.opacity = 1
      inner.frame = CGRect(x: 10, y: 14, width: 20, height: 6)
      inner.backgroundColor = CGColor(red: 1, green: 0.6, blue: 0, alpha: 1)
      drawn.frame = CGRect(x: 2, y: 2, width: 8, height: 20)
      drawn.ground = CGColor(red: 0.6, green: 1, blue: 1, alpha: 0.5)
    }
    drawn.setNeedsDisplay()
    sublayers = [inner, drawn]
    for layer in sublayers { card.addSublayer(layer) }
  }

  var drawn: CrossLayer { sublayers[1] as! CrossLayer }
  var inner: CALayer { sublayers[0] }

  func renderer(_ server: RenderServer = .inProcess, scale: CGFloat = 1) throws -> CARenderer {
    let renderer = try CARenderer(
      size: CGSize(width: Self.size, height: Self.size), scale: scale, server: server)
    renderer.layer = root
    return renderer
  }

  static func still(_ look: Look, scale: CGFloat = 1) throws -> CGImage {
    try Stage(look).renderer(scale: scale).image(at: 0)
  }
}

private func transition(
  _ type: CATransitionType, _ subtype: CATransitionSubtype? = nil, from start: Float = 0,
  to end: Float = 1
) -> CATransition {
  let transition = CATransition()
  transition.type = type
  transition.subtype = subtype
  transition.startProgress = start
  transition.endProgress = end
  transition.duration = 1
  transition.isRemovedOnCompletion = false
  return transition
}

/// A transition that shows the frozen subtree alone, however long it runs.
private func showingOldPicture() -> CATransition { transition(.fade, from: 0, to: 0) }

extension CGImage {
  /// Every pixel's blue, green, red and alpha, premultiplied.
  fileprivate var channels: [Double] {
    (0..<height).flatMap { y in
      (0..<width).flatMap { x in
        let p = pixel(x: x, y: y)
        return [Double(p.blue), Double(p.green), Double(p.red), Double(p.alpha)]
      }
    }
  }
}

private func largestDifference(_ a: [Double], _ b: [Double]) -> Double {
  zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) }
}

@Suite("Transitions on the screen")
struct TransitionTests {
  /// Frames, at some times, of a card that changes from its first look to its second.
  private func frames(
    _ animation: CATransition, at times: [Double], server: RenderServer = .inProcess,
    scale: CGFloat = 1, from first: Stage.Look = .first, to second: Stage.Look = .second
  ) throws -> [CGImage] {
    let stage = Stage(first)
    let renderer = try stage.renderer(server, scale: scale)
    try renderer.commitChanges()
    stage.dress(second)
    stage.card.add(animation, forKey: nil)
    return try times.map { try renderer.image(at: $0) }
  }

  @Test("A fade adds up the two pictures, each in its share", arguments: [0.0, 0.25, 0.5, 0.9, 1])
  func fade(time: Double) throws {
    let old = try Stage.still(.first).channels
    let new = try Stage.still(.second).channels
    let mixed = zip(old, new).map { $0 * (1 - time) + $1 * time }
    let frame = try frames(transition(.fade), at: [time])[0].channels
    #expect(largestDifference(frame, mixed) <= 2)
    #expect(time == 0 || time == 1 || largestDifference(frame, old) > 20)
  }

  @Test("A fade between equal pictures changes nothing", arguments: [0.1, 0.5, 0.77])
  func equalPictures(time: Double) throws {
    for look in Stage.Look.allCases {
      let frame = try frames(transition(.fade), at: [time], from: look, to: look)[0]
      #expect(largestDifference(frame.channels, try Stage.still(look).channels) <= 1)
    }
  }

  /// Both looks as sibling layers, placed by hand.
  private func placed(
    old: CGVector, new: CGVector, isOldInFront: Bool, scale: CGFloat
  ) throws -> CGImage {
    let (stage, other) = (Stage(.first), Stage(.second))
    stage.card.position.x += old.dx
    stage.card.position.y += old.dy
    other.card.position.x += new.dx
    other.card.position.y += new.dy
    stage.root.insertSublayer(other.card, at: isOldInFront ? 0 : 1)
    return try stage.renderer(scale: scale).image(at: 0)
  }

  private static let directions: [(CATransitionSubtype?, CGVector)] = [
    (nil, CGVector(dx: 32, dy: 0)), (.fromLeft, CGVector(dx: 32, dy: 0)),
    (.fromRight, CGVector(dx: -32, dy: 0)), (.fromTop, CGVector(dx: 0, dy: -24)),
    (.fromBottom, CGVector(dx: 0, dy: 24)),
  ]

  @Test("Pictures move as layers would that are placed by hand", arguments: directions)
  func motion(_ subtype: CATransitionSubtype?, _ way: CGVector) throws {
    func part(_ part: Double) -> CGVector { CGVector(dx: way.dx * part, dy: way.dy * part) }
    for (time, scale) in [(0.25, 1.0), (0.5, 2), (0.8, 1)] {
      let (gone, coming) = (part(time), part(time - 1))
      let what = "\(subtype?.rawValue ?? "nil") at \(time)"
      try expectEqual(
        try frames(transition(.push, subtype), at: [time], scale: scale)[0],
        try placed(old: gone, new: coming, isOldInFront: false, scale: scale), "push \(what)")
      try expectEqual(
        try frames(transition(.moveIn, subtype), at: [time], scale: scale)[0],
        try placed(old: .zero, new: coming, isOldInFront: false, scale: scale), "moveIn \(what)")
      try expectEqual(
        try frames(transition(.reveal, subtype), at: [time], scale: scale)[0],
        try placed(old: gone, new: .zero, isOldInFront: true, scale: scale), "reveal \(what)")
    }
  }

  @Test("A transition shows the old picture at 0, the new one at 1 and when it is over")
  func ends() throws {
    for type in [CATransitionType.fade, .push, .moveIn, .reveal] {
      let images = try frames(transition(type), at: [0, 1, 1.5, 0])
      try expectEqual(images[0], try Stage.still(.first), "\(type.rawValue) at its start")
      try expectEqual(images[1], try Stage.still(.second), "\(type.rawValue) at its end")
      try expectEqual(images[2], try Stage.still(.second), "\(type.rawValue) over")
      try expectEqual(images[3], images[0], "\(type.rawValue) back at its start")
    }
  }

  @Test("A transition fills, and the next frame is due while it runs")
  func timing() throws {
    let stage = Stage()
    let renderer = try stage.renderer()
    _ = try renderer.image(at: 0)
    stage.dress(.second)
    let animation = transition(.fade)
    animation.beginTime = 2
    animation.fillMode = .backwards
    // When it is over, its removal would be a change, at some moment, for which a frame is due.
    animation.isRemovedOnCompletion = false
    animation.timingFunction = CAMediaTimingFunction(controlPoints: 0, 1, 0, 1)
    stage.card.add(animation, forKey: nil)
    try expectEqual(try renderer.image(at: 1), try Stage.still(.first), "before the begin")
    #expect(renderer.nextFrameTime() == 2)
    let early = try renderer.image(at: 2.1).channels
    #expect(renderer.nextFrameTime() == 2.1)
    let new = try Stage.still(.second).channels
    #expect(largestDifference(early, new) < 60)
    _ = try renderer.image(at: 3.5)
    #expect(renderer.nextFrameTime() == .infinity)
  }

  @Test("A layer that comes with its transition comes out of nothing")
  func fromNothing() throws {
    let empty = Stage()
    empty.card.removeFromSuperlayer()
    let before = try empty.renderer().image(at: 0).channels
    let stage = Stage(.second)
    stage.card.add(transition(.fade), forKey: nil)
    let renderer = try stage.renderer()
    #expect(largestDifference(try renderer.image(at: 0).channels, before) == 0)
    let after = try Stage.still(.second).channels
    let mixed = zip(before, after).map { ($0 + $1) / 2 }
    #expect(largestDifference(try renderer.image(at: 0.5).channels, mixed) <= 2)
  }

  @Test("A layer that is hidden or shown by a transition fades, and so does a mask")
  func hidden() throws {
    let stage = Stage()
    let renderer = try stage.renderer()
    let shown = try renderer.image(at: 0).channels
    withoutActions { stage.card.isHidden = true }
    stage.card.add(transition(.fade), forKey: nil)
    let half = try renderer.image(at: 0.5).channels
    let gone = try renderer.image(at: 1).channels
    #expect(largestDifference(half, zip(shown, gone).map { ($0 + $1) / 2 }) <= 2)
    #expect(largestDifference(shown, gone) > 50)
    let mask = CALayer()
    withoutActions {
      stage.card.isHidden = false
      mask.frame = CGRect(x: 0, y: 0, width: 10, height: 24)
      mask.backgroundColor = .black
      stage.card.mask = mask
    }
    let masked = try renderer.image(at: 2).channels
    withoutActions { mask.backgroundColor = CGColor(red: 0, green: 0, blue: 0, alpha: 0.2) }
    mask.add(transition(.fade), forKey: nil)
    let maskHalf = try renderer.image(at: 2.5).channels
    let other = try renderer.image(at: 3.1).channels
    #expect(largestDifference(maskHalf, zip(masked, other).map { ($0 + $1) / 2 }) <= 2)
    #expect(largestDifference(masked, other) > 50)
  }

  @Test("A sublayer that comes and a layer that is hidden fade by themselves")
  func implicit() throws {
    let stage = Stage()
    let renderer = try stage.renderer()
    let before = try renderer.image(at: 0)
    let added = CALayer()
    added.frame = CGRect(x: 4, y: 4, width: 6, height: 6)
    added.backgroundColor = .black
    stage.root.addSublayer(added)
    try expectEqual(try renderer.image(at: 0), before, "at the begin")
    let half = try renderer.image(at: 0.125).pixel(x: 6, y: 6).red
    let after = try renderer.image(at: 0.3).pixel(x: 6, y: 6).red
    #expect(after == 0 && half > 10 && half < before.pixel(x: 6, y: 6).red - 10)
    added.isHidden = true
    #expect(try renderer.image(at: 0.3).pixel(x: 6, y: 6).red == 0)
    try expectEqual(try renderer.image(at: 1), before, "hidden")
  }

  @Test("Pictures move with their layer, and turn with it")
  func place() throws {
    func turn(_ layer: CALayer) {
      layer.position = CGPoint(x: 30, y: 34)
      layer.transform = CATransform3DMakeRotation(0.4, 0, 0, 1)
    }
    let stage = Stage()
    let renderer = try stage.renderer()
    try renderer.commitChanges()
    stage.dress(.second)
    withoutActions { turn(stage.card) }
    stage.card.add(showingOldPicture(), forKey: nil)
    let expected = Stage()
    turn(expected.card)
    try expectEqual(
      try renderer.image(at: 0.5), try expected.renderer().image(at: 0), "the old picture turned")
  }
}

@Suite("Old pictures")
struct OldPictureTests {
  private static let image = try! CGImage(
    width: 2, height: 2,
    unpremultipliedRGBA: [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 128])

  /// Freezes a card whose drawing was or was not on screen yet, and then changes all that it shows.
  /// Returns the expected picture and that of the frozen subtree.
  private func oldPicture(wasShown: Bool, server: RenderServer) throws -> (CGImage, CGImage) {
    let stage = Stage()
    let renderer = try stage.renderer(server)
    withoutActions { stage.inner.contents = Self.image }
    let shrink = CABasicAnimation(keyPath: "bounds.size.width")
    shrink.fromValue = 10
    shrink.toValue = 4
    shrink.duration = 10
    stage.inner.add(shrink, forKey: "shrink")
    let expected = try renderer.image(at: 1)
    if !wasShown {
      // Redrawn with the same result and committed, but not on screen yet.
      stage.drawn.setNeedsDisplay()
      withoutActions { stage.inner.contents = CGImage(Self.image.buffer) }
      try renderer.commitChanges()
    }
    let (drawn, inner) = (stage.drawn, stage.inner)
    drawn.ground = CGColor(red: 1, green: 0, blue: 1, alpha: 1)
    let animation = showingOldPicture()
    animation.duration = 100
    stage.card.add(animation, forKey: nil)
    try renderer.commitChanges()
    for color in [CGColor.black, .white] {
      drawn.ground = color
      _ = try renderer.image(at: 2)
    }
    withoutActions {
      inner.removeAllAnimations()
      inner.contents = nil
      inner.position = .zero
    }
    try renderer.commitChanges()
    withoutActions {
      drawn.removeFromSuperlayer()
      inner.removeFromSuperlayer()
      stage.card.masksToBounds = true
    }
    _ = try renderer.image(at: 3)
    return (expected, try renderer.image(at: 60))
  }

  @Test(
    "An old picture outlives changes, redrawing and the end of all that is in it",
    arguments: [true, false], [false, true])
  func survival(wasShown: Bool, isInProcess: Bool) throws {
    let (expected, old) = try oldPicture(
      wasShown: wasShown, server: isInProcess ? .inProcess : .process)
    try expectEqual(old, expected, "the old picture")
  }

  /// Frames of a transition that interrupts another, with a third one inside.
  private func interrupted(at times: [Double], server: RenderServer) throws -> [CGImage] {
    let stage = Stage()
    let renderer = try stage.renderer(server)
    func add(_ type: CATransitionType, _ begin: Double, to layer: CALayer) throws {
      let animation = CATransition()
      animation.type = type
      animation.beginTime = begin
      animation.duration = 1
      animation.isRemovedOnCompletion = false
      layer.add(animation, forKey: nil)
      try renderer.commitChanges()
    }
    try renderer.commitChanges()
    stage.drawn.ground = CGColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 1)
    try add(.push, 1, to: stage.drawn)
    stage.dress(.second)
    try add(.fade, 1.25, to: stage.card)
    stage.dress(.first)
    stage.drawn.ground = .black
    try add(.reveal, 1.75, to: stage.card)
    return try times.map { try renderer.image(at: $0) }
  }

  @Test("Transitions interrupt each other; a frame alone is the frame of a film, in both servers")
  func nesting() throws {
    let times = [1.8, 2.2, 2, 3, 1.8, 2.2]
    let film = try interrupted(at: times, server: .inProcess)
    let other = try interrupted(at: times, server: .process)
    for (index, time) in times.enumerated() {
      try expectEqual(film[index], other[index], "in and out of process at \(time)")
      let alone = try interrupted(at: [time], server: .inProcess)[0]
      try expectEqual(film[index], alone, "alone at \(time)")
    }
    #expect(try ImageDifference(film[0], film[1]).differingPixelCount > 50)
  }

  @Test("A transition that interrupts another starts from what that showed")
  func interruption() throws {
    let stage = Stage()
    let renderer = try stage.renderer()
    try renderer.commitChanges()
    stage.dress(.second)
    stage.card.add(transition(.fade), forKey: nil)
    let half = try renderer.image(at: 0.5)
    stage.dress(.first)
    stage.card.add(showingOldPicture(), forKey: nil)
    let frame = try renderer.image(at: 0.5)
    #expect(largestDifference(frame.channels, half.channels) <= 1)
    #expect(largestDifference(try renderer.image(at: 1.2).channels, half.channels) <= 1)
  }
}

@Suite("Contents that change into others")
struct ContentsMixTests {
  private static let first = try! CGImage(
    width: 2, height: 1, unpremultipliedRGBA: [255, 0, 0, 255, 0, 0, 255, 255])
  private static let second = try! CGImage(
    width: 1, height: 3,
    unpremultipliedRGBA: [0, 255, 0, 255, 255, 255, 255, 128, 0, 0, 0, 255])

  private func layer(_ image: CGImage?) -> CALayer {
    let layer = CALayer()
    layer.frame = CGRect(x: 4, y: 4, width: 24, height: 18)
    layer.contents = image
    return layer
  }

  private func image(
    of layer: CALayer, at time: Double = 0, server: RenderServer = .inProcess,
    then check: () -> Void = {}
  ) throws -> CGImage {
    let root = CALayer()
    root.frame = CGRect(x: 0, y: 0, width: 32, height: 26)
    root.backgroundColor = CGColor(red: 0.8, green: 0.8, blue: 0.5, alpha: 1)
    root.addSublayer(layer)
    let renderer = try CARenderer(size: root.bounds.size, server: server)
    renderer.layer = root
    try renderer.commitChanges()
    let image = try renderer.image(at: time)
    check()
    return image
  }

  private func fade(from: CGImage?, to: CGImage?) -> CABasicAnimation {
    let animation = CABasicAnimation(keyPath: "contents")
    animation.fromValue = from
    animation.toValue = to
    animation.duration = 1
    return animation
  }

  private static let dresses: [@Sendable (CALayer) -> Void] = [
    { _ in }, { $0.contentsGravity = .resizeAspect }, { $0.contentsGravity = .topLeft },
    {
      $0.masksToBounds = true
      $0.cornerRadius = 6
      $0.opacity = 0.5
    },
    {
      $0.backgroundColor = .black
      $0.opacity = 0.5
      $0.transform = CATransform3DMakeRotation(0.3, 0, 0, 1)
    },
  ]

  @Test("Pixels cross-fade while the value switches half-way", arguments: dresses.indices)
  func crossFade(dress: Int) throws {
    func dressed(_ image: CGImage?) -> CALayer {
      let layer = layer(image)
      Self.dresses[dress](layer)
      return layer
    }
    let old = try image(of: dressed(Self.first)).channels
    let new = try image(of: dressed(Self.second)).channels
    for time in [0.25, 0.5, 0.75] {
      let layer = dressed(Self.second)
      layer.add(fade(from: Self.first, to: Self.second), forKey: nil)
      let frame = try image(of: layer, at: time) {
        let shown = layer.presentation()?.contents as? CGImage
        #expect(shown === (time < 0.5 ? Self.first : Self.second))
      }
      let mixed = zip(old, new).map { $0 * (1 - time) + $1 * time }
      #expect(largestDifference(frame.channels, mixed) <= 2, "at \(time)")
    }
  }

  @Test("An image fades in from nothing, and out to nothing")
  func fromNothing() throws {
    let old = try image(of: layer(nil)).channels
    let new = try image(of: layer(Self.second)).channels
    let appearing = layer(nil)
    appearing.add(fade(from: nil, to: Self.second), forKey: nil)
    let disappearing = layer(nil)
    disappearing.add(fade(from: Self.second, to: nil), forKey: nil)
    let quarter = zip(old, new).map { $0 * 0.75 + $1 * 0.25 }
    #expect(largestDifference(try image(of: appearing, at: 0.25).channels, quarter) <= 2)
    #expect(largestDifference(try image(of: disappearing, at: 0.75).channels, quarter) <= 2)
  }

  @Test("Keyframes cross-fade from each image to the next, and discrete ones do not")
  func keyframes() throws {
    let animation = CAKeyframeAnimation(keyPath: "contents")
    animation.values = [Self.first, Self.second, Self.first]
    animation.duration = 1
    let old = try image(of: layer(Self.first)).channels
    let new = try image(of: layer(Self.second)).channels
    func frame(at time: Double) throws -> [Double] {
      let images = try [RenderServer.inProcess, .process].map { server in
        let layer = layer(nil)
        layer.add(animation, forKey: nil)
        return try image(of: layer, at: time, server: server)
      }
      try expectEqual(images[0], images[1], "both servers at \(time)")
      return images[0].channels
    }
    for (time, share) in [(0.125, 0.25), (0.5, 1.0), (0.75, 0.5)] {
      let mixed = zip(old, new).map { $0 * (1 - share) + $1 * share }
      #expect(largestDifference(try frame(at: time), mixed) <= 2, "at \(time)")
    }
    animation.calculationMode = .discrete
    #expect(largestDifference(try frame(at: 0.2), old) == 0)
    #expect(largestDifference(try frame(at: 0.4), new) == 0)
  }
}
