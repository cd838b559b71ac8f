import LaminaCommit
import LaminaValues

/// The shadow that a layer casts, behind everything that it draws.
///
/// The shadow is cast by all that the layer and its sublayers draw or, in its place, by
/// `shadowPath`. Like everything else that a layer draws, its shadow is clipped by its own `mask`
/// and `masksToBounds`.
extension CALayer {
  /// The colour of the shadow; nil casts none. Default: opaque black.
  public var shadowColor: CGColor? {
    get { modelValues.effects.shadowColor }
    set {
      change(.shadowColor, modelValues.effects.shadowColor, newValue) {
        $0.effects.shadowColor = newValue
      }
    }
  }

  /// The opacity of the shadow, from 0, which casts none, to 1. Default: 0.
  public var shadowOpacity: Float {
    get { Float(modelValues.effects.shadowOpacity) }
    set {
      change(.shadowOpacity, modelValues.effects.shadowOpacity, Double(newValue)) {
        $0.effects.shadowOpacity = Double(newValue)
      }
    }
  }

  /// The distance of the shadow from what casts it, in points of the layer's own space.
  /// Default: (0, −3).
  public var shadowOffset: CGSize {
    get { modelValues.effects.shadowOffset }
    set {
      change(.shadowOffset, modelValues.effects.shadowOffset, newValue) {
        $0.effects.shadowOffset = newValue
      }
    }
  }

  /// The standard deviation of the Gaussian that blurs the shadow, in points. Default: 3.
  public var shadowRadius: CGFloat {
    get { modelValues.effects.shadowRadius }
    set {
      change(.shadowRadius, modelValues.effects.shadowRadius, newValue) {
        $0.effects.shadowRadius = newValue
      }
    }
  }

  /// The shape that casts the shadow in place of what the layer and its sublayers draw, in the
  /// layer's own space; a copy is stored. `render(in:)` ignores it. Default: nil.
  public var shadowPath: CGPath? {
    get { modelValues.effects.shadowPath.map(CGPath.init) }
    set {
      change(.shadowPath, modelValues.effects.shadowPath, newValue?.storage) {
        $0.effects.shadowPath = newValue?.storage
      }
    }
  }
}
