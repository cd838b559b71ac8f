import LaminaCommit
import LaminaValues

/// The shadow that a layer casts, behind all that it draws.
///
/// A shadow is drawn where a rectangle casts it, rounded or not: a `shadowPath` that is one, or the
/// background. What only contents, shapes or sublayers would cast is not, except by `render(in:)`.
/// Like all else a layer draws, its shadow is clipped by its own `mask` and `masksToBounds`.
extension CALayer {
  /// Default: opaque black.
  public var shadowColor: CGColor? {
    get { modelValues.effects.shadowColor }
    set {
      change(.shadowColor, modelValues.effects.shadowColor, newValue) {
        $0.effects.shadowColor = newValue
      }
    }
  }

  /// From 0, which casts none, to 1. Default: 0.
  public var shadowOpacity: Float {
    get { Float(modelValues.effects.shadowOpacity) }
    set {
      change(.shadowOpacity, modelValues.effects.shadowOpacity, Double(newValue)) {
        $0.effects.shadowOpacity = Double(newValue)
      }
    }
  }

  /// How far the shadow lies from what casts it, in points of the layer's own space.
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

  /// What casts the shadow in place of what the layer draws, in its own space; copied. A path that
  /// is no rectangle along the axes casts none. Default: nil.
  public var shadowPath: CGPath? {
    get { modelValues.effects.shadowPath.map(CGPath.init) }
    set {
      change(.shadowPath, modelValues.effects.shadowPath, newValue?.storage) {
        $0.effects.shadowPath = newValue?.storage
      }
    }
  }
}
