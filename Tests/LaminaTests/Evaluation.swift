import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaInProcess
import LaminaValues
import Testing

@testable import Lamina

/// A layer tree in a renderer whose clock stands at 0, and one of its layers, whose numbers are
/// read in both processes.
struct Evaluation<Layer: CALayer> {
  let renderer: CARenderer
  let layer: Layer

  /// The layer is the root of a renderer of its own.
  init(_ layer: Layer, server: RenderServer = .inProcess) throws {
    renderer = try CARenderer(
      size: CGSize(width: 4, height: 4), server: server.on(.surfaceless))
    renderer.layer = layer
    self.layer = layer
    try renderer.commitChanges()
  }

  /// The layer is committed in this renderer.
  init(_ layer: Layer, in renderer: CARenderer) {
    (self.layer, self.renderer) = (layer, renderer)
  }

  /// The layer as it is shown at a time of the clock, which is what the render process draws: bit
  /// by bit, and its own time too.
  func shown(
    at time: Double, _ location: SourceLocation = #_sourceLocation
  ) throws -> Layer {
    renderer.clock.time = time
    let shown = try #require(layer.presentation(), sourceLocation: location)
    let mine = EvaluatedLayer(
      time: layer.localTime(at: time, by: \.committedTiming),
      values: shown.modelValues)
    let rendered = try renderer.evaluatedLayers(layer, at: time)
    if shown.isHiddenOnScreen {
      #expect(rendered.isEmpty, sourceLocation: location)
    } else {
      try #require(rendered.count == 1, sourceLocation: location)
      for difference in mine.differences(from: rendered[0]) {
        Issue.record("at \(time): \(difference)", sourceLocation: location)
      }
    }
    return shown
  }

  /// The value of a key path at a time of the clock, as a number.
  func number(
    _ keyPath: String, at time: Double, _ location: SourceLocation = #_sourceLocation
  ) throws -> Double {
    let value = try shown(at: time, location).value(forKeyPath: keyPath)
    return try #require(value as? NSNumber, sourceLocation: location).doubleValue
  }
}

extension CALayer {
  fileprivate var isHiddenOnScreen: Bool {
    isHidden || superlayer.map(\.isHiddenOnScreen) ?? false
  }
}

extension EvaluatedLayer {
  /// What is not the same, bit by bit.
  fileprivate func differences(from other: EvaluatedLayer) -> [String] {
    func bytes(_ write: (ByteWriter) -> Void) -> [UInt8] {
      let writer = ByteWriter()
      write(writer)
      return withExtendedLifetime(writer) { Array(writer.bytes) }
    }
    guard bytes(encode) != bytes(other.encode) else { return [] }
    var differences: [String] = []
    if time.bitPattern != other.time.bitPattern {
      differences.append("own time \(time), there \(other.time)")
    }
    for property in LayerPropertySet.crossing
    where bytes({ values.encode(property, to: $0) })
      != bytes({ other.values.encode(property, to: $0) })
    {
      differences.append(
        "\(property.key) \(values.value(of: property)), there \(other.values.value(of: property))")
    }
    return differences
  }
}

extension CALayer {
  /// A layer with an animation of it that stays.
  convenience init(animating animations: CAAnimation...) {
    self.init()
    for animation in animations {
      animation.isRemovedOnCompletion = false
      add(animation, forKey: nil)
    }
  }
}

extension CABasicAnimation {
  /// An animation of a second.
  convenience init(
    _ keyPath: String, from: Any? = nil, to: Any? = nil, by: Any? = nil, duration: Double = 1
  ) {
    self.init(keyPath: keyPath)
    fromValue = from
    toValue = to
    byValue = by
    self.duration = duration
  }
}

extension CAKeyframeAnimation {
  /// An animation of a second.
  convenience init(_ keyPath: String, _ values: [Any]) {
    self.init(keyPath: keyPath)
    self.values = values
    duration = 1
  }
}

func isClose(_ a: Double, _ b: Double, _ tolerance: Double = 1e-4) -> Bool {
  abs(a - b) <= tolerance
}
