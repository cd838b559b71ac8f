import Foundation
import LaminaCommit
import LaminaValues

/// The form of a gradient layer's gradient.
public struct CAGradientLayerType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Along the line from the start point to the end point.
  public static let axial = Self(rawValue: "axial")
  /// Outwards from the start point, in ellipses: the last colour's reaches as far along both axes as
  /// the end point lies away. Nothing is drawn where that is nowhere along one of them.
  public static let radial = Self(rawValue: "radial")
  /// Around the start point, from the direction of the end point; from the x axis towards the y axis.
  public static let conic = Self(rawValue: "conic")

  init(_ name: GradientType) { rawValue = name.rawValue }
  /// A name that is none of the above counts as `axial`.
  var name: GradientType { GradientType(rawValue: rawValue) ?? .axial }
}

/// A layer that draws a gradient over its background colour, within its rounded corners.
///
/// The gradient is drawn in a unit square that is then stretched to the bounds, and its lines of one
/// colour with it. Colours are premultiplied and then mixed.
open class CAGradientLayer: CALayer {
  package override class var kind: LayerKind { .gradient }

  /// The `CGColor`s from the start to the end. Default: nil. With fewer than two nothing is drawn; a
  /// list with anything else in it is refused with a warning.
  open var colors: [Any]? {
    get { modelValues.gradient.colors }
    set {
      let colors = newValue?.compactMap { $0 as? CGColor }
      guard colors?.count == newValue?.count else {
        warn("colors of \(debugName) cannot be \(newValue ?? [])")
        return
      }
      change(.colors, modelValues.gradient.colors, colors) { $0.gradient.colors = colors }
    }
  }

  /// Where each colour lies, from 0 at the start to 1 at the end, in rising order. Default: nil, even
  /// steps. The first and last colours go on beyond theirs, between two of one location is a hard
  /// edge, and with fewer locations than colours nothing is drawn.
  open var locations: [NSNumber]? {
    get { modelValues.gradient.locations?.map { NSNumber(value: $0) } }
    set {
      let locations = newValue?.map(\.doubleValue)
      change(.locations, modelValues.gradient.locations, locations) {
        $0.gradient.locations = locations
      }
    }
  }

  /// Where the gradient starts, in the bounds' unit square. Default: (0.5, 0).
  open var startPoint: CGPoint {
    get { modelValues.gradient.startPoint }
    set {
      change(.startPoint, modelValues.gradient.startPoint, newValue) {
        $0.gradient.startPoint = newValue
      }
    }
  }

  /// Where the gradient ends, in the bounds' unit square. Default: (0.5, 1).
  open var endPoint: CGPoint {
    get { modelValues.gradient.endPoint }
    set {
      change(.endPoint, modelValues.gradient.endPoint, newValue) {
        $0.gradient.endPoint = newValue
      }
    }
  }

  /// Default: `axial`.
  open var type: CAGradientLayerType {
    get { CAGradientLayerType(modelValues.gradient.type) }
    set {
      change(.gradientType, modelValues.gradient.type, newValue.name) {
        $0.gradient.type = newValue.name
      }
    }
  }
}
