import Foundation
import LaminaCommit
import LaminaValues

/// The part of a layer that a frame shows, and how large it is shown.
struct VisibleArea {
  /// The layer's values in the frame.
  let values: LayerValues
  /// In the layer's own space; never empty.
  private let polygon: ConvexPolygon
  /// The smallest rectangle around it.
  let box: CGRect
  /// The largest number of frame pixels that a point of it covers, along any direction.
  let scale: CGFloat

  /// nil if the polygon is empty or has coordinates that make no sense.
  init?(_ polygon: ConvexPolygon, of values: LayerValues, seenBy toPixels: CATransform3D) {
    guard !polygon.isEmpty, polygon.points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else {
      return nil
    }
    self.values = values
    self.polygon = polygon
    box = CGRect(enclosing: polygon.points)
    scale = polygon.points.reduce(0) { max($0, toPixels.scale(at: $1)) }
    guard box.width > 0, box.height > 0, scale > 0, scale.isFinite else { return nil }
  }

  /// Whether a frame shows a part of a rectangle.
  func meets(_ rect: CGRect) -> Bool {
    let shared = polygon.intersection(ConvexPolygon(rect))
    // Where only corners or edges touch there is no area.
    return abs(shared.signedArea) > 1e-9 * rect.width * rect.height
  }
}

/// A renderer's frame, as far as what is visible in it depends on it.
struct FrameGeometry {
  /// In pixels.
  var size: CGSize
  /// Pixels per point.
  var scale: CGFloat
}

extension LayerTree {
  /// The part of a layer that the frame at a clock time shows, as far as the bounds of the frame
  /// and of clipping layers tell; nil if none. Values are the committed ones, animated.
  ///
  /// Below a replicator with several copies, all of the layer counts as visible, at the scale of
  /// the first copy.
  func visibleArea(of layer: CALayer, at time: Double) -> VisibleArea? {
    guard let frame else { return nil }
    let own = layer.presentationValues(at: time)
    var view = PlaneView(own.bounds)
    var (current, values) = (layer, own)
    while true {
      guard !values.isHidden, values.opacity > 0, !view.polygon.isEmpty else { return nil }
      if values.masksToBounds { view.clip(to: values.bounds) }
      view.grow(by: values.reachOfEffects)
      view.enter(LayerGeometry.flip(values))
      view.enter(LayerGeometry.toSuperlayer(values))
      guard current !== root, let superlayer = current.superlayerStorage else { break }
      let outer = superlayer.presentationValues(at: time)
      // A mask lies in its layer's own plane, which the sublayer transform does not move.
      if superlayer.maskStorage !== current {
        view.enter(LayerGeometry.sublayerTransform(outer))
      }
      // A space has no plane to flatten onto.
      if !superlayer.isSpace { view.flatten() }
      if type(of: superlayer).kind == .replicator, outer.replicator.instanceCount > 1 {
        view.isCopied = true
      }
      (current, values) = (superlayer, outer)
    }
    view.flatten()
    view.enter(placement ?? .identity)
    view.enter(CATransform3D(scaleX: frame.scale, y: frame.scale))
    view.flatten()
    view.clip(to: CGRect(origin: .zero, size: frame.size))
    return VisibleArea(view.polygon, of: own, seenBy: view.toPlane)
  }
}

/// The part of a layer that is visible in the plane of one of the layers around it. It is cut in
/// the inner layer's own space, by lines that are mapped back from the plane, so that no map needs
/// an inverse.
private struct PlaneView {
  private(set) var polygon: ConvexPolygon
  /// From the inner layer's space to the plane.
  private(set) var toPlane = CATransform3D.identity
  /// The distance, in the plane, over which filters and shadows spread what they are made of.
  private var reach: CGFloat = 0
  /// Whether the layer shows in several places, of which the plane is only one.
  var isCopied = false

  init(_ bounds: CGRect) { polygon = ConvexPolygon(bounds) }

  mutating func grow(by distance: CGFloat) {
    guard distance > 0 else { return }
    reach = min(reach + distance, Self.reachLimit)
  }

  /// Larger than any frame, and small enough to compute with.
  private static let reachLimit: CGFloat = 1e6

  mutating func clip(to rect: CGRect) {
    guard !isCopied else { return }
    let rect = rect.insetBy(dx: -reach, dy: -reach)
    let t = toPlane
    // What lies behind the viewer has a w that is not positive.
    let lines = [
      CutLine(a: t.m14, b: t.m24, c: t.m44 - 1e-4),
      CutLine(
        a: t.m11 - rect.minX * t.m14, b: t.m21 - rect.minX * t.m24, c: t.m41 - rect.minX * t.m44),
      CutLine(
        a: rect.maxX * t.m14 - t.m11, b: rect.maxX * t.m24 - t.m21, c: rect.maxX * t.m44 - t.m41),
      CutLine(
        a: t.m12 - rect.minY * t.m14, b: t.m22 - rect.minY * t.m24, c: t.m42 - rect.minY * t.m44),
      CutLine(
        a: rect.maxY * t.m14 - t.m12, b: rect.maxY * t.m24 - t.m22, c: rect.maxY * t.m44 - t.m42),
    ]
    for line in lines where !polygon.isEmpty { polygon = polygon.clipped(to: line) }
  }

  /// Goes on to the space to which `outer` maps the current one.
  mutating func enter(_ outer: CATransform3D) {
    guard !outer.isIdentity else { return }
    toPlane = toPlane.concatenating(outer)
    guard reach > 0 else { return }
    let scale = outer.scale(at: .zero)
    reach = scale.isFinite ? min(reach * scale, Self.reachLimit) : Self.reachLimit
  }

  /// Makes a plane of what was three-dimensional.
  mutating func flatten() { toPlane = toPlane.flattened }
}

extension LayerValues {
  /// The distance over which the layer's shadow and filters spread its pixels, in points.
  fileprivate var reachOfEffects: CGFloat {
    guard hasEffects else { return 0 }
    var reach: CGFloat = 0
    if effects.shadowOpacity > 0 {
      reach += max(abs(effects.shadowOffset.width), abs(effects.shadowOffset.height))
      reach += 3 * max(effects.shadowRadius, 0)
    }
    for filter in effects.filters ?? [] where filter.isEnabled {
      reach += 3 * max(filter.number("inputRadius"), 0)
    }
    return reach
  }
}

extension CATransform3D {
  /// The largest length, in the plane that this maps z = 0 to, of a step of length 1 at a point.
  fileprivate func scale(at p: CGPoint) -> CGFloat {
    let w = m14 * p.x + m24 * p.y + m44
    let (x, y) = ((m11 * p.x + m21 * p.y + m41) / w, (m12 * p.x + m22 * p.y + m42) / w)
    let (a, b) = ((m11 - x * m14) / w, (m12 - y * m14) / w)
    let (c, d) = ((m21 - x * m24) / w, (m22 - y * m24) / w)
    // The larger singular value of the derivative.
    return (hypot(a + d, b - c) + hypot(a - d, b + c)) / 2
  }
}
