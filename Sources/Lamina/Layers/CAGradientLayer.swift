import Foundation
import LaminaCommit
import LaminaValues

/// The shape of a gradient layer's gradient.
public struct CAGradientLayerType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Along the line from the start point to the end point.
  public static let axial = Self(rawValue: "axial")
  /// Outwards from the start point, in ellipses. At location 1 their radii are the distances along
  /// x and along y from the start point to the end point; if either is 0, nothing is drawn.
  public static let radial = Self(rawValue: "radial")
  /// Around the start point, beginning in the direction of the end point and turning from the x
  /// axis towards the y axis.
  public static let conic = Self(rawValue: "conic")

  /// An unknown name counts as `axial`.
  var name: GradientType { GradientType(rawValue: rawValue) ?? .axial }
}

/// A layer that draws a gradient over its background colour, within its rounded corners.
///
/// The gradient is drawn in a unit square, which is then stretched to the bounds together with the
/// gradient's lines of equal colour. Colours are premultiplied before they are mixed.
open class CAGradientLayer: CALayer {
  package override class var kind: LayerKind { .gradient }

  /// The `CGColor`s of the gradient, from start to end. With fewer than two, nothing is drawn. A
  /// list that contains anything else is refused with a warning. Default: nil.
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

  /// The location of each colour, from 0 at the start to 1 at the end, in rising order. Beyond the
  /// first and last locations their colours continue; two equal locations make a hard edge. With
  /// fewer locations than colours, nothing is drawn. Default: nil, even steps.
  open var locations: [NSNumber]? {
    get { modelValues.gradient.locations?.map { NSNumber(value: $0) } }
    set {
      let locations = newValue?.map(\.doubleValue)
      change(.locations, modelValues.gradient.locations, locations) {
        $0.gradient.locations = locations
      }
    }
  }

  /// The start of the gradient, in the unit square of the bounds. Default: (0.5, 0).
  open var startPoint: CGPoint {
    get { modelValues.gradient.startPoint }
    set {
      change(.startPoint, modelValues.gradient.startPoint, newValue) {
        $0.gradient.startPoint = newValue
      }
    }
  }

  /// The end of the gradient, in the unit square of the bounds. Default: (0.5, 1).
  open var endPoint: CGPoint {
    get { modelValues.gradient.endPoint }
    set {
      change(.endPoint, modelValues.gradient.endPoint, newValue) {
        $0.gradient.endPoint = newValue
      }
    }
  }

  /// The shape of the gradient. An unknown name is kept, and draws an axial gradient. Default:
  /// `axial`.
  open var type: CAGradientLayerType {
    get {
      let known = modelValues.gradient.type.rawValue
      return CAGradientLayerType(rawValue: keptName(of: .gradientType, known: known))
    }
    set {
      keepName(newValue.rawValue, of: .gradientType, known: newValue.name.rawValue)
      change(.gradientType, modelValues.gradient.type, newValue.name) {
        $0.gradient.type = newValue.name
      }
    }
  }
}
