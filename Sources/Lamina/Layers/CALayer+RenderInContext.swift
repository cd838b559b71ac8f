import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CALayer {
  /// Implements `render(in:)`.
  final func paint(in context: CGContext) {
    let model = modelLayer ?? self
    let clock = model.rendered?.tree.clock ?? MediaClock.ambient
    let time = model.localTime(at: clock.time) {
      modelLayer == nil ? $0.modelTiming : $0.committedTiming
    }
    context.saveGState()
    LayerPainter(context).paintAll(
      self, LayerPainter.Setting(isFlipped: !contentsAreFlipped(), time: time))
    context.restoreGState()
  }
}

/// Draws layers as they are in the model tree or, from a presentation copy on, as presentation
/// copies; one step after the other.
///
/// The remaining steps of enclosing layers wait on an explicit stack, so that depth costs memory
/// and not the thread's stack.
final class LayerPainter {
  /// How a layer is painted.
  struct Setting {
    /// Product of the opacities that no enclosing group applies.
    var opacity: CGFloat = 1
    /// Whether y points up, since images stay upright.
    var isFlipped: Bool
    /// The layer's own time, in seconds.
    var time: Double
    /// Number of groups that the layer is in.
    var groups = 0
  }

  /// A layer and its own time.
  typealias TimedLayer = (layer: CALayer, time: Double)

  let context: CGContext
  /// The steps still to do, the next one last.
  private var steps: [() -> Void] = []
  /// Number of copies of replicators that have been painted.
  private var copyCount = 0
  private var isCopyLimitPassed = false

  init(_ context: CGContext) { self.context = context }

  func paintAll(_ layer: CALayer, _ setting: Setting) {
    paint(layer, setting, isMask: false)
    while let step = steps.popLast() { step() }
  }

  /// Queues steps, in their order, to run after the current one and before all that already wait.
  func then(_ next: (() -> Void)...) { steps += next.reversed() }

  /// Paints a layer in a context whose space is the layer's own.
  private func paint(_ layer: CALayer, _ setting: Setting, isMask: Bool) {
    guard !layer.isPassedOver, setting.opacity > 0 else { return }
    // A presentation copy shows what is on screen.
    if layer.modelLayer == nil { layer.displayIfNeeded() }
    compose(layer, layer.modelValues, setting, isMask: isMask)
  }

  /// Paints a layer in a context whose space is the superlayer's. `outer` is the transform to it of
  /// the superlayer's sublayers; `setting` is the superlayer's.
  func paint(
    _ layer: TimedLayer, to outer: CATransform3D, _ setting: Setting, isMask: Bool = false
  ) {
    let values = layer.layer.modelValues
    let toSuperlayer = LayerGeometry.flip(values)
      .concatenating(LayerGeometry.toSuperlayer(values))
      .concatenating(outer)
    var inner = setting
    inner.time = layer.time
    if values.isGeometryFlipped { inner.isFlipped.toggle() }
    context.saveGState()
    context.concatenate(toSuperlayer.affine)
    then(
      { self.paint(layer.layer, inner, isMask: isMask) },
      { self.context.restoreGState() })
  }

  func clip(to values: LayerValues) {
    context.addPath(CGPath(values.outline.path))
    context.clip()
  }

  /// Paints all of a layer but its shadow and mask. `setting` has the layer's own opacity, too.
  func paintPieces(of layer: CALayer, _ values: LayerValues, _ setting: Setting) {
    let kind = type(of: layer).kind
    if let color = values.backgroundColor {
      fill(CGPath(values.outline.path), color, setting.opacity, .nonZero)
    }
    if kind == .gradient {
      context.fill(
        values.outline, with: values.gradient, opacity: setting.opacity, bounds: values.bounds)
    }
    paintInside(values) {
      paintContents(of: layer, values, setting)
      if kind == .shape { paintShape(values.shape, setting.opacity) }
    }
    // An emitter's particles lie over its border, sublayers below.
    if kind == .emitter {
      paintBorder(values, setting.opacity)
      paintInside(values) { paintParticles(of: layer, values, setting) }
    }
    context.saveGState()
    if values.masksToBounds { clip(to: values) }
    then(
      { self.paintSublayers(of: layer, values, setting) },
      {
        self.context.restoreGState()
        if kind != .emitter { self.paintBorder(values, setting.opacity) }
      })
  }

  /// Calls `paint` with the layer's own clip.
  private func paintInside(_ values: LayerValues, _ paint: () -> Void) {
    context.saveGState()
    if values.masksToBounds { clip(to: values) }
    paint()
    context.restoreGState()
  }

  // MARK: Sublayers

  private func paintSublayers(of layer: CALayer, _ values: LayerValues, _ setting: Setting) {
    guard hasSublayers(layer) else { return }
    let outer = LayerGeometry.sublayerTransform(values)
    guard type(of: layer).kind == .replicator else {
      return paint(sublayers(of: layer, at: setting.time)[...], to: outer, setting)
    }
    let center = values.bounds.center
    let step = CATransform3D(translationX: -center.x, y: -center.y)
      .concatenating(values.replicator.instanceTransform)
      .concatenating(CATransform3D(translationX: center.x, y: center.y))
    // Copies are placed before the sublayer transform acts, which is a part of each sublayer's
    // place.
    paint(
      copy: 0, of: Int(values.replicator.instanceCount), at: .identity,
      step: outer.isIdentity
        ? step : CATransform3DInvert(outer).concatenating(step).concatenating(outer)
    ) { number in
      var copy = setting
      let delay = values.replicator.instanceDelay * Double(number)
      if delay.isFinite { copy.time -= delay }
      self.paint(self.sublayers(of: layer, at: copy.time)[...], to: outer, copy)
    }
  }

