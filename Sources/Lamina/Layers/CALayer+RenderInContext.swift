import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

extension CALayer {
  final func renderModel(in context: CGContext) {
    context.saveGState()
    ModelPainter(context).paintAll(self, isFlipped: !contentsAreFlipped())
    context.restoreGState()
  }
}

/// Draws layers as they are in the model tree, one step after the other.
///
/// The remaining steps of enclosing layers wait on an explicit stack, so that depth costs memory
/// and not the thread's stack.
private final class ModelPainter {
  let context: CGContext
  /// The steps still to do, the next one last.
  private var steps: [() -> Void] = []
  /// Number of copies of replicators that have been painted.
  private var copyCount = 0
  private var isCopyLimitPassed = false

  init(_ context: CGContext) { self.context = context }

  func paintAll(_ layer: CALayer, isFlipped: Bool) {
    paint(layer, opacity: 1, isFlipped: isFlipped)
    while let step = steps.popLast() { step() }
  }

  /// Queues steps, in their order, to run after the current one and before all that already wait.
  private func then(_ next: (() -> Void)...) { steps += next.reversed() }

  /// Paints a layer in a context whose space is the layer's own. `isFlipped` tells whether y points
  /// up in it, since images stay upright.
  private func paint(_ layer: CALayer, opacity: CGFloat, isFlipped: Bool) {
    let values = layer.modelValues
    guard !values.isHidden, opacity * values.opacity > 0 else { return }
    let opacity = opacity * CGFloat(values.opacity)
    guard let mask = layer.maskStorage else {
      return paintWithShadow(layer, values, opacity, isFlipped)
    }
    context.saveGState()
    context.beginTransparencyLayer(auxiliaryInfo: nil)
    then(
      { self.paintWithShadow(layer, values, opacity, isFlipped) },
      {
        self.context.setBlendMode(.destinationIn)
        self.context.beginTransparencyLayer(auxiliaryInfo: nil)
        self.paint(mask, below: values, opacity: 1, isFlipped: isFlipped)
      },
      {
        self.context.endTransparencyLayer()
        self.context.endTransparencyLayer()
        self.context.restoreGState()
      })
  }

  /// Paints a layer in a context whose space is the superlayer's.
  private func paint(
    _ layer: CALayer, below parent: LayerValues, opacity: CGFloat, isFlipped: Bool
  ) {
    let values = layer.modelValues
    let toSuperlayer = LayerGeometry.flip(values)
      .concatenating(LayerGeometry.toSuperlayer(values))
      .concatenating(LayerGeometry.sublayerTransform(parent))
    context.saveGState()
    context.concatenate(toSuperlayer.affine)
    then(
      {
        self.paint(layer, opacity: opacity, isFlipped: isFlipped != values.isGeometryFlipped)
      },
      { self.context.restoreGState() })
  }

  /// Paints the layer and its sublayers, which together cast one shadow. The layer's own clip cuts
  /// the shadow like everything else.
  private func paintWithShadow(
    _ layer: CALayer, _ values: LayerValues, _ opacity: CGFloat, _ isFlipped: Bool
  ) {
    let effects = values.effects
    guard effects.shadowOpacity > 0, let color = effects.shadowColor else {
      return paintPieces(of: layer, values, opacity, isFlipped)
    }
    context.saveGState()
    if values.masksToBounds { clip(to: values) }
    context.setBoxShadow(
      offset: effects.shadowOffset, radius: effects.shadowRadius,
      color: color.faded(effects.shadowOpacity))
    context.beginTransparencyLayer(auxiliaryInfo: nil)
    then(
      { self.paintPieces(of: layer, values, opacity, isFlipped) },
      {
        self.context.endTransparencyLayer()
        self.context.restoreGState()
      })
  }

  private func clip(to values: LayerValues) {
    context.addPath(CGPath(values.outline.path))
    context.clip()
  }

  private func paintPieces(
    of layer: CALayer, _ values: LayerValues, _ opacity: CGFloat, _ isFlipped: Bool
  ) {
    if let color = values.backgroundColor {
      fill(CGPath(values.outline.path), color, opacity, .nonZero)
    }
    if type(of: layer).kind == .gradient {
      context.fill(
        values.outline, with: values.gradient, opacity: opacity, bounds: values.bounds)
    }
    context.saveGState()
    if values.masksToBounds { clip(to: values) }
    paintContents(of: layer, values, opacity, isFlipped)
    if type(of: layer).kind == .shape { paintShape(values.shape, opacity) }
    then(
      { self.paintSublayers(of: layer, values, opacity, isFlipped) },
      {
        self.context.restoreGState()
        self.paintBorder(values, opacity)
      })
  }

