import Foundation
import LaminaValues

@testable import LaminaAnimation

extension EmitterValues {
  /// An emitter of one cell, of 1,000 particles a second that live for 100.
  static func emitting(_ set: (inout EmitterCellValues) -> Void) -> EmitterValues {
    var cell = EmitterCellValues()
    cell.contents = ImageID(rawValue: 1)
    cell.birthRate = 1000
    cell.lifetime = 100
    set(&cell)
    var emitter = EmitterValues()
    emitter.cells = [cell]
    return emitter
  }
}
