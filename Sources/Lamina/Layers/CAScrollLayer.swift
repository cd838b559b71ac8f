import Foundation
import LaminaCommit
import LaminaValues

/// The axes along which a scroll layer scrolls.
public struct CAScrollLayerScrollMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Not at all.
  public static let none = Self(rawValue: "none")
  /// Along y.
  public static let vertically = Self(rawValue: "vertically")
  /// Along x.
  public static let horizontally = Self(rawValue: "horizontally")
  /// Along both axes.
  public static let both = Self(rawValue: "both")

  init(_ name: ScrollMode) { rawValue = name.rawValue }
  /// An unknown name counts as `both`.
  var name: ScrollMode { ScrollMode(rawValue: rawValue) ?? .both }
}

/// A layer that shows a part of its content: the part at the origin of its bounds, which scrolling
/// changes. It clips its sublayers: `masksToBounds` is true by default.
open class CAScrollLayer: CALayer {
  package override class var kind: LayerKind { .scroll }

  /// The axes along which the layer scrolls. Default: `both`.
  open var scrollMode: CAScrollLayerScrollMode {
    get { CAScrollLayerScrollMode(modelValues.client.scrollMode) }
    set {
      change(.scrollMode, modelValues.client.scrollMode, newValue.name) {
        $0.client.scrollMode = newValue.name
      }
    }
  }

  /// Moves the origin of the bounds to `p`, along the axes that `scrollMode` names.
  open func scroll(to p: CGPoint) {
    var origin = bounds.origin
    let mode = scrollMode
    if mode == .both || mode == .horizontally { origin.x = p.x }
    if mode == .both || mode == .vertically { origin.y = p.y }
    bounds.origin = origin
  }

  /// Moves the bounds by the least distance that makes `r`, a rectangle of the layer's own space,
  /// visible, along the axes that `scrollMode` names. Along an axis on which `r` is longer than the
  /// bounds, they move to its start.
  open func scroll(to r: CGRect) {
    let rect = r.standardized
    scroll(
      to: CGPoint(
        x: Self.origin(bounds.minX, bounds.width, showing: rect.minX, rect.width),
        y: Self.origin(bounds.minY, bounds.height, showing: rect.minY, rect.height)))
  }

  private static func origin(
    _ origin: CGFloat, _ length: CGFloat, showing wanted: CGFloat, _ wantedLength: CGFloat
  ) -> CGFloat {
    if wantedLength > length || wanted < origin { return wanted }
    return max(origin, wanted + wantedLength - length)
  }
}