  private func paintSublayers(
    of layer: CALayer, _ values: LayerValues, _ opacity: CGFloat, _ isFlipped: Bool
  ) {
    let sublayers = layer.sublayersInDepthOrder[...]
    guard type(of: layer).kind == .replicator, !sublayers.isEmpty else {
      return paint(sublayers, below: values, opacity, isFlipped)
    }
    let center = values.bounds.center
    let step = CATransform3D(translationX: -center.x, y: -center.y)
      .concatenating(values.replicator.instanceTransform)
      .concatenating(CATransform3D(translationX: center.x, y: center.y))
    // Copies are placed before the sublayer transform acts, which is a part of each sublayer's
    // place.
    let outer = LayerGeometry.sublayerTransform(values)
    let count = Int(values.replicator.instanceCount)
    paint(
      copy: 0, of: count, at: .identity,
      step: outer.isIdentity
        ? step : CATransform3DInvert(outer).concatenating(step).concatenating(outer)
    ) {
      self.paint(sublayers, below: values, opacity, isFlipped)
    }
  }

  /// Paints a replicator's copies from one on. Their colours are ignored, as by Core Animation.
  private func paint(
    copy number: Int, of count: Int, at place: CATransform3D, step: CATransform3D,
    _ paintSublayers: @escaping () -> Void
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
      paintSublayers,
      {
        self.context.restoreGState()
        self.paint(
          copy: number + 1, of: count, at: place.concatenating(step), step: step, paintSublayers)
      })
  }

  private func paint(
    _ layers: ArraySlice<CALayer>, below parent: LayerValues, _ opacity: CGFloat, _ isFlipped: Bool
  ) {
    guard let first = layers.first else { return }
    then(
      { self.paint(first, below: parent, opacity: opacity, isFlipped: isFlipped) },
      { self.paint(layers.dropFirst(), below: parent, opacity, isFlipped) })
  }

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

  // MARK: Contents

  private func paintContents(
    of layer: CALayer, _ values: LayerValues, _ opacity: CGFloat, _ isFlipped: Bool
  ) {
    let store = layer.contentsStorage as? BackingStore
    guard let image = store?.image ?? layer.contentsStorage as? CGImage else { return }
    let placement = ContentsPlacement(values, imageSize: image.buffer.size)
    context.saveGState()
    context.multiplyAlpha(by: opacity)
    if values.contentsDetail.magnificationFilter == .nearest {
      context.interpolationQuality = .none
    }
    for piece in placement.pieces { paint(piece, of: image, isFlipped) }
    context.restoreGState()
  }

  private func paint(_ piece: ContentsPlacement.Piece, of image: CGImage, _ isFlipped: Bool) {
    let (to, from) = (piece.destination, piece.source)
    let (kx, ky) = (to.width / from.width, to.height / from.height)
    let size = CGSize(width: CGFloat(image.width), height: CGFloat(image.height))
    let place = CGRect(
      x: to.minX - from.minX * kx, y: to.minY - from.minY * ky, width: size.width * kx,
      height: size.height * ky)
    context.saveGState()
    if from != CGRect(origin: .zero, size: size) { context.clip(to: to) }
    if !isFlipped {
      // A context draws images upright if y points up.
      context.translateBy(x: 0, y: place.minY + place.maxY)
      context.scaleBy(x: 1, y: -1)
    }
    context.draw(image, in: place)
    context.restoreGState()
  }

  // MARK: Shapes

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

extension CALayer {
  /// The sublayers, the farthest first.
  fileprivate var sublayersInDepthOrder: [CALayer] {
    let layers = sublayerStorage
    guard layers.contains(where: { $0.modelValues.zPosition != 0 }) else { return layers }
    // A sort need not keep the order of equal elements.
    return layers.enumerated().sorted {
      ($0.element.modelValues.zPosition, $0.offset) < ($1.element.modelValues.zPosition, $1.offset)
    }.map(\.element)
  }
}

extension CGColor {
  fileprivate func faded(_ opacity: CGFloat) -> CGColor {
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
