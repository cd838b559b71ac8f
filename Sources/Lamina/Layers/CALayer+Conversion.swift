import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Implements `contentsAreFlipped()`.
  final var isDrawnFlipped: Bool {
    ancestry.reduce(true) { $0 != $1.modelValues.isGeometryFlipped }
  }

  /// Converts outwards to the first common superlayer, or past the roots, and then inwards.
  static func time(
    _ time: CFTimeInterval, from source: CALayer?, to target: CALayer?
  ) -> CFTimeInterval {
    var outwards = source?.ancestry ?? []
    var inwards = target?.ancestry ?? []
    while let a = outwards.last, let b = inwards.last, a.model() === b.model() {
      outwards.removeLast()
      inwards.removeLast()
    }
    let outer = outwards.reduce(time) { $1.ownTiming?.parentTime(at: $0) ?? $0 }
    return inwards.reversed().reduce(outer) { $1.ownTiming?.localTime(at: $0) ?? $0 }
  }

  /// The layer's timing; nil if its time is its superlayer's.
  private var ownTiming: MediaTiming? {
    modelValues.hasOwnTiming ? modelValues.timing.mediaTiming : nil
  }

  /// The layer and its superlayers up to the root; for a presentation copy, their presentation
  /// copies.
  var ancestry: [CALayer] {
    var layers: [CALayer] = []
    var next: CALayer? = self
    while let layer = next {
      layers.append(layer)
      next = layer.superlayer
    }
    return layers
  }

  /// The transform from the layer's own space, unflipped, to its superlayer's, in three dimensions.
  /// It includes the superlayer's sublayer transform.
  final func toSuperlayer(_ superlayer: CALayer?) -> CATransform3D {
    let own = LayerGeometry.toSuperlayer(modelValues)
    // A mask lies in its layer's own plane, which the sublayer transform does not move.
    guard let superlayer, superlayer.model().maskStorage !== model() else { return own }
    let sublayerTransform = LayerGeometry.sublayerTransform(superlayer.modelValues)
    return sublayerTransform.isIdentity ? own : own.concatenating(sublayerTransform)
  }
}

/// A map from one layer's plane to another's.
struct PlaneMap {
  /// A transform that drops z; nil if there is none.
  private let transform: CATransform3D?

  /// At least one layer must be given; nil for the other stands for the space of the first one's
  /// superlayer.
  init(from source: CALayer?, to target: CALayer?) {
    guard source !== target else {
      transform = .identity
      return
    }
    var sourcePath = source?.ancestry ?? []
    var targetPath = target?.ancestry ?? []
    if source == nil {
      targetPath = Array(targetPath.prefix(1))
    } else if target == nil {
      sourcePath = Array(sourcePath.prefix(1))
    } else {
      // The first common layer and those above it play no part.
      let places = Dictionary(
        uniqueKeysWithValues: targetPath.enumerated().map {
          (ObjectIdentifier($1.model()), $0)
        })
      if let common = sourcePath.firstIndex(where: { places[ObjectIdentifier($0.model())] != nil }),
        let other = places[ObjectIdentifier(sourcePath[common].model())]
      {
        sourcePath.removeSubrange(common...)
        targetPath.removeSubrange(other...)
      }
    }
    let up = Self.outwards(sourcePath)
    let down = Self.outwards(targetPath)
    transform = down.isPlanarIdentity ? up : down.planarInverse.map { up.concatenating($0) }
  }

  /// Maps the first layer's plane to the plane that contains the last layer.
  private static func outwards(_ path: [CALayer]) -> CATransform3D {
    path.reduce(.identity) { inner, layer in
      let outer = inner.concatenating(layer.toSuperlayer(layer.superlayer))
      // A space has no plane to flatten onto.
      return layer.superlayer?.isSpace == true ? outer : outer.flattened
    }
  }

  func map(_ point: CGPoint) -> CGPoint {
    guard let (x, y, _, w) = transform?.map(point), w != 0, w.isFinite else { return point }
    return CGPoint(x: x / w, y: y / w)
  }

  func map(_ rect: CGRect) -> CGRect {
    guard !rect.isNull, !rect.isInfinite else { return rect }
    let rect = rect.standardized
    return CGRect(
      enclosing: [
        map(CGPoint(x: rect.minX, y: rect.minY)), map(CGPoint(x: rect.maxX, y: rect.minY)),
        map(CGPoint(x: rect.minX, y: rect.maxY)), map(CGPoint(x: rect.maxX, y: rect.maxY)),
      ])
  }
}
