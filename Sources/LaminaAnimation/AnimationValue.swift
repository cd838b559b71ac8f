import Foundation
import LaminaValues

/// A property's value as the one evaluator sees it, whatever the property.
package enum AnimationValue: Hashable, Sendable {
  /// No value: what nil is for an optional property.
  case none
  case number(Double)
  case point(CGPoint)
  case size(CGSize)
  case rect(CGRect)
  /// Boxed: 128 bytes in line would make every number as large, and copying them cost more than
  /// computing them.
  indirect case transform(CATransform3D)
  case color(CGColor)
  case path(Path)
  case image(ImageID)
  /// A name such as a gravity: it switches, and does not interpolate.
  case string(String)
  /// Boxed, as transforms are.
  indirect case filter(FilterValues)
  case array([AnimationValue])
}
