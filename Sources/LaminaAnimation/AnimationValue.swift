import Foundation
import LaminaValues

/// The value of any property, as the one evaluator sees it.
package enum AnimationValue: Hashable, Sendable {
  /// No value: nil in an optional property.
  case none
  case number(Double)
  case point(CGPoint)
  case size(CGSize)
  case rect(CGRect)
  /// Boxed, because its 128 bytes in line would make every number as large, and copying those costs
  /// more than computing them.
  indirect case transform(CATransform3D)
  case color(CGColor)
  case path(Path)
  case image(ImageID)
  /// A name such as a gravity, which switches instead of interpolating.
  case string(String)
  /// Boxed for the same reason as transforms.
  indirect case filter(FilterValues)
  indirect case cell(EmitterCellValues)
  case array([AnimationValue])
}
