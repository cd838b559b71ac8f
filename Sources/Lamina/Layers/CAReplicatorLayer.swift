import Foundation
import LaminaCommit
import LaminaValues

/// A layer that shows its sublayers several times: as they are, and in further copies, each placed,
/// timed and coloured relative to the one before it.
///
/// The layer's own background, contents, border, shadow and mask are drawn once. Later copies lie
/// in front of earlier ones. In a replicator inside another one, the numbers of copies multiply. A
/// renderer's frame fails if more than 262,144 layers are in copies, where each layer counts once
/// for each copy that it is in, and each copy as one more.
open class CAReplicatorLayer: CALayer {
  package override class var kind: LayerKind { .replicator }

  /// Largest number of layers in copies that are shown.
  package static let copiedLayerLimit = TreeLimit.copiedLayers

  /// Number of times that the sublayers are shown; with 0, they are not. A number that is negative
  /// or does not fit into 32 bits is refused with a warning. Default: 1. Animatable.
  open var instanceCount: Int {
    get { Int(modelValues.replicator.instanceCount) }
    set {
      guard let count = count(newValue, of: "instanceCount") else { return }
      change(.instanceCount, modelValues.replicator.instanceCount, count) {
        $0.replicator.instanceCount = count
      }
    }
  }

  /// Whether the sublayers keep their depth: the replicator then is like a `CATransformLayer`. The
  /// sublayers of all copies lie in the space of the replicator's superlayer, and nothing is drawn
  /// of the replicator itself. Otherwise the copies share a space that is flattened onto the
  /// replicator's plane. Default: false.
  open var preservesDepth: Bool {
    get { modelValues.replicator.preservesDepth }
    set {
      change(.preservesDepth, modelValues.replicator.preservesDepth, newValue) {
        $0.replicator.preservesDepth = newValue
      }
    }
  }

  /// The time in seconds, in the replicator's own time, by which the animations in each copy are
  /// later than in the one before it. Default: 0. Animatable.
  open var instanceDelay: CFTimeInterval {
    get { modelValues.replicator.instanceDelay }
    set {
      change(.instanceDelay, modelValues.replicator.instanceDelay, newValue) {
        $0.replicator.instanceDelay = newValue
      }
    }
  }

  /// The transform from each copy to the next, about the centre of the replicator's bounds. It acts
  /// in the space of the sublayers, before `sublayerTransform`. Default: the identity. Animatable.
  open var instanceTransform: CATransform3D {
    get { modelValues.replicator.instanceTransform }
    set {
      change(.instanceTransform, modelValues.replicator.instanceTransform, newValue) {
        $0.replicator.instanceTransform = newValue
      }
    }
  }

  /// The colour that multiplies the colours of the first copy; nil counts as opaque white. In a
  /// replicator inside another one, the colours of both multiply. Default: opaque white.
  /// Animatable.
  open var instanceColor: CGColor? {
    get { modelValues.replicator.instanceColor }
    set {
      change(.instanceColor, modelValues.replicator.instanceColor, newValue) {
        $0.replicator.instanceColor = newValue
      }
    }
  }

  /// What is added to the red component of `instanceColor` from each copy to the next. The sum
  /// stays between 0 and 1. Default: 0. Animatable.
  open var instanceRedOffset: Float {
    get { Float(modelValues.replicator.redOffset) }
    set {
      change(.instanceRedOffset, modelValues.replicator.redOffset, Double(newValue)) {
        $0.replicator.redOffset = Double(newValue)
      }
    }
  }

  /// What is added to the green component of `instanceColor` from each copy to the next. The sum
  /// stays between 0 and 1. Default: 0. Animatable.
  open var instanceGreenOffset: Float {
    get { Float(modelValues.replicator.greenOffset) }
    set {
      change(.instanceGreenOffset, modelValues.replicator.greenOffset, Double(newValue)) {
        $0.replicator.greenOffset = Double(newValue)
      }
    }
  }

  /// What is added to the blue component of `instanceColor` from each copy to the next. The sum
  /// stays between 0 and 1. Default: 0. Animatable.
  open var instanceBlueOffset: Float {
    get { Float(modelValues.replicator.blueOffset) }
    set {
      change(.instanceBlueOffset, modelValues.replicator.blueOffset, Double(newValue)) {
        $0.replicator.blueOffset = Double(newValue)
      }
    }
  }

  /// What is added to the alpha of `instanceColor` from each copy to the next. The sum stays
  /// between 0 and 1. Default: 0. Animatable.
  open var instanceAlphaOffset: Float {
    get { Float(modelValues.replicator.alphaOffset) }
    set {
      change(.instanceAlphaOffset, modelValues.replicator.alphaOffset, Double(newValue)) {
        $0.replicator.alphaOffset = Double(newValue)
      }
    }
  }

  /// The frontmost layer at a point, as in any layer. Of the copies only the first is tested, and
  /// none if there are none. A replicator that preserves depth is never hit itself, and `p` is then
  /// in the space of the nearest enclosing layer that has a plane.
  open override func hitTest(_ p: CGPoint) -> CALayer? {
    guard isSpace else { return super.hitTest(p) }
    return isPassedOver ? nil : frontSublayer(at: p)
  }

  /// Whether a point of the layer's own space is in the bounds; false if it preserves depth.
  open override func contains(_ p: CGPoint) -> Bool { !isSpace && boundsContain(p) }
}

extension CALayer {
  /// Whether the layer has no plane: its sublayers lie in the space of its superlayer. So it is
  /// with a CATransformLayer and a replicator that preserves depth.
  final var isSpace: Bool {
    switch type(of: self).kind {
    case .transform: true
    case .replicator: modelValues.replicator.preservesDepth
    default: false
    }
  }
}
