import Foundation
import LaminaValues

/// What an emitter layer has besides a layer's own properties.
package struct EmitterValues: Hashable, Sendable {
  // Factors of the cells' values.
  package var birthRate = 1.0
  package var lifetime = 1.0
  package var velocity = 1.0
  package var scale = 1.0
  package var spin = 1.0
  /// The middle of the shape, in the layer's own space.
  package var position = CGPoint.zero
  package var zPosition = 0.0
  package var size = CGSize.zero
  package var depth = 0.0
  package var shape = EmitterShape.point
  package var mode = EmitterMode.volume
  package var renderMode = EmitterRenderMode.unordered
  package var seed: UInt32 = 0
  package var cells: [EmitterCellValues]?
  package var behaviors: [FilterValues]?
  package var history = EmissionHistory()
  package static let defaults = EmitterValues()

  package init() {}
}