  /// Paints a replicator's copies from one on. Their colours are ignored, as by Core Animation.
  private func paint(
    copy number: Int, of count: Int, at place: CATransform3D, step: CATransform3D,
    _ paintSublayers: @escaping (Int) -> Void
  ) {
    guard number < count else { return }
    guard copyCount < TreeLimit.copiedLayers else {
      if !isCopyLimitPassed {
        warn("render(in:) draws \(copyCount) copies at most: further ones are left out")
      }
      isCopyLimitPassed = true
      return
    }
    copyCount += 1
    context.saveGState()
    context.concatenate(place.affine)
    then(
      { paintSublayers(number) },
      {
        self.context.restoreGState()
        self.paint(
          copy: number + 1, of: count, at: place.concatenating(step), step: step, paintSublayers)
      })
  }

  private func paint(
    _ layers: ArraySlice<TimedLayer>, to outer: CATransform3D, _ setting: Setting
  ) {
    guard let first = layers.first else { return }
    then(
      { self.paint(first, to: outer, setting) },
      { self.paint(layers.dropFirst(), to: outer, setting) })
  }

  func hasSublayers(_ layer: CALayer) -> Bool {
    !(layer.modelLayer ?? layer).sublayerStorage.isEmpty
  }

  /// The sublayers at a time of their superlayer, the farthest first.
  private func sublayers(of layer: CALayer, at time: Double) -> [TimedLayer] {
    let all = (layer.modelLayer ?? layer).sublayerStorage
    let layers = all.compactMap { shown($0, in: layer, at: time) }
    guard layers.contains(where: { $0.layer.modelValues.zPosition != 0 }) else { return layers }
    // A sort need not keep the order of equal elements.
    return layers.enumerated().sorted {
      ($0.element.layer.modelValues.zPosition, $0.offset)
        < ($1.element.layer.modelValues.zPosition, $1.offset)
    }.map(\.element)
  }

  func mask(of layer: CALayer, at time: Double) -> TimedLayer? {
    (layer.modelLayer ?? layer).maskStorage.flatMap { shown($0, in: layer, at: time) }
  }

  /// What to paint for a layer of the model, a sublayer or the mask of another, at a time of that
  /// one: in a presentation copy another copy, or nothing if the layer was never committed.
  private func shown(
    _ layer: CALayer, in superlayer: CALayer, at time: Double
  ) -> TimedLayer? {
    guard superlayer.modelLayer != nil else {
      return (layer, layer.modelTiming?.localTime(at: time) ?? time)
    }
    guard layer.isCommitted else { return nil }
    let ownTime = layer.committedTiming?.localTime(at: time) ?? time
    return (layer.presentation(ownTime: ownTime), ownTime)
  }

  // MARK: Pieces

  private func fill(
    _ path: CGPath, _ color: CGColor, _ opacity: CGFloat, _ rule: FillRule
  ) {
    context.setFillColor(color.faded(opacity))
    context.addPath(path)
    context.fillPath(using: rule == .nonZero ? .winding : .evenOdd)
  }

  private func paintBorder(_ values: LayerValues, _ opacity: CGFloat) {
    guard values.borderWidth > 0, let color = values.borderColor else { return }
    var ring = values.outline.path
    ring.elements += values.outline.inset(by: CGFloat(values.borderWidth)).path.elements
    fill(CGPath(ring), color, opacity, .evenOdd)
  }

  private func paintShape(_ shape: ShapeValues, _ opacity: CGFloat) {
    guard let path = shape.path, !path.isEmpty else { return }
    if let color = shape.fillColor { fill(CGPath(path), color, opacity, shape.fillRule) }
    guard let color = shape.strokeColor, shape.lineWidth > 0 else { return }
    let isWhole = shape.strokeStart <= 0 && shape.strokeEnd >= 1
    let line = isWhole ? path : path.trimmed(from: shape.strokeStart, to: shape.strokeEnd)
    context.saveGState()
    context.setStrokeColor(color.faded(opacity))
    context.setLineWidth(shape.lineWidth)
    context.setLineCap(shape.lineCap.style)
    context.setLineJoin(shape.lineJoin.style)
    context.setMiterLimit(max(shape.miterLimit, 1))
    context.setLineDash(
      phase: shape.lineDashPhase, lengths: (shape.lineDashPattern ?? []).map { CGFloat($0) })
    context.addPath(CGPath(line))
    context.strokePath()
    context.restoreGState()
  }
}

extension CGColor {
  func faded(_ opacity: CGFloat) -> CGColor {
    opacity == 1 ? self : copy(alpha: alpha * min(opacity, 1)) ?? self
  }
}

extension LineCap {
  fileprivate var style: CGLineCap {
    switch self {
    case .butt: .butt
    case .round: .round
    case .square: .square
    }
  }
}

extension LineJoin {
  fileprivate var style: CGLineJoin {
    switch self {
    case .miter: .miter
    case .round: .round
    case .bevel: .bevel
    }
  }
}
