import Foundation
import LaminaCommit
import LaminaGraphics
import LaminaValues

// What `render(in:)` draws into a bitmap of its own before that is composited as a whole: faded and
// masked layers, those with a compositing filter, and those that cast a shadow.

extension LayerPainter {
  /// The largest number of groups in each other, the same as in the render process, since each
  /// takes a bitmap. Layers nested deeper are composed without one, and without mask and shadow.
  static let groupLimit = 64

  /// Paints a layer with its shadow and mask in a context whose space is the layer's own. `setting`
  /// has the opacity of what the layer is in, and the layer's own time.
  func compose(_ layer: CALayer, _ values: LayerValues, _ setting: Setting, isMask: Bool) {
    let opacity = min(max(CGFloat(values.opacity), 0), 1)
    let mode = isMask ? .normal : values.blendMode
    let mask = mask(of: layer, at: setting.time)
    let isFadedWhole =
      mode != .normal
      || (opacity < 1 && values.allowsGroupOpacity && paintsSeveralPieces(layer, values))
    var inner = setting
    inner.opacity *= opacity
    guard isFadedWhole || mask != nil, setting.groups < Self.groupLimit else {
      return paintWithShadow(layer, values, inner)
    }
    context.saveGState()
    if isFadedWhole {
      context.multiplyAlpha(by: inner.opacity)
      inner.opacity = 1
    }
    if mode != .normal { context.setBlendMode(CGBlendMode(mode)) }
    // Modes that clear what lies behind do so within the layer's bounds.
    if !mode.isBounded { context.clip(to: values.bounds) }
    context.beginTransparencyLayer(auxiliaryInfo: nil)
    inner.groups += 1
    then(
      { self.paintWithShadow(layer, values, inner) },
      { if let mask { self.apply(mask, inner) } },
      {
        self.context.endTransparencyLayer()
        self.context.restoreGState()
      })
  }

  /// Multiplies what the open transparency layer shows by the alpha of a layer's mask.
  private func apply(_ mask: TimedLayer, _ setting: Setting) {
    var inner = setting
    (inner.opacity, inner.groups) = (1, setting.groups + 1)
    context.saveGState()
    context.setBlendMode(.destinationIn)
    context.beginTransparencyLayer(auxiliaryInfo: nil)
    then(
      { self.paint(mask, to: .identity, inner, isMask: true) },
      {
        self.context.endTransparencyLayer()
        self.context.restoreGState()
      })
  }

  /// Paints the layer and its sublayers, which together cast one shadow. The layer's own clip cuts
  /// the shadow like everything else.
  private func paintWithShadow(_ layer: CALayer, _ values: LayerValues, _ setting: Setting) {
    guard let shadow = values.visibleShadow, setting.groups < Self.groupLimit else {
      return paintPieces(of: layer, values, setting)
    }
    var inner = setting
    inner.groups += 1
    context.saveGState()
    if values.masksToBounds { clip(to: values) }
    context.setBoxShadow(offset: shadow.offset, radius: shadow.radius, color: shadow.color)
    context.beginTransparencyLayer(auxiliaryInfo: nil)
    then(
      { self.paintPieces(of: layer, values, inner) },
      {
        self.context.endTransparencyLayer()
        self.context.restoreGState()
      })
  }

  /// Whether the layer may paint two pieces or more, which need a group to fade as one.
  private func paintsSeveralPieces(_ layer: CALayer, _ values: LayerValues) -> Bool {
    guard !hasSublayers(layer) else { return true }
    let kind = type(of: layer).kind
    let pieces = [
      values.backgroundColor != nil, layer.contentsStorage != nil || kind == .tiled,
      values.borderWidth > 0 && values.borderColor != nil, values.visibleShadow != nil,
      kind == .gradient, kind == .shape && values.shape.fillColor != nil,
      kind == .shape && values.shape.strokeColor != nil,
    ]
    return kind == .emitter || pieces.count { $0 } > 1
  }
}

extension LayerValues {
  /// The shadow that the layer casts; nil if none.
  fileprivate var visibleShadow: (offset: CGSize, radius: CGFloat, color: CGColor)? {
    guard hasEffects, effects.shadowOpacity > 0, let color = effects.shadowColor else { return nil }
    return (effects.shadowOffset, CGFloat(effects.shadowRadius), color.faded(effects.shadowOpacity))
  }
}

extension CGBlendMode {
  fileprivate init(_ mode: BlendMode) {
    switch mode {
    case .normal: self = .normal
    case .multiply: self = .multiply
    case .screen: self = .screen
    case .overlay: self = .overlay
    case .darken: self = .darken
    case .lighten: self = .lighten
    case .colorDodge: self = .colorDodge
    case .colorBurn: self = .colorBurn
    case .hardLight: self = .hardLight
    case .softLight: self = .softLight
    case .difference: self = .difference
    case .exclusion: self = .exclusion
    case .hue: self = .hue
    case .saturation: self = .saturation
    case .color: self = .color
    case .luminosity: self = .luminosity
    case .plusLighter: self = .plusLighter
    case .plusDarker: self = .plusDarker
    case .clear: self = .clear
    case .copy: self = .copy
    case .sourceIn: self = .sourceIn
    case .sourceOut: self = .sourceOut
    case .sourceAtop: self = .sourceAtop
    case .destinationOver: self = .destinationOver
    case .destinationIn: self = .destinationIn
    case .destinationOut: self = .destinationOut
    case .destinationAtop: self = .destinationAtop
    case .xor: self = .xor
    // Core Graphics has no such modes.
    case .linearLight, .pinLight, .subtract, .divide: self = .normal
    }
  }
}
