import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaInProcess
import LaminaValues
import Testing

@testable import Lamina

/// A layer tree in a renderer whose clock stands at 0, and one of its layers, which is evaluated in
/// both processes.
struct Evaluation<Layer: CALayer> {
  let renderer: CARenderer
  let layer: Layer

  /// Makes the layer the root of a renderer of its own.
  init(_ layer: Layer, server: RenderServer = .inProcess) throws {
    renderer = try CARenderer(
      size: CGSize(width: 4, height: 4), server: server.on(.surfaceless))
    renderer.layer = layer
    self.layer = layer
    try renderer.commitChanges()
  }

  /// Evaluates a layer that is committed in this renderer.
  init(_ layer: Layer, in renderer: CARenderer) {
    (self.layer, self.renderer) = (layer, renderer)
  }

  /// The layer's presentation at a time of the clock. Expects the render process to have the same
  /// values, bit by bit, and the same local time.
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
  /// The values that differ, bit by bit.
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
    for property in StoredPropertySet.crossing
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
  /// A layer with animations that are not removed on completion.
  convenience init(animating animations: CAAnimation...) {
    self.init()
    for animation in animations {
      animation.isRemovedOnCompletion = false
      add(animation, forKey: nil)
    }
  }
}

extension CABasicAnimation {
  /// An animation that lasts a second by default.
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
  /// An animation that lasts a second.
  convenience init(_ keyPath: String, _ values: [Any]) {
    self.init(keyPath: keyPath)
    self.values = values
    duration = 1
  }
}
