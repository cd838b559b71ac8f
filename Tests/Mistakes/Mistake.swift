import Foundation
import Lamina
import LaminaInProcess

/// A mistake that an app's code may make.
struct Mistake: Sendable {
  let name: String
  /// The text that standard error must contain.
  let message: String
  /// Whether the program continues after the mistake.
  var isForgiven = false
  let make: @Sendable () throws -> Void

  static let all: [Mistake] = hierarchy + times + sizes + processes
}

extension Mistake {
  private static let hierarchy = [
    Mistake(
      name: "cycle",
      message: #"CALayer "outer" cannot be inside CALayer "inner", which is inside it"#
    ) {
      let (outer, inner) = (layer("outer"), layer("inner"))
      outer.addSublayer(inner)
      inner.addSublayer(outer)
    },
    Mistake(name: "own-mask", message: #"CALayer "card" cannot be inside itself"#) {
      let card = layer("card")
      card.mask = card
    },
    Mistake(name: "twice", message: #"1 of 3 sublayers for CALayer "list" are given twice"#) {
      let (a, b) = (layer("a"), layer("b"))
      layer("list").sublayers = [a, b, a]
    },
    Mistake(name: "replaced-stranger", message: #"CALayer "b" is no sublayer of CALayer "a""#) {
      layer("a").replaceSublayer(layer("b"), with: layer("c"))
    },
    Mistake(name: "sibling-of-others", message: "", isForgiven: true) {
      layer("a").insertSublayer(layer("b"), above: layer("c"))
    },
    Mistake(name: "no-copy", message: "unimplemented initializer 'init(layer:)'") {
      let dial = Dial(turns: 1)
      let renderer = try Self.renderer(dial)
      _ = try renderer.image(at: 0)
      _ = dial.presentation()
    },
  ]

  private static let times = [
    Mistake(name: "clock-from-nan", message: "a clock's time cannot be nan") {
      _ = MediaClock.manual(time: .nan)
    },
    Mistake(name: "clock-to-infinity", message: "a clock's time cannot be inf") {
      MediaClock.manual().time = .infinity
    },
    Mistake(name: "host-clock", message: "the host's clock cannot be set to 2.5") {
      MediaClock.host.time = 2.5
    },
    Mistake(
      name: "film-to-1e300", message: "there are no frames from 0.0 to 1e+300 at 60.0 a second"
    ) { _ = try renderer(layer("a")).frames(from: 0, to: 1e300, fps: 60) },
    Mistake(name: "film-to-nan", message: "there are no frames from 0.0 to nan at 60.0 a second") {
      _ = try renderer(layer("a")).frames(from: 0, to: .nan, fps: 60)
    },
    Mistake(name: "film-of-no-rate", message: "there are no frames from 0.0 to 1.0 at 0.0 a second")
    {
      _ = try renderer(layer("a")).frames(from: 0, to: 1, fps: 0)
    },
    Mistake(name: "live-at-no-rate", message: "there are no 0.0 frames a second") {
      _ = try renderer(layer("a")).liveFrames(fps: 0)
    },
    Mistake(name: "fifth-control-point", message: "has control points 0 to 3, not 4") {
      var point: [Float] = [0, 0]
      CAMediaTimingFunction(name: .linear).getControlPoint(at: 4, values: &point)
    },
    Mistake(name: "frame-at-nan", message: "there is no frame at nan") {
      _ = try renderer(layer("a")).image(at: .nan)
    },
  ]

  private static let sizes = [
    Mistake(name: "empty-frames", message: "frames cannot be 0.0x8.0 points at 1.0 pixels a point")
    {
      _ = try CARenderer(size: CGSize(width: 0, height: 8))
    },
    Mistake(
      name: "endless-frames", message: "frames cannot be 8.0x1e+300 points at 2.0 pixels a point"
    ) { _ = try CARenderer(size: CGSize(width: 8, height: 1e300), scale: 2) },
    Mistake(
      name: "huge-layer",
      message: #"Sheet "sheet" is not drawn, for its contents would have 100000x"#,
      isForgiven: true
    ) {
      let sheet = Sheet()
      sheet.name = "sheet"
      sheet.bounds.size = CGSize(width: 100_000, height: 100_000)
      sheet.setNeedsDisplay()
      _ = try renderer(sheet).image(at: 0)
    },
  ]

  private static let processes = [
    Mistake(
      name: "forked", message: "a forked process cannot use the renderers of its parent",
      isForgiven: true
    ) {
      var renderers = [try renderer(layer("a")), try renderer(layer("b"))]
      _ = try renderers.map { try $0.image(at: 0) }
      try inForkedProcess {
        renderers[0].layer?.opacity = 0.5
        let errors = [
          try error { try renderers[0].image(at: 1) }, try error { try renderer(layer("c")) },
        ]
        // What belongs to the parent stays as it is.
        renderers = []
        FileHandle.standardError.write(Data(errors.joined(separator: "\n").utf8))
      }
      _ = try renderers.map { try $0.image(at: 1) }
    }
  ]

  /// The error of something that must fail.
  private static func error(_ body: () throws -> some Any) throws -> String {
    do {
      _ = try body()
    } catch {
      return "\(error)"
    }
    throw CocoaError(.featureUnsupported)
  }

  /// Runs `body` in a fork of this process, and throws if that fails or takes too long.
  private static func inForkedProcess(_ body: () throws -> Void) throws {
    // Swift hides it, since most of what one may want to do in the child is not allowed there.
    typealias Fork = @convention(c) () -> pid_t
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
    let child = fork()
    if child == 0 {
      alarm(20)
      let isDone = (try? body()) != nil
      _exit(isDone ? 0 : 1)
    }
    var status: Int32 = -1
    guard waitpid(child, &status, 0) == child, status == 0 else {
      throw CocoaError(.executableLoad)
    }
  }

  private static func layer(_ name: String) -> CALayer {
    let layer = CALayer()
    layer.name = name
    return layer
  }

  private static func renderer(_ layer: CALayer) throws -> CARenderer {
    let renderer = try CARenderer(size: CGSize(width: 8, height: 8), server: .inProcess)
    renderer.layer = layer
    return renderer
  }
}

/// A layer without `init(layer:)`, which its presentation copies need.
private final class Dial: CALayer {
  let turns: Double
  init(turns: Double) {
    self.turns = turns
    super.init()
  }
  required init?(coder: NSCoder) { nil }
}

private final class Sheet: CALayer {
  override func draw(in ctx: CGContext) { ctx.fill(bounds) }
}
