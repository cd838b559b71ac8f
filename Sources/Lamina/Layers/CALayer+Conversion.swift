import Foundation
import LaminaAnimation
import LaminaCommit
import LaminaValues

extension CALayer {
  /// Converts a point of another layer's space to this layer's; nil stands for the space of this
  /// layer's superlayer.
  ///
  /// `isGeometryFlipped` makes no difference: it flips what is drawn, not coordinates. Each layer's
  /// plane is projected onto its superlayer's, so perspective counts. Layers without a common
  /// superlayer are converted by way of the space that their roots lie in. A point is returned
  /// unchanged if a transform on the way has no inverse and so leaves it undetermined.
  public func convert(_ p: CGPoint, from l: CALayer?) -> CGPoint {
    PlaneMap(from: l, to: self).map(p)
  }

  /// Converts a point of this layer's space to another layer's; nil stands for the space of this
  /// layer's superlayer.
  public func convert(_ p: CGPoint, to l: CALayer?) -> CGPoint {
    PlaneMap(from: self, to: l).map(p)
  }

  /// Converts a rectangle of another layer's space to its bounding box in this layer's; nil stands
  /// for the space of this layer's superlayer.
  public func convert(_ r: CGRect, from l: CALayer?) -> CGRect {
    PlaneMap(from: l, to: self).map(r)
  }

  /// Converts a rectangle of this layer's space to its bounding box in another layer's; nil stands
  /// for the space of this layer's superlayer.
  public func convert(_ r: CGRect, to l: CALayer?) -> CGRect {
    PlaneMap(from: self, to: l).map(r)
  }

  /// Converts a time of another layer to this layer's, in seconds; nil stands for the time above
  /// the root. A layer's time is `(superlayer's time - beginTime) * speed + timeOffset`.
  ///
  /// Layers from the first common superlayer upwards play no part. Any time of a layer whose speed
  /// is 0 converts to its `beginTime` in the superlayer's time.
  public func convertTime(_ t: CFTimeInterval, from l: CALayer?) -> CFTimeInterval {
    Self.time(t, from: l, to: self)
  }

  /// Converts a time of this layer to another layer's, in seconds; nil stands for the time above
  /// the root. Any time of a layer whose speed is 0 converts to its `beginTime` in the superlayer's
  /// time.
  public func convertTime(_ t: CFTimeInterval, to l: CALayer?) -> CFTimeInterval {
    Self.time(t, from: self, to: l)
  }

  /// Whether contents are drawn with y pointing down. A renderer's surface counts as flipped, and
  /// each `isGeometryFlipped` from the layer to its root reverses that.
  public func contentsAreFlipped() -> Bool {
    ancestry.reduce(true) { $0 != $1.modelValues.isGeometryFlipped }
  }

  /// Converts outwards to the first common superlayer, or past the roots, and then inwards.
  private static func time(
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
